"""The learning curve: what is drawn of which blocks."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from players.learning.pictures import new_figure, save_figure, shown_tiles, tile_curve
from players.learning.tiles.trainer import TileBlock


def point(games: int, mean: float, best: int, reached: dict[int, float]) -> TileBlock:
    """A block that was never played."""
    return TileBlock(0, games, mean, best, 0, 0.0, reached, {})


BLOCKS = [
    point(100, 1000.0, 3000, {32: 1.0, 64: 0.9, 128: 0.5, 256: 0.1, 512: 0.005}),
    point(200, 2000.0, 4000, {64: 1.0, 128: 0.8, 256: 0.4, 512: 0.02}),
    point(300, 3000.0, 3500, {256: 1.0, 512: 0.3, 1024: 0.001}),
]


def lines(axes: Axes) -> dict[str, list[float]]:
    """What is drawn under each label."""
    found: dict[str, Any] = {str(line.get_label()): line.get_ydata() for line in axes.get_lines()}
    return {label: list(values) for label, values in found.items()}


def test_scores_and_reach_are_drawn_by_games() -> None:
    scores, reach = tile_curve(BLOCKS, "cup", "two tuples").axes
    assert lines(scores) == {
        "average 3,000": [1000.0, 2000.0, 3000.0],
        "maximum 3,500": [3000, 4000, 3500],
    }
    assert lines(reach) == {
        "32:  100.0%": [1.0, 1.0, 1.0],
        "64:  100.0%": [0.9, 1.0, 1.0],
        "128:  100.0%": [0.5, 0.8, 1.0],
        "256:  100.0%": [0.1, 0.4, 1.0],
        "512:  30.0%": [0.005, 0.02, 0.3],
    }
    assert reach.yaxis.get_major_formatter()(0.5) == "50%"
    for axes in (scores, reach):
        assert axes.get_xlabel() == "games"
        assert axes.get_ylabel()
        for line in axes.get_lines():
            assert list(np.asarray(line.get_xdata())) == [100, 200, 300]


def test_the_largest_tiles_that_were_reached_more_than_once_in_a_while_are_shown() -> None:
    assert shown_tiles(BLOCKS) == [32, 64, 128, 256, 512]
    assert shown_tiles([point(1, 1.0, 1, {4: 1.0, 8: 0.009})]) == [4]


@pytest.mark.parametrize("width", [4.8, 8.4, 12.0])
def test_long_titles_stay_in_the_picture(width: float) -> None:
    figure = new_figure(width, 5.2, "a long name " * 16, "framed\n" + "many, many words " * 20)
    figure.draw_without_rendering()
    for text in (figure._suptitle, figure._supxlabel):  # type: ignore[attr-defined] # no getter
        assert text.get_window_extent().x1 <= figure.bbox.x1


def test_a_picture_that_finds_the_disk_full_leaves_no_part(tmp_path: Path, full_disk: None) -> None:
    with pytest.raises(OSError, match=r"curve\.png'"):
        save_figure(tmp_path, "curve", Figure)
    assert not list(tmp_path.iterdir())


def test_a_picture_is_laid_out_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    laid_out = list[Figure]()
    monkeypatch.setattr(ConstrainedLayoutEngine, "execute", lambda _, fig: laid_out.append(fig))
    save_figure(tmp_path, "curve", partial(tile_curve, BLOCKS, "title", "about"))
    assert len(laid_out) == 1


@pytest.mark.slow
def test_the_same_blocks_make_the_same_files_whatever_the_name(tmp_path: Path) -> None:
    made = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        draw = partial(tile_curve, BLOCKS, "costs $5 & <more>", r"\alpha_1 $")
        save_figure(folder, "curve", draw)
        assert sorted(path.name for path in folder.iterdir()) == ["curve.png", "curve.svg"]
        made.append([path.read_bytes() for path in sorted(folder.iterdir())])
    assert made[0] == made[1]
    assert b"costs $5 &amp; &lt;more&gt;" in made[0][1]
