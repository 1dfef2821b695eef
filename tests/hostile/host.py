"""A referee in a process of its own, and its users: what attacks it attacks nothing else.

    python -P -m tests.hostile.host MODE

Each line on stdin is a Match; the answer is a line, `PlayedMatch`. One pool plays all games.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from pydantic import TypeAdapter

from arena.errors import SandboxError
from arena.model import Frozen
from arena.model.containment import Held, Mode, Policy, SandboxChoice
from arena.model.contender import Prepared
from arena.model.record import GameRecord
from arena.referee import SessionPool, play_game
from arena.sandbox.probe import resolve
from arena.sandbox.processes import children
from tests.conftest import Match

ROOT = Path(__file__).parent.parent.parent
PROCESSES, DISK_MB = 48, 8
"""What players are allowed here, each."""


class RefereeReady(Frozen):
    """The first line: what the sandbox holds on this machine, or why there is none."""

    held: Held | None
    why_not: str = ""


class PlayedMatch(Frozen):
    """A game, and what the referee was left with."""

    record: GameRecord
    peak_mb: int
    """The most memory the referee had while it played."""
    descriptors: int
    """Its open files after the game."""
    children: tuple[int, ...]
    mounts: tuple[str, ...]
    """What it sees mounted."""


MATCH = TypeAdapter(Match)


class Referee:
    """The process, as a test talks to it. Its stderr is the test's."""

    def __init__(self, mode: Mode, python: Sequence[str], environment: dict[str, str]) -> None:
        self.mode = mode
        self._process = subprocess.Popen(
            (*python, "-P", "-m", "tests.hostile.host", mode),
            cwd=ROOT,
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.pid = self._process.pid
        self.ready = RefereeReady.model_validate_json(self._line())

    def play(self, asked: Match) -> PlayedMatch:
        """Have a game played. RuntimeError: the referee is dead."""
        assert self._process.stdin is not None
        print(MATCH.dump_json(asked).decode(), file=self._process.stdin, flush=True)
        return PlayedMatch.model_validate_json(self._line())

    def _line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the referee has ended with {self._process.wait()}")
        return line

    def close(self) -> None:
        """Send it home. It must end well."""
        self._process.communicate(timeout=30)
        assert self._process.returncode == 0


def policy(mode: Mode, readable: Path) -> Policy:
    """What every player is given here."""
    return Policy(mode=mode, readable=(str(readable),), processes=PROCESSES, disk_mb=DISK_MB)


def _peak_mb() -> int:
    """The peak since the last call, and a new beginning."""
    lines = Path("/proc/self/status").read_text().splitlines()
    kilobytes = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))
    Path("/proc/self/clear_refs").write_text("5")  # see proc(5): VmHWM begins again
    return kilobytes // 1024


def main(mode: SandboxChoice) -> None:
    """Play until stdin ends."""
    anyone = Prepared(name="anyone", command=(sys.executable,))
    try:
        ready = RefereeReady(held=resolve(mode, anyone))
    except SandboxError as error:
        ready = RefereeReady(held=None, why_not=str(error))
    sys.stdout.write(f"{ready.model_dump_json()}\n")
    sys.stdout.flush()
    with SessionPool() as pool:
        for line in sys.stdin:
            record = play_game(*MATCH.validate_json(line), pool)
            played = PlayedMatch(
                record=record,
                peak_mb=_peak_mb(),
                descriptors=len(list(Path("/proc/self/fd").iterdir())),
                children=tuple(children()),
                mounts=tuple(Path("/proc/self/mountinfo").read_text().splitlines()),
            )
            sys.stdout.write(f"{played.model_dump_json()}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])  # type: ignore[arg-type] # tests alone say it
