"""Telling the processor which memory will be needed."""

from typing import Any

from llvmlite import ir
from numba import types

from players.compiled.bits import declare
from players.compiled.cache import intrinsic

BYTES = ir.IntType(8).as_pointer()


def fetch(builder: Any, pointer: Any) -> None:
    """LLVM code that fetches what `pointer` points to: for reading, kept in every cache, data."""
    word = ir.IntType(32)
    function = declare(
        builder.module, "llvm.prefetch.p0i8", ir.VoidType(), [BYTES, word, word, word]
    )
    builder.call(function, [builder.bitcast(pointer, BYTES), word(0), word(3), word(1)])


@intrinsic
def prefetch(_typing: Any, table: Any, index: Any) -> Any:
    """Have the processor fetch `table[index]` while it does other things."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        fetch(builder, builder.gep(array.data, [arguments[1]]))
        return context.get_dummy_value()

    return types.none(table, types.int64), generate
