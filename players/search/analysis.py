"""The value of every legal move of a position, and the accuracy of endgames played.

analysis = analyse("othello", game.variant, position.state(), seconds=5)
for move in analysis.moves:  # best first
    print(move.move, move.score, move.exact, move.pv)
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from players.games.endgame import Endgame, load_endgame, reach_in
from players.games.registry import Board, load_board
from players.search.alphabeta import driver as alphabeta
from players.search.alphabeta.driver import AlphaBetaSearch, child_of, legal_moves
from players.search.alphabeta.search import in_points, moves_left
from players.search.stop import NEVER, stop_at
from players.search.types import Flag, Position
from players.weights.evaluations import load_terms
from rules import position as rule_sets

ALL_MOVES = 8
"""The exact values of all moves take about that many times as long as the best alone."""

EXACT_SHARE = 0.7
"""Of the time: for the exact endgame where it is tried, before all is left to the search."""

TABLES_MB, VALUER_MB = 256, 32
"""The sizes of the tables: for all that is analysed, and for the values of single positions."""


class MoveValue(NamedTuple):
    """The value of a move."""

    move: str
    score: float
    """The margin of the mover after it, in discs or boxes."""
    exact: bool
    """Whether the score is certain, not an estimate."""
    depth: int
    """Moves looked ahead, this one included; for a solved position, all that remain."""
    pv: list[str]
    """The principal variation, this move first; forced passes left out."""


class Analysis(NamedTuple):
    """The values of the moves of a position."""

    moves: list[MoveValue]
    """Every legal move, the best first; none when the game is over. Their values are comparable:
    each is exact or searched as deep as the others."""
    nodes: int
    """Positions searched; those of the exact endgame are not counted."""
    seconds: float
    """Time it took, kernels loaded."""


def analyse(
    rules: str, variant: Mapping[str, Any], state: Mapping[str, Any], seconds: float
) -> Analysis:
    """The values of all moves in the wire's position `state`, found in about `seconds`.

    ValueError where `players.catalogue` says that the searching players cannot play the settings.
    """
    board = load_board(rules, variant)
    position, terms = board.position(state), load_terms(rules, variant)
    endgame = load_endgame(rules, board, TABLES_MB // 2)
    endgame.guide(terms)
    alphabeta.load_kernels(position, terms, endgame)
    endgame.load_kernels(position)
    load_kernels(position, endgame)
    search = AlphaBetaSearch(board, terms=terms, endgame=endgame, memory_mb=TABLES_MB // 2)
    began = time.monotonic()
    values = None
    if moves_left(position) <= reach_in(endgame, EXACT_SHARE * seconds / ALL_MOVES):
        with stop_at(began + EXACT_SHARE * seconds) as stop:
            values = _solved(board, position, endgame, stop)
    if values is None:
        with stop_at(began + seconds) as stop:
            values = _searched(board, position, search, stop)
    best_first = sorted(values, key=lambda each: each.score, reverse=True)
    return Analysis(best_first, search.nodes, time.monotonic() - began)


def load_kernels(position: Position, endgame: Endgame) -> None:
    """Those that alpha-beta does not have."""
    endgame.margins(position, np.ones(1, np.int64))
    for move in legal_moves(position)[:1]:
        child_of(position, move)


def _solved(
    board: Board, position: Position, endgame: Endgame, stop: Flag
) -> list[MoveValue] | None:
    margins = endgame.margins(position, stop)
    if margins is None:
        return None
    values = []
    for name, margin in margins.items():
        child = child_of(position, board.moves[name])
        rest = []
        if legal_moves(child):
            solution = endgame.best(child, stop)
            if solution is None:
                return None
            rest = solution.pv
        values.append(MoveValue(name, float(margin), True, moves_left(position), [name, *rest]))
    return values


def _searched(
    board: Board, position: Position, search: AlphaBetaSearch, stop: Flag
) -> list[MoveValue]:
    """The values at the greatest depth reached for all moves before `stop` was set."""
    search.begin()
    moves = legal_moves(position)
    children = [child_of(position, move) for move in moves]
    signs = [1 if child.seat == position.seat else -1 for child in children]
    lines = [search.glance(child) for child in children]
    depth = 1
    while not all(line.exact for line in lines):
        deeper = []
        for child, line in zip(children, lines, strict=True):
            found = line if line.exact else search.line(child, depth + 1, line.value, stop)
            if found is None:
                break
            deeper.append(found)
        if len(deeper) < len(lines):
            break
        lines, depth = deeper, depth + 1
    return [
        MoveValue(
            board.names[move],
            in_points(sign * line.value),
            line.exact,
            depth + 1,
            [board.names[each] for each in (move, *line.moves)],
        )
        for move, sign, line in zip(moves, signs, lines, strict=True)
    ]


def valuer(
    rules: str, variant: Mapping[str, Any], depth: int
) -> Callable[[Mapping[str, Any]], float]:
    """A function of the wire's `state`: what seat 0 will win by, by a search of that depth."""
    board = load_board(rules, variant)
    endgame = load_endgame(rules, board, VALUER_MB)
    terms = load_terms(rules, variant)
    search = AlphaBetaSearch(board, terms=terms, endgame=endgame, memory_mb=VALUER_MB)

    def value(state: Mapping[str, Any]) -> float:
        position = board.position(state)
        search.begin()
        line = search.line(position, depth, None, NEVER)
        assert line is not None  # nothing stops it
        return in_points(line.value if position.seat == 0 else -line.value)

    return value


class Judged(NamedTuple):
    """A move that was a choice, judged."""

    ply: int
    """How many moves had been played before it."""
    seat: int
    move: str
    best: str
    """A move with the best margin."""
    lost: int
    """How many discs or boxes of the final margin it gave away; 0 for a best move."""


def judge(
    start: rule_sets.Position, moves: Iterable[str], within: int | None = None
) -> Iterator[Judged]:
    """Every choice of the game `moves` with at most `within` moves to come, by default as many as
    the solver reaches. A ValueError names a move that is not legal.
    """
    board = load_board(start.game.name, start.game.variant)
    endgame = load_endgame(start.game.name, board, TABLES_MB)
    endgame.guide(load_terms(start.game.name, start.game.variant))
    within = endgame.reach if within is None else within
    position = start
    for ply, move in enumerate(moves):
        following = position.play(move)
        legal = position.legal_moves()
        here = board.position(position.state())
        if len(legal) > 1 and moves_left(here) <= within:
            margins = endgame.margins(here, NEVER)
            assert margins is not None  # nothing stops the solver
            best = max(margins, key=margins.__getitem__)
            seat = position.to_move or 0
            yield Judged(ply, seat, move, best, margins[best] - margins[move])
        position = following
