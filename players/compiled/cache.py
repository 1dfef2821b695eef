"""How compiled kernels are kept between processes, in the folder of `players.compiled.folder`."""

import gc
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from fcntl import LOCK_EX, flock
from functools import cache, wraps
from pathlib import Path
from typing import Any, TypeVar

import numba
import numba.extending
from llvmlite import ir
from numba.core.caching import CompileResultCacheImpl, FunctionCache, UserProvidedCacheLocator
from numba.core.compiler_lock import global_compiler_lock
from numba.core.runtime.nrt import rtsys
from numba.core.types import BaseTuple

from arena.files.cache import CACHE_VARIABLE
from players.compiled.folder import cache_folder, names_folder
from players.compiled.parts import KernelCompiler, PartCompiler, kernels

intrinsic: Callable[[Callable[..., Any]], Any] = numba.extending.intrinsic
"""numba's own annotation hides the arguments of what it decorates."""


_settings: Any = numba.config
"""numba makes its settings at run time, unknown to a type checker."""
_settings.CACHE_DIR = str(cache_folder())
_settings.DISABLE_JIT = 0  # NUMBA_DISABLE_JIT asks Python to run what it cannot


@cache
def _compile_for_itself(why: str) -> None:
    sys.stderr.write(
        f"{why} and lacks kernels: this process compiles what is missing for itself. `arena warm` "
        f"fills it; {CACHE_VARIABLE} names another folder.\n"
    )


unkept: Callable[[str], None] = _compile_for_itself
"""Called where a kernel cannot be kept, with the reason."""


class _Locator(UserProvidedCacheLocator):
    """Finds kernels in `CACHE_DIR`, whether or not it can be written."""

    def __init__(self, py_func: Any, py_file: str) -> None:
        """By module, where the folder is named for the source: numba's own is by path, and another
        installation would compile the same once more.
        """
        super().__init__(py_func, py_file)  # type: ignore[no-untyped-call] # numba ships no types
        if names_folder(py_file):
            self._cache_path = str(Path(_settings.CACHE_DIR) / py_func.__module__)

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> Any:
        """The locator; numba's own tries to write here, and once more before it keeps a kernel."""
        return cls(py_func, py_file)


class _Impl(CompileResultCacheImpl):
    """numba's way to keep compiled functions, in that folder alone."""

    _locator_classes = [_Locator]  # noqa: RUF012  # as numba has it


class _Cache(FunctionCache):
    """A kernel's versions, listed by what they take in words. numba's own list has the types, and
    to read one imports the games of all: their answers are then registered while a caller is typed.

    What it lacks and cannot keep, as in a sandbox or on a full disk, is compiled for this process
    alone; stderr says so, once.
    """

    _impl_class: Any = _Impl

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        _, *rest = super()._index_key(sig, codegen)  # type: ignore[no-untyped-call] # numba ships no types
        return ", ".join(map(_in_words, sig)), *rest, _how_compiled()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The kernel, or None, also where its files may not be read or are damaged.

        numba's own gets everything ready for compiling first, which takes longer than loading.
        """
        rtsys.initialize(target_context)
        try:
            found = self._load_overload(sig, target_context)  # type: ignore[no-untyped-call] # numba ships no types
        except OSError:
            return None
        except Exception:  # half a file, as after a power failure: pickle may raise anything
            with suppress(OSError):
                Path(self._cache_file._index_path).unlink()
            return None
        if found is not None:
            kernels.add(found.library)
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a kernel, where that can be."""
        try:
            super().save_overload(sig, data)  # type: ignore[no-untyped-call] # as above
        except OSError as error:
            unkept(f"The kernel cache {_settings.CACHE_DIR} cannot be written ({error.strerror})")


def _how_compiled() -> tuple[int, ...]:
    """What the environment asks of all kernels: those that check their indices, or are slow to run
    and quick to make, are for the processes that ask for them.
    """
    names = ("OPT", "BOUNDSCHECK", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "SLP_VECTORIZE")
    # NUMBA_OPT=max is 3 as a number, and another way to compile
    return _settings.OPT.is_opt_max, *(int(getattr(_settings, name) or 0) for name in names)


def _in_words(kind: Any) -> str:
    """A numba type, with the module of a NamedTuple, which its name leaves out."""
    inner: Any = kind
    if not isinstance(kind, BaseTuple):
        return str(kind)
    return f"{getattr(kind, 'instance_class', tuple)}({', '.join(map(_in_words, inner))})"


_Function = TypeVar("_Function", bound=Callable[..., Any])
_answered: defaultdict[Callable[..., Any], set[type]] = defaultdict(set)
"""For each question the types that have an answer of their own."""

