"""The head of a cluster, with machines in this process that only sleep for the time of a game."""

import asyncio
import json
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from threading import Event, Timer
from types import SimpleNamespace
from typing import Any

import pytest
from distributed import Client, LocalCluster, Worker, get_worker

from arena.bench import sleeping
from arena.errors import ExecutorError, UserError
from arena.tournament.config import TournamentConfig
from arena.tournament.config_tables import ClusterTable
from arena.tournament.executors import dask, machine, places
from arena.tournament.executors.base import Played, Remark, Report, Task
from arena.tournament.executors.cluster import cluster as opened
from arena.tournament.executors.cluster import refuse_open
from arena.tournament.executors.dask import DaskExecutor
from arena.tournament.executors.machine import Admission, AdmissionRequest
from arena.tournament.played_store import PlayedStore
from arena.tournament.run import run

from .cluster_helpers import Wire, machines_of_one_core
from .conftest import Load
from .helpers import schedule

FAST = "[clock]\nmove_ms = 5\n[game]\nrules = 'dots'\n"


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalCluster]:
    """Three machines of one core."""
    monkeypatch.setattr("arena.tournament.executors.places.LOOK_S", 0.01)
    with machines_of_one_core(3, tmp_path) as made:
        yield made


@pytest.fixture
def client(cluster: LocalCluster) -> Iterator[Client]:
    with Client(cluster) as made:
        yield made


def machines_that(**changed: Callable[..., Any]) -> SimpleNamespace:
    """Sleeping machines that run other functions for some."""
    return SimpleNamespace(**{**vars(sleeping), **changed})


class ClusterRun:
    """A run on a cluster, and what came of it."""

    def __init__(self, client: Client, folder: Path, runs: Any = sleeping, **more: Any) -> None:
        self.path, self._client, self._runs, self._more = folder / "r.sqlite", client, runs, more

    def play(
        self,
        config: TournamentConfig,
        meanwhile: Callable[[int], None] = lambda submitted: None,
        watch: Callable[[Report], None] = lambda report: None,
    ) -> None:
        """Play it; `meanwhile` is called with how many tasks were submitted, `watch` with each
        report.
        """

        def opened(config: TournamentConfig, masked: tuple[str, ...]) -> DaskExecutor:
            executor = DaskExecutor(self._client, config, masked, runs=self._runs, **self._more)
            submit, wait, count = executor.submit, executor.wait, 0

            def counted(task: Any) -> None:
                nonlocal count
                count += 1
                meanwhile(count)
                submit(task)

            def watched(timeout_s: float) -> Sequence[Report]:
                reports = wait(timeout_s)
                for report in reports:
                    watch(report)
                return reports

            executor.submit = counted  # type: ignore[method-assign]  # watched here alone
            executor.wait = watched  # type: ignore[method-assign]  # watched too
            return executor

        with PlayedStore.open_run(self.path, config) as store:
            outcome = run(config, store, open_executor=opened)
            self.records = list(store.records())
        assert (outcome.done, outcome.void) == (outcome.total, ())
        assert len({record.game for record in self.records}) == len(self.records) == outcome.total

    def by_pair(self) -> dict[str, set[str]]:
        """The machines of each pair."""
        found = defaultdict[str, set[str]](set)
        for record in self.records:
            found[record.pair].add(record.host.name)
        return found


def test_pairs_stay_on_one_machine_and_all_machines_play(
    client: Client, load: Load, tmp_path: Path
) -> None:
    told = ClusterRun(client, tmp_path)
    told.play(load(f"[tournament]\nrounds = 20\n{FAST}"))
    machines = told.by_pair()
    assert all(len(names) == 1 for names in machines.values())
    assert len(set.union(*machines.values())) == 3


