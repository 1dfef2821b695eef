"""The last slide of all lines from one afterstate, by far the most of a search's work.

Where nothing lies between two empty cells of a lane, a slide along it makes one board of a tile on
either: such boards are valued once. And the weights of all boards are asked for before the first is
summed up, as memory is slow and answers many questions at a time.
"""

import numpy as np

from players.compiled.bits import ONE, ZERO, lowest, popcount
from players.compiled.cache import part
from players.compiled.prefetch import prefetch
from players.games.tiles.interface import SLIDES, placed, pushed
from players.ntuple.board import entry, of_words, transposed, words
from players.ntuple.network import Network, stage_offset, symmetric, value
from players.search.expectimax.settings import NO_LEAF, TILES, TileSettings
from players.search.types import Int, Record, Tiles, Word

LANES = 4
"""A board has that many in either direction, of that many cells."""


@part
def value_placements(after: Tiles, cells: Word, settings: TileSettings, scratch: Record) -> None:
    """Write to `worths` what each tile on each of `cells` is worth with one more slide."""
    count = _list_leaves(after, cells, settings, scratch)
    leaves = scratch.leaves
    for leaf in range(count):
        board = of_words(after, leaves[leaf, 0], leaves[leaf, 1])
        scratch.values[leaf] = value(board, settings.network)
    scratch.nodes += np.int64(popcount(cells)) * TILES
    while cells != ZERO:
        cell = np.int64(lowest(cells))
        cells &= cells - ONE
        for tile in range(TILES):
            best = -np.inf
            for slide in range(SLIDES):
                leaf = scratch.leaf_of[cell, tile, slide]
                if leaf != NO_LEAF:
                    best = max(best, scratch.gains[cell, tile, slide] + scratch.values[leaf])
            scratch.worths[1, cell, tile] = best if best > -np.inf else 0.0


@part
def _list_leaves(after: Tiles, cells: Word, settings: TileSettings, scratch: Record) -> Int:
    """Fill `leaves`, `leaf_of` and `gains`, lane by lane; how many leaves there are."""
    laws, count = settings.laws, 0
    side = transposed(after)
    for tile in range(TILES):
        index = laws.common if tile == 0 else laws.rare
        for slide in range(SLIDES):
            sideways = slide < 2
            start = side if sideways else after  # the network values both alike
            table = laws.left if slide & 1 == 0 else laws.right
            for lane in range(LANES):
                first = count
                for step in range(LANES):
                    place, other = np.uint64(LANES * lane + step), np.uint64(LANES * step + lane)
                    cell = other if sideways else place
                    if cells >> cell & ONE == ZERO:
                        continue
                    board, changed, reward = pushed(placed(start, place, index), table)
                    leaf = NO_LEAF
                    if changed:
                        upper, lower = words(board)
                        leaf = count - 1
                        if (
                            count == first
                            or scratch.leaves[leaf, 0] != upper
                            or scratch.leaves[leaf, 1] != lower
                        ):
                            scratch.leaves[count, 0], scratch.leaves[count, 1] = upper, lower
                            _fetch(board, settings.network)
                            leaf, count = count, count + 1
                    scratch.leaf_of[cell, tile, slide] = leaf
                    scratch.gains[cell, tile, slide] = np.float64(reward)
    return count


@part
def _fetch(board: Tiles, network: Network) -> None:
    """Have the processor fetch the board's weights."""
    first = stage_offset(board, network)
    a, b, c, d, e, f, g, h = symmetric(board)
    weights = network.weights
    for index in range(len(network.masks)):
        at, mask = np.uint64(first + network.offsets[index]), network.masks[index]
        prefetch(weights, np.int64(at + entry(a, mask)))
        prefetch(weights, np.int64(at + entry(b, mask)))
        prefetch(weights, np.int64(at + entry(c, mask)))
        prefetch(weights, np.int64(at + entry(d, mask)))
        prefetch(weights, np.int64(at + entry(e, mask)))
        prefetch(weights, np.int64(at + entry(f, mask)))
        prefetch(weights, np.int64(at + entry(g, mask)))
        prefetch(weights, np.int64(at + entry(h, mask)))
