"""How kernels and their parts are compiled: with less work than numba's own way.

numba optimises each function that it compiles, with all that it calls, and makes machine code of
it. Of a part only the copies inside kernels ever run, so that work, most of what compiling took, is
left to the kernels. Neither has functions inside functions, `with`, `literal_unroll` or sums of
whole arrays: the passes for these are left out, and the one whose notes only a reader would want.
"""
# mypy: disable-error-code=no-untyped-call
# numba ships no types.

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any
from weakref import WeakSet

from llvmlite.binding import create_new_module_pass_manager
from numba.core import event, typed_passes
from numba.core import untyped_passes as passes
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, Flags
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.registry import cpu_target
from numba.core.typed_passes import NativeLowering

import players.compiled.shortcuts  # noqa: F401  # changes what numba does

_LEFT_OUT = {
    passes.FindLiterallyCalls,
    passes.InlineClosureLikes,
    passes.InlineInlinables,
    passes.LiteralPropagationSubPipelinePass,
    passes.LiteralUnroll,
    passes.MakeFunctionToJitFunction,
    passes.RewriteDynamicRaises,
    passes.WithLifting,
    typed_passes.AnnotateTypes,
    typed_passes.NopythonRewrites,
}

_timing: Any = event
_timing.install_timer = lambda _kind, _callback: nullcontext()
"""numba counts for each function the time that it and all it calls wait for locks: of parts in
parts that is hundreds of thousands of events, and nobody reads it.
"""


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


kernels: WeakSet[JITCodeLibrary] = WeakSet()
"""The code of kernels, which is optimised already."""


class _Library(JITCodeLibrary):
    """Code with the kernels that it calls, which are taken in once it is optimised, as they are:
    numba's own optimises all that a kernel calls again in each that calls it.
    """

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self._called: dict[JITCodeLibrary, None] = {}

    def add_linking_library(self, library: Any) -> None:
        if library in kernels:
            self._called[library] = None
        else:
            super().add_linking_library(library)
            self._called.update(getattr(library, "_called", {}))

    def _finalize_final_module(self) -> None:
        for kernel in self._called:
            self._final_module.link_in(kernel._get_module_for_linking(), preserve=True)
        passes = create_new_module_pass_manager()
        passes.add_global_dead_code_eliminate_pass()
        passes.run(self._final_module, self._codegen._pass_builder(opt=0))
        super()._finalize_final_module()


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
        """Make a library of the function, which is kept."""
        codegen = cpu_target.target_context.codegen()
        state["library"] = library = _Library(codegen, state.func_id.func_qualname)
        library.enable_object_caching()
        kernels.add(library)
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
        described = state.cr.fndesc
        described.typemap = described.calltypes = None  # was for lowering alone, and is large
        entry = _no_entry(name)
        context.insert_user_function(entry, state.cr.fndesc, [library])
        state.cr = state.cr._replace(cfunc=entry)
        return True


def _no_entry(name: str) -> Callable[..., Any]:
    """An entry that no other part has: called from Python it raises a KeyError with the sentence.
    numba takes only built-in functions of positional and named arguments.
    """
    return f"{{{name} is a part of kernels, and only they can call it}}".format


class KernelCompiler(CompilerBase):
    """The passes of a kernel: numba's own, but for those it has no use for."""

    lowering: Any = _KernelLowering

    def define_pipelines(self) -> list[PassManager]:
        """One list of passes."""
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        manager.passes = [
            (self.lowering if each is NativeLowering else each, what)
            for each, what in manager.passes
            if each not in _LEFT_OUT
        ]
        manager.finalize()
        return [manager]

    def _compile_core(self) -> Any:
        self.state.flags = _Flags(self.state.flags)
        return super()._compile_core()


class PartCompiler(KernelCompiler):
    """The passes of a part."""

    lowering = _PartLowering
