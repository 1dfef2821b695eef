"""Fit the patterns of an Othello preset to self-play, in rounds:

    python -m players.learning.fit_othello standard --positions 1200000 --rounds 1 patterns.npz

The first round's games are played with the evaluation named by `--start`, those of a later round
with the one fitted before; the last fit is to the positions of all rounds but the first, if there
are more. The file can be named as a player's evaluation.
"""

import json
from collections.abc import Sequence
from itertools import islice
from random import Random
from typing import NamedTuple

import numpy as np

import rules
from players.compiled.cache import kernel
from players.games.othello.board import OthelloPosition
from players.games.othello.evaluation import PHASES, SCALARS, from_patterns, phase_of, scalars
from players.games.othello.patterns import ENTRIES, PLACES, canonical_entries, write_entries
from players.games.registry import load_board
from players.learning.self_play import Recipe, Sample, fit_options, self_play
from players.ntuple.board import diagonal
from players.search.types import Array, Word
from players.weights.evaluations import load_terms

LATER = (0.05, 0.12, 0.25)
RECIPES = {
    "standard": Recipe(6, 14, 2, 16, 0.0, LATER),
    "cornerless": Recipe(4, 14, 2, 16, 0.0, LATER),
}
"""Cornerless Othello is searched less deep: it has three times the choice of moves."""

PENALTY, STEPS = 30.0, 30
"""Of the ridge regression; chosen by the error on positions held out."""

BLOCK, HELD_OUT = 500, 20
"""Of that many blocks of positions in a row, each of many whole games, one is not fitted to."""

GRAIN = 12
"""Entries of patterns are rounded to that many hundredths, which makes for a small file."""


class Samples(NamedTuple):
    """Positions as the fit sees them."""

    entries: Array
    """int32[n, PLACES]: the pattern entries, mirror images as one."""
    numbers: Array
    """float32[n, SCALARS]"""
    phase: Array
    """int64[n]"""
    margin: Array
    """float64[n]: what the position is worth to the mover, in hundredths of a disc."""


@kernel
def describe(own: Array, other: Array, playable: Word, free: Word, samples: Samples) -> None:
    """Fill the columns of `samples`, but for the margins, from words."""
    flat = samples.entries.reshape(-1)
    for row in range(len(own)):
        words = own[row], diagonal(own[row]), other[row], diagonal(other[row])
        write_entries(*words, flat, row * PLACES)
        first, second, third, fourth = scalars(own[row], other[row], playable, free)
        samples.numbers[row, 0], samples.numbers[row, 1] = first, second
        samples.numbers[row, 2], samples.numbers[row, 3] = third, fourth
        samples.numbers[row, 4] = 1
        samples.phase[row] = phase_of(own[row], other[row], playable)


def samples_of(
    own: Array, other: Array, margins: Sequence[float], model: OthelloPosition
) -> Samples:
    """Samples of uint64 words and margins in discs; `model` is any position of the board."""
    count = len(own)
    samples = Samples(
        np.zeros((count, PLACES), np.int32),
        np.zeros((count, SCALARS), np.float32),
        np.zeros(count, np.int64),
        100.0 * np.asarray(margins, np.float64),
    )
    describe(own, other, model.playable, model.free, samples)
    canonical = canonical_entries()
    return samples._replace(entries=canonical[samples.entries])


def is_held_out(count: int) -> Array:
    """bool[count]: which of that many positions are not fitted to."""
    held_out: Array = np.arange(count) // BLOCK % HELD_OUT == 0
    return held_out


def fit(samples: Samples) -> tuple[Array, Array]:
    """(scalars, patterns) as in an evaluation's file: each phase from its positions and those of
    the phases next to it, shrunk towards what was found for the phase after it.
    """
    weights, phases = np.zeros(ENTRIES + SCALARS), np.zeros((PHASES, ENTRIES + SCALARS))
    fitted = ~is_held_out(len(samples.phase))
    for phase in range(PHASES):
        chosen = fitted & (np.abs(samples.phase - phase) <= 1)
        if chosen.any():
            rows = Samples(*(column[chosen] for column in samples))
            weights = ridge(rows.entries, rows.numbers, rows.margin, weights, PENALTY, STEPS)
        phases[phase] = weights
    patterns = np.round(phases[:, :ENTRIES] / GRAIN) * GRAIN
    patterns[:, canonical_entries() != np.arange(ENTRIES)] = 0
    return phases[:, ENTRIES:].round().astype(np.int16), patterns.astype(np.int16)


