"""Training runs of n-tuple networks: files, seeds, threads, checkpoints."""

import dataclasses
import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena.errors import FileError
from players.games.tiles.boards import TileBoard
from players.learning.tiles import trainer as tiles
from players.learning.tiles.episodes import TileTally, learn, with_more_room
from players.learning.tiles.trainer import (
    TileBlock,
    TileTrainer,
    TrainConfig,
    block_of,
    load_config,
)
from players.learning.trainer import CHECKPOINT, SUMS
from players.ntuple.temporal import WHOLE_GAME, Rule, new_trajectory
from players.weights.network_file import load_network
from tests.players.learning.tile_helpers import TOML, small_config, trained


@pytest.fixture
def config(tmp_path: Path) -> TrainConfig:
    return small_config(tmp_path)


def arrays_of(folder: Path) -> dict[str, bytes]:
    """All that a checkpoint goes on from."""
    loaded = load_network(
        str(folder / CHECKPOINT), None, ("random", "counts", *TileTrainer.block_arrays, *SUMS)
    )
    arrays = {"weights": loaded.network.weights, **loaded.extra}
    return {name: array.tobytes() for name, array in arrays.items()}


def untimed(blocks: tuple[TileBlock, ...]) -> list[TileBlock]:
    return [block._replace(seconds=0.0) for block in blocks]


def test_a_file_becomes_a_configuration(tmp_path: Path, config: TrainConfig) -> None:
    assert config == TrainConfig(
        name="small",
        games=60,
        block=20,
        checkpoint_every=10,
        average=1,
        seed=3,
        threads=1,
        rules="2048",
        spawn="2/4",
        start=None,
        start_games=None,
        tuples=(("a1", "b1", "c1", "d1"), ("a2", "b2", "c2", "d2"), ("a1", "a2", "b2")),
        stages=(),
        initial=0.0,
        target="td0",
        mix=0.0,
        steps=1,
        updates="backward",
        rate="tc",
        alpha=1.0,
    )
    for text, expected in {
        'rate = "fixed"': {"rate": "fixed", "alpha": 0.1},
        'target = "td-lambda"\nlambda = 0.5': {"mix": 0.5, "steps": WHOLE_GAME},
        'target = "td-lambda"\nlambda = 0.5\nsteps = 3': {"mix": 0.5, "steps": 3},
        'target = "n-step"\nsteps = 5\nalpha = 0.25': {"mix": 1.0, "steps": 5, "alpha": 0.25},
        'target = "monte-carlo"\nupdates = "forward"': {"mix": 1.0, "steps": WHOLE_GAME},
    }.items():
        (tmp_path / "other.toml").write_text(f"{TOML}[learning]\n{text}\n")
        found = dataclasses.asdict(load_config(tmp_path / "other.toml"))
        assert {key: found[key] for key in expected} == expected


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("games = 60", "games = 61", "3: training.games: must be a multiple of the block"),
        ("games = 60", "gaems = 60", '3: training.gaems: unknown key; did you mean "games"?'),
        ("seed = 3", 'seed = "x"', "5: training.seed: must be a valid integer"),
        ("seed = 3", "threads = 21", "5: training.threads: 21 threads share the games"),
        ("seed = 3", 'name = "a/b"', "5: training.name: names the run's folder"),
        ('rules = "2048"', 'rules = "2049"', "7: game.rules: must be one of 'othello', 'dots', "),
        ('rules = "2048"', "", "6: game.rules: is missing"),
        ('"2048"\n', '"2048"\nspawn = "1/2"\n', '8: game.spawn: must be "2/4", got "1/2"'),
        ("a2 b2 c2 d2", "a2 b2 c2 a2", "9: network.tuples[2]: a tuple has each cell once, a2"),
        ("a2 b2 c2 d2", "a2 b2 c2 e2", "a tuple is made of cells from a1 to d4, 'e2' is not one"),
        ("a2 b2 c2 d2", "d1 d2 d3 d4", "network.tuples[2]: tuple 1 is the same by symmetry"),
        ("a2 b2 c2 d2", "a1 b1 c1 d1 a2 b2 c2 d2 a3 b3 c3 d3", "need 4,503,599,"),
        (
            "[network]",
            "[network]\nstages = [100]",
            "a stage begins at a tile of 2048; 100 is not one",
        ),
        (
            "[network]",
            "[network]\ninitial = 1e300",
            "9: network.initial: must be less than or equal to 1",
        ),
        ("[game]", "[learning]\nalpha = 2\n[game]", "alpha: must be less than or equal to 1"),
        ("[game]", "[learning]\nlambda = 0.5\n[game]", 'lambda: only target = "td-lambda" mixes'),
        ("[game]", '[learning]\ntarget = "td-lambda"\n[game]', "learning.lambda: is missing"),
        ("[game]", '[learning]\ntarget = "n-step"\n[game]', "learning.steps: is missing"),
        ("[game]", "[learning]\nsteps = 2\n[game]", 'steps: target = "td0" takes none'),
        ("[game]", '[learning]\ntarget = "td1"\n[game]', 'got "td1"; did you mean "td0"?'),
        ("[network]", "[network]\nstart_games = 5", "start_games: counts where there is a start"),
        ("[game]", "[game", "not valid TOML"),
    ],
)
def test_a_mistake_gets_a_sentence_with_its_line(
    tmp_path: Path, old: str, new: str, sentence: str
) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(TOML.replace(old, new, 1))
    with pytest.raises(FileError) as caught:
        load_config(path)
    assert sentence in str(caught.value)
    assert str(caught.value).startswith(f"{path}:")
    assert len(caught.value.problems) == 1


