"""One machine of a cluster, whose games end as they are told to."""

from collections.abc import Callable
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Thread
from types import SimpleNamespace

import pytest

from arena.model.record import GameRecord
from arena.sandbox.features import this_host
from arena.tournament.config import TournamentConfig
from arena.tournament.executors import machine
from arena.tournament.executors.base import Played, Task
from arena.tournament.executors.machine import AdmissionRequest

from .helpers import schedule


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

    executor = SimpleNamespace(
        capacity=2, warning=lambda: None, submit=tasks.append, wait=wait, close=lambda now: None
    )
    monkeypatch.setattr(machine, "LocalExecutor", lambda *_: executor)
    entry = AdmissionRequest(config=config, label="t", arena="")
    own = machine._Machine(entry, config, (0, 1), this_host())
    twice = [Task(spec=schedule(config)[0]) for _ in range(2)]
    ended = SimpleQueue[object]()
    for task in twice:
        Thread(target=lambda it: ended.put(own.play(it, print)), args=(task,), daemon=True).start()
    assert all(isinstance(ended.get(timeout=5), Played) for _ in twice)
    own.close()
