"""Tournaments of good and hostile bots, disturbed at random and gone on with until they are done.

    python -m tests.hostile.soak --games 2000 --seed 1

What disturbs is in DISTURBANCES; besides, the wall clock steps by hours every few seconds. Every
game must be there once, with a verdict that the faults of its own players call for, and nothing may
be left behind. Also measured: what a hung player costs at a clock of 5 s.
"""

import argparse
import json
import os
import random
import resource
import shutil
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
from itertools import cycle, islice
from pathlib import Path

import psutil

from arena.model.contender import Prepared
from arena.model.protocol import Clock, Termination
from arena.model.record import GameRecord
from arena.referee import SessionPool, play_game
from arena.tournament.events import events_file
from arena.tournament.run import MAX_ATTEMPTS
from arena.tournament.store import Store
from tests.conftest import match
from tests.hostile import leftovers
from tests.hostile.cases import FAULTS, Case

BOTS = Path(__file__).parent.parent / "programs" / "hostile"
GOOD = Case("none", Termination.NATURAL, "-")
BOMBS = ("fork_bomb", "thread_bomb", "ponders")
CASES = (
    *(case for case in FAULTS if case.fault != "nearly_late"),  # a busy host makes it late
    *(Case(fault, Termination.NATURAL, "-", {"options": {"budget": 60}}) for fault in BOMBS),
)
PLAYERS = 11
"""Of one tournament, at most; a third of them good."""
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
move_ms = 500
grace_ms = 250
startup_ms = 3000
"""
PLAYER = """
[[player]]
name = "{name}"
command = {command}
options = {options}
resources = {{ memory_mb = {memory_mb} }}
"""
DISTURBANCES = (
    "run killed", "worker killed", "run and workers killed", "player killed", "worker stopped",
    "worker and players stopped", "disk full",
)  # fmt: skip
STOPPED_S = (0.3, 2.5)
GONE_S = 10.0
"""How long what was killed may take to be gone."""
STEPPING_CLOCK = """
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long stepped(long s) { return s + (s / 3 * 7919 % 13 - 6) * 3600; }

