"""Referees in each mode that this machine has, and what is there for their players to attack."""

import compileall
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest

from arena.model.containment import Held, Mode
from arena.model.contender import Prepared
from arena.model.protocol import Clock, Termination
from arena.tournament.run import MAX_ATTEMPTS
from tests.conftest import match
from tests.hostile import leftovers
from tests.hostile.cases import GRACE_MS, MOVE_MS, STARTUP_MS
from tests.hostile.host import ROOT, PlayedMatch, Referee, policy

NOBODY = 65534
AS_NOBODY = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
SECRET = "ARENA_TEST_SECRET"
REFEREE_MB = 100
PLAYS_ON_EVERY = 10


def went_well(played: PlayedMatch) -> None:
    """A whole game without a fault."""
    record = played.record
    assert (record.termination, record.offender, len(record.moves)) == (
        Termination.NATURAL,
        None,
        12,
    ), record.detail
    assert sum(record.points) == 1


class Table:
    """A referee in one mode, with a folder and listeners that its players attack."""

    def __init__(self, referee: Referee, python: str, owner: int, folder: Path) -> None:
        self.referee = referee
        self.held = referee.ready.held or Held()
        self._python = python
        self._owner = owner
        self.bots = folder / "bots"
        self._others = folder / "others"
        self._program = folder / "program"
        shutil.copytree(ROOT / "tests/programs/hostile", self._program)
        compileall.compile_dir(self._program, quiet=1)
        self._tcp = socket.create_server(("127.0.0.1", 0), backlog=4096)
        self._udp = socket.socket(type=socket.SOCK_DGRAM)
        self._udp.bind(self._tcp.getsockname())
        self._abstract = socket.socket(socket.AF_UNIX)
        self._abstract.bind(f"\0arena-test-{uuid.uuid4().hex}")
        self._abstract.listen(4096)
        folder.chmod(0o777)
        self.prepare()
        self._before = self._good_game(uuid.uuid4().hex)
        self._cases = 0

    @property
    def mode(self) -> Mode:
        return self.referee.mode

    def prepare(self) -> None:
        """Everything that is attacked, as it was; but for the sandbox, anybody may write it."""
        for path in (self.bots, self._others):
            shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(self._program, self.bots)
        self.bots.chmod(0o777)
        self._others.mkdir()
        for name, mode in (("theirs", 0o666), ("public", 0o644), ("secret", 0o600)):
            file = self._others / name
            file.write_text(f"{name}\n")
            file.chmod(mode)
            os.chown(file, self._owner, -1)
        self._others.chmod(0o777)

    def untouched(self) -> bool:
        """Whether what is attacked is as it was prepared."""
        here = {path.name: path.read_text() for path in self._others.iterdir() if path.is_file()}
        return here == {name: f"{name}\n" for name in ("theirs", "public", "secret")}

    def player(self, fault: str, mark: str, **more: Any) -> Prepared:
        """The bot with a fault, in this table's sandbox."""
        command = (self._python, "-I", "-S", str(self.bots), fault, mark)
        return Prepared(
            **{
                "name": fault,
                "command": command,
                "policy": policy(self.mode, self.bots),
                "held": self.held,
                **more,
            }
        )

    def attacked(self) -> dict[str, Any]:
        """The options that tell a bot what to attack."""
        return {
            "pid": self.referee.pid,
            "folder": str(self._others),
            "port": self._tcp.getsockname()[1],
            "socket": self._abstract.getsockname()[1:].decode(),
        }

    def play(self, first: Prepared, second: Prepared, move_ms: int = MOVE_MS) -> PlayedMatch:
        """A game of 2×2 boxes, played again where the host was overloaded, as in tournaments.

        In a sandbox, who is not to move is frozen, as in tournaments too.
        """
        asked = match(
            first,
            second,
            rules="dots",
            variant={"rows": 2, "cols": 2},
            clock=Clock(move_ms=move_ms),
            startup_ms=STARTUP_MS,
            grace_ms=GRACE_MS,
            ponder=self.mode == "none",
        )
        for _ in range(MAX_ATTEMPTS):
            played = self.referee.play(asked)
            if "host was overloaded" not in played.record.detail:
                return played
        pytest.skip(f"{played.record.detail} And so {MAX_ATTEMPTS} times.")

    def _good_game(self, mark: str) -> PlayedMatch:
        good = self.player("none", mark)
        return self.play(good, good, move_ms=3000)

    def after_case(self, mark: str, played: PlayedMatch) -> None:
        """Nothing is left of any player, and the referee is small; after every tenth case it plays
        on, so one that a fault has damaged is found next to its fault. `close` asks again.
        """
        assert self.left(mark, played) == []
        assert played.peak_mb <= REFEREE_MB
        self._cases += 1
        if self._cases % PLAYS_ON_EVERY == 0:
            self._plays_on(mark)

    def _plays_on(self, mark: str) -> None:
        again = self._good_game(mark)
        went_well(again)
        assert self.left(mark, again) == []

    def close(self) -> None:
        for listener in (self._tcp, self._udp, self._abstract):
            listener.close()
        self._plays_on(uuid.uuid4().hex)

    def left(self, mark: str, played: PlayedMatch) -> list[str]:
        """What is left of players after a game: processes, files, mounts, cgroups."""
        found = [f"child {pid} of the referee" for pid in played.children]
        found += leftovers.processes(mark)
        found += leftovers.files(mark, self.bots)
        found += leftovers.of_referees([self.referee.pid])
        found += [f"mounted: {line}" for line in {*played.mounts} - {*self._before.mounts}]
        if played.descriptors != self._before.descriptors:
            found.append(f"{played.descriptors} open files, not {self._before.descriptors}")
        return found


