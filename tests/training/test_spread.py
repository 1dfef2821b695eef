"""A tuning whose games are spread over the workers of a cluster."""

from functools import partial
from pathlib import Path

import pytest
from distributed import Client, LocalCluster

from arena.training.spread import SpreadMatchRunner
from players.learning.tuning.config import load_config
from players.learning.tuning.matches import Aborted
from players.learning.tuning.tuner import Tuner, kernel_runner
from tests.training.test_tuning import FILE


def test_a_tuning_on_a_cluster_is_that_of_one_process(tmp_path: Path) -> None:
    (tmp_path / "it.toml").write_text(FILE.format(games=16))
    config = load_config(tmp_path / "it.toml")
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0",
            memory_limit=0, local_directory=tmp_path,
        ) as cluster,
        Client(cluster) as client,
    ):  # fmt: skip
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
