"""Who is late for want of a CPU that others used is not to blame; who kept it busy itself is."""

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress

import psutil
import pytest

from arena.model.containment import Mode, Policy
from arena.model.contender import Prepared
from arena.model.protocol import Clock, Termination
from arena.model.record import GameRecord, PlayerFault
from arena.referee import SessionPool, lateness, play_game
from arena.referee.lateness import Lateness, Presence
from arena.referee.transport import PlayerProcess
from arena.sandbox import overload
from arena.sandbox.overload import (
    LEAST_MS,
    Core,
    Load,
    Thread,
    delay_warning,
    scheduling_delay,
    starved_ms,
    steal_ms,
)
from arena.sandbox.processes import become_subreaper, kill_children
from arena.tournament.run import MAX_ATTEMPTS
from tests.conftest import BOTS, PYTHON, Bots, Spec

MS = 1_000_000


def load(
    ms: int,
    waited: dict[int, int],
    own: int,
    idle: int,
    cores: int = 1,
    steal: int = 0,
    counted: int | None = None,
    runnable: bool = False,
) -> Load:
    """Of threads that ran for `own`, and of cores with `idle` and `steal` in all of them."""
    core = Core(idle * MS, steal * MS, (ms if counted is None else counted) * MS)
    rest = Core(0, 0, ms * MS)
    return Load(
        at=ms * MS,
        threads={each: Thread(own * MS, wait * MS, runnable) for each, wait in waited.items()},
        own=own * MS,
        ours=0,
        cores={number: rest if number else core for number in range(cores)},
    )


START = load(100, {1: 10, 2: 500}, own=40, idle=1000)


@pytest.mark.parametrize(
    ("end", "stolen"),
    [
        pytest.param(load(600, {1: 400, 2: 500}, own=140, idle=1000), 390, id="others had 400"),
        pytest.param(load(600, {1: 500, 2: 500}, own=140, idle=1000), 400, id="not more than that"),
        pytest.param(load(600, {1: 10, 2: 500}, own=40, idle=1000), 0, id="it slept"),
        pytest.param(load(600, {1: 440, 2: 940}, own=540, idle=1000), 0, id="its own threads"),
        pytest.param(load(600, {1: 300, 2: 500}, own=340, idle=1200), 0, id="idle was left"),
        pytest.param(load(600, {1: 10, 2: 500, 3: 90}, own=140, idle=1000), 90, id="a new thread"),
        pytest.param(load(600, {}, own=140, idle=1000), 0, id="it is gone"),
        pytest.param(load(600, {1: 10}, 40, 1000, runnable=True), 500, id="it waits and waits"),
        pytest.param(load(600, {1: 25}, own=440, idle=1000), 15, id="a thread alone, to the ms"),
        pytest.param(
            load(600, {1: 410}, own=140, idle=1000)._replace(own=440 * MS), 100, id="one has ended"
        ),
        pytest.param(load(600, {1: 10}, 60, 1000, runnable=True), 0, id="it runs"),
    ],
)
def test_the_longest_wait_that_others_are_to_blame_for(end: Load, stolen: int) -> None:
    assert starved_ms(START, end) == stolen


@pytest.mark.parametrize(
    ("end", "steal"),
    [
        pytest.param(load(600, {1: 10}, own=40, idle=1200, steal=300), 300, id="it was away"),
        pytest.param(load(600, {1: 10}, own=340, idle=1000, steal=300), 200, id="it ran the rest"),
        pytest.param(load(600, {1: 310}, own=140, idle=1000, steal=300), 100, id="it waited too"),
        pytest.param(load(600, {1: 10}, own=40, idle=1000, counted=100), 500, id="it is away"),
        pytest.param(load(600, {1: 10}, own=40, idle=1500), 0, id="it slept"),
    ],
)
def test_the_time_that_the_hypervisor_had_its_core(end: Load, steal: int) -> None:
    assert steal_ms(START, end) == steal


@pytest.mark.parametrize(
    ("missed", "end", "kept"),
    [
        pytest.param(300, load(1100, {1: 310}, own=340, idle=1000), 600, id="starved, stopped"),
        pytest.param(300, load(1100, {1: 610}, own=440, idle=1000), 600, id="only starved"),
        pytest.param(300, load(1100, {1: 10}, own=340, idle=1000), 300, id="only stopped"),
        pytest.param(300, load(1100, {1: 10}, own=1040, idle=1000), 300, id="it ran meanwhile"),
        pytest.param(0, load(1100, {1: 310}, own=340, idle=1000, steal=200), 500, id="and steal"),
        pytest.param(300, load(1100, {1: 10}, own=340, idle=1000, steal=200), 300, id="at once"),
        pytest.param(0, load(1100, {1: 10}, own=340, idle=1000, steal=15), 0, id="hardly any"),
    ],
)
def test_what_kept_a_player_from_answering_adds_up(missed: int, end: Load, kept: int) -> None:
    presence = Presence()
    loads = iter([START, end])
    late = Lateness(presence, lambda: next(loads))
    late.begin()
    late.watch()
    presence.missed += missed * MS
    assert late.host_delay().ns // MS == kept


