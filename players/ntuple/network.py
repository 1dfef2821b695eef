"""n-tuple networks: the value of a board as a sum of table entries, over the board's 8 symmetries.

S20 of the course notes; stages as in multi-stage TD (Yeh et al. 2016), whose later stages inherit
what they have not learned yet.
"""

from typing import Any, NamedTuple

import numpy as np

from players.compiled.cache import part
from players.compiled.types import Array, Real
from players.ntuple.board import Grid, entry, flipped, mirrored, progress, transposed

SYMMETRIES = 8

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


@part
def value(board: Grid, network: Network) -> Any:
    """What the network expects of an afterstate: the rewards still to come, as float64."""
    if len(network.floors) > 0:
        return _value_in_stage(board, network)
    a, b, c, d, e, f, g, h = symmetric(board)
    weights, masks = network.weights, network.masks
    total = NOTHING
    for index in range(len(masks)):
        at, mask = np.uint64(network.offsets[index]), masks[index]
        total += (
            (weights[at + entry(a, mask)] + weights[at + entry(b, mask)])
            + (weights[at + entry(c, mask)] + weights[at + entry(d, mask)])
        ) + (
            (weights[at + entry(e, mask)] + weights[at + entry(f, mask)])
            + (weights[at + entry(g, mask)] + weights[at + entry(h, mask)])
        )
    return network.initial + np.float64(total)


@part
def entries(board: Grid, network: Network, out: Array) -> Any:
    """Write where the board's entries are to the front of the uint64 array `out`; their number."""
    a, b, c, d, e, f, g, h = symmetric(board)
    first, count = stage_offset(board, network), 0
    for index in range(len(network.masks)):
        at, mask = np.uint64(first + network.offsets[index]), network.masks[index]
        out[count] = at + entry(a, mask)
        out[count + 1] = at + entry(b, mask)
        out[count + 2] = at + entry(c, mask)
        out[count + 3] = at + entry(d, mask)
        out[count + 4] = at + entry(e, mask)
        out[count + 5] = at + entry(f, mask)
        out[count + 6] = at + entry(g, mask)
        out[count + 7] = at + entry(h, mask)
        count += SYMMETRIES
    return count


@part
def weight(network: Network, at: Array) -> Any:
    """The weight at `at`; of a later stage that never learned it, that of the stage before."""
    found, size = network.weights[at], np.uint64(network.offsets[-1])
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
        total += (
            (weight(network, at + entry(a, mask)) + weight(network, at + entry(b, mask)))
            + (weight(network, at + entry(c, mask)) + weight(network, at + entry(d, mask)))
        ) + (
            (weight(network, at + entry(e, mask)) + weight(network, at + entry(f, mask)))
            + (weight(network, at + entry(g, mask)) + weight(network, at + entry(h, mask)))
        )
    return network.initial + np.float64(total)
