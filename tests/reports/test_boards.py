"""The boards of a run, and boards in colour."""

import io
from pathlib import Path

import pytest
from rich.console import Console

import rules
from arena.model.record import GameRecord
from arena.reports import boards
from arena.reports.board import coloured
from arena.tournament.events import MovesPlayed, RunFinished, RunOutcome, RunStarted
from arena.tournament.run_view import RunView
from rules.position import Position
from tests.reports.conftest import text_of
from tests.reports.runs import begun, ended, estimate, game_started


def played(game: str, *moves: str, **settings: object) -> list[Position]:
    seen = [rules.load(game, **settings).start()]
    for move in moves:
        seen.append(seen[-1].play(move))
    return seen


def marked(after: Position, before: Position) -> dict[str, str]:
    """The characters of a drawing that are marked, by their marks."""
    text = coloured(after, before)
    assert text.plain == str(after)
    found: dict[str, str] = {}
    for span in text.spans:
        if span.style in ("reverse", "underline"):
            found[str(span.style)] = (
                found.get(str(span.style), "") + text.plain[span.start : span.end]
            )
    return found


def test_the_last_move_is_marked() -> None:
    start, after = played("othello", "d3")
    assert marked(after, start) == {"reverse": "X", "underline": "X"}
    start, after = played("dots", "a1b1", rows=1, cols=1)
    assert marked(after, start) == {"reverse": "---"}
    before, after = played("dots", "a1a2", "a2b2", "b1b2", "a1b1", rows=1, cols=1)[-2:]
    assert marked(after, before)["reverse"] == "---1"


def test_tiles_that_came_are_marked_and_slides_are_not() -> None:
    game = rules.load("2048")
    board = [[2, 0, 0, 0], [0, 0, 0, 4], [0, 0, 0, 0], [0, 0, 0, 1024]]
    start = game.position({"board": board, "score": 0, "to_move": 0})
    slid = start.play("left")
    assert marked(slid, start) == {}
    assert marked(slid.play("d1=2"), slid) == {"reverse": "2"}


def test_colours_are_off_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    start, after = played("othello", "d3")
    out = io.StringIO()
    Console(file=out).print(coloured(after, start))
    assert "\x1b" not in out.getvalue()
    monkeypatch.setenv("NO_COLOR", "1")
    out = io.StringIO()
    Console(file=out, force_terminal=True).print(coloured(after, start))
    assert "\x1b[1;7m" in out.getvalue() and "38;" not in out.getvalue(), "marks stay"


def test_boards_show_each_game_to_its_end(
    cup: list[GameRecord], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(boards, "_LOOK_S", 0)
    console = Console(file=io.StringIO(), width=80, force_terminal=True, color_system=None)
    shown = boards.Boards(console)
    with begun(tmp_path / "t.sqlite", cup, rounds=6) as store, RunView(store.path) as view:
        store.append(RunStarted(total=72, done=0, estimate=estimate()))
        store.append(game_started(cup[0]))
        moves = tuple(move.move for move in cup[0].moves)
        store.append(MovesPlayed(game=cup[0].game, ply=0, moves=moves[:3]))
        view.refresh()
        shown.show(view)
        assert f": {moves[0]}" in text_of(console) and f": {moves[1]}" not in text_of(console)
        ended(store, cup[0], 1, 72)
        store.append(game_started(cup[1]))
        view.refresh()
        shown.show(view)
        store.append(RunFinished(outcome=RunOutcome(total=72, done=1)))
        view.refresh()
        shown.show(view)
        shown.close()
    text = text_of(console)
    assert all(f". {name_of(cup[0], move.seat)}: {move.move}" in text for move in cup[0].moves)
    assert f"natural: {cup[0].detail}" in text


def name_of(record: GameRecord, seat: int) -> str:
    return record.seats[seat].player
