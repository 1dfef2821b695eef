"""Games on a cluster whose machines, in this process, only sleep for the time of a game."""

import asyncio
import itertools
import socket
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from threading import Timer
from typing import Any

import pytest
from distributed import Client, LocalCluster, Worker, get_worker

from arena.bench import sleeping
from arena.errors import ExecutorError, UserError
from arena.tournament.config_tables import ClusterTable
from arena.tournament.executors import dask, machine, places
from arena.tournament.executors.base import Played, Remark, Report, Task
from arena.tournament.executors.cluster import cluster as opened
from arena.tournament.executors.cluster import is_loopback, refuse_open
from arena.tournament.executors.dask import DaskExecutor
from arena.tournament.executors.machine import Admission

from .cluster_helpers import FAST, ClusterRun, Wire, machines_of_one_core, machines_that
from .conftest import Load
from .helpers import schedule

ROOM = "arena.tournament.executors.cluster"


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

    await asyncio.Event().wait()


def test_a_machine_that_does_not_move_holds_nobody_up(
    client: Client, load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask, "_IDLE_S", 0.05)
    monkeypatch.setattr("arena.tournament.executors.places.LEAVE_S", 0.1)
    runs = machines_that(play=play_or_stay)
    ClusterRun(client, tmp_path, runs).play(load(f"[tournament]\nrounds = 6\n{FAST}"))


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


@pytest.mark.slow
def test_no_folder_that_others_can_make_first_is_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with opened("local:1", ClusterTable(), tmp_path):
        (folder,) = tmp_path.iterdir()
        assert folder.stat().st_mode & 0o077 == 0, "modules are imported from there"


def test_a_scheduler_that_cannot_start_here_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(**_: Any) -> None:
        """As Dask does in a container without a loopback network, after a minute."""
        raise RuntimeError("Cluster failed to start") from OSError(101, "Network is unreachable")

    monkeypatch.setattr("arena.tournament.executors.cluster.LocalCluster", fail)
    told = r"^local:2: no scheduler .* here: .*Network is unreachable\. It needs .* 127\.0\.0\.1"
    with (
        pytest.raises(ExecutorError, match=told),
        opened("local:2", ClusterTable(), tmp_path),
    ):
        pass


def test_workers_that_do_not_start_are_counted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(f"{ROOM}.worker_command", lambda *_, **__: "true")
    monkeypatch.setattr(f"{ROOM}._START_S", 0.1)
    counted = pytest.raises(ExecutorError, match=r"^local:2: 0 of 2 workers started within")
    with counted, opened("local:2", ClusterTable(), tmp_path):
        pass


@pytest.mark.slow
def test_a_clock_that_is_set_forward_hurries_no_worker(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    hours = itertools.count(0, 3600)
    monkeypatch.setattr("distributed.client.time", lambda: time.time() + next(hours))
    with opened("local:1", ClusterTable(), tmp_path) as (_, _, client, _):
        assert len(places.workers_of(client)) == 1


def test_what_a_tournament_asks_of_its_cluster_reaches_the_executor(
    client: Client, load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = dict[str, Any]()
    monkeypatch.setattr(f"{ROOM}.DaskExecutor", lambda *_, **more: given.update(more))
    for same_kind in (False, True):
        table = ClusterTable(same_kind=same_kind)
        with opened(client, table, tmp_path) as (_, open_executor, _, give_up):
            open_executor(load(FAST), ())
            assert (given["same_kind"], given["here"]) == (same_kind, False)
            assert not given["given_up"]()
            give_up()
            assert given["given_up"]()


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("tcp://192.0.2.1:8786", "is not encrypted"),
        ("head:8786", "is not a cluster; give tls://HOST:PORT"),
        ("wss://head:8786", "is not a cluster"),
        ("local:0", "is not a cluster"),
    ],
)
def test_an_address_is_refused_where_others_could_listen(
    address: str, why: str, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=why):
        refuse_open(address, insecure=False)
    with pytest.raises(UserError, match=why), opened(address, ClusterTable(), tmp_path):
        pass


def test_an_open_scheduler_is_asked_where_a_tournament_says_that_nobody_else_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[str]()

    async def greet(address: str, *_: object) -> None:
        asked.append(address)
        raise OSError("nobody is there")

    monkeypatch.setattr(f"{ROOM}._greet", greet)
    address, table = "tcp://192.0.2.1:8786", ClusterTable(insecure=True)
    with pytest.raises(ExecutorError, match="nobody is there"), opened(address, table, tmp_path):
        pass
    assert asked == [address]


@pytest.mark.parametrize(
    "address", ["tcp://127.0.0.1:8786", "tcp://[::1]:1", "tls://head:8786", "tls://head:8786/"]
)
def test_an_address_is_taken(address: str) -> None:
    refuse_open(address, insecure=False)
    refuse_open("tcp://192.0.2.1:8786", insecure=True)


def test_a_name_that_leads_to_other_machines_too_is_not_of_this_one_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = [(0, 0, 0, "", (address, 0)) for address in ("127.0.0.1", "192.0.2.1")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_: found)
    assert not is_loopback("tcp://head:8786")
