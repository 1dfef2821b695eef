"""Eight words at once: one 64-bit lane for each of eight boards.

`Lanes` is a type of compiled code alone. It lives in vector registers, and no kernel takes or
returns one. Its operators & | ^ ~ + - * << >> work lane by lane, with a uint64 on either side
standing for eight of the same, so a function written for one word, such as `bits.draw`, serves
eight. LLVM lowers them to whatever the processor has: one register of AVX-512, two of AVX2.
"""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import extending, types
from numba.extending import models, overload, register_model

from players.compiled.bits import HAS_DEPOSIT, WORD, ZERO, call, deposit, repeated
from players.compiled.cache import instruction, part
from players.compiled.types import Builder, Value

Decorator = Callable[[Callable[..., Any]], Any]

lower: Callable[..., Decorator] = extending.lower_builtin
"""numba's own is not annotated, and neither is the next."""

result_type: Callable[..., Decorator] = extending.type_callable

COUNT = 8
VECTOR = ir.VectorType(WORD, COUNT)
INDEX = ir.IntType(32)
EIGHTH = np.uint64(61)
"""2⁶¹ is an eighth of the cycle of 2⁶⁴."""


class Lanes(types.Type):
    """The numba type of eight words."""

    def __init__(self) -> None:
        super().__init__(name="Lanes")


LANES = Lanes()


@register_model(Lanes)
class LanesModel(models.PrimitiveModel):
    """How LLVM holds them."""

    def __init__(self, manager: Any, numba_type: Any) -> None:
        super().__init__(manager, numba_type, VECTOR)  # type: ignore[no-untyped-call]  # numba ships no types


def constant(word: int) -> Any:
    """`word`, below 2⁶⁴, in every lane."""
    return ir.Constant(VECTOR, [word] * COUNT)


