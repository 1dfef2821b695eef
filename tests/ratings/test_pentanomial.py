"""Two players head to head: figures known from published tools."""

import math

import numpy as np
import pytest

from arena.ratings.pentanomial import PairCounts, elo_of, figures, head_to_head
from arena.ratings.results import Result
from arena.ratings.scale import SCALE


def test_a_match_of_a_hundred_pairs() -> None:
    games = figures([38, 102, 60])
    pairs = figures(PairCounts(ll=4, ld=18, wl=12, dd=28, wd=28, ww=10).by_half_points)
    assert games.elo == pytest.approx(38.37, abs=0.005)
    assert pairs.elo == pytest.approx(38.37, abs=0.005)
    assert games.elo_error == pytest.approx(33.80, abs=0.005)
    assert pairs.elo_error == pytest.approx(34.09, abs=0.006)
    assert games.los == pytest.approx(0.9878, abs=5e-5)
    assert pairs.los == pytest.approx(0.9872, abs=5e-5)
    assert games.normalized_elo == pytest.approx(55.28, abs=0.005)
    assert pairs.normalized_elo == pytest.approx(54.83, abs=0.005)
    # Published tools say 48.15 for both: they take the spread of a game for known.
    assert games.normalized_elo_error == pytest.approx(48.88, abs=0.005)
    assert pairs.normalized_elo_error == pytest.approx(49.03, abs=0.005)
    assert not games.with_prior and not pairs.with_prior


def test_other_published_counts() -> None:
    games = figures([96, 111, 136])
    assert games.elo == pytest.approx(40.70, abs=0.005)
    assert games.elo_error == pytest.approx(30.43, abs=0.005)
    assert games.los == pytest.approx(0.9960, abs=5e-5)
    pairs = figures(PairCounts(34, 54, 31, 32, 64, 75).by_half_points)
    assert pairs.elo == pytest.approx(55.58, abs=0.005)
    assert pairs.elo_error == pytest.approx(27.65, abs=0.005)


def test_intervals_of_normalized_elo_cover_the_truth_as_often_as_they_say() -> None:
    shares, worth = np.array([0.01, 0.04, 0.15, 0.3, 0.5]), np.linspace(0, 1, 5)
    mean = shares @ worth
    lead = (mean - 0.5) / math.sqrt(shares @ (worth - mean) ** 2)
    true = lead / math.sqrt(2) * 2 * SCALE
    counted = [figures(each) for each in np.random.default_rng(1).multinomial(100, shares, 400)]
    hits = sum(abs(each.normalized_elo - true) <= each.normalized_elo_error for each in counted)
    assert 0.91 <= hits / 400 <= 0.99


@pytest.mark.parametrize("pairs", [2, 3, 5, 7, 10])
@pytest.mark.parametrize(
    ("shares", "normalized"),
    [
        ((0.1, 0.2, 0.4, 0.2, 0.1), 0.93),
        ((0.05, 0.1, 0.4, 0.2, 0.25), 0.93),
        ((0.01, 0.04, 0.15, 0.3, 0.5), 0.87),
    ],
)
def test_intervals_of_few_pairs_cover_the_truth(
    shares: tuple[float, ...], normalized: float, pairs: int
) -> None:
    worth = np.linspace(0, 1, 5)
    mean = float(np.dot(shares, worth))
    lead = (mean - 0.5) / math.sqrt(2 * np.dot(shares, (worth - mean) ** 2)) * 2 * SCALE
    counted = [figures(each) for each in np.random.default_rng(1).multinomial(pairs, shares, 400)]
    assert np.mean([abs(each.elo - elo_of(mean)) <= each.elo_error for each in counted]) >= 0.93
    off = [abs(each.normalized_elo - lead) / each.normalized_elo_error for each in counted]
    assert np.mean(np.array(off) <= 1) >= normalized


@pytest.mark.parametrize("count", [1, 5, 1000])
def test_scores_that_are_all_alike_stay_finite(count: int) -> None:
    won = figures([0, 0, count])
    lost = figures([count, 0, 0])
    drawn = figures([0, count, 0])
    split = figures([0, 0, count, 0, 0])
    for counted in (won, lost, drawn, split):
        assert counted.with_prior
        assert all(math.isfinite(value) for value in vars(counted).values())
        assert counted.elo_error > 0
    assert won.elo == pytest.approx(-lost.elo)
    assert won.elo > 0 and 0.5 < won.los <= 1
    assert drawn.elo == split.elo == 0 and drawn.los == split.los == 0.5


def test_nothing_to_count() -> None:
    with pytest.raises(ValueError, match="at least one"):
        figures([0, 0, 0])


def test_pairs_are_two_games_with_the_first_move_swapped() -> None:
    results = [
        Result("a", "b", 1.0, "p1"),
        Result("b", "a", 0.5, "p1"),  # WD
        Result("a", "b", 0.0, "p2"),  # its other game was never played
        Result("a", "b", 1.0, "p3"),
        Result("a", "b", 1.0, "p3"),  # the same side twice: no pair
        Result("b", "a", 1.0, "p4"),
        Result("a", "b", 1.0, "p4"),  # WL
        Result("a", "b", 0.5),  # no label
        Result("a", "c", 1.0, "p5"),  # another opponent
    ]
    counted = head_to_head(results, "a", "b")
    assert counted.games == (2, 2, 4)
    assert counted.pairs == PairCounts(ll=0, ld=0, wl=1, dd=0, wd=1, ww=0)
    assert (counted.unpaired, counted.dependent) == (4, 2)
    turned = head_to_head(results, "b", "a")
    assert turned.games == (4, 2, 2)
    assert turned.pairs == PairCounts(ll=0, ld=1, wl=1, dd=0, wd=0, ww=0)
    with pytest.raises(ValueError, match=r"0, 0\.5 or 1"):
        head_to_head([Result("a", "b", 0.25)], "a", "b")