@pytest.mark.parametrize(
    ("end", "kept"),
    [
        (load(1100, {1: 310}, own=340, idle=1000), 340),
        (load(1100, {1: 10}, own=1040, idle=1000), 0),
    ],
)
def test_what_a_starved_player_may_have_waited_before_a_late_look_counts(
    end: Load, kept: int
) -> None:
    clock, loads = [0], iter([START, end])
    presence = Presence(lambda: clock[0])
    late = Lateness(presence, lambda: next(loads))
    late.begin()
    presence.expect(25 * MS)
    clock[0] = 65 * MS
    late.watch()
    presence.look()
    assert late.host_delay().ns == kept * MS


@pytest.mark.parametrize(
    ("limit", "looks", "until"),
    [
        pytest.param(1000, [(1001, 300)], 1300, id="it has its time"),
        pytest.param(1000, [(1001, 300), (1310, 300)], 1300, id="it had its time"),
        pytest.param(1000, [(1001, 300), (1350, 340)], 1375, id="it still waits for a CPU"),
        pytest.param(1000, [(20_999, 20_500)], 21_500, id="less than 20 times its time"),
        pytest.param(1000, [(21_001, 20_500)], None, id="more than that"),
        pytest.param(60_000, [(659_999, 640_000)], 700_000, id="less than ten minutes"),
        pytest.param(60_000, [(660_001, 640_000)], None, id="more than that, too"),
    ],
)
def test_how_long_a_starved_player_is_waited_for(
    limit: int, looks: list[tuple[int, int]], until: int | None
) -> None:
    """Looks at how long a player has waited for a CPU, which runs all the time else."""
    loads = [load(ms, {1: waited}, own=ms - waited, idle=0) for ms, waited in [(0, 0), *looks]]
    late = Lateness(Presence(lambda: 0), iter(loads).__next__)
    late.begin()
    late.watch()
    for ms, _ in looks[:-1]:
        late.own_deadline(limit * MS, ms * MS)
    with pytest.raises(PlayerFault) if until is None else nullcontext():
        assert late.own_deadline(limit * MS, looks[-1][0] * MS) == (until or 0) * MS


def test_leaving_one_of_two_cores_idle_excuses_nothing() -> None:
    """Eight threads on one core, the other idle: nothing was taken."""
    before = load(0, dict.fromkeys(range(8), 0), own=0, idle=0, cores=2)
    after = load(1000, dict.fromkeys(range(8), 875), own=1000, idle=1000, cores=2)
    assert starved_ms(before, after) == 0


def test_a_sample_of_this_process() -> None:
    taken = overload.sample([os.getpid()], 5.0, os.sched_getaffinity(0))
    thread = taken.threads[os.getpid()]
    assert thread.ran > 0 and thread.waited >= 0 and thread.runnable
    assert taken.own == 5 * MS and taken.ours > 0
    assert taken.cores.keys() == os.sched_getaffinity(0)
    assert all(0 < core.idle + core.steal < core.counted for core in taken.cores.values())
    assert overload.cpu_ms([os.getpid()]) > 0
    assert overload.sample([2**22 + 1], 0.0, ()).threads == {}


@pytest.mark.slow
def test_delay_of_each_core() -> None:
    cores = os.sched_getaffinity(0)
    with on_one_core() as core, busy(3):
        assert scheduling_delay([core], 0.3)[core] > 20
    assert set(scheduling_delay(cores, 0.01)) == cores


@contextmanager
def on_one_core() -> Iterator[int]:
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield min(cores)
    finally:
        os.sched_setaffinity(0, cores)


@contextmanager
def busy(count: int) -> Iterator[None]:
    """That many processes that never rest, on our cores."""
    code = "print(flush=True)\nwhile True: pass"
    processes = [
        subprocess.Popen((*PYTHON, "-c", code), stdout=subprocess.PIPE) for _ in range(count)
    ]
    try:
        for process in processes:
            assert process.stdout is not None
            process.stdout.readline()
        yield
    finally:
        for process in processes:
            process.kill()
            process.communicate()


