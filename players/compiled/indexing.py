"""Indices that count from the front alone.

numba looks at each signed index, whether it is negative and counts from the end: alpha-beta takes
a tenth longer for it. No kernel has such an index, but where it is written as `offsets[-1]`.
With NUMBA_BOUNDSCHECK=1 any other raises IndexError.
"""
# mypy: disable-error-code=no-untyped-call
# numba ships no types.

from typing import Any

from llvmlite import ir
from numba.core.types import intp
from numba.np import arrayobj

_arrays: Any = arrayobj
_from_either_end = _arrays.fix_integer_index


def _from_the_front(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
    if isinstance(index, ir.Constant) or not kind.signed:
        return _from_either_end(context, builder, kind, index, size)
    return context.cast(builder, index, kind, intp)


_arrays.fix_integer_index = _from_the_front
