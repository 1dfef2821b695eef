"""What is seen of a run while it goes on."""

from __future__ import annotations

import io
from functools import partial
from itertools import count
from typing import Any

import pytest
from rich.console import Console

from arena.model.contender import CommandLine, Contender, Home
from arena.model.game_spec import GameSpec
from arena.model.protocol import Termination
from arena.model.record import GameRecord
from arena.model.terms import Terms
from arena.ratings.model import Standings
from arena.ratings.results import GameDigest, digest
from arena.ratings.standings import standings
from arena.reports import live
from arena.tournament.config import Player, Rating, TournamentConfig
from arena.tournament.estimate import Estimate
from arena.tournament.run import (
    GameFinished,
    GameProgress,
    GameStarted,
    GameVoid,
    Outcome,
    RunFinished,
    RunStarted,
)


def contender(name: str) -> Contender:
    return Contender(name=name, program=CommandLine(words=("x",)))


def started(cup: list[GameRecord], done: int = 0) -> RunStarted:
    names = ["uct", "alphabeta", "[bold]greedy[/bold]", "monkey"]
    config = TournamentConfig.model_construct(
        name="cup",
        concurrency=1,
        terms=Terms(rules="dots", variant={}),
        rating=Rating(),
        players=tuple(
            Player.model_construct(contender=contender(name), home=Home()) for name in names
        ),
    )
    return RunStarted(config, len(cup), done, Estimate(60.0, 120.0))


def spec_of(record: GameRecord) -> GameSpec:
    players = tuple(contender(seat.player) for seat in record.seats)
    return GameSpec(game=record.game, terms=record.terms, players=players)


def test_the_live_table_shows_standings_speed_and_games(cup: list[GameRecord]) -> None:
    out = io.StringIO()
    console = Console(file=out, width=80, height=40, force_terminal=True, color_system=None)
    clock = count(0, 2)
    before = [digest(record) for record in cup[:10]]
    with live.LiveReport(console, before, lambda: float(next(clock))) as report:
        report(started(cup, done=10))
        for number, record in enumerate(cup[10:30], start=11):
            report(GameStarted(spec_of(record), 1))
            report(GameProgress(record.game, 7))
            report(GameFinished(record, number, len(cup)))
        report(GameStarted(spec_of(cup[30]), 1))
        out.truncate(0)
        report(GameProgress(cup[30].game, 7))
        shown = out.getvalue()
    assert "cup · dots · 30 of 72 games" in shown
    assert "[bold]greedy[/bold]" in shown and "Elo" in shown and "±" in shown
    assert "games/s" in shown and " left" in shown
    assert cup[30].game in shown and "ply 7" in shown


def test_scores_of_tiles_are_shown_before_a_pair_compares_them(tile_cup: list[GameRecord]) -> None:
    table = standings([digest(tile_cup[0])], players=["a", "b"], name="tiles")
    out = io.StringIO()
    Console(file=out, width=80).print(live.screen(table, live.Progress([], lambda: 0.0)))
    assert f"{tile_cup[0].scores[0]:,}" in out.getvalue()


def test_many_games_are_fitted_less_often(
    cup: list[GameRecord], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fit of a long test's games must not keep the next ones waiting."""
    fitted: list[int] = []

    def standings_of(games: list[GameDigest], **settings: Any) -> Standings:
        fitted.append(len(games))
        return standings(games, **settings)

    monkeypatch.setattr("arena.reports.live.standings", standings_of)
    monkeypatch.setattr("arena.reports.live._FIT_GAMES", 4)
    for before, expected in ((0, 4), (20, 1)):
        fitted.clear()
        ticks = count(0.0, 0.25)
        console = Console(file=io.StringIO(), width=80, force_terminal=True)
        games = [digest(record) for record in cup[:before]]
        with live.LiveReport(console, games, partial(next, ticks)) as report:
            report(started(cup, done=before))
            for number in range(before, before + 3):
                report(GameFinished(cup[number], number + 1, len(cup)))
        assert len(fitted) == expected


def test_speed_and_time_left_count_this_run_alone(cup: list[GameRecord]) -> None:
    times = iter([0.0, 2.0, 4.0, 6.0])
    progress = live.Progress([digest(record) for record in cup[:60]], lambda: next(times))
    progress.add(started(cup, done=60))
    assert progress.games_per_s is None and progress.left_s is None
    for number in (61, 62, 63):
        progress.add(GameFinished(cup[number], number, len(cup)))
    assert progress.games_per_s == 0.5 and progress.left_s == 18
    assert live.status(progress) == "63 of 72 games · 0.5 games/s · 18 s left"
    assert len(progress.games) == 63


def test_plain_lines(cup: list[GameRecord]) -> None:
    out = io.StringIO()
    clock = count()
    with live.PlainReport(Console(file=out, width=40), [], lambda: float(next(clock))) as report:
        report(started(cup))
        report(GameStarted(spec_of(cup[0]), 1))
        report(GameProgress(cup[0].game, 3))
        report(GameFinished(cup[0], 1, len(cup)))
        report(GameFinished(cup[10], 2, len(cup)))
        void = cup[11].model_copy(update={"termination": Termination.VOID, "detail": "no memory"})
        report(GameVoid(void, replayed=True))
        report(RunFinished(Outcome(len(cup), 2)))
    lines = out.getvalue().splitlines()
    assert len(lines) == 5
    assert lines[0] == f"72 games, 0 done before; {Estimate(60.0, 120.0)}"
    assert lines[1] == "sandbox: none, nothing is held"
    assert lines[2].startswith(" 1/72 g0001 uct ") and lines[2].endswith("1 min 11 s left")
    assert "· timeout by monkey: no reply within 5100 ms" in lines[3]
    assert lines[4] == "void g0012: no memory (played again)"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (59.6, "1 min 0 s"), (200, "3 min 20 s"), (18720, "5 h 12 min")],
)
def test_durations(seconds: float, text: str) -> None:
    assert live.duration(seconds) == text
