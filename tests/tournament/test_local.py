"""Real runs: worker processes, killed and interrupted at any moment, and nothing left behind."""

import errno
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from functools import cache, partial
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from unittest.mock import Mock

import psutil
import pytest

from arena.errors import NO_PROCESS, ExecutorError
from arena.sandbox.features import usable_cores
from arena.tournament.config_file import TournamentConfig
from arena.tournament.executors import cores, local
from arena.tournament.executors.base import Lost, Played, Report, Task
from arena.tournament.executors.local import LocalExecutor
from arena.tournament.store import Store
from tests.tournament.helpers import schedule

Load = Callable[..., TournamentConfig]
ROUNDS = '[tournament]\nrounds = {}\nkeep_alive = {}\nsandbox = "none"\n'
DOTS = '[game]\nrules = "dots"\nrows = 2\ncols = 2\n'
OTHELLO = '[game]\nrules = "othello"\nsize = 4\n'
MARK = "ARENA_TEST_MARK"

RUN = """
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any
import psutil
from arena.tournament.run import run
from arena.tournament.config import TournamentConfig
from arena.tournament.played_store import PlayedStore
from arena.tournament.store import Store

append, finished, kills = PlayedStore.append, 0, sys.argv[3:]

def tell(store, event):
    global finished
    append(store, event)
    print(type(event).__name__, getattr(event, "game", ""), flush=True)
    finished += type(event).__name__ == "GameFinished"
    if kills and finished == int(kills[0]):
        del kills[0]
        for process in psutil.Process().children():
            with suppress(psutil.Error):  # one killed before has no command line any more
                if "-P" in process.cmdline():
                    process.kill()
                    break


PlayedStore.append = tell
config = TournamentConfig.model_validate_json(sys.argv[2])
with PlayedStore.open_run(Path(sys.argv[1]), config) as store:
    outcome = run(config, store)
sys.exit(outcome.exit_code)
"""


@pytest.fixture
def load(load: Load) -> Load:
    """For as many games side by side as this machine has cores."""
    return partial(load, cores=len(usable_cores()))


def marked(mark: str) -> list[psutil.Process]:
    """Processes, dead or alive, that were started under the mark, the ones that are not waited for
    but their parent left out.
    """
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.environ().get(MARK) == mark and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


def all_gone(mark: str, within_s: float) -> bool:
    deadline = time.monotonic() + within_s
    while marked(mark):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


@pytest.fixture
def mark(tmp_path: Path) -> Iterator[str]:
    """Put into the environment of what a test starts; whatever is left at the end is killed."""
    yield str(tmp_path)
    for process in marked(str(tmp_path)):
        with suppress(psutil.NoSuchProcess):
            process.kill()


