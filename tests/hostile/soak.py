"""A tournament among good and hostile bots, killed again and again and gone on with until done.

    python -m tests.hostile.soak --games 300 --seed 1

Every game must be played once, no verdict may differ from a run that was not killed, and nothing
may be left behind. Also measured: what a hung player costs at a clock of 5 s.
"""

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path

import psutil

from arena.model.contender import Prepared
from arena.model.protocol import Clock
from arena.model.record import GameRecord
from arena.referee import SessionPool, play_game
from arena.tournament.run import MAX_ATTEMPTS
from arena.tournament.store import Store
from tests.conftest import match
from tests.hostile import leftovers

BOTS = Path(__file__).parent.parent / "programs" / "hostile"
GOOD = 4
HOSTILE = (
    "exit_3", "illegal", "memory_hog", "daemon", "segfault", "hangs", "fork_bomb", "bad_utf8",
    "closes_stdout", "grandchild_keeps_pipe", "endless_lines", "traceback_at_start",
    "subprocess_helper", "stops_itself", "stale_ply", "parent_leaves", "line_70_kb", "banner",
    "stderr_flood", "thread_bomb", "answers_twice", "memory_hog_in_forks",
)  # fmt: skip
TOURNAMENT = """
[tournament]
name = "soak"
seed = {seed}
sandbox = "{sandbox}"
[game]
rules = "dots"
rows = 2
cols = 2
[clock]
move_ms = 1000
grace_ms = 250
startup_ms = 10000
"""
PLAYER = """
[[player]]
name = "{name}"
command = {command}
options = {{ budget = 60 }}
resources = {{ memory_mb = 120 }}
"""
KILLED = ("run", "a worker", "both")
GONE_S = 10.0
"""How long what was killed may take to be gone."""


