"""What is seen of a run while it goes on."""

import io
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from arena.model.containment import Held
from arena.model.protocol import Termination
from arena.model.record import GameRecord
from arena.reports import playing, words
from arena.reports.live_screen import screen, status
from arena.tournament.events import (
    GameVoid,
    MovesPlayed,
    Noted,
    RunFinished,
    RunOutcome,
    RunStarted,
)
from arena.tournament.played_store import PlayedStore
from arena.tournament.run_view import RunView
from tests.reports.conftest import text_of
from tests.reports.runs import begun, ended, estimate, game_started, void


@pytest.fixture
def store(cup: list[GameRecord], tmp_path: Path) -> Iterator[PlayedStore]:
    with begun(tmp_path / "t.sqlite", cup, rounds=6) as store:
        yield store


def terminal(height: int = 40) -> Console:
    return Console(
        file=io.StringIO(), width=80, height=height, force_terminal=True, color_system=None
    )


def test_a_command_to_copy_is_in_one_piece() -> None:
    console, command = terminal(), f"arena match bot.py monkey --games 20 --store {'r' * 40}.sqlite"
    playing.print_line(
        f"Stopped after 3 of 20 games. Continue with: {command}", console, whole=True
    )
    assert command in text_of(console)


def go_on_from_ten(store: PlayedStore, cup: list[GameRecord]) -> None:
    """Begin to play the rest of 72 games."""
    for record in cup[:10]:
        store.add(record)
    store.append(RunStarted(clock=0, total=72, done=10, estimate=estimate()))


def test_the_live_table_shows_standings_speed_and_games(
    store: PlayedStore, cup: list[GameRecord]
) -> None:
    go_on_from_ten(store, cup)
    for number, record in enumerate(cup[10:30], start=11):
        store.append(game_started(record))
        ended(store, record, number, 72, clock=2.0 * number)
    store.append(game_started(cup[30]))
    store.append(MovesPlayed(game=cup[30].game, ply=0, moves=("a1a2", "a2a3", "a1b1")))
    console = terminal()
    table = playing.LiveTable(console)
    with RunView(store.path) as view:
        view.refresh()
        table.show(view)
    shown = text_of(console)
    table.close()
    assert "cup · dots · 30 of 72 games" in shown
    assert "[bold]greedy[/bold]" in shown and "Elo" in shown and "±" in shown
    assert "games/s" in shown and " left" in shown
    assert cup[30].game in shown and "ply 3" in shown
    assert "62 of 72 games to play. About 60 s, at most 2 min." in shown


def test_a_narrower_terminal_is_cleared_of_what_it_wrapped(
    store: PlayedStore, cup: list[GameRecord]
) -> None:
    go_on_from_ten(store, cup)
    store.append(Noted(clock=0, text="The machine is busy."))
    console, clear = terminal(), "\x1b[2J"
    assert isinstance(console.file, io.StringIO)
    table = playing.LiveTable(console)
    with RunView(store.path) as view:
        for width, cleared in ((80, False), (80, False), (50, True), (50, False), (200, False)):
            before, console.width = len(text_of(console)), width
            table.show(view)
            drawn = text_of(console)[before:]
            assert (clear in drawn) == cleared, width
            assert "10 of 72 games" in drawn
            if cleared:
                again = drawn.partition(clear)[2]
                assert "62 of 72 games to play" in again and "The machine is busy." in again
    table.close()


def test_a_table_of_many_players_leaves_room_for_the_rest(
    store: PlayedStore, cup: list[GameRecord]
) -> None:
    for record in cup[:30]:
        store.add(record)
    with RunView(store.path) as view:
        console = terminal(height=11)
        console.print(screen(view.standings, view, console))
    lines = text_of(console).splitlines()
    assert "30 of 72 games" in lines[0] and "and 1 more" in lines[-1] and len(lines) <= 11


def test_a_game_starts_until_a_player_has_moved(store: PlayedStore, cup: list[GameRecord]) -> None:
    begun = cup[0].model_copy(update={"opening": ("a1a2", "a2a3")})
    store.append(RunStarted(total=72, done=0, estimate=estimate()))
    store.append(game_started(begun))
    store.append(MovesPlayed(game=begun.game, ply=0, moves=begun.opening))
    with RunView(store.path) as view:
        assert not view.playing[begun.game].has_begun
        store.append(MovesPlayed(game=begun.game, ply=2, moves=("a1b1",)))
        view.refresh()
        assert view.playing[begun.game].has_begun


@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 40), (50, 20), (30, 12)])
def test_the_screen_fits_every_terminal(
    store: PlayedStore, cup: list[GameRecord], width: int, height: int
) -> None:
    for record in cup[:30]:
        store.add(record)
    store.append(RunStarted(total=72, done=30, estimate=estimate()))
    for record in cup[30:40]:
        store.append(game_started(record))
    console = Console(file=io.StringIO(), width=width, height=height, color_system=None)
    with RunView(store.path) as view:
        console.print(screen(view.standings, view, console))
    lines = text_of(console).splitlines()
    assert len(lines) <= height and "30 of 72 games" in lines[0]
    assert any(line.split()[:1] == ["1"] and "Elo" not in line for line in lines)
    assert not any("…" in line for line in lines if "uct" in line and "–" not in line)


def test_scores_of_tiles_are_shown_before_a_pair_compares_them(
    tile_cup: list[GameRecord], tmp_path: Path
) -> None:
    with begun(tmp_path / "t.sqlite", tile_cup, rounds=10) as store:
        store.add(tile_cup[0])
        with RunView(store.path) as view:
            console = terminal()
            console.print(screen(view.standings, view, console))
    assert f"{tile_cup[0].scores[0]:,}" in text_of(console)


