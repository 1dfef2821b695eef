"""The exact search of Othello endgames: principal variation search of all that is left.

Values are the mover's final margin in discs, fail-soft. Positions with few empty squares are left
to `endgame_last`.

Threads may search one position together: each marks what it searches, and leaves a move to what
another is searching for later, when its value may stand in the table (ABDADA, Weill 1996, in the
simpler form of Kerrigan).

Few replies first: what leaves the opponent the fewest moves is both likely good and soon searched.
Where much is left to search, a shallow look ahead sharpens the order: by the patterns that come
along, which leaves a third of the nodes, or by a rough evaluation where there are none.
"""

from typing import Any

import numpy as np

from players.compiled.bits import ONE, ZERO, lowest, popcount
from players.compiled.cache import kernel, part
from players.compiled.types import Int, Move, Word
from players.games.othello import endgame_memory as table
from players.games.othello.board import margin
from players.games.othello.endgame_last import NONE, can_move, few, odd_quadrants
from players.games.othello.endgame_memory import FOUND, LISTS, NO_MOVE, TWO, OthelloRoot, root_at
from players.games.othello.evaluation import by_patterns, stable
from players.games.othello.lines import bracketing, flips, neighbours

MOVE, STABLE, FRONTIER = 64, 64, 8
"""What the rough evaluation gives for a legal move (twice that where no disc can ever be turned),
a stable disc, and an empty square next to the other's discs."""

ODD, ANCHOR, EXPOSED = 16, 64, 2
"""What brings a move forward: a quadrant with an odd number of empty squares, an anchor; and what
holds it back: an empty square next to the mover's discs."""

DECIDED = 1000
"""The weight of a disc of a finished game, compared with all this."""

LOOK_AHEAD, PLIES_MORE = 12, 2
"""Empty squares from which moves are looked at further, and for each ply more."""

DEEPEST = 4
"""Plies of the deepest look."""

SLACK = 400
"""How much worse than the best a move has looked when it does not matter by how much."""

TRUST, MOST_TRUST = 4, 16
"""How many sixteenths of a look by patterns, in hundredths of a disc, count in a rank: when it is
no ply deep, then twice as many with each ply, and at most. A look by the rough evaluation has most.
"""

UNBOUNDED = np.int64(1 << 30)
"""Typed: called once with a literal and once without, a recursive kernel would be compiled twice,
and numba cannot link the two from its cache."""


@part
def weighted(moves: Word, fixed: OthelloRoot) -> Any:
    """The number of `moves`, anchors counted twice."""
    return np.int64(popcount(moves)) + np.int64(popcount(moves & fixed.anchors))


@kernel
def look_ahead(own: Word, other: Word, depth: int, low: int, high: int, work: Word) -> Any:
    """The estimated value for the mover, `depth` plies deep."""
    fixed = root_at(work)
    empties = fixed.playable & ~(own | other)
    moves = empties & (fixed.free | bracketing(own, other))
    if moves == ZERO:
        if not can_move(other, own, empties, fixed.free):
            return DECIDED * margin(own, other)
        return -look_ahead(other, own, depth, -high, -low, work)
    if depth == 0:
        if fixed.terms != ZERO:
            return by_patterns(own, other, fixed.playable, fixed.free, fixed.terms)
        replies = empties & (fixed.free | bracketing(other, own))
        value = MOVE * (weighted(moves, fixed) - weighted(replies, fixed))
        value += FRONTIER * margin(empties & neighbours(other), empties & neighbours(own))
        return value + STABLE * margin(stable(own, fixed.playable), stable(other, fixed.playable))
    best: Int = -UNBOUNDED
    while moves != ZERO:
        square, disc = lowest(moves), moves & (ZERO - moves)
        moves ^= disc
        turned = flips(square, own, other)
        after, mine = other ^ turned, own | turned | disc
        best = max(best, -look_ahead(after, mine, depth - 1, -high, -max(low, best), work))
        if best >= high:
            break
    return best


