"""Tunings and tests whose games are spread over the workers of a cluster."""

from collections.abc import Iterator
from concurrent.futures import CancelledError
from errno import ENOSPC
from functools import partial
from pathlib import Path
from platform import node
from threading import Event, Timer
from time import sleep
from types import SimpleNamespace
from typing import Any, NamedTuple
from unittest.mock import Mock

import pytest
from distributed import Client, KilledWorker, LocalCluster, get_worker
from distributed.comm import CommClosedError

from arena.errors import ExecutorError
from arena.sandbox.features import this_host
from arena.training import spread
from arena.training.spread import SpreadMatchRunner
from players.learning.tuning.config import load_config
from players.learning.tuning.matches import Aborted, Contestant
from players.learning.tuning.runner import InProcessRunner
from players.learning.tuning.tuner import CHECKPOINT, Tuner, kernel_runner
from tests.command import arena
from tests.tournament.cluster_helpers import machines_of_one_core
from tests.tournament.test_cluster_faults import moves
from tests.training.test_tuning import FILE, kept

pytestmark = pytest.mark.slow


def test_a_tuning_on_a_cluster_is_that_of_one_process(tmp_path: Path) -> None:
    (tmp_path / "it.toml").write_text(FILE.format(games=16))
    config = load_config(tmp_path / "it.toml")
    with machines_of_one_core(2, tmp_path) as cluster, Client(cluster) as client:
        points = []
        for name, make in (("one", kernel_runner), ("many", partial(SpreadMatchRunner, client))):
            (tmp_path / name).mkdir()
            tuner = Tuner(config, tmp_path / name, make)
            tuner.load()
            while not tuner.learned:
                if tuner.wants_comparison:
                    tuner.compare()
                else:
                    tuner.run_batch()
            points.append((tuner.vector, tuner.comparisons))
            tuner.interrupt()
            with pytest.raises(Aborted):
                tuner.compare()
            tuner.close()
    assert points[0] == points[1]


class FailingCluster:
    """A client whose games all end with an error."""

    status = "running"

    def __init__(self, error: Exception) -> None:
        self._error = error

    def nthreads(self) -> dict[str, int]:
        return {"one": 1}

    def submit(self, *_: object, **__: object) -> Any:
        return SimpleNamespace(done=lambda: True)

    def cancel(self, _: object) -> None:
        """Nothing is left to play."""

    def gather(self, _: object) -> None:
        raise self._error


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (KilledWorker("part", None, 3), "most likely for lack of memory"),
        (
            RuntimeError("Error during deserialization.\nFor more"),
            r"\(RuntimeError: Error during deserialization.\)",
        ),
        (CancelledError(), "the connection to the scheduler of the cluster is lost"),
    ],
)
def test_a_cluster_that_cannot_play_is_reported(
    error: Exception, reason: str, tmp_path: Path
) -> None:
    (tmp_path / "it.toml").write_text(FILE.format(games=16))
    config = load_config(tmp_path / "it.toml")
    client: Any = FailingCluster(error)
    tuner = Tuner(config, tmp_path, partial(SpreadMatchRunner, client))
    with pytest.raises(ExecutorError, match=f"{reason}.* continues from the last checkpoint"):
        tuner.run_batch()


def test_games_wait_in_pairs_where_no_machine_is_there(tmp_path: Path) -> None:
    (tmp_path / "it.toml").write_text(FILE.format(games=16))
    config, begun = load_config(tmp_path / "it.toml"), list[list[int]]()

    def submit(_: object, __: object, part: list[int], **___: object) -> Any:
        begun.append(part)
        return SimpleNamespace(done=lambda: True, result=part)

    client = Mock(status="running")
    client.nthreads.return_value = {}
    client.submit = submit
    client.gather = lambda futures: [each.result for each in futures]
    runner: Any = Tuner(config, tmp_path, partial(SpreadMatchRunner, client))._runner
    assert runner.play([*range(13)]) == [*range(13)]
    assert begun == [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9], [10, 11], [12]]


@pytest.mark.parametrize(
    ("status", "error"), [("running", Aborted), ("closed", ExecutorError)], ids=["stop", "lost"]
)
def test_games_are_waited_for_no_more_once_it_stops_or_the_scheduler_is_lost(
    status: str, error: type[Exception], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "it.toml").write_text(FILE.format(games=16))
    config, played = load_config(tmp_path / "it.toml"), SimpleNamespace(done=lambda: False)
    client = Mock(status=status)
    client.nthreads.return_value, client.submit.return_value = {"one": 1}, played
    client.gather.return_value = []
    monkeypatch.setattr(spread, "wait", lambda *_, **__: pytest.fail("it waits"))
    runner: Any = Tuner(config, tmp_path, partial(SpreadMatchRunner, client))._runner
    if error is Aborted:
        runner.abort()
    with pytest.raises(error):
        runner.play([1, 2])
    assert [call.args for call in client.cancel.mock_calls] == [([played],)] * (error is Aborted)


class Spread(NamedTuple):
    """A match runner on two machines of one core."""

    cluster: LocalCluster
    client: Client
    runner: Any


