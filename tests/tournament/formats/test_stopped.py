"""Ends before the last round."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rules
from arena.errors import ConfigError
from arena.model.protocol import Termination
from arena.model.record import GameRecord
from arena.ratings.elo import fit
from arena.ratings.results import results_of
from arena.ratings.separation import log_ratio
from arena.tournament.config import TournamentConfig, differences
from arena.tournament.estimate import Estimate, estimate_left, imagine, imagined
from arena.tournament.events import GameFinished, GameStarted, RunStarted
from arena.tournament.formats import FORMATS
from arena.tournament.formats.base import Plan
from arena.tournament.formats.stopped import StoppedSchedule, StopTable
from arena.tournament.played_store import PlayedStore
from arena.tournament.run_view import RunView
from tests.tournament import helpers
from tests.tournament.helpers import opened, stronger_first
from tournaments.experiments.formats import judge

Load = Callable[..., TournamentConfig]
DOTS = '[game]\nrules = "dots"\nrows = 2\ncols = 2\n[openings]\nplies = 0\n'


def stopped(format_: str, players: int, rounds: int, **stop: Any) -> StoppedSchedule:
    names = tuple(f"m{number}" for number in range(players))
    plan = Plan(names, rounds, rules.default("dots"), {})
    return StoppedSchedule(opened(FORMATS[format_], players, rounds), plan, StopTable(**stop), 2)


@pytest.mark.parametrize("name", ["round-robin", "gauntlet", "ladder"])
def test_by_games_to_the_end_of_a_pair(name: str) -> None:
    schedule = stopped(name, 4, 5, games=9)
    games = list(imagine(schedule, "dots", stronger_first))
    assert len(games) == schedule.total == 10 and schedule.over
    assert [game.game for game in games] == [
        game.game for game in imagine(opened(FORMATS[name], 4, 5), "dots", stronger_first)
    ][:10]
    assert schedule.ending(over=True) == "Ended by [stop]: 10 of 10 games."


@pytest.mark.parametrize(
    ("games", "expected"),
    [
        (24, "Ended by [stop]: 24 of 24 games."),
        (40, "Ended by its last round, before [stop]: 24 of 40 games."),
    ],
)
def test_a_stop_that_was_not_reached_ended_nothing(games: int, expected: str) -> None:
    schedule = stopped("round-robin", 4, 2, games=games)
    assert len(list(imagine(schedule, "dots", stronger_first))) == schedule.total == 24
    assert schedule.ending(over=True) == expected


def test_one_that_asks_for_fewer_games_than_were_played_says_so() -> None:
    schedule, before = stopped("round-robin", 4, 2, games=3), stopped("round-robin", 4, 2, games=8)
    for game in imagine(before, "dots", stronger_first):
        schedule.add(imagined(game, "dots", stronger_first(game)))
    assert schedule.over and schedule.total == 8
    assert schedule.ending(over=True) == "Ended by [stop]: 8 games, more than the 4 it asks for."


def test_a_pair_that_began_before_it_was_lowered_is_made_whole() -> None:
    before = list(imagine(stopped("round-robin", 4, 2, games=8), "dots", stronger_first))
    schedule = stopped("round-robin", 4, 2, games=3)
    for game in before[:-1]:
        schedule.add(imagined(game, "dots", stronger_first(game)))
    assert schedule.total == 8 and schedule.next() == before[-1]
    assert schedule.total == 8 and not schedule.over and schedule.next() is None


def test_seeds_that_began_are_played_by_those_who_join() -> None:
    plan = Plan(("m0", "m1", "m2"), 5, rules.default("2048"), {})
    joined = plan._replace(players=("m0", "m1", "m2", "m3", "m4"), later=(3,))
    open_ = FORMATS["round-robin"].open
    before = StoppedSchedule(open_(plan), plan, StopTable(games=4), 2)
    schedule = StoppedSchedule(open_(joined), joined, StopTable(games=4), 2)
    for game in imagine(before, "2048", stronger_first):
        schedule.add(imagined(game, "2048", stronger_first(game)))
    assert schedule.total == 10
    games = list(imagine(schedule, "2048", stronger_first))
    assert [game.game for game in games] == ["g2-0001", "g2-0002", "g2-0003", "g2-0004"]
    assert schedule.over and schedule.total == 10


def test_by_games_a_seed_is_played_by_all() -> None:
    plan = Plan(("m0", "m1", "m2"), 5, rules.default("2048"), {})
    inner = opened(FORMATS["round-robin"], 3, 5, "2048")
    schedule = StoppedSchedule(inner, plan, StopTable(games=4), 2)
    assert len(list(imagine(schedule, "2048", stronger_first))) == schedule.total == 6


def test_a_seed_that_began_is_played_though_one_has_left_and_it_was_lowered() -> None:
    plan = Plan(("m0", "m1", "m2"), 5, rules.default("2048"), {})
    played = list(imagine(FORMATS["round-robin"].open(plan), "2048", stronger_first))[:8]
    left = plan._replace(out=frozenset({"m0"}))
    schedule = StoppedSchedule(
        FORMATS["round-robin"].open(left), left, StopTable(games=3), 2
    )  # 4 games and the 3 of m0, of 3 seeds
    for game in played:
        schedule.add(imagined(game, "2048", stronger_first(game)))
    assert schedule.total == 9
    assert [game.game for game in imagine(schedule, "2048", stronger_first)] == ["g0009"]
    assert schedule.over and schedule.total == 9


def test_games_of_one_who_has_left_come_on_top() -> None:
    plan = Plan(("m0", "m1", "m2", "m3"), 9, rules.default("dots"), {})
    played = list(imagine(FORMATS["round-robin"].open(plan), "dots", stronger_first))[:6]
    left = plan._replace(out=frozenset({"m3"}))
    schedule = StoppedSchedule(FORMATS["round-robin"].open(left), left, StopTable(games=12), 2)
    for game in played:  # four of them m3's
        schedule.add(imagined(game, "dots", stronger_first(game)))
    assert len(list(imagine(schedule, "dots", stronger_first))) == 10 and schedule.total == 16


def test_by_hours_of_play_over_all_runs() -> None:
    schedule = stopped("round-robin", 3, 50, hours=2)
    hour = 60 * 60_000.0
    games = [schedule.next() for _ in range(5)]
    for at, game in enumerate(games[:4]):  # two at a time: four hours are two
        assert game is not None
        played = imagined(game, "dots", 1)
        if at == 0:  # an attempt that was void took its time, too
            schedule.add(played._replace(duration_ms=hour, termination=Termination.VOID))
        schedule.add(played._replace(duration_ms=hour if at else 0.0))
    pair = schedule.next()  # of the fifth game, which is in play
    assert pair is not None and games[4] is not None and pair.pair == games[4].pair
    assert schedule.next() is None and not schedule.over
    for game in (games[4], pair):
        schedule.add(imagined(game, "dots", 1))
    assert schedule.over
    assert schedule.ending(over=True) == "Ended by [stop]: 100% of 2 hours of play."


def test_hours_that_are_used_up_as_the_last_round_ends() -> None:
    schedule = stopped("round-robin", 2, 1, hours=1)
    for _ in range(2):
        game = schedule.next()
        assert game is not None
        schedule.add(imagined(game, "dots", 1)._replace(duration_ms=3_600_000.0))
    assert schedule.ending(over=True) == "Ended by [stop]: 100% of 1 hours of play."


def test_after_a_kill_every_pair_that_began_is_made_whole() -> None:
    games = list(iter(opened(FORMATS["round-robin"], 4, 50).next, None))[:6]
    resumed = stopped("round-robin", 4, 50, hours=1)
    for at in (0, 1, 4):  # the third and the fourth were in play
        resumed.add(imagined(games[at], "dots", 1)._replace(duration_ms=3_600_000.0))
    assert resumed.next() == games[5]
    assert resumed.next() is None and not resumed.over
    resumed.add(imagined(games[5], "dots", 1))
    assert resumed.over


def test_games_that_a_ladder_loses_are_not_counted() -> None:
    before = list(imagine(opened(FORMATS["ladder"], 6, 5), "dots", stronger_first))[:20]
    names = tuple(f"m{number}" for number in range(8))
    plan = Plan(names, 5, rules.default("dots"), {}, later=(6,))
    schedule = StoppedSchedule(FORMATS["ladder"].open(plan), plan, StopTable(games=36), 2)
    for game in before:
        schedule.add(imagined(game, "dots", stronger_first(game)))
    list(imagine(schedule, "dots", stronger_first))
    assert schedule.over and schedule.total == 34
    said = "Ended by its last round, before [stop]: 34 of 36 games."
    assert schedule.ending(over=True) == said


def test_while_a_game_is_in_play_nothing_has_ended(
    load: Load, tmp_path: Path, played: Callable[..., GameRecord]
) -> None:
    config = load("[stop]\nhours = 1\n[tournament]\nrounds = 9\nconcurrency = 1\n" + DOTS)
    first, second, *_ = specs = helpers.schedule(config)
    hour = {"duration_ms": 3_600_000.0}
    with PlayedStore.open_run(tmp_path / "t.sqlite", config) as store:
        store.append(RunStarted(total=18, done=0, estimate=Estimate(expected_s=1, worst_s=1)))
        store.add(played(first).model_copy(update=hour))
        store.add(played(second).model_copy(update=hour))
        for spec in specs[2:4]:
            given = spec.model_dump(include={"game", "round", "pair", "opening", "seed"})
            store.append(GameStarted(**given, attempt=1, players=("m0", "m1")))
        with RunView(tmp_path / "t.sqlite") as view:
            assert view.standings.planned == 18
            assert str(view.standings.ending).startswith("Ends by [stop]: 200% of 1 hours")
            for spec in specs[2:4]:
                store.append(GameFinished(game=spec.game, attempt=1, done=2, total=18))
            view.refresh()
            assert view.standings.planned == 2
            assert str(view.standings.ending).startswith("Ended by [stop]: 200% of 1 hours")


def test_by_separation_after_whole_rounds() -> None:
    schedule = stopped("round-robin", 3, 200, separated=1)
    first = [schedule.next() for _ in range(6)]
    assert None not in first and schedule.next() is None  # the look waits for the round
    for game in first:
        assert game is not None
        schedule.add(imagined(game, "dots", stronger_first(game)))
    games = list(imagine(schedule, "dots", stronger_first))
    assert 60 < len(games) < 120 and len(games) % 6 == 0 and schedule.over
    said = schedule.ending(over=True)
    assert "1 of the first 1 separated" in said and "smaller than the Elo shows" in said
    assert f" after {len(games) // 6 + 1} rounds." in said


@pytest.mark.parametrize(("seed", "expected"), [(0, 330), (1, 342)])
def test_by_separation_where_runs_so_far_ended(seed: int, expected: int) -> None:
    drawn = judge({"m0": 0.0, "m1": -150.0, "m2": -400.0}, seed)
    games = imagine(stopped("round-robin", 3, 60, separated=2), "dots", drawn)
    assert len(list(games)) == expected


def test_equals_are_not_separated() -> None:
    schedule = stopped("round-robin", 3, 30, separated=1)
    games = list(imagine(schedule, "dots", lambda game: float(game.round % 2)))
    assert len(games) == 180
    said = "Ended by its last round, before [stop]: 0 of the first 1 separated"
    assert schedule.ending(over=True).startswith(said)
    assert "luck" not in schedule.ending(over=True)


def test_all_rounds_of_a_format_that_counts_its_own_are_looked_at() -> None:
    schedule = stopped("knockout", 2, 1, separated=1)
    games = list(imagine(schedule, "dots", lambda game: 0.5))
    assert games[-1].round == 4 and "after 4 rounds" in schedule.ending(over=True)


@pytest.mark.slow
def test_leads_that_ended_a_tournament_are_larger_than_in_truth() -> None:
    elo, found = {"m0": 100.0, "m1": 0.0, "m2": -100.0}, list[float]()
    for seed in range(12):
        schedule = stopped("round-robin", 3, 60, separated=1)
        drawn = judge(elo, seed, opening=0, drawn=0)
        games = list(imagine(schedule, "dots", drawn))
        if "luck" in schedule.ending(over=True):
            rated = fit(results_of(imagined(game, "dots", drawn(game)) for game in games))
            found.append(rated.compare("m0", "m1").difference)
    assert len(found) > 3 and sum(found) / len(found) > 115


def test_the_likelihood_ratio() -> None:
    # a lead of z standard errors s, looked for by N(0, 100): s = 10, z = 3
    assert log_ratio(30, 100) == pytest.approx(0.5 * (9 * 100 / 101 - 4.6151), abs=1e-3)
    assert log_ratio(0, 100) < 0 < log_ratio(-50, 100)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            '[tournament]\nformat = "swiss"\n[stop]\ngames = 9\n',
            "stop: does not fit swiss: it ends",
        ),
        ("[knockout]\n[stop]\nhours = 1\n", "stop: does not fit knockout: it ends with its final"),
        ("[groups]\n[stop]\nhours = 1\n", "stop: does not fit groups: it ends with its final"),
        ("[stop]\nseparated = 4\n", "stop.separated: must be less than the number of players, 4"),
        ("[stop]\nhours = 0\n", "stop.hours: must be greater than 0, got 0"),
        ("[stop]\ngame = 3\n", 'stop.game: unknown key; did you mean "games"?'),
    ],
)
def test_refusals(load: Load, text: str, expected: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(text + DOTS, players=4)
    assert expected in str(caught.value)


def test_another_end_is_no_other_tournament(load: Load) -> None:
    one, other = load("[stop]\ngames = 8\n" + DOTS), load("[stop]\nhours = 2\n" + DOTS)
    assert not differences(one, other)
    assert one.is_fixed and not other.is_fixed
    assert not load("[stop]\nseparated = 1\n" + DOTS).is_fixed
    each = load("[stop]\ngames = 8\nhours = 2\nseparated = 1\n" + DOTS).stop
    assert str(each) == "after 8 games or after 2 hours of play or once the first is separated"


def test_the_estimate_ends_with_the_hours(load: Load) -> None:
    thinkers = "".join(f'[[player]]\nbot = "thinker"\nname = "t{n}"\n' for n in range(4))
    text = '[tournament]\nrounds = 100\n[game]\nrules = "othello"\n[clock]\nmove_ms = 1000\n'
    config = load(f"{text}[stop]\nhours = 1\n{thinkers}", players=0)
    found = estimate_left(config, config.schedule())
    assert found.expected_s == 3600
    assert found.worst_s is not None and 3600 < found.worst_s < 3600 + 4 * 80
