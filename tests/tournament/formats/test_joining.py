"""Players that join an open format later, and players that leave it, move no game of others."""

import re
from random import Random

import pytest

import rules
from arena.tournament.estimate import imagine, imagined
from arena.tournament.formats import FORMATS
from arena.tournament.formats.base import Pairing, Plan
from tests.pages import text_of
from tests.tournament.helpers import opened, stronger_first

PAGE = "tournaments/README.md"
OPEN = [name for name, each in FORMATS.items() if not each.closed]


def test_the_page_says_which_are_open() -> None:
    (said,) = re.findall(r"Players may \[join later\][^.]*?leave in (.*)\.", text_of(PAGE))
    assert set(re.findall(r"`(.*?)`", said)) == set(OPEN), f"name them in {PAGE}, Formats"


@pytest.mark.parametrize("name", OPEN)
@pytest.mark.parametrize("played", [12, 15, 18])
@pytest.mark.parametrize("out", [frozenset[str](), frozenset({"m2"})])
def test_two_join_and_one_leaves(name: str, played: int, out: frozenset[str]) -> None:
    format_ = FORMATS[name]
    before = list(imagine(opened(format_, 6, 5), "dots", stronger_first))[:played]
    names = tuple(f"m{number}" for number in range(8))
    plan = Plan(names, 5, rules.default("dots"), format_.keys().model_dump(), (6,), out)
    schedule = format_.open(plan)
    for game in before:
        schedule.add(imagined(game, "dots", stronger_first(game)))
    more = list(imagine(schedule, "dots", stronger_first))
    assert schedule.over and schedule.total == len(before) + len(more)
    assert not {game.game for game in before} & {game.game for game in more}
    assert {"m6", "m7"} <= {name for game in more for name in game.players}
    assert all(out.isdisjoint(game.players) for game in more)


def test_rounds_before_it_joined_are_no_byes() -> None:
    swiss = FORMATS["swiss"]
    before = list(imagine(opened(swiss, 6, 4), "dots", stronger_first))[:12]
    names = tuple(f"m{number}" for number in range(8))
    schedule = swiss.open(Plan(names, 4, rules.default("dots"), {}, later=(6,)))
    for game in before:
        schedule.add(imagined(game, "dots", stronger_first(game)))
    list(imagine(schedule, "dots", stronger_first))
    ranking = schedule.ranking()
    assert ranking is not None and not any("bye" in note for note in ranking.notes)


@pytest.mark.parametrize("played", [30, 33])
def test_a_player_that_makes_the_field_odd_does_not_rest_for_ever(played: int) -> None:
    swiss = FORMATS["swiss"]
    before = list(imagine(opened(swiss, 10, 9), "dots", stronger_first))[:played]
    names = tuple(f"m{number}" for number in range(11))
    schedule = swiss.open(Plan(names, 9, rules.default("dots"), {}, later=(10,)))
    for game in before:
        schedule.add(imagined(game, "dots", stronger_first(game)))
    more = list(imagine(schedule, "dots", stronger_first))
    rounds = {game.round for game in more if "m10" in game.players}
    assert 4 in rounds and len(rounds) >= 5, "it rests once at most"


@pytest.mark.parametrize("name", ["swiss", "ladder"])
@pytest.mark.parametrize("new", [0, 2])
@pytest.mark.parametrize("order", range(3))
def test_rounds_that_were_played_stay_closed_when_players_leave(
    name: str, new: int, order: int
) -> None:
    format_ = FORMATS[name]
    before = list(imagine(opened(format_, 6, 4), "dots", stronger_first))
    met = next({*game.players} for game in before if game.round == 1)
    leaving = frozenset({"m0", next(f"m{n}" for n in range(1, 6) if f"m{n}" not in met)})
    names, later = tuple(f"m{number}" for number in range(6 + new)), (6,) if new else ()
    Random(order).shuffle(before)
    plan = Plan(names, 6, rules.default("dots"), {}, later, leaving)
    schedule = format_.open(plan)
    for game in before:
        schedule.add(imagined(game, "dots", stronger_first(game)))
    more = list(imagine(schedule, "dots", stronger_first))
    joined = {f"m{6 + number}" for number in range(new)}
    assert all(game.round > 4 or joined.issuperset(game.players) for game in more)
    assert {game.round for game in more} == ({4, 5, 6} if new else {5, 6})
    assert schedule.over and schedule.total == len(before) + len(more)


@pytest.mark.parametrize("name", ["swiss", "ladder"])
@pytest.mark.parametrize("order", range(20))
def test_players_come_and_go_and_a_killed_run_is_the_same(name: str, order: int) -> None:
    rng, format_ = Random(order), FORMATS[name]
    first = list(imagine(opened(format_, 7, 6), "dots", stronger_first))
    before = first[: rng.randrange(len(first))]
    names = tuple(f"m{number}" for number in range(9))
    out = frozenset(rng.sample(names[:7], 2))
    plan = Plan(names, 6, rules.default("dots"), {}, (7,), out)

    def ahead(played: list[Pairing]) -> list[Pairing]:
        schedule = format_.open(plan)
        for game in rng.sample(played, len(played)):
            schedule.add(imagined(game, "dots", stronger_first(game)))
        foretold = schedule.total
        games = list(imagine(schedule, "dots", stronger_first))
        assert schedule.over and schedule.total == foretold == len(played) + len(games)
        return games

    whole = ahead(before)
    done = rng.randrange(len(whole) + 1)
    current = whole[done].round if done < len(whole) else 0
    ended = whole[:done] + [game for game in whole[done:] if game.round == current][1::2]
    assert {*ended, *ahead([*before, *ended])} == {*whole}


def test_a_meeting_of_an_earlier_round_that_is_lost_is_played_again() -> None:
    swiss = FORMATS["swiss"]
    games = list(imagine(opened(swiss, 6, 3), "dots", stronger_first))
    schedule = opened(swiss, 6, 3)
    for game in games[2:]:
        schedule.add(imagined(game, "dots", stronger_first(game)))
    assert list(iter(schedule.next, None)) == games[:2]


def test_a_player_that_joined_has_a_bye_where_its_first_opponent_left() -> None:
    swiss = FORMATS["swiss"]
    names = ("m0", "m1", "m2", "m3", "m4", "m5")
    plan = Plan(names, 2, rules.default("dots"), {}, later=(4,))
    games = list(imagine(swiss.open(plan), "dots", stronger_first))
    first = next(game for game in games if "m5" in game.players)
    (leaver,) = {*first.players} - {"m5"}
    schedule = swiss.open(plan._replace(out=frozenset({leaver})))
    for game in games:
        schedule.add(imagined(game, "dots", stronger_first(game)))
    ranking = schedule.ranking()
    assert ranking is not None
    byes = next(note for note in ranking.notes if note.startswith("Byes"))
    assert "m5" in byes
