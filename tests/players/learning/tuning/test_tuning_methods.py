"""How parameters learn: the rule of self-play by hand, SPSA and CMA-ES on a function whose best
point is known.
"""

import json
import math
from random import Random

import numpy as np
import pytest

from players.learning.tuning.matches import PlayedGame
from players.learning.tuning.methods import (
    METHODS,
    CmaEs,
    Duel,
    Method,
    SelfPlay,
    Spsa,
    pair_scores,
)
from players.learning.tuning.space import Range, Space
from tests.players.learning.tuning.spaces import CORNERLESS, space_of


def game_of(*moves: tuple[int, str], net: int) -> PlayedGame:
    return PlayedGame(moves, net)


class TestSelfPlay:
    def test_the_rule_by_hand(self) -> None:
        space = space_of()
        method = SelfPlay(space, 1, constant=0.01, batch=1)
        won_by_black = game_of((0, "c1"), (1, "b1"), (0, "f8"), (1, "d4"), (0, "d4"), net=2)
        method.learn([won_by_black])
        found = dict(zip(space.names, method.vector, strict=True))
        assert found.pop("black c1") == pytest.approx(1.02)  # c1 and f8 mirror each other
        assert found.pop("black d4") == pytest.approx(1.01)
        assert found.pop("white b1") == pytest.approx(0.99)
        assert found.pop("white d4") == pytest.approx(0.99)
        assert set(found.values()) == {1.0}
        method.learn([game_of((0, "c1"), (1, "d4"), net=-1)])
        found = dict(zip(space.names, method.vector, strict=True))
        assert found["black c1"] == pytest.approx(1.01)
        assert found["white d4"] == pytest.approx(1.0)

    def test_a_drawn_game_changes_nothing(self) -> None:
        method = SelfPlay(space_of(), 1, constant=0.01, batch=1)
        method.learn([game_of((0, "c1"), (1, "b1"), net=0)])
        assert set(method.vector) == {1.0}

    def test_weights_are_clipped_after_each_game(self) -> None:
        space = space_of()
        method = SelfPlay(space, 1, constant=0.07, batch=2)
        up, down = game_of((0, "c1"), net=1), game_of((0, "c1"), net=-1)
        method.learn([up, up, down])
        assert method.vector[space.names.index("black c1")] == pytest.approx(1.1 - 0.07)

    def test_both_play_the_same_weights_from_the_start(self) -> None:
        method = SelfPlay(space_of(), 1, constant=0.01, batch=3)
        assert method.duels() == [Duel(method.vector, method.vector, None)] * 3


OPTIMUM = (0.7, 1.6)
OPTIONS = [Range("c", 0.05, 3.0, 0.1, 1.2, False), Range("mix", 0.0, 4.0, 0.2, 0.6, False)]


def strength(vector: tuple[float, ...]) -> float:
    """Best at OPTIMUM; a step away costs a quarter of a unit of log odds, and more further off."""
    steps = [(x - best) / each.step for x, best, each in zip(vector, OPTIMUM, OPTIONS, strict=True)]
    return -0.25 * sum(step * step for step in steps) ** 0.5


def noisy_game(duel: Duel, rng: Random) -> PlayedGame:
    odds = math.exp(strength(duel.first) - strength(duel.second))
    return PlayedGame((), 1 if rng.random() < odds / (1 + odds) else -1)


def learned(method: Method, games: int) -> tuple[float, ...]:
    rng = Random(5)
    while games > 0:
        duels = method.duels()
        method.learn([noisy_game(duel, rng) for duel in duels])
        games -= len(duels)
    return method.vector


def distance(vector: tuple[float, ...]) -> float:
    """From the optimum, in steps."""
    return max(
        abs(x - best) / each.step for x, best, each in zip(vector, OPTIMUM, OPTIONS, strict=True)
    )


SPSA = {"a": 30.0, "A": 50.0, "c": 1.0, "alpha": 0.602, "gamma": 0.101, "pairs": 8}
CMA = {"population": 8, "sigma": 1.5, "pairs": 16, "most_pairs": 64, "resample": 0.25}


