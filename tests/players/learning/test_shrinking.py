"""Small files of networks of 2048."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from players.learning.tiles import shrink
from players.learning.tiles.trainer import TrainConfig
from players.learning.trainer import CHECKPOINT
from players.weights import network_file
from players.weights.network_file import load_network
from tests.players.learning.tile_helpers import small_config, trained

OTHELLO = Path(network_file.__file__).with_name("network-othello-standard.ntuple")


@pytest.fixture
def config(tmp_path: Path) -> TrainConfig:
    return small_config(tmp_path)


def test_a_small_file_keeps_what_play_meets(
    config: TrainConfig, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trained(dataclasses.replace(config, games=200, stages=(256,), initial=240.0), tmp_path)
    source, out = tmp_path / CHECKPOINT, tmp_path / "small.ntuple"
    shrink.main([str(source), str(out), "--games", "50", "--least", "2", "--grain", "1"])
    assert "before" in capsys.readouterr().out
    large, small = load_network(str(source), "2048"), load_network(str(out), "2048")
    assert small.header.numbers == "int16"
    assert small.header.scores["mean"] > 1096
    assert "2 times or more in 50 games" in small.header.about
    assert small.header.about.count("scores") == 1
    assert small.header.about.startswith(f"{large.header.about} Of its weights ")
    kept = small.network.weights != 0
    assert 0 < kept.sum() < np.count_nonzero(large.network.weights)
    first = kept[: int(small.network.offsets[-1])].sum()
    step = np.repeat(small.header.scales, np.tile(np.diff(small.network.offsets), 2))
    assert small.header.initial == 0
    error = np.abs(small.network.weights - (large.network.weights + 240 / (8 * 3)))[kept]
    assert (error[:first] <= 0.5001 * step[kept][:first]).all()
    assert (error <= 1.0001 * step[kept]).all()  # in a later stage nothing is rounded to 0
    assert out.stat().st_size < source.stat().st_size / 2


def test_a_weight_is_rounded_to_twice_as_much_for_each_quarter_of_often(
    config: TrainConfig, tmp_path: Path
) -> None:
    trained(config, tmp_path)
    large, header, _ = load_network(str(tmp_path / CHECKPOINT), "2048")
    visits = np.resize(np.array([100, 64, 17, 4], np.uint32), len(large.weights))
    told, small = shrink.shrunk(header, large, visits, 1, 0.5, often=64)
    assert told.scales == (0.5,) * 3
    for place, step in enumerate((0.5, 0.5, 0.5, 2)):
        kept, whole = small.weights[place::4], large.weights[place::4]
        assert kept.any()
        assert (kept % step == 0).all()
        assert (np.abs(kept - whole) <= step / 2).all()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (lambda folder: [folder / "none", folder / "out"], "none' cannot be read"),
        (lambda folder: [folder / "small.toml", folder / "out"], "is not a network file"),
        (lambda folder: [OTHELLO, folder / "out"], "is a network for othello; those for 2048 and"),
        (lambda folder: [folder / "none", folder / "no/out"], "/no; make it"),
        (lambda folder: [folder, folder / "out", "--games", "0"], "must be 1 or more, got '0'"),
        (lambda folder: [folder, folder / "out", "--grain", "x"], "must be 0 or more, got 'x'"),
    ],
)
@pytest.mark.usefixtures("config")
def test_what_cannot_be_shrunk_is_reported(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: Callable[[Path], list[object]],
    sentence: str,
) -> None:
    with pytest.raises(SystemExit) as caught:
        shrink.main([str(each) for each in arguments(tmp_path)])
    assert caught.value.code == 2
    assert sentence in capsys.readouterr().err