_ENTRY: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,
    "pipeline_class": KernelCompiler,
}
_PART: dict[str, Any] = {
    "forceinline": True,
    "error_model": "numpy",
    "pipeline_class": PartCompiler,
}
_COUNTED: dict[str, Any] = {"_nrt": True}
_BARE: dict[str, Any] = {"_nrt": False}
"""Whether memory can be taken and references to arrays are counted; else it is as in the caller."""


def kernel(function: Callable[..., Any]) -> Any:
    """Compile an entry point, called from Python, and keep it in the cache. It holds no GIL."""
    return _kept(numba.njit(**_ENTRY, **_COUNTED)(function))


def part(function: Callable[..., Any]) -> Any:
    """Compile a function for use inside kernels: it becomes part of each that calls it."""
    return numba.njit(**_PART)(function)


def answers(question: Callable[..., Any], *positions: type) -> Callable[[_Function], _Function]:
    """Answer the `question` of an interface for these types of its first argument, NamedTuples, as
    a part of each kernel that asks; without types, for all that have no answer of their own.
    """

    def register(answer: _Function) -> _Function:
        _answered[question].update(positions)

        def choose(position: Any, *_others: Any) -> Any:
            kind = getattr(position, "instance_class", None)
            meant = kind in positions if positions else kind not in _answered[question]
            return answer if meant else None

        options: Any = _PART
        numba.extending.overload(question, jit_options=options, strict=False)(choose)
        return answer

    return register


def is_answered(question: Callable[..., Any], position: type) -> bool:
    """Whether this type of position has an answer of its own."""
    return position in _answered[question]


def by_default(question: _Function) -> _Function:
    """Let the body of a question be its answer for all types that have none of their own."""
    return answers(question)(question)


def instruction(
    result: Any, *arguments: Any, once: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A function of compiled code with these numba types, made of the LLVM code that the decorated
    one writes by its first argument, a builder, for the values of the others. It becomes part of
    all that calls it, or stands `once` in a kernel, where it is long.
    """

    def make(write: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(write)  # with its signature, by which numba passes the arguments
        def typed(_typing: Any, *_kinds: Any) -> Any:
            def generate(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
                if once:
                    return builder.call(_function(builder.module, write, values), values)
                return write(builder, *values)

            return result(*arguments), generate

        return intrinsic(typed)

    return make


def _function(module: ir.Module, write: Callable[..., Any], values: Sequence[Any]) -> ir.Function:
    """The LLVM function that `write` writes, from words to a word. Linking keeps one of a name."""
    name = f"{write.__module__}.{write.__qualname__}"
    made = module.globals.get(name)
    if made is None:
        kind = ir.FunctionType(ir.IntType(64), [value.type for value in values])
        made = ir.Function(module, kind, name)
        made.linkage = "linkonce_odr"
        made.attributes.add("noinline")
        builder = ir.IRBuilder(made.append_basic_block())
        builder.ret(write(builder, *made.args))
    return made


def bare_kernel(function: Callable[..., Any]) -> Any:
    """A kernel that takes no memory of its own and counts no references to its arrays, which costs
    more than the work where tuples of arrays go through many parts. Its parts are `bare_part`.
    """
    return _kept(numba.njit(**_ENTRY, **_BARE)(function))


def bare_part(function: Callable[..., Any]) -> Any:
    """A part of bare kernels."""
    return numba.njit(**_PART, **_BARE)(function)


def _kept(compiled: Any) -> Any:
    """The compiled function with its cache."""
    compiled._cache = _Cache(compiled.py_func)  # type: ignore[no-untyped-call] # as above
    compiled.compile = _in_one_process(compiled)
    return compiled


def _in_one_process(compiled: Any) -> Callable[[Any], Any]:
    """The kernel's `compile`, in one process at a time: those that wait find the work done, and no
    two give the kernels of two signatures the same file. Different kernels compile side by side.
    """
    function, compile_ = compiled.py_func, compiled.compile
    name = f"{function.__module__}.{function.__name__}-{function.__code__.co_firstlineno}"
    path = Path(_settings.CACHE_DIR) / f"{name}.lock"

    def locked(signature: Any) -> Any:
        # The compiler's own lock first: threads that take both take them in this order.
        with global_compiler_lock:
            if compiled.is_compiling:  # it calls itself, and has the lock
                return compile_(signature)
            with ExitStack() as held, _little_garbage():
                with suppress(OSError):  # where there is no lock, nothing is kept either
                    path.parent.mkdir(parents=True, exist_ok=True)
                    flock(held.enter_context(path.open("w")), LOCK_EX)
                return compile_(signature)

    return locked


@contextmanager
def _little_garbage() -> Iterator[None]:
    """The compiler makes little, and to search for it as usual costs a tenth of its time."""
    usual = gc.get_threshold()
    gc.set_threshold(20_000, 20, 20)
    try:
        yield
    finally:
        gc.set_threshold(*usual)