def start(
    path: Path, config: TournamentConfig, mark: str, kills: Sequence[int] = ()
) -> subprocess.Popen[str]:
    """A run that tells its events, and kills a worker after each of these numbers of games."""
    return subprocess.Popen(
        [sys.executable, "-c", RUN, str(path), config.model_dump_json(), *map(str, kills)],
        env={**os.environ, MARK: mark},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def results(path: Path) -> list[str]:
    with Store.open(path) as store:
        return [record.game for record in store.records()]


@pytest.mark.slow
def test_killed_at_any_moment_a_run_goes_on(load: Load, tmp_path: Path, mark: str) -> None:
    config, path = load(ROUNDS.format(3, "false") + DOTS, players=3), tmp_path / "t.sqlite"
    seed = random.SystemRandom().randrange(10**9)
    print(f"seed {seed}")  # noqa: T201 - shown when the test fails
    rng = random.Random(seed)
    earlier: list[str] = []
    cut_short = 0
    for kills in count():
        process = start(path, config, mark)
        assert process.stdout is not None
        out = ""
        if kills % 4:  # in play, however fast this machine is
            out = "".join(process.stdout.readline() for _ in range(rng.randint(2, 10)))
        with suppress(subprocess.TimeoutExpired):
            process.wait(rng.uniform(0, 0.2 if out else 1.0))
        process.kill()
        rest, errors = process.communicate()
        out += rest
        assert all_gone(mark, 3)
        told = [line.split() for line in out.splitlines()]
        started = {words[1] for words in told if words[0] == "GameStarted"}
        assert started.isdisjoint(earlier), "a finished game was played again"
        if Store.begun_with(path):
            now = results(path)
            assert set(earlier) <= set(now), "a finished game was lost"
            assert {words[1] for words in told if words[0] == "GameFinished"} <= set(now)
            earlier = now
        if process.returncode == 0:
            break
        assert (process.returncode, errors) == (-signal.SIGKILL, "")
        cut_short += bool(started)
    assert cut_short >= 3
    assert sorted(earlier) == [spec.game for spec in schedule(config)]
    with Store.open(path) as store:
        assert {record.attempt for record in store.records(void=True)} == {1}


@pytest.mark.slow
@pytest.mark.parametrize("keep_alive", ["true", "false"])
def test_interrupted_a_run_ends_soon_and_leaves_nothing(
    load: Load, tmp_path: Path, mark: str, keep_alive: str
) -> None:
    config, path = load(ROUNDS.format(500, keep_alive) + OTHELLO), tmp_path / "t.sqlite"
    process = start(path, config, mark)
    assert process.stdout is not None
    finished = 0
    while finished < 3 and (line := process.stdout.readline()):
        finished += line.startswith("GameFinished")
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    out = process.stdout.read()  # `communicate` would lose what was read ahead
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, "")
    assert out.split()[-1] == "RunFinished"
    assert all_gone(mark, 0.5)
    assert len(results(path)) == finished + out.count("GameFinished") < 1000


@pytest.mark.slow
def test_a_killed_worker_voids_its_game_alone(load: Load, tmp_path: Path, mark: str) -> None:
    config, path = load(ROUNDS.format(8, "true") + DOTS), tmp_path / "t.sqlite"
    process = start(path, config, mark, kills=(4, 8))
    out, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, "")
    assert all_gone(mark, 1)
    assert sorted(results(path)) == [spec.game for spec in schedule(config)]
    with Store.open(path) as store:
        void = [r for r in store.records(void=True) if r.termination == "void"]
    assert len(void) == out.count("GameVoid") <= 2
    assert all("killed by signal 9" in record.detail for record in void)


KILLER = """
import os, signal, sys
if os.fork() == 0:  # one that runs away from its group
    os.setsid()
    if os.fork() == 0:
        signal.pause()
    os._exit(0)
os.kill(os.getppid(), signal.SIGKILL)
signal.pause()
"""


@pytest.mark.slow
def test_a_game_whose_worker_always_dies_stays_void(load: Load, tmp_path: Path, mark: str) -> None:
    (tmp_path / "killer.py").write_text(KILLER)
    text = f'[tournament]\nconcurrency = 1\nsandbox = "none"\n{DOTS}[[player]]\nbot = "killer.py"\n'
    config, path = load(text, players=1), tmp_path / "t.sqlite"
    process = start(path, config, mark)
    out, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (1, "")
    assert all_gone(mark, 1)
    assert out.count("GameVoid") == 2 * 3
    with Store.open(path) as store:
        assert list(store.records()) == []
        assert store.attempts() == {"g0001": 3, "g0002": 3}


def test_a_worker_killed_while_it_tells_loses_its_game_alone(
    load: Load, executor: Callable[..., LocalExecutor]
) -> None:
    config = load(DOTS)
    mine = executor(config)
    mine.submit(Task(spec=schedule(config)[0]))
    (worker,) = mine._workers
    while not worker.ready:
        mine.wait(1.0)
    worker.process.kill()
    worker.process.wait()
    worker.connection.close()
    ours, theirs = socket.socketpair()
    worker.connection = Connection(ours.detach())
    with theirs:
        theirs.sendall(b"\0\0\1\0half of a record")
    (lost,) = until_ended(mine, 1)
    assert isinstance(lost, Lost) and "killed by signal 9" in lost.reason