def test_many_games_are_fitted_less_often(
    store: PlayedStore, cup: list[GameRecord], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fit of a long test's games must not keep the next ones waiting."""
    monkeypatch.setattr(playing, "_FIT_GAMES", 4)
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    clock = [100.0]
    store.append(RunStarted(total=72, done=0, estimate=estimate()))
    table = playing.LiveTable(terminal())
    fitted: list[int] = []
    with RunView(store.path) as view:
        for record in cup[:20]:
            store.add(record)
            clock[0] += 0.25
            view.refresh()
            table.show(view)
            assert table._table is not None
            fitted.append(table._table.games)
    table.close()
    assert fitted[:4] == [1, 1, 3, 3]
    assert fitted[-9:] == [12] * 9


def test_speed_and_time_left_count_this_run_alone(
    store: PlayedStore, cup: list[GameRecord]
) -> None:
    for record in cup[:60]:
        store.add(record)
    store.append(RunStarted(clock=0, total=72, done=60, estimate=estimate()))
    with RunView(store.path) as view:
        assert view.games_per_s is None and view.left_s is None
        for number in (61, 62, 63):
            ended(store, cup[number - 1], number, 72, clock=2.0 * (number - 60))
        view.refresh()
        assert view.games_per_s == 0.5 and view.left_s == 18
        assert status(view) == "63 of 72 games · 18 s left · 0.5 games/s"
        assert len(view.games) == 63


def test_plain_lines(store: PlayedStore, cup: list[GameRecord]) -> None:
    out = io.StringIO()
    lines_of = playing.PlainLines(Console(file=out, width=40))
    with RunView(store.path) as view:
        store.append(RunStarted(clock=0, total=72, done=0, estimate=estimate()))
        store.append(game_started(cup[0]))
        store.append(MovesPlayed(game=cup[0].game, ply=0, moves=("a1a2",)))
        ended(store, cup[0], 1, 72, clock=1)
        view.refresh()
        lines_of.show(view)
        ended(store, cup[10], 2, 72, clock=2)
        store.add(void(cup[11], "no memory"))
        store.append(GameVoid(game="g0012", attempt=1, detail="no memory", replayed=True))
        store.append(RunFinished(outcome=RunOutcome(total=72, done=2)))
        view.refresh()
        lines_of.show(view)
    lines = out.getvalue().splitlines()
    assert len(lines) == 5
    assert lines[0] == "72 games to play. About 60 s, at most 2 min."
    assert lines[1] == "sandbox: none, nothing is held"
    assert lines[2].startswith(" 1/72 g0001 uct ") and lines[2].endswith("1 min 11 s left")
    assert "· timeout by monkey: no reply within 5100 ms" in lines[3]
    assert lines[4] == "void g0012: no memory (played again)"


def test_a_fault_that_comes_again_is_reported_once_and_counted(
    store: PlayedStore, cup: list[GameRecord]
) -> None:
    out = io.StringIO()
    lines_of = playing.PlainLines(Console(file=out))
    fault = {"termination": Termination.EXITED, "offender": 0, "detail": "It exited with code 1."}
    with RunView(store.path) as view:
        for number in (1, 2, 3, 4):
            record = cup[number - 1].model_copy(update=fault if number != 2 else {})
            ended(store, record, number, 72, clock=number)
            view.refresh()
            lines_of.show(view)
    first, natural, *again = out.getvalue().splitlines()
    by = [record.seats[0].player for record in cup[:4]]
    assert f"g0001 {by[0]}" in first and f"exited by {by[0]}: It exited with code 1." in first
    assert "exited" not in natural
    assert by[0] == by[2] != by[3]
    assert f"exited by {by[0]}, as in g0001; 2 times by now" in again[0]
    assert f"exited by {by[3]}: It exited with code 1." in again[1], "of another player"


def test_only_who_plays_is_shown_as_contained(store: PlayedStore) -> None:
    with RunView(store.path) as view:
        config = view.config
    first, *others = config.players
    home = first.home.model_copy(update={"held": Held(mode="none", notes=("its own",))})
    for how, alone in (("playing", False), ("out", True), ("gone", True)):
        one = first.model_copy(update={"home": home, "status": how})
        changed = config.model_copy(update={"players": (one, *others)})
        lines = playing.preparations(changed, over=False)
        assert ("sandbox: none, nothing is held" in map(str, lines)) is alone


def test_a_run_is_watched_while_this_process_plays_it(
    store: PlayedStore, cup: list[GameRecord]
) -> None:
    out = io.StringIO()
    with playing.watching(store.path, playing.PlainLines(Console(file=out, width=40))):
        store.append(RunStarted(total=72, done=0, estimate=estimate()))
        for number, record in enumerate(cup[:20], 1):
            ended(store, record, number, 72)
    shown = re.findall(r"^ *\d+/72 (\w+)", out.getvalue(), re.MULTILINE)
    assert shown == [record.game for record in cup[:20]], "the last ones are seen too"


class Failing:
    """Can show nothing, as on a closed pipe."""

    def show(self, view: RunView) -> None:
        raise BrokenPipeError

    def close(self) -> None:
        raise BrokenPipeError


def test_a_show_that_fails_stops_the_run(store: PlayedStore) -> None:
    interrupted: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: interrupted.append(number))
    try:
        with pytest.raises(BrokenPipeError), playing.watching(store.path, Failing()):
            deadline = time.monotonic() + 10
            while not interrupted and time.monotonic() < deadline:
                time.sleep(0.01)
    finally:
        signal.signal(signal.SIGINT, before)
    assert interrupted == [signal.SIGINT]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (59.6, "1 min 0 s"), (200, "3 min 20 s"), (18720, "5 h 12 min")],
)
def test_durations(seconds: float, text: str) -> None:
    assert words.duration(seconds) == text