class TestOptimisers:
    def test_the_start_is_far_from_the_optimum(self) -> None:
        assert distance(tuple(each.start for each in OPTIONS)) == pytest.approx(5.0)

    @pytest.mark.parametrize("seed", [1, 2, 3])
    def test_spsa_finds_the_optimum_of_a_noisy_function(self, seed: int) -> None:
        space = Space(CORNERLESS, {}, OPTIONS, None)
        assert distance(learned(Spsa(space, seed, **SPSA), 16_000)) < 1.0

    @pytest.mark.parametrize("seed", [1, 2, 3])
    def test_cma_finds_the_optimum_of_a_noisy_function(self, seed: int) -> None:
        space = Space(CORNERLESS, {}, OPTIONS, None)
        assert distance(learned(CmaEs(space, seed, **CMA), 16_000)) < 1.0

    def test_a_step_of_spsa_by_hand(self) -> None:
        space = Space(CORNERLESS, {}, OPTIONS, None)
        method = Spsa(space, 1, **{**SPSA, "pairs": 1})
        up, down = method.duels()
        assert (up.first, up.second, up.opening) == (down.second, down.first, down.opening)
        signs = np.sign(np.array(up.first) - np.array(space.start))
        assert np.allclose(np.array(up.first) - space.start, signs * space.step)
        method.learn([PlayedGame((), 1), PlayedGame((), -1)])  # θ+ wins both
        gain = 30.0 / 51.0**0.602 * 0.5  # a_0 · (1 − 0)/(2 · c_0)
        assert np.allclose(np.array(method.vector) - space.start, gain * signs * space.step)

    def test_noise_makes_candidates_play_more_pairs(self) -> None:
        method = CmaEs(Space(CORNERLESS, {}, OPTIONS, None), 1, **{**CMA, "pairs": 2})
        rng, before = Random(1), len(method.duels())
        for _ in range(40):
            method.learn([PlayedGame((), rng.choice((-1, 1))) for _ in method.duels()])
        assert len(method.duels()) > 2 * before

    @pytest.mark.parametrize(("low", "high"), [(0.05, 3.0), (0.95, 1.05)])
    def test_one_parameter_spreads_over_its_bounds_at_most(self, low: float, high: float) -> None:
        space = Space(CORNERLESS, {}, [Range("c", low, high, 0.1, 1.0, False)], None)
        method, rng = CmaEs(space, 7, **{**CMA, "pairs": 1, "most_pairs": 2}), Random(1)
        for _ in range(40):
            assert method._strategy.stds[0] * 0.1 <= (high - low) / 3 * 1.001
            duels = method.duels()
            assert all(low <= duel.first[0] <= high for duel in duels)
            method.learn([PlayedGame((), rng.choice((-1, 1))) for _ in duels])

    @pytest.mark.parametrize(("name", "settings"), [("spsa", SPSA), ("cma", CMA)])
    def test_put_away_and_taken_out_they_go_on_to_the_bit(
        self, name: str, settings: dict[str, float]
    ) -> None:
        space, rng = Space(CORNERLESS, {}, OPTIONS, None), Random(3)
        one = METHODS[name](space, 7, **settings)
        for _ in range(9):
            one.learn([noisy_game(duel, rng) for duel in one.duels()])
        other = METHODS[name](space, 7, **settings)
        other.restore(json.loads(json.dumps(one.state())))
        for _ in range(3):
            assert one.duels() == other.duels()
            games = [noisy_game(duel, rng) for duel in one.duels()]
            one.learn(games)
            other.learn(games)
        assert one.vector == other.vector

    def test_pairs_are_scored_as_the_one_sees_them(self) -> None:
        won, drawn, lost = (PlayedGame((), net) for net in (3, 0, -3))
        assert pair_scores([won, lost, drawn, drawn, lost, won, won, drawn]) == [2, 1, 0, 1.5]
