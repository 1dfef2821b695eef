"""Telling the processor which memory will be needed."""

from typing import Any

from llvmlite import ir
from numba import types

from players.compiled.bits import call, entry_pointer
from players.compiled.cache import intrinsic

BYTES = ir.IntType(8).as_pointer()


def fetch(builder: Any, pointer: Any) -> None:
    """LLVM code that fetches what `pointer` points to: for reading, kept in every cache, data."""
    byte, word = builder.bitcast(pointer, BYTES), ir.IntType(32)
    call(builder, "llvm.prefetch.p0i8", ir.VoidType(), byte, word(0), word(3), word(1))


@intrinsic
def prefetch(_typing: Any, table: Any, index: Any) -> Any:
    """Have the processor fetch `table[index]` while it does other things."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        fetch(builder, entry_pointer(context, builder, signature.args, arguments))
        return context.get_dummy_value()

    return types.none(table, types.int64), generate