def game(spec: Spec, *players: Prepared) -> GameRecord:
    settings = {"clock": Clock(move_ms=200), "grace_ms": 50, "startup_ms": 30_000}
    with SessionPool() as pool:
        return play_game(*spec(*players, ponder=False, **settings), pool)


@pytest.mark.slow
def test_late_on_a_busy_host_is_void(bots: Bots, dots: Spec) -> None:
    """Most of its limit is enough for it, but not what others leave of it."""
    with on_one_core(), busy(3):
        record = game(dots, bots.hostile("works_most"), bots.hostile())
    assert record.termination is Termination.VOID, record.detail
    why = "The host was overloaded or stopped: works_most was late, and had waited "
    assert record.detail.startswith(why)
    assert (record.points, record.offender) == ((), None)
    assert bots.left() == []


@pytest.mark.slow
def test_what_others_took_of_its_cpu_comes_off_no_bank(bots: Bots, dots: Spec) -> None:
    """Its moves take half of the bank, and twice the bank by the clock on the wall."""
    settings = {"clock": Clock(move_ms=None, bank_ms=2000), "startup_ms": 30_000}
    with on_one_core(), busy(3), SessionPool() as pool:
        players = bots.hostile("works_little"), bots.hostile()
        record = play_game(*dots(*players, ponder=False, **settings), pool)
    assert record.termination is Termination.NATURAL, record.detail
    own = [move.used_ms for move in record.moves if move.seat == 0 and move.used_ms is not None]
    assert 700 < sum(own) < 1800 < record.duration_ms


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["hangs", "spins", "works_twice"])
def test_who_needs_more_than_its_limit_is_late_on_a_busy_host_too(
    fault: str, bots: Bots, dots: Spec
) -> None:
    """It is waited for until its own time is over: also an endless loop forfeits at once."""
    with on_one_core(), busy(3):
        record = game(dots, bots.hostile(fault), bots.hostile())
    assert (record.termination, record.offender) == (Termination.TIMEOUT, 0), record.detail
    assert bots.left() == []


@pytest.mark.slow
def test_who_is_kept_from_answering_is_not_waited_for_without_end(
    bots: Bots, dots: Spec, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lateness, "_PATIENCE", 0)
    with on_one_core(), busy(3):
        record = game(dots, bots.hostile("spins"), bots.hostile())
    assert record.termination is Termination.VOID, record.detail


OVERLOADS = pytest.mark.parametrize("how", ["threads", "forks", "daemons"])
MODES = pytest.mark.parametrize("mode", ["none", "limits"])


def overloader(how: str, mode: Mode, bots: Bots) -> Prepared:
    policy = Policy(mode=mode, readable=(str(BOTS),))
    command = (*PYTHON, str(BOTS / "overloader.py"), how, bots.mark)
    return Prepared(name=how, command=command, policy=policy)


@pytest.mark.slow
@OVERLOADS
@MODES
def test_nothing_that_a_player_uses_escapes_the_count(how: str, mode: Mode, bots: Bots) -> None:
    become_subreaper()
    process = PlayerProcess(overloader(how, mode, bots))
    deadline = time.monotonic_ns() + 20_000 * MS
    try:
        process.write(b'{"type":"start"}\n', deadline)
        process.read_line(deadline)
        process.write(b'{"type":"turn"}\n', deadline)
        while (seen_ms := used_ms(bots.mark)) < 300:
            assert time.monotonic_ns() < deadline
            time.sleep(0.02)
        assert process.container.load().own >= round(seen_ms) * MS
    finally:
        process.kill()
        kill_children()
    assert bots.left() == []


def used_ms(mark: str) -> float:
    """CPU time of all processes that carry the mark."""
    total = 0.0
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if mark in process.cmdline():
                total += sum(process.cpu_times()[:2]) * 1000
    return total


@pytest.mark.slow
@OVERLOADS
@MODES
def test_who_overloads_its_own_core_is_late(how: str, mode: Mode, bots: Bots, dots: Spec) -> None:
    with on_one_core() as core:
        for _ in range(MAX_ATTEMPTS):
            record = game(dots, overloader(how, mode, bots), bots.hostile())
            if record.termination is not Termination.VOID:
                break
        else:
            assert scheduling_delay([core])[core] > LEAST_MS, record.detail
            pytest.skip("others use the core of the test, so that who is late on it is excused")
    assert (record.termination, record.offender) == (Termination.TIMEOUT, 0), record.detail
    assert bots.left() == []


def test_a_loop_that_is_killed_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overload, "_BUSY", "import os; os.kill(os.getpid(), 9)")
    assert scheduling_delay([0]) == {}
    assert delay_warning({}) is None
