"""Which child to descend to."""

from __future__ import annotations

from typing import Any

import numpy as np

from players.compiled import atomics as shared
from players.compiled.cache import bare_part
from players.search.tree import LANES, NEAR
from players.search.uct.rave import mixed_values

NEVER = np.float32(-1e30)
"""Below the value of any child that may still be worth something."""


@bare_part
def next_untried(tree: Any, node: Any, count: Any, settings: Any) -> Any:
    """A child nobody has visited; −1 when there is none left."""
    index = np.int64(tree.tried[node])
    if index >= count:
        return np.int64(-1)
    if settings.shared:
        index = np.int64(shared.add(tree.tried, node, np.uint8(1)))
    else:
        tree.tried[node] = index + 1
    return np.int64(tree.first[node]) + index if index < count else np.int64(-1)


@bare_part
def select(
    tree: Any, node: Any, seat: Any, opponent: Any, c: Any, settings: Any, values: Any
) -> Any:
    """The child with the highest UCB value, (lift + slope·mean + c·√(2·ln N/n))·weight.

    An `opponent` may choose the least instead, as the player sees it: with a mean of 1 − mean that
    is the highest of −(lift + slope) + slope·mean − c·√(2·ln N/n).

    Plain loops over whole vectors of the processor rather than one with branches.
    """
    first, count = np.int64(tree.first[node]), np.int64(tree.count[node])
    lift, slope = np.float32(settings.lift), np.float32(settings.slope)
    spread = np.float32(c * np.sqrt(2.0 * np.log(np.float64(tree.visits[node]))))
    if opponent and settings.least:
        lift, spread = -(lift + slope), -spread
    lanes = (count + LANES - 1) // LANES * LANES
    visits, total = tree.visits[first : first + lanes], tree.total[first : first + lanes]
    if settings.rave > 0.0:
        mixed_values(tree, first, lanes, lift, slope, spread, settings, values)
    else:
        for index in range(lanes):
            n = np.float32(max(visits[index], np.int32(1)))
            values[index] = lift + (slope * np.float32(total[index]) + spread * np.sqrt(n)) / n
    if tree.proof[node] == NEAR:
        _settle(tree, node, seat, lift, slope, settings, values)
    if settings.weighted:
        for index in range(count):
            values[index] *= settings.weights[seat, tree.move[first + index]]
    best = values[0]
    for index in range(1, count):
        best = max(best, values[index])
    index = 0
    while values[index] != best:
        index += 1
    return first + index


@bare_part
def _settle(
    tree: Any, node: Any, seat: Any, lift: Any, slope: Any, settings: Any, values: Any
) -> None:
    """What is proven needs no exploration: its value is its true one, and NEVER for a loss. At the
    root, where nothing is backed up to, all visits go to what is still open.
    """
    first = np.int64(tree.first[node])
    for index in range(tree.count[node]):
        proof = np.int64(tree.proof[first + index])
        if proof > NEAR:
            proof = proof if seat == 0 else -proof
            values[index] = lift + slope * np.float32(0.5 + settings.worth * proof)
            if node == 0 or proof == -settings.highest:
                values[index] = NEVER
