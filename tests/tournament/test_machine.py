"""One machine of a cluster, whose games end as they are told to."""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Thread
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from tornado.ioloop import PeriodicCallback

from arena.bots import parcel
from arena.errors import ExecutorError
from arena.model.contender import Package
from arena.model.record import GameRecord
from arena.sandbox.features import this_host
from arena.tournament.config import Player, TournamentConfig
from arena.tournament.executors import machine, steady
from arena.tournament.executors.base import Lost, Moved, Played, Task
from arena.tournament.executors.machine import Admission, AdmissionRequest

from .helpers import schedule


def machine_of(
    config: TournamentConfig, monkeypatch: pytest.MonkeyPatch, **executor: Callable[..., object]
) -> machine._Machine:
    executor = {"warning": lambda: None, "close": lambda now: None, **executor}

    def opened(config: TournamentConfig, *_: object) -> SimpleNamespace:
        return SimpleNamespace(capacity=config.concurrency, **executor)

    monkeypatch.setattr(machine, "LocalExecutor", opened)
    monkeypatch.setattr(machine, "_LOOK_S", 0.02)
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


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (ExecutorError("no worker starts"), "no worker starts"),
        (OSError("no process"), "no process"),
        (AssertionError(), "AssertionError()"),
    ],
)
def test_a_machine_that_fails_loses_every_game_and_says_why(
    load: Callable[..., TournamentConfig],
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    why: str,
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
    assert own.play(task, print) == Lost(task, why)
    assert own.play(task, print) == Lost(task, why), "also what is asked for later"
    assert own.ended == why and not own.is_kept_from(other)
    own.close()


TWO_CORES = '[[player]]\nbot = "thinker"\nresources = {threads = 2}\n'


@pytest.mark.parametrize(("players", "room"), [("", 2), (TWO_CORES, 1)])
def test_a_machine_plays_what_it_has_cores_for_and_loses_all_when_it_is_taken(
    load: Callable[..., TournamentConfig],
    monkeypatch: pytest.MonkeyPatch,
    players: str,
    room: int,
) -> None:
    def wait(timeout_s: float, wake: Connection) -> list[Played]:
        if wake.poll(timeout_s):
            wake.recv_bytes()
        return []

    config, begun, closed = load(f'[game]\nrules = "dots"\n{players}'), list[Task](), list[bool]()
    own = machine_of(
        config, monkeypatch, submit=begun.append, wait=wait, close=lambda now: closed.append(now)
    )
    tasks = [Task(spec=spec) for spec in schedule(config)[:1] * 3]
    with ThreadPoolExecutor(len(tasks)) as threads:
        games = [threads.submit(own.play, task, print) for task in tasks]
        while len(begun) + len(own._waiting) < len(tasks):
            time.sleep(0.01)
        assert len(begun) == room
        own.close()
        lost = [game.result(timeout=5) for game in games]
    assert lost == [Lost(task, "another tournament has it now") for task in tasks]
    assert closed == [True], "nothing plays on"


def test_a_game_begins_at_once_and_its_moves_are_passed_on(
    load: Callable[..., TournamentConfig],
    played: Callable[..., GameRecord],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config, begun = load('[game]\nrules = "dots"\n'), list[Task]()

    def wait(timeout_s: float, wake: Connection) -> list[Moved | Played]:
        if not begun and wake.poll(timeout_s):
            wake.recv_bytes()
        reports = [(Moved(task, 0, ("a1b1",)), Played(task, played(task.spec))) for task in begun]
        begun.clear()
        return [*chain(*reports)]

    own = machine_of(config, monkeypatch, submit=begun.append, wait=wait)
    monkeypatch.setattr(machine, "_LOOK_S", 60)
    task, moves = Task(spec=schedule(config)[0]), list[Moved]()
    with ThreadPoolExecutor(1) as thread:
        report = thread.submit(own.play, task, moves.append).result(timeout=5)
    own.close()
    assert isinstance(report, Played)
    assert moves == [Moved(task, 0, ("a1b1",))]


def test_a_machine_is_free_once_it_is_closed(
    load: Callable[..., TournamentConfig], monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = list[bool]()

    def close(now: bool) -> None:
        time.sleep(0.1)
        closed.append(now)

    own = machine_of(
        load('[game]\nrules = "dots"\n'), monkeypatch, wait=lambda *_, wake: [], close=close
    )
    own.close()
    assert closed == [True]


def test_a_machine_is_in_use_while_it_plays_and_some_time_after(
    load: Callable[..., TournamentConfig],
    played: Callable[..., GameRecord],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, begun, over = [0.0], SimpleQueue[Task](), list[Played]()

    def wait(timeout_s: float, wake: Connection) -> list[Played]:
        if wake.poll(timeout_s):
            wake.recv_bytes()
        reports = over[:]
        over.clear()
        return reports

    monkeypatch.setattr(machine, "time", SimpleNamespace(monotonic=lambda: now[0]))
    config = load('[game]\nrules = "dots"\n')
    own = machine_of(config, monkeypatch, submit=begun.put, wait=wait)
    desk = this_host().model_copy(update={"name": "desk"})
    other, kept = AdmissionRequest(config=config, label="u", host=desk), list[bool]()

    def look(at: float) -> None:
        now[0] = at
        kept.append(own.is_kept_from(other))

    look(599)
    look(601)
    with ThreadPoolExecutor(1) as thread:
        game = thread.submit(own.play, Task(spec=schedule(config)[0]), print)
        task = begun.get(timeout=5)
        look(9000)  # of one game
        over.append(Played(task, played(task.spec)))
        game.result(timeout=5)
    look(9599)
    look(9601)
    own.close()
    assert kept == [True, False, True, True, False]


def test_a_machine_that_does_not_start_says_so(
    load: Callable[..., TournamentConfig], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise OSError("no process")

    with pytest.raises(OSError, match="no process"):
        machine_of(load('[game]\nrules = "dots"\n'), monkeypatch, warning=fail)


@pytest.mark.slow
def test_a_machine_plays_one_tournament_until_that_leaves(
    load: Callable[..., TournamentConfig],
) -> None:
    def ask(name: str, head: str, label: str, kept_in: str = "/home/cup.sqlite") -> Admission:
        config = load(f"[tournament]\nname = '{name}'\n[game]\nrules = 'dots'\n")
        host = this_host().model_copy(update={"name": head})
        request = AdmissionRequest(
            config=config, label=label, kept_in=kept_in, host=host, shared=True
        )
        return Admission.model_validate_json(machine.admit(request.model_dump_json()))

    assert ask("one", "desk", "killed").games == 1
    assert ask("two", "desk", "second").busy == "one of desk"
    assert ask("one", "lab", "third").busy == "one of desk"
    assert ask("one", "desk", "other", "/home/other.sqlite").busy == "one of desk"
    assert ask("one", "desk", "again").games == 1, "the same command after it was killed"
    machine.leave("killed")
    assert ask("two", "desk", "second").busy == "one of desk"
    machine.leave("again")
    assert ask("two", "desk", "second").games == 1
    machine.leave("second")


def test_a_machine_asks_for_the_packages_of_those_that_play(
    load: Callable[..., TournamentConfig], monkeypatch: pytest.MonkeyPatch
) -> None:
    def player(each: Player, digest: str, status: str) -> Player:
        contender = each.contender.model_copy(update={"program": Package(digest=digest * 64)})
        return each.model_copy(update={"contender": contender, "status": status})

    monkeypatch.setattr(machine, "_machine", None)
    monkeypatch.setattr(parcel, "is_here", lambda package: package.digest[0] == "h")
    config = load('[game]\nrules = "dots"\n', players=4)
    states = (("a", "playing"), ("h", "playing"), ("b", "out"), ("a", "playing"))
    players = tuple(
        player(each, *state) for each, state in zip(config.players, states, strict=True)
    )
    request = AdmissionRequest(
        config=config.model_copy(update={"players": players}), label="t", host=this_host()
    )
    answer = Admission.model_validate_json(machine.admit(request.model_dump_json()))
    assert (answer.lacking, answer.refused) == (("a" * 64,), None)


def test_a_machine_that_cannot_keep_kernels_says_how_to_learn_why(
    load: Callable[..., TournamentConfig], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The head does not show what its workers write. What no player needs may be missing."""
    monkeypatch.setattr(machine, "_machine", None)
    monkeypatch.setattr(machine, "ready", lambda config, _: config)
    warmed = Mock(return_value=False)
    monkeypatch.setattr("arena.tournament.warming.warm_kernels", warmed)
    request = AdmissionRequest(
        config=load('[game]\nrules = "dots"\n[[player]]\nbot = "thinker"\n', players=1),
        label="t",
        host=this_host(),
        shared=True,
    )
    answer = Admission.model_validate_json(machine.admit(request.model_dump_json()))
    assert (warmed.call_args.args, warmed.call_args.kwargs["players"]) == ((["dots"],), ["thinker"])
    assert answer.refused is not None
    assert answer.refused.startswith("Built-in players need kernels that the cache /")
    assert "`arena warm` says why" in answer.refused and "above" not in answer.refused


def test_a_package_that_cannot_be_kept_is_said_with_the_folder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(digest: str, packed: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(parcel, "keep", full)
    assert "cannot be kept in /" in (machine.keep("digest", b"") or "")


@pytest.mark.parametrize(
    ("label", "ended", "reason", "said"),
    [
        ("cup", None, "its worker ended", {"lost": "lab2: its worker ended"}),
        ("cup", "no worker starts", "no worker starts", {"left": "no worker starts"}),
        ("another", None, "", {"left": "another tournament has it now"}),
        ("cup", None, None, {"record": "lab2"}),
    ],
)
def test_what_becomes_of_a_game_is_said_with_the_machine(
    load: Callable[..., TournamentConfig],
    played: Callable[..., GameRecord],
    monkeypatch: pytest.MonkeyPatch,
    label: str,
    ended: str | None,
    reason: str | None,
    said: dict[str, str],
) -> None:
    task, events = Task(spec=schedule(load('[game]\nrules = "dots"\n'))[0]), list[Any]()
    report = Played(task, played(task.spec)) if reason is None else Lost(task, reason)
    host = this_host().model_copy(update={"name": "lab2"})
    playing = SimpleNamespace(label=label, host=host, ended=ended, play=lambda *_: report)
    worker = SimpleNamespace(log_event=lambda label, event: events.append(event))
    monkeypatch.setattr(machine, "_machine", playing)
    monkeypatch.setattr(machine, "secede", lambda: None)
    monkeypatch.setattr(machine, "get_worker", lambda: worker)
    machine.play(task.model_dump_json(), "cup", 1, moves=False)
    (event,) = events
    if "record" in event:
        event["record"] = GameRecord.model_validate_json(event["record"]).host.name
    assert event == {"number": 1, **said}


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
