"""The fits of the evaluations: the regression against NumPy, self-play against the rules."""

from itertools import islice
from random import Random

import numpy as np
import pytest

import rules
from players.games.dots.evaluation import CHAINS, FEATURES, STAGES, from_features
from players.games.othello.evaluation import from_patterns
from players.games.othello.patterns import ENTRIES, PLACES, canonical_entries
from players.games.registry import load_board
from players.learning import fit_dots, fit_othello
from players.learning.fit_othello import ridge
from players.learning.self_play import Recipe, self_play
from players.search.types import Array
from players.weights.evaluations import load_terms
from tests.players.conftest import true_net
from tests.players.evaluation_helpers import evaluate, expectation


def test_ridge_agrees_with_the_normal_equations() -> None:
    random = np.random.default_rng(1)
    entries = random.integers(0, 12, (300, 3)).astype(np.int32)
    numbers = random.normal(size=(300, 2)).astype(np.float32)
    targets, prior = random.normal(size=300), random.normal(size=14)
    matrix = np.zeros((300, 14))
    for row, chosen in enumerate(entries):
        for entry in chosen:
            matrix[row, entry] += 1
    matrix[:, 12:] = numbers
    change = np.linalg.solve(
        matrix.T @ matrix + 5 * np.eye(14), matrix.T @ (targets - matrix @ prior)
    )
    found = ridge(entries, numbers, targets, prior, 5.0, 60)
    assert found == pytest.approx(prior + change, abs=1e-6)

    counts = random.uniform(0.1, 1, 300)
    change = np.linalg.solve(
        (matrix.T * counts) @ matrix + 5 * np.eye(14),
        (matrix.T * counts) @ (targets - matrix @ prior),
    )
    found = ridge(entries, numbers, targets, prior, 5.0, 60, counts)
    assert found == pytest.approx(prior + change, abs=1e-6)


@pytest.mark.parametrize("later", [(), (0.3,)])
def test_labels_of_self_play_are_true_where_play_is_exact(later: tuple[float, ...]) -> None:
    """Also where random moves come later: then it is the search that says so."""
    rule_set = rules.load("othello", size=4)
    terms = load_terms("othello", rule_set.variant)
    games = self_play(rule_set, terms, Recipe(2, 12, 4, 6, 0.5, later), Random(1))
    board = load_board("othello", rule_set.variant)
    truths = {}
    for seed in range(400):
        rng, truth = Random(seed), rule_set.start()
        for _ in range(12):
            if truth.is_over:
                break
            position = board.position(truth.state())
            if truth.legal_moves() != ("pass",):
                truths[position.own, position.other, position.seat] = truth
            truth = truth.play(rng.choice(truth.legal_moves()))
    compared = 0
    for position, margin in islice(games, 200):
        truth = truths.get((position.own, position.other, position.seat))
        if truth is not None:
            net = true_net(truth)
            assert margin == (net if position.seat == 0 else -net), truth
            compared += 1
    assert compared > 50


@pytest.mark.parametrize("preset", ["standard", "cornerless"])
def test_expectation_is_what_positions_of_self_play_are_worth(preset: str) -> None:
    """The mean of what is expected is near the mean of the results, where the mover seems to lose
    and where he seems to win.
    """
    rule_set = rules.load("othello", preset=preset)
    terms = load_terms("othello", rule_set.variant)
    games = self_play(rule_set, terms, Recipe(2, 10, 8, 50, 0.5), Random(4))
    results = [
        (float(expectation(position, evaluate(position, terms))), (1 + np.sign(margin)) / 2)
        for position, margin in islice(games, 4000)
    ]
    said, came = np.array(results).T
    for part in (said < 0.5, said >= 0.5):
        assert said[part].mean() == pytest.approx(came[part].mean(), abs=0.1)
    assert np.corrcoef(said, came)[0, 1] > 0.6


def test_a_fit_of_othello_finds_the_values_it_is_shown() -> None:
    """Margins made by an evaluation known: the fit says nearly the same where it was not shown."""
    rule_set = rules.load("othello")
    terms = load_terms("othello", rule_set.variant)
    positions = [
        position
        for position, _ in islice(
            self_play(rule_set, terms, Recipe(1, 0, 6, 30, 0.5), Random(2)), 4000
        )
    ]
    truth = load_terms("othello", rule_set.variant, "classic")
    values = np.array([evaluate(position, truth) for position in positions])
    own, other = (np.array([each[side] for each in positions], np.uint64) for side in (0, 1))
    samples = fit_othello.samples_of(own, other, values / 100, positions[0])
    assert samples.entries.shape == (4000, PLACES)
    assert (canonical_entries()[samples.entries] == samples.entries).all()
    assert samples.entries.max() < ENTRIES
    table = fit_othello.fit(samples)
    fitted = from_patterns(*table)
    shown = np.array([evaluate(position, fitted) for position in positions])
    held_out = fit_othello.is_held_out(4000)
    assert held_out.sum() == fit_othello.BLOCK
    assert np.corrcoef(shown[held_out], values[held_out])[0, 1] > 0.8
    lines = fit_othello.errors(samples, table)
    phases = np.unique(samples.phase[held_out])
    assert [line.split(":")[0] for line in lines] == [f"phase {phase}" for phase in phases]


def test_labels_anew_come_phase_by_phase_and_are_exact_near_the_end() -> None:
    rule_set = rules.load("othello")
    terms = load_terms("othello", rule_set.variant)
    games = self_play(rule_set, terms, Recipe(1, 0, 50, 52, 0.5), Random(3))
    positions = [position for position, _ in islice(games, 600)]
    own, other = (np.array([each[side] for each in positions], np.uint64) for side in (0, 1))
    samples = fit_othello.samples_of(own, other, np.zeros(600), positions[0])
    searched = fit_othello.searched(rule_set, np.stack([own, other], axis=1), positions[0], 2)
    seen: list[int] = []

    def labels(rows: Array, so_far: Array) -> Array:
        seen.extend(np.unique(samples.phase[rows]))
        found = searched(rows, so_far)
        assert found.tolist() == searched(rows, terms).tolist()
        return found

    scalars, _ = fit_othello.fit(samples, labels)
    assert seen == [0, 1, 2][: len(seen)]
    assert len(seen) > 1
    assert scalars[0].any()


def test_a_fit_of_dots_finds_the_values_it_is_shown() -> None:
    random = np.random.default_rng(3)
    values = random.integers(-50, 50, (STAGES, 2, len(FEATURES)))
    rows = random.integers(0, 2 * STAGES, 60_000)
    features = random.integers(1, 9, (60_000, len(FEATURES))).astype(np.float64)
    targets = (values.reshape(2 * STAGES, -1)[rows] * features).sum(axis=1)
    found = fit_dots.fit(rows, features, targets)
    assert np.abs(found - values).max() < 25
    assert np.corrcoef(found.ravel(), values.ravel())[0, 1] > 0.95
    whole = found.round().astype(int)
    assert from_features(whole.tolist()).tolist() == [CHAINS, *whole.ravel()]


def test_quiet_positions_of_dots_are_described() -> None:
    rule_set = rules.load("dots", rows=3, cols=3)
    terms = load_terms("dots", rule_set.variant)
    games = self_play(rule_set, terms, Recipe(1, 12, 2, 12, 0.9), Random(1))
    rows, features, targets = fit_dots.samples_of(islice(games, 300))
    assert len(rows) == len(features) == len(targets) > 30
    assert rows.min() >= 0
    assert rows.max() < 2 * STAGES
    assert (features[:, fit_dots.FREE] > 0).all()
    assert (np.abs(targets) <= 900).all()
