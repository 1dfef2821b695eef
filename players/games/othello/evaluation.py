"""The value of an Othello position before its end: by patterns, features or a network."""

from typing import Any, NamedTuple

import numpy as np

from players.compiled.bits import ONE, ZERO, packed, popcount
from players.compiled.cache import answers, part
from players.compiled.types import Array, Int, Move, Word
from players.games import interface as game
from players.games.json_fields import members, rows_of, whole
from players.games.othello.board import OthelloBits, legal, margin
from players.games.othello.lines import neighbours
from players.games.othello.patterns import (
    ENTRIES,
    FILLED,
    canonical_entries,
    move_sum,
    number_at,
    pattern_sum,
    pattern_sum_after,
    write_fillings,
)
from players.ntuple import board as network
from players.ntuple.as_terms import NETWORK, worth
from players.ntuple.board import diagonal, left_to_right, upside_down, view

CLASSIC, PATTERNS = 0, 1
"""The first of an evaluation's numbers: what the others are."""

PHASES, PHASE_MOVES = 12, 5
"""Patterns have numbers of their own for each phase of five moves; the last is phase 0."""

SCALARS = 6
"""Numbers of a phase before those of its patterns: for a move of the mover, a move of the other, an
empty square next to the other's discs, one next to the mover's, for having the move, and for having
it with an odd number of empty squares."""

PHASE_WORDS = SCALARS + (ENTRIES + 1) // 2
"""32-bit words of a phase: its scalars, and two numbers of its patterns each."""

FEATURES = ("stable", "mobility", "frontier", "parity")
"""Features of the classic evaluation before its squares: discs that can never turn; legal moves;
discs next to empty squares; the last move of the game, if all squares are filled."""

QUARTER = 4
"""Squares are valued by a quarter of the 8×8 board, of which smaller boards use the corner."""

FEATURE_TERMS = len(FEATURES) + QUARTER * QUARTER


@answers(game.evaluate, OthelloBits)
def _evaluate(position: OthelloBits, terms: Array) -> Any:
    own, other, _, playable, free = position
    if terms[0] == PATTERNS:
        score = by_patterns(own, other, playable, free, np.uint64(terms.ctypes.data))
    elif terms[0] == NETWORK:
        score = worth(view(position), terms)
    else:
        score = by_features(own, other, playable, free, terms)
    return min(max(score, -game.LIMIT), game.LIMIT)


@part
def left(own: Word, other: Word, playable: Word) -> Any:
    return np.int64(popcount(playable & ~(own | other)))


