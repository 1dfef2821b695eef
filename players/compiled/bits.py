"""Machine words: counting and picking bits, random numbers, and the flag that stops a search.

All words are uint64. numba turns a mixture of uint64 and int64 into floats, so every constant
here and in the games is typed.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.registry import cpu_target

from players.compiled.cache import instruction, intrinsic, part
from players.compiled.types import Builder, Value

ZERO, ONE = np.uint64(0), np.uint64(1)
WORD = ir.IntType(64)
HALF, BYTE = np.uint64(32), np.uint64(0xFF)
UNIT = 2.0**-64
"""A random word times this is a number from 0 to 1."""


def repeated(builder: Any, word: Any, count: int) -> Any:
    """LLVM code for a vector of `count` times `word`."""
    undefined, index = ir.Constant(ir.VectorType(WORD, count), ir.Undefined), ir.IntType(32)
    vector = builder.insert_element(undefined, word, index(0))
    first = ir.Constant(ir.VectorType(index, count), [0] * count)
    return builder.shuffle_vector(vector, undefined, first)


def call(builder: Any, name: str, result: Any, *arguments: Any) -> Any:
    """LLVM code for a call of the function `name`, whose value is of the type `result`."""
    function = builder.module.globals.get(name)
    if function is None:
        kind = ir.FunctionType(result, [each.type for each in arguments])
        function = ir.Function(builder.module, kind, name)
    return builder.call(function, arguments)


def constant_table(module: Any, name: str, make: Callable[[], Any]) -> Any:
    """The LLVM table `name` with the constant that `make` gives, in `module` once."""
    table = module.globals.get(name)
    if table is None:
        constant = make()
        table = ir.GlobalVariable(module, constant.type, name)
        table.linkage, table.global_constant, table.initializer = "internal", True, constant
    return table


def entry_pointer(context: Any, builder: Any, kinds: Any, arguments: Any) -> Any:
    """LLVM code for a pointer to the entry that the first two arguments, an array and an index,
    name; `kinds` are their numba types.
    """
    array = context.make_array(kinds[0])(context, builder, arguments[0])
    return builder.gep(array.data, [arguments[1]])


def set_bits(builder: Builder, word: Value) -> Value:
    """LLVM code for how many bits are set."""
    return call(builder, "llvm.ctpop.i64", WORD, word)


popcount = instruction(types.uint64, types.uint64)(set_bits)


@instruction(types.uint64, types.uint64)
def lowest(builder: Builder, word: Value) -> Value:
    """The index of the lowest set bit; 64 when there is none."""
    return call(builder, "llvm.cttz.i64", WORD, word, ir.IntType(1)(0))


@instruction(types.uint64, types.uint64)
def reversed_bits(builder: Builder, word: Value) -> Value:
    """The bits in the opposite order."""
    return call(builder, "llvm.bitreverse.i64", WORD, word)


@instruction(types.uint64, types.uint64)
def swapped_bytes(builder: Builder, word: Value) -> Value:
    """The bytes in the opposite order."""
    return call(builder, "llvm.bswap.i64", WORD, word)


def deposit(builder: Any, bits: Any, mask: Any) -> Any:
    """LLVM code for the low bits of `bits`, spread over the set bits of `mask` (x86 BMI2)."""
    return call(builder, "llvm.x86.bmi.pdep.64", WORD, bits, mask)


_deposit = instruction(types.uint64, types.uint64, types.uint64)(deposit)


@part
def nth_bit_by_steps(mask: Any, n: Any) -> Any:
    """The n-th set bit of `mask`, from 0, as a mask: for processors without a deposit."""
    for _ in range(np.int64(n)):
        mask &= mask - ONE
    return mask & (ZERO - mask)


@part
def nth_bit_by_deposit(mask: Any, n: Any) -> Any:
    """The n-th set bit of `mask`, from 0, as a mask, in one instruction."""
    return _deposit(ONE << n, mask)


def has_deposit(processor: str, features: str) -> bool:
    """Whether a processor, by LLVM's names, has the instruction and its opposite, and runs them in
    hardware: AMD's before Zen 3 take up to 300 cycles (uops.info).
    """
    return "+bmi2" in features.split(",") and processor not in ("bdver4", "znver1", "znver2")


_, _PROCESSOR, _FEATURES = cpu_target.target_context.codegen().magic_tuple()
HAS_DEPOSIT = has_deposit(_PROCESSOR, _FEATURES)
"""Of the processor that numba compiles for."""

nth_bit = nth_bit_by_deposit if HAS_DEPOSIT else nth_bit_by_steps


def pack(builder: Any, word: Any, mask: Any) -> Any:
    """LLVM code for the bits of `word` at the set bits of `mask`, moved together at the low end
    (x86 BMI2).
    """
    return call(builder, "llvm.x86.bmi.pext.64", WORD, word, mask)


packed_by_instruction = instruction(types.uint64, types.uint64, types.uint64)(pack)


@part
def packed_by_steps(word: Any, mask: Any) -> Any:
    """The bits of `word` at the set bits of `mask`, moved together at the low end: for processors
    without the instruction.
    """
    result, place = ZERO, ONE
    while mask != ZERO:
        bit = mask & (ZERO - mask)
        if word & bit != ZERO:
            result |= place
        place <<= ONE
        mask ^= bit
    return result


packed = packed_by_instruction if HAS_DEPOSIT else packed_by_steps


def extract(builder: Any, word: Any, mask: int) -> Any:
    """LLVM code for the same under a constant `mask`, on any processor."""
    if HAS_DEPOSIT:
        return pack(builder, word, WORD(mask))
    return extract_by_shifts(builder, word, mask)


def extract_by_shifts(builder: Any, word: Any, mask: int) -> Any:
    """`extract` a run of set bits at a time, for processors without the instruction."""
    result, count = WORD(0), 0
    while mask:
        low = (mask & -mask).bit_length() - 1
        length = (~(mask >> low) & (mask >> low) + 1).bit_length() - 1
        run = builder.and_(builder.lshr(word, WORD(low)), WORD((1 << length) - 1))
        result = builder.or_(result, builder.shl(run, WORD(count)))
        mask &= mask + (1 << low)
        count += length
    return result


@part
def swapped(word: Any, mask: Any, shift: Any) -> Any:
    """`word` with the bits at `mask` and those `shift` above them exchanged (a delta swap)."""
    change = (word ^ (word >> shift)) & mask
    return word ^ change ^ (change << shift)


@part
def draw(state: Any) -> Any:
    """One step of splitmix64 (Steele, Lea and Flood 2014): (next state, 64 random bits)."""
    state += np.uint64(0x9E3779B97F4A7C15)
    bits = state
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state, bits ^ (bits >> np.uint64(31))


@part
def below(bits: Any, bound: Any) -> Any:
    """A number from 0 to bound − 1 out of 64 random bits, for a bound below 2³²."""
    return ((bits >> HALF) * bound) >> HALF


@part
def mix(key: Any, word: Any) -> Any:
    """`key` with `word` hashed into it (the finalizer of MurmurHash3)."""
    key ^= word
    key = (key ^ (key >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    key = (key ^ (key >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return key ^ (key >> np.uint64(33))


@intrinsic
def is_set(_typing: Any, flag: Any) -> Any:
    """Whether the first entry of the int64 array `flag` is not 0, read afresh from memory:
    another thread may have set it.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        value = builder.load_atomic(array.data, "monotonic", 8)
        return builder.icmp_signed("!=", value, WORD(0))

    return types.boolean(flag), generate
