"""Fit the error of shallow searches of an Othello preset, for multi-ProbCut, to pairs of searches:

    python -m players.learning.fit_cuts standard spread.json --positions 1000

Each position, from games with random moves among those of a search, is estimated, and searched to
every depth without cuts. Between each two depths, by stage, the spread is the error that two in
three stay within; the logarithms of all spreads are fitted by least squares.
"""

import argparse
import json
import signal
from collections.abc import Iterator
from itertools import pairwise
from random import Random

import numpy as np

import rules
from players.compiled.cache import kernel
from players.games import interface as game
from players.games.endgame import load_endgame
from players.games.registry import load_board
from players.learning.arguments import count, evaluation, out_file, result_file
from players.search.alphabeta import driver
from players.search.alphabeta.cuts import CERTAIN, TERMS, columns
from players.search.alphabeta.driver import AlphaBetaSearch
from players.search.alphabeta.search import moves_left
from players.search.stop import NEVER
from players.search.types import Array, Int, Position

STAGES = (18, 28, 36, 44, 64)
"""Moves remaining that begin a stage, the last an end."""

RANDOM_START, RANDOM_LATER, GAME_DEPTH = 4, 0.2, 3
"""Moves at the start that are random, the share of those later, and how deep the others look."""

TYPICAL = 0.683
"""The share of errors within one spread, as of a normal distribution."""


def positions(search: AlphaBetaSearch, start: Position, rng: Random) -> Iterator[Position]:
    """Positions with a choice of moves, each of a game of its own."""
    board = search.board
    while True:
        position, plies = start, rng.randint(RANDOM_START, STAGES[-1] - STAGES[0])
        for ply in range(plies):
            moves = driver.legal_moves(position)
            if not moves:
                break
            move = rng.choice(moves)
            if ply >= RANDOM_START and rng.random() >= RANDOM_LATER:
                found = search.think(position, NEVER, driver.DepthLimits(GAME_DEPTH))
                move = board.moves[found.move]
            position = driver.child_of(position, move)
        if len(driver.legal_moves(position)) > 1:
            yield position


@kernel
def estimate(position: Position, terms: Array) -> Int:
    return np.int64(game.evaluate(position, terms))


def values(search: AlphaBetaSearch, position: Position, terms: Array, depth: int) -> list[int]:
    """The estimate by `terms`, and the values from one move deep to `depth`."""
    search.begin()
    found = [int(estimate(position, terms)), search.glance(position).value]
    for deeper in range(2, depth + 1):
        line = search.line(position, deeper, found[-1], NEVER)
        assert line is not None  # nothing stops it
        found.append(line.value)
    return found


def cells(left: Array, found: Array) -> Array:
    """float64[n, 4]: depth, shallow depth, moves left on average, spread; depths alike in being odd
    or even, and one move next to the estimate. `found` has the values from depth 0 on.
    """
    rows = []
    for begin, end in pairwise(STAGES):
        chosen = (left >= begin) & (left < end)
        for depth in range(1, found.shape[1]):
            for shallow in range(depth % 2 if depth > 1 else 0, depth, 2):
                errors = found[chosen, depth] - found[chosen, shallow]
                if len(errors):
                    spread = max(float(np.quantile(np.abs(errors), TYPICAL)), 1.0)
                    rows.append((depth, shallow, float(left[chosen].mean()), spread))
    return np.array(rows)


def fit(rows: Array) -> tuple[dict[str, float], float]:
    """(the terms, the spread of what they are off by, as a share)."""
    matrix = np.column_stack(np.broadcast_arrays(*columns(rows[:, 0], rows[:, 1], rows[:, 2])))
    terms, *_ = np.linalg.lstsq(matrix, np.log(rows[:, 3]), rcond=None)
    off = float(np.std(np.log(rows[:, 3]) - matrix @ terms))
    return dict(zip(TERMS, terms.round(4).tolist(), strict=True)), off


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("preset", choices=("standard", "cornerless"))
    parser.add_argument("out", type=out_file(".json"))
    parser.add_argument("--positions", type=count, default=1000)
    parser.add_argument("--depth", type=count, default=9)
    parser.add_argument("--evaluation", default="default")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rule_set = rules.load("othello", preset=options.preset)
    board = load_board("othello", rule_set.variant)
    terms = evaluation(parser, rule_set, options.evaluation)
    endgame = load_endgame("othello", board, 4)
    search = AlphaBetaSearch(board, terms=terms, endgame=endgame, aspiration=300)
    start = board.position(rule_set.start().state())
    driver.load_kernels(start, terms, endgame)
    left: list[int] = []
    found: list[list[int]] = []
    for position in positions(search, start, Random(options.seed)):
        if len(left) == options.positions:
            break
        line = values(search, position, terms, options.depth)
        if max(abs(value) for value in line) < CERTAIN:
            left.append(moves_left(position))
            found.append(line)
    spread, off = fit(cells(np.array(left), np.array(found)))
    text = {
        "about": f"How far searches of two depths are apart in {options.preset} Othello: the "
        "logarithm of the error, in hundredths of a disc, that two in three stay within.",
        "source": f"players.learning.fit_cuts: {options.positions} positions, depths up to "
        f"{options.depth}, evaluation {options.evaluation}, seed {options.seed}. The fit is off by "
        f"{100 * off:.0f}% of a spread (standard deviation over pairs of depths and stages).",
        "spread": spread,
    }
    with result_file(options.out, "w") as file:
        file.write(json.dumps(text, indent=1) + "\n")


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a kernel sees no other
    main()