class NotHere(Exception):
    """Why this machine has no such mode."""


def _ordinary_user() -> tuple[tuple[str, ...], str, dict[str, str]]:
    """How to run the referee as nobody, an interpreter it may use, and what that needs to find.

    Raises NotHere: only root can become another, and nobody may not read a home.
    """
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        raise NotHere("only root can become another user; the other tests run as an ordinary user")
    libraries = next(path for path in sys.path if path.endswith("site-packages"))
    environment = {"PYTHONPATH": f"{ROOT}:{libraries}", "HOME": "/", "PYTHONDONTWRITEBYTECODE": "1"}
    needs = f"import sys, arena.referee; assert sys.version_info[:2] == {sys.version_info[:2]}"
    tried = []
    for python in dict.fromkeys((sys.executable, "/usr/bin/python3")):
        run = subprocess.run(
            (*AS_NOBODY, "sh", "-c", f'test -x "$0" && "$0" -P -c "{needs}"', python),
            cwd="/", env={**os.environ, **environment}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if run.returncode == 0:
            return AS_NOBODY, python, environment
        why = run.stderr.strip() or "may not be run"
        tried.append(f"{python}: {why.splitlines()[-1]}")
    raise NotHere(f"nobody can run the referee: {'; '.join(tried)}")


def _opened(mode: str, stack: ExitStack) -> Table:
    """A table for a mode, or for `MODE as nobody`. Raises NotHere."""
    wanted, _, user = mode.partition(" as ")
    prefix, python, environment = _ordinary_user() if user else ((), sys.executable, {})
    folder = Path(tempfile.mkdtemp(prefix="arena-test-", dir="/var/tmp"))
    stack.callback(shutil.rmtree, folder)
    referee = Referee(cast(Mode, wanted), (*prefix, python), {**environment, SECRET: "1"})
    stack.callback(referee.close)
    if referee.ready.held is None:
        raise NotHere(referee.ready.why_not)
    table = Table(referee, python, NOBODY if user else os.geteuid(), folder)
    stack.callback(table.close)
    return table


@pytest.fixture(scope="package")
def _tables() -> Iterator[Callable[[str], Table | NotHere]]:
    """One table for each mode, opened when it is first asked for; or why there is none. Closed with
    the room, as later tests may end every child of this process.
    """
    with ExitStack() as stack:

        @cache
        def table(mode: str) -> Table | NotHere:
            try:
                return _opened(mode, stack)
            except NotHere as reason:
                return reason

        yield table


@pytest.fixture
def table(mode: str, _tables: Callable[[str], Table | NotHere]) -> Table:
    """The table of the test's mode."""
    table = _tables(mode)
    if isinstance(table, NotHere):
        pytest.skip(f"{mode}: {table}")
    return table


@pytest.fixture
def mark() -> str:
    """In the arguments of all players of a test, and in the names of files they write."""
    return uuid.uuid4().hex