def test_all_mistakes_are_reported_at_once(tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text("[training]\ngames = 1\nblok = 2\n[learning]\nrate = 1\n")
    with pytest.raises(FileError) as caught:
        load_config(path)
    keys = [problem.key for problem in caught.value.problems]
    wrong = {"training.games", "training.blok", "learning.rate", "game.rules", "network.tuples"}
    assert set(keys) == wrong
    for content, sentence in ((b"\xff", "not UTF-8 text"), (None, "no such file")):
        path.unlink()
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(FileError, match=sentence):
            load_config(path)


def test_a_block_tells_what_its_games_came_to() -> None:
    values = TileBoard("2048", "2/4").values
    scores, tops = np.array([10, 30, 20, 40], np.uint64), np.array([6, 8, 8, 9], np.uint64)
    block = block_of(3, scores, tops, 77, 1.5, values)
    assert block == TileBlock(
        number=3,
        games=12,
        mean=25.0,
        best=40,
        moves=77,
        seconds=1.5,
        reached={64: 1.0, 128: 0.75, 256: 0.75, 512: 0.25},
        ended={64: 0.25, 128: 0.0, 256: 0.5, 512: 0.25},
    )


@pytest.mark.slow
def test_games_teach(config: TrainConfig, tmp_path: Path) -> None:
    config = dataclasses.replace(config, games=400, block=100)
    trainer = trained(config, tmp_path / "run")
    assert trainer.finished
    assert trainer.run_block() is None
    assert [block.games for block in trainer.blocks] == [100, 200, 300, 400]
    assert trainer.blocks[-1].mean > 3 * 1096  # a random player's
    assert trainer.blocks[-1].mean > 1.5 * trainer.blocks[0].mean
    trainer.write_network(tmp_path / "network.ntuple")
    network, header, _ = load_network(str(tmp_path / "network.ntuple"), "2048")
    assert np.count_nonzero(network.weights) > 1000
    assert (header.games, header.seed, header.tuples) == (400, 3, config.tuples)
    assert header.scores["mean"] == trainer.blocks[-1].mean
    assert header.method["target"] == "td0"
    assert header.extra == ()


@pytest.mark.slow
def test_a_seed_decides_every_weight(config: TrainConfig, tmp_path: Path) -> None:
    first = trained(config, tmp_path / "first")
    again = trained(config, tmp_path / "again")
    other = trained(dataclasses.replace(config, seed=4), tmp_path / "other")
    assert arrays_of(tmp_path / "first") == arrays_of(tmp_path / "again")
    assert untimed(first.blocks) == untimed(again.blocks) != untimed(other.blocks)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"rate": "fixed", "alpha": 0.1, "updates": "forward", "mix": 1.0, "steps": 3},
        {"stages": (128,), "initial": 500.0},
    ],
    ids=["tc backward", "fixed forward", "stages"],
)
def test_a_run_that_goes_on_ends_as_one_that_was_never_stopped(
    config: TrainConfig, tmp_path: Path, changes: dict[str, Any]
) -> None:
    config = dataclasses.replace(config, **changes)
    whole = trained(config, tmp_path / "whole")
    begun = TileTrainer(config, tmp_path / "parts")
    begun.run_block()
    begun.save()
    begun.run_block()  # as lost as with a process that is killed
    went_on = trained(config, tmp_path / "parts")
    assert untimed(went_on.blocks) == untimed(whole.blocks)
    assert arrays_of(tmp_path / "parts") == arrays_of(tmp_path / "whole")


