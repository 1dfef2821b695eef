"""Where numba's own way takes longer than kernels need: its functions, changed on import."""
# mypy: disable-error-code=no-untyped-call
# numba ships no types.

from typing import Any

from llvmlite import ir
from numba.core.targetconfig import ConfigStack
from numba.core.types import NumberClass, intp
from numba.core.types.functions import BaseFunction
from numba.core.typing.context import BaseContext
from numba.np import arrayobj, linalg

# Kernels have no linear algebra. numba imports scipy's before it compiles or loads anything, to see
# whether it is there: a fifth of what a player takes to start. It is there, and what is compiled
# with it still imports it.
_ensure_blas = linalg.ensure_blas
linalg.ensure_blas = lambda: None
import numba.np.arraymath  # noqa: E402, F401  # it asks as it is imported, so here and for that alone

linalg.ensure_blas = _ensure_blas

_arrays: Any = arrayobj
_from_either_end = _arrays.fix_integer_index


def _from_the_front(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
    """Takes an index to count from the front. numba looks at each signed one, whether it is
    negative and counts from the end: alpha-beta takes a tenth longer for it. No kernel has such an
    index, but where it is written as `offsets[-1]`. With NUMBA_BOUNDSCHECK=1 any other raises
    IndexError.
    """
    if isinstance(index, ir.Constant) or not kind.signed:
        return _from_either_end(context, builder, kind, index, size)
    return context.cast(builder, index, kind, intp)


_arrays.fix_integer_index = _from_the_front

_contexts: Any = BaseContext
_resolve = _contexts.resolve_function_type


def _remember(context: Any, called: Any, arguments: Any, named: Any) -> Any:
    """The signature of a call, remembered by the types of the operands; numba's errors. numba tries
    all that is known of an operation for each place in the code where it stands, and three times or
    more, as it goes over a function until no type changes.

    What is known of an operation is part of its type: where more is registered, numba makes another
    type, of which nothing is remembered yet. Other functions than operations, built-in functions
    and the constructors of numbers are asked for again.
    """
    if not isinstance(called, BaseFunction | NumberClass):
        return _resolve(context, called, arguments, named)
    known = called.__dict__.setdefault("_known", {})
    key = tuple(arguments), tuple(dict(named).items()), ConfigStack.top_or_none()
    if key in known:
        signature, code = known[key]
        getattr(called, "_impl_keys", {})[signature.args] = code
    elif signature := _resolve(context, called, arguments, named):
        known[key] = signature, called.get_impl_key(signature)
    return signature


_contexts.resolve_function_type = _remember
