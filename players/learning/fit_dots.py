"""Fit the evaluation of dots and boxes to self-play on 5×5 boxes, in rounds:

    python -m players.learning.fit_dots --positions 60000 --rounds 2 evaluation.json

Play is exact from 30 edges on, so most margins are those of perfect play. What is fitted are the
positions with nothing to take; the first round's games only look at the chains.
"""

import argparse
import json
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from random import Random

import numpy as np

import rules
from players.compiled.bits import ZERO
from players.compiled.cache import kernel
from players.games.dots.board import DotsPosition, sides
from players.games.dots.evaluation import FEATURES, STAGES, from_features, quiet_features
from players.learning.self_play import Recipe, Sample, self_play
from players.search.types import Array

RECIPE = Recipe(depth=3, exact=30, least_random=18, most_random=36, sensible=0.97)
"""Of 60 edges."""

FREE = FEATURES.index("free")

PENALTY = 2000.0
"""Draws the values of a row towards those of another."""


@kernel
def describe(position: DotsPosition, out: Array) -> int:
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
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--positions", type=int, default=300_000, help="a round")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rule_set = rules.load("dots", rows=5, cols=5)
    values = np.zeros((STAGES, 2, len(FEATURES)))
    for number in range(options.rounds):
        terms = from_features(values.round().astype(int).tolist())
        games = self_play(rule_set, terms, RECIPE, Random(f"{options.seed} {number}"))
        values = fit(*samples_of(islice(games, options.positions)))
    about = {
        "about": f"Hundredths of a box for {', '.join(FEATURES)}, by stage and by parity.",
        "source": f"players.learning.fit_dots: {vars(options)}, {RECIPE}",
        "features": values.round().astype(int).tolist(),
    }
    options.out.write_text(json.dumps(about) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