@dataclass
class Soak:
    """One tournament in a folder of its own."""

    folder: Path
    games: int
    seed: int
    sandbox: str
    mark: str = field(default_factory=lambda: uuid.uuid4().hex)
    referees: set[int] = field(default_factory=set)
    """Every run and worker there was."""

    def __post_init__(self) -> None:
        self.log = self.folder / "run.log"
        self.names = list(_players(self.games))
        text = TOURNAMENT.format(seed=self.seed, sandbox=self.sandbox)
        for number, fault in enumerate(self.names, 1):
            command = (sys.executable, "-I", "-S", str(BOTS), fault, self.mark)
            text += PLAYER.format(name=f"{number}-{fault}", command=json.dumps(command))
        (self.folder / "soak.toml").write_text(text)

    def start(self, store: str) -> subprocess.Popen[bytes]:
        """`arena run` in a process of its own; what it says is in `run.log`."""
        with self.log.open("wb") as log:
            process = subprocess.Popen(
                (sys.executable, "-m", "arena", "run", "soak.toml", "--store", store),
                cwd=self.folder,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self.referees.add(process.pid)
        return process

    def workers(self, run: subprocess.Popen[bytes]) -> list[psutil.Process]:
        """The processes that play the games of a run."""
        with suppress(psutil.Error):
            found: list[psutil.Process] = psutil.Process(run.pid).children()
            self.referees |= {process.pid for process in found}
            return found
        return []

    def undisturbed(self, store: str) -> None:
        """Run to the end."""
        run = self.start(store)
        while run.poll() is None:
            self.workers(run)
            time.sleep(0.05)
        self._check(run)

    def killed_at_random(self, store: str, kills: int) -> Counter[str]:
        """Run, kill −9 the run, a worker or all at once, and go on, until all games are there.

        Says how often it killed what: each as often as the others.
        """
        rng = random.Random(self.seed)
        next_ones = cycle(rng.sample(KILLED, len(KILLED)))
        done, gave_up = Counter[str](), 0
        while True:
            run = self.start(store)
            while run.poll() is None and done.total() < kills:
                self._survives(run, rng.uniform(0.3, 3.0))
                if run.poll() is None:
                    what = next(next_ones)
                    done[what] += 1
                    self._kill(run, what)
            while run.poll() is None:
                self.workers(run)
                time.sleep(0.05)
            if run.returncode == 0:
                return done
            # It ends by itself where games stayed void, or a worker was killed as it started.
            gave_up += run.returncode != -signal.SIGKILL
            if gave_up > MAX_ATTEMPTS + done["a worker"]:
                self._check(run)

    def _survives(self, run: subprocess.Popen[bytes], seconds: float) -> None:
        until = time.monotonic() + seconds
        while run.poll() is None and time.monotonic() < until:
            self.workers(run)
            time.sleep(0.02)

    def _kill(self, run: subprocess.Popen[bytes], what: str) -> None:
        workers = self.workers(run)
        if what != "a worker":
            run.kill()
        if what != "run":
            for worker in workers[: None if what == "both" else 1]:
                with suppress(psutil.Error):
                    worker.kill()
        if what != "a worker":
            run.wait()

    def _check(self, run: subprocess.Popen[bytes]) -> None:
        assert run.returncode == 0, f"arena run ended with {run.returncode}: {self.log.read_text()}"

    def left(self) -> list[str]:
        """What is there yet of any player, after the time that the killed may take to be gone."""
        until = time.monotonic() + GONE_S
        while True:
            found = leftovers.processes(self.mark)
            found += leftovers.files(self.mark, self.folder)
            found += leftovers.of_referees(self.referees)
            found += [str(path) for path in self.folder.glob("*.lock")]
            if not found or time.monotonic() > until:
                return found
            time.sleep(0.1)


def _players(games: int) -> Iterator[str]:
    """The number with which a round robin with seats swapped has that many games, or a few more."""
    count = next(n for n in range(3, 2 + GOOD + len(HOSTILE)) if n * (n - 1) >= games)
    good = max(1, min(GOOD, count // 3))
    yield from ["none"] * good
    yield from HOSTILE[: count - good]


def verdicts(path: Path) -> dict[str, tuple[object, ...]]:
    """What the games of a run came to. AssertionError: a game has two results."""
    found: dict[str, tuple[object, ...]] = {}
    with Store.open(path) as store:
        for record in store.records():
            assert record.game not in found, f"{record.game} was played twice"
            found[record.game] = _verdict(record)
    return found


def _verdict(record: GameRecord) -> tuple[object, ...]:
    names = tuple(seat.player for seat in record.seats)
    return (names, record.termination.value, record.offender, record.points, record.scores)


def soak(folder: Path, games: int, seed: int, sandbox: str, kills: int) -> str:
    """Raises AssertionError; else a line on what was done."""
    began = time.monotonic()
    tournament = Soak(folder, games, seed, sandbox)
    tournament.undisturbed("quiet.sqlite")
    quiet_s = time.monotonic() - began
    done = tournament.killed_at_random("killed.sqlite", kills)
    quiet, killed = (verdicts(folder / f"{name}.sqlite") for name in ("quiet", "killed"))
    assert len(quiet) == len(tournament.names) * (len(tournament.names) - 1)
    differ = {
        game: (quiet[game], killed.get(game)) for game in quiet if quiet[game] != killed.get(game)
    }
    assert not differ, differ
    assert killed.keys() == quiet.keys()
    left = tournament.left()
    assert left == [], left
    with Store.open(folder / "killed.sqlite") as store:
        void = sum(record.termination.value == "void" for record in store.records(void=True))
        held = {seat.sandbox.mode for record in store.records() for seat in record.seats}
    return (
        f"{len(killed)} games of {len(tournament.names)} players, seed {seed}, "
        f"sandbox {sandbox} ({', '.join(sorted(held))}): "
        f"killed {done.total()} times ({', '.join(f'{what} {done[what]}' for what in KILLED)}), "
        f"{void} void attempts replayed, 0 verdicts differ, nothing left; "
        f"{quiet_s:.0f} s undisturbed, {time.monotonic() - began:.0f} s in all"
    )


def hung_player_s(clock_ms: int) -> float:
    """What a game against a player that hangs takes, less the start of both."""
    players = tuple(
        Prepared(name=fault, command=(sys.executable, "-I", "-S", str(BOTS), fault))
        for fault in ("hangs", "none")
    )
    spec = match(
        *players, game="hung", rules="dots", variant={"rows": 2, "cols": 2},
        clock=Clock(move_ms=clock_ms),
    )  # fmt: skip
    with SessionPool() as pool:
        record = play_game(*spec, pool)
    return record.duration_ms / 1000 - max(seat.startup_ms or 0 for seat in record.seats) / 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m tests.hostile.soak")
    parser.add_argument("--games", type=int, default=300, help="at least that many, up to 650")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--sandbox", default="auto", help="auto, bwrap, limits or none")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        said = soak(Path(folder), given.games, given.seed, given.sandbox, given.kills)
    sys.stdout.write(f"{said}\n")
    sys.stdout.write(f"a hung player at a clock of 5 s: {hung_player_s(5000):.2f} s (≤ 5.5)\n")


if __name__ == "__main__":
    main()