def test_an_interrupted_block_goes_on_after_its_last_game(
    config: TrainConfig, tmp_path: Path
) -> None:
    config = dataclasses.replace(config, games=600, block=600)
    whole = trained(config, tmp_path / "whole")
    trainer = TileTrainer(config, tmp_path / "parts")
    trainer.load_kernels()
    timer = threading.Timer(0.02, trainer.interrupt)
    timer.start()
    trainer.run_block()
    timer.join()
    assert trainer.run_block() is None
    trainer.save()
    assert load_network(str(tmp_path / "parts" / CHECKPOINT), None).header.games >= 1
    went_on = trained(config, tmp_path / "parts")
    assert untimed(went_on.blocks) == untimed(whole.blocks)
    assert arrays_of(tmp_path / "parts") == arrays_of(tmp_path / "whole")


def test_threads_share_the_games_of_a_block(config: TrainConfig, tmp_path: Path) -> None:
    config = dataclasses.replace(config, games=63, block=21, threads=4)
    trainer = trained(config, tmp_path / "run")
    assert [block.games for block in trainer.blocks] == [21, 42, 63]
    loaded = load_network(str(tmp_path / "run" / CHECKPOINT), "2048", ("scores", "random"))
    assert np.count_nonzero(loaded.extra["scores"]) == 21  # each has a game, none is played twice
    assert len(set(loaded.extra["scores"].tolist())) > 15
    assert len(set(loaded.extra["random"].tolist())) == 4


@pytest.mark.parametrize(
    ("mix", "steps", "forward"),
    [(0.5, WHOLE_GAME, False), (1.0, 3, True), (1.0, WHOLE_GAME, True)],
)
def test_a_game_that_finds_no_room_goes_on_with_more(
    config: TrainConfig, tmp_path: Path, mix: float, steps: int, forward: bool
) -> None:
    board = TileBoard("2048", "2/4")
    rule = Rule(np.float64(1.0), np.float64(mix), np.int64(steps), True, forward)
    results, rooms = [], []
    for room in (4, 1 << 12):
        run = TileTrainer(config, tmp_path)
        tally = TileTally(*(run._arrays[name] for name in ("random", "counts", "scores", "tops")))
        trajectory = new_trajectory(run._network, room)
        arguments = (board.board([0] * 16), board.laws, run._network, rule, tally)
        while learn(*arguments, trajectory, np.zeros(1, np.int64)):
            trajectory = with_more_room(trajectory)
        rooms.append(len(trajectory.rewards))
        results.append([each.tobytes() for each in (*tally, run.network.weights)])
    assert results[0] == results[1]
    assert 64 <= rooms[0] < rooms[1] == 1 << 12


@pytest.mark.slow
@pytest.mark.parametrize("rate", ["tc", "fixed"])
def test_a_network_is_trained_on(
    config: TrainConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rate: str
) -> None:
    monkeypatch.setattr(tiles, "SEEN_GAMES", 100)
    config = dataclasses.replace(config, games=400, block=100, target="td-lambda", mix=0.5)
    first = trained(config, tmp_path / "first")
    first.write_network(tmp_path / "network.ntuple")
    changes = {"rate": rate, "alpha": {"tc": 1.0, "fixed": 0.01}[rate], "seed": 4}
    path = tmp_path / "more.toml"
    path.write_text(TOML.replace("[network]", '[network]\nstart = "network.ntuple"'))
    start = load_config(path).start
    more = dataclasses.replace(config, games=200, start=start, **changes)
    begun = TileTrainer(more, tmp_path / "more")
    known = load_network(str(tmp_path / "network.ntuple"), "2048").network.weights
    assert begun.network.weights.tobytes() == known.tobytes()
    begun.run_block()
    begun.save()
    assert begun.blocks[0].mean > 0.8 * first.blocks[-1].mean > 1.2 * first.blocks[0].mean
    (tmp_path / "network.ntuple").unlink()  # a checkpoint has all
    went_on = trained(more, tmp_path / "more")
    assert (went_on.network.weights != known).any()
    went_on.write_network(tmp_path / "on.ntuple")
    header = load_network(str(tmp_path / "on.ntuple"), "2048").header
    assert (header.games, header.method["start_name"]) == (600, "network.ntuple")


