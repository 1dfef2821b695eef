"""What is said of a sequential test, while it goes on and in the end."""

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from arena.model.record import GameRecord
from arena.ratings.matches import Verdict
from arena.ratings.sprt import Sprt
from arena.ratings.trial import Tally
from arena.reports import playing, terminal, words
from arena.reports.live_screen import time_left
from arena.tournament.events import RunStarted
from arena.tournament.run_view import RunView
from arena.tournament.store import Store
from tests.reports.runs import begun, ended, estimate, game_started

Play = Callable[..., GameRecord]


TEST = Sprt(elo0=0, elo1=50)


def verdict(*results: int, test: Sprt = TEST, paired: bool = True, **more: Any) -> Verdict:
    """Of units by their half points, in turn."""
    tally = Tally(test, "new", "old", paired=paired)
    tally.add(results)
    return tally.verdict.model_copy(update=more)


def shown(verdict: Verdict, width: int = 80) -> str:
    out = io.StringIO()
    Console(file=out, width=width).print(terminal.sequential_test(verdict))
    return out.getvalue()


def test_before_the_first_game() -> None:
    text = shown(verdict())
    assert "H0 -2.94 ├───────────────●───────────────┤ +2.94 H1   LLR +0.00" in text
    assert "Not decided after 0 pairs." in text and "In these" not in text


def test_on_the_way_the_ratio_stands_between_its_bounds_with_elo() -> None:
    text = shown(verdict(3, 2, 4, 1, 2, 3))
    assert "H0: new's lead over old is 0; H1: it is 50 (normalized Elo). α 5%, β 5%." in text
    assert "After 6 pairs (LL 0, LD 1, WL or DD 2, WD 2, WW 1)" in text
    said = "In these pairs: 67% decisive, Elo +88.7 ± 214.8, normalized +128.3 ± 267.0."
    assert said in " ".join(text.split())
    assert "Not decided after 6 pairs." in text and "biased" not in text
    assert "In this pair: 100% decisive" in shown(verdict(4))
    short = words.where_it_stands(verdict(3, 2, 4, 1, 2, 3))
    assert short == "LLR +0.51 (-2.94 to +2.94) · Elo +88.7 ± 214.8 · 67% decisive"


def test_a_decision_says_what_it_means_and_that_its_elo_is_biased() -> None:
    won = shown(verdict(*[4] * 40))
    assert "●┤ +2.94 H1" in won and "H1 accepted: new is stronger. A lead of 50" in won
    lost = shown(verdict(*[0] * 40))
    assert "H0 -2.94 ├●" in lost and "H0 accepted: new is not stronger by 50." in lost
    for text in (won, lost):
        assert "so the Elo of its games is biased" in " ".join(text.split())
        assert "(with prior)" in text


@pytest.mark.parametrize(
    ("elo0", "elo1", "result", "expected"),
    [
        (-20, 0, 4, "H1 accepted: new is not weaker by 20."),
        (-20, 0, 0, "H0 accepted: new is weaker."),
        (10, 40, 4, "H1 accepted: new is stronger."),
        (10, 40, 0, "H0 accepted: new is not stronger by 40."),
    ],
)
def test_the_conclusion_depends_on_the_hypotheses(
    elo0: float, elo1: float, result: int, expected: str
) -> None:
    told = words.decision(verdict(*[result] * 200, test=Sprt(elo0=elo0, elo1=elo1)))
    assert told.startswith(expected)


def test_what_makes_a_verdict_doubtful_is_reported() -> None:
    text = " ".join(shown(verdict(4, 3, forfeits=3, repeats=1)).split())
    assert "3 of these games were forfeited" in text
    assert "1 of these pairs went move for move like an earlier one." in text
    assert "forfeited" not in shown(verdict(4, 3)) and "move for move" not in shown(verdict(4, 3))


def test_a_verdict_that_is_not_usable_says_why_and_what_to_do() -> None:
    spoilt = verdict(*[4] * 40, forfeits=5, void=1, usable=False)
    text = " ".join(shown(spoilt).split())
    assert f"Not usable: 5 forfeits and 1 void attempt in {2 * spoilt.units} games." in text
    assert "begin the test again under another name, or" in text
    assert "accepted" not in text
    assert "Not decided" in shown(verdict(4, forfeits=1, usable=False))


@pytest.mark.parametrize("width", [40, 60, 80])
def test_nothing_is_cut_off_on_a_narrow_terminal(width: int) -> None:
    text = shown(verdict(*[4] * 40, forfeits=3, repeats=1), width)
    assert "…" not in text
    for line in text.splitlines():
        assert len(line.rstrip()) <= width


def test_comparisons() -> None:
    text = shown(verdict(2, 0, 2, 1, paired=False))
    assert "After 4 comparisons (lost 1, drawn 1, won 2)" in text
    assert "In these comparisons: 75% decisive, Elo " in text


