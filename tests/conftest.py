"""The order of all tests; players, games and traces of processes that several rooms share."""

from __future__ import annotations

import os
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from xdist.scheduler import LoadScopeScheduling

from arena.model.contender import Prepared
from arena.model.game_spec import GameSetup
from arena.model.protocol import Clock
from arena.model.terms import Terms
from arena.referee import SessionPool

BOTS = Path(__file__).parent / "programs"
PYTHON = (sys.executable, "-I", "-S")
DOTS = {"rows": 2, "cols": 2}
CLOCKED = (
    "hostile/",
    "referee/test_clock.py",
    "referee/test_faults.py",
    "referee/test_ponder.py",
    "referee/test_side_by_side.py",
    "referee/test_tolerance.py",
    "sandbox/test_canary.py",
    "sandbox/test_overload.py",
    "test_bench.py",
)
"""Where tests judge clocks or measure load."""
LONG = ("players/", "cli/", "tournament/")
"""Begun before the rest: what comes last should be short, for all workers to end together."""
GIVES_WAY = 10
"""How nice the other tests are: most compile."""


def is_clocked(nodeid: str) -> bool:
    """Whether a test judges clocks or measures load."""
    return nodeid.removeprefix("tests/").startswith(CLOCKED)


def turn(item: pytest.Item) -> int:
    """Clocked tests come first, which wait while other workers compile; then the long ones."""
    if is_clocked(item.nodeid):
        return 0
    return 1 if item.nodeid.removeprefix("tests/").startswith(LONG) else 2


class _FileByFile(LoadScopeScheduling):
    """Gives workers whole files, and to one of them all clocked tests."""

    def _split_scope(self, nodeid: str) -> str:
        return "clock" if is_clocked(nodeid) else nodeid.partition("::")[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> _FileByFile:
    return _FileByFile(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=turn)


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
        """The command lines of processes that carry the mark; a zombie has none."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdecimal():
                with suppress(OSError):
                    command = (entry / "cmdline").read_text(errors="replace")
                    if self.mark in command:
                        found.append(f"{entry.name}: {command}")
        return found


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
