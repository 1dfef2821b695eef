"""What a schedule costs, counted in calls: a large field must not cost more a game."""

import sys
from collections.abc import Callable, Iterator

import pytest

import rules
from arena.tournament.estimate import imagined
from arena.tournament.formats import FORMATS
from arena.tournament.formats.base import Pairing, Plan, Schedule
from arena.tournament.formats.stopped import StoppedSchedule, StopTable
from tests.tournament.helpers import opened, stronger_first


def calls(do: Callable[[], object]) -> int:
    """How many functions are called meanwhile."""
    made = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal made
        made += event == "call"

    sys.setprofile(count)
    try:
        do()
    finally:
        sys.setprofile(None)
    return made


def played(schedule: Schedule) -> Iterator[Pairing]:
    """All its games, handed out round by round and added."""
    while games := list(iter(schedule.next, None)):
        for game in games:
            schedule.add(imagined(game, "dots", stronger_first(game)))
        yield from games


@pytest.mark.parametrize("name", ["round-robin", "gauntlet", "groups", "knockout"])
def test_a_game_of_a_large_field_costs_no_more(name: str) -> None:
    few, many = (opened(FORMATS[name], players) for players in (16, 64))
    games = [sum(1 for _ in played(opened(FORMATS[name], players))) for players in (16, 64)]
    costs = [calls(lambda it=each: list(played(it))) for each in (few, many)]
    assert costs[1] / games[1] < 1.5 * costs[0] / games[0]


def test_a_look_at_what_has_ended_costs_little() -> None:
    plan = Plan(tuple(f"m{number}" for number in range(60)), 1, rules.default("dots"), {})
    schedule = StoppedSchedule(FORMATS["round-robin"].open(plan), plan, StopTable(games=100), 2)
    assert sum(1 for _ in played(schedule)) == 100 and schedule.over
    assert calls(lambda: schedule.over) < 10


@pytest.mark.parametrize("name", ["swiss", "ladder"])
def test_a_round_of_a_large_field_is_dealt_by_a_look_at_each_meeting(name: str) -> None:
    opened(FORMATS[name], 4).next()  # what it imports is there then
    assert calls(opened(FORMATS[name], 64).next) < 4 * (64 * 63 // 2)
