"""One machine of a cluster, whose games end as they are told to."""

import asyncio
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest
from tornado.ioloop import PeriodicCallback

from arena.bots import parcel
from arena.errors import ExecutorError
from arena.model.record import GameRecord
from arena.sandbox.features import this_host
from arena.tournament.config import TournamentConfig
from arena.tournament.executors import machine, steady
from arena.tournament.executors.base import Lost, Played, Task
from arena.tournament.executors.machine import Admission, AdmissionRequest

from .helpers import schedule


def machine_of(
    config: TournamentConfig, monkeypatch: pytest.MonkeyPatch, **executor: Callable[..., object]
) -> machine._Machine:
    executor = {"warning": lambda: None, "close": lambda now: None, **executor}
    made = SimpleNamespace(capacity=2, **executor)
    monkeypatch.setattr(machine, "LocalExecutor", lambda *_: made)
    entry = AdmissionRequest(config=config, label="t", host=this_host())
    return machine._Machine(entry, config, (0, 1), this_host())


def test_a_game_may_be_asked_for_twice(
    load: Callable[..., TournamentConfig],
    played: Callable[..., GameRecord],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config, tasks = load('[game]\nrules = "dots"\n'), list[Task]()

    def wait(timeout_s: float, wake: Connection) -> list[Played]:
        if wake.poll(timeout_s):
            wake.recv_bytes()
        if len(tasks) < 2:
            return []
        reports = [Played(task, played(task.spec)) for task in tasks]
        tasks.clear()
        return reports

    own = machine_of(config, monkeypatch, submit=tasks.append, wait=wait)
    twice = [Task(spec=schedule(config)[0]) for _ in range(2)]
    ended = SimpleQueue[object]()
    for task in twice:
        Thread(target=lambda it: ended.put(own.play(it, print)), args=(task,), daemon=True).start()
    assert all(isinstance(ended.get(timeout=5), Played) for _ in twice)
    own.close()


@pytest.mark.parametrize("error", [ExecutorError("no worker starts"), OSError("no process")])
def test_a_machine_that_fails_loses_every_game_and_says_why(
    load: Callable[..., TournamentConfig], monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(task: Task) -> None:
        raise error

    def wait(timeout_s: float, wake: Connection) -> list[Played]:
        wake.poll(timeout_s)
        return []

    config = load('[game]\nrules = "dots"\n')
    other = AdmissionRequest(
        config=config, label="u", host=this_host().model_copy(update={"name": "desk"})
    )
    own = machine_of(config, monkeypatch, submit=fail, wait=wait)
    assert own.is_kept_from(other)
    task = Task(spec=schedule(config)[0])
    assert own.play(task, print) == Lost(task, str(error))
    assert own.play(task, print) == Lost(task, str(error)), "also what is asked for later"
    assert own.ended == str(error) and not own.is_kept_from(other)
    own.close()


def test_a_machine_that_does_not_start_says_so(
    load: Callable[..., TournamentConfig], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise OSError("no process")

    with pytest.raises(OSError, match="no process"):
        machine_of(load('[game]\nrules = "dots"\n'), monkeypatch, warning=fail)


def test_a_machine_plays_one_tournament_until_that_leaves(
    load: Callable[..., TournamentConfig],
) -> None:
    def ask(name: str, head: str, label: str) -> Admission:
        config = load(f"[tournament]\nname = '{name}'\n[game]\nrules = 'dots'\n")
        host = this_host().model_copy(update={"name": head})
        request = AdmissionRequest(config=config, label=label, host=host)
        return Admission.model_validate_json(machine.admit(request.model_dump_json()))

    assert ask("one", "desk", "killed").games == 1
    assert ask("two", "desk", "second").busy == "one of desk"
    assert ask("one", "lab", "third").busy == "one of desk"
    assert ask("one", "desk", "again").games == 1, "the same command after it was killed"
    machine.leave("killed")
    assert ask("two", "desk", "second").busy == "one of desk"
    machine.leave("again")
    assert ask("two", "desk", "second").games == 1
    machine.leave("second")


def test_what_fails_on_a_machine_is_said_with_its_name(
    load: Callable[..., TournamentConfig], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(digest: str, packed: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(parcel, "keep", full)
    assert "cannot be kept in /" in (machine.keep("digest", b"") or "")

    task, events = Task(spec=schedule(load('[game]\nrules = "dots"\n'))[0]), list[Any]()
    failing = SimpleNamespace(
        label="cup",
        host=SimpleNamespace(name="lab2"),
        ended=None,
        play=lambda *_: Lost(task, "its worker ended"),
    )
    worker = SimpleNamespace(log_event=lambda label, event: events.append(event))
    monkeypatch.setattr(machine, "_machine", failing)
    monkeypatch.setattr(machine, "secede", lambda: None)
    monkeypatch.setattr(machine, "get_worker", lambda: worker)
    machine.play(task.model_dump_json(), "cup", 1, moves=False)
    assert events == [{"number": 1, "lost": "lab2: its worker ended"}]


def test_the_heartbeats_of_a_worker_go_on_where_the_clock_is_set_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wall, beats = time.time, list[float]()

    async def beat() -> None:
        heartbeat = PeriodicCallback(lambda: beats.append(time.monotonic()), 10)
        heartbeat.start()
        await steady.dask_setup(SimpleNamespace(periodic_callbacks={"heartbeat": heartbeat}))
        await asyncio.sleep(0.1)
        monkeypatch.setattr(time, "time", lambda: wall() - 3600)
        await asyncio.sleep(0.3)
        heartbeat.stop()

    monkeypatch.setattr(steady, "_LOOK_S", 0.05)
    began = time.monotonic()
    asyncio.run(beat())
    assert beats[-1] > began + 0.3
