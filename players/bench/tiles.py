"""How fast 2048 and 2584 are played, learned and searched, and how far learning gets."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from rich.table import Table

from players.bench.measurement import Measurement, quickest, table
from players.games.tiles.boards import TileBoard
from players.games.tiles.interface import CELLS, ceiling_of
from players.learning.tiles.episodes import NO_VISITS, TileTally, play
from players.learning.tiles.trainer import TileTrainer, TrainConfig
from players.learning.trainer import CHECKPOINT
from players.learning.training_file import Rate
from players.ntuple.network import Network
from players.ntuple.temporal import new_trajectory
from players.search.expectimax.settings import make_settings, new_scratch
from players.search.sampling import play_games, random_games
from players.search.stop import NEVER
from players.weights.network_file import load_network

BLOCK = 1000
"""Games of one point of the learning curve."""
CURVE = {10_000: (43_000, 0.84), 30_000: (70_000, 0.94), 100_000: (120_000, 0.968)}
"""The results of TDL2048 with `TUPLES` and temporal coherence: by games learned from, the average
of the last thousand and their share that reached 2048.
"""
FIXED_GAMES = 3000
"""That many games time learning at a fixed rate."""
SOURCES_MEAN, SOURCES_SECONDS = 170_353, 21.4
"""What the school report's 5-ply expectimax scored, and the seconds of one of its games (S21). It
counts placements as plies too: its 5 are our 3 slides."""
TUPLES = ("a1 b1 c1 d1 a2 b2", "a2 b2 c2 d2 a3 b3", "a1 b1 c1 a2 b2 c2", "a2 b2 c2 a3 b3 c3")
"""The four tuples of six cells that all published figures are for."""
CAPTION = (
    "The targets are what C++ programs reach on a 2.5 GHz Xeon (TDL2048), and the sources' figures."
)


def tiles_table(games: int) -> Table:
    return table(bench_tiles(games), CAPTION)


def bench_tiles(games: int) -> Iterator[Measurement]:
    """Measure everything, learning from that many games; 3-ply games are played from 100,000 on."""
    yield random_speed("2048", "2/4", 20_000, 9_000_000)
    yield random_speed("2584", "1/2", 8_000, 5_000_000)
    with tempfile.TemporaryDirectory() as folder:
        yield from learning("fixed", FIXED_GAMES, Path(folder) / "fixed", 800_000)
        yield from learning("tc", games, Path(folder) / "tc", 500_000)
        network = load_network(str(Path(folder) / "tc" / CHECKPOINT), "2048").network
    yield play_speed(network, 1, 100, 800_000)
    yield play_speed(network, 2, 4, 40_000)
    yield play_speed(network, 3, 1, 1_500)
    if games >= max(CURVE):
        yield from deep_games(network, 100)


def random_speed(rules: str, spawn: str, games: int, target: float) -> Measurement:
    """Slides a second of uniformly random play."""
    board = TileBoard(rules, spawn)
    start, laws = board.board([0] * CELLS), board.laws

    def play(_: int) -> int:
        return int(random_games(start, laws, games, np.array([1], np.uint64))[0])

    slides = play(0)
    return Measurement(f"{rules} random play", slides / quickest(play), "moves/s", target)


def learning(rate: Rate, games: int, folder: Path, target: float) -> Iterator[Measurement]:
    """TD(0) with four 6-tuples: its speed and its curve; the checkpoint is in `folder`."""
    config = TrainConfig(
        name=rate,
        games=games,
        block=BLOCK,
        checkpoint_every=games // BLOCK,
        seed=1,
        threads=1,
        rules="2048",
        spawn="2/4",
        tuples=tuple(tuple(cells.split()) for cells in TUPLES),
        stages=(),
        initial=0.0,
        target="td0",
        mix=0.0,
        steps=1,
        updates="backward",
        rate=rate,
        alpha=1.0 if rate == "tc" else 0.1,
    )
    trainer = TileTrainer(config, folder)
    trainer.load_kernels()
    while (block := trainer.run_block()) is not None:
        if rate == "tc" and block.games in CURVE:
            mean, reached = CURVE[block.games]
            title = f"TC after {block.games:,} games"
            yield Measurement(f"{title}, average", block.mean, "points", mean)
            share = sum(part for tile, part in block.ended.items() if tile >= 2048)
            yield Measurement(f"{title}, reached 2048", 100 * share, "%", 100 * reached)
    trainer.save()
    moves = sum(block.moves for block in trainer.blocks)
    seconds = sum(block.seconds for block in trainer.blocks)
    name = {"fixed": "TD(0)", "tc": "TC"}[rate]
    yield Measurement(f"{name} learning, {games:,} games", moves / seconds, "moves/s", target)


def play_speed(network: Network, depth: int, games: int, target: float) -> Measurement:
    """Slides a second of games played that many slides ahead, without a table."""
    slides, _ = _play(network, depth, games, 0)
    seconds = quickest(lambda _: _play(network, depth, games, 0))
    return Measurement(f"{depth}-ply play, no table", slides / seconds, "moves/s", target)


def deep_games(network: Network, games: int) -> Iterator[Measurement]:
    """The score and time of 3-ply games, with the player's own table."""
    began = perf_counter()
    _, scores = _play(network, 3, games, 16)
    seconds = perf_counter() - began
    yield Measurement(f"3-ply, average of {games} games", scores.mean(), "points", SOURCES_MEAN)
    yield Measurement("3-ply, a game", seconds / games, "s", SOURCES_SECONDS)


def _play(network: Network, depth: int, games: int, memory_mb: int) -> tuple[int, Any]:
    board = TileBoard("2048", "2/4")
    random, scores = np.array([1], np.uint64), np.zeros(games, np.uint64)
    start = board.board([0] * CELLS)
    if depth == 1:
        tally = TileTally(random, np.zeros(2, np.int64), scores, np.zeros(games, np.uint64))
        at = new_trajectory(network, 0).at
        play(start, board.laws, network, ceiling_of(0), tally, at, NO_VISITS)
        return int(tally.counts[1]), scores
    settings = make_settings(board.laws, network, memory_mb=memory_mb)
    slides = play_games(start, np.int64(depth), settings, NEVER, new_scratch(), random, scores)
    return int(slides), scores
