"""The scheduler with real runs: killed, found, gone on with, paused, and reported as unplayable."""

import errno
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Literal
from unittest.mock import Mock

import pytest

from arena.bots import course
from arena.bots.course_file import rules_of
from arena.bots.package import open_bot
from arena.errors import Exit, StoreError, UserError
from arena.files import lock
from arena.tournament.events import RunFinished, RunOutcome, events_file
from arena.tournament.played_store import PlayedStore
from arena.tournament.run_view import RunView
from arena.web import scheduler
from arena.web.last_good import LastGood
from arena.web.scheduler import Scheduler, TournamentState
from arena.web.tournament_process import TournamentProcess, interrupt
from arena.web.wishes import Wish
from tests.command import arena
from tests.reports.conftest import play_record
from tests.reports.runs import begun, keep_games
from tests.right_bot import RIGHT

from .conftest import fill_log, wait_for

LONG, SHORT = 400, 1
SLOW = RIGHT.replace("import json", "import json\nimport time").replace(
    '    elif request["type"] == "turn":\n',
    '    elif request["type"] == "turn":\n        time.sleep(0.03)\n',
)
"""Leaves the cores to others while a long tournament is waited for."""
FILE = """
[tournament]
rounds = {rounds}
sandbox = "none"
concurrency = 1
{format}
[game]
rules = "dots"
rows = 2
cols = 2
[openings]
plies = 0
[[player]]
bot = "monkey"
[[player]]
bot = "slow.py"
name = "ape"
{more}
"""


def write_tournament(
    course: Path, name: str, rounds: int, format_: str = "", more: str = ""
) -> None:
    folder = course / "tournaments"
    (folder / "slow.py").write_text(SLOW)
    (folder / f"{name}.toml").write_text(FILE.format(rounds=rounds, format=format_, more=more))


class Class:
    """A course, and the servers that keep it one after the other."""

    def __init__(self, folder: Path) -> None:
        course.init(folder)
        self.folder = folder
        (folder / "tournaments" / "ladder.toml").unlink()
        self._servers: list[Scheduler] = []
        self.server()

    def file(self, name: str, rounds: int, format_: str = "", more: str = "") -> None:
        write_tournament(self.folder, name, rounds, format_, more)

    def server(self) -> Scheduler:
        """Another server, which knows what is in the files."""
        self.scheduler = Scheduler(self.folder, LastGood(partial(rules_of, self.folder)))
        self._servers.append(self.scheduler)
        return self.scheduler

    def state(self, name: str = "cup") -> TournamentState:
        return next(each.state for each in self.scheduler.tournaments() if each.name == name)

    def games(self, name: str = "cup") -> int:
        with suppress(StoreError), RunView(self.scheduler.process(name).store) as view:
            return len(view.games)
        return 0

    def until(self, holds: Callable[[], bool]) -> None:
        """Look until it holds."""
        give_up = time.monotonic() + 60
        while not holds():
            assert time.monotonic() < give_up, self.scheduler.process("cup").last_lines()
            self.scheduler.look()
            time.sleep(0.1)

    def playing(self, name: str = "cup") -> None:
        games = self.games(name)
        self.until(lambda: self.state(name) == "playing" and self.games(name) > games)

    def end(self) -> None:
        """Stop what plays; processes that a server started are its children, killed or not."""
        for each in self.scheduler.names():
            self.scheduler.pause(each)
        for server in self._servers:
            for child in server._children.values():
                child.wait()

    def submit(self, owner: str, text: str) -> None:
        script = self.folder.parent / f"{owner}.py"
        script.write_text(text)
        now = datetime.now(UTC)
        course.add_owners(self.folder, [owner], now)
        bot = course.admitted(self.folder, open_bot(script), owner, now)
        course.submit(self.folder, bot, (), owner, now)


@pytest.fixture
def classroom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Class]:
    waits = {"_LOOK_S": 0.02, "_BACK_OFF_S": 0.01, "_TAKE_S": 0.0, "_FORGET_S": 0.0}
    for name, seconds in waits.items():
        monkeypatch.setattr(scheduler, name, seconds)
    made = Class(tmp_path / "course")
    yield made
    made.end()