def test_processes_of_other_threads_are_left_alone(
    load: Load, executor: Callable[..., LocalExecutor]
) -> None:
    config = load(DOTS)
    one, other = executor(config), executor(config)
    with subprocess.Popen(["sleep", "60"]) as theirs:
        other.submit(Task(spec=schedule(config)[0]))
        one.close(now=True)
        assert theirs.poll() is None
        theirs.kill()
    (played,) = until_ended(other, 1)
    assert isinstance(played, Played)


@pytest.fixture
def executor() -> Iterator[Callable[..., LocalExecutor]]:
    opened: list[LocalExecutor] = []

    def make(config: TournamentConfig, games: int = 1) -> LocalExecutor:
        opened.append(LocalExecutor(config.model_copy(update={"concurrency": games})))
        return opened[-1]

    yield make
    for each in opened:
        each.close(now=True)


def until_ended(executor: LocalExecutor, tasks: int) -> list[Report]:
    reports: list[Report] = []
    deadline = time.monotonic() + 30
    while len(reports) < tasks and time.monotonic() < deadline:
        reports += [r for r in executor.wait(1.0) if isinstance(r, Played | Lost)]
    return reports


def test_runs_take_cores_that_no_other_run_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "usable_cores", lambda: (1001, 1002, 1003))
    with ExitStack() as stack:

        def take(most: int) -> tuple[int, ...]:
            taken, held = cores.apart(most)
            for name in held:
                stack.enter_context(name)
            return taken

        assert take(2) == (1001, 1002)
        assert take(2) == (1003, 1001), "one is free"
    with ExitStack() as stack:
        assert take(1) == (1001,), "the others have ended"
    _, (first, second) = cores.apart(2)
    first.close()
    with ExitStack() as stack, second:
        assert take(3) == (1001, 1003, 1002), "each is taken once"


def test_a_worker_reserves_cores_that_no_other_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "usable_cores", lambda: (1001, 1002, 1003))
    monkeypatch.setattr(cores, "_held", held := list[socket.socket]())
    reserve = cache(cores.reserve.__wrapped__)  # what this process has reserved stays
    with ExitStack() as stack:
        other = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        other.bind("\0arena-core-1001")
        with pytest.raises(ExecutorError, match=r"only 2 of .* are free of other"):
            reserve(3)
        assert reserve(2) == (1002, 1003), "the refused one gave them back"
        for name in held:
            stack.enter_context(name)
        assert reserve(2) == (1002, 1003), "the same at each call"
        with pytest.raises(ExecutorError, match="only 0 of"):
            reserve(1)
        assert len(set(reserve(2, shared=True))) == 2


def test_the_speed_of_a_core_is_measured_there_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "_TRY_S", 0.001)
    plies, on = iter((1, 3, 2, 1, 1)), list[set[int]]()

    def played(rng: random.Random) -> int:
        on.append(os.sched_getaffinity(0))
        return next(plies)

    monkeypatch.setattr(cores, "_plies", played)
    before, core = os.sched_getaffinity(0), usable_cores()[-1]
    assert cores.speed_of(core) == 3000
    assert on == [{core}] * 5
    assert os.sched_getaffinity(0) == before


@pytest.mark.slow
def test_each_game_has_cores_of_its_own(
    load: Load, tmp_path: Path, executor: Callable[..., LocalExecutor]
) -> None:
    cores = usable_cores()
    (tmp_path / "where.py").write_text(
        "import os, sys\nprint(sorted(os.sched_getaffinity(0)), file=sys.stderr)\n"
    )
    config = load(DOTS + '[[player]]\nbot = "where.py"\n', players=1)
    pool = executor(config, len(cores))
    assert pool.capacity == len(cores)
    spec = schedule(config)[0]
    for number in range(len(cores)):
        pool.submit(Task(spec=spec.model_copy(update={"game": f"g{number}"})))
    reports = until_ended(pool, len(cores))
    seen = {
        seat.stderr_head.strip()
        for report in reports
        if isinstance(report, Played)
        for seat in report.record.seats
        if seat.player == "where"
    }
    assert seen == {f"[{core}]" for core in cores}