def test_memory_is_not_taken_twice_for_a_start(
    config: TrainConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained(config, tmp_path / "first").write_network(tmp_path / "network.ntuple")
    monkeypatch.setattr("players.learning.trainer.network_of", None)  # makes a new network
    monkeypatch.setattr(tiles, "SEEN_GAMES", 10)
    on = dataclasses.replace(config, start=str(tmp_path / "network.ntuple"))
    assert TileTrainer(on, tmp_path / "on").network.weights.any()


def test_a_start_that_was_moved_is_no_other(config: TrainConfig, tmp_path: Path) -> None:
    trained(config, tmp_path / "first").write_network(tmp_path / "network.ntuple")
    on = dataclasses.replace(config, start=str(tmp_path / "network.ntuple"))
    TileTrainer(on, tmp_path / "on").save()
    TileTrainer(dataclasses.replace(on, start="/elsewhere/network.ntuple"), tmp_path / "on")
    with pytest.raises(ValueError, match=r'start = "network\.ntuple", not none: write'):
        TileTrainer(config, tmp_path / "on")


def test_weights_met_often_change_slowly(
    config: TrainConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tiles, "SEEN_GAMES", 100)
    trained(config, tmp_path / "first").write_network(tmp_path / "network.ntuple")
    start = str(tmp_path / "network.ntuple")
    rates = []
    for games in (None, 6000):
        on = dataclasses.replace(config, start=start, start_games=games)
        errors, sizes = (TileTrainer(on, tmp_path / "on")._noted(int(each)) for each in (1, 2))
        assert ((errors > 0) & (errors <= sizes)).all()
        rates.append(errors / sizes)
    assert rates[0].max() == rates[1].max() == 1  # never met
    assert rates[1].min() == pytest.approx(rates[0].min() / 10, rel=0.01)  # of 60 games and 6,000


def test_a_network_of_another_kind_is_no_start(config: TrainConfig, tmp_path: Path) -> None:
    trained(config, tmp_path / "first").write_network(tmp_path / "network.ntuple")
    start = str(tmp_path / "network.ntuple")
    for changes, sentence in (
        (
            {"tuples": config.tuples[:1]},
            r'network\.start: .* has tuples = \["a1 b1 c1 d1", .*: write the same',
        ),
        ({"stages": (128,)}, r"has stages = \[\], and the training has others"),
        ({"initial": 9.0}, r"has initial = 0\.0"),
        ({"rules": "2584", "spawn": "1/2"}, "is a network for 2048, not for 2584"),
        ({"start": "none"}, "network 'none' cannot be read"),
    ):
        with pytest.raises(ValueError, match=sentence):
            TileTrainer(
                dataclasses.replace(config, **{"start": start} | changes), tmp_path / "other"
            )


def test_a_run_goes_on_with_the_settings_it_was_begun_with(
    config: TrainConfig, tmp_path: Path
) -> None:
    trained(config, tmp_path)
    more = trained(dataclasses.replace(config, games=80, checkpoint_every=1), tmp_path)
    assert len(more.blocks) == 4
    with pytest.raises(
        ValueError, match=r"begun with seed = 3, not 4; alpha = 1\.0, not 0\.5: wri"
    ):
        TileTrainer(dataclasses.replace(config, seed=4, alpha=0.5), tmp_path)
    with pytest.raises(ValueError, match="is a network for 2048, not for 2584"):
        TileTrainer(dataclasses.replace(config, rules="2584", spawn="1/2"), tmp_path)
    os.truncate(tmp_path / CHECKPOINT, 2000)
    with pytest.raises(ValueError, match=r"checkpoint\.ntuple: is damaged"):
        TileTrainer(config, tmp_path)
    more.write_network(tmp_path / CHECKPOINT)
    with pytest.raises(ValueError, match="it is not a checkpoint"):
        TileTrainer(config, tmp_path)


@pytest.mark.slow
def test_2584_learns_too(config: TrainConfig, tmp_path: Path) -> None:
    changes = {"rules": "2584", "spawn": "1/3", "tuples": (("a1", "b1", "c1"), ("a2", "b2", "c2"))}
    trainer = trained(dataclasses.replace(config, games=120, block=40, **changes), tmp_path)
    assert trainer.blocks[-1].mean > 1.2 * trainer.blocks[0].mean
    assert set(trainer.blocks[-1].reached) <= set(TileBoard("2584", "1/3").values)
