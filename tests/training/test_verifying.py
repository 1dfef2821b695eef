"""`arena tune --verify` gone on with: other settings, damaged files, players' own mistakes."""

import errno
import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import Result

import rules
from arena.errors import UnkeptError, UserError
from arena.files import lock as lock_file
from arena.tournament.store import Store
from arena.training import run_folder
from arena.training.verify import Contest, Sides
from players.learning.games.evidence import Evidence, NetworkMatch, NetworkPairs
from players.learning.tuning.config import load_config
from players.learning.tuning.tuner import CHECKPOINT, Tuner
from players.ntuple.network import Network
from tests.command import arena
from tests.files.users import as_nobody
from tests.training.learning_helpers import LEARN

pytestmark = pytest.mark.usefixtures("folder", "undrawn", "one_core")

TUNE = """
[tuning]
method = "selfplay"
games = 8
compare_every = 16
compare_games = 4
measure_games = 4
[game]
rules = "othello"
preset = "cornerless"
[player]
bot = "weighted-uct"
options = { iterations = 16, playouts = 1, endgame_mb = 1, memory_mb = 8 }
[weights]
[selfplay]
batch = 8
"""
VERIFY = """
[verify]
elo1 = 100
max_games = 4
tournament = "course.toml"
"""
NETWORK = Network(np.zeros(9, np.float32), None, None, None, np.float64(0.0))
AT = "the clock of course.toml, under the referee"


def verify(text: str, *, max_games: int = 4, move_ms: int = 5) -> Result:
    """What `arena tune t.toml --verify` says of a file with this text and `[verify]`."""
    Path("course.toml").write_text(f"[clock]\nmove_ms = {move_ms}\n")
    table = VERIFY.replace("max_games = 4", f"max_games = {max_games}")
    Path("t.toml").write_text(text + table)
    return arena("tune", "t.toml", "--verify")


