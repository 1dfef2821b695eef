"""Iterative deepening, and what surrounds it: windows, limits, the exact endgame."""

import copy
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from math import inf
from typing import Any, NamedTuple

import numpy as np

from players.games import interface as game
from players.games.endgame import Endgame, reach_in, solved
from players.games.interface import NO_MOVE
from players.games.registry import Board
from players.options import AlphaBetaMethod
from players.search.alphabeta import search as kernels
from players.search.alphabeta.cuts import WIDENINGS, WIN
from players.search.alphabeta.ordering import NO_LIMIT, new_scratch
from players.search.alphabeta.sharing import new_marks
from players.search.alphabeta.table import GENERATIONS, near_of, new_table
from players.search.stop import NEVER, alongside, stop_at
from players.search.types import Array, Flag, Position

METHODS: dict[AlphaBetaMethod, int] = {
    "minimax": kernels.MINIMAX,
    "alphabeta": kernels.ALPHABETA,
    "pvs": kernels.PVS,
    "mtdf": kernels.ALPHABETA,
}

WIDER = 4
"""An aspiration window that missed grows that many times on that side."""

OUTCOME_BEYOND = 2
"""Finding the winner takes the time of the margin with that many moves less."""

LEAF_SECONDS = 1e-4
"""The time limit on solving a position met in a search."""

FIRST_SHARE = 0.25
"""Of the time for a move: to find a good one before the exact endgame is tried."""

EARLY_SHARE = 0.17
"""Of the time for a move: after it thinking may stop early, once the move found has stood."""

STANDING = 4
"""A move has stood when that many searches in a row, each deeper, had no other."""


class DepthLimits(NamedTuple):
    """The limits of a search besides its `stop` flag."""

    depth: int | None = None
    """Search no deeper than that many moves."""
    nodes: int | None = None
    """Visit no more than about that many positions."""
    until: float | None = None
    """When `stop` will be set, in seconds of `time.monotonic()`, as far as that is known."""


UNLIMITED = DepthLimits()


class BestMove(NamedTuple):
    """The result of a search for the side to move."""

    move: str
    score: float
    """The margin of the mover, in discs or boxes; not `exact`: an estimate or a certain part."""
    depth: int
    """The deepest search that was finished, in moves; for a solved position, all that remain."""
    nodes: int
    """Positions visited."""
    exact: bool
    """Whether the score is what the game ends with under best play."""
    pv: list[str]
    """The principal variation, the move first."""


class ValuedLine(NamedTuple):
    """A position's value and principal variation."""

    value: int
    """Of the mover, in hundredths of a disc or box, and WIN more for a finished game."""
    exact: bool
    """Whether no estimate is in the value."""
    moves: Sequence[int]
    """The best first, by number."""


