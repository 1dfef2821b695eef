"""The sequential test: figures of published tools, the likelihoods by another way, error rates."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from arena.ratings import likelihood_ratio, sprt
from arena.ratings.likelihood_ratio import log_likelihood_ratio
from arena.ratings.matches import Model
from arena.ratings.sprt import Sprt, expected_units

Floats = NDArray[np.float64]
PAIRS = [4, 18, 12 + 28, 28, 10]
PAIRED = np.linspace(0, 1, 5)


def test_bounds() -> None:
    lower, upper = Sprt(alpha=0.05, beta=0.1).bounds
    assert lower == pytest.approx(math.log(0.1 / 0.95))
    assert upper == pytest.approx(math.log(0.9 / 0.05))
    test = Sprt(alpha=0.05, beta=0.1)
    assert [test.decision(x) for x in (lower, lower + 1e-9, upper - 1e-9, upper)] == [
        "H0",
        None,
        None,
        "H1",
    ]


def test_figures_of_published_tools() -> None:
    """Those of fastchess, to all the places they are given with."""
    by = {
        model: float(log_likelihood_ratio(Sprt(elo0=0, elo1=10, model=model), PAIRS))
        for model in ("normalized", "logistic")
    }
    assert by["normalized"] == pytest.approx(0.805235, abs=5e-7)
    assert by["logistic"] == pytest.approx(1.088586, abs=5e-7)
    many = log_likelihood_ratio(Sprt(elo0=0, elo1=2), [365, 16618, 36029 + 200, 16974, 390])
    assert float(many) == pytest.approx(2.25, abs=0.005)


def test_rows_are_judged_by_themselves_and_no_result_says_nothing() -> None:
    rows = np.array([[PAIRS, [0] * 5], [[0, 0, 0, 0, 9], [1, 2, 3, 2, 1]]])
    ratios = log_likelihood_ratio(Sprt(), rows)
    assert ratios.shape == (2, 2) and ratios[0, 1] == 0
    for index in np.ndindex(2, 2):
        assert ratios[index] == float(log_likelihood_ratio(Sprt(), rows[index]))


COUNTS = st.lists(st.integers(0, 10**4), min_size=5, max_size=5) | st.lists(
    st.integers(0, 10**4), min_size=3, max_size=3
)
ELO = st.floats(-sprt.MOST_ELO, sprt.MOST_ELO)
MODELS = st.sampled_from(["normalized", "logistic"])


@given(COUNTS, ELO, ELO, MODELS)
def test_seen_from_the_other_side_the_ratio_is_the_same(
    counts: list[int], elo0: float, elo1: float, model: Any
) -> None:
    ours = log_likelihood_ratio(Sprt(elo0=elo0, elo1=elo1, model=model), counts)
    theirs = log_likelihood_ratio(Sprt(elo0=-elo0, elo1=-elo1, model=model), counts[::-1])
    turned = log_likelihood_ratio(Sprt(elo0=elo1, elo1=elo0, model=model), counts)
    close = 1e-6 * (1 + abs(float(ours)))
    assert float(theirs) == pytest.approx(float(ours), abs=close)
    assert float(turned) == pytest.approx(-float(ours), abs=close)


def statistic(shares: Floats, worth: Floats, model: str) -> float:
    """What a hypothesis fixes: the mean score, or (μ − ½)/σ."""
    mean = float(shares @ worth)
    if model == "logistic":
        return mean
    return (mean - 0.5) / math.sqrt(float(shares @ (worth - mean) ** 2))


def likeliest(counts: list[int], elo: float, model: Model) -> tuple[Floats, Floats]:
    """The distribution that the module takes for a hypothesis, and what results are worth."""
    observed = np.where(np.array(counts) > 0, counts, 1e-3)[None, :]
    found = likelihood_ratio.likeliest(observed / observed.sum(), elo, model)
    return found[0], np.linspace(0, 1, len(counts))


@given(COUNTS.filter(any), ELO, MODELS)
def test_distributions_fulfil_their_hypothesis(counts: list[int], elo: float, model: Model) -> None:
    found, worth = likeliest(counts, elo, model)
    assert (found > 0).all() and found.sum() == pytest.approx(1)
    wanted = 1 / (1 + 10 ** (-elo / 400))
    if model == "normalized":
        wanted = elo / (800 / math.log(10)) * (math.sqrt(2) if len(counts) == 5 else 1)
    assert statistic(found, worth, model) == pytest.approx(wanted, abs=1e-7)


@pytest.mark.parametrize("model", ["normalized", "logistic"])
@pytest.mark.parametrize("counts", [PAIRS, [300, 2, 5, 1, 40], [0, 0, 3, 1, 0], [7, 1, 4]])
@pytest.mark.parametrize("elo", [-80.0, 0.0, 5.0, 100.0])
def test_no_distribution_near_by_is_likelier(counts: list[int], model: Model, elo: float) -> None:
    """Along the hypothesis: steps at random, brought back to it, never raise the likelihood."""
    found, worth = likeliest(counts, elo, model)
    seen = np.where(np.array(counts) > 0, counts, 1e-3)
    wanted, best = statistic(found, worth, model), float(seen @ np.log(found))
    rng = np.random.default_rng(1)
    for _ in range(20):
        step = rng.normal(size=len(found)) * found * 0.02
        tilt = np.linspace(-1, 1, len(found)) * found
        low, high = -0.5, 0.5  # how far to tilt so that the hypothesis holds again
        for _ in range(60):
            middle = (low + high) / 2
            near = found + step + middle * tilt
            near /= near.sum()
            low, high = (middle, high) if statistic(near, worth, model) < wanted else (low, middle)
        assert float(seen @ np.log(near)) <= best + 1e-7 * (1 + abs(best))


def test_how_long_a_test_takes() -> None:
    short = expected_units(Sprt(elo0=0, elo1=5), 2)
    assert short is not None
    assert short == pytest.approx((12_795, 20_931), abs=1)
    assert expected_units(Sprt(elo0=0, elo1=5, model="logistic"), 2) is None


def pairs_of(lead: float, model: str, opening: float, drawish: float) -> tuple[float, ...]:
    """How often colour-swapped pairs end with 0 to 4 half points, where the lead is `lead`.

    A game's log odds are the players' difference plus what its opening gives the first mover,
    ±`opening`; `drawish` is the draws' weight. The two games of a pair share the opening, so their
    results depend on each other. The difference is found that makes the lead the wanted one.
    """

    def game(odds: float) -> Floats:
        """Lost, drawn, won."""
        weights = np.array([math.exp(-odds / 2), drawish, math.exp(odds / 2)])
        return np.asarray(weights / weights.sum())

    def pair(difference: float) -> Floats:
        sides = (opening, -opening)
        return np.mean(
            [np.convolve(game(difference + s), game(difference - s)) for s in sides], axis=0
        )

    if model == "logistic":
        wanted = 1 / (1 + 10 ** (-lead / 400))
    else:
        wanted = lead / (800 / math.log(10)) * math.sqrt(2)
    low, high = -5.0, 5.0
    for _ in range(60):
        middle = (low + high) / 2
        below = statistic(pair(middle), PAIRED, model) < wanted
        low, high = (middle, high) if below else (low, middle)
    return tuple(pair(low))


AT_ONCE = 16


def decisions(test: Sprt, shares: tuple[float, ...], runs: int, seed: int) -> tuple[int, int]:
    """How many of that many runs accepted H0, and H1, looking after every unit. Units are drawn
    and looked at some at once, as a call takes as long for a few rows as for a thousand.
    """
    rng, (lower, upper) = np.random.default_rng(seed), test.bounds
    counts = np.zeros((runs, len(shares)))
    accepted = [0, 0]
    while len(counts):
        units = rng.choice(len(shares), size=(len(counts), AT_ONCE), p=shares)
        after = counts[:, None] + np.eye(len(shares))[units].cumsum(axis=1)
        rows, row = np.unique(after.reshape(-1, len(shares)), axis=0, return_inverse=True)
        ratios = log_likelihood_ratio(test, rows)[row].reshape(units.shape)
        ends = (ratios <= lower) | (ratios >= upper)
        over = ends.any(axis=1)
        last = ratios[over, ends[over].argmax(axis=1)]
        accepted[0] += int((last <= lower).sum())
        accepted[1] += int((last >= upper).sum())
        counts = after[~over, -1]
    return accepted[0], accepted[1]


RUNS = 1000


def at_most(rate: float) -> int:
    """Wrong decisions that a true rate of `rate` brings by chance: three standard deviations more
    than the mean; for 5% of 1000 runs 50 + 21. A rate of 7.7% would pass every other time.
    """
    return math.floor(RUNS * rate + 3 * math.sqrt(RUNS * rate * (1 - rate)))


OPENINGS = {
    "level": (0.0, 1.0),
    "decisive": (2.0, 0.0),
    "drawish": (1.0, 6.0),
    "nearly all drawn": (0.5, 40.0),
}
"""What an opening gives, and the weight of draws."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("test", "opening"),
    [
        (Sprt(elo0=0, elo1=100), "decisive"),
        (Sprt(elo0=0, elo1=100), "drawish"),
        (Sprt(elo0=-90, elo1=0, alpha=0.1, beta=0.02), "level"),
        (Sprt(elo0=0, elo1=80, model="logistic"), "decisive"),
        (Sprt(elo0=-15, elo1=25, model="logistic"), "drawish"),
        (Sprt(elo0=0, elo1=20, model="logistic"), "nearly all drawn"),
        (Sprt(elo0=0, elo1=100), "nearly all drawn"),
    ],
    ids=lambda value: value if isinstance(value, str) else f"{value.elo0:.0f}-{value.elo1:.0f}",
)
def test_wrong_decisions_are_as_rare_as_promised(test: Sprt, opening: str) -> None:
    """With the lead of a hypothesis, and colours that matter. All runs come to an end."""
    at_h0 = decisions(test, pairs_of(test.elo0, test.model, *OPENINGS[opening]), RUNS, seed=1)
    at_h1 = decisions(test, pairs_of(test.elo1, test.model, *OPENINGS[opening]), RUNS, seed=2)
    assert sum(at_h0) == sum(at_h1) == RUNS
    assert at_h0[1] <= at_most(test.alpha)
    assert at_h1[0] <= at_most(test.beta)
    assert at_h0[1] + at_h1[0] > 0, "a test that is never wrong takes longer than it need"