@part
def rank(after: Word, mine: Word, disc: Word, odd: Word, work: Word) -> Any:
    """How early to try a move `disc`; `odd` squares are in quadrants with an odd number."""
    fixed = root_at(work)
    empties = fixed.playable & ~(after | mine)
    replies = empties & (fixed.free | bracketing(after, mine))
    value = -MOVE * weighted(replies, fixed)
    value -= EXPOSED * np.int64(popcount(empties & neighbours(mine)))
    if disc & odd != ZERO:
        value += ODD
    if disc & fixed.anchors != ZERO:
        value += ANCHOR
    return value


FEW = 6
"""Positions with at most this many empty squares are searched without ranking their moves."""

TABLED = 8
"""From this many on they are kept in the table: fewer are searched as soon as found there."""

UNSTOPPABLE = 8
"""Positions with this many are searched to the end whatever the flag says: it takes no time."""

AHEAD = 12
"""From this many on, the table is first asked for all moves (enhanced transposition cut-off)."""

SHARED = 12
"""From this many on positions are marked while they are searched, where threads share a search."""

KNOWN = 1 << 40
"""Beyond every rank: the table's move comes first."""

SQUARE, LOW_BITS = np.uint64(63), np.uint64(6)
BASE = 1 << 50
"""Makes ranks positive, to be kept in words with the square below."""


@part
def is_stopped(left: Int, fixed: OthelloRoot) -> Any:
    return left > UNSTOPPABLE and table.load_shared(fixed.stop) != ZERO


@part
def list_moves(own: Word, other: Word, moves: Word, first: Word, left: Int, work: Word) -> Any:
    """Write each move's square and what it turns from `first` on, and have the table's entries of
    the positions after them fetched; where the list ends.
    """
    fixed, last = root_at(work), first
    while moves != ZERO:
        square, disc = lowest(moves), moves & (ZERO - moves)
        moves ^= disc
        turned = flips(square, own, other)
        if left > TABLED:
            there, _ = table.place(other ^ turned, own | turned | disc, fixed)
            table.fetch_ahead(there)
        table.store(work, last, square)
        table.store(work, last + ONE, turned)
        last += TWO
    return last


@part
def list_entry(place: Word, work: Word) -> tuple[Word, Word]:
    """A move's square, or rank and square, and what it turns."""
    return table.load(work, place), table.load(work, place + ONE)


