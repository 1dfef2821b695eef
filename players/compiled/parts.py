"""How kernels and their parts are compiled: with less work than numba's own way.

numba optimises each function that it compiles, with all that it calls, and makes machine code of
it. Of a part only the copies inside kernels ever run, so that work, most of what compiling took, is
left to the kernels. Neither has functions inside functions, `with` or `literal_unroll`: the passes
for these are left out.
"""
# mypy: disable-error-code=no-untyped-call
# numba ships no types.

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any
from weakref import WeakKeyDictionary

from numba.core import untyped_passes as passes
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, Flags
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.registry import cpu_target
from numba.core.sigutils import normalize_signature
from numba.core.typed_passes import NativeLowering

import players.compiled.inference  # noqa: F401  # remembers the types of calls

_LEFT_OUT = {
    passes.FindLiterallyCalls,
    passes.InlineClosureLikes,
    passes.InlineInlinables,
    passes.LiteralPropagationSubPipelinePass,
    passes.LiteralUnroll,
    passes.MakeFunctionToJitFunction,
    passes.RewriteDynamicRaises,
    passes.WithLifting,
}


class _Flags(Flags):
    """Flags that are alike where what is called takes the same from its caller: so an answer is
    compiled once for kernels and parts. numba's own also compare what concerns the caller alone,
    each flag by its name, several times a call.
    """

    def _handed_down(self) -> tuple[object, ...]:
        return self.nrt, self.error_model

    def __hash__(self) -> int:
        return hash(self._handed_down())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Flags) and self._handed_down() == other._handed_down()


_loaders: WeakKeyDictionary[JITCodeLibrary, Callable[[], None]] = WeakKeyDictionary()
"""What loads a kernel, for the code of each that other processes find by its name."""


def called_in_place(compiled: Any) -> Callable[[Any], Any]:
    """The `compile` of a kernel, the versions of which are called where they are."""
    function, compile_ = compiled.py_func, compiled.compile

    def compile_in_place(signature: Any) -> Any:
        entry = compile_(signature)
        arguments, _ = normalize_signature(signature)
        if _is_named(function.__qualname__) and arguments in compiled.overloads:
            load = partial(_load, function.__module__, function.__name__, arguments)
            _loaders.setdefault(compiled.overloads[arguments].library, load)
        return entry

    return compile_in_place


def _is_named(qualified_name: str) -> bool:
    """Whether other processes find a function by its name: it is not made by another."""
    return "<locals>" not in qualified_name


def _load(module: str, name: str, arguments: Any) -> None:
    """Have the code of a kernel in this process."""
    getattr(import_module(module), name).compile(arguments)


class _Library(JITCodeLibrary):
    """Code that calls kernels where they are. numba's own has a copy of each, and of all that it
    calls, which is optimised and made machine code of again.
    """

    def add_linking_library(self, library: Any) -> None:
        load = _loaders.get(library)
        if load is None:
            super().add_linking_library(library)
        else:
            self._reload_init.add(load)

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout
        passes, builder = self._codegen._function_pass_manager()
        for function in ll_module.functions:
            if not function.is_declaration:
                passes.run(function, builder)


class _PartLibrary(_Library):
    """The code of a part with what it calls inlined."""

    def _optimize_final_module(self) -> None:
        cheap: Any = {"loop_vectorize": False, "slp_vectorize": False, "opt": 0, "cost": "cheap"}
        passes, builder = self._codegen._module_pass_manager(**cheap)
        passes.run(self._final_module, builder)

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _KernelLowering(NativeLowering):
    _name = "kernel_lowering"

    def run_pass(self, state: Any) -> bool:
        """Make a library of the function."""
        codegen = cpu_target.target_context.codegen()
        state["library"] = library = _Library(codegen, state.func_id.func_qualname)
        library.enable_object_caching()
        return bool(super().run_pass(state))


@register_pass(mutates_CFG=True, analysis_only=False)
class _PartLowering(NativeLowering):
    _name = "part_lowering"

    def run_pass(self, state: Any) -> bool:
        """Make a library of the function, and give it an entry, by which callers find it."""
        flags, name, context = state.flags, state.func_id.func_qualname, cpu_target.target_context
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        state["library"] = library = _PartLibrary(context.codegen(), name)
        super().run_pass(state)
        entry = _no_entry(name)
        context.insert_user_function(entry, state.cr.fndesc, [library])
        state.cr = state.cr._replace(cfunc=entry)
        return True


def _no_entry(name: str) -> Callable[..., Any]:
    """An entry that no other part has: called from Python it raises a KeyError with the sentence.
    numba takes only built-in functions of positional and named arguments.
    """
    return f"{{{name} is a part of kernels, and only they can call it}}".format


_managers: dict[Any, PassManager] = {}
"""By the last of their passes."""


class KernelCompiler(CompilerBase):
    """The passes of a kernel: numba's own, but for those it has no use for."""

    lowering: Any = _KernelLowering

    def define_pipelines(self) -> list[PassManager]:
        """One list of passes, the same for all functions."""
        if self.lowering not in _managers:
            _managers[self.lowering] = manager = PassManager("nopython")
            numbas = DefaultPassBuilder.define_nopython_pipeline(self.state)
            manager.passes = [
                (self.lowering if each is NativeLowering else each, what)
                for each, what in numbas.passes
                if each not in _LEFT_OUT
            ]
            manager.finalize()
        return [_managers[self.lowering]]

    def _compile_core(self) -> Any:
        self.state.flags = _Flags(self.state.flags)
        if self.lowering is _KernelLowering and _is_named(self.state.func_id.func_qualname):
            self.state.func_id.unique_id = 0  # its code has the same name in each process
        return super()._compile_core()


class PartCompiler(KernelCompiler):
    """The passes of a part."""

    lowering = _PartLowering
