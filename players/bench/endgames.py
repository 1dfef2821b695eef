"""How soon exact endgames are solved."""

import time
from pathlib import Path
from random import Random
from statistics import median
from typing import Any, NamedTuple

import numpy as np

import rules
from players.bench.measurement import RUNS
from players.games.endgame import Solution, load_endgame
from players.games.registry import load_board

FFO = Path(__file__).with_name("ffo.obf")
"""Published test positions of Othello endgames with 20 to 23 empty squares."""

TABLE_MB = 256


class Published(NamedTuple):
    """A test position and its solution."""

    state: dict[str, Any]
    """As on the wire."""
    best: dict[str, int]
    """The best moves and the mover's margin."""


class Solved(NamedTuple):
    """A position solved with an empty table."""

    solution: Solution
    seconds: float


def dots_start_seconds(rows: int, cols: int) -> float:
    """The start of a board: the best of RUNS runs."""
    game = rules.load("dots", rows=rows, cols=cols)
    state = game.start().state()
    return min(solve("dots", game.variant, state).seconds for _ in range(RUNS))


def dots_median_seconds(edges: int, count: int) -> float:
    """The median of `count` positions of 5×5 boxes with that many `edges` left by random moves."""
    game = rules.load("dots", rows=5, cols=5)
    seconds = []
    for seed in range(count):
        rng, position = Random(seed), game.start()
        while len(legal := position.legal_moves()) > edges:
            position = position.play(rng.choice(legal))
        seconds.append(solve("dots", game.variant, position.state()).seconds)
    return median(seconds)


def ffo() -> list[Solved]:
    """Each of the published positions."""
    variant = rules.load("othello").variant
    return [solve("othello", variant, position.state) for position in published()]


def published() -> list[Published]:
    """The positions of the file `ffo.obf`."""
    positions = []
    for line in FFO.read_text().splitlines():
        if not line.startswith("%"):
            position, *moves = line.split(";")
            squares, mover = position.split()
            rows = [squares[start : start + 8].replace("-", ".") for start in range(0, 64, 8)]
            best = dict(move.strip().lower().split(":") for move in moves)
            state = {"board": rows, "to_move": "XO".index(mover)}
            positions.append(Published(state, {move: int(best[move]) for move in best}))
    return positions


def solve(name: str, variant: dict[str, Any], state: dict[str, Any]) -> Solved:
    """The exact solution of a position, and how long it took."""
    board = load_board(name, rules.load(name, **variant).variant)
    endgame, position = load_endgame(name, board, TABLE_MB), board.position(state)
    endgame.load_kernels(position)
    began = time.perf_counter()
    solution = endgame.best(position, np.zeros(1, np.int64))
    seconds = time.perf_counter() - began
    assert solution is not None  # nothing stops the solver
    return Solved(solution, seconds)
