"""The benchmark of 2048 and 2584: that what it times is played and learned, on small networks."""

from pathlib import Path

import pytest

from players.bench import tiles
from players.bench.measurement import Measurement
from players.learning.trainer import CHECKPOINT
from players.weights.network_file import load_network
from players.weights.network_header import Header, network_of

pytestmark = pytest.mark.slow

BLANK = network_of(
    Header.model_validate({"rules": "2048", "spawn": "2/4", "tuples": (("a1", "b1"),)})
)
"""A network whose games are over soon."""


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small tuples, short blocks, a curve that is over soon."""
    monkeypatch.setattr(tiles, "TUPLES", ("a1 b1 c1 d1", "a2 b2 c2"))
    monkeypatch.setattr(tiles, "BLOCK", 20)
    monkeypatch.setattr(tiles, "FIXED_GAMES", 40)
    monkeypatch.setattr(tiles, "CURVE", {40: (1000, 0.0), 80: (1e6, 1.0)})


def test_each_rate_learns_and_leaves_its_network(tmp_path: Path) -> None:
    speed, *more = tiles.learning("fixed", 40, tmp_path / "fixed", 1.0)
    assert not more
    assert (speed.name, speed.unit, speed.reached) == ("TD(0) learning, 40 games", "moves/s", True)
    average, share, speed = tiles.learning("tc", 60, tmp_path / "tc", 1.0)
    assert average.name == "TC after 40 games, average"
    assert average.reached, "random play scores 1,096"
    assert (share.name, share.unit) == ("TC after 40 games, reached 2048", "%")
    assert 0 <= share.value <= 100
    assert speed.name == "TC learning, 60 games"
    for folder, games in (("fixed", 40), ("tc", 60)):
        loaded = load_network(str(tmp_path / folder / CHECKPOINT), "2048")
        assert loaded.header.games == games
        assert loaded.network.weights.any()


def test_random_play_and_search_are_timed() -> None:
    measured = [
        tiles.random_speed("2048", "2/4", 50, 1.0),
        tiles.random_speed("2584", "1/2", 20, 1.0),
        tiles.play_speed(BLANK, 1, 2, 1.0),
        tiles.play_speed(BLANK, 2, 1, 1.0),
    ]
    assert all(each.unit == "moves/s" and each.reached for each in measured)


def test_deep_games_tell_their_score_and_time() -> None:
    list(tiles.deep_games(BLANK, 1))  # compiled
    score, seconds = tiles.deep_games(BLANK, 2)
    assert (score.name, score.unit) == ("3-ply, average of 2 games", "points")
    assert score.value > 1096
    assert not score.reached
    assert (seconds.unit, seconds.reached) == ("s", True)


def test_all_come_in_one_table_and_deep_games_at_the_end_of_the_curve_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    played: list[int] = []

    def deep_games(_: object, games: int) -> list[Measurement]:
        played.append(games)
        return []

    def speed(*asked: object) -> Measurement:
        return Measurement(str(asked[0]), 1.0, "moves/s", 2.0)

    monkeypatch.setattr(tiles, "deep_games", deep_games)
    monkeypatch.setattr(tiles, "random_speed", speed)
    monkeypatch.setattr(tiles, "play_speed", lambda _, depth, *asked: speed(f"{depth}-ply"))
    names = [each.name for each in tiles.bench_tiles(40)]
    assert names == [
        *("2048", "2584", "TD(0) learning, 40 games"),
        *("TC after 40 games, average", "TC after 40 games, reached 2048"),
        *("TC learning, 40 games", "1-ply", "2-ply", "3-ply"),
    ]
    assert not played
    assert tiles.tiles_table(80).row_count == len(names) + 2
    assert played == [100]
