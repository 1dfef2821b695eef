"""Entries of arrays that several threads change at once: operations no other thread can come
between.

`publish` and `claim` keep what was written before them ahead of themselves, `read` what is read
after it behind: a thread that sees that a node has children also sees the children.
"""

from typing import Any

from numba import types

from players.compiled.bits import entry_pointer
from players.compiled.cache import intrinsic


@intrinsic
def add(_typing: Any, array: Any, _index: Any, _amount: Any) -> Any:
    """Add to an entry; what it held before."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        entry = entry_pointer(context, builder, signature.args, arguments)
        operation = "add" if isinstance(array.dtype, types.Integer) else "fadd"
        return builder.atomic_rmw(operation, entry, arguments[2], "monotonic")

    return array.dtype(array, types.int64, array.dtype), generate


@intrinsic
def claim(_typing: Any, array: Any, _index: Any, _expected: Any, _value: Any) -> Any:
    """Write a value if the entry holds the expected one; whether it did."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        entry = entry_pointer(context, builder, signature.args, arguments)
        pair = builder.cmpxchg(entry, arguments[2], arguments[3], "acq_rel", "acquire")
        return builder.extract_value(pair, 1)

    return types.boolean(array, types.int64, array.dtype, array.dtype), generate


@intrinsic
def read(_typing: Any, array: Any, _index: Any) -> Any:
    """An entry as it is now in memory."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        entry = entry_pointer(context, builder, signature.args, arguments)
        return builder.load_atomic(entry, "acquire", array.dtype.bitwidth // 8)

    return array.dtype(array, types.int64), generate


@intrinsic
def publish(_typing: Any, array: Any, _index: Any, _value: Any) -> Any:
    """Write an entry, after all that was written before."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        entry = entry_pointer(context, builder, signature.args, arguments)
        builder.store_atomic(arguments[2], entry, "release", array.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, types.int64, array.dtype), generate
