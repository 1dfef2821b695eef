"""One machine of a cluster, whose games end as they are told to."""

from collections.abc import Callable
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Thread
from types import SimpleNamespace

import pytest

from arena.errors import ExecutorError
from arena.model.record import GameRecord
from arena.sandbox.features import this_host
from arena.tournament.config import TournamentConfig
from arena.tournament.executors import machine
from arena.tournament.executors.base import Lost, Played, Task
from arena.tournament.executors.machine import AdmissionRequest

from .helpers import schedule


def machine_of(
    config: TournamentConfig, monkeypatch: pytest.MonkeyPatch, **executor: Callable[..., object]
) -> machine._Machine:
    executor = {"warning": lambda: None, "close": lambda now: None, **executor}
    made = SimpleNamespace(capacity=2, **executor)
    monkeypatch.setattr(machine, "LocalExecutor", lambda *_: made)
    entry = AdmissionRequest(config=config, label="t", arena="")
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
    own = machine_of(config, monkeypatch, submit=fail, wait=wait)
    task = Task(spec=schedule(config)[0])
    assert own.play(task, print) == Lost(task, str(error))
    assert own.play(task, print) == Lost(task, str(error)), "also what is asked for later"
    assert own.ended == str(error) and not own.is_used
    own.close()


def test_a_machine_that_does_not_start_says_so(
    load: Callable[..., TournamentConfig], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise OSError("no process")

    with pytest.raises(OSError, match="no process"):
        machine_of(load('[game]\nrules = "dots"\n'), monkeypatch, warning=fail)
