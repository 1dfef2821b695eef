"""The settings of a search of 2048 and 2584, and its working memory."""

from typing import NamedTuple

import numpy as np

from players.compiled.bits import ZERO, mix
from players.compiled.cache import part
from players.compiled.pages import zeros
from players.games.tiles.interface import CELLS, SLIDES, Laws, ceiling_of
from players.ntuple.board import words
from players.ntuple.network import Network
from players.options import DEEPEST_NETWORK, TileMethod
from players.search.types import Array, Int, Record, Tiles, Word

MEAN, WORST, WORST_CELL = 0, 1, 2
"""What an afterstate is worth to the slider: the mean over what chance may place; the least over
cells and tiles; the least over cells, with the tile drawn by chance."""

TILES = 2
"""Either tile can be placed: the common one, 0, and the rare one, 1."""

NO_LEAF = -1

GAP_BITS = np.uint64(48)
"""`gaps` take no more: from 32,768 down to 16 there are 12."""

ENTRY_BYTES = 16
"""Of the table."""


class WorthTable(NamedTuple):
    """The values of afterstates at a depth: one entry a place, the last to come."""

    keys: Array
    """uint64[entries]: the `table_key` of each entry, 0 for none."""
    values: Array
    """float64[entries]."""


class TileSettings(NamedTuple):
    laws: Laws
    network: Network
    table: WorthTable
    """Of this game and these settings alone."""
    kind: np.int64
    """MEAN, WORST or WORST_CELL."""
    popup: np.int64
    """That many empty cells of an afterstate are looked at, 16 for all (limit-popup)."""
    seed: np.uint64
    """Draws these cells."""
    rate: np.float64
    """The worst rate of star pruning; 0 for none."""
    ceiling: np.uint64
    """Of `gaps`."""


LEAVES = CELLS * TILES * SLIDES
"""More afterstates than the placements on one board can lead to."""

Scratch = np.dtype(
    [
        ("ranks", np.float64, (DEEPEST_NETWORK + 1, SLIDES)),  # of slides yet to search, by depth
        ("worths", np.float64, (DEEPEST_NETWORK + 1, CELLS, TILES)),  # of placements, by depth
        ("gains", np.float64, (CELLS, TILES, SLIDES)),  # the rewards after placements
        ("leaf_of", np.int64, (CELLS, TILES, SLIDES)),  # which leaf they lead to, or NO_LEAF
        ("leaves", np.uint64, (LEAVES, 2)),  # afterstates valued together, as words
        ("values", np.float64, LEAVES),
        ("gaps", np.uint64),  # by which boards are downgraded for the network
        ("nodes", np.int64),  # positions with the slider to move that were looked at
        ("stopped", np.int64),  # not 0 once stopped: then the result of the search means nothing
    ],
    align=True,
)
"""What a search writes as it goes. A record, as it is one pointer to hand down; depths are slides
still to look ahead."""


def new_scratch() -> Record:
    """The record of a search that has not begun."""
    return np.zeros(1, Scratch)[0]


def make_settings(
    laws: Laws,
    network: Network,
    *,
    method: TileMethod = "expectimax",
    draws_tile: bool = False,
    popup: int | None = None,
    rate: float = 0.0,
    memory_mb: int = 0,
    seed: int = 0,
    ceiling: int = 0,
) -> TileSettings:
    """`draws_tile`: whether chance draws the tile for a minimax placer's cell; `ceiling`: the tile
    of 2048 from which on boards are downgraded, 0 for none.
    """
    worst = WORST_CELL if draws_tile else WORST
    entries = memory_mb * 1_000_000 // ENTRY_BYTES
    return TileSettings(
        laws,
        network,
        WorthTable(zeros(entries), zeros(entries).view(np.float64)),
        np.int64(MEAN if method == "expectimax" else worst),
        np.int64(CELLS if popup is None else popup),
        np.uint64(seed),
        np.float64(rate),
        ceiling_of(ceiling),
    )


@part
def table_key(after: Tiles, left: Int, gaps: Word) -> Word:
    """A hash of an afterstate, of how many slides are still to be looked ahead, and of `gaps`."""
    first, second = words(after)
    return np.uint64(mix(mix(mix(ZERO, first), second), np.uint64(left) << GAP_BITS | gaps))