def test_the_games_of_a_simulated_pair_depend_on_each_other() -> None:
    """Their opening helps one in the one and the other in the other: pairs are more even."""
    shares = np.array(pairs_of(0.0, "normalized", *OPENINGS["decisive"]))
    drawn_at_least = shares[1] + shares[3]  # that many draws in two games, or more
    decisive = 1 - drawn_at_least / 2  # at most that share of games is decisive
    independent = decisive / 4 / 2  # variance of a pair's mean score, if its games were independent
    assert shares.sum() == pytest.approx(1) and shares @ PAIRED == pytest.approx(0.5)
    assert shares @ (PAIRED - 0.5) ** 2 < 0.8 * independent


@pytest.mark.slow
def test_wrong_decisions_on_lone_results() -> None:
    """As comparisons on one seed are: won, lost, seldom level."""
    test = Sprt(elo0=0, elo1=100)
    t = 100 / (800 / math.log(10))
    for lead, wrong, seed in (
        (0.0, 1, 3),
        (t / math.sqrt(1 + t * t), 0, 4),
    ):  # no draws: σ² = ¼ − μ²
        won = 0.5 + lead / 2
        accepted = decisions(test, (1 - won, 0.0, won), RUNS, seed)
        assert sum(accepted) == RUNS and accepted[wrong] <= at_most(0.05)


@pytest.mark.slow
def test_half_way_between_either_answer_comes_about_as_often() -> None:
    accepted = decisions(Sprt(elo0=0, elo1=100), pairs_of(50.0, "normalized", 1.0, 1.0), RUNS, 7)
    assert sum(accepted) == RUNS and 0.4 * RUNS < accepted[1] < 0.6 * RUNS


@pytest.mark.slow
def test_a_lead_beyond_a_hypothesis_is_mistaken_less_often() -> None:
    test = Sprt(elo0=0, elo1=100)
    worse = decisions(test, pairs_of(-50.0, "normalized", 1.0, 1.0), RUNS, seed=5)
    better = decisions(test, pairs_of(150.0, "normalized", 1.0, 1.0), RUNS, seed=6)
    assert worse[1] <= at_most(0.005) and better[0] <= at_most(0.005)