@pytest.fixture
def duel(play: Play, tmp_path: Path) -> Iterator[tuple[Store, list[GameRecord]]]:
    """A test of two players at its beginning, and their first pair of games."""
    pair = [
        play("dots", *players, game=game, pair="p0001", rows=3, cols=3, winner=winner)
        for game, players, winner in (("g0001", ("new", "old"), 0), ("g0002", ("old", "new"), 1))
    ]
    keys = {"elo0": 0, "elo1": 50}
    with begun(tmp_path / "t.sqlite", pair, rounds=50, format="sprt", format_keys=keys) as store:
        start = RunStarted(clock=0, total=100, done=0, estimate=estimate(), verdict=verdict())
        store.append(start)
        yield store, pair


def test_the_live_table_shows_the_test_on_a_terminal_of_24_lines(
    duel: tuple[Store, list[GameRecord]],
) -> None:
    store, pair = duel
    ended(store, pair[0], 1, 100, clock=2.0)
    ended(store, pair[1], 2, 100, clock=4.0)
    store.append(game_started(pair[0].model_copy(update={"game": "g0003"})))
    out = io.StringIO()
    console = Console(file=out, width=80, height=24, force_terminal=True, color_system=None)
    table = playing.LiveTable(console)
    with RunView(store.path) as view:
        view.refresh()
        table.show(view)
        out.truncate(0)
        view.refresh()
        table.show(view)
        shown = out.getvalue()
    table.close()
    assert (
        "SPRT: new against old" in shown
        and "After 1 pair (LL 0, LD 0, WL or DD 0, WD 0, WW 1)" in shown
    )
    assert "2 of at most 100 games · at most 3 min 16 s left · 0.5 games/s" in shown, (
        "its last lines are on the screen too"
    )


def test_no_figure_for_a_fixed_number_of_games_judges_a_sequential_test(
    duel: tuple[Store, list[GameRecord]],
) -> None:
    store, pair = duel
    for number, record in enumerate(pair * 10, 1):
        ended(store, record.model_copy(update={"game": f"g{number:04d}"}), number, 100)
    out = io.StringIO()
    with RunView(store.path) as view:
        standings = view.standings
        terminal.show(standings, Console(file=out, width=120))
    assert standings.match is not None and standings.neighbours == ()
    assert "eparated" not in out.getvalue() and "99." not in out.getvalue()


def test_each_plain_line_says_where_the_test_stands(duel: tuple[Store, list[GameRecord]]) -> None:
    store, pair = duel
    ended(store, pair[0], 1, 100, verdict=verdict(), clock=1.0)
    ended(store, pair[1], 2, 100, verdict=verdict(3, 2, 4, 1, 2, 3), clock=2.0)
    out = io.StringIO()
    with RunView(store.path) as view:
        playing.PlainLines(Console(file=out, width=40)).show(view)
    lines = out.getvalue().splitlines()
    assert lines[0] == "At most 100 games to play. About 60 s, at most 2 min."
    assert lines[1].startswith("The test takes about 256 games (")
    assert lines[2].startswith("With at most 100 games it may well end undecided")
    left = " · at most 1 min 38 s left"
    assert lines[-2].endswith(f" · LLR +0.00 (-2.94 to +2.94){left}")
    elo = "Elo +88.7 ± 214.8 · 67% decisive"
    assert lines[-1].endswith(f" · LLR +0.51 (-2.94 to +2.94) · {elo}{left}")


@pytest.mark.parametrize(
    ("done", "message"),
    [
        (2, "8 min 28 s to the expected 256"),
        (256, "5 min 24 s to the expected 418"),
        (418, None),
        (1000, None),
    ],
)
def test_the_time_to_the_expected_games_of_a_test_is_shown(
    play: Play, tmp_path: Path, done: int, message: str | None
) -> None:
    record = play("dots", "new", "old", rows=3, cols=3)
    keys = {"elo0": 0, "elo1": 50}
    with begun(
        tmp_path / "t.sqlite", [record], rounds=1000, format="sprt", format_keys=keys
    ) as store:
        start = RunStarted(clock=0, total=2000, done=0, estimate=estimate(), verdict=verdict())
        store.append(start)
        for number in (1, 2):
            game = record.model_copy(update={"game": f"g{number:04d}"})
            ended(store, game, number, 2000, clock=2.0 * number)
        with RunView(store.path) as view:
            view.games *= done // 2
            assert time_left(view) == message


def test_lengths_are_reported_with_their_time() -> None:
    told = words.expected_games(Sprt(), paired=True, planned=100_000, game_s=36.0)
    assert told == [
        "The test takes about 25,590 games (10.7 days) where the lead is 0 or 5, 41,862 "
        "(17.4 days) half way between, fewer beyond."
    ]
    timeless = words.expected_games(Sprt(), paired=True, planned=100_000, game_s=None)
    assert timeless == [
        "The test takes about 25,590 games where the lead is 0 or 5, 41,862 half way between, "
        "fewer beyond."
    ]
    few = words.expected_games(Sprt(), paired=True, planned=100, game_s=36.0)
    assert few[1].startswith("With at most 100 games it may well end undecided")
    logistic = Sprt(model="logistic")
    assert words.expected_games(logistic, paired=True, planned=100, game_s=36.0) == []
