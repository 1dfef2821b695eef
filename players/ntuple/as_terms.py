"""A network as the numbers of an evaluation, so that every search that values positions takes it.

The int32 array is: NETWORK; how many tuples; how many later stages; the value of a board never met;
where each later stage begins; for each tuple its masks, low halves first, and where its table
begins; then the weights. Values are in GRAINS of a hundredth.
"""

from typing import Any

import numpy as np

from players.compiled.bits import HALF
from players.compiled.cache import part
from players.compiled.types import Array, Real
from players.ntuple.board import Grid, entry, progress
from players.ntuple.network import Network, symmetric

NETWORK = 2
"""The first of the numbers: that they are a network's."""

GRAIN_BITS = 4
HEAD, RECORD = 4, 5
"""Numbers before those of the stages, and for each tuple."""

MOST = 2_000_000
"""No weight and no initial value counts for more: in hundredths it is far beyond any margin."""

LOW = np.uint64(0xFFFF_FFFF)


def terms_of(network: Network) -> Any:
    """int32[:]: the numbers of a network whose values are discs or boxes."""
    stages = network.weights.reshape(len(network.floors) + 1, -1).copy()
    for stage in range(1, len(stages)):
        inherits = stages[stage] == 0
        stages[stage][inherits] = stages[stage - 1][inherits]
    records = np.zeros((len(network.masks), RECORD), np.int32)
    records[:, :4] = network.masks.view(np.int32).reshape(-1, 4)
    records[:, 4] = network.offsets[:-1]
    head = [NETWORK, len(records), len(network.floors), int(_in_grains(network.initial))]
    parts = (head, network.floors, records.ravel(), _in_grains(stages).ravel())
    return np.concatenate([np.asarray(each).astype(np.int32) for each in parts])


def _in_grains(values: Array | Real) -> Any:
    """Values in whole grains."""
    grains = np.rint(np.asarray(values, np.float64) * (100 << GRAIN_BITS))
    return np.clip(grains, -MOST, MOST)


@part
def _word(terms: Array, at: Array) -> Any:
    """The uint64 in two numbers."""
    return np.uint64(terms[at]) & LOW | np.uint64(terms[at + 1]) << HALF


@part
def worth(board: Grid, terms: Array) -> Any:
    """The margin still to come for the mover of a board, in hundredths, by a network's numbers."""
    images = symmetric(board)
    tuples, floors = np.int64(terms[1]), np.int64(terms[2])
    stage, reached = np.int64(0), np.int64(progress(board))
    for index in range(floors):
        stage += np.int64(reached >= terms[HEAD + index])
    at = HEAD + floors
    first = at + tuples * RECORD
    first += stage * ((len(terms) - first) // (floors + 1))
    total = np.int64(terms[3])
    for _ in range(tuples):
        masks = _word(terms, at), _word(terms, at + 2)
        table = np.uint64(first + terms[at + 4])
        for image in images:
            total += np.int64(terms[table + entry(image, masks)])
        at += RECORD
    return total >> GRAIN_BITS