class AlphaBetaSearch:
    """Searches that share a transposition table for a whole game."""

    def __init__(
        self,
        board: Board,
        *,
        terms: Array,
        endgame: Endgame,
        memory_mb: int = 64,
        method: AlphaBetaMethod = "pvs",
        aspiration: int = 0,
        margins: Array | None = None,
        endgame_from: int | None = None,
        leaves_from: int | None = None,
        early_stop: bool = False,
        threads: int = 1,
    ) -> None:
        """`aspiration` is half the first window in hundredths, 0 for a whole one; `margins`
        are those of `cuts.new_margins`, None for no cuts. A root is solved from `endgame_from`
        moves remaining on, a position met from `leaves_from` on; None for what is done in time, 0
        for never. Several `threads` search together.
        """
        if threads > 1:
            endgame.share()
        self.board = board
        self._endgame = endgame
        self._method: AlphaBetaMethod = method
        self._aspiration = aspiration
        self._endgame_from = endgame_from
        self._early_stop = early_stop
        table, marks = new_table(memory_mb), new_marks(threads)
        self._context = kernels.Context(terms, table, endgame.memory, NEVER, marks)
        self._scratch = new_scratch()
        self._scratch["method"] = METHODS[method]
        self._scratch["margins"] = 0 if margins is None else margins
        self._rounds = len(WIDENINGS) if self._scratch["margins"].any() else 1
        typical = reach_in(endgame, LEAF_SECONDS)
        leaves_from = typical if leaves_from is None else leaves_from
        self._scratch["exact_from"] = leaves_from
        self._glanced_from = min(leaves_from, typical)
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads - 1) if threads > 1 else None
        self._helpers: list[AlphaBetaSearch] = []
        self._helpers = [self._helper(thread) for thread in range(1, threads)]

    def _helper(self, thread: int) -> "AlphaBetaSearch":
        """A search for another thread, on the same tables."""
        helper = copy.copy(self)
        helper._scratch = self._scratch.copy()
        helper._scratch["near"] = near_of(self._context.table, thread)
        return helper

    def think(self, position: Position, stop: Flag, limits: DepthLimits = UNLIMITED) -> BestMove:
        """Search deeper until `stop` is set, a limit is reached or the end is seen."""
        self.begin()
        if not self._may_solve(position, limits):
            return self._deepen_together(position, stop, limits)
        if self._is_within_reach(position, limits):
            now = time.monotonic()
            until = now if limits.until is None else now + FIRST_SHARE * (limits.until - now)
            with stop_at(until) as first_stop:
                found = self._deepen_together(position, first_stop, limits, is_first=True)
        else:
            found = self._deepen_together(position, stop, limits, is_first=True)
            if self._early_stop or found.depth < self._depth_of_the_end(position):
                return found  # what is out of reach is seldom solved in the time that is left
        if found.exact:
            return found
        first = found
        jobs = [partial(helper._help_solve, position, first) for helper in self._helpers]
        with alongside(self._pool, jobs):
            found = self._not_lost(position, first, stop)
            solution = self._endgame.best(position, stop)
        if solution is None:
            return found
        return BestMove(
            move=solution.move,
            score=float(solution.margin),
            depth=kernels.moves_left(position),
            nodes=self.nodes + solution.nodes,
            exact=True,
            pv=solution.pv,
        )

    def begin(self) -> None:
        """Make ready for a new position: what is in the table is old now."""
        for scratch in (self._scratch, *(helper._scratch for helper in self._helpers)):
            scratch["killers"] = NO_MOVE
            scratch["history"] //= 8
            scratch["nodes"] = scratch["cut_round"] = 0
            scratch["node_limit"] = NO_LIMIT
            scratch["generation"] = (scratch["generation"] + 1) % GENERATIONS

    @property
    def nodes(self) -> int:
        """Positions visited since `begin`, by all threads."""
        return int(self._scratch["nodes"]) + sum(helper.nodes for helper in self._helpers)

    def glance(self, position: Position) -> ValuedLine:
        """What `position` is worth one move deep, found in no time: only leaves are solved that
        typically take none, whatever the settings say.
        """
        leaves_from = int(self._scratch["exact_from"])
        self._scratch["exact_from"] = self._glanced_from
        line, _ = self._search(position, 1, None, NEVER)
        self._scratch["exact_from"] = leaves_from
        assert line is not None  # nothing could stop it
        return line

    def line(
        self, position: Position, depth: int, guess: int | None, stop: Flag
    ) -> ValuedLine | None:
        """The value of `position`, expected to be `guess`; None when `stop` was set first."""
        return self._search(position, depth, guess, stop)[0]

    def _may_solve(self, position: Position, limits: DepthLimits) -> bool:
        reach = self._endgame_from
        if reach is None:
            return limits.depth is None and limits.nodes is None
        return int(kernels.moves_left(position)) <= reach

    def _is_within_reach(self, position: Position, limits: DepthLimits) -> bool:
        """Whether a position that may be solved will, typically, be solved in the time there is."""
        if self._endgame_from is not None:
            return True
        until = limits.until
        seconds = 1.0 if until is None else (until - time.monotonic()) * (1 - FIRST_SHARE)
        reach = reach_in(self._endgame, seconds) + OUTCOME_BEYOND
        return int(kernels.moves_left(position)) <= reach

    def _depth_of_the_end(self, position: Position) -> int:
        """How deep a search meets solved positions alone."""
        return int(kernels.moves_left(position)) - int(self._scratch["exact_from"])

    def _not_lost(self, position: Position, found: BestMove, stop: Flag) -> BestMove:
        """A move that surely wins or else draws, with a certain margin; or `found`."""
        scratch = self._scratch
        leaves_from = int(scratch["exact_from"])
        scratch["exact_from"] = kernels.moves_left(position)
        scratch["stopped"] = 0
        context = self._context._replace(stop=stop)
        root = _typed(kernels.settled(position), position)
        half = WIN // 2
        value = int(kernels.search(root, 1, -half, half, context, scratch))
        scratch["exact_from"] = leaves_from
        if scratch["stopped"] or value < 0:
            return found
        move = self.board.names[self._moves(position)[0]]
        return found._replace(
            move=move, score=kernels.in_points(value), pv=[move], nodes=self.nodes
        )

    def _help_solve(self, position: Position, found: BestMove, done: Flag) -> None:
        """Solve along with another thread."""
        self._not_lost(position, found, done)
        self._scratch["nodes"] += self._endgame.help(position, done)

    def _deepen_together(
        self, position: Position, stop: Flag, limits: DepthLimits, *, is_first: bool = False
    ) -> BestMove:
        """Search deeper in all threads; the result of this one."""

        def job(helper: AlphaBetaSearch, done: Flag) -> BestMove:
            return helper._deepen(position, done, limits, is_first=is_first)

        with alongside(self._pool, [partial(job, helper) for helper in self._helpers]):
            found = job(self, stop)
        return found._replace(nodes=self.nodes)

    def _deepen(
        self, position: Position, stop: Flag, limits: DepthLimits, *, is_first: bool = False
    ) -> BestMove:
        """Search deeper and deeper: to the end with cuts at first, then without, unless it
        `is_first` of another search.
        """
        line = self.glance(position)
        depth, last, standing = 1, 0.0, 0
        began, until = time.monotonic(), inf if limits.until is None else limits.until
        enough = began + EARLY_SHARE * (until - began)
        scratch = self._scratch
        share = NO_LIMIT if limits.nodes is None else limits.nodes // self._threads
        scratch["node_limit"] = share
        end = self._depth_of_the_end(position)
        for next_depth, number in self._passes(end, limits.depth, is_first):
            now = time.monotonic()
            is_late, has_stood = now + last > until, now > enough and standing >= STANDING
            if line.exact or (self._early_stop and (is_late or has_stood)):
                break
            scratch["cut_round"] = number
            scratch["widening"] = WIDENINGS[number - 1]
            deeper, so_far = self._search(position, next_depth, line.value, stop)
            if deeper is None:
                line = line._replace(moves=so_far or line.moves)
                break
            standing = standing + 1 if deeper.moves[0] == line.moves[0] else 0
            line, last, depth = deeper, time.monotonic() - now, next_depth
        scratch["cut_round"] = 0
        pv = [self.board.names[move] for move in line.moves]
        return BestMove(pv[0], kernels.in_points(line.value), depth, self.nodes, line.exact, pv)

    def _passes(self, end: int, limit: int | None, is_first: bool) -> Iterator[tuple[int, int]]:
        """(the depth, the round of searches to the end) of one search after the other; `end` is the
        depth of the end.
        """
        if limit is not None and limit < end:
            yield from ((depth, 1) for depth in range(2, limit + 1))
            return
        yield from ((depth, 1) for depth in range(2, end))
        if end > 1:
            yield from ((end, number) for number in range(1, self._rounds + 1))
        if not is_first and (limit is None or limit > end):
            yield max(end, 1), 0

    def _search(
        self, position: Position, depth: int, guess: int | None, stop: Flag
    ) -> tuple[ValuedLine | None, Sequence[int]]:
        """The line `depth` moves deep, or None when it was stopped; and the moves so far."""
        scratch, root = self._scratch, _typed(kernels.settled(position), position)
        scratch["line"][0, 0] = NO_MOVE
        over = int(kernels.value_at_end(root))
        if over != kernels.UNFINISHED:
            scratch["nodes"] += 1
            return ValuedLine(over, True, self._moves(position)), ()
        context = self._context._replace(stop=stop)
        scratch["stopped"] = scratch["estimates"] = 0
        lower, upper = -kernels.INFINITY, kernels.INFINITY
        moves: Sequence[int] = ()
        width = self._aspiration
        while lower < upper:
            low, high = self._window(guess, width, lower)
            value = int(kernels.search(root, depth, low, high, context, scratch))
            if value > low or scratch["stopped"]:
                moves = self._moves(position) if scratch["line"][0, 0] != NO_MOVE else moves
            if scratch["stopped"]:
                return None, moves
            lower = value if value > low else lower
            upper = value if value < high else upper
            guess, width = value, width * WIDER
        return ValuedLine(lower, not scratch["estimates"], moves), moves

    def _window(self, guess: int | None, width: int, lower: int) -> tuple[int, int]:
        """Where to look for the value, at least `lower`, when `guess` was the last one found."""
        if self._method == "mtdf":
            low = (guess or 0) - (guess != lower)
            return low, low + 1
        if guess is None or not 0 < width < WIN or self._method == "minimax":
            return -kernels.INFINITY, kernels.INFINITY
        return guess - width, guess + width

    def _moves(self, position: Position) -> Sequence[int]:
        """The principal variation of the last search, from before its forced moves."""
        out = np.empty(game.PLIES, np.int16)
        return out[: kernels.full_line(position, self._context, self._scratch, out)].tolist()


def _typed(words: Any, model: Any) -> Any:
    """A position with the types of `model`: numba hands words back as plain integers."""
    return type(model)(*(type(kind)(word) for word, kind in zip(words, model, strict=True)))


def child_of(position: Position, move: int) -> Position:
    """The position after a move, of the same type."""
    return _typed(kernels.after(position, move), position)


def legal_moves(position: Position) -> list[int]:
    """The numbers of the moves, in the order of the game's kernel."""
    out = np.empty(game.MOVES, np.int16)
    return out[: kernels.list_moves(position, out)].tolist()


def load_kernels(position: Position, terms: Array, endgame: Endgame) -> None:
    """Load from the cache, or compile, the search of positions of this type."""
    context, scratch = kernels.Context(terms, new_table(1), endgame.memory, NEVER), new_scratch()
    solved(position, -1, 1, endgame.memory, np.ones(1, np.int64))  # first, as others wait for it
    root = _typed(kernels.settled(position), position)
    kernels.value_at_end(root)
    kernels.moves_left(root)
    kernels.search(root, 1, -kernels.INFINITY, kernels.INFINITY, context, scratch)
    kernels.full_line(root, context, scratch, np.empty(1, np.int16))
