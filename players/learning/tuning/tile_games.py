"""Whole games of the heuristic player of 2048 and 2584 in one kernel.

Going back to Python after each move, and through the rules, would take ten times as long, and hold
back the other threads. A game is the one that players of `players.heuristic` play, move by move.
"""

from random import Random
from typing import NamedTuple

import numpy as np

import rules as rule_sets
from players.compiled.bits import ONE, UNIT, ZERO, draw, is_set, lowest
from players.compiled.cache import bare_kernel, bare_part
from players.games.tiles.boards import TileBoard
from players.games.tiles.heuristic import make_heuristic
from players.games.tiles.interface import SLIDES, Laws, empty, slid, spawned
from players.heuristic import HeuristicOptions
from players.learning.tuning.matches import Aborted, Contestant, MatchTask, PlayedGame, both_slide
from players.ntuple.board import words
from players.options import DEEPEST_HEURISTIC
from players.search.alphabeta.ordering import NO_LIMIT
from players.search.alphabeta.table import new_table
from players.search.heuristic.driver import Choices, deepen, new_scratch
from players.search.heuristic.search import MOST_MOVES, TileContext, play
from players.search.stop import NEVER
from players.search.types import Array, Flag, Int, Move, Record, Tiles

CHANCE, TILE, CELL = range(3)
"""The placer: chance, a player, or a player that chooses the cell while chance draws the tile."""

ABORTED = -1
"""The score of a game that was not played to its end."""


class SearchSeat(NamedTuple):
    """One player as the kernel reads it."""

    contexts: tuple[TileContext, TileContext]
    """The context of the first slide ahead, which nothing stops, and that of all others."""
    depth: int
    nodes: int
    """The limits of a search."""


class TileWorker:
    """Plays games in one kernel, with two tables for all of them."""

    def __init__(self, rule_set: rule_sets.Game, options: HeuristicOptions, stop: Flag) -> None:
        """`stop` is the int64[1] flag that ends all games."""
        self._rule_set, self._stop = rule_set, stop
        self._board = TileBoard(rule_set.name, rule_set.variant["spawn"])
        self._placer = CHANCE
        if rule_set.seats > 1:
            self._placer = CELL if rule_set.variant["placer_chooses"] == "cell" else TILE
        tables = [new_table(options.memory_mb) for _ in range(rule_set.seats)]
        self._tables = tables * (2 // rule_set.seats)  # chance has no need of one
        self._scratches = (new_scratch(), new_scratch())
        self._choices = Choices(np.zeros((MOST_MOVES, 2), np.int16), np.zeros(MOST_MOVES))

    def play(self, contestants: tuple[Contestant, Contestant], task: MatchTask) -> PlayedGame:
        return both_slide(self.slide, contestants, task)

    def slide(
        self, contestants: tuple[Contestant, Contestant], seed: int, record: Array | None = None
    ) -> int:
        """The score of the first as slider, the second being the placer where a player places.

        The first decisions are written to `record`, as many as there is room for (see `play_game`):
        for a comparison with a player's. Raises Aborted once the flag is set.
        """
        random = Random(seed)
        start = self._rule_set.start(random.getrandbits(63))
        first, second = (self._seat(each, at) for at, each in enumerate(contestants))
        board, state = self._board.position(start.state()), random.getrandbits(64)
        own = (self._scratches, self._choices, np.array([state], np.uint64), self._stop)
        record = np.zeros((0, 3), np.uint64) if record is None else record
        score = play_game(board, self._placer, (first, second), *own, record)
        if score == ABORTED:
            raise Aborted
        return int(score)

    def _seat(self, contestant: Contestant, at: int) -> SearchSeat:
        """A contestant as the kernel reads it, its memory empty."""
        options = HeuristicOptions.model_validate(contestant.options)
        weights = (options.smoothness, options.monotonicity, options.empty, options.largest)
        table, scratch = self._tables[at], self._scratches[at]
        if at < self._rule_set.seats:
            table[:] = 0
        scratch["generation"] = 0
        context = TileContext(make_heuristic(self._board, *weights), table, NEVER)
        return SearchSeat(
            (context, context._replace(stop=self._stop)),
            options.depth or DEEPEST_HEURISTIC,
            options.nodes or NO_LIMIT,
        )


@bare_kernel
def play_game(
    board: Tiles,
    placer: int,
    seats: tuple[SearchSeat, SearchSeat],
    scratches: tuple[Record, Record],
    choices: Choices,
    random: Array,
    stop: Flag,
    record: Array,
) -> Int:
    """Play from `board`, the slider to move, to the end; the slider's score, or ABORTED.

    `seats` and `scratches` are the slider's and the placer's, which chance does not use, `random`
    is uint64[1], `choices` for the kernel's own use. The first decisions are written to `record`,
    uint64[n, 3]: the board as words, and the move, or the first that a cell stands for.
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


_deepen, _play = bare_part(deepen.py_func), bare_part(play.py_func)
"""As parts of a bare kernel: they pass tuples of arrays on."""


@bare_part
def _choose(
    board: Tiles, choices: Choices, count: Int, is_slider: bool, seat: SearchSeat, scratch: Record
) -> Int:
    """The choice that the player makes."""
    if count == 1:
        return np.int64(0)
    _deepen(board, choices, count, is_slider, seat.depth, seat.nodes, seat.contexts, scratch)
    return np.int64(scratch.choice)


@bare_part
def _slides(board: Tiles, laws: Laws, choices: Choices) -> Int:
    """Write the legal slides; their number."""
    count = np.int64(0)
    for slide in range(SLIDES):
        if slid(board, slide, laws)[1]:
            choices.moves[count, 0], choices.chance[count] = slide, 0.0
            count += 1
    return count


@bare_part
def _placements(board: Tiles, laws: Laws, placer: int, choices: Choices) -> Int:
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
def _write(record: Array, count: Int, board: Tiles, move: Move) -> None:
    """Keep a decision, while there is room."""
    if count < len(record):
        record[count, 0], record[count, 1] = words(board)
        record[count, 2] = np.uint64(move)
