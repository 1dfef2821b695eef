"""Expectimax, minimax and their prunings as one recursion over 2048 and 2584.

An afterstate is worth the mean, or the least, of the boards that placements make of it; a board the
most of reward and afterstate over its slides, 0 without one; the last afterstate of a line what the
network says.

Values have a window, as in alpha-beta, by which minimax cuts without loss. With star pruning (S24
of the course notes) a mean so far that is at or below the worst rate of the best slide stands for
the whole mean.

The last slide of all lines is by far the most of the work. Where nothing is between two empty
cells of a lane, a slide along it makes one board of a tile on either: such boards are valued once.
And the weights of all boards are asked for before the first is summed up, as memory is slow.
"""

import numpy as np

from players.compiled.bits import ONE, ZERO, below, draw, is_set, lowest, nth_bit, popcount
from players.compiled.cache import bare_kernel, part
from players.compiled.prefetch import prefetch
from players.games.tiles.interface import SLIDES, downgraded, empty, gaps, placed, pushed, slid
from players.ntuple.board import entry, of_words, transposed, words
from players.ntuple.network import Network, stage_offset, symmetric, value
from players.search.expectimax import settings as kinds
from players.search.expectimax.settings import TileSettings
from players.search.types import Array, Flag, Int, Real, Record, Tiles, Word

LEAST, MOST = -np.inf, np.inf
LANES = 4
"""A board has that many in either direction, of that many cells."""


@bare_kernel
def slide_worths(
    board: Tiles,
    slides: Array,
    depth: int,
    settings: TileSettings,
    stop: Flag,
    scratch: Record,
    out: Array,
) -> int:
    """Write what each of `slides` (int64, legal, the likely best first) is worth, `depth` slides
    ahead, to `out` (float64); how many were finished before `stop` was set. The boards that end
    lines are valued by the `gaps` of this one.
    """
    best = LEAST
    scratch.gaps = gaps(board, settings.ceiling)
    scratch.nodes += 1
    for index in range(len(slides)):
        after, _changed, reward = slid(board, slides[index], settings.laws)
        gain = np.float64(reward)
        least = floor_next_to(best, LEAST, settings)
        out[index] = gain + seen_value(after, settings, scratch)
        if depth > 1 and (settings.kind != kinds.MEAN or out[index] >= least):
            worth = afterstate_worth(after, depth - 1, least - gain, MOST, settings, stop, scratch)
            if scratch.stopped:
                return index
            out[index] = gain + worth
        best = max(best, out[index])
    return len(slides)


@bare_kernel
def placement_worths(
    board: Tiles,
    cells: Array,
    tiles: Array,
    depth: int,
    settings: TileSettings,
    stop: Flag,
    scratch: Record,
    out: Array,
) -> int:
    """The same of placements, the likely worst for the slider first: on `cells` (uint64) the tile
    of index `tiles` (uint64), or that which chance draws for 0. The settings are minimax's.
    """
    lowest = MOST
    scratch.gaps = ZERO
    for index in range(len(cells)):
        cell, tile = cells[index], tiles[index]
        if tile == np.uint64(0):
            share, worth = settings.laws.share, 0.0
            for common in (True, False):
                drawn = settings.laws.common if common else settings.laws.rare
                after = _board_worth(
                    placed(board, cell, drawn), depth, MOST, settings, stop, scratch
                )
                worth += after * (share if common else 1.0 - share)
        else:
            high = lowest if settings.kind == kinds.WORST else MOST
            worth = _board_worth(placed(board, cell, tile), depth, high, settings, stop, scratch)
        if scratch.stopped:
            return index
        out[index] = worth
        lowest = min(lowest, worth)
    return len(cells)


@part
def _board_worth(
    board: Tiles, depth: int, ceiling: Real, settings: TileSettings, stop: Flag, scratch: Record
) -> Real:
    best = LEAST
    scratch.nodes += 1
    for slide in range(SLIDES):
        after, changed, reward = slid(board, slide, settings.laws)
        if not changed:
            continue
        gain = np.float64(reward)
        if depth == 1:
            worth = seen_value(after, settings, scratch)
        else:
            worth = afterstate_worth(
                after, depth - 1, best - gain, ceiling - gain, settings, stop, scratch
            )
        best = max(best, gain + worth)
        if best >= ceiling or scratch.stopped:
            break
    return best if best > LEAST else 0.0


