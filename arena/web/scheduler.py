"""The scheduler of a course: plays the tournaments that the staff wants played.

    COURSE/tournaments/NAME.toml   a tournament; `from = ".."` takes the bots of the course
    COURSE/runs/NAME.sqlite        its run, with `NAME.log` next to it
    COURSE/keeper.json             what is wanted: see `arena.web.wishes`

Each is played by a process of its own, which plays on when the server dies; the next server finds
it by the lock of its run. One that died though it should play is started again, later and later,
and no more after three quick deaths.
"""

import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, NamedTuple

from arena.bots import course as course_of
from arena.bots.course_file import RUNS, TOURNAMENTS, Course, tournament_files
from arena.errors import ArenaError, ConfigError, StoreError, UserError
from arena.files import lock
from arena.files.toml import read_file
from arena.files.toml_tables import did_you_mean, read_tables, shown
from arena.tournament.config_tables import with_formats
from arena.tournament.field import refuse_too_few
from arena.tournament.formats import FORMATS
from arena.tournament.ready import walkover_round
from arena.tournament.store import Store
from arena.web.last_good import LastGood
from arena.web.log import to_log
from arena.web.tournament_process import TournamentProcess, interrupt
from arena.web.wishes import FILE, Wish, end_of, read_wishes, write_wishes

TournamentState = Literal[
    "new", "waiting", "starting", "playing", "pausing", "paused", "over", "void", "failed"
]


_LOOK_S, _BACK_OFF_S = 0.5, 2.0
"""Between two looks; before the start after a quick death, and twice that after the next."""
_QUICK_S = 20.0
"""A process that lived less long died quickly."""
_TAKE_S, _INSIST_S = 60.0, 10.0
"""A standing tournament takes new bots at most this often, and a process that does not stop is
asked again after this."""
_FORGET_S = 300.0
"""A tournament is forgotten this long after its files went: one may be moved to be edited."""


class Tournament(NamedTuple):
    name: str
    state: TournamentState
    wish: Wish
    is_standing: bool
    """Whether it takes new bots and versions by itself."""
    has_run: bool
    """Whether it was begun."""
    has_news: bool
    """Whether bots came, went or changed since its last start, and may be taken."""


