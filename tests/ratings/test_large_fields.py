"""Large fields: equations solved without a dense matrix, errors from draws, lists for tables."""

import math
import random

import numpy as np
import pytest

from arena.ratings import likelihood, sandwich, solving
from arena.ratings.columns import Columns
from arena.ratings.elo import Fit, fit
from arena.ratings.model import MOST_COMPARED
from arena.ratings.results import Result
from arena.ratings.standings import standings_of_results

pytestmark = pytest.mark.slow


def played(players: int, pairs: int, seed: int, near: int | None = None) -> list[Result]:
    """Colour-swapped pairs of players 3 Elo apart, each with any other or those `near`."""
    rng = np.random.default_rng(seed)
    results = []
    for number in range(pairs):
        one = int(rng.integers(players))
        other = (one + int(rng.integers(1, near or players))) % players
        bias = rng.normal(30, 60)
        for first, second in ((one, other), (other, one)):
            expected = 1 / (1 + 10 ** ((3 * (second - first) - bias) / 400))
            score = float(rng.random() < expected)
            results.append(Result(f"p{first:03}", f"p{second:03}", score, str(number)))
    return results


@pytest.fixture
def as_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "MOST_DENSE", 1)
    monkeypatch.setattr(sandwich, "MOST_DENSE", 1)


def both_ways(results: list[Result], anchor: str | None) -> tuple[Fit, Fit]:
    """The fit with whole matrices, and the one for large fields."""
    columns = Columns.of(results)
    whole = fit(columns, anchor=anchor)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solving, "MOST_DENSE", 1)
        patch.setattr(sandwich, "MOST_DENSE", 1)
        return whole, fit(columns, anchor=anchor)


@pytest.mark.parametrize(
    ("near", "anchor", "off"), [(None, None, 0.04), (None, "p007", 0.1), (6, None, 0.12)]
)
def test_draws_give_the_errors_of_the_whole_covariance(
    near: int | None, anchor: str | None, off: float
) -> None:
    whole, large = both_ways(played(120, 2500, 1, near), anchor)
    np.testing.assert_allclose(large.elo, whole.elo, atol=1e-6)
    assert large.first_mover is not None and whole.first_mover is not None
    assert large.first_mover.elo == pytest.approx(whole.first_mover.elo, abs=1e-6)
    assert large.first_mover.error == pytest.approx(whole.first_mover.error, rel=0.1)
    np.testing.assert_allclose(large.errors, whole.errors, rtol=off)
    gaps = (each.neighbours(whole.players) for each in (large, whole))
    ratios = [one.error / other.error for one, other in zip(*gaps, strict=True)]
    assert min(ratios) > 1 - 0.12 and max(ratios) < 1 + 0.12
    assert sum(ratios) / len(ratios) == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize("first_mover", [True, False])
@pytest.mark.parametrize("matched", [True, False])
def test_dense_and_sparse_arrays_give_the_same_fit(
    first_mover: bool, matched: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = Columns.of(played(12, 60, 4))
    dense = fit(columns, first_mover=first_mover, matched=matched)
    monkeypatch.setattr(likelihood, "_FEW_PLAYERS", 0)
    sparse = fit(columns, first_mover=first_mover, matched=matched)
    np.testing.assert_allclose(sparse.maxima[0].parameters, dense.maxima[0].parameters, atol=1e-9)
    np.testing.assert_allclose(sparse.elo, dense.elo, atol=1e-9)
    assert sparse.spread is not None and dense.spread is not None
    np.testing.assert_allclose(sparse.spread.matrix, dense.spread.matrix, atol=1e-9)


@pytest.mark.usefixtures("as_large")
def test_the_order_of_results_changes_no_draw() -> None:
    results = played(40, 300, 5)
    rated, again = fit(results), fit(random.Random(1).sample(results, len(results)))
    np.testing.assert_array_equal(again.elo, rated.elo)
    np.testing.assert_array_equal(again.errors, rated.errors)


@pytest.mark.usefixtures("as_large")
def test_intervals_from_draws_cover_the_truth() -> None:
    inside, runs, size = 0, 8, 60
    for seed in range(runs):
        rated = fit(played(size, 1500, seed))
        truth = 3 * (np.array([int(name[1:]) for name in rated.players]) - (size - 1) / 2)
        inside += int((np.abs(rated.elo - truth) <= rated.errors).sum())
    assert inside / (runs * size) > 0.95 - 4 * math.sqrt(0.95 * 0.05 / (runs * size))


def test_more_columns_are_solved_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from scipy import sparse

    rng = np.random.default_rng(3)
    root = rng.normal(size=(30, 20))
    matrix = sparse.csr_array(root.T @ root + np.eye(20))
    right = np.hstack((rng.normal(size=(20, 3)), np.zeros((20, 1))))
    whole = solving.solve(matrix, right)
    monkeypatch.setattr(solving, "MOST_DENSE", 1)
    np.testing.assert_allclose(solving.solve(matrix, right), whole, atol=1e-8)


def test_a_large_field_is_a_list() -> None:
    table = standings_of_results(played(MOST_COMPARED + 1, 3000, 2))
    assert len(table.players) == len(table.neighbours) + 1 == MOST_COMPARED + 1
    assert table.crosstable == table.covariance == ()
    assert all(row.elo_error for row in table.players)
