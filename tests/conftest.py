"""The order of all tests; players, games and traces of processes that several rooms share."""

from __future__ import annotations

import gc
import os
import signal
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import IO, Any, NamedTuple

import pytest
import typer.testing
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

from arena.files import whole_file
from arena.model.contender import Prepared
from arena.model.game_spec import GameSetup, Terms
from arena.model.protocol import Clock
from arena.referee import SessionPool
from arena.sandbox.mounts import closed_folders
from arena.tournament.executors import local
from tests.hostile import leftovers

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
"""Hundreds of processes are started, that would compile the same modules each time."""

for _number, _usual in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGHUP, signal.SIG_DFL),
):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _usual)
        """A job in the background ignores Ctrl-C, one under nohup SIGHUP, and so would the
        processes that tests send it to."""

os.umask(0o022)
"""Tests set the umask that they are about; the modes of files depend on no other."""

typer.testing._get_command = cache(typer.testing._get_command)
"""The commands are made once, not for each that a test gives."""

local.scheduling_delay = lambda _cores, _seconds: {}
"""Runs in the process of a test do not ask how busy the cores are: that takes 0.2 s of each."""

settings.register_profile("arena", deadline=None, print_blob=True)
settings.load_profile("arena")
"""No example is judged by its time, and a failure prints how to repeat it."""

BOTS = Path(__file__).parent / "programs"
PYTHON = (sys.executable, "-I", "-S")
DOTS = {"rows": 2, "cols": 2}
SMALL_TOURNAMENT = """
[tournament]
concurrency = 1
sandbox = "none"
[game]
rules = "othello"
size = 4
[[player]]
bot = "greedy"
[[player]]
bot = "monkey"
"""
"""A file of two games that take a moment."""
CLOCKED = (
    "checks/test_busy.py",
    "hostile/",
    "referee/test_clock.py",
    "referee/test_faults.py",
    "referee/test_ponder.py",
    "referee/test_presence.py",
    "referee/test_side_by_side.py",
    "referee/test_tolerance.py",
    "sandbox/test_canary.py",
    "sandbox/test_overload.py",
    "test_bench.py",
    "web/test_upload.py::test_a_broken_bot",
)
"""Where tests judge clocks or measure load."""
WARMING = ("analysis/", "human/", "players/compiled/test_cache.py", "tournament/test_sandbox.py")
"""Where commands compile all kernels of a rule set: one after the other, each is compiled once."""
STARTING = (
    *WARMING,
    "bots/",
    "browser/",
    "checks/",
    "cli/",
    "players/test_gtp.py",
    "players/test_nboard.py",
    "referee/",
    "sandbox/",
    "test_class.py",
    "test_docs.py",
    "test_third_game.py",
    "tournament/",
    "web/",
)
"""Begun while workers are small: a start of a player is a fork, which costs 5 ms then and 40 ms
once a worker has compiled kernels.
"""
LONG = ("fuzz/", "matches/", "players/", "ratings/", "reports/test_damaged.py", "training/")
"""Begun before the rest: what comes last should be short, for all workers to end together."""
GIVES_WAY = 19
"""How nice the other tests are: most compile."""


def is_clocked(nodeid: str) -> bool:
    """Whether a test judges clocks or measures load."""
    return nodeid.removeprefix("tests/").startswith(CLOCKED)


def turn(item: pytest.Item) -> int:
    """Clocked tests come first, which wait while others work; then what starts many processes,
    then what compiles kernels.
    """
    name = item.nodeid.removeprefix("tests/")
    early = (is_clocked(name), name.startswith(STARTING), name.startswith(LONG))
    return early.index(True) if any(early) else len(early)


class _FileByFile(LoadScopeScheduling):
    """Gives workers whole files, and to one of them all clocked tests, to one all that warm."""

    def _split_scope(self, nodeid: str) -> str:
        if is_clocked(nodeid):
            return "clock"
        file = nodeid.partition("::")[0]
        return "warm" if file.removeprefix("tests/").startswith(WARMING) else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores, as clocked tests mostly wait; no more than help."""
    return min(len(os.sched_getaffinity(0)), 3) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> _FileByFile:
    return _FileByFile(config, log)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Each worker begins to collect somewhere else: in a new checkout each compiles a part of the
    files, and finds what others compiled.
    """
    args, worker = session.config.args, os.environ.get("PYTEST_XDIST_WORKER", "")
    if worker:
        gc.disable()  # all that is collected stays
    if worker and len(args) == 1 and Path(args[0]).is_dir():
        ignored = {Path(path).absolute() for path in session.config.getoption("ignore") or ()}
        paths = set(Path(args[0]).absolute().glob("[a-z]*")) - ignored
        # pytest refuses other files that are named, and the worker would collect nothing.
        parts = sorted(str(path) for path in paths if path.is_dir() or path.suffix == ".py")
        at = len(parts) * int(worker[2:]) // int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
        args[:] = parts[at:] + parts[:at]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: (turn(item), item.path))


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)  # what tests leave is small
    gc.enable()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Give way to clocked tests in other workers. This one has none to come."""
    if not is_clocked(item.nodeid) and os.getpriority(os.PRIO_PROCESS, 0) < GIVES_WAY:
        os.setpriority(os.PRIO_PROCESS, 0, GIVES_WAY)


class Bots:
    """Makes the players of one test, all carrying its mark in their arguments."""

    def __init__(self) -> None:
        self.mark = uuid.uuid4().hex

    def hostile(self, fault: str = "none", **more: Any) -> Prepared:
        """The bot of `tests/programs/hostile` with a fault."""
        command = (*PYTHON, str(BOTS / "hostile"), fault, self.mark)
        return Prepared(**{"name": fault, "command": command, **more})

    def left(self) -> list[str]:
        """The command lines of processes that carry the mark."""
        return leftovers.processes(self.mark)


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk without room for files that are written whole."""

    def alone(path: Path, mode: str) -> IO[Any]:
        path.symlink_to("/dev/full")
        return path.open(mode)

    monkeypatch.setattr(whole_file, "_alone", alone)


@pytest.fixture
def bots() -> Bots:
    return Bots()


@pytest.fixture
def pool() -> Iterator[SessionPool]:
    with SessionPool() as pool:
        yield pool


class Match(NamedTuple):
    """What `play_game` is given first."""

    setup: GameSetup
    players: tuple[Prepared, ...]

    def but(self, **changed: Any) -> Match:
        """The same with other values of its setup."""
        return self._replace(setup=self.setup.model_copy(update=changed))


def match(*players: Prepared, rules: str, variant: dict[str, Any], **more: Any) -> Match:
    """A game between these players; `more` are values of its setup and its terms."""
    terms = {key: more.pop(key) for key in Terms.model_fields if key in more}
    setup = {"game": "g1", "terms": Terms(rules=rules, variant=variant, **terms), **more}
    return Match(GameSetup(**setup), players)


Spec = Callable[..., Match]


@pytest.fixture
def dots() -> Spec:
    """A game of 2×2 boxes with short clocks between two players."""

    def make(*players: Prepared, **more: Any) -> Match:
        given = {"clock": Clock(move_ms=300), "startup_ms": 3000, **more}
        return match(*players, rules="dots", variant=DOTS, **given)

    return make


@pytest.fixture
def for_all() -> Iterator[Path]:
    """A folder that every user may write; only root can be another."""
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o777)
        if closed := closed_folders(name):
            pytest.skip(f"others may not enter {closed[0]}, where TMPDIR is")
        yield Path(name)
