"""Players with like points meet, nobody twice while that is possible."""

from collections import Counter
from collections.abc import Collection, Iterator
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rules
from arena.tournament.estimate import imagine, imagined
from arena.tournament.formats.base import Plan
from arena.tournament.formats.swiss import SWISS
from tests.tournament.helpers import opened, stronger_first


def test_the_first_round_sets_the_upper_half_against_the_lower() -> None:
    games = list(iter(opened(SWISS, 8).next, None))
    pairs = {frozenset(game.players) for game in games}
    assert pairs == {frozenset((f"m{place}", f"m{place + 4}")) for place in range(4)}
    assert len(games) == 8 and games[0].players == games[1].players[::-1]
    there = {name for game in iter(opened(SWISS, 5).next, None) for name in game.players}
    assert "m4" not in there  # of equals the last has the bye


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


def matchings(names: list[str | None]) -> Iterator[list[tuple[str | None, ...]]]:
    """All ways in which each of an even number meets one other; None is a bye."""
    if not names:
        yield []
    for other in names[1:]:
        for rest in matchings([name for name in names[1:] if name != other]):
            yield [(names[0], other), *rest]


@settings(max_examples=20, derandomize=True)
@given(players=st.integers(3, 7), seed=st.integers(0, 999))
def test_no_other_round_has_fewer_rematches_or_closer_points(players: int, seed: int) -> None:
    rng, schedule = Random(seed), opened(SWISS, players, rounds=5)
    names: list[str | None] = [*schedule.plan.players, *[None] * (players % 2)]
    points, met = dict.fromkeys(names, 0.0), Counter[frozenset[str | None]]()

    def cost(pairs: Collection[Collection[str | None]]) -> tuple[int, float]:
        apart = (abs(points[one] - points[other]) for one, other in pairs)
        return sum(met[frozenset(pair)] for pair in pairs), sum(each**2 for each in apart)

    while games := list(iter(schedule.next, None)):
        points[None] = min(points[name] for name in schedule.plan.players)
        round_ = {frozenset[str | None](game.players) for game in games}
        if resting := set(names) - set[str | None]().union(*round_):
            round_.add(frozenset(resting))
        assert cost(round_) == min(map(cost, matchings(names)))
        met.update(round_)
        for game in games:
            taken = stronger_first(game) if seed % 2 else rng.choice((0, 0.5, 1))
            schedule.add(imagined(game, "dots", taken))
            for player, score in zip(game.players, (taken, 1 - taken), strict=True):
                points[player] += score
        for name in resting - {None}:
            points[name] += 2


def test_the_last_round_is_the_one_of_equal_points() -> None:
    schedule = opened(SWISS, 8, rounds=3)
    games = [game for game in imagine(schedule, "dots", stronger_first) if game.round == 3]
    assert {frozenset(game.players) for game in games} >= {frozenset(("m0", "m1"))}
    ranking = schedule.ranking()
    assert ranking.columns == ("Points", "Buchholz", "S-B")
    first, *_, last = ranking.players
    assert (first.rank, first.player, first.figures[0]) == (1, "m0", 6)
    assert last.figures[0] == 0


def test_a_round_in_play_has_no_byes() -> None:
    schedule = opened(SWISS, 3, rounds=2)
    game = schedule.next()
    schedule.add(imagined(game, "dots", 1))
    points = {row.player: row.figures[0] for row in schedule.ranking().players}
    assert points == {game.players[0]: 1, game.players[1]: 0, "m2": 0}


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


def test_in_2048_a_bye_is_one_comparison_won() -> None:
    names, game = ("m0", "m1", "m2"), rules.load("2048", placer="player")
    schedule = SWISS.open(Plan(names, 1, game, {}))
    list(imagine(schedule, "2048", stronger_first))
    ranking = schedule.ranking()
    assert ranking is not None and "Byes (1 point each): m2. " in ranking.notes[-1]
    assert {row.player: row.figures[0] for row in ranking.players} == {"m0": 1, "m1": 0, "m2": 1}


@pytest.mark.parametrize("order", range(3))
def test_the_table_does_not_depend_on_the_order_of_results(order: int) -> None:
    schedule = opened(SWISS, 6, rounds=2)
    games = list(imagine(schedule, "dots", stronger_first))
    Random(order).shuffle(games)
    again = opened(SWISS, 6, rounds=2)
    for game in games:
        again.add(imagined(game, "dots", stronger_first(game)))
    assert again.over and again.ranking() == schedule.ranking()
