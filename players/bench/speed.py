"""How fast the kernels play, search and solve, and how soon a player is ready."""

import json
import subprocess
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from typing import Any, NamedTuple

import numpy as np

import rules
from arena.files.imports import module_command
from players.bench.measurement import RUNS, quickest
from players.games.endgame import Solution, load_endgame
from players.games.interface import BATCH
from players.games.registry import Board, compiled_game, load_board
from players.learning.tuning.matches import Contestant, MatchTask, start_of
from players.learning.tuning.runner import InProcessRunner
from players.search.alphabeta.driver import AlphaBetaSearch, DepthLimits
from players.search.sampling import batch_totals, total_net
from players.search.stop import NEVER, alongside
from players.search.types import Position
from players.search.uct.driver import ThinkingLimits, UctSearch
from players.search.uct.driver import load_kernels as load_uct
from players.search.uct.settings import make_settings
from players.weights.evaluations import load_terms

FFO = Path(__file__).with_name("ffo.obf")
"""Published test positions of Othello endgames with 20 to 23 empty squares."""

TABLE_MB = 64


def _beginning(name: str, settings: Mapping[str, object]) -> tuple[rules.Game, Board, Position]:
    game = rules.load(name, **settings)
    board = load_board(name, game.variant)
    return game, board, board.position(game.start().state())


def playouts_per_second(
    name: str, settings: Mapping[str, object], count: int, *, batches: bool = False
) -> float:
    """Random games from the start; in `batches` several at a time."""
    _, _, position = _beginning(name, settings)
    play, rounds = (batch_totals, count // BATCH) if batches else (total_net, count)
    play(position, 1, np.uint64(0))
    return count / quickest(lambda run: play(position, rounds, np.uint64(run)))


def iterations_per_second(
    name: str, settings: Mapping[str, object], count: int, threads: int = 1
) -> float:
    """Iterations of UCT from an empty tree at the start; threads share the tree.

    All runs use the memory of one tree, so that the best of them has no page made by the system.
    """
    game, board, position = _beginning(name, settings)
    plain = make_settings(compiled_game(name).most_margin(game.variant))
    endgame = load_endgame(name, board, 1)
    search = UctSearch(board, plain, endgame, memory_mb=512, seed=0, threads=threads)
    load_uct(position, plain, endgame)

    def run(_: int) -> None:
        search.follow([], [], reuse=False)
        search.think(position, NEVER, ThinkingLimits(count))

    return count / quickest(run)


def nodes_per_second(name: str, settings: Mapping[str, object], depth: int) -> float:
    """Nodes of a search from the start, with an empty table."""
    game, board, position = _beginning(name, settings)
    terms = load_terms(name, game.variant)
    endgame, limits = load_endgame(name, board, 1), DepthLimits(depth)
    searches = [AlphaBetaSearch(board, terms=terms, endgame=endgame) for _ in range(RUNS + 1)]
    nodes = searches.pop().think(position, NEVER, limits).nodes
    return nodes / quickest(lambda run: searches[run].think(position, NEVER, limits))


def tuning_games_per_second(count: int, threads: int) -> float:
    """Cornerless games of UCT against itself, a hundred iterations a move, as tunings play them."""
    game = rules.load("othello", preset="cornerless")
    options = {"iterations": 100, "playouts": 1, "expand_after": 1}
    player = Contestant(options, None, ())
    runner = InProcessRunner(game, "uct", player, threads)
    runner.load(0)
    try:
        return count / quickest(
            lambda run: runner.play(
                [MatchTask((player, player), "", 0, f"{run}:{number}") for number in range(count)]
            )
        )
    finally:
        runner.close()


def seconds_to_ready() -> float:
    """From starting the process of `uct` to its answer to `start`."""
    game = rules.load("othello", preset="cornerless")
    start = start_of(game, game.start().state(), 0, 1, {})
    request = {"type": "start", **start._asdict(), "clock": start.clock._asdict()}

    def run(_: int) -> None:
        command, line = module_command("players.uct"), json.dumps(request) + "\n"
        ended = subprocess.run(command, input=line, capture_output=True, text=True, check=False)
        if not ended.stdout:
            raise RuntimeError(f"{' '.join(command)} did not start:\n{ended.stderr}")

    return quickest(run)


class Solved(NamedTuple):
    """With an empty table."""

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


def ffo(threads: int = 1) -> list[Solved]:
    variant = rules.load("othello").variant
    return [solve("othello", variant, state, threads) for state, _ in published()]


def published() -> list[tuple[dict[str, Any], dict[str, int]]]:
    """(state, the best moves and the mover's margin) of the positions of the file `ffo.obf`."""
    positions = []
    for line in FFO.read_text().splitlines():
        if not line.startswith("%"):
            position, *moves = line.split(";")
            squares, mover = position.split()
            rows = [squares[start : start + 8].replace("-", ".") for start in range(0, 64, 8)]
            best = dict(move.strip().lower().split(":") for move in moves)
            state = {"board": rows, "to_move": "XO".index(mover)}
            positions.append((state, {move: int(best[move]) for move in best}))
    return positions


def solve(name: str, variant: dict[str, Any], state: dict[str, Any], threads: int = 1) -> Solved:
    """The exact solution of a position, and how long it took."""
    variant = rules.load(name, **variant).variant
    board = load_board(name, variant)
    endgame, position = load_endgame(name, board, TABLE_MB), board.position(state)
    endgame.guide(load_terms(name, variant))
    endgame.load_kernels(position)
    if threads > 1:
        endgame.share()
    helpers = (threads - 1) * [partial(endgame.help, position)]
    with ThreadPoolExecutor(threads) as pool:
        began = time.perf_counter()
        with alongside(pool, helpers):
            solution = endgame.best(position, NEVER)
            seconds = time.perf_counter() - began
    assert solution is not None  # nothing stops the solver
    return Solved(solution, seconds)
