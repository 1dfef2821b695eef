"""Stores with damaged bytes: a sentence that names the game, and all else is shown."""

import io
import json
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Self

import pytest
from rich.console import Console

from arena import load_run
from arena.errors import ArenaError, Exit, StoreError
from arena.matches.play import preview_config
from arena.model.record import GameRecord
from arena.records import TEXTS
from arena.reports import replay, terminal
from arena.tournament.config import TournamentConfig
from arena.tournament.executors.base import Played, Report, Task
from arena.tournament.played_store import PlayedStore
from arena.tournament.run import run
from arena.tournament.run_view import RunView, recorded_game
from arena.tournament.store import Store
from tests.command import arena
from tests.reports.runs import begun, void

Play = Callable[..., GameRecord]
GAMES = ("g0001", "g0002", "g0003", "g0004")


@pytest.fixture(scope="module")
def records(play: Play) -> list[GameRecord]:
    """Two rounds of two players."""
    seats = (("uct", "monkey"), ("monkey", "uct")) * 2
    return [
        play("dots", *names, seed=n, game=GAMES[n], rows=2, cols=2, stderr="said\n" * 9)
        .model_copy(update={"pair": f"p{n // 2:04d}", "round": n // 2 + 1})
        for n, names in enumerate(seats)
    ]  # fmt: skip


@pytest.fixture
def path(records: list[GameRecord], tmp_path: Path) -> Path:
    path = tmp_path / "cup.sqlite"
    with begun(path, records, rounds=2) as store:
        for record in records:
            store.add(record)
    return path


def change(path: Path, statement: str, *values: object) -> None:
    database = sqlite3.connect(path)
    with database:
        assert database.execute(statement, values).rowcount == 1
    database.close()


def damage_record(path: Path, id_: int) -> None:
    """One letter of a move, which leaves it a record."""
    found = """replace(record, '"move":"', '"move":"b')"""
    change(path, f"UPDATE records SET record = {found} WHERE id = ?", id_)


_drawn: dict[str, str] = {}


def drawn(of: str, draw: Callable[[Console], None]) -> str:
    """What a terminal shows. The same is drawn once: in most damaged stores most is whole."""
    if of not in _drawn:
        out = io.StringIO()
        draw(Console(file=out, width=200))
        _drawn[of] = out.getvalue()
    return _drawn[of]


def report(path: Path) -> str:
    with RunView(path) as view:
        standings = view.standings
        return drawn(standings.model_dump_json(), lambda console: terminal.show(standings, console))


def replayed(path: Path, game: str) -> str:
    config, record = recorded_game(path, game)
    TEXTS["record"](record, config.name)
    return drawn(record.model_dump_json(), lambda console: replay.dump(record, console))


class Answering:
    """Plays every game as it was."""

    capacity = 1

    def __init__(self, records: list[GameRecord]) -> None:
        self._records = {record.game: record for record in records}
        self.played: list[str] = []

    def open(self, config: TournamentConfig, masked: tuple[str, ...]) -> Self:
        return self

    def warning(self) -> None:
        """Nothing makes games void here."""

    def submit(self, task: Task) -> None:
        self._task = task
        self.played.append(task.spec.game)

    def wait(self, timeout_s: float) -> Sequence[Report]:
        return [Played(self._task, self._records[self._task.spec.game])]

    def close(self, *, now: bool) -> None:
        """Nothing is held open."""


def play_on(path: Path, records: list[GameRecord], **how: bool) -> list[str]:
    """The games that are played when the run goes on."""
    executor = Answering(records)
    with RunView(path) as view:
        config = view.config
    with PlayedStore.open_run(path, config) as store:
        run(config, store, open_executor=executor.open, **how)
    return executor.played


def test_a_damaged_record_is_named_and_the_rest_is_shown(
    path: Path, records: list[GameRecord]
) -> None:
    before = report(path)
    damage_record(path, 2)
    assert report(path) == before, "its result is known"
    with pytest.raises(StoreError, match=r"game g0002 is damaged and cannot be shown.*--replay"):
        replayed(path, "g0002")
    assert "Game g0003" in replayed(path, "g0003")
    assert play_on(path, records) == []
    assert play_on(path, records, replay_damaged=True) == ["g0002"]
    assert "Game g0002" in replayed(path, "g0002")
    assert report(path) == before


@pytest.mark.parametrize("rows_too", [False, True])
def test_a_void_attempt_that_is_damaged_is_left_out(
    rows_too: bool, path: Path, records: list[GameRecord]
) -> None:
    with RunView(path) as view, PlayedStore.open_run(path, view.config) as store:
        store.add(void(records[1], "busy").model_copy(update={"attempt": 2}))
    damage_record(path, 5)
    if rows_too:
        change(path, "UPDATE seats SET points = 0.5 WHERE id = 5 AND seat = 1")
    with RunView(path) as view:
        assert not view.damaged
    assert play_on(path, records) == []
    assert play_on(path, records, replay_damaged=True) == []
    with Store.open(path) as kept:
        assert (kept.attempts(), kept.unreadable(void=True)) == (dict.fromkeys(GAMES, 1), {})


def test_a_damaged_game_keeps_no_other_from_being_read(path: Path) -> None:
    damage_record(path, 2)
    said = "game g0002 is damaged and left out. The command that plays the run plays it again with"
    out = path.with_name("games.jsonl")
    told = arena("export", path, "--out", out)
    assert told.exit_code == Exit.FAILED
    assert told.stderr == f"{path}: {said} --replay-damaged.\n"
    whole = [game for game in GAMES if game != "g0002"]
    assert [json.loads(line)["game"] for line in out.read_text().splitlines()] == whole
    with pytest.warns(UserWarning, match=said):
        moves = load_run(path).moves()
    assert list(dict.fromkeys(moves["game"])) == whole


def test_a_report_names_what_cannot_be_shown(path: Path) -> None:
    damage_record(path, 2)
    said = "Damaged in the file, except the result, which counts: g0002. The command that plays"
    page = path.with_name("cup.html")
    for how in ([], ["--json"], ["--csv", "games"], ["--html", page]):
        told = arena("report", path, *how)
        assert told.exit_code == Exit.DONE
        assert told.stderr.startswith(said)


def test_a_dry_run_counts_what_would_be_played_again(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with RunView(path) as view:
        config = view.config
    damage_record(path, 2)
    preview_config(config, path)
    assert "All 4 games are played already." in capsys.readouterr().out
    preview_config(config, path, replay_damaged=True)
    assert "1 of 4 games to play" in capsys.readouterr().out
    change(path, "UPDATE seats SET points = 0.5 WHERE id = 2 AND seat = 1")
    with pytest.raises(StoreError, match=r"game g0002 is damaged and cannot be read"):
        preview_config(config, path)


def test_of_a_store_with_nothing_whole_all_games_are_named(path: Path) -> None:
    for id_ in range(1, 5):
        damage_record(path, id_)
    for command in (["export", path, "--out", path.with_name("x.jsonl")], ["analyse", path]):
        told = arena(*command)
        assert told.exit_code == Exit.USAGE
        assert "games g0001, g0002, g0003, g0004 are damaged" in told.stderr


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE games SET termination = 'natuxal' WHERE id = 3",
        "UPDATE games SET game = 'g0004' || char(27), detail = x'ff' WHERE id = 3",
        "UPDATE games SET game = 'g0005' WHERE id = 3",
        "UPDATE seats SET score = 7 WHERE id = 3 AND seat = 1",
        "UPDATE seats SET used_ms = x'00' WHERE id = 3 AND seat = 1",
        "DELETE FROM seats WHERE id = 3 AND seat = 0",
        "UPDATE seats SET id = 30 WHERE id = 3 AND seat = 0",
        "UPDATE sandboxes SET held = '{'",
    ],
)
def test_damaged_rows_are_made_again_from_the_record(
    statement: str, path: Path, records: list[GameRecord]
) -> None:
    before = report(path)
    change(path, statement)
    assert report(path) == before
    assert "Game g0003" in replayed(path, "g0003")
    assert play_on(path, records) == []
    assert report(path) == before
    with Store.open(path) as store:
        assert list(store.records()) == records
        assert store.finished() == set(GAMES)


def test_a_game_of_which_nothing_is_left_is_offered_to_be_played_again(
    path: Path, records: list[GameRecord]
) -> None:
    before = report(path)
    change(path, "INSERT INTO machines VALUES (3, 0, 'east', 'EPYC', 1.0, NULL, NULL)")
    damage_record(path, 3)
    change(path, "UPDATE seats SET points = 0.5 WHERE id = 3 AND seat = 1")
    assert "Damaged in the file and not counted: g0003. The command" in report(path)
    assert "3 of 4 games" in report(path)
    page = path.with_name("cup.html")
    for how in (["--json"], ["--csv", "games"], ["--html", page], []):
        told = arena("report", path, *how)
        assert told.exit_code == Exit.FAILED
        assert "not counted: g0003. The command" in (told.stderr if how else told.stdout)
    listed = arena("games", path, "--csv")
    assert listed.exit_code == Exit.FAILED and "g0003" not in listed.stdout
    assert "game g0003 is damaged and left out" in listed.stderr
    with pytest.warns(UserWarning, match="game g0003 is damaged and left out"):
        assert "g0003" not in load_run(path).games()["game"]
    for game in ("g0001", "g0002", "g0004"):
        assert f"Game {game}" in replayed(path, game)
    with pytest.raises(StoreError, match=r"game g0003 is damaged and cannot be read\. .*--replay"):
        play_on(path, records)
    assert play_on(path, records, replay_damaged=True) == ["g0003"]
    assert report(path) == before
    assert play_on(path, records) == []
    change(path, "INSERT INTO machines VALUES (3, 0, 'west', 'EPYC', 1.0, NULL, NULL)")


def without_checksums(path: Path) -> None:
    """The store as earlier versions made it."""
    database = sqlite3.connect(path)
    database.execute("DROP TABLE checksums")
    database.close()


def test_a_store_without_checksums_is_read_and_played_on(
    path: Path, records: list[GameRecord]
) -> None:
    before = report(path)
    without_checksums(path)
    assert report(path) == before
    change(path, "UPDATE records SET record = replace(record, '}', ']') WHERE id = 2")
    change(path, "UPDATE games SET termination = 'natuxal' WHERE id = 2")
    assert "not counted: g0002" in report(path)
    assert play_on(path, records, replay_damaged=True) == ["g0002"]
    assert report(path) == before


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("seats.player", "ucu"),
        ("seats.score", "many"),
        ("seats.random_moves", -1e308),
        ("games.plies", "natural"),
        ("games.offender", 7),
        ("games.rules", "dotc"),
        ("games.faults", '[[5, "timeout", "late"]]'),
    ],
)
def test_a_damaged_cell_without_checksums_is_made_again(
    column: str, value: object, path: Path
) -> None:
    before = report(path)
    without_checksums(path)
    table, name = column.split(".")
    seat = " AND seat = 0" if table == "seats" else ""
    change(path, f"UPDATE {table} SET {name} = ? WHERE id = 1{seat}", value)
    assert report(path) == before