int clock_gettime(clockid_t clock, struct timespec *at) {
    int failed = syscall(SYS_clock_gettime, clock, at);
    if (!failed && clock == CLOCK_REALTIME) at->tv_sec = stepped(at->tv_sec);
    return failed;
}
int gettimeofday(struct timeval *restrict at, void *restrict zone) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    at->tv_sec = now.tv_sec;
    at->tv_usec = now.tv_nsec / 1000;
    return 0;
}
time_t time(time_t *at) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at) *at = now.tv_sec;
    return now.tv_sec;
}
"""
"""A library that is loaded before the C library: every three seconds another hour."""


@dataclass
class Soak:
    """One tournament in a folder of its own."""

    folder: Path
    cases: tuple[Case, ...]
    seed: int
    sandbox: str
    mark: str = field(default_factory=lambda: uuid.uuid4().hex)
    referees: set[int] = field(default_factory=set)
    """Every run and worker there was."""
    killed: Counter[str] = field(default_factory=Counter)
    """How often which player was."""
    done: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.log, self.store = self.folder / "run.log", self.folder / "soak.sqlite"
        self.by_name = {f"{n}-{case.fault}": case for n, case in enumerate(self.cases, 1)}
        bots = shutil.copytree(BOTS, self.folder / "bots")  # players see their own folder
        text = TOURNAMENT.format(seed=self.seed, sandbox=self.sandbox)
        for name, case in self.by_name.items():
            # Player and mark are found in lists of processes.
            command = (sys.executable, "-I", "-S", str(bots), case.fault, self.mark, name)
            text += PLAYER.format(
                name=name,
                command=json.dumps(command),
                options=_inline(case.player.get("options", {})),
                memory_mb=case.player.get("memory_mb", 120),
            )
        (self.folder / "soak.toml").write_text(text)
        self.environment = {**os.environ, **stepping_clock(self.folder)}

    def start(self) -> subprocess.Popen[bytes]:
        """`arena run` in a process of its own; what it says is in `run.log`."""
        with self.log.open("wb") as log:
            process = subprocess.Popen(
                (sys.executable, "-m", "arena", "run", "soak.toml", "--store", self.store.name),
                cwd=self.folder,
                env=self.environment,
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

    def disturbed_at_random(self, rng: random.Random, disturbances: Iterator[str]) -> None:
        """Run, disturb, and go on, until all games are there. Raises AssertionError."""
        gave_up, what = 0, next(disturbances, None)
        while True:
            run = self.start()
            full = False
            while run.poll() is None:
                self._survives(run, rng.uniform(0.3, 3.0))
                if what is not None and not full and self._disturb(run, what, rng):
                    self.done[what] += 1
                    full = what == "disk full"
                    what = next(disturbances, None)
            said = self.log.read_text()
            assert "Traceback" not in said, said
            if run.returncode == 0:
                return
            if full:
                assert run.returncode == 130, (run.returncode, said)
                assert "cannot be " in said, said
            elif run.returncode != -signal.SIGKILL:
                # It ends by itself where games stayed void, or a worker was killed as it started.
                gave_up += 1
                assert gave_up <= MAX_ATTEMPTS + self.done.total(), (run.returncode, said)

    def _survives(self, run: subprocess.Popen[bytes], seconds: float) -> None:
        until = time.monotonic() + seconds
        while run.poll() is None and time.monotonic() < until:
            self.workers(run)
            time.sleep(0.1)

    def _disturb(self, run: subprocess.Popen[bytes], what: str, rng: random.Random) -> bool:
        """Whether there was something to disturb: a game in play."""
        workers = self.workers(run)
        if not self._players(workers):
            return False
        with suppress(psutil.Error, IndexError):
            match what:
                case "run killed":
                    run.kill()
                case "run and workers killed":
                    for process in (psutil.Process(run.pid), *workers):
                        with suppress(psutil.NoSuchProcess):
                            process.kill()
                case "worker killed":
                    rng.choice(workers).kill()
                case "player killed":
                    name, process = rng.choice(self._players(workers))
                    process.kill()
                    self.killed[name] += 1
                case "worker stopped":
                    _stop([rng.choice(workers)], rng)
                case "worker and players stopped":
                    worker = rng.choice(workers)
                    _stop([worker, *worker.children(recursive=True)], rng)
                case "disk full":
                    size = events_file(self.store).stat().st_size  # the next event is too much
                    limit = (size, resource.RLIM_INFINITY)
                    psutil.Process(run.pid).rlimit(resource.RLIMIT_FSIZE, limit)
            if what.startswith("run"):
                run.wait()
            return True
        return False

    def _players(self, workers: list[psutil.Process]) -> list[tuple[str, psutil.Process]]:
        """Players in play, by name: of each the first process of its program."""
        found: dict[str, psutil.Process] = {}
        below = list[psutil.Process]()
        for worker in workers:
            with suppress(psutil.Error):
                below += worker.children(recursive=True)
        for process in below:
            with suppress(psutil.Error):
                command = process.cmdline()
                if command[:1] == [sys.executable] and self.mark in command:
                    found.setdefault(command[-1], process)
        return list(found.items())

    def check(self) -> tuple[int, int, set[str], list[str]]:
        """How many games and void attempts there are, the sandboxes that held, and what is wrong:
        games that are lost, doubled or charged to the wrong player, and what is left behind.
        """
        seen, wrong, held, killed = set[str](), list[str](), set[str](), self.killed.copy()
        with Store.open(self.store) as store:
            for record in store.records():
                if record.game in seen:
                    wrong.append(f"{record.game} was played twice")
                seen.add(record.game)
                held |= {seat.sandbox.mode for seat in record.seats}
                names = [seat.player for seat in record.seats]
                if fits(record, [self.by_name[name] for name in names]):
                    continue
                offender = names[record.offender] if record.offender is not None else ""
                if record.termination is Termination.EXITED and killed[offender]:
                    killed[offender] -= 1
                    continue
                ended = f"{record.termination} by {offender or 'nobody'}: {record.detail}"
                wrong.append(f"{record.game} {' – '.join(names)}: {ended}")
            attempts = sum(1 for _ in store.records(void=True))
        lost = len(self.cases) * (len(self.cases) - 1) - len(seen)
        wrong += [f"{lost} games are lost"] if lost else []
        wrong += [f"left behind: {each}" for each in self._left()]
        return len(seen), attempts - len(seen), held, wrong

    def _left(self) -> list[str]:
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


def fits(record: GameRecord, cases: list[Case]) -> bool:
    """Whether a game ended by the fault of one of its players, or well where neither has one."""
    ends = [(case.ends, seat) for seat, case in enumerate(cases) if case.ends.is_forfeit]
    if not ends:
        return record.termination is Termination.NATURAL and len(record.moves) == 12
    points = (1.0, 0.0) if record.offender else (0.0, 1.0)
    return (record.termination, record.offender) in ends and record.points == points


def _stop(processes: list[psutil.Process], rng: random.Random) -> None:
    """SIGSTOP for a while, but for those that are stopped already."""
    stopped = []
    for process in processes:
        with suppress(psutil.Error):
            if process.status() != psutil.STATUS_STOPPED:
                process.suspend()
                stopped.append(process)
    time.sleep(rng.uniform(*STOPPED_S))
    for process in stopped[::-1]:  # the worker last: it finds its players as they were
        with suppress(psutil.Error):
            process.resume()


def stepping_clock(folder: Path) -> dict[str, str]:
    """The environment in which the wall clock steps; none where nothing compiles C."""
    compiler = shutil.which("cc")
    if compiler is None:
        return {}
    source, library = folder / "clock.c", folder / "clock.so"
    source.write_text(STEPPING_CLOCK)
    subprocess.run((compiler, "-shared", "-fPIC", "-o", library, source), check=True)
    return {"LD_PRELOAD": str(library)}


def _inline(table: dict[str, object]) -> str:
    return f"{{ {', '.join(f'{key} = {json.dumps(value)}' for key, value in table.items())} }}"


def soak(folder: Path, games: int, seed: int, sandbox: str, disturbances: int) -> str:
    """What was done, in a line. Raises AssertionError at the end where anything was wrong."""
    wrong = list[str]()
    began, rng = time.monotonic(), random.Random(seed)
    played, void, held, done = 0, 0, set[str](), Counter[str]()
    faults = cycle(rng.sample(CASES, len(CASES)))
    kinds = cycle(rng.sample(DISTURBANCES, len(DISTURBANCES)))
    while played < games:
        count = next(n for n in range(3, PLAYERS + 1) if n == PLAYERS or n * (n - 1) >= games)
        good = max(1, count // 3)
        share = -(-disturbances * count * (count - 1) // games)
        here = folder / f"{played}"
        here.mkdir()
        tournament = Soak(
            here, (*[GOOD] * good, *islice(faults, count - good)), rng.randrange(2**31), sandbox
        )
        tournament.disturbed_at_random(rng, islice(kinds, min(share, disturbances - done.total())))
        more, again, modes, found = tournament.check()
        wrong += [f"tournament {tournament.seed}: {each}" for each in found]
        played, void, held, done = played + more, void + again, held | modes, done + tournament.done
        told = ", ".join(f"{what} {done[what]}" for what in DISTURBANCES)
        clock = "" if "LD_PRELOAD" in tournament.environment else "no compiler, so no clock steps; "
        said = (
            f"{played} games, seed {seed}, sandbox {sandbox} ({', '.join(sorted(held))}), "
            f"disturbed {done.total()} times ({told}): {clock}{void} void attempts replayed; "
            f"{len(wrong)} games lost, doubled or charged to the wrong player, or things left "
            f"behind; {time.monotonic() - began:.0f} s"
        )
        sys.stderr.write("\n".join([*found, said, ""]))
    assert not wrong, "\n".join([said, *wrong])
    return said


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
    parser.add_argument("--games", type=int, default=2000, help="at least that many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--disturbances", type=int, default=200)
    parser.add_argument("--sandbox", default="auto", help="auto, bwrap, limits or none")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        said = soak(Path(folder), given.games, given.seed, given.sandbox, given.disturbances)
    sys.stdout.write(f"{said}\n")
    sys.stdout.write(f"a hung player at a clock of 5 s: {hung_player_s(5000):.2f} s (≤ 5.5)\n")


if __name__ == "__main__":
    main()
