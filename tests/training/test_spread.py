"""Tunings and tests whose games are spread over the workers of a cluster."""

from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from distributed import Client, KilledWorker

from arena.errors import ExecutorError
from arena.training.spread import SpreadMatchRunner
from players.learning.tuning.config import load_config
from players.learning.tuning.matches import Aborted
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


class DyingWorkers:
    """A client whose workers all die over the same games."""

    status = "running"

    def nthreads(self) -> dict[str, int]:
        return {"one": 1}

    def submit(self, *_: object, **__: object) -> Any:
        return SimpleNamespace(done=lambda: True)

    def gather(self, _: object) -> None:
        raise KilledWorker("part", None, 3)


def test_workers_that_end_one_after_the_other_are_reported(tmp_path: Path) -> None:
    (tmp_path / "it.toml").write_text(FILE.format(games=16))
    config = load_config(tmp_path / "it.toml")
    client: Any = DyingWorkers()
    tuner = Tuner(config, tmp_path, partial(SpreadMatchRunner, client))
    with pytest.raises(ExecutorError, match="goes on from the last checkpoint"):
        tuner.run_batch()


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