def errors(samples: Samples, table: tuple[Array, Array]) -> list[str]:
    """What the fit is off by where it was not fitted to, phase by phase."""
    lines = []
    held_out = is_held_out(len(samples.phase))
    for phase in range(PHASES):
        rows = Samples(*(column[held_out & (samples.phase == phase)] for column in samples))
        if len(rows.margin) > 1:
            weights = np.concatenate([table[1][phase], table[0][phase]]).astype(np.float64)
            found = sums(rows.entries, rows.numbers, weights)
            error = np.abs(found - rows.margin).mean() / 100
            correlation = np.corrcoef(found, rows.margin)[0, 1]
            lines.append(f"phase {phase}: {error:.2f} discs, correlation {correlation:.3f}")
    return lines


def ridge(
    entries: Array, numbers: Array, targets: Array, prior: Array, penalty: float, steps: int
) -> Array:
    """float64[:]: the weights w that make |sums(w) − targets|² + penalty·|w − prior|² small, after
    `steps` of preconditioned conjugate gradients from `prior`.

    `entries` is int32[n, places] and `numbers` float32[n, k]; the last k weights are those of the
    numbers. Few steps are a smoothing of their own: rare entries move late.
    """
    rest = totals(entries, numbers, targets - sums(entries, numbers, prior), len(prior))
    uses = np.bincount(entries.ravel(), minlength=len(prior)).astype(np.float64)
    uses[len(prior) - numbers.shape[1] :] = np.square(numbers, dtype=np.float64).sum(axis=0)
    scale = 1.0 / (uses + penalty)

    change, scaled = np.zeros(len(prior)), scale * rest
    direction, size = scaled.copy(), rest @ scaled
    for _ in range(steps):
        fitted = sums(entries, numbers, direction)
        curved = totals(entries, numbers, fitted, len(prior)) + penalty * direction
        length = size / (direction @ curved)
        change += length * direction
        rest -= length * curved
        scaled = scale * rest
        before, size = size, rest @ scaled
        direction = scaled + size / before * direction
    return prior + change


def sums(entries: Array, numbers: Array, weights: Array) -> Array:
    """float64[n]: each row's weights of its `entries`, and its `numbers` times the last weights."""
    found: Array = weights[entries].sum(axis=1) + numbers @ weights[-numbers.shape[1] :]
    return found


def totals(entries: Array, numbers: Array, values: Array, size: int) -> Array:
    """float64[size]: each weight's sum of the `values` of the rows that use it, as often as they
    do: the transpose of `sums`.
    """
    found: Array = np.bincount(entries.ravel(), np.repeat(values, entries.shape[1]), size)
    found[-numbers.shape[1] :] += values @ numbers
    return found


def main() -> None:
    """The command line."""
    options = fit_options(__doc__, 1_200_000, sorted(RECIPES))
    rule_set, recipe = rules.load("othello", preset=options.preset), RECIPES[options.preset]
    model = load_board("othello", rule_set.variant).position(rule_set.start().state())
    terms = load_terms("othello", rule_set.variant, options.start)
    rounds: list[list[Sample]] = []
    for number in range(options.rounds):
        games = self_play(rule_set, terms, recipe, Random(f"{options.seed} {number}"))
        rounds.append(list(islice(games, options.positions)))
        kept = [sample for each in (rounds[1:] or rounds) for sample in each]
        own, other = (np.array([p[side] for p, _ in kept], np.uint64) for side in (0, 1))
        samples = samples_of(own, other, [margin for _, margin in kept], model)
        table = fit(samples)
        terms = from_patterns(*table)
        print(f"round {number + 1}", *errors(samples, table), sep="\n", flush=True)  # noqa: T201 - a tool's answer
    about = {
        "about": f"Patterns of {options.preset} Othello on 8×8, in hundredths of a disc, by phase.",
        "source": f"players.learning.fit_othello: {vars(options)}, {recipe}",
    }
    np.savez_compressed(
        options.out, about=np.array(json.dumps(about)), scalars=table[0], patterns=table[1]
    )


if __name__ == "__main__":
    main()