@pytest.mark.parametrize("opening", ["[1, 2]", '[["a1b1"]]', '"a1b1"', "5", "[" * 3000])
def test_a_damaged_opening_keeps_no_page_from_being_made(
    opening: str, path: Path, tmp_path: Path
) -> None:
    change(path, "UPDATE games SET opening = ? WHERE id = 1", opening)
    page = tmp_path / "cup.html"
    assert arena("report", path, "--html", page).exit_code == Exit.DONE
    with Store.open(path) as store:
        assert store.openings() == ()


def test_a_player_that_the_configuration_lacks_is_named(path: Path, tmp_path: Path) -> None:
    change(path, """UPDATE run SET config = replace(config, '"name":"uct"', '"name":"ucu"')""")
    page = tmp_path / "cup.html"
    for words in (("report",), ("report", "--html", page), ("games",)):
        done = arena(words[0], path, *words[1:])
        assert done.exit_code == Exit.USAGE
        assert f'{path}: its configuration is damaged: it has no player "uct"' in done.stderr
    assert not page.exists()
    assert arena("replay", path, "1", "--all").exit_code == Exit.DONE


@pytest.mark.parametrize("earlier", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 10))]
)
def test_no_byte_anywhere_gives_a_traceback(
    seed: int, earlier: bool, path: Path, records: list[GameRecord]
) -> None:
    """Of some stores, each with a bit damaged, many show all games or all but one. A bit in the
    long rows of zeros that pages end with is in use by nothing.
    """
    if earlier:
        without_checksums(path)
    whole, rng, shown = path.read_bytes(), Random(seed), 0
    used = [at for at in range(len(whole)) if any(whole[max(0, at - 16) : at + 16])]
    for _ in range(8):
        at = rng.choice(used)
        byte = bytes([whole[at] ^ (1 << rng.randrange(8))])
        path.write_bytes(whole[:at] + byte + whole[at + 1 :])
        tried: list[Callable[[], object]] = [lambda: report(path)]
        tried += [lambda game=game: replayed(path, game) for game in GAMES]  # type: ignore[misc]
        tried += [lambda: play_on(path, records, replay_damaged=True)]
        for look in tried:
            try:
                look()
            except ArenaError as error:
                assert str(path) in str(error) or "game g" in str(error), (at, error)
            except Exception as error:
                raise AssertionError((at, whole[at], byte)) from error
            else:
                shown += 1
        for other in path.parent.glob(f"{path.name}-*"):
            other.unlink()
    assert shown > 8


def test_damaged_events_hide_no_game(path: Path) -> None:
    before = report(path)
    events = path.with_suffix(".events.jsonl")
    with Store.open(path) as store:
        config = store.config
    with PlayedStore.open_run(path, config) as playing:
        with events.open("ab") as file:
            file.write(b'{"kind":"moves_played","game":"\xff","ply":1}\n')
        assert playing.is_played
        assert report(path) == before