@bare_kernel
def afterstate_worth(
    after: Tiles,
    left: int,
    floor: float,
    ceiling: float,
    settings: TileSettings,
    stop: Flag,
    scratch: Record,
) -> float:
    """What an afterstate is worth with `left` ≥ 1 more slides looked ahead; once `stop` is set,
    which sets `scratch.stopped`, the value is meaningless.
    """
    if is_set(stop):
        scratch.stopped = 1
        return 0.0
    table, laws, cells = settings.table, settings.laws, empty(after)
    is_kept, pops = len(table.keys) > 0, popcount(cells) > np.uint64(settings.popup)
    key = kinds.table_key(after, left, scratch.gaps) if is_kept or pops else ZERO
    place = np.int64(below(key, np.uint64(len(table.keys)))) if is_kept else np.int64(0)
    if is_kept and table.keys[place] == key:
        return float(table.values[place])
    if pops:
        cells = popped(cells, key, settings)
    if left == 1:
        value_placements(after, cells, settings, scratch)

    worths, ranks = scratch.worths[left], scratch.ranks[left]
    so_far: float = MOST
    count = 0
    while cells != ZERO:
        cell = lowest(cells)
        cells &= cells - ONE
        for tile in range(kinds.TILES):
            if left == 1:
                continue
            low, high = LEAST, MOST
            if settings.kind == kinds.WORST:
                low, high = floor, min(ceiling, so_far)
            board = placed(after, cell, laws.common if tile == 0 else laws.rare)
            scratch.nodes += 1
            rank_slides(board, ranks, settings, scratch)
            best = LEAST
            for _ in range(SLIDES):
                slide = np.argmax(ranks)
                rank, least = ranks[slide], floor_next_to(best, low, settings)
                if rank == LEAST or best >= high or (settings.kind == kinds.MEAN and rank < least):
                    break
                ranks[slide] = LEAST
                child, _changed, reward = slid(board, slide, laws)
                gain = np.float64(reward)
                worth = afterstate_worth(
                    child, left - 1, least - gain, high - gain, settings, stop, scratch
                )
                if scratch.stopped:
                    return 0.0
                best = max(best, gain + worth)
            worths[cell, tile] = best if best > LEAST else 0.0
        so_far = together(worths[cell, 0], worths[cell, 1], so_far, count, settings)
        count += 1
        if so_far <= floor and cells != ZERO:
            return so_far
    if is_kept and floor < so_far < ceiling:
        table.keys[place], table.values[place] = key, so_far
    return so_far


@part
def seen_value(after: Tiles, settings: TileSettings, scratch: Record) -> Real:
    """What the network says of an afterstate, as the search sees it."""
    worth: Real = value(downgraded(after, scratch.gaps), settings.network)
    return worth


@part
def rank_slides(board: Tiles, ranks: Array, settings: TileSettings, scratch: Record) -> None:
    """Rank the slides of a board: by the network, where cutting off asks for the best first."""
    ordered = settings.kind != kinds.MEAN or settings.rate > 0.0
    for slide in range(SLIDES):
        after, changed, reward = slid(board, slide, settings.laws)
        ranks[slide] = 0.0 if changed else LEAST
        if changed and ordered:
            ranks[slide] = np.float64(reward) + seen_value(after, settings, scratch)


@part
def floor_next_to(best: Real, floor: Real, settings: TileSettings) -> Real:
    """The value that a slide must exceed to matter, next to one worth `best`."""
    if settings.kind != kinds.MEAN:
        return max(floor, best)
    return best * settings.rate if best > 0.0 and settings.rate > 0.0 else LEAST


@part
def popped(cells: Word, key: Word, settings: TileSettings) -> Word:
    """The cells to look at, drawn by the seed and the key alone: an afterstate has one worth."""
    state, count = key ^ settings.seed, popcount(cells)
    while count > np.uint64(settings.popup):
        state, bits = draw(state)
        cells ^= nth_bit(cells, below(bits, count))
        count -= ONE
    return cells


@part
def together(common: Real, rare: Real, so_far: Real, count: Int, settings: TileSettings) -> Real:
    """The worth of an afterstate after `count` cells, `so_far`, and one more."""
    share = settings.laws.share
    if settings.kind == kinds.WORST:
        return min(so_far, min(common, rare))
    mean: Real = share * common + (1.0 - share) * rare
    if settings.kind == kinds.WORST_CELL:
        return min(so_far, mean)
    return mean if count == 0 else so_far + (mean - so_far) / (count + 1)


@part
def value_placements(after: Tiles, cells: Word, settings: TileSettings, scratch: Record) -> None:
    """Write to `worths` what each tile on each of `cells` is worth with one more slide."""
    count = _list_leaves(after, cells, settings, scratch)
    leaves = scratch.leaves
    for leaf in range(count):
        board = of_words(after, leaves[leaf, 0], leaves[leaf, 1])
        scratch.values[leaf] = value(board, settings.network)
    scratch.nodes += np.int64(popcount(cells)) * kinds.TILES
    while cells != ZERO:
        cell = np.int64(lowest(cells))
        cells &= cells - ONE
        for tile in range(kinds.TILES):
            best = LEAST
            for slide in range(SLIDES):
                leaf = scratch.leaf_of[cell, tile, slide]
                if leaf != kinds.NO_LEAF:
                    best = max(best, scratch.gains[cell, tile, slide] + scratch.values[leaf])
            scratch.worths[1, cell, tile] = best if best > LEAST else 0.0


@part
def _list_leaves(after: Tiles, cells: Word, settings: TileSettings, scratch: Record) -> Int:
    """Fill `leaves`, `leaf_of` and `gains`, lane by lane; how many leaves there are."""
    laws, count = settings.laws, 0
    side = transposed(after)
    for tile in range(kinds.TILES):
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
                    leaf = kinds.NO_LEAF
                    if changed:
                        board = downgraded(board, scratch.gaps)
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
    first = stage_offset(board, network)
    images = symmetric(board)
    for index in range(len(network.masks)):
        at, mask = np.uint64(first + network.offsets[index]), network.masks[index]
        for image in images:
            prefetch(network.weights, np.int64(at + entry(image, mask)))