@part
def rank_moves(
    own: Word, other: Word, first: Word, last: Word, known: Move, left: Int, work: Word
) -> None:
    """Write ranks before the squares of the moves from `first` to `last`."""
    fixed = root_at(work)
    odd = odd_quadrants(fixed.playable & ~(own | other), fixed)
    depth = min((left - LOOK_AHEAD) // PLIES_MORE, DEEPEST)
    trust = MOST_TRUST if fixed.terms == ZERO else min(TRUST << max(depth, 0), MOST_TRUST)
    best: Int = -UNBOUNDED
    for each in range(first, last, TWO):
        square, turned = list_entry(np.uint64(each), work)
        disc, order = ONE << square, np.int64(KNOWN)
        if square != known and last - first > TWO:
            after, mine = other ^ turned, own | turned | disc
            order = rank(after, mine, disc, odd, work)
            if left >= LOOK_AHEAD:
                looked = -look_ahead(after, mine, depth, -UNBOUNDED, SLACK - best, work)
                best = max(best, looked)
                order += looked * trust >> 4
        table.store(work, np.uint64(each), np.uint64(BASE + order) << LOW_BITS | square)


@part
def take_best(first: Word, last: Int, work: Word) -> Any:
    """Put the move at `first` in the place of the best-ranked one from there on; (the rank and
    square of that, what it turns).
    """
    best, top = first, table.load(work, first)
    each = first + TWO
    while each < last:
        ranked = table.load(work, each)
        if ranked > top:
            best, top = each, ranked
        each += TWO
    turned = table.load(work, best + ONE)
    table.store(work, best, table.load(work, first))
    table.store(work, best + ONE, table.load(work, first + ONE))
    return top, turned


@part
def is_searched(address: Word, mark: Word) -> bool:
    """Whether a thread has put its mark there."""
    return bool(table.load_shared(address) == mark)


@part
def set_mark(address: Word, mark: Word) -> None:
    table.store(address, ZERO, mark)


@kernel
def search(own: Word, other: Word, left: int, low: int, high: int, work: Word) -> Any:
    """The value with `left` empty squares; the second word of the work is then the move it rests
    on. Once the flag is set it means nothing, and is not kept.
    """
    table.count_node(work)
    fixed = root_at(work)
    if is_stopped(left, fixed):
        return 0
    if low >= 2 * left:
        lost = np.int64(popcount(stable(other, fixed.playable)))  # the opponent keeps them
        bound = np.int64(popcount(fixed.playable)) - 2 * lost
        if bound <= low:
            return bound

    bucket, tag = table.place(own, other, fixed)
    record = table.recall(own, other, bucket) if left >= TABLED else ZERO
    least, most, known = table.least_of(record), table.most_of(record), table.move_of(record)
    if least >= high or least == most:
        table.store(work, FOUND, known)
        return least
    if most <= low:
        return most
    low, high = max(low, least), min(high, most)

    empties = fixed.playable & ~(own | other)
    moves = empties & (fixed.free | bracketing(own, other))
    if moves == ZERO:
        if not can_move(other, own, empties, fixed.free):
            return margin(own, other)
        return -search(other, own, left, -high, -low, work)

    first = np.uint64(LISTS + left * (left - 1))
    last = list_moves(own, other, moves, first, left, work)
    if left >= AHEAD:
        for each in range(first, last, TWO):
            square, turned = list_entry(np.uint64(each), work)
            after, mine = other ^ turned, own | turned | ONE << square
            there, _ = table.place(after, mine, fixed)
            proven = -table.most_of(table.recall(after, mine, there))
            if proven > least:
                least, known = proven, square
            if least >= high:
                record = table.new_record(least, most, square, np.uint64(left), tag)
                table.keep(own, other, bucket, record, fixed)
                table.store(work, FOUND, square)
                return least
    rank_moves(own, other, first, last, known, left, work)

    low = max(low, least)
    best, best_move, floor = np.int64(NONE), NO_MOVE, low
    is_shared, there, mark = fixed.marks != ZERO and left > SHARED, ZERO, ZERO
    place: Any = first
    while place < last:
        ranked, turned = take_best(place, last, work)
        square = ranked & SQUARE
        after, mine = other ^ turned, own | turned | ONE << square
        if is_shared:
            there, mark = table.mark_of(after, mine, fixed)
            was_put_off = ranked == square
            if place != first and not was_put_off and is_searched(there, mark):
                table.store(work, place, square)  # of the lowest rank
                table.store(work, place + ONE, turned)
                continue
            set_mark(there, mark)
        narrow = best != NONE and high - floor > 1
        ceiling = floor + 1 if narrow else high
        value = np.int64(0)
        while True:
            if left - 1 <= FEW:
                value = -few(after, mine, -ceiling, -floor, work)
            else:
                value = -search(after, mine, left - 1, -ceiling, -floor, work)
            if ceiling == high or not floor < value < high:
                break
            ceiling = high
        if is_shared and is_searched(there, mark):
            set_mark(there, ZERO)
        if value > best:
            best, best_move = value, square
            if value >= high:
                break
            floor = max(floor, value)
        place += TWO
    if is_stopped(left, fixed):
        return 0
    if best <= low and known != NO_MOVE:
        best_move = known  # which proved `least`
    if best > low:
        least = max(least, best)
    if best < high:
        most = min(most, best)
    if left >= TABLED:
        record = table.new_record(least, most, best_move, np.uint64(left), tag)
        table.keep(own, other, bucket, record, fixed)
    table.store(work, FOUND, best_move)
    return best