@pytest.fixture
def two_machines(tmp_path: Path) -> Iterator[Spread]:
    (tmp_path / "it.toml").write_text(FILE.format(games=16))
    config = load_config(tmp_path / "it.toml")
    with machines_of_one_core(2, tmp_path) as cluster, Client(cluster) as client:
        tuner = Tuner(config, tmp_path, partial(SpreadMatchRunner, client))
        yield Spread(cluster, client, tuner._runner)


FROZEN, BEGUN_THERE = Event(), list[list[int]]()


def double_or_freeze(player: spread._Player, part: list[int]) -> list[int]:
    """One machine of two is frozen from its first part on."""
    if get_worker().name == 1:
        BEGUN_THERE.append(part)
        FROZEN.wait(60)
    return [2 * each for each in part]


def test_the_games_of_a_frozen_machine_are_played_elsewhere(
    two_machines: Spread, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spread, "_play", double_or_freeze)
    monkeypatch.setattr(spread, "_PATIENCE_S", 0.1)
    tasks = [*range(32)]
    try:
        for _ in range(2):
            assert two_machines.runner.play(tasks) == [2 * each for each in tasks]
            assert len(BEGUN_THERE) == 1, "it got nothing more"
    finally:
        FROZEN.set()
    while len(BEGUN_THERE) < 2:
        assert two_machines.runner.play(tasks) == [2 * each for each in tasks]


LEFT = Event()


def double_or_leave(player: spread._Player, part: list[int]) -> list[int]:
    """One machine of two leaves at its first part."""
    machine = get_worker()
    if machine.name == 0:
        sleep(0.5)  # until it has all parts
        machine.loop.add_callback(machine.close, executor_wait=False)
        LEFT.wait(60)
    return [2 * each for each in part]


def test_a_late_machine_gets_games_where_the_others_left(
    two_machines: Spread, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spread, "_play", double_or_leave)
    cluster, _, runner = two_machines
    tasks = [*range(32)]
    runner._late = {cluster.workers[1].address: Mock(**{"done.return_value": False})}
    stopped = Timer(30, runner.abort)
    stopped.start()
    try:
        assert runner.play(tasks) == [2 * each for each in tasks]
    finally:
        LEFT.set()
        stopped.cancel()


FETCHED = Event()


def wait_for_the_first(player: spread._Player, part: list[int]) -> list[bool]:
    """Whether the first part was fetched while the others were played."""
    return [part[0] == 0 or FETCHED.wait(10) for _ in part]


def test_what_a_machine_has_played_is_fetched_before_it_may_freeze(
    two_machines: Spread, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spread, "_play", wait_for_the_first)
    gather = two_machines.client.gather

    def gather_and_say(futures: Any) -> Any:
        given = gather(futures)
        if given:
            FETCHED.set()
        return given

    monkeypatch.setattr(two_machines.client, "gather", gather_and_say)
    assert all(two_machines.runner.play([*range(8)]))


def test_a_scheduler_that_is_lost_between_games_is_reported(tmp_path: Path) -> None:
    (tmp_path / "it.toml").write_text(FILE.format(games=16))
    config = load_config(tmp_path / "it.toml")
    client = Mock(status="closed", **{"nthreads.side_effect": CommClosedError("Pool closing.")})
    tuner = Tuner(config, tmp_path, partial(SpreadMatchRunner, client))
    with pytest.raises(ExecutorError, match="scheduler of the cluster is lost; the same command"):
        tuner.run_batch()


def test_a_machine_of_another_version_plays_no_game_of_a_tuning() -> None:
    player = spread._Player("id", "arena 0.0.1", "othello", {}, "monkey", Contestant({}, None, ()))
    with pytest.raises(ExecutorError, match=f"{node()} has arena .*, the head arena 0.0.1"):
        spread._play(player, ())


def test_a_machine_that_fails_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    versions = this_host("othello").versions
    player = spread._Player("id", versions, "othello", {}, "monkey", Contestant({}, None, ()))
    full = OSError(ENOSPC, "No space left on device")
    monkeypatch.setattr(InProcessRunner, "play", Mock(side_effect=full))
    with pytest.raises(ExecutorError, match=f"{node()} cannot play the games: .*No space left"):
        spread._play(player, ())


REFEREE = FILE.replace("[game]", "referee = true\n[game]").replace("batch = 8", "batch = 4")
CORE = {"cores": 1, "shared": 1}
"""Of a worker: other tests may have it too."""


@pytest.mark.usefixtures("one_core", "undrawn")
def test_commands_play_the_same_games_on_a_cluster(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "it.toml").write_text(REFEREE.format(games=4))
    sprt = "greedy monkey --rules dots --set rows=3 --set cols=3 --sandbox none --max-games 4"
    with machines_of_one_core(1, tmp_path, protocol="tcp://", resources=CORE) as it:
        for name, on in (("here", ()), ("there", ("--on", it.scheduler_address))):
            tested = arena("sprt", *sprt.split(), "--store", f"{name}.sqlite", *on)
            assert "Not decided after 2 pairs." in tested.output
            tuned = arena("tune", "it.toml", "--out", name, *on)
            assert tuned.exit_code == 0, tuned.output
    assert moves(tmp_path / "here.sqlite") == moves(tmp_path / "there.sqlite")
    here, there = (kept(tmp_path / name / CHECKPOINT)[0] for name in ("here", "there"))
    assert here == there
