"""Ratings where results chose the opponents."""

from random import Random

import numpy as np
import pytest

from arena.ratings.elo import Fit, fit
from arena.ratings.model import PRIOR
from arena.ratings.results import Result
from arena.ratings.standings import standings_of_results
from tests.ratings.test_elo import expected


def swiss(
    strengths: dict[str, float],
    rounds: int,
    seed: int,
    *,
    draws: float = 0.0,
    openings: float = 0.0,
) -> list[Result]:
    """Two games a round with the colours swapped, between players next to each other by points.
    `draws` is the share of the possible draws, `openings` the standard deviation in Elo of what
    the opening of a round is worth to the first move.
    """
    rng, results = Random(seed), list[Result]()
    points = dict.fromkeys(strengths, 0.0)
    for number in range(rounds):
        opening = Random(f"{seed} {number}").gauss(0, openings)
        order = sorted(points, key=lambda name: (-points[name], rng.random()))
        for one, other in zip(order[::2], order[1::2], strict=True):
            for first, second in ((one, other), (other, one)):
                p, luck = expected(strengths[first] - strengths[second] + opening), rng.random()
                drawn = draws * min(p, 1 - p)
                won = 1.0 if luck < p - drawn else 0.5 if luck < p + drawn else 0.0
                results.append(Result(first, second, won, f"{number} {one} {other}"))
                points[first] += won
                points[second] += 1 - won
    return results


def field(size: int, spread: float, seed: int) -> dict[str, float]:
    rng = Random(f"field {seed}")
    return {f"p{number:02}": rng.gauss(0, spread) for number in range(size)}


def off(rated: Fit, strengths: dict[str, float]) -> np.ndarray:
    """By how much each rating is wrong."""
    truth = np.array([strengths[name] for name in rated.players])
    return np.asarray(np.abs(rated.elo - truth + truth.mean()))


@pytest.mark.parametrize(("spread", "share"), [(0, 0.5), (100, 0.9)])
def test_luck_in_a_swiss_is_not_taken_for_strength(spread: float, share: float) -> None:
    found = {False: list[np.ndarray](), True: list[np.ndarray]()}
    held = list[bool]()
    for seed in range(4):
        strengths = field(16, spread, seed)
        results = swiss(strengths, 10, seed)
        for matched, errors in found.items():
            rated = fit(results, matched=matched)
            errors.append(off(rated, strengths))
            if matched:
                held += list(errors[-1] <= rated.errors)
    assert np.mean(held) > 0.9
    assert np.mean(found[True]) < share * np.mean(found[False])


def test_draws_are_not_taken_for_luck() -> None:
    held, spread = list[bool](), list[float]()
    for seed in range(6):
        strengths = field(30, 200, seed)
        rated = fit(swiss(strengths, 7, seed, draws=0.6), matched=True)
        held += list(off(rated, strengths) <= rated.errors)
        spread.append(float(np.std(rated.elo) / np.std([*strengths.values()])))
    assert np.mean(held) > 0.9
    assert 0.7 < np.mean(spread) < 1.2


def test_pairs_that_cancel_count_for_more() -> None:
    held = list[bool]()
    for seed in range(12):
        strengths = field(30, 100, seed)
        rated = fit(swiss(strengths, 7, seed, openings=300), matched=True)
        held += list(off(rated, strengths) <= rated.errors)
    assert np.mean(held) > 0.77


def test_few_pairs_that_cancel_are_not_taken_for_more() -> None:
    pairs = [("a", "b", 1.0), ("b", "a", 1.0), ("c", "d", 1.0), ("d", "c", 1.0)]
    won = [("a", "c", 1.0), ("c", "a", 0.0)]
    split = [Result(*each, str(number // 2)) for number, each in enumerate([*pairs, *won])]
    alone = fit([each._replace(pair="") for each in split], matched=True)
    assert fit(split, matched=True).errors == pytest.approx(alone.errors)


def test_many_results_speak_for_themselves() -> None:
    strengths = field(6, 200, 1)
    results = swiss(strengths, 200, 1)
    plain, fitted = fit(results), fit(results, matched=True)
    assert fitted.elo == pytest.approx(plain.elo, rel=0.02, abs=3)
    assert fitted.errors == pytest.approx(plain.errors, rel=0.1)
    assert plain.first_mover is not None and fitted.first_mover is not None
    assert fitted.first_mover.elo == pytest.approx(plain.first_mover.elo, abs=1)


def test_games_that_repeat_each_other_count_once() -> None:
    strengths = field(8, 150, 2)
    once = [each._replace(pair="") for each in swiss(strengths, 10, 2)]
    pairs = [each._replace(pair=str(number)) for number, each in enumerate(once)]
    again = fit([*pairs, *pairs], matched=True)
    assert again.elo == pytest.approx(fit(once, matched=True).elo, abs=0.01)
    assert again.errors == pytest.approx(fit(once, matched=True).errors, abs=0.01)


def test_the_anchor_moves_all_ratings_alike() -> None:
    results = swiss(field(8, 150, 3), 5, 3)
    free, tied = (
        fit(results, matched=True),
        fit(results, matched=True, anchor="p03", anchor_elo=1500),
    )
    assert np.ptp(tied.elo - free.elo) == pytest.approx(0, abs=1e-6)
    assert tied.error("p03") == 0
    was, now = (rated.compare("p01", "p02") for rated in (free, tied))
    assert (now.difference, now.error) == pytest.approx((was.difference, was.error))


def test_equals_that_met_their_like_are_not_separated() -> None:
    wrongly = 0
    for seed in range(4):
        rated = fit(swiss(field(16, 0, seed), 10, seed), matched=True)
        best = sorted(rated.players, key=lambda name: -rated.elo[rated.players.index(name)])
        wrongly += rated.compare(best[0], best[-1]).separated
    assert wrongly == 0


def test_a_player_that_won_all_its_results_is_separated() -> None:
    games = [Result(*names, float(names[0] == "a"), "") for names in (("a", "b"), ("b", "a"))]
    assert not fit(games, matched=True).compare("a", "b").separated
    lead = fit(10 * games, matched=True).compare("a", "b")
    assert lead.separated and lead.los > 0.99
    assert not lead.difference > lead.error


def test_draws_alone() -> None:
    rated = fit([Result("a", "b", 0.5, str(number // 2)) for number in range(8)], matched=True)
    assert rated.elo == pytest.approx([0, 0]) and rated.errors[0] > 50


def test_a_field_too_large_for_the_whole_covariance(monkeypatch: pytest.MonkeyPatch) -> None:
    results = swiss(field(8, 150, 3), 5, 3)
    monkeypatch.setattr("arena.ratings.elo.MOST_DENSE", 8)
    rated = standings_of_results(results, matched=True)
    assert not rated.matched and rated.prior == PRIOR
    assert rated.players == standings_of_results(results).players


def test_few_results() -> None:
    assert fit([], matched=True).players == ()
    alone = fit([Result("a", "b", 1.0, "")], matched=True)
    lead = alone.compare("a", "b")
    assert 0 < lead.difference < lead.error and not lead.separated
