"""Every ready file in `tournaments/` is read by the command it is for."""

import os
import tomllib
from functools import partial
from pathlib import Path

import pytest

from arena.tournament import config_file as tournament
from arena.tournament.executors.local import fit
from arena.training.kinds import learns_by_td, load_training
from players.catalogue import BUILTINS
from players.learning.tuning import config as tuning
from tournaments.experiments import page, results

ROOT = Path(__file__).parent.parent / "tournaments"
FILES = sorted(ROOT.rglob("*.toml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_it_loads(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its tables it is a tuning, a training, claims of sources, a package, or a tournament."""
    for engine in ("gtp-rhino", "ntest"):  # some files ask for them, not every machine has them
        (tmp_path / engine).touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    if "training" in tables or learns_by_td(path):
        assert load_training(path).config.name == path.stem
    elif "claim" in tables:
        assert page.claims()
    elif "project" in tables:
        for value in tables["project"]["entry-points"]["arena.games"].values():
            module = value.partition(":")[0].replace(".", "/")
            assert (path.parent / f"{module}.py").exists()
    elif "tuning" in tables:
        assert tuning.load_config(path).name == path.stem
    else:
        assert tournament.load_config(path, BUILTINS, fit=partial(fit, cores=4)).players


def test_no_two_share_the_name_of_their_run() -> None:
    assert len({path.stem for path in FILES}) == len(FILES)


def test_the_page_of_the_experiments_is_that_of_their_results() -> None:
    written, _ = page.text(results.load())
    assert (ROOT / "experiments" / "README.md").read_text(encoding="utf-8") == written