def command(process: psutil.Process) -> list[str]:
    """Its words; what has ended has none, and may be an orphan of an earlier test."""
    with suppress(psutil.Error):
        return process.cmdline()
    return []


def test_a_game_goes_to_the_worker_that_has_its_players(
    load: Load, executor: Callable[..., LocalExecutor]
) -> None:
    if len(usable_cores()) < 2:
        pytest.skip("needs two cores")
    config = load(f'[tournament]\nsandbox = "none"\n{DOTS}', players=4)
    specs = {frozenset(each.name for each in spec.players): spec for spec in schedule(config)}
    one, other = (Task(spec=specs[frozenset(names)]) for names in ({"m0", "m1"}, {"m2", "m3"}))
    pool, pids = executor(config, 2), []
    for together in ((one, other), (other, one)):
        for task in together:
            pool.submit(task)
        reports = until_ended(pool, 2)
        assert all(isinstance(report, Played) for report in reports)
        running = psutil.Process().children(recursive=True)
        pids.append({each.pid for each in running if "players.monkey" in command(each)})
    assert len(pids[0]) == 4
    assert pids[0] == pids[1]


def test_more_cores_than_there_are_are_refused(
    load: Load, executor: Callable[..., LocalExecutor], monkeypatch: pytest.MonkeyPatch
) -> None:
    wide = DOTS + '[[player]]\nbot = "monkey"\nresources = {threads = 2}\n'
    monkeypatch.setattr(local, "usable_cores", lambda: (0, 1, 2))
    with pytest.raises(ExecutorError, match="2 games of 2 cores each need 4 cores, there are 3"):
        executor(load(wide), 2)


def test_a_failing_referee_loses_the_game_not_the_worker(
    load: Load, executor: Callable[..., LocalExecutor]
) -> None:
    config = load(DOTS)
    spec, pool = schedule(config)[0], executor(config)
    terms = spec.terms.model_copy(update={"variant": {"rows": -1}})
    pool.submit(Task(spec=spec.model_copy(update={"terms": terms})))
    (lost,) = until_ended(pool, 1)
    assert isinstance(lost, Lost)
    assert "the referee failed: " in lost.reason
    assert "rows" in lost.reason
    pool.submit(Task(spec=spec))
    (played,) = until_ended(pool, 1)
    assert isinstance(played, Played)
    assert played.record.game == "g0001"


def test_a_run_for_which_no_process_can_be_had_says_what_to_do(
    load: Load, executor: Callable[..., LocalExecutor], monkeypatch: pytest.MonkeyPatch
) -> None:
    full = BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
    monkeypatch.setattr(local, "scheduling_delay", Mock(side_effect=full))
    with pytest.raises(ExecutorError, match=f"^{re.escape(NO_PROCESS)}$"):
        executor(load(DOTS)).warning()


def test_a_worker_that_cannot_start_ends_the_run(
    load: Load, executor: Callable[..., LocalExecutor], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    config = load(DOTS)
    pool = executor(config)
    pool.submit(Task(spec=schedule(config)[0]))
    with pytest.raises(ExecutorError, match=r"a worker process did not start \(exit code 1\)"):
        until_ended(pool, 1)


def test_a_worker_killed_while_it_starts_is_started_again(
    load: Load,
    executor: Callable[..., LocalExecutor],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    once = tmp_path / "python"
    once.write_text(
        f'#!/bin/sh\nif mkdir "{tmp_path}/killed"; then kill -9 $$; fi\n'
        f'exec "{sys.executable}" "$@"\n'
    )
    once.chmod(0o755)
    config = load(DOTS)
    spec = schedule(config)[0]
    monkeypatch.setattr(sys, "executable", str(once))
    pool = executor(config)
    pool.submit(Task(spec=spec))
    (played,) = until_ended(pool, 1)
    assert isinstance(played, Played)
    assert (tmp_path / "killed").is_dir()
