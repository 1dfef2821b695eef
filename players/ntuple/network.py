"""n-tuple networks: the value of a board as a sum of table entries, over the board's 8 symmetries.

S20 of the course notes; stages as in multi-stage TD (Yeh et al. 2016), whose later stages inherit
what they have not learned yet.
"""

from typing import Any, NamedTuple

import numpy as np

from players.compiled.cache import part
from players.compiled.prefetch import prefetch
from players.compiled.types import Array, Real, Word
from players.ntuple.board import Grid, entry, flipped, mirrored, progress, transposed

SYMMETRIES = 8
N1, N2, N3, N4, N5, N6, N7, N8 = (np.uint64(n) for n in range(1, 9))

NOTHING = np.float32(0)
"""A weight that was never learned: in a later stage the one before answers for it."""


class Network(NamedTuple):
    """Tables of weights, and where a board's entries are in them."""

    weights: Array
    """float32[stages · size]: the tables of each stage, one after the other."""
    masks: Array
    """uint64[tuples, 2]: each tuple's cells as bits of the board's words."""
    offsets: Array
    """int64[tuples + 1]: where each tuple's table begins; at the end the size of a stage."""
    floors: Array
    """uint64[stages − 1]: the `progress` from which on each later stage counts."""
    initial: Real
    """float64: what the sum of entries is added to: the value of a board never met."""
    spread: Word = np.uint64(0)
    """uint64: weights are 2^spread places apart, with room between them for what learning notes."""


@part
def value(board: Grid, network: Network) -> Any:
    """The network's value of an afterstate: the expected rewards still to come, as float64."""
    if len(network.floors) > 0:
        return _value_in_stage(board, network)
    a, b, c, d, e, f, g, h = symmetric(board)
    weights, masks, spread = network.weights, network.masks, network.spread
    total = NOTHING
    for index in range(len(masks)):
        at, mask = np.uint64(network.offsets[index]), masks[index]
        total += (
            (weights[at + entry(a, mask) << spread] + weights[at + entry(b, mask) << spread])
            + (weights[at + entry(c, mask) << spread] + weights[at + entry(d, mask) << spread])
        ) + (
            (weights[at + entry(e, mask) << spread] + weights[at + entry(f, mask) << spread])
            + (weights[at + entry(g, mask) << spread] + weights[at + entry(h, mask) << spread])
        )
    return network.initial + np.float64(total)


@part
def entries(board: Grid, network: Network, out: Array, first: Word) -> None:
    """Write where the board's weights are to the uint64 array `out`, `breadth` places from `first`
    on, and have the processor fetch them.
    """
    images = symmetric(board)
    begin, spread, count = stage_offset(board, network), network.spread, first
    for index in range(len(network.masks)):
        at, mask = np.uint64(begin + network.offsets[index]), network.masks[index]
        for image in images:
            out[count] = at + entry(image, mask) << spread
            count += N1
        for place in range(count - N8, count):
            prefetch(network.weights, np.int64(out[place]))


@part
def breadth(network: Network) -> Word:
    """How many weights make the value of a board, as uint64."""
    return np.uint64(len(network.masks)) * N8


@part
def listed_value(network: Network, at: Array, first: Word) -> Any:
    """The value of the board whose weights are at the places that `entries` wrote."""
    weights, total, end = network.weights, NOTHING, first + breadth(network)
    if len(network.floors) > 0:
        for place in range(first, end):
            total += weight(network, at[place])
        return network.initial + np.float64(total)
    for place in range(first, end, N8):
        total += (
            (weights[at[place]] + weights[at[place + N1]])
            + (weights[at[place + N2]] + weights[at[place + N3]])
        ) + (
            (weights[at[place + N4]] + weights[at[place + N5]])
            + (weights[at[place + N6]] + weights[at[place + N7]])
        )
    return network.initial + np.float64(total)


@part
def weight(network: Network, at: Array) -> Any:
    """The weight at `at`; of a later stage that never learned it, that of the stage before."""
    found, size = network.weights[at], np.uint64(network.offsets[-1]) << network.spread
    while found == NOTHING and at >= size:
        at -= size
        found = network.weights[at]
    return found


@part
def stage_offset(board: Grid, network: Network) -> Any:
    """Where the tables of the board's stage begin."""
    stage = np.int64(0)
    if len(network.floors) > 0:
        reached = progress(board)
        for floor in network.floors:
            stage += np.int64(reached >= floor)
    return stage * network.offsets[-1]


@part
def symmetric(board: Grid) -> Any:
    """The 8 boards that differ by symmetry alone."""
    one = mirrored(board)
    two = flipped(board)
    three = flipped(one)
    return (
        *(board, one, two, three),
        *(transposed(board), transposed(one), transposed(two), transposed(three)),
    )


@part
def _value_in_stage(board: Grid, network: Network) -> Any:
    """`value` of a network with several stages."""
    a, b, c, d, e, f, g, h = symmetric(board)
    first, total = stage_offset(board, network), NOTHING
    for index in range(len(network.masks)):
        at, mask = np.uint64(first + network.offsets[index]), network.masks[index]
        total += (_two(a, b, at, mask, network) + _two(c, d, at, mask, network)) + (
            _two(e, f, at, mask, network) + _two(g, h, at, mask, network)
        )
    return network.initial + np.float64(total)


@part
def _two(one: Grid, other: Grid, at: Word, mask: Array, network: Network) -> Any:
    """The sum of the weights of two boards under one tuple, whose table begins at `at`."""
    spread = network.spread
    first = weight(network, at + entry(one, mask) << spread)
    return first + weight(network, at + entry(other, mask) << spread)
