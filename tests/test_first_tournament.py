"""The README's main job, as a newcomer runs it: real processes, start to finish."""

import subprocess
import sys
from pathlib import Path

from arena.model.protocol import Termination
from arena.ratings.elo import fit
from arena.ratings.results import digest, results_of
from arena.tournament.store import Store
from tests.tournament.helpers import schedule

FIRST = Path(__file__).parent.parent / "tournaments" / "first.toml"


def test_uct_ends_above_the_monkey_separated(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "arena", "run", str(FIRST)],
        cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    with Store.open(tmp_path / "runs/first.sqlite") as store:
        records = list(store.records())
        planned = schedule(store.config)
    assert sorted(record.game for record in records) == [spec.game for spec in planned]
    assert {record.termination for record in records} == {Termination.NATURAL}, [
        (record.game, record.detail) for record in records
    ]
    ratings = fit(results_of(map(digest, records)))
    assert len(ratings.players) == 4
    comparison = ratings.compare("uct", "monkey")
    assert comparison.separated
    assert comparison.difference > 0
