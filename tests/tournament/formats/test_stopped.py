"""Ends before the last round."""

from collections.abc import Callable
from typing import Any

import pytest

import rules
from arena.errors import ConfigError
from arena.ratings.separation import log_ratio
from arena.tournament.config import TournamentConfig, differences
from arena.tournament.formats import FORMATS
from arena.tournament.formats.base import Plan
from arena.tournament.formats.stopped import StoppedSchedule, StopTable
from arena.tournament.rehearsal import imagined, rehearse
from tests.tournament.helpers import opened, stronger_first

Load = Callable[..., TournamentConfig]
DOTS = '[game]\nrules = "dots"\nrows = 2\ncols = 2\n[openings]\nplies = 0\n'


def stopped(format_: str, players: int, rounds: int, **stop: Any) -> StoppedSchedule:
    names = tuple(f"m{number}" for number in range(players))
    plan = Plan(names, rounds, rules.default("dots"), {})
    return StoppedSchedule(opened(FORMATS[format_], players, rounds), plan, StopTable(**stop), 2)


@pytest.mark.parametrize("name", ["round-robin", "gauntlet", "ladder"])
def test_by_games_to_the_end_of_a_pair(name: str) -> None:
    schedule = stopped(name, 4, 5, games=9)
    games = list(rehearse(schedule, "dots", stronger_first))
    assert len(games) == schedule.total == 10 and schedule.over
    assert [game.game for game in games] == [
        game.game for game in rehearse(opened(FORMATS[name], 4, 5), "dots", stronger_first)
    ][:10]
    assert schedule.ending == "Ended by [stop]: 10 of 10 games."


def test_by_games_a_seed_is_played_by_all() -> None:
    plan = Plan(("m0", "m1", "m2"), 5, rules.default("2048"), {})
    inner = opened(FORMATS["round-robin"], 3, 5, "2048")
    schedule = StoppedSchedule(inner, plan, StopTable(games=4), 2)
    assert len(list(rehearse(schedule, "2048", stronger_first))) == schedule.total == 6


def test_by_hours_of_play_over_all_runs() -> None:
    schedule = stopped("round-robin", 3, 50, hours=1)
    half = 30 * 60_000.0
    games = [schedule.next() for _ in range(5)]
    for game in games[:4]:  # two at a time: four half hours are one
        assert game is not None
        schedule.add(imagined(game, "dots", 1)._replace(duration_ms=half))
    pair = schedule.next()  # of the fifth game, which is in play
    assert pair is not None and games[4] is not None and pair.pair == games[4].pair
    assert schedule.next() is None and not schedule.over
    for game in (games[4], pair):
        schedule.add(imagined(game, "dots", 1))
    assert schedule.over and schedule.ending == "Ended by [stop]: 100% of 1 hours of play."


def test_by_separation_after_whole_rounds() -> None:
    schedule = stopped("round-robin", 3, 200, separated=1)
    first = [schedule.next() for _ in range(6)]
    assert None not in first and schedule.next() is None  # the look waits for the round
    for game in first:
        assert game is not None
        schedule.add(imagined(game, "dots", stronger_first(game)))
    games = list(rehearse(schedule, "dots", stronger_first))
    assert 60 < len(games) < 120 and len(games) % 6 == 0 and schedule.over
    assert "1 of the first 1 separated" in schedule.ending


def test_equals_are_not_separated() -> None:
    schedule = stopped("round-robin", 3, 30, separated=1)
    games = list(rehearse(schedule, "dots", lambda game: float(game.round % 2)))
    assert len(games) == 180
    assert "Ended by [stop]: 0 of the first 1 separated" in schedule.ending


def test_the_likelihood_ratio() -> None:
    # a lead of z standard errors s, looked for by N(0, 100): s = 10, z = 3
    assert log_ratio(30, 100) == pytest.approx(0.5 * (9 * 100 / 101 - 4.6151), abs=1e-3)
    assert log_ratio(0, 100) < 0 < log_ratio(-50, 100)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '[tournament]\nformat = "swiss"\n[stop]\ngames = 9\n',
            "stop: does not fit swiss: it ends",
        ),
        ("[knockout]\n[stop]\nhours = 1\n", "stop: does not fit knockout: it ends with its final"),
        ("[groups]\n[stop]\nhours = 1\n", "stop: does not fit groups: it ends with its final"),
        ("[stop]\nseparated = 4\n", "stop.separated: 4 are to be separated from those below, of 4"),
        ("[stop]\nhours = 0\n", "stop.hours: must be greater than 0, got 0"),
        ("[stop]\ngame = 3\n", 'stop.game: unknown key; did you mean "games"?'),
    ],
)
def test_refusals(load: Load, text: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(text + DOTS, players=4)
    assert said in str(caught.value)


def test_another_end_is_no_other_tournament(load: Load) -> None:
    one, other = load("[stop]\ngames = 8\n" + DOTS), load("[stop]\nhours = 2\n" + DOTS)
    assert not differences(one, other)
    assert one.is_fixed and not other.is_fixed
    both = load("[stop]\ngames = 8\nseparated = 1\n" + DOTS).stop
    assert str(both) == "after 8 games or once the first is separated"