def test_machines_may_leave_and_join(
    client: Client, cluster: LocalCluster, load: Load, tmp_path: Path
) -> None:
    def change(submitted: int) -> None:
        if submitted == 10:
            cluster.scale(1)
        elif submitted == 20:
            cluster.scale(2)

    ClusterRun(client, tmp_path).play(load(f"[tournament]\nrounds = 20\n{FAST}"), change)
    assert " is lost" in (tmp_path / "r.events.jsonl").read_text()


def test_a_head_that_is_cut_off_waits_for_no_answer(
    load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C is looked for between two waits. No machine is lost for it."""
    monkeypatch.setattr("arena.tournament.executors.places.LOOK_S", 0.01)
    monkeypatch.setattr("arena.tournament.executors.places.SILENT_S", 1.5)
    with machines_of_one_core(1, tmp_path, protocol="tcp://") as cluster, Client(cluster) as near:
        wire, address = near.sync(Wire.to_scheduler, near)
        with Client(address) as client:
            executor = DaskExecutor(client, load(FAST), runs=sleeping)
            wire.cut()
            later = Timer(6, wire.join)
            later.start()
            began = time.monotonic()
            for _ in range(2):
                executor.wait(0.1)
            waited = time.monotonic() - began
            later.cancel()
            wire.join()
            reports = [report for _ in range(20) for report in executor.wait(0.05)]
            executor.close(now=True)
        near.sync(wire.close)
    assert waited < 4
    assert not reports


@pytest.mark.slow
def test_the_games_of_a_machine_that_is_cut_off_are_played_elsewhere_until_it_is_back(
    load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.tournament.executors.places.LOOK_S", 0.01)
    monkeypatch.setattr("arena.tournament.executors.places.SILENT_S", 1.2)
    monkeypatch.setattr(dask, "_SLOW", 1e9)  # else it would also be helped as a slow machine
    with machines_of_one_core(2, tmp_path, protocol="tcp://") as cluster, Client(cluster) as client:
        wire, address = client.sync(Wire.to_scheduler, client)
        worker = client.sync(joined, address, tmp_path)
        reports = list[Report]()

        def cut(submitted: int) -> None:
            if submitted == 20:
                wire.cut()

        def watch(report: Report) -> None:
            reports.append(report)
            if isinstance(report, Remark) and " is lost; its games (" in report.text:
                wire.join()

        config = load("[tournament]\nrounds = 80\n" + FAST.replace("5", "30"))
        ClusterRun(client, tmp_path).play(config, cut, watch)
        client.sync(worker.close)
        client.sync(wire.close)
    lost = next(n for n, report in enumerate(reports) if isinstance(report, Remark))
    later = [each.record.host.name for each in reports[lost:] if isinstance(each, Played)]
    assert later.count(worker.address) > 2  # it had two when it was cut off


BEGAN = list[int]()


async def play_all_but_the_second(task: str, label: str, number: int, *, moves: bool) -> None:
    BEGAN.append(number)
    if number == 2:
        await dask_forever()
    await sleeping.play(task, label, number, moves=moves)


def test_a_machine_that_is_back_is_not_given_a_game_that_it_plays(
    load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "LOOK_S", 0.0)
    monkeypatch.setattr(places, "LEAVE_S", 0.1)
    BEGAN.clear()
    config = load("[tournament]\nrounds = 2\n" + FAST.replace("5", "50"))
    runs = machines_that(play=play_all_but_the_second)
    cluster = LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0",
        memory_limit=0, local_directory=tmp_path,
    )  # fmt: skip
    with cluster, Client(cluster) as client:
        executor = DaskExecutor(client, config, runs=runs)
        for spec in schedule(config)[:3]:
            executor.submit(Task(spec=spec))
        executor.wait(0)
        with monkeypatch.context() as silent:
            silent.setattr(places, "SILENT_S", -1.0)
            reports = [*executor.wait(0)]
        for _ in range(40):
            reports += executor.wait(0.1)
            if len(BEGAN) == 3:
                break
        executor.close(now=True)
    assert any("its games (2) are played elsewhere" in str(report) for report in reports)
    assert BEGAN == [1, 2, 3]


async def play_or_be_taken(task: str, label: str, number: int, *, moves: bool) -> None:
    """The second game stays at its first machine, and the machine it is begun on next is taken."""
    BEGAN.append(number)
    if number == 2 and BEGAN.count(2) == 1:
        await dask_forever()
    if number == 2 and BEGAN.count(2) == 2:
        TAKEN.append(get_worker().name)
        get_worker().log_event(label, {"number": number, "left": machine.TAKEN})
        return
    await sleeping.play(task, label, number, moves=moves)


TAKEN = list[int]()


def admit_unless_taken(entry: str) -> str:
    admission = Admission.model_validate_json(sleeping.admit(entry))
    busy = "cup" if get_worker().name in TAKEN else ""
    return admission.model_copy(update={"busy": busy}).model_dump_json()


def test_only_the_machine_that_is_taken_gets_no_game_and_is_asked_again(
    client: Client, load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask, "_IDLE_S", 0.05)
    monkeypatch.setattr(places, "LEAVE_S", 0.1)
    for each in (BEGAN, TAKEN):
        each.clear()
    reports = list[Report]()
    runs = machines_that(play=play_or_be_taken, admit=admit_unless_taken)
    config = load(f"[tournament]\nrounds = 6\n{FAST}")
    ClusterRun(client, tmp_path, runs).play(config, watch=reports.append)
    noted = [each.text for each in reports if isinstance(each, Remark)]
    assert len(TAKEN) == len(noted) == 1
    assert noted[0].endswith(" plays another tournament, cup; it joins once that has ended.")


async def joined(address: str, folder: Path) -> Worker:
    """A machine of one core that knows the scheduler by the address."""
    return await Worker(
        address, nthreads=1, memory_limit=0, dashboard=False, local_directory=str(folder)
    )


async def play_or_stay(task: str, label: str, number: int, *, moves: bool) -> None:
    """As any machine plays, but one of them never ends a game."""
    if get_worker().name == 1:
        await dask_forever()
    await sleeping.play(task, label, number, moves=moves)


async def dask_forever() -> None:
    import asyncio

    await asyncio.Event().wait()


def test_a_machine_that_does_not_move_holds_nobody_up(
    client: Client, load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask, "_IDLE_S", 0.05)
    monkeypatch.setattr("arena.tournament.executors.places.LEAVE_S", 0.1)
    runs = machines_that(play=play_or_stay)
    ClusterRun(client, tmp_path, runs).play(load(f"[tournament]\nrounds = 6\n{FAST}"))


def admit_by_number(entry: str) -> str:
    """One machine has another processor and half the speed, one lacks what is required."""
    asked, number = AdmissionRequest.model_validate_json(entry), get_worker().name
    host = sleeping._host(f"lab{number}")
    known = host.model_copy(update={"cpu": f"kind {number == 0}", "speed": 50 if number else 100})
    if number == 2:
        return Admission(host=known, refused="memory is not held.").model_dump_json()
    return Admission(host=known, games=asked.cores).model_dump_json()


LEFT = list[int]()


def note_leaving(label: str) -> None:
    LEFT.append(get_worker().name)


def test_machines_are_compared_and_those_that_cannot_play_are_named(
    client: Client, load: Load
) -> None:
    runs = machines_that(admit=admit_by_number, leave=note_leaving)
    executor = DaskExecutor(client, load(FAST), runs=runs)
    said = executor.warning() or ""
    assert "lab2 " in said
    assert "gets no game: memory is not held." in said
    assert "50 % slower" in said or said.count("lab") == 1  # the slow one may have been the first
    executor.close(now=True)
    same = DaskExecutor(client, load(FAST), runs=runs, same_kind=True)
    assert "and same_kind asks for kind" in (same.warning() or "")
    assert same.capacity == 2
    LEFT.clear()
    same.close(now=True)
    assert sorted(LEFT) == [0, 1, 2], "others get those too that it does not use"


def test_the_kind_is_that_of_a_machine_that_did_not_leave(
    client: Client, load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    look, lost = DaskExecutor._look_at_machines, list[places.MachinePlace]()

    def lose_all_once(self: DaskExecutor) -> None:
        found = list(self._machines)
        look(self)
        if found and not lost:
            lost.extend(self._machines)
            for place in lost:
                place.gone = True

    monkeypatch.setattr(DaskExecutor, "_look_at_machines", lose_all_once)
    monkeypatch.setattr(places.Machines, "pending", property(lambda _: not lost))
    executor = DaskExecutor(client, load(FAST), runs=sleeping, same_kind=True)
    assert lost and executor.capacity >= len(lost)
    executor.close(now=True)


ASKED, NOTED = list[str](), list[str]()
PLAYING = set[int]()


def admit_later(entry: str) -> str:
    """All machines play another tournament until that was said, the last one until games began."""
    ASKED.append(get_worker().name)
    busy = "cup" if len(NOTED) < 3 or (get_worker().name == 2 and not BEGAN) else ""
    admission = Admission.model_validate_json(sleeping.admit(entry))
    return admission.model_copy(update={"busy": busy}).model_dump_json()


async def play_and_note(task: str, label: str, number: int, *, moves: bool) -> None:
    """The games of the others last until the last one plays too."""
    BEGAN.append(number)
    PLAYING.add(get_worker().name)
    until = time.monotonic() + 20
    while 2 not in PLAYING and time.monotonic() < until:
        await asyncio.sleep(0.01)
    await sleeping.play(task, label, number, moves=moves)


def test_machines_that_play_another_tournament_are_waited_for(
    client: Client,
    load: Load,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(places, "BUSY_S", 0.05)
    take = places.Machines.take_notes

    def take_and_note(self: places.Machines) -> list[str]:
        notes = take(self)
        NOTED.extend(notes)
        return notes

    monkeypatch.setattr(places.Machines, "take_notes", take_and_note)
    for each in (NOTED, BEGAN, PLAYING):
        each.clear()
    runs = machines_that(admit=admit_later, play=play_and_note)
    done = ClusterRun(client, tmp_path, runs)
    done.play(load(f"[tournament]\nrounds = 40\n{FAST}"))
    assert len(set.union(*done.by_pair().values())) == 3
    said = [line for line in capsys.readouterr().err.splitlines() if "another tournament" in line]
    assert said == NOTED and len(said) == 3
    assert all(
        line.endswith(" plays another tournament, cup; it joins once that has ended.")
        for line in said
    )


READY = Event()


def admit_at_last(entry: str) -> str:
    """Machines play another tournament when they are asked first, and then take long."""
    name = get_worker().name
    ASKED.append(name)
    admission = Admission.model_validate_json(sleeping.admit(entry))
    if ASKED.count(name) == 1:
        return admission.model_copy(update={"busy": "cup"}).model_dump_json()
    READY.wait()
    return admission.model_dump_json()


def test_a_machine_that_gets_ready_when_a_run_is_stopped_is_free_after_that(
    cluster: LocalCluster, load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = DaskExecutor._look_at_machines

    def look_until_asked(self: DaskExecutor) -> None:
        look(self)
        if len(ASKED) == 6:
            raise KeyboardInterrupt

    monkeypatch.setattr(DaskExecutor, "_look_at_machines", look_until_asked)
    monkeypatch.setattr(places, "BUSY_S", 0.05)
    monkeypatch.setattr(places, "LEAVE_S", 0.1)
    for each in (ASKED, LEFT):
        each.clear()
    READY.clear()
    runs = machines_that(admit=admit_at_last, answer=machine.answer, leave=note_leaving)
    with Client(cluster) as client, pytest.raises(KeyboardInterrupt):
        DaskExecutor(client, load(FAST), runs=runs)
    assert not LEFT
    READY.set()
    until = time.monotonic() + 20
    while len(LEFT) < 3 and time.monotonic() < until:
        time.sleep(0.01)
    assert sorted(LEFT) == [0, 1, 2]


def test_the_wait_for_machines_that_play_another_tournament_can_be_given_up(
    client: Client, load: Load
) -> None:
    for each in (ASKED, NOTED):
        each.clear()
    runs = machines_that(admit=admit_later)
    with pytest.raises(ExecutorError, match="stopped before a machine was ready"):
        DaskExecutor(client, load(FAST), runs=runs, given_up=lambda: len(ASKED) >= 3)


def test_where_no_machine_can_play_all_are_named(client: Client, load: Load) -> None:
    def refuse(entry: str) -> str:
        return Admission(host=sleeping._host(), refused="bwrap is missing").model_dump_json()

    runs = machines_that(admit=refuse, leave=note_leaving)
    LEFT.clear()
    with pytest.raises(ExecutorError, match="bwrap is missing"):
        DaskExecutor(client, load(FAST), runs=runs)
    assert sorted(LEFT) == [0, 1, 2], "what cannot begin holds none"


def test_a_machine_with_another_package_of_the_game_gets_no_game(
    client: Client, load: Load
) -> None:
    def admit(entry: str) -> str:
        other = sleeping._host().model_copy(update={"package": "connect4 0.9"})
        return Admission(host=other, games=1).model_dump_json()

    runs = machines_that(admit=admit)
    with pytest.raises(ExecutorError, match=r"it has arena [^,]+, connect4 0\.9, the head arena"):
        DaskExecutor(client, load(FAST), runs=runs)


def admit_a_later_head(entry: str) -> str:
    """As a machine that does not know all that the head asks."""
    return machine.admit(json.dumps(json.loads(entry) | {"later": True}))


def admit_as_a_later_arena(entry: str) -> str:
    """An answer with more in it than the head knows."""
    answer = Admission(host=sleeping._host(), games=1).model_dump()
    return json.dumps(answer | {"later": True})


@pytest.mark.parametrize("admit", [admit_a_later_head, admit_as_a_later_arena])
def test_a_machine_that_the_head_does_not_understand_gets_no_game(
    client: Client, load: Load, admit: Callable[[str], str]
) -> None:
    runs = machines_that(admit=admit)
    with pytest.raises(ExecutorError, match=r"install the same version on both") as raised:
        DaskExecutor(client, load(FAST), runs=runs)
    assert "validation error" not in str(raised.value)


def test_a_machine_without_a_file_that_a_player_names_gets_no_game(
    client: Client, load: Load, tmp_path: Path
) -> None:
    (tmp_path / "bot.py").touch()
    runs = machines_that(admit=machine.admit)
    player = '[[player]]\nname = "bot"\ncommand = ["python3", "bot.py", "deep"]\n'
    with pytest.raises(ExecutorError, match=r"bot names bot\.py, which is not there"):
        DaskExecutor(client, load(FAST + player), runs=runs)


_having: set[str] = set()
"""The machines in this process that have the package."""


def admit_with_package(entry: str) -> str:
    """Every machine lacks a package at first."""
    if get_worker().address in _having:
        return sleeping.admit(entry)
    host = sleeping._host(str(get_worker().name))
    return Admission(host=host, lacking=("digest",)).model_dump_json()


def keep_package(digest: str, packed: bytes) -> None:
    _having.add(get_worker().address)


@pytest.mark.parametrize("late", [2, 9])
def test_a_package_that_a_machine_did_not_take_in_time_is_sent_again(
    client: Client, load: Load, monkeypatch: pytest.MonkeyPatch, late: int
) -> None:
    scatter, sent = client.scatter, list[str]()
    _having.clear()

    def late_at_first(data: Any, **more: Any) -> Any:
        sent.extend(more["workers"])
        if len(sent) <= late:
            raise TimeoutError
        return scatter(data, **more)

    monkeypatch.setattr(client, "scatter", late_at_first)
    monkeypatch.setattr(places.Machines, "_packed", lambda _, digest: b"files")
    runs = machines_that(admit=admit_with_package, keep=keep_package)
    if late > 3 * (places.SENDINGS - 1):
        with pytest.raises(ExecutorError, match="sent 3 times; let the scheduler reach it"):
            DaskExecutor(client, load(FAST), runs=runs)
        return
    executor = DaskExecutor(client, load(FAST), runs=runs)
    while len(list(executor._machines)) < 3:
        executor.wait(0.05)
    assert len(sent) == 3 + late
    executor.close(now=True)


def test_a_machine_that_cannot_keep_a_package_is_named(
    client: Client, load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    def keep(digest: str, packed: bytes) -> str:
        return "the disk is full"

    _having.clear()
    monkeypatch.setattr(places.Machines, "_packed", lambda _, digest: b"files")
    runs = machines_that(admit=admit_with_package, keep=keep)
    with pytest.raises(ExecutorError, match=r"\d \(.*\) gets no game: the disk is full"):
        DaskExecutor(client, load(FAST), runs=runs)


def test_a_scheduler_that_is_lost_ends_the_run_with_a_sentence(
    client: Client, cluster: LocalCluster, load: Load, tmp_path: Path
) -> None:
    executor = DaskExecutor(client, load(FAST), runs=sleeping)
    with ExitStack() as stack:
        stack.callback(executor.close, now=True)
        cluster.close()
        with pytest.raises(ExecutorError, match="the same command continues"):
            while True:
                executor.wait(0.05)


def test_a_scheduler_that_is_lost_while_games_are_placed_is_said_in_a_sentence_too(
    client: Client, load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = load(FAST)
    executor = DaskExecutor(client, config, runs=sleeping)
    monkeypatch.setattr(executor._machines, "look", tuple)
    client.close()
    executor.submit(Task(spec=schedule(config)[0]))
    with pytest.raises(ExecutorError, match="the same command continues"):
        executor.wait(0.05)


def test_a_machine_with_a_slow_line_holds_nobody_up(
    client: Client,
    load: Load,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    scatter, sent = client.scatter, list[str]()
    _having.clear()

    async def slow_at_first(data: Any, **more: Any) -> Any:
        sent.extend(more["workers"])
        if len(sent) == 1:
            await asyncio.sleep(60)
        return await scatter(data, **more)

    monkeypatch.setattr(client, "scatter", slow_at_first)
    monkeypatch.setattr(places.Machines, "_packed", lambda _, digest: b"files")
    monkeypatch.setattr(dask, "_OTHERS_S", 0.1)
    monkeypatch.setattr(dask, "_QUIET_S", 0)
    runs = machines_that(admit=admit_with_package, keep=keep_package)
    executor = DaskExecutor(client, load(FAST), runs=runs)
    while len(list(executor._machines)) < 2:
        executor.wait(0.05)
    assert sent[0] not in {place.address for place in executor._machines}
    assert "No machine is ready yet" in capsys.readouterr().err
    executor.close(now=True)


def test_no_folder_that_others_can_make_first_is_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with opened("local:1", ClusterTable(), tmp_path):
        (folder,) = tmp_path.iterdir()
        assert folder.stat().st_mode & 0o077 == 0, "modules are imported from there"


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("tcp://192.0.2.1:8786", "is not encrypted"),
        ("head:8786", "is not a cluster; give tls://HOST:PORT"),
        ("local:0", "is not a cluster"),
    ],
)
def test_an_address_is_refused_where_others_could_listen(address: str, why: str) -> None:
    with pytest.raises(UserError, match=why):
        refuse_open(address, insecure=False)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:8786", "tcp://[::1]:1", "tls://head:8786"])
def test_an_address_is_taken(address: str) -> None:
    refuse_open(address, insecure=False)
    refuse_open("tcp://192.0.2.1:8786", insecure=True)
