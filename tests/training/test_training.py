"""`arena train` as its users type it: what it leaves, how it stops and goes on, what it refuses."""

import csv
import errno
import os
import re
import resource
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from arena.files import lock as lock_file
from arena.training.train_view import TileBlockView
from arena.web.lab_runs import folder_run
from players.learning.tiles.trainer import TileBlock, TileTrainer
from players.weights.network_file import load_network, mean_network
from tests.command import arena

CONFIG = """
[training]
games = {games}
block = 20
checkpoint_every = 4
seed = {seed}
[game]
rules = "2048"
[network]
tuples = ["a1 b1 c1", "a1 b1 a2 b2"]
"""
GAMES = 240
"""Enough to be stopped in, two blocks after a checkpoint and two before the end."""


def config(games: int = GAMES, seed: int = 1) -> str:
    return CONFIG.format(games=games, seed=seed)


def curve(folder: Path) -> list[dict[str, str]]:
    """The blocks in curve.csv, without what a clock told."""
    with (folder / "curve.csv").open(newline="") as lines:
        return [
            {key: value for key, value in row.items() if key not in ("seconds", "moves_per_s")}
            for row in csv.DictReader(lines)
        ]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a training that was not stopped."""
    folder = tmp_path_factory.mktemp("train")
    (folder / "t.toml").write_text(config())
    result = arena("train", str(folder / "t.toml"), "--out", str(folder / "t.train"))
    assert result.exit_code == 0, result.stderr
    assert result.output == (folder / "t.train/log.txt").read_text()
    return folder / "t.train"


@pytest.fixture
def folder(folder: Path, undrawn: None) -> Path:
    """With the training file `t.toml`."""
    (folder / "t.toml").write_text(config())
    return folder


def test_a_folder_whose_path_is_no_text(folder: Path) -> None:
    (folder / "t.toml").write_text(config(games=20))
    out = folder / os.fsdecode(b"\xff")
    assert arena("train", str(folder / "t.toml"), "--out", str(out)).exit_code == 0
    assert r"\udcff/curve.png" in (out / "log.txt").read_text()


STOPPED = """
import os, sys
from arena.cli import app
from players.learning.tiles.trainer import TileTrainer

after, number = map(int, sys.argv[1:])
play = TileTrainer.run_block

def run_block(self):
    block = play(self)
    if block.number == after:
        os.kill(os.getpid(), number)
    return block

TileTrainer.run_block = run_block
sys.argv = ["arena", "train", "t.toml"]
app()
"""
"""Sends itself a signal as soon as a block is played, before the next."""


def stopped_after(block: int, number: signal.Signals) -> tuple[int, str]:
    """`arena train t.toml` that gets a signal after that many blocks: exit code and output."""
    command = [sys.executable, "-c", STOPPED, str(block), str(int(number))]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    return done.returncode, done.stdout


UNREAD = """
import os, sys
from arena.cli import app
from players.learning.tiles.trainer import TileTrainer

reader, writer = os.pipe()
os.dup2(writer, 1)
play = TileTrainer.run_block

def run_block(self):
    block = play(self)
    if block.number == 6:
        os.close(reader)
    return block