class Scheduler:
    """Plays the tournaments of a course, one at a time; the others wait."""

    def __init__(self, course: Path, rules: LastGood[Course]) -> None:
        self.course, self._rules = course.absolute(), rules
        self._wishes = read_wishes(self.course)
        self._changing = threading.RLock()
        self._children: dict[str, subprocess.Popen[bytes]] = {}
        self._interrupted: dict[int, float] = {}
        self._gone: dict[str, float] = {}
        """Since when the files of a tournament are not there."""
        self._refused_at: float | None = None
        """When a tournament of all bots was found to be refused; None where it was not."""
        self._over, self._wake = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None
        self._lock: int | None = None

    def hold(self) -> None:
        """Lock the course for this scheduler. Raises UserError where another server has it."""
        if self._lock is not None:
            return
        try:
            self._lock = lock.acquire(self.course / FILE)
        except lock.LockHeldError as holder:
            raise UserError(
                f"{self.course} is served by another process ({holder}); stop that process first"
            ) from None

    def begin(self) -> None:
        """Look after the tournaments from now on. Raises UserError where another server does."""
        self.hold()
        self._over.clear()
        self._thread = threading.Thread(target=self._keep, name="scheduler", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Look after the tournaments no more; those that are played play on."""
        self._over.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join()
        if self._lock is not None:
            lock.release(self.course / FILE, self._lock)
            self._lock = None

    def _keep(self) -> None:
        last_error = ""
        while not self._over.is_set():
            try:
                self.look()
            except (ArenaError, OSError, RuntimeError) as error:  # edited, full disk, no thread
                if str(error) != last_error:
                    last_error = str(error)
                    to_log(f"The tournaments of {self.course} wait: {last_error}")
            self._wake.wait(_LOOK_S)
            self._wake.clear()

    def names(self) -> list[str]:
        return [file.stem for file in tournament_files(self.course)]

    def tournaments(self) -> list[Tournament]:
        standing, field = self._rules.now().standing, course_of.field(self.course)
        return [self._shown(name, standing, field) for name in self.names()]

    def process(self, name: str) -> TournamentProcess:
        """The process of a tournament. Raises UserError."""
        names = self.names()
        if name not in names:
            hint = did_you_mean(name, names, "tournaments")
            raise UserError(f'{self.course / TOURNAMENTS} has no "{name}.toml"; {hint}')
        return self._process(name)

    def _process(self, name: str) -> TournamentProcess:
        return TournamentProcess(self.course / TOURNAMENTS / f"{name}.toml", self.store(name))

    def store(self, name: str) -> Path:
        """The run of a tournament, which may not have begun, or may have no file any more."""
        return self.course / RUNS / f"{name}.sqlite"

    def wish(self, name: str) -> Wish:
        return self._wishes.get(name, Wish())

    def is_closed(self, name: str) -> bool:
        """Whether no player joins any more: the format closes once it begins."""
        with suppress(StoreError):
            begun = Store.begun_with(self.store(name))
            return begun is not None and FORMATS[begun.format].closed
        return False

    def without_file(self) -> list[str]:
        """The names of those that are played though their files are gone."""
        gone = self._wishes.keys() - self.names()
        return sorted(name for name in gone if self._pid(name) is not None)

    def frozen(self) -> list[str]:
        """The names of the tournaments whose tables are frozen, or are to be."""
        return [name for name, wish in self._wishes.items() if wish.freeze_at is not None]

    def players(self, name: str) -> list[str]:
        """The players of a run that may be left out of it."""
        with suppress(StoreError):
            store = self.process(name).store
            begun = Store.begun_with(store)
            if begun and (not FORMATS[begun.format].closed or walkover_round(store)):
                return [each.name for each in begun.players if each.plays]
        return []

    def start(self, name: str, *, take_new: bool = False, without: Sequence[str] = ()) -> None:
        """Have a tournament played, or continued; a tournament in play is started again where its
        field is to change. Raises UserError, StoreError and ConfigError.
        """
        self.process(name)
        if take_new and self.is_closed(name):
            raise UserError(
                f"{name} has begun, and nobody joins its format after that; play the changed field "
                "as another tournament"
            )
        if take_new and (why := self._refusal(name)):
            raise UserError(f"{why}\nUntil it is fixed, {name} takes no new bots and versions.")
        with self._changing:
            wish = self.wish(name).played(_now(), take_new=take_new, without=without)
            if without:
                self._refuse_without(name, without, wish)
            self._keep_wish(name, wish)
        self._wake.set()

    def _refusal(self, name: str) -> str | None:
        """Why a tournament that takes all bots cannot take those of now, which would end its run.
        None where it can, or names its bots one by one.
        """
        tables, _ = read_tables(with_formats(), read_file(self.process(name).file, ConfigError)[1])
        takes_all = any(table.from_ is not None for table in tables.player)
        return course_of.refusal(self.course) if takes_all else None

    def _refuse_without(self, name: str, without: Sequence[str], wish: Wish) -> None:
        """Raise UserError where a player to be left out does not play, or too few would be left."""
        begun = Store.begun_with(self.process(name).store)
        if begun is None:
            raise UserError(f"{name} has not begun; leave players out of its file")
        players = self.players(name)
        if not players:
            raise UserError(
                f"{name} has begun, and nobody leaves its format after that, or after its last "
                "game; play the changed field as another tournament"
            )
        for each in without:
            if each not in players:
                hint = did_you_mean(each, players, "players")
                raise UserError(f"{shown(each)} does not play in {name}; {hint}")
        if not wish.take_new and not FORMATS[begun.format].closed:  # else others may join
            left = [each for each in players if each not in wish.without]
            refuse_too_few(begun, left, wish.without)

    def pause(self, name: str) -> None:
        """Stop a tournament; its games are kept, and it can go on. Raises UserError."""
        pid = self._pid(name)
        self.change(name, wanted="paused", since=_now())
        if pid is not None:
            self._interrupt(pid)

    def change(self, name: str, **to: object) -> None:
        with self._changing:
            self._keep_wish(name, self.wish(name).model_copy(update=to))

    def _keep_wish(self, name: str, wish: Wish) -> None:
        wishes = self._wishes | {name: wish}
        write_wishes(self.course, wishes)
        self._wishes = wishes

    def look(self) -> None:
        """Look at the processes of all tournaments, and stop or start what the wishes ask for."""
        with self._changing:
            standing, field = self._rules.now().standing, course_of.field(self.course)
            for name in {*self.names(), *self._wishes}:
                self._attend(name)
            self._forget_removed()
            if self._rules.problem is not None:  # what is started would end with it
                return
            for name in self.names():
                if name in standing:
                    self._take_by_itself(name, field)
            self._start_next(standing, field)

    def _attend(self, name: str) -> None:
        """See whether a process has ended; stop it where that is wanted."""
        process, wish = self._process(name), self.wish(name)
        pid = self._pid(name)
        if wish.pid is None:
            return
        if pid not in (None, wish.pid):  # another program was quicker: ours plays on after it
            self._children.pop(name, None)
            self.change(name, pid=None)
        elif pid is None:
            child = self._children.get(name)
            code = child.wait() if child else None
            if wish.pid in self._interrupted:
                code = None  # it ended as it was asked to, perhaps before it had begun
            outcome = process.outcome()
            self._keep_wish(name, wish.after_end(_now(), outcome, code, _QUICK_S))
            self._children.pop(name, None)  # only now: on a full disk it is looked at again
            self._interrupted.pop(wish.pid, None)
        elif wish.wanted == "paused" or wish.is_asked:
            self._interrupt(pid)
        elif lock.holder(process.store) == pid and (wish.take_new or wish.without):
            self.change(name, take_new=False, without=())

    def _forget_removed(self) -> None:
        """Forget tournaments that were begun, and have no file and no run any more: another one may
        have the name.
        """
        now = time.monotonic()
        self._gone = {
            name: self._gone.get(name, now)
            for name in self._wishes.keys() - self.names()
            if self.wish(name).begun_at and self.wish(name).pid is None
            if not self.store(name).exists()
        }
        old = [name for name, since in self._gone.items() if now >= since + _FORGET_S]
        if old:
            wishes = {name: wish for name, wish in self._wishes.items() if name not in old}
            write_wishes(self.course, wishes)
            self._wishes = wishes

    def _pid(self, name: str) -> int | None:
        """The process of a tournament; where it has just begun, it has no command line yet."""
        child = self._children.get(name)
        if child is not None and child.poll() is None:
            return child.pid
        return self._process(name).pid(self.wish(name).pid)

    def _take_by_itself(self, name: str, field: dict[str, str]) -> None:
        """Have a standing tournament take new bots and versions."""
        wish, now = self.wish(name), _now()
        if wish.wanted == "paused" or wish.is_asked:
            return
        is_new = wish.begun_at and abs(now - wish.begun_at).total_seconds() < _TAKE_S
        if not is_new and self._takes(name, field):
            self._keep_wish(name, wish.played(now, take_new=True, without=()))

    def _takes(self, name: str, field: dict[str, str]) -> bool:
        """Whether there are new bots and versions that it can take: with a closed or damaged one
        among all it would be refused, where it can play on with those it has.
        """
        if self.wish(name).field == field or self.is_closed(name):
            return False
        now = time.monotonic()
        if self._refused_at is None or now >= self._refused_at + _TAKE_S:  # it reads all files
            self._refused_at = now if course_of.refusal(self.course) else None
        return self._refused_at is None

    def _start_next(self, standing: Sequence[str], field: dict[str, str]) -> None:
        """Start the tournament that has waited longest, where none is played."""
        now, names = _now(), self.names()
        if any(self._pid(name) is not None for name in (*names, *self._wishes)):
            return
        waiting = [name for name in names if self.wish(name).waits(now, _BACK_OFF_S)]
        if waiting:
            name = min(waiting, key=lambda name: self.wish(name).since or now)
            self._start(name, field, is_standing=name in standing)

    def _start(self, name: str, field: dict[str, str], *, is_standing: bool) -> None:
        process, wish = self.process(name), self.wish(name)
        has_begun = process.store.exists()
        take = wish.take_new or (is_standing and has_begun and self._takes(name, field))
        begun_at = _now()
        child = process.start(take_new=take, without=wish.without)
        self._children[name] = child
        taken = field if take or not has_begun else wish.field
        self.change(
            name, pid=child.pid, begun_at=begun_at, field=taken, take_new=take, asked_at=None
        )

    def _interrupt(self, pid: int) -> None:
        last = self._interrupted.get(pid)
        if last is None or time.monotonic() >= last + _INSIST_S:
            self._interrupted[pid] = time.monotonic()
            interrupt(pid)

    def _shown(self, name: str, standing: Sequence[str], field: dict[str, str]) -> Tournament:
        process, wish = self._process(name), self.wish(name)
        pid = self._pid(name)
        state: TournamentState = wish.ended or "new"
        if wish.wanted == "paused" and wish.pid is not None and pid in (None, wish.pid):
            state = "pausing"  # until its end was seen
        elif pid is not None:
            state = "playing" if process.plays else "starting"
        elif wish.ended is None and wish.wanted == "playing":
            state = "waiting"
        elif wish.ended is None and process.store.exists():
            other = None if wish.is_asked else end_of(process.outcome())  # by another program
            state = other or "paused"
        has_news = wish.begun_at is not None and wish.field != field
        is_standing = name in standing and (wish.wanted == "playing" or wish.ended is None)
        if (has_news or is_standing) and self.is_closed(name):
            has_news = is_standing = False
        return Tournament(name, state, wish, is_standing, process.store.exists(), has_news)


def _now() -> datetime:
    return datetime.now(UTC)
