"""The README's main job, as a newcomer runs it: real processes, start to finish."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.model.protocol import Termination
from arena.ratings.elo import fit
from arena.ratings.results import digest, results_of
from arena.tournament.store import Store
from tests.tournament.helpers import schedule

pytestmark = pytest.mark.slow

FIRST = Path(__file__).parent.parent / "tournaments" / "first.toml"


@pytest.fixture
def first(tmp_path: Path) -> Path:
    """The store of the run: of one that was played already, where the environment names it."""
    if played := os.environ.get("FIRST_RUN"):
        return Path(played)
    run = subprocess.run(
        [sys.executable, "-m", "arena", "run", str(FIRST)],
        cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return tmp_path / "runs/first.sqlite"


def test_searches_end_above_the_monkey(first: Path) -> None:
    with Store.open(first) as store:
        records = list(store.records())
        planned = schedule(store.config)
    assert sorted(record.game for record in records) == [spec.game for spec in planned]
    assert {record.termination for record in records} == {Termination.NATURAL}, [
        (record.game, record.detail) for record in records
    ]
    games = list(map(digest, records))
    ratings = fit(results_of(games))
    leads = {name: ratings.compare(name, "monkey") for name in ratings.players if name != "monkey"}
    assert len(leads) == 3
    assert all(lead.difference > 0 for lead in leads.values())
    points = [dict(zip(game.players, game.points, strict=True)) for game in games]
    against = [each["uct"] for each in points if each.keys() == {"uct", "monkey"}]
    assert len(against) == 12
    assert sum(against) >= 10, "as often as 2 times in 100 between equals"
    # Of a player that loses all its games only the leader is separated whatever the luck.
    assert max(leads.values(), key=lambda lead: lead.difference).separated