TileTrainer.run_block = run_block
sys.argv = ["arena", "train", "t.toml"]
app()
"""
"""Nothing reads what it shows once the sixth block is played, two after a checkpoint."""


def test_help_lists_it() -> None:
    assert re.search(r"  train\s+Train a player for 2048 or 2584", arena("--help").output)
    assert "runs/NAME.train" in arena("train", "--help").output


# What a training leaves


@pytest.mark.slow
def test_a_training_shows_its_blocks_and_keeps_what_it_showed(trained: Path) -> None:
    log = (trained / "log.txt").read_text()
    assert log.startswith("t: 2048, spawn 2/4 · tuples: 1 of 3 and 1 of 4 cells · TD(0) backward")
    rows = curve(trained)
    assert [int(row["games"]) for row in rows] == list(range(20, GAMES + 1, 20))
    for row in rows:
        assert f"{int(row['games']):,} games: average {float(row['mean']):,.0f}, maximum" in log
    first, last = (sum(float(row["mean"]) for row in part) for part in (rows[:5], rows[-5:]))
    assert last > 1.5 * first
    assert "options = { weights = " in log


def test_the_lab_reads_its_curve_and_its_settings(trained: Path) -> None:
    shown = folder_run(trained)
    assert [games for games, _ in shown.curves[0].points] == list(range(20, GAMES + 1, 20))
    assert shown.settings["method.target"] == "td0"
    assert shown.about.startswith("t: 2048, spawn 2/4")


def test_each_blocks_shares_agree(trained: Path) -> None:
    for row in curve(trained):
        tiles = [int(key.removeprefix("ended_")) for key in row if key.startswith("ended_")]
        assert tiles == [2**power for power in range(1, 16)]
        ended = [float(row[f"ended_{tile}"]) for tile in tiles]
        reached = [float(row[f"reached_{tile}"]) for tile in tiles]
        assert reached == pytest.approx([sum(ended[at:]) for at in range(len(tiles))])
        assert reached[0] == 1


def test_the_curve_is_two_pictures(trained: Path) -> None:
    png = (trained / "curve.png").read_bytes()
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert png.endswith(b"IEND\xaeB`\x82")
    root = ET.parse(trained / "curve.svg").getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    texts = {element.text for element in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"t", "games", "score of a game", "share of the block's games"} <= texts


def test_the_network_is_one_that_players_load(trained: Path) -> None:
    loaded = load_network(str(trained / "network.ntuple"), "2048")
    assert loaded.header.games == GAMES
    assert loaded.network.weights.any()


# Stopping and going on


@pytest.mark.slow
def test_after_a_kill_the_same_command_ends_with_the_same_curve(
    folder: Path, trained: Path
) -> None:
    code, _ = stopped_after(10, signal.SIGKILL)
    assert code == -signal.SIGKILL
    assert len(curve(folder / "runs/t.train")) == 9
    again = arena("train", "t.toml")
    assert again.exit_code == 0
    assert f"160 of {GAMES} games were played before." in again.output
    assert "\n20 games:" not in again.output
    assert curve(folder / "runs/t.train") == curve(trained)
    weights = [
        load_network(str(path / "network.ntuple"), "2048").network.weights.tobytes()
        for path in (folder / "runs/t.train", trained)
    ]
    assert weights[0] == weights[1]


@pytest.mark.slow
def test_ctrl_c_saves_and_tells_how_to_go_on(folder: Path, trained: Path) -> None:
    code, shown = stopped_after(10, signal.SIGINT)
    assert code == 130
    assert "Continue with: arena train t.toml" in shown
    played = len(curve(folder / "runs/t.train"))
    assert played == 10
    assert (folder / "runs/t.train/curve.png").exists()
    again = arena("train", "t.toml")
    assert again.exit_code == 0
    assert f"{20 * played:,} of {GAMES} games were played before." in again.output
    assert f"\n{20 * played} games:" not in again.output
    assert curve(folder / "runs/t.train") == curve(trained)


def test_the_result_is_the_mean_of_the_last_checkpoints(folder: Path) -> None:
    text = config().replace("checkpoint_every = 4", "checkpoint_every = 4\naverage = 2")
    (folder / "t.toml").write_text(text)
    run = folder / "runs/t.train"
    trained = arena("train", "t.toml")
    assert trained.exit_code == 0
    said = "The network is the mean of 2 checkpoints of the 2 asked for, from 160 games on."
    assert f"\n{said}\n" in trained.output
    assert load_network(str(run / "network.ntuple"), "2048").header.about.endswith(f". {said}")
    kept = sorted(run.glob("averaged-*.ntuple"))
    assert [path.name for path in kept] == ["averaged-160.ntuple", "averaged-240.ntuple"]
    means = mean_network(list(map(str, kept))).weights
    last = load_network(str(kept[-1]), "2048").network.weights
    written = load_network(str(run / "network.ntuple"), "2048").network.weights
    assert (written == means).all() and (written != last).any()
    (folder / "t.toml").write_text(text.replace("average = 2", ""))
    assert arena("train", "t.toml").exit_code == 0
    assert (load_network(str(run / "network.ntuple"), "2048").network.weights == last).all()
    (folder / "t.toml").write_text(text)
    kept[0].write_text("n-tuple")
    damaged = arena("train", "t.toml")
    assert damaged.exit_code == 2
    assert f"{kept[0].relative_to(folder)}: is not a network file" in damaged.output
    assert "; remove that file, and the mean of the others is taken" in damaged.output


def test_networks_of_games_that_were_lost_are_no_part_of_the_mean(folder: Path) -> None:
    text = config().replace("checkpoint_every = 4", "checkpoint_every = 4\naverage = 9")
    (folder / "t.toml").write_text(text)
    run = folder / "runs/t.train"
    assert arena("train", "t.toml").exit_code == 0
    (run / "checkpoint.ntuple").unlink()  # to begin again
    (run / "averaged-mine.ntuple").touch()
    (folder / "t.toml").write_text(text.replace(f"games = {GAMES}", "games = 100"))
    begun = arena("train", "t.toml")
    assert begun.exit_code == 0, begun.output
    assert "mean of 2 checkpoints of the 9 asked for, from 80 games on." in begun.output
    names = {path.name for path in run.glob("averaged-*")}
    assert names == {f"averaged-{games}.ntuple" for games in (80, 100, "mine")}


def test_a_log_that_cannot_be_written_takes_no_network_from_the_mean(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = config().replace("checkpoint_every = 4", "checkpoint_every = 4\naverage = 2")
    (folder / "t.toml").write_text(text)

    def full(view: TileBlockView, block: TileBlock) -> list[str]:
        if block.games in (80, GAMES):
            raise OSError(errno.ENOSPC, "No space left on device")
        return []

    with monkeypatch.context() as disk:
        disk.setattr(TileBlockView, "lines", full)
        assert arena("train", "t.toml").exit_code == 130
        assert arena("train", "t.toml").exit_code == 130
    assert arena("train", "t.toml").exit_code == 0
    names = {path.name for path in (folder / "runs/t.train").glob("averaged-*")}
    assert names == {"averaged-160.ntuple", "averaged-240.ntuple"}


def test_networks_from_before_games_without_an_average_are_no_part_of_the_mean(
    folder: Path,
) -> None:
    for games, average in ((160, 2), (200, 1), (GAMES, 2)):
        text = config(games).replace("seed", f"average = {average}\nseed")
        (folder / "t.toml").write_text(text)
        trained = arena("train", "t.toml")
        assert trained.exit_code == 0
    assert "mean of 1 checkpoints of the 2 asked for, from 240 games on." in trained.output


def test_a_learning_that_diverges_ends_with_a_sentence(folder: Path) -> None:
    text = config().partition("[network]")[0]
    tuples = 'tuples = ["a1"]\n[learning]\nrate = "fixed"\nalpha = 1'
    (folder / "t.toml").write_text(f"{text}[network]\n{tuples}")
    diverged = arena("train", "t.toml")
    assert diverged.exit_code == 2
    assert "80 games the weights have grown beyond all numbers: begin again with a lower alpha" in (
        diverged.stderr
    )
    assert not list((folder / "runs/t.train").glob("*.ntuple"))


@pytest.mark.slow
def test_a_pipe_without_a_reader_loses_no_games(folder: Path) -> None:
    command = [sys.executable, "-c", UNREAD]
    gone = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    assert gone.returncode == 130, gone.stderr
    assert "Traceback" not in gone.stderr
    (folder / "t.toml").write_text(config(games=140))
    again = arena("train", "t.toml")
    assert again.exit_code == 0
    assert "120 of 140 games were played before." in again.output


def test_what_is_finished_says_so_and_more_games_go_on(folder: Path) -> None:
    (folder / "t.toml").write_text(config(games=80))
    assert arena("train", "t.toml").exit_code == 0
    table = (folder / "runs/t.train/curve.csv").read_text()
    again = arena("train", "t.toml")
    assert again.exit_code == 0
    assert "It is finished" in again.output
    assert (folder / "runs/t.train/curve.csv").read_text() == table
    (folder / "t.toml").write_text(config(games=120))
    more = arena("train", "t.toml")
    assert more.exit_code == 0
    assert "80 of 120 games were played before." in more.output
    assert "\n100 games:" in more.output
    assert (folder / "runs/t.train/curve.csv").read_text().startswith(table)


# What is refused


def test_every_mistake_in_a_file_is_reported_at_once(folder: Path) -> None:
    text = config().replace('"2048"', '"2049"').replace("seed", "sed").replace("c1", "e1")
    (folder / "t.toml").write_text(text)
    refused = arena("train", "t.toml")
    assert refused.exit_code == 2
    assert 't.toml:6: training.sed: unknown key; did you mean "seed"?' in refused.stderr
    assert (
        "game.rules: must be one of 'othello', 'dots', '2048', '2584', got \"2049\"; did"
        in refused.stderr
    )
    assert "t.toml:10: network.tuples[1]" in refused.stderr
    assert refused.stderr.count("\n") == 3
    assert not (folder / "runs").exists()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("none.toml",), "none.toml: no such file; there are: t.toml"),
        (("t.toml", "--out", "t.toml"), "t.toml: not a folder"),
        (
            ("t.toml", "--out", "t.toml/x"),
            "t.toml/x: cannot be written: Not a directory. Fix that, or",
        ),
        (("t.toml", "--out", "."), "has no training but other files (t.toml)"),
    ],
)
def test_wrong_paths_are_sentences(folder: Path, arguments: tuple[str, ...], expected: str) -> None:
    refused = arena("train", *arguments)
    assert refused.exit_code == 2
    assert expected in refused.stderr
    assert [path.name for path in folder.iterdir()] == ["t.toml"]


@pytest.mark.parametrize(
    ("key", "wrong", "expected"),
    [
        ("tuples = [", "tuples = [7, ", "t.toml:10: network.tuples[1]: must be a valid string"),
        ("tuples = [", 'tuples = [["a1", "b1"], ', 'got ["a1", "b1"]; write "a1 b1"'),
        (
            "tuples = [",
            'tuples = "a1 b1" #',
            't.toml:10: network.tuples: must be a list: write ["a1 b1"]',
        ),
        ("[network]", 'spawn = "1/2"\n[network]', 'game.spawn: must be "2/4", got "1/2"'),
        ("seed = 1", 'name = "a\\u0000b"', "training.name: names the run's folder: no slash"),
        ("[network]", "[network]\ninitial = 1e300", "network.initial: must be less than or equal"),
    ],
)
def test_a_mistake_is_one_line(folder: Path, key: str, wrong: str, expected: str) -> None:
    (folder / "t.toml").write_text(config().replace(key, wrong))
    refused = arena("train", "t.toml")
    assert refused.exit_code == 2
    assert expected in refused.stderr
    assert refused.stderr.count("\n") == 1, refused.stderr


@pytest.mark.parametrize(
    ("when", "error", "said"),
    [
        ("__init__", MemoryError("Unable to allocate 1.01 GiB"), "Unable to allocate 1.01 GiB"),
        ("save", MemoryError(), "no memory is left"),
    ],
)
def test_a_network_that_finds_no_memory_is_refused(
    when: str, error: MemoryError, said: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise error

    monkeypatch.setattr(TileTrainer, when, full)
    refused = arena("train", "t.toml")
    assert refused.exit_code == 2
    assert f"t: {said}. The network needs more memory" in refused.stderr
    assert (folder / "runs/t.train").exists() == (when == "save"), "a folder that nothing came to"


@pytest.mark.parametrize(
    ("games", "start", "told"),
    [
        (
            30,
            "none.ntuple",
            [
                "t.toml:3: training.games: must be a multiple",
                'no such file: "none.ntuple"; expected a',
            ],
        ),
        (GAMES, "t.toml", ["t.toml: is not a network file"]),
    ],
    ids=["missing, with all else", "no network"],
)
def test_a_wrong_start_is_reported_with_its_line(
    folder: Path, games: int, start: str, told: list[str]
) -> None:
    text = config(games=games).replace("[network]", f'[network]\nstart = "{start}"')
    (folder / "t.toml").write_text(text)
    refused = arena("train", "t.toml")
    assert refused.exit_code == 2
    for words in ("t.toml:10: network.start: ", *told):
        assert words in refused.stderr
    assert not (folder / "runs").exists()


def test_a_wrong_network_is_not_compared_with_its_start(folder: Path) -> None:
    wrong = '[game]\nrules = "2048"\nspawn = "7"\n[network]\ntuples = []\nstart = "default"\n'
    (folder / "t.toml").write_text(wrong)
    refused = arena("train", "t.toml")
    assert refused.exit_code == 2
    assert "t.toml:3: game.spawn: must be" in refused.stderr
    assert "t.toml:5: network.tuples: is missing" in refused.stderr
    assert "network.start" not in refused.stderr


def test_an_empty_file_is_answered_by_what_can_be_learned(folder: Path) -> None:
    (folder / "t.toml").write_text("")
    refused = arena("train", "t.toml")
    assert refused.exit_code == 2
    assert 'game.rules: is missing: "othello", "dots", "2048" or "2584"' in refused.stderr


def test_a_damaged_checkpoint_says_how_to_begin_again(folder: Path) -> None:
    (folder / "t.toml").write_text(config(games=20))
    assert arena("train", "t.toml").exit_code == 0
    (folder / "runs/t.train/checkpoint.ntuple").write_bytes(b"n-tuple network 1 sha256 0\n")
    refused = arena("train", "t.toml")
    assert refused.exit_code == 2
    assert "checkpoint.ntuple: is damaged" in refused.stderr
    assert "To begin again, move it away" in refused.stderr


def test_another_configuration_is_refused_with_the_difference(folder: Path) -> None:
    (folder / "t.toml").write_text(config(games=20))
    assert arena("train", "t.toml").exit_code == 0
    (folder / "t.toml").write_text(config(games=20, seed=2))
    refused = arena("train", "t.toml")
    assert refused.exit_code == 2
    assert "was begun with seed = 1, not 2" in refused.stderr


def test_a_folder_is_trained_in_by_one_process_alone(folder: Path) -> None:
    held = folder / "runs/t.train"
    held.mkdir(parents=True)
    lock = lock_file.acquire(held / "training")
    try:
        refused = arena("train", "t.toml")
        assert refused.exit_code == 2
        assert "runs/t.train: a training is in progress there (pid" in refused.stderr
    finally:
        lock_file.release(held / "training", lock)


@pytest.mark.parametrize(("reused", "told"), [(False, "is gone"), (True, "is another folder now")])
def test_a_folder_that_is_moved_meanwhile_is_written_no_more(
    folder: Path, monkeypatch: pytest.MonkeyPatch, reused: bool, told: str
) -> None:
    """Its name may be that of another training by then."""
    (folder / "t.toml").write_text(config(games=20))
    out, run_block = folder / "runs/t.train", TileTrainer.run_block

    def moved(trainer: TileTrainer) -> TileBlock | None:
        if not (folder / "moved").exists():
            out.rename(folder / "moved")
            if reused:
                out.mkdir()
        return run_block(trainer)

    monkeypatch.setattr(TileTrainer, "run_block", moved)
    refused = arena("train", "t.toml")
    assert refused.exit_code == 2
    assert f"runs/t.train: {told}: the folder was moved or deleted while" in refused.stderr
    assert out.exists() == reused and not list(out.glob("*"))


@pytest.mark.slow
def test_a_disk_that_fills_up_leaves_the_checkpoint_before(folder: Path) -> None:
    (folder / "t.toml").write_text(config(games=20))
    assert arena("train", "t.toml").exit_code == 0
    checkpoint = (folder / "runs/t.train/checkpoint.ntuple").read_bytes()
    (folder / "t.toml").write_text(config(games=40))
    full = subprocess.run(
        [sys.executable, "-m", "arena", "train", "t.toml"],
        # the log still fits, a checkpoint does not
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (len(checkpoint) // 2,) * 2),
        capture_output=True,
        text=True,
        check=False,
    )
    assert full.returncode == 130
    assert "runs/t.train: cannot be written: File too large. The last checkpoint" in full.stderr
    assert "Traceback" not in full.stderr
    assert (folder / "runs/t.train/checkpoint.ntuple").read_bytes() == checkpoint
    assert arena("train", "t.toml").exit_code == 0
