"""Fit the patterns of an Othello preset to self-play, in rounds:

    python -m players.learning.fit_othello standard --positions 1200000 --rounds 1 patterns.npz

The first round's games are played with the evaluation named by `--start`, those of a later round
with the one fitted before; the last fit is to the positions of all rounds but the first, if there
are more. With `--again 6` it labels them again, from the end on, by searches that deep with the
phases fitted before. The file can be named as a player's evaluation.
"""

import json
from collections.abc import Callable, Sequence
from itertools import islice
from random import Random
from typing import NamedTuple

import numpy as np

import rules
from players.compiled.cache import kernel
from players.games.endgame import load_endgame
from players.games.othello.board import OthelloPosition
from players.games.othello.evaluation import (
    PHASES,
    SCALARS,
    from_patterns,
    left,
    phase_of,
    scalars,
)
from players.games.othello.patterns import ENTRIES, PLACES, canonical_entries, write_entries
from players.games.registry import load_board
from players.learning.self_play import Recipe, Sample, fit_options, self_play
from players.ntuple.board import diagonal
from players.search.alphabeta.driver import AlphaBetaSearch, DepthLimits
from players.search.stop import NEVER
from players.search.types import Array, Word
from players.weights.evaluations import load_terms

LATER = (0.05, 0.12, 0.25)
EXACT = 14
"""Searches are exact from that many empty squares on."""
RECIPES = {
    "standard": Recipe(6, EXACT, 2, 16, 0.0, LATER),
    "cornerless": Recipe(4, EXACT, 2, 16, 0.0, LATER),
}
"""Cornerless Othello is searched less deep: it has three times the choice of moves."""

PENALTY, STEPS = 30.0, 30
"""Of the ridge regression; chosen by the error on positions held out."""

NEAR = 1200.0
"""A position worth that much, in hundredths, counts half: what is nearer decides games."""

BLOCK, HELD_OUT = 500, 20
"""Of that many blocks of positions in a row, each of many whole games, one is not fitted to."""

GRAIN = 12
"""Entries of patterns are rounded to that many hundredths, which makes for a small file."""


Labels = Callable[[Array, Array], Array]
"""What rows of samples are worth by searches with an evaluation's terms, in hundredths."""


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
        samples.numbers[row, 5] = left(own[row], other[row], playable) & 1
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


def fit(samples: Samples, labels: Labels | None = None) -> tuple[Array, Array]:
    """(scalars, patterns) as in an evaluation's file: each phase from its positions and those of
    the phases next to it, shrunk towards what was found for the phase after it. With `labels`,
    positions are labelled when their phase comes, and those before it are left out.
    """
    weights, phases = np.zeros(ENTRIES + SCALARS), np.zeros((PHASES, ENTRIES + SCALARS))
    margins, before = samples.margin.copy(), 1 if labels is None else 0
    fitted = ~is_held_out(len(samples.phase))
    for phase in range(PHASES):
        rows = np.flatnonzero(samples.phase == phase)
        if labels is not None and len(rows):
            margins[rows] = labels(rows, from_patterns(*rounded(phases)))
        chosen = fitted & (samples.phase >= phase - 1) & (samples.phase <= phase + before)
        if chosen.any():
            shown = Samples(*(column[chosen] for column in samples))._replace(
                margin=margins[chosen]
            )
            weights = ridge(
                shown.entries, shown.numbers, shown.margin, weights, PENALTY, STEPS, near(shown)
            )
        phases[phase:] = weights
    return rounded(phases)


def near(samples: Samples) -> Array:
    """float64[n]: what positions count."""
    counts: Array = 1 / (1 + (samples.margin / NEAR) ** 2)
    return counts


def rounded(phases: Array) -> tuple[Array, Array]:
    """(scalars, patterns) of weights by phase."""
    patterns = np.round(phases[:, :ENTRIES] / GRAIN) * GRAIN
    patterns[:, canonical_entries() != np.arange(ENTRIES)] = 0
    return phases[:, ENTRIES:].round().astype(np.int16), patterns.astype(np.int16)


def searched(rule_set: rules.Game, words: Array, model: OthelloPosition, depth: int) -> Labels:
    """Labels by searches `depth` deep of positions of `words`, uint64[n, 2], exact near the end."""
    board = load_board(rule_set.name, rule_set.variant)
    endgame = load_endgame(rule_set.name, board, 16)

    def labels(rows: Array, terms: Array) -> Array:
        search = AlphaBetaSearch(
            board, terms=terms, endgame=endgame, memory_mb=8, endgame_from=EXACT
        )
        positions = (model._replace(own=own, other=other) for own, other in words[rows])
        found = (search.think(each, NEVER, DepthLimits(depth)).score for each in positions)
        return 100 * np.fromiter(found, np.float64, len(rows))

    return labels


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
    entries: Array,
    numbers: Array,
    targets: Array,
    prior: Array,
    penalty: float,
    steps: int,
    counts: Array | float = 1.0,
) -> Array:
    """float64[:]: the weights w that make counts·|sums(w) − targets|² + penalty·|w − prior|² small,
    after `steps` of preconditioned conjugate gradients from `prior`; `counts` is of a row each.

    `entries` is int32[n, places] and `numbers` float32[n, k]; the last k weights are those of the
    numbers. Few steps are a smoothing of their own: rare entries move late.
    """
    counts = np.broadcast_to(np.float64(counts), len(targets))
    rest = totals(entries, numbers, counts * (targets - sums(entries, numbers, prior)), len(prior))
    uses = totals(entries, np.square(numbers, dtype=np.float64), counts, len(prior))
    scale = 1.0 / (uses + penalty)

    change, scaled = np.zeros(len(prior)), scale * rest
    direction, size = scaled.copy(), rest @ scaled
    for _ in range(steps):
        fitted = sums(entries, numbers, direction)
        curved = totals(entries, numbers, counts * fitted, len(prior)) + penalty * direction
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
        is_last = number == options.rounds - 1 and options.again > 0
        words = np.stack([own, other], axis=1)
        table = fit(samples, searched(rule_set, words, model, options.again) if is_last else None)
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
