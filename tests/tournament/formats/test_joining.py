"""Players that join an open format later, and players that leave it, move no game of others."""

import pytest

import rules
from arena.tournament.formats import FORMATS
from arena.tournament.formats.base import Plan
from arena.tournament.rehearsal import imagined, rehearse
from tests.tournament.helpers import opened, stronger_first

OPEN = [name for name, each in FORMATS.items() if not each.closed]


def test_which_are_open() -> None:
    assert OPEN == ["round-robin", "gauntlet", "swiss", "ladder"]


@pytest.mark.parametrize("name", OPEN)
@pytest.mark.parametrize("played", [12, 15, 18])
@pytest.mark.parametrize("out", [frozenset[str](), frozenset({"m2"})])
def test_two_join_and_one_leaves(name: str, played: int, out: frozenset[str]) -> None:
    format_ = FORMATS[name]
    before = list(rehearse(opened(format_, 6, 5), "dots", stronger_first))[:played]
    names = tuple(f"m{number}" for number in range(8))
    plan = Plan(names, 5, rules.default("dots"), format_.keys().model_dump(), (6,), out)
    schedule = format_.open(plan)
    for game in before:
        schedule.add(imagined(game, "dots", stronger_first(game)))
    more = list(rehearse(schedule, "dots", stronger_first))
    assert schedule.over and schedule.total == len(before) + len(more)
    assert not {game.game for game in before} & {game.game for game in more}
    assert {"m6", "m7"} <= {name for game in more for name in game.players}
    assert all(out.isdisjoint(game.players) for game in more)


def test_rounds_before_it_joined_are_no_byes() -> None:
    swiss = FORMATS["swiss"]
    before = list(rehearse(opened(swiss, 6, 4), "dots", stronger_first))[:12]
    names = tuple(f"m{number}" for number in range(8))
    schedule = swiss.open(Plan(names, 4, rules.default("dots"), {}, later=(6,)))
    for game in before:
        schedule.add(imagined(game, "dots", stronger_first(game)))
    list(rehearse(schedule, "dots", stronger_first))
    ranking = schedule.ranking()
    assert ranking is not None and not any("bye" in note for note in ranking.notes)


@pytest.mark.parametrize("played", [30, 33])
def test_a_player_that_makes_the_field_odd_does_not_rest_for_ever(played: int) -> None:
    swiss = FORMATS["swiss"]
    before = list(rehearse(opened(swiss, 10, 9), "dots", stronger_first))[:played]
    names = tuple(f"m{number}" for number in range(11))
    schedule = swiss.open(Plan(names, 9, rules.default("dots"), {}, later=(10,)))
    for game in before:
        schedule.add(imagined(game, "dots", stronger_first(game)))
    more = list(rehearse(schedule, "dots", stronger_first))
    rounds = {game.round for game in more if "m10" in game.players}
    assert 4 in rounds and len(rounds) >= 5, "it rests once at most"