def test_a_tournament_is_played_to_its_end(classroom: Class) -> None:
    classroom.file("cup", SHORT)
    assert classroom.state() == "new"
    classroom.scheduler.start("cup")
    classroom.until(lambda: classroom.state() == "over")
    assert classroom.games() == 2
    assert "arena run" in classroom.scheduler.process("cup").log.read_text()
    assert classroom.scheduler.process("cup").store.parent.stat().st_mode & 0o777 == 0o700
    assert (classroom.scheduler.course / "keeper.json").stat().st_mode & 0o077 == 0
    classroom.server().look()
    assert classroom.state() == "over"


def test_how_a_run_ended_is_not_what_the_one_before_said(
    classroom: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    classroom.file("cup", SHORT)
    store = classroom.scheduler.store("cup")
    store.parent.mkdir(exist_ok=True)
    over = RunFinished(outcome=RunOutcome(total=2, done=2))
    events_file(store).write_text(over.model_dump_json())
    yesterday = datetime.now(UTC) - timedelta(days=1)
    monkeypatch.setattr(scheduler, "_now", lambda: yesterday)  # the clock was set back
    (classroom.folder / "tournaments" / "cup.toml").write_text("[tournament]\nrounds =\n")
    classroom.scheduler.start("cup")
    classroom.until(lambda: classroom.scheduler.wish("cup").died_at == yesterday)
    assert classroom.state() == "failed"


def test_what_another_program_played_to_its_end_is_over(classroom: Class) -> None:
    classroom.file("cup", SHORT)
    process = classroom.scheduler.process("cup")
    played = arena("run", process.file, "--store", process.store)
    assert played.exit_code == 0, played.output
    classroom.scheduler.look()
    assert classroom.state() == "over"
    stopped = RunFinished(outcome=RunOutcome(total=2, done=1, interrupted=True))
    events_file(process.store).write_text(stopped.model_dump_json())
    assert classroom.state() == "paused"


@pytest.mark.slow
def test_one_is_played_at_a_time_and_a_pause_outlives_the_server(classroom: Class) -> None:
    """Also one whose file is gone. Killed servers and killed tournaments are tried in
    test_killed_server.py.
    """
    classroom.file("cup", LONG)
    classroom.file("evening", SHORT)
    classroom.scheduler.start("cup")
    classroom.scheduler.start("evening")
    classroom.playing()
    assert classroom.state("evening") == "waiting"
    classroom.scheduler.pause("cup")
    classroom.until(lambda: classroom.state("evening") == "over")
    assert classroom.state() == "paused"
    games = classroom.games()
    classroom.server().look()
    assert (classroom.state(), classroom.games()) == ("paused", games)
    classroom.scheduler.start("cup")
    classroom.playing()
    # one whose file is gone is waited for, and forgotten with its run
    child, kept = classroom.scheduler._children["cup"], classroom.scheduler.process("cup")
    kept.file.unlink()
    classroom.scheduler.start("evening")
    classroom.scheduler.look()
    assert classroom.state("evening") == "waiting"
    assert classroom.scheduler.without_file() == ["cup"]
    interrupt(child.pid)
    classroom.until(lambda: classroom.state("evening") == "over")
    assert child.returncode is not None
    assert classroom.scheduler.wish("cup").begun_at
    kept.store.unlink()
    classroom.scheduler.look()
    assert classroom.server().wish("cup") == Wish()


def test_one_whose_files_are_moved_to_be_edited_stays_frozen(
    classroom: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "_FORGET_S", 0.2)
    now = datetime.now(UTC)
    classroom.scheduler.change("cup", begun_at=now, ended="over", freeze_at=now)
    classroom.scheduler.look()
    classroom.file("cup", SHORT)
    classroom.scheduler.look()
    time.sleep(0.2)
    (classroom.folder / "tournaments" / "cup.toml").unlink()
    classroom.scheduler.look()
    assert classroom.server().frozen() == ["cup"]
    assert classroom.scheduler.without_file() == [], "none is played"


def test_one_whose_files_stay_away_is_forgotten_but_not_what_has_a_run_or_never_began(
    classroom: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "_FORGET_S", 0.1)
    now = datetime.now(UTC)
    classroom.scheduler.change("cup", begun_at=now, ended="over", freeze_at=now)
    classroom.scheduler.change("league", freeze_at=now)
    classroom.scheduler.change("night", begun_at=now, ended="over", freeze_at=now)
    store = classroom.scheduler.store("night")
    store.parent.mkdir(exist_ok=True)
    store.touch()
    for _ in range(2):
        assert "cup" in classroom.scheduler.frozen()
        classroom.scheduler.look()
        time.sleep(0.1)
    assert classroom.server().frozen() == ["league", "night"]


@pytest.mark.parametrize(
    ("wanted", "code", "ended"),
    [
        ("playing", 2, "failed"),
        ("playing", 130, "failed"),
        ("playing", -9, None),
        ("paused", 130, None),
    ],
)
def test_what_cannot_go_on_is_not_begun_again(
    wanted: Literal["playing", "paused"], code: int, ended: str | None
) -> None:
    now = datetime(2026, 11, 1, 12, tzinfo=UTC)
    wish = Wish(wanted=wanted, begun_at=now - timedelta(hours=1))
    assert wish.after_end(now, None, code, 20.0).ended == ended
    stopped = RunOutcome(total=4, done=1, interrupted=True)
    assert wish.after_end(now, stopped, 130, 20.0).ended is None


def test_what_dies_waits_longer_each_time_and_no_more_after_three() -> None:
    now = datetime(2026, 11, 1, 12, tzinfo=UTC)
    wish = Wish(wanted="playing", begun_at=now, take_new=True)
    for pause_s in (2, 4):
        wish = wish.after_end(now, None, -9, 20.0)
        least = timedelta(seconds=pause_s)
        moments = (now + least / 2, now + least, now - least)  # or the clock was set back
        assert [wish.waits(at, 2.0) for at in moments] == [False, True, True]
        assert wish.take_new, "it has not begun"
    for seconds in (20, -3600):  # or the clock was set back
        later = wish.after_end(now + timedelta(seconds=seconds), None, -9, 20.0)
        assert (later.deaths, later.ended) == (0, None), "it played for a while"
    dead = wish.after_end(now, None, -9, 20.0)
    assert (dead.ended, dead.take_new, dead.waits(now + timedelta(days=1), 2.0)) == (
        "failed", False, False,
    )  # fmt: skip
    again = dead.played(now, take_new=False, without=())
    assert again.waits(now, 2.0), "the staff wants it again"


def test_what_is_asked_while_it_waits_adds_up_and_keeps_its_turn() -> None:
    now = datetime(2026, 11, 1, 12, tzinfo=UTC)
    later = now + timedelta(hours=1)
    first = Wish().played(now, take_new=True, without=["fox"])
    both = first.played(later, take_new=False, without=["owl", "fox"])
    assert (both.since, both.take_new, both.without) == (now, True, ("fox", "owl"))
    assert both.is_asked
    begun = both.model_copy(update={"begun_at": later + timedelta(hours=1), "pid": 1})
    assert not begun.is_asked and not begun.waits(later, 2.0)
    over = RunOutcome(total=4, done=4)
    asked = both.model_copy(update={"begun_at": now, "pid": 1}).after_end(later, over, 0, 20.0)
    assert (asked.ended, asked.take_new) == (None, True), "it begins with the field asked for"
    ended = begun.after_end(later, over, 0, 20.0)
    assert (ended.ended, ended.without) == ("over", ())
    again = ended.played(later, take_new=False, without=())
    assert again.since == later, "after those that wait"
    assert not again.is_asked, "the field is that of the last start"


def test_a_clock_that_is_set_back_hides_no_request_and_repeats_none(
    classroom: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = datetime.now(UTC)
    begun = Wish(wanted="playing", begun_at=now + timedelta(hours=1))
    assert begun.played(now, take_new=True, without=()).is_asked
    monkeypatch.setattr(
        TournamentProcess, "start", lambda *_, **__: subprocess.Popen(["sleep", "60"])
    )
    classroom.file("cup", SHORT)
    monkeypatch.setattr(scheduler, "_now", lambda: now + timedelta(hours=1))
    classroom.scheduler.start("cup", take_new=True)
    monkeypatch.setattr(scheduler, "_now", lambda: now)
    classroom.scheduler.look()
    assert not classroom.scheduler.wish("cup").is_asked


def begins(script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a shell take the place of a tournament that never comes to play; it sets a trap."""
    words = ["sh", "-c", f"{script}; echo; while :; do sleep 0.05; done"]

    def start(*_: object, **__: object) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(words, stdout=subprocess.PIPE, start_new_session=True)
        assert process.stdout is not None
        with process.stdout as said:
            assert said.read(1)  # the trap is set
        return process

    monkeypatch.setattr(TournamentProcess, "start", start)


@pytest.mark.parametrize("is_interrupted", [False, True])
def test_a_full_disk_loses_no_exit_code(
    classroom: Class, monkeypatch: pytest.MonkeyPatch, is_interrupted: bool
) -> None:
    begins("trap 'exit 2' TERM INT", monkeypatch)
    classroom.file("cup", SHORT)
    server = classroom.scheduler
    server.start("cup")
    server.look()
    child = server._children["cup"]
    if is_interrupted:
        server._interrupt(child.pid)
    os.killpg(child.pid, signal.SIGTERM)
    child.wait()
    with monkeypatch.context() as patch:
        full = OSError(errno.ENOSPC, "No space left on device")
        patch.setattr(scheduler, "write_wishes", Mock(side_effect=full))
        with pytest.raises(OSError, match="No space left"):
            server.look()
    server._attend("cup")
    assert server.wish("cup").ended == (None if is_interrupted else "failed")


def test_what_is_paused_and_wanted_again_as_it_begins_has_not_failed(
    classroom: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    begins("trap 'exit 130' INT", monkeypatch)
    classroom.file("cup", SHORT)
    scheduler = classroom.scheduler
    scheduler.start("cup")
    scheduler.look()
    scheduler.pause("cup")
    scheduler.start("cup")
    assert scheduler._children["cup"].wait() == 130
    scheduler.look()
    assert scheduler.wish("cup").ended is None


def test_one_that_does_not_stop_is_asked_again_after_a_while(
    classroom: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    begins("asked=; trap 'test $asked && exit 130; asked=1' INT", monkeypatch)
    classroom.file("cup", SHORT)
    scheduler_, child = classroom.scheduler, classroom.scheduler._children
    scheduler_.start("cup")
    scheduler_.look()
    scheduler_.pause("cup")
    for _ in range(3):
        scheduler_.look()
        time.sleep(0.1)
    assert classroom.state() == "pausing" and child["cup"].poll() is None
    monkeypatch.setattr(scheduler, "_INSIST_S", 0.0)
    scheduler_.look()
    assert child["cup"].wait(10) == 130


def test_new_bots_are_wanted_until_it_plays_with_them(
    classroom: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    begins("trap 'exit 130' INT", monkeypatch)
    classroom.file("cup", SHORT)
    classroom.scheduler.start("cup", take_new=True)
    for _ in range(2):
        classroom.scheduler.look()
    assert classroom.scheduler.wish("cup").take_new
    assert classroom.scheduler.without_file() == []


def test_new_bots_stay_news_until_they_are_taken(
    classroom: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    begins("trap 'exit 130' INT", monkeypatch)
    classroom.file("cup", SHORT)
    store = classroom.scheduler.store("cup")
    store.parent.mkdir(exist_ok=True)
    keep_games(store, [play_record("dots", "monkey", "ape", rows=2, cols=2)])
    classroom.submit("ada", "print(1)")
    for take_new in (False, True):
        classroom.scheduler.start("cup", take_new=take_new)
        classroom.until(lambda: not classroom.scheduler.wish("cup").is_asked)
        classroom.scheduler.look()
        (cup,) = classroom.scheduler.tournaments()
        assert (cup.state, cup.has_news) == ("starting", not take_new)


def test_a_file_that_is_moved_as_tournaments_are_listed_ends_no_list(
    classroom: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Editors move it away for a moment."""
    classroom.file("cup", SHORT)
    (classroom.folder / "course.toml").write_text('standing = ["cup"]\n')
    names = classroom.scheduler.names

    def listed() -> list[str]:
        found = names()
        (classroom.folder / "tournaments" / "cup.toml").unlink(missing_ok=True)
        return found

    monkeypatch.setattr(classroom.scheduler, "names", listed)
    assert [each.name for each in classroom.scheduler.tournaments()] == ["cup"]


def test_the_one_that_has_waited_longest_begins(
    classroom: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    begins("trap 'exit 130' INT", monkeypatch)
    for name in ("night", "cup"):
        classroom.file(name, SHORT)
        classroom.scheduler.start(name)
    classroom.scheduler.look()
    assert (classroom.state("night"), classroom.state("cup")) == ("starting", "waiting")


def test_a_run_in_the_hands_of_another_program_is_left_alone(
    classroom: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The staff begins one in a terminal, after the scheduler's own process was paused."""
    stopped = list[int]()
    monkeypatch.setattr(scheduler, "interrupt", stopped.append)
    classroom.file("cup", SHORT)
    now = datetime.now(UTC)
    classroom.scheduler.change("cup", wanted="paused", begun_at=now, pid=2**22 + 1)
    store = classroom.scheduler.store("cup")
    store.parent.mkdir(exist_ok=True)
    held = lock.acquire(store)
    classroom.scheduler.look()
    assert classroom.state() == "playing" and not stopped
    lock.release(store, held)


def test_one_that_another_program_began_at_the_same_time_goes_on_after_it(
    classroom: Class,
) -> None:
    """Such as root's crontab: the process of the server was refused the run, and ended."""
    classroom.file("cup", LONG)
    store = classroom.scheduler.store("cup")
    classroom.scheduler.start("cup", take_new=True)
    classroom.scheduler.look()
    held = lock.acquire(store)
    (child,) = classroom.scheduler._children.values()
    os.kill(child.pid, signal.SIGSTOP)  # it prepares for long
    classroom.scheduler.look()
    os.kill(child.pid, signal.SIGCONT)
    assert child.wait() == Exit.USAGE
    classroom.scheduler.look()
    assert classroom.state() == "playing"
    assert classroom.scheduler.wish("cup").take_new, "the other program took nobody"
    lock.release(store, held)
    classroom.scheduler.look()
    assert classroom.state() == "starting"


@pytest.mark.slow
def test_what_cannot_be_played_is_reported_with_the_log(classroom: Class) -> None:
    classroom.file("cup", SHORT, format_="roundz = 3")
    classroom.scheduler.start("cup")
    classroom.until(lambda: classroom.state() == "failed")
    assert "roundz: unknown key" in "\n".join(classroom.scheduler.process("cup").last_lines())
    classroom.file("cup", SHORT)
    classroom.scheduler.start("cup")
    classroom.scheduler.look()
    assert classroom.state() == "starting"


def test_an_end_is_seen_before_it_is_started_again(
    classroom: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    classroom.file("cup", LONG)
    scheduler = classroom.scheduler
    scheduler.start("cup")
    scheduler.look()
    (child,) = scheduler._children.values()
    attend = scheduler._attend

    def attend_and_die(name: str) -> None:
        attend(name)
        child.kill()
        child.wait()

    monkeypatch.setattr(scheduler, "_attend", attend_and_die)
    scheduler.look()
    assert scheduler._children == {"cup": child}
    monkeypatch.undo()
    scheduler.pause("cup")
    scheduler.look()
    assert scheduler.wish("cup").pid is None


def test_a_process_that_has_no_command_line_yet_is_there(
    classroom: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Linux shows none for a moment after a start; the others are looked after meanwhile."""
    monkeypatch.setattr(TournamentProcess, "_is", lambda *_: False)
    classroom.file("cup", LONG)
    classroom.file("league", LONG)
    scheduler = classroom.scheduler
    for name in ("cup", "league"):
        scheduler.start(name)
    for _ in range(2):
        scheduler.look()
    assert [scheduler.wish(name).pid for name in scheduler._children] == [
        scheduler._children["cup"].pid
    ]
    scheduler._children["cup"].kill()


def test_one_that_is_paused_as_it_starts_leaves_no_traceback(classroom: Class) -> None:
    classroom.file("cup", SHORT)
    process = classroom.scheduler.process("cup")
    child = process.start(take_new=False, without=())
    interrupt(child.pid)
    assert child.wait(60) == 130
    assert process.last_lines()[-1] == "Interrupted."


def test_three_quick_deaths_are_enough(classroom: Class) -> None:
    classroom.file("cup", LONG)
    classroom.scheduler.start("cup")
    killed = set()

    def kill() -> bool:
        if (pid := classroom.scheduler.wish("cup").pid) not in (None, *killed):
            os.kill(pid, signal.SIGKILL)
            killed.add(pid)
        return classroom.state() == "failed"

    classroom.until(kill)
    assert len(killed) == 3


@pytest.mark.slow
def test_new_bots_are_taken_when_the_staff_asks_and_left_out(classroom: Class) -> None:
    classroom.file("cup", LONG, more='[[player]]\nfrom = ".."')
    classroom.submit("ada", "print(1)")
    classroom.scheduler.start("cup")
    classroom.playing()
    classroom.submit("bob", "print(2)")
    (cup,) = classroom.scheduler.tournaments()
    assert cup.has_news
    assert not cup.is_standing

    def players() -> dict[str, str]:
        with RunView(classroom.scheduler.process("cup").store) as view:
            return {player.name: player.status for player in view.config.players}

    classroom.scheduler.start("cup", take_new=True, without=["ape"])
    classroom.until(lambda: "bob" in players())
    assert players() == {"monkey": "playing", "ape": "out", "ada": "playing", "bob": "playing"}
    classroom.playing()
    wish = classroom.scheduler.wish("cup")
    assert (wish.take_new, wish.without) == (False, ())


@pytest.mark.slow
def test_a_standing_tournament_takes_them_by_itself(classroom: Class) -> None:
    classroom.file("cup", LONG, format_='format = "ladder"', more='[[player]]\nfrom = ".."')
    rules = classroom.folder / "course.toml"
    rules.write_text(rules.read_text().replace('["ladder"]', '["cup"]'))
    classroom.scheduler.start("cup")
    classroom.until(lambda: classroom.state() == "failed")  # no bot was submitted
    classroom.submit("ada", "print(1)")
    classroom.playing()
    classroom.submit("ada", "print(2)")

    def took() -> bool:
        with RunView(classroom.scheduler.process("cup").store) as view:
            return "ada@2" in [player.name for player in view.config.players]

    classroom.until(took)
    classroom.playing()


def test_a_pause_as_the_last_game_ended_takes_nobody_by_itself(classroom: Class) -> None:
    classroom.file("ladder", SHORT)
    classroom.scheduler.change("ladder", wanted="paused", ended="over")
    assert not classroom.scheduler.tournaments()[0].is_standing
    classroom.scheduler.start("ladder")
    assert classroom.scheduler.tournaments()[0].is_standing


def test_a_standing_tournament_asks_for_what_is_new_and_not_while_it_is_paused(
    classroom: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    begins("trap 'exit 130' INT", monkeypatch)
    classroom.file("ladder", SHORT)
    classroom.submit("ada", "print(1)")
    server = classroom.scheduler
    server.start("ladder")
    for _ in range(2):
        server.look()
    assert not server.wish("ladder").is_asked, "it began with her bot"
    server.pause("ladder")
    classroom.submit("bob", "print(2)")
    server.look()
    assert server.wish("ladder").wanted == "paused" and not server.wish("ladder").is_asked
    server.change("ladder", wanted="playing")
    server.look()
    assert server.wish("ladder").take_new


def test_a_closed_bot_folder_interrupts_no_standing_tournament(
    classroom: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would be refused when it began again with the bots of now."""
    begins("trap 'exit 130' INT", monkeypatch)
    monkeypatch.setattr("arena.web.scheduler._TAKE_S", 0)
    monkeypatch.setattr("arena.web.scheduler._BACK_OFF_S", 0)
    classroom.file("ladder", SHORT)
    for owner in ("ada", "bob"):
        classroom.submit(owner, "print(1)")
    server, readlink = classroom.scheduler, Path.readlink
    server.start("ladder")
    server.look()

    def closed(path: Path) -> Path:
        if path.parent.name == "bob":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return readlink(path)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "readlink", closed)
        server.look()
        assert not server.wish("ladder").is_asked
        server.change("ladder", take_new=False)  # as once it plays
        server.process("ladder").store.touch()
        os.killpg(server._children["ladder"].pid, signal.SIGKILL)
        server._children["ladder"].wait()
        server.look()
        assert server._children["ladder"].poll() is None, "it goes on"
        assert not server.wish("ladder").take_new
    classroom.submit("bob", "print(2)")
    server.look()
    assert server.wish("ladder").take_new


def no_reading(folder: Path) -> str | None:
    raise AssertionError(f"the files of {folder} are read soon after a start")


def test_a_damaged_bot_interrupts_no_standing_tournament(
    classroom: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    """News of another bot would have it begin again, and then be refused for good."""
    begins("trap 'exit 130' INT", monkeypatch)
    classroom.file("ladder", SHORT)
    classroom.submit("ada", "print(1)")
    server, home = classroom.scheduler, classroom.folder / "ada"
    server.start("ladder")
    server.look()
    version = (home / "active").resolve()
    version.rename(home.with_name(".aside"))
    classroom.submit("bob", "print(1)")
    with monkeypatch.context() as patch:
        patch.setattr("arena.web.scheduler._TAKE_S", 60)
        patch.setattr("arena.bots.course.refusal", no_reading)
        server.look()
    server.look()
    assert not server.wish("ladder").is_asked and server.tournaments()[0].has_news
    home.with_name(".aside").rename(version)
    with monkeypatch.context() as patch:
        patch.setattr("arena.web.scheduler._TAKE_S", 60)
        server.look()
        assert not server.wish("ladder").is_asked, "the files are not read at each look"
    server.look()
    assert server.wish("ladder").take_new


@pytest.mark.slow
def test_a_closed_format_takes_nobody_once_it_has_begun(
    classroom: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    classroom.file("cup", SHORT, format_='format = "knockout"', more='[[player]]\nfrom = ".."')
    rules = classroom.folder / "course.toml"
    rules.write_text(rules.read_text().replace('["ladder"]', '["cup"]'))
    classroom.submit("ada", "print(1)")
    classroom.scheduler.start("cup")
    classroom.until(lambda: classroom.state() == "over")
    classroom.submit("bob", "print(2)")
    classroom.scheduler.look()
    (cup,) = classroom.scheduler.tournaments()
    assert (cup.state, cup.is_standing, cup.has_news) == ("over", False, False)
    with pytest.raises(UserError, match="cup has begun, and nobody joins its format"):
        classroom.scheduler.start("cup", take_new=True)
    with pytest.raises(UserError, match="nobody leaves its format after that, or after its last"):
        classroom.scheduler.start("cup", without=["ape"])
    begin = Mock(return_value=subprocess.Popen(["true"]))
    monkeypatch.setattr(TournamentProcess, "start", begin)
    classroom.scheduler.start("cup")
    classroom.scheduler.look()
    begin.assert_called_once_with(take_new=False, without=())


def test_a_player_may_leave_once_and_where_others_stay_or_come(classroom: Class) -> None:
    classroom.file("cup", SHORT)
    record = play_record("dots", "monkey", "ape", rows=2, cols=2)
    out = play_record("dots", "cat", "ape", rows=2, cols=2)
    store = classroom.scheduler.store("cup")
    store.parent.mkdir(exist_ok=True)
    with begun(store, [record, out]) as opened:
        config = opened.config
    players = [
        each.model_copy(update={"status": "out"} if each.name == "cat" else {})
        for each in config.players
    ]
    with PlayedStore.open_run(store, config.model_copy(update={"players": tuple(players)})):
        pass
    leave = classroom.scheduler
    assert leave.players("cup") == ["monkey", "ape"]
    with pytest.raises(UserError, match='"cat" does not play in cup; players: monkey, ape'):
        leave.start("cup", without=["cat"])
    with pytest.raises(UserError, match="a game needs 2 players, and 1 would be left"):
        leave.start("cup", without=["ape"])
    leave.start("cup", take_new=True, without=["ape"])
    assert leave.wish("cup").without == ("ape",)


@pytest.mark.slow
def test_a_player_leaves_a_knockout(classroom: Class) -> None:
    classroom.file("cup", LONG, format_='format = "knockout"', more='[[player]]\nfrom = ".."')
    classroom.submit("ada", "print(1)")
    classroom.scheduler.start("cup")
    classroom.playing()
    assert classroom.scheduler.players("cup") == ["monkey", "ape", "ada"]
    classroom.scheduler.start("cup", without=["ape"])
    classroom.until(lambda: classroom.scheduler.players("cup") == ["monkey", "ada"])
    classroom.playing()


def test_two_servers_do_not_keep_one_course(classroom: Class) -> None:
    first = classroom.scheduler
    first.begin()
    with pytest.raises(UserError, match="served by another process"):
        classroom.server().begin()
    other = classroom.scheduler
    assert other.names() == []
    first.end()
    other.begin()
    other.end()


@pytest.mark.slow
def test_none_is_begun_while_the_course_has_a_mistake(classroom: Class) -> None:
    classroom.file("cup", SHORT)
    rules = classroom.folder / "course.toml"
    good = rules.read_text()
    rules.write_text("deadline = \n")
    classroom.scheduler.start("cup")
    classroom.scheduler.look()
    assert classroom.state() == "waiting"
    rules.write_text(good)
    classroom.scheduler.look()
    assert classroom.state() == "starting"


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), RuntimeError("can't start new thread")]
)
def test_what_hinders_it_is_reported_once(
    classroom: Class,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    error: Exception,
) -> None:
    looks = []

    def hindered() -> None:
        looks.append(1)
        raise error

    server = classroom.server()
    monkeypatch.setattr(server, "look", hindered)
    server.begin()
    wait_for(lambda: len(looks) >= 3)
    server.end()
    assert capfd.readouterr().err.count(f"wait: {error}\n") == 1


def test_it_goes_on_where_the_log_is_on_a_full_disk(
    classroom: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = []

    def hindered() -> None:
        looks.append(1)
        raise OSError(28, "No space left on device")

    server = classroom.server()
    monkeypatch.setattr(server, "look", hindered)
    fill_log(monkeypatch)
    server.begin()
    wait_for(lambda: len(looks) >= 2)
    server.end()


def test_a_file_that_was_damaged_is_named(classroom: Class) -> None:
    (classroom.folder / "keeper.json").write_text("{")
    with pytest.raises(UserError, match=r"keeper\.json is not what the arena wrote"):
        classroom.server()
    (classroom.folder / "keeper.json").write_text(json.dumps({"tournaments": {}}))
    with pytest.raises(UserError, match=r'has no "cap\.toml"'):
        classroom.server().start("cap")