@part
def phase_of(own: Word, other: Word, playable: Word) -> Any:
    return min(max(left(own, other, playable) - 1, 0) // PHASE_MOVES, PHASES - 1)


@part
def both_moves(own: Word, other: Word, playable: Word, free: Word) -> Any:
    """The moves of the mover, and those that the other would have."""
    return legal(own, other, playable, free), legal(other, own, playable, free)


@part
def scalars(own: Word, other: Word, moves: Word, replies: Word, playable: Word) -> Any:
    """The factors of the first four of the SCALARS."""
    empty = playable & ~(own | other)
    return (
        np.int64(popcount(moves)),
        np.int64(popcount(replies)),
        np.int64(popcount(empty & neighbours(other))),
        np.int64(popcount(empty & neighbours(own))),
    )


@part
def by_moves(own: Word, other: Word, playable: Word, free: Word, terms: Word) -> Any:
    """What the SCALARS and the patterns of moves say, by the terms at that address; the address of
    the patterns' numbers.
    """
    start = 1 + phase_of(own, other, playable) * PHASE_WORDS
    moves, replies = both_moves(own, other, playable, free)
    first, second, third, fourth = scalars(own, other, moves, replies, playable)
    score = first * number_at(terms, start) + second * number_at(terms, start + 1)
    score += third * number_at(terms, start + 2) + fourth * number_at(terms, start + 3)
    score += number_at(terms, start + 4)
    score += (left(own, other, playable) & 1) * number_at(terms, start + 5)
    numbers = terms + np.uint64(4 * (start + SCALARS))
    return score + move_sum(own, other, moves, replies, numbers), numbers


@part
def by_patterns(own: Word, other: Word, playable: Word, free: Word, terms: Word) -> Any:
    """By the terms at that address."""
    score, numbers = by_moves(own, other, playable, free, terms)
    return score + pattern_sum(own, diagonal(own), other, diagonal(other), numbers)


@answers(game.outline, OthelloBits)
def _outline(position: OthelloBits, terms: Array, out: Array) -> None:
    if terms[0] == PATTERNS:
        own, other = position.own, position.other
        write_fillings(other, diagonal(other), own, diagonal(own), np.uint64(out.ctypes.data))


@answers(game.evaluate_after, OthelloBits)
def _evaluate_after(
    position: OthelloBits, move: Move, child: OthelloBits, drawn: Array, terms: Array
) -> Any:
    own, other, seat, playable, free = child
    new = (own | other) ^ (position.own | position.other)
    if terms[0] != PATTERNS or seat == position.seat or new != ONE << np.uint64(move):
        return game.evaluate(child, terms)
    score, numbers = by_moves(own, other, playable, free, np.uint64(terms.ctypes.data))
    turned = position.other & ~own
    score += pattern_sum_after(np.uint64(drawn.ctypes.data), np.uint64(move), turned, numbers)
    return min(max(score, -game.LIMIT), game.LIMIT)


RIMS = (0x8181818181818181, 0xFF000000000000FF, 0xFF818181818181FF, 0xFF818181818181FF)
RIM_OF_AXIS = tuple(np.uint64(rim) for rim in RIMS)
"""The squares that end a line: of a row, a column, a falling and a rising diagonal."""
STEP_OF_AXIS = tuple(np.uint64(step) for step in (1, 8, 9, 7))


@part
def stable(own: Word, playable: Word) -> Any:
    """Discs that can never turn: all their lines end on one side in the rim or such a disc."""
    found = ZERO
    while True:
        wall, safe = ~playable | found, own
        for axis in range(4):
            step = STEP_OF_AXIS[axis]
            safe &= RIM_OF_AXIS[axis] | (wall << step) | (wall >> step)
        if safe == found:
            return found
        found = safe


def _quarters() -> Any:
    """uint64[3, 16]: on boards of 4, 6 and 8 the squares each square of the quarter stands for."""
    masks = np.zeros((3, QUARTER * QUARTER), np.uint64)
    for index, size in enumerate((4, 6, 8)):
        for square in range(64):
            row, column = (min(line, size - 1 - line) for line in divmod(square, 8))
            if min(row, column) >= 0:
                masks[index, QUARTER * row + column] |= np.uint64(1 << square)
    return masks


QUARTERS = _quarters()


@part
def quarters_of(playable: Word) -> Any:
    squares = np.int64(popcount(playable))
    return 0 if squares <= 16 else (1 if squares <= 36 else 2)


@part
def features(own: Word, other: Word, playable: Word, free: Word) -> Any:
    """The mover's FEATURES less the other's."""
    empty = playable & ~(own | other)
    return (
        margin(stable(own, playable), stable(other, playable)),
        margin(legal(own, other, playable, free), legal(other, own, playable, free)),
        margin(own & neighbours(empty), other & neighbours(empty)),
        2 * np.int64(popcount(empty) & ONE) - 1,
    )


@part
def by_features(own: Word, other: Word, playable: Word, free: Word, terms: Array) -> Any:
    """The features and squares, at values that move from opening to end with the filling."""
    opening, end = np.int64(0), np.int64(0)
    index = 1
    for feature in features(own, other, playable, free):
        opening += terms[index] * feature
        end += terms[index + FEATURE_TERMS] * feature
        index += 1
    masks = QUARTERS[quarters_of(playable)]
    for square in range(QUARTER * QUARTER):
        surplus = margin(own & masks[square], other & masks[square])
        opening += terms[index + square] * surplus
        end += terms[index + square + FEATURE_TERMS] * surplus
    empty = left(own, other, playable)
    squares = np.int64(popcount(playable))
    return np.int64((opening * empty + end * (squares - empty)) / squares)


SPREADS = ((230.0, 13.5), (270.0, 11.0))
"""An estimate of a + b·(empty squares) means odds of e to 1: (a, b) with corners and without, by
maximum likelihood on positions of self-play."""


@answers(game.expectation, OthelloBits)
def _expectation(position: OthelloBits, value: Int) -> Any:
    own, other, _, playable, _ = position
    base, slope = SPREADS[0] if playable & ONE != ZERO else SPREADS[1]
    return 1.0 / (1.0 + np.exp(-value / (base + slope * left(own, other, playable))))


def from_patterns(scalars: Array, patterns: Array) -> Any:
    """int32[:]: the terms, from int[PHASES, SCALARS] and int[PHASES, ENTRIES] of int16's range;
    older files lack the last of each.
    """
    if scalars.shape == (PHASES, SCALARS - 1):
        scalars = np.pad(scalars, ((0, 0), (0, 1)))
    if patterns.shape == (PHASES, FILLED):
        patterns = np.pad(patterns, ((0, 0), (0, ENTRIES - FILLED)))
    for name, table, columns in (("scalars", scalars, SCALARS), ("patterns", patterns, ENTRIES)):
        if table.shape != (PHASES, columns) or table.dtype.kind != "i":
            found = f"{table.dtype} of the shape {table.shape}"
            raise ValueError(f"{name} must be integers of the shape {(PHASES, columns)}: {found}")
    short = np.iinfo(np.int16)
    beyond = patterns[(patterns < short.min) | (patterns > short.max)]
    if len(beyond):
        raise ValueError(f"patterns must be from {short.min} to {short.max}, got {beyond[0]}")
    words = np.zeros((PHASES, 2 * (PHASE_WORDS - SCALARS)), np.int16)
    words[:, :ENTRIES] = patterns[:, canonical_entries()]
    phases = np.hstack([scalars.astype(np.int32), words.view(np.int32)])
    return np.concatenate([np.array([PATTERNS], np.int32), phases.ravel()])


def from_features(content: Any) -> Any:
    """int32[:]: the terms of the classic evaluation, from `{"opening": values, "end": values}`."""
    stages = members(content, ("opening", "end"), "features")
    terms = [CLASSIC]
    for stage, values in stages.items():
        values = members(values, (*FEATURES, "squares"), stage)
        terms += [whole(values[name], f"{stage}: {name}") for name in FEATURES]
        place = f"{stage}: squares"
        for row in rows_of(values["squares"], QUARTER, place):
            terms += [whole(value, place) for value in rows_of(row, QUARTER, place)]
    return np.array(terms, np.int32)


LONGEST_TUPLE = 12
"""Squares of a tuple at most."""


class OthelloView(NamedTuple):
    """Discs by their owner, as n-tuple networks see them."""

    own: Word
    other: Word
    gap: Word
    """By how many rows the board is smaller than 8×8."""


def _ternary() -> Any:
    """uint32[2^LONGEST_TUPLE]: the bits of a number read as digits in base three."""
    numbers = np.arange(1 << LONGEST_TUPLE, dtype=np.uint32)
    digits = (
        (numbers >> np.uint32(bit) & np.uint32(1)) * np.uint32(3**bit)
        for bit in range(LONGEST_TUPLE)
    )
    return sum(digits, np.zeros_like(numbers))


TERNARY = _ternary()


@answers(view, OthelloBits)
def _view(position: OthelloBits) -> OthelloView:
    gap = np.uint64(4 - 2 * quarters_of(position.playable))
    return OthelloView(position.own, position.other, gap)


@answers(network.transposed, OthelloView)
def _transposed(board: OthelloView) -> OthelloView:
    return OthelloView(diagonal(board.own), diagonal(board.other), board.gap)


@answers(network.flipped, OthelloView)
def _flipped(board: OthelloView) -> OthelloView:
    gap = board.gap
    return OthelloView(upside_down(board.own, gap), upside_down(board.other, gap), gap)


@answers(network.mirrored, OthelloView)
def _mirrored(board: OthelloView) -> OthelloView:
    gap = board.gap
    return OthelloView(left_to_right(board.own, gap), left_to_right(board.other, gap), gap)


@answers(network.entry, OthelloView)
def _entry(board: OthelloView, masks: Array) -> Word:
    own, other = packed(board.own, masks[0]), packed(board.other, masks[0])
    return np.uint64(TERNARY[own]) + (np.uint64(TERNARY[other]) << ONE)


@answers(network.progress, OthelloView)
def _progress(board: OthelloView) -> Word:
    return popcount(board.own | board.other)


@answers(network.of_words, OthelloView)
def _of_words(board: OthelloView, first: Word, second: Word) -> OthelloView:
    return OthelloView(first, second, board.gap)
