"""Players with like points meet, nobody twice while that is possible."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.tournament.estimate import imagine
from arena.tournament.formats.swiss import SWISS
from tests.tournament.helpers import opened, stronger_first


def test_the_first_round_sets_the_upper_half_against_the_lower() -> None:
    games = list(iter(opened(SWISS, 8).next, None))
    pairs = {frozenset(game.players) for game in games}
    assert pairs == {frozenset((f"m{place}", f"m{place + 4}")) for place in range(4)}
    assert len(games) == 8 and games[0].players == games[1].players[::-1]


def test_no_round_begins_before_the_one_before_it_is_over() -> None:
    schedule = opened(SWISS, 4, rounds=2)
    games = imagine(schedule, "dots", stronger_first)
    assert [next(games).round for _ in range(4)] == [1] * 4
    assert schedule.next() is None and not schedule.over
    assert [game.round for game in games] == [2] * 4 and schedule.over


@settings(max_examples=20, derandomize=True)
@given(players=st.integers(4, 12), seed=st.integers(0, 999))
def test_like_points_meet_and_nobody_meets_or_rests_twice(players: int, seed: int) -> None:
    rng, rounds = Random(seed), 3
    schedule = opened(SWISS, players, rounds)
    games = list(imagine(schedule, "dots", lambda game: rng.choice((0, 0.5, 1))))
    assert len(games) == schedule.total == rounds * (players // 2 * 2)
    if players > 5:
        assert set(Counter(frozenset(game.players) for game in games).values()) == {2}
    resting = [
        name
        for round_ in range(1, rounds + 1)
        for name in schedule.plan.players
        if all(name not in game.players for game in games if game.round == round_)
    ]
    assert len(resting) == len(set(resting)) == rounds * (players % 2)


def test_the_last_round_is_the_one_of_equal_points() -> None:
    schedule = opened(SWISS, 8, rounds=3)
    games = [game for game in imagine(schedule, "dots", stronger_first) if game.round == 3]
    assert {frozenset(game.players) for game in games} >= {frozenset(("m0", "m1"))}
    ranking = schedule.ranking()
    assert ranking.columns == ("Points", "Buchholz", "S-B")
    first, *_, last = ranking.players
    assert (first.rank, first.player, first.figures[0]) == (1, "m0", 6)
    assert last.figures[0] == 0


def test_equals_share_the_rank_and_a_bye_is_a_meeting_won() -> None:
    schedule = opened(SWISS, 3)
    list(imagine(schedule, "dots", lambda game: 0.5))
    assert [(row.rank, row.player, row.figures) for row in schedule.ranking().players] == [
        (1, "m2", (2, 2, 4)),
        (2, "m0", (1, 1, 1)),
        (2, "m1", (1, 1, 1)),
    ]
    assert "Byes (2 points each): m2. For tie-breaks" in schedule.ranking().notes[-1]
    longer = opened(SWISS, 3, rounds=4)
    list(imagine(longer, "dots", lambda game: 0.5))
    assert "Byes (2 points each): m0, m1, m2 × 2. For" in longer.ranking().notes[-1]


@pytest.mark.parametrize("order", range(3))
def test_the_table_does_not_depend_on_the_order_of_results(order: int) -> None:
    from arena.tournament.estimate import imagined

    schedule = opened(SWISS, 6, rounds=2)
    games = list(imagine(schedule, "dots", stronger_first))
    Random(order).shuffle(games)
    again = opened(SWISS, 6, rounds=2)
    for game in games:
        again.add(imagined(game, "dots", stronger_first(game)))
    assert again.over and again.ranking() == schedule.ranking()
