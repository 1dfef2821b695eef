"""How machines are admitted to a cluster: asked, compared, waited for, sent packages and let go."""

import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from distributed import Client, LocalCluster, get_worker

from arena.bench import sleeping
from arena.errors import ExecutorError
from arena.tournament.config_file import load_config
from arena.tournament.executors import dask, machine, places
from arena.tournament.executors.dask import DaskExecutor
from arena.tournament.executors.machine import Admission, AdmissionRequest
from players.catalogue import BUILTINS
from players.weights.evaluations import FOLDER as WEIGHTS

from .cluster_helpers import FAST, ClusterRun, machines_that
from .conftest import Load


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
    assert "50% slower" in said or said.count("lab") == 1  # the slow one may have been the first
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


ASKED, NOTED, BEGAN = list[str](), list[str](), list[int]()
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


@pytest.mark.slow
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


def test_a_machine_with_another_network_than_the_heads_gets_no_game(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run goes on with the files that it began with, and so do its machines."""
    text = (WEIGHTS / "evaluation-dots.json").read_text()
    (tmp_path / "mine.json").write_text(text)
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "mine.json").write_text(f"{text} ")
    table = '[[player]]\nbot = "alphabeta"\noptions = { evaluation = "mine.json" }\n'
    (tmp_path / "t.toml").write_text(f'{FAST}{table}[[player]]\nbot = "monkey"\n')
    config = load_config(tmp_path / "t.toml", BUILTINS)
    monkeypatch.chdir(tmp_path)
    machine._refuse_others(dask._named(config))
    monkeypatch.chdir(tmp_path / "there")  # where the workers are
    runs = machines_that(admit=machine.admit)
    wrong = r"alphabeta names mine\.json, which is another file .*, and start the worker again"
    with pytest.raises(ExecutorError, match=wrong):
        DaskExecutor(client, config, runs=runs)


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