def move(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Move the runs into another folder, which is the one to work in from now on."""
    moved = folder / "moved"
    moved.mkdir()
    (folder / "runs").rename(moved / "runs")
    monkeypatch.chdir(moved)
    return moved


@pytest.mark.slow
def test_settings_that_changed_are_reported_as_they_were_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the folder was moved in the middle of the test."""
    begun = verify(LEARN, max_games=2)
    assert begun.exit_code == 1, begun.output
    moved = move(folder, monkeypatch)
    done = verify(LEARN)
    assert done.exit_code == 1, done.output
    assert "max_games that it was begun with" not in done.output
    (path,) = (moved / "runs/t.train").glob("verify-*.sqlite")
    with Store.open(path) as store:
        assert str(folder / "runs") not in store.config.model_dump_json()
    fewer = verify(LEARN, max_games=2)
    assert fewer.exit_code == 1, fewer.output
    assert "It continues with the higher max_games that it was begun with." in fewer.output
    with Store.open(path) as store:
        assert len(store.finished()) == 4
    slower = verify(LEARN, max_games=2, move_ms=6)
    assert slower.exit_code == 2
    assert slower.stderr == (
        f"The test at {AT}, by alphabeta was begun with other settings, which may not change. "
        "Changed:\n  [verify] the clock of course.toml, move_ms: 5 → 6\nWrite the old ones "
        f"again, or move {path.relative_to(moved)} away: then another test begins, and the "
        "verdict of this one stays.\n"
    )
    kept = path.with_name("verify.json")
    content = json.loads(kept.read_text())
    content["verdicts"][f"{AT}, by alphabeta"] = {}
    del content["sha256"]
    kept.write_text(json.dumps(content))
    damaged = verify(LEARN)
    assert damaged.exit_code == 2
    assert damaged.stderr.startswith("runs/t.train/verify.json: is damaged: the test at ")


@pytest.mark.slow
def test_what_begins_again_leaves_the_tests_before(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """First a test whose run is gone, which has another seed then, and goes on where its folder was
    moved; then a damaged tuning.
    """
    run, seeds = folder / "runs/t.tune", list[int]()
    for number, max_games in ((1, 2), (2, 2), (2, 4)):
        if max_games == 4:
            run = move(folder, monkeypatch) / "runs/t.tune"
        tested = verify(TUNE, max_games=max_games)
        assert "max_games that it was begun with" not in tested.output
        assert tested.exit_code == 1, tested.output
        assert ("in up to 5% of the cases" in tested.output) is (number == 2)
        (path,) = run.glob("verify-*.sqlite")
        with Store.open(path) as store:
            seeds.append(store.config.seed)
            assert len(store.finished()) == max_games
            assert max_games == 2 or str(folder / "runs") not in store.config.model_dump_json()
        if number == 2:
            verdicts = tested.output.splitlines()[-1]
            assert verdicts.count(f"at {AT}") == 2 and f"at {AT}, test 2" in verdicts
            assert path.stem.endswith("-test-2")
        elif number == 1:
            path.unlink()
    assert seeds == [1, 2, 2]
    checkpoint = run / CHECKPOINT
    content = json.loads(checkpoint.read_text())
    content["verdicts"][AT] = {}
    del content["sha256"]
    checkpoint.write_text(json.dumps(content))
    damaged = verify(TUNE, max_games=2)
    assert damaged.exit_code == 2
    assert damaged.stderr == (
        f"{checkpoint.relative_to(folder / 'moved')}: is damaged: the test at {AT} has no readable "
        "verdict; move it away to begin again\n"
    )
    checkpoint.unlink()
    again = verify(TUNE.replace("batch = 8", "batch = 8\nconstant = 0.02"), max_games=2)
    assert again.exit_code == 1, again.output
    assert "Not decided after 1 pair." in again.output
    assert len(list(run.glob("verify-*.sqlite"))) == 2  # as other values were tuned


@pytest.mark.parametrize(
    ("seed", "number", "its_own"), [(7, 1, 7), (-3, 2, -2), (2**63 - 1, 2, -(2**63))]
)
def test_each_test_has_a_seed_that_a_store_keeps(seed: int, number: int, its_own: int) -> None:
    Path("t.toml").write_text(TUNE)
    config = replace(load_config(Path("t.toml")), seed=seed)
    sides = Sides("new", "old", "wins")
    contest = Contest(config, sides, "", "", 2, "uct", ({}, {}), Path("v.sqlite"), number)
    assert contest.seed == its_own


@pytest.mark.slow
def test_a_tuning_that_changed_nothing_is_not_tested(folder: Path) -> None:
    result = verify(TUNE.replace("batch = 8", "batch = 8\nconstant = 1e-9"))
    assert result.exit_code == 0, result.output
    assert "\nThe tuned player is the start, no value changed: there is nothing" in result.output
    assert "The tuned player against the start" not in result.output
    assert not list((folder / "runs/t.tune").glob("verify-*"))
    assert '"tests": []' in (folder / "runs/t.tune/player.toml").read_text()


@pytest.mark.parametrize("end", ["", "-wal", "-shm", ".lock"])
def test_files_of_tests_are_no_strangers(folder: Path, end: str) -> None:
    (folder / f"verify-1-depth-1.sqlite{end}").touch()
    tuning = run_folder.Work("tuning", CHECKPOINT, frozenset())
    files = run_folder.TRAINING_FILES
    training = run_folder.Work("training", "checkpoint", files)
    for held in (run_folder.held(folder, training), run_folder.held(folder, tuning)):
        with held:
            pass
    (folder / "verify-1.sqlite.txt").touch()
    with pytest.raises(UserError, match=r"other files \(verify-1\.sqlite\.txt\)"):
        run_folder.held(folder, training).__enter__()


def test_a_full_disk_interrupts_what_has_a_folder(folder: Path) -> None:
    tuning = run_folder.Work("tuning", CHECKPOINT, frozenset())
    with pytest.raises(UnkeptError, match="No space left"), run_folder.held(folder, tuning):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("is_new", [True, False])
def test_a_folder_that_was_moved_is_left_alone(folder: Path, is_new: bool) -> None:
    out, tuning = folder / "out", run_folder.Work("tuning", CHECKPOINT, frozenset())
    if not is_new:
        out.mkdir()
    with pytest.raises(UserError, match="is another folder now"), run_folder.held(out, tuning):
        out.rename(folder / "moved")
        with run_folder.held(out, tuning):  # it would be removed, were it not the other's
            out.rename(folder / "other")
        out.mkdir()
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    assert out.exists()


@pytest.mark.parametrize("kept", [Tuner, Evidence])
def test_nothing_is_saved_into_a_folder_of_that_name(
    folder: Path, kept: type[Tuner | Evidence]
) -> None:
    (folder / "t.toml").write_text(TUNE)
    out = folder / "out"
    out.mkdir()
    saved = (
        Evidence(out / "verify.json", NETWORK)
        if kept is Evidence
        else Tuner(load_config(folder / "t.toml"), out)
    )
    saved.save()
    out.rename(folder / "moved")
    out.mkdir()
    with pytest.raises(UserError, match="out: is another folder now"):
        saved.save()
    assert not list(out.iterdir())


def test_a_folder_that_is_closed_meanwhile_is_the_reason(for_all: Path) -> None:
    tuning = run_folder.Work("tuning", CHECKPOINT, frozenset())
    closed = r"cannot be written: Permission denied\. The last checkpoint is unchanged"
    out = for_all / "out"
    with as_nobody(), pytest.raises(UserError, match=closed), run_folder.held(out, tuning):
        (out / CHECKPOINT).touch()
        out.chmod(0o500)
        (out / "log.txt").touch()
    assert not lock_file.is_held(out / "tuning")


def test_tests_that_cannot_be_read_are_not_called_damaged(tmp_path: Path) -> None:
    (tmp_path / "verify.json").mkdir()
    with pytest.raises(ValueError, match=r"json: cannot be read: Is a directory\. Fix that"):
        Evidence(tmp_path / "verify.json", NETWORK)


def test_a_checkpoint_that_cannot_be_read_is_not_called_damaged(folder: Path) -> None:
    (folder / "t.toml").write_text(TUNE)
    (folder / CHECKPOINT).mkdir()
    with pytest.raises(ValueError, match=r"json: cannot be read: Is a directory\. Fix that"):
        Tuner(load_config(folder / "t.toml"), folder)


@pytest.mark.parametrize(("text", "player"), [(LEARN, NetworkPairs), (TUNE, Tuner)])
def test_what_a_player_says_is_wrong_is_reported(
    monkeypatch: pytest.MonkeyPatch, text: str, player: type[NetworkPairs | Tuner]
) -> None:
    def refused(*_: object) -> None:
        raise SystemExit("x.ntuple: no such file.")

    monkeypatch.setattr(player, "extend", refused)
    monkeypatch.setattr(NetworkPairs, "load", lambda _: None)  # no game needs its kernels
    refusal = verify(text)
    assert (refusal.exit_code, refusal.stderr) == (2, "x.ntuple: no such file.\n")


@pytest.mark.parametrize("wrong", [0, 1])
def test_both_players_are_tried_before_the_first_game(tmp_path: Path, wrong: int) -> None:
    options = [{"depth": 1, "memory_mb": 1, "endgame_mb": 1} for _ in range(2)]
    options[wrong] |= {"evaluation": "no.ntuple"}
    variant = rules.load("othello", size=6).variant
    meeting = NetworkMatch("othello", variant, "alphabeta", (options[0], options[1]), 2, "seed", 1)
    pairs = NetworkPairs(Evidence(tmp_path / "verify.json", NETWORK), "test", meeting)
    with pytest.raises(ValueError, match=r"no\.ntuple"):
        pairs.load()
    pairs.close()


@pytest.mark.parametrize("text", [LEARN, TUNE])
def test_a_key_that_is_wrong_is_reported_once(folder: Path, text: str) -> None:
    (folder / "t.toml").write_text(f"verify = 3{text}")
    refusal = arena("tune", "t.toml")
    assert refusal.exit_code == 2
    assert refusal.stderr == "t.toml:1: verify: must be a table: write [verify], got 3\n"