def _give_operator(symbol: Callable[..., Any], instruction: str) -> None:
    """Let `symbol` work on lanes, or lanes and a word, by one LLVM instruction."""

    @result_type(symbol)
    def _type(_context: Any) -> Any:
        def typer(left: Any, right: Any) -> Any:
            pair = {left, right}
            return LANES if LANES in pair and pair <= {LANES, types.uint64} else None

        return typer

    def generate(_context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        left, right = (
            value if kind == LANES else repeated(builder, value, COUNT)
            for kind, value in zip(signature.args, arguments, strict=True)
        )
        return getattr(builder, instruction)(left, right)

    for kinds in ((Lanes, Lanes), (Lanes, types.Integer), (types.Integer, Lanes)):
        lower(symbol, *kinds)(generate)


for _symbols, _instruction in (
    ((operator.and_, operator.iand), "and_"),
    ((operator.or_, operator.ior), "or_"),
    ((operator.xor, operator.ixor), "xor"),
    ((operator.add, operator.iadd), "add"),
    ((operator.sub, operator.isub), "sub"),
    ((operator.mul, operator.imul), "mul"),
    ((operator.lshift, operator.ilshift), "shl"),
    ((operator.rshift, operator.irshift), "lshr"),
):
    for _symbol in _symbols:
        _give_operator(_symbol, _instruction)


@result_type(operator.invert)
def _type_invert(_context: Any) -> Any:
    return lambda lanes: LANES if lanes == LANES else None


@lower(operator.invert, Lanes)
def _invert(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
    return builder.not_(arguments[0])


@instruction(LANES, types.uint64)
def spread(builder: Builder, word: Value) -> Value:
    """`word` in every lane."""
    return repeated(builder, word, COUNT)


@instruction(LANES)
def numbered(builder: Builder) -> Value:
    """The number of each lane, from 0."""
    return ir.Constant(VECTOR, list(range(COUNT)))


@instruction(types.uint64, LANES, types.uint64)
def lane(builder: Builder, lanes: Value, number: Value) -> Value:
    """The word of one lane."""
    return builder.extract_element(lanes, number)


@part
def write(lanes: Any, out: Any) -> None:
    """Write the word of each lane to `out`."""
    for number in range(COUNT):
        out[number] = lane(lanes, np.uint64(number))


@instruction(types.int64, LANES)
def total(builder: Builder, lanes: Value) -> Value:
    """The sum of all lanes as signed numbers."""
    return call(builder, f"llvm.vector.reduce.add.v{COUNT}i64", WORD, lanes)


@instruction(types.boolean, LANES)
def any_set(builder: Builder, lanes: Value) -> Value:
    """Whether a bit is set in any lane."""
    bits = builder.icmp_unsigned("!=", lanes, constant(0))
    mask = ir.IntType(COUNT)
    return builder.icmp_unsigned("!=", builder.bitcast(bits, mask), mask(0))


@instruction(LANES, LANES, LANES)
def less(builder: Builder, left: Value, right: Value) -> Value:
    """All ones where `left` is less than `right`, as signed numbers; nothing elsewhere."""
    return builder.sext(builder.icmp_signed("<", left, right), VECTOR)


@instruction(LANES, LANES)
def empty(builder: Builder, lanes: Value) -> Value:
    """All ones where no bit is set; nothing elsewhere."""
    return builder.sext(builder.icmp_unsigned("==", lanes, constant(0)), VECTOR)


def select(test: Any, chosen: Any, otherwise: Any) -> Any:
    """`chosen` where `test` has a bit set, `otherwise` where it has none: for lanes and words."""
    raise NotImplementedError  # answered for each type


@overload(select)
def _select(test: Any, chosen: Any, otherwise: Any) -> Any:
    def select_lanes(test: Any, chosen: Any, otherwise: Any) -> Any:
        without = empty(test)
        return (chosen & ~without) | (otherwise & without)

    def select_words(test: Any, chosen: Any, otherwise: Any) -> Any:
        return chosen if test != ZERO else otherwise

    return select_lanes if test == LANES else select_words


@part
def either(first: Any, second: Any) -> Any:
    """`first` where it has a bit set, else `second`: for lanes and words."""
    return select(first, first, second)


@part
def results(margins: Any) -> Any:
    """The result of a batch for seat 0 with these `margins` for it: (twice the wins and once the
    draws, the sum of the margins).
    """
    zeros = spread(ZERO)
    return COUNT + total(less(margins, zeros) - less(zeros, margins)), total(margins)


@part
def streams(state: Any) -> Any:
    """The states of eight streams of random numbers, from that of the first.

    They are an eighth of the generator's cycle apart.
    """
    return spread(state) + (numbered() << EIGHTH)


def _popcounts(builder: Builder, lanes: Value) -> Value:
    """LLVM code for how many bits are set in each lane."""
    return call(builder, f"llvm.ctpop.v{COUNT}i64", VECTOR, lanes)


popcounts = instruction(LANES, LANES)(_popcounts)


@instruction(LANES, LANES, LANES)
def nth_bits_by_search(builder: Builder, masks: Value, n: Value) -> Value:
    """The n-th set bit of each mask, from 0, as a mask; nothing where there are fewer.

    Six times the half that holds the bit, by counting the lower one: for processors without a
    deposit.
    """
    b = builder
    rest, place = masks, constant(0)
    for width in (32, 16, 8, 4, 2, 1):
        count = _popcounts(b, b.and_(rest, constant((1 << width) - 1)))
        above = b.icmp_unsigned(">=", n, count)
        n = b.select(above, b.sub(n, count), n)
        rest = b.select(above, b.lshr(rest, constant(width)), rest)
        place = b.select(above, b.or_(place, constant(width)), place)
    return b.and_(masks, b.shl(constant(1), place))


@instruction(LANES, LANES, LANES)
def nth_bits_by_deposit(builder: Builder, masks: Value, n: Value) -> Value:
    """The n-th set bit of each mask, from 0, as a mask; nothing where there are fewer.

    Vectors have no deposit, but eight of it one after the other still take less time than a search.
    """
    single = builder.shl(constant(1), n)
    picked = ir.Constant(VECTOR, ir.Undefined)
    for number in range(COUNT):
        at = INDEX(number)
        bit, mask = (builder.extract_element(each, at) for each in (single, masks))
        picked = builder.insert_element(picked, deposit(builder, bit, mask), at)
    return picked


nth_bits = nth_bits_by_deposit if HAS_DEPOSIT else nth_bits_by_search
