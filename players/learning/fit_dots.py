"""Fit the evaluation of dots and boxes to self-play on 5×5 boxes, in rounds:

    python -m players.learning.fit_dots --positions 60000 --rounds 2 evaluation.json

Play is exact from 30 edges on, so most margins are those of perfect play. What is fitted are the
positions with nothing to take; the first round's games only look at the chains.
"""

import argparse
import json
import signal
from collections.abc import Iterable, Iterator
from itertools import islice
from random import Random
from typing import Any, NamedTuple

import numpy as np

import rules
from players.compiled.bits import ZERO
from players.compiled.cache import kernel
from players.games import interface as game
from players.games.dots.board import DotsBits, sides
from players.games.dots.evaluation import FEATURES, STAGES, from_features, quiet_features
from players.games.endgame import load_endgame
from players.games.registry import load_board
from players.learning.arguments import count, out_file, result_file
from players.search.alphabeta import driver
from players.search.alphabeta.search import in_points, value_at_end
from players.search.stop import NEVER
from players.search.types import Array, Position

Sample = tuple[Any, float]
"""A position, and what its mover won by in the end."""


class Recipe(NamedTuple):
    """How games are played."""

    depth: int
    """How many moves the search looks ahead."""
    exact: int
    """Play is exact from that many remaining moves on."""
    least_random: int
    """At least that many moves at the start are random …"""
    most_random: int
    """… and at most that many."""
    sensible: float
    """The share of random moves chosen among those that do not look bad by themselves."""


RECIPE = Recipe(depth=3, exact=30, least_random=18, most_random=36, sensible=0.97)
"""Of 60 edges."""

FREE = FEATURES.index("free")

PENALTY = 2000.0
"""Draws the values of a row towards those of another."""


@kernel
def sensible_moves(position: Position, out: Array) -> int:
    """Write the moves that do not look bad by themselves to the front of `out`; their number."""
    count, kept = game.moves(position, out), 0
    for index in range(count):
        if game.priority(position, np.int64(out[index])) >= 0:
            out[kept] = out[index]
            kept += 1
    return kept


def self_play(rule_set: rules.Game, terms: Array, recipe: Recipe, rng: Random) -> Iterator[Sample]:
    """Positions of game after game of alpha-beta against itself, without end, each with what its
    mover won by. What came before the last random move is not kept, so that each margin is that of
    sensible play, which is exact towards the end.
    """
    board = load_board(rule_set.name, rule_set.variant)
    endgame = load_endgame(rule_set.name, board, 16)
    search = driver.AlphaBetaSearch(
        board, terms=terms, endgame=endgame, memory_mb=16, endgame_from=recipe.exact, leaves_from=0
    )
    start = board.position(rule_set.start().state())
    endgame.load_kernels(start)
    driver.load_kernels(start, terms, endgame)
    while True:
        position, positions = start, []
        random_moves = rng.randint(recipe.least_random, recipe.most_random)
        while moves := driver.legal_moves(position):
            if random_moves > 0:
                move = _random_move(position, moves, recipe.sensible, rng)
                random_moves -= 1
            else:
                positions.append(position)
                found = search.think(position, NEVER, driver.DepthLimits(depth=recipe.depth))
                move = board.moves[found.move]
            position = driver.child_of(position, move)
        margin = in_points(int(value_at_end(position)))
        for each in positions:
            yield each, margin if each.seat == position.seat else -margin


def _random_move(position: Position, moves: list[int], sensible: float, rng: Random) -> int:
    out = np.empty(game.MOVES, np.int16)
    count = sensible_moves(position, out)
    if count and rng.random() < sensible:
        return int(out[rng.randrange(count)])
    return rng.choice(moves)


@kernel
def describe(position: DotsBits, out: Array) -> int:
    """Write the features of a position to `out`: its row in the table of values, or −1 where a box
    can be taken or all boxes are in chains and loops.
    """
    across, down, stride, boxes = position.across, position.down, position.stride, position.boxes
    single, _ = sides(across, down, stride, boxes)
    stage, parity, features = quiet_features(across, down, stride, boxes)
    for index, feature in enumerate(features):
        out[index] = feature
    return -1 if single != ZERO or out[FREE] == 0 else 2 * stage + parity


def samples_of(played: Iterable[Sample]) -> tuple[Array, Array, Array]:
    """(row, features, what the mover still wins in hundredths) of the quiet ones of positions."""
    rows, features, targets = [], [], []
    out = np.zeros(len(FEATURES), np.int64)
    for position, margin in played:
        row = describe(position, out)
        if row >= 0:
            lead = position.lead if position.seat == 0 else -position.lead
            rows.append(row)
            features.append(out.copy())
            targets.append(100.0 * (margin - lead))
    return np.array(rows), np.array(features, np.float64), np.array(targets)


def fit(rows: Array, features: Array, targets: Array) -> Array:
    """float64[STAGES, 2, features]: each row of values by least squares, drawn towards the row
    with one safe edge less and the other parity.
    """
    values = np.zeros((STAGES, 2, len(FEATURES)))
    for stage in range(STAGES):
        for parity in (0, 1):
            prior = values[stage - 1, 1 - parity] if stage else np.zeros(len(FEATURES))
            chosen = rows == 2 * stage + parity
            here, target = features[chosen], targets[chosen]
            normal = here.T @ here + PENALTY * np.eye(len(FEATURES))
            change = np.linalg.solve(normal, here.T @ (target - here @ prior))
            values[stage, parity] = prior + change
    return values


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("out", type=out_file(".json"))
    parser.add_argument("--positions", type=count, default=300_000, help="a round")
    parser.add_argument("--rounds", type=count, default=2)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rule_set = rules.load("dots", rows=5, cols=5)
    values = np.zeros((STAGES, 2, len(FEATURES)))
    for number in range(options.rounds):
        terms = from_features(values.round().astype(int).tolist())
        games = self_play(rule_set, terms, RECIPE, Random(f"{options.seed} {number}"))
        rows, features, targets = samples_of(islice(games, options.positions))
        if not len(rows):
            parser.error(f"none of {options.positions} positions is quiet; raise --positions")
        values = fit(rows, features, targets)
    about = {
        "about": f"Hundredths of a box for {', '.join(FEATURES)}, by stage and by parity.",
        "source": f"players.learning.fit_dots: {vars(options)}, {RECIPE}",
        "features": values.round().astype(int).tolist(),
    }
    with result_file(options.out, "w") as file:
        file.write(json.dumps(about) + "\n")


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a kernel sees no other
    main()
