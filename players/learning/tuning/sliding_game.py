"""Whole games of the heuristic player of 2048 and 2584 in one kernel.

A search of a few hundred boards takes some microseconds: going back to Python after each, and
through the rules, would take ten times as long, and hold back the other threads. A game is the one
that players of `players.heuristic` would play, as the tests show move by move.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from players.compiled.bits import ONE, ZERO, draw, is_set, lowest
from players.compiled.cache import bare_kernel, bare_part
from players.games.tiles.interface import SLIDES, UNIT, empty, slid, spawned
from players.ntuple.board import words
from players.search.heuristic.deepening import deepen
from players.search.heuristic.search import Context, play

CHANCE, TILE, CELL = range(3)
"""Who places: chance, a player, or a player who chooses the cell while chance draws the tile."""

ABORTED = -1
"""The score of a game that was not played to its end."""


class Seat(NamedTuple):
    """One player as the kernel reads it."""

    contexts: tuple[Context, Context]
    """That of the first slide ahead, which nothing stops, and that of all others."""
    depth: int
    nodes: int
    """The limits of a search."""


_deepen, _play = bare_part(deepen.py_func), bare_part(play.py_func)
"""As parts of a bare kernel: they pass tuples of arrays on."""


@bare_part
def _choose(board: Any, choices: Any, count: Any, is_slider: Any, seat: Any, scratch: Any) -> Any:
    """The choice that the player makes."""
    if count == 1:
        return np.int64(0)
    _deepen(board, choices, count, is_slider, seat.depth, seat.nodes, seat.contexts, scratch)
    return np.int64(scratch.choice)


@bare_part
def _slides(board: Any, laws: Any, choices: Any) -> Any:
    """Write the legal slides; their number."""
    count = np.int64(0)
    for slide in range(SLIDES):
        if slid(board, slide, laws)[1]:
            choices.moves[count, 0], choices.chance[count] = slide, 0.0
            count += 1
    return count


@bare_part
def _placements(board: Any, laws: Any, placer: Any, choices: Any) -> Any:
    """Write what may be placed; the number."""
    count, cells = np.int64(0), empty(board)
    while cells != ZERO:
        move = SLIDES + 2 * np.int64(lowest(cells))
        cells &= cells - ONE
        if placer == CELL:
            choices.moves[count, 0], choices.moves[count, 1] = move, move + 1
            choices.chance[count] = 1.0 - laws.share
            count += 1
        else:
            for kind in range(2):
                choices.moves[count, 0], choices.chance[count] = move + kind, 0.0
                count += 1
    return count


@bare_part
def _write(record: Any, count: Any, board: Any, move: Any) -> None:
    """Keep a decision, while there is room."""
    if count < len(record):
        record[count, 0], record[count, 1] = words(board)
        record[count, 2] = np.uint64(move)


@bare_kernel
def play_game(
    board: Any,
    placer: Any,
    seats: Any,
    scratches: Any,
    choices: Any,
    random: Any,
    stop: Any,
    record: Any,
) -> Any:
    """Play from `board`, the slider to move, to the end; the slider's score, or ABORTED once `stop`
    is set.

    `seats` and `scratches` are the slider's and the placer's, of whom chance has no need. `random`
    is the state of the random numbers, uint64[1]; `choices` is for the kernel's own use. The first
    decisions, as many as there is room for, are written to `record`, uint64[n, 3]: the board as
    words, and the move that was made, or the first that a cell stands for.
    """
    laws = seats[0].contexts[0].heuristic.laws
    state, score, decisions = random[0], ZERO, np.int64(0)
    while True:
        count = _slides(board, laws, choices)
        if count == 0:
            return np.int64(score)
        slide = choices.moves[_choose(board, choices, count, True, seats[0], scratches[0]), 0]
        if is_set(stop):
            return np.int64(ABORTED)
        _write(record, decisions, board, slide)
        decisions += 1
        board, _, reward = slid(board, np.int64(slide), laws)
        score += reward
        if placer == CHANCE:
            board, state = spawned(board, laws, state)
            continue
        count = _placements(board, laws, placer, choices)
        choice = _choose(board, choices, count, False, seats[1], scratches[1])
        if is_set(stop):
            return np.int64(ABORTED)
        move = np.int64(choices.moves[choice, 0])
        _write(record, decisions, board, move)
        decisions += 1
        if placer == CELL:
            state, bits = draw(state)
            move += np.int64(np.float64(bits) * UNIT >= laws.share)
        board, _ = _play(board, move, laws)
