"""A training of 2048 or 2584: its file, and its run: games in blocks, the points of a curve."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
from pydantic import Field

from arena.files.toml_tables import TomlTable, shown
from players.games.tiles.boards import TileBoard
from players.games.tiles.interface import CELLS, ceiling_of
from players.learning.tiles.episodes import ROOM, TileTally, learn, play, with_more_room
from players.learning.trainer import BlockTrainer
from players.learning.training_file import (
    LEARNED,
    METHOD,
    Learned,
    LearningTable,
    NetworkTable,
    Rate,
    Training,
    TrainingReader,
    TrainingTable,
    from_anywhere,
)
from players.ntuple.network import Network
from players.ntuple.temporal import new_trajectory, with_sums
from players.search.types import Array, Flag
from players.weights.board_tuples import BoardCells
from players.weights.network_file import DEFAULT, load_network
from players.weights.network_header import Header
from rules.tiles import SPAWNS

SEEN_GAMES = 4000
"""The games with a network to start from that count how often each weight is met."""
USUAL = 30.0
"""An entry's share of an error, in points: what a network to start from is taken to have missed by.
It matters until as much again was learned."""


class TileGameTable(TomlTable):
    rules: Learned | None = None
    spawn: str | None = None


class TileNetworkTable(NetworkTable):
    start: str | None = None
    start_games: int | None = Field(default=None, ge=1, le=10**10)


class TileTrainingFile(TomlTable):
    """The whole file. What is required is asked for later, so that all problems come at once."""

    training: TrainingTable = TrainingTable()
    game: TileGameTable = TileGameTable()
    network: TileNetworkTable = TileNetworkTable()
    learning: LearningTable = LearningTable()


@dataclass(frozen=True, kw_only=True)
class TrainConfig(Training):
    """The configuration of a training for 2048 or 2584."""

    spawn: str
    start: str | None = None
    """A network file to go on from, or "default"; None for a network that knows nothing."""
    start_games: int | None = None
    """How many games it is taken to have learned from, which decides how fast temporal coherence
    changes its weights; None for those of its file.
    """
    board_key = "spawn"
    method_keys = (*METHOD, "start_name", "start_games")

    @property
    def start_name(self) -> str | None:
        """The name of the file of `start`, which a network file keeps."""
        return self.start and Path(self.start).name


class _TileReader(TrainingReader[TileTrainingFile, TrainConfig]):
    model = TileTrainingFile
    alphas: Mapping[Rate, float] = {"tc": 1.0, "fixed": 0.1}

    def config(self) -> TrainConfig:
        common, rules, spawn = self.common(), self.file.game.rules, self.file.game.spawn
        network = self.file.network
        if network.start_games is not None and (network.start is None or common["rate"] != "tc"):
            self.report(
                ("network", "start_games"),
                'counts where there is a start and rate = "tc" alone; leave it out',
            )
        if rules is None or rules not in SPAWNS:  # Othello and dots have a reader of their own
            self.report(("game", "rules"), f"is missing: {LEARNED}")
            rules = "2048"
        known, cells = SPAWNS[rules], BoardCells(rules, {})
        if spawn is not None and spawn not in known:
            must_be = " or ".join(map(shown, known))
            self.report(("game", "spawn"), f"must be {must_be}, got {shown(spawn)}")
        config = TrainConfig(
            **common,
            rules=rules,
            spawn=spawn or next(iter(known)),
            tuples=self.tuples(cells),
            stages=self.stages(cells),
            start=from_anywhere(network.start, self._path.parent),
            start_games=network.start_games,
        )
        if config.start is not None:
            wrong = _missing(config.start) or (None if self.findings else _unfit(config))
            if wrong:
                self.report(("network", "start"), wrong)
        return config


def _missing(start: str) -> str | None:
    """Why there is no such file to start from; None if there is."""
    if start == DEFAULT or Path(start).is_file():
        return None
    if Path(start).is_dir():
        return f"{shown(start)} is a folder; name a network file"
    return f"no such file: {shown(start)}; expected a network file or {shown(DEFAULT)}"


def _unfit(config: TrainConfig) -> str | None:
    """Why a training cannot go on from what its start has learned; None if it can."""
    try:
        return _unlike(config, load_network(str(config.start), config.rules).header)
    except ValueError as error:
        return str(error)


def _unlike(config: TrainConfig, has: Header) -> str | None:
    """The difference of the network it starts from; None if they are alike."""
    header = config.header()
    for key in ("spawn", "tuples", "stages", "initial"):
        if (value := getattr(has, key)) != getattr(header, key):
            written = [" ".join(names) for names in value] if key == "tuples" else value
            return (
                f"{config.start} has {key} = {json.dumps(written)}, and the training has others: "
                "write the same, or leave out start"
            )
    return None


load_config = _TileReader.load


class TileBlock(NamedTuple):
    """The results of the games of a block."""

    number: int
    """Which one it is, from 1."""
    games: int
    """The games played so far, with those of this block."""
    mean: float
    best: int
    moves: int
    """How many slides there were."""
    seconds: float
    reached: dict[int, float]
    """For each tile the share of games that made it, or a larger one; from the smallest that was
    the largest of a game to the largest of all.
    """
    ended: dict[int, float]
    """For each of these tiles the share of games whose largest it was."""

    def reach(self, tile: int) -> float:
        """The share of games that made this tile, any of the game's, or a larger one."""
        return self.reached.get(tile, 1.0 if tile < min(self.reached) else 0.0)


def block_of(
    number: int, scores: Array, tops: Array, moves: int, seconds: float, values: Sequence[int]
) -> TileBlock:
    """The block of these games: the uint64 arrays of their scores and of the indices of their
    largest tiles in `values`.
    """
    ends = np.bincount(tops.astype(np.int64), minlength=len(values)) / len(tops)
    made = np.cumsum(ends[::-1])[::-1]
    seen = range(int(tops.min()), int(tops.max()) + 1)
    return TileBlock(
        number=number,
        games=number * len(scores),
        mean=float(scores.mean()),
        best=int(scores.max()),
        moves=moves,
        seconds=seconds,
        reached={values[tile]: round(float(made[tile]), 9) for tile in seen},
        ended={values[tile]: round(float(ends[tile]), 9) for tile in seen},
    )


def play_greedily(
    header: Header, network: Network, games: int, seed: int, downgrade: int = 0
) -> tuple[TileBlock, Array]:
    """Play at 1 ply, as the network learned or, with `downgrade`, as `expectimax` plays: (the
    games' block; uint32[weights], how often each weight was asked for). The same `seed` gives the
    same games.
    """
    board = TileBoard(header.rules, header.spawn)
    random = np.array([Random(f"{seed} greedy").getrandbits(64)], np.uint64)
    scores, tops = np.zeros(games, np.uint64), np.zeros(games, np.uint64)
    tally = TileTally(random, np.zeros(2, np.int64), scores, tops)
    visits = np.zeros(len(network.weights), np.uint32)
    at = new_trajectory(network, 0).at
    ceiling = ceiling_of(downgrade)
    play(board.board([0] * CELLS), board.laws, network, ceiling, tally, at, visits)
    block = block_of(1, scores, tops, int(tally.counts[1]), 0.0, board.values)
    return block, visits


class TileTrainer(BlockTrainer[TrainConfig, TileBlock]):
    """A run of 2048 or 2584. `tops` are the indices of the largest tiles of its block."""

    block_type = TileBlock
    block_arrays = ("scores", "tops")

    def __init__(self, config: TrainConfig, folder: Path) -> None:
        super().__init__(config, folder)
        self._board = TileBoard(config.rules, config.spawn)
        self._trajectories = [new_trajectory(self._network, ROOM) for _ in range(config.threads)]

    def _new_network(self) -> Network:
        if self.config.start is None:
            return super()._new_network()
        network, header, _ = load_network(self.config.start, self.config.rules)
        if wrong := _unlike(self.config, header):
            raise ValueError(f"network.start: {wrong}")
        self._learned_before = header.games
        if self.config.rate != "tc":
            return network
        # As of errors to both sides, of which the sum grows with the square root. In place: each of
        # these arrays is as large as the network.
        sizes = play_greedily(header, network, SEEN_GAMES, self.config.seed)[1].astype(np.float32)
        sizes *= (self.config.start_games or header.games) / SEEN_GAMES
        sizes += 1
        errors = np.sqrt(sizes)
        errors *= USUAL
        sizes *= USUAL
        return with_sums(network, errors, sizes)

    def _learn(self, thread: int, stop: Flag) -> None:
        board, arrays = self._board, self._arrays
        random, counts, games = self._counted(thread)
        tally = TileTally(random, counts, arrays["scores"][games], arrays["tops"][games])
        start, network = board.board([0] * CELLS), self._network
        while learn(
            start, board.laws, network, self._rule, tally, self._trajectories[thread], stop
        ):
            self._trajectories[thread] = with_more_room(self._trajectories[thread])

    def _block_of(self, number: int, moves: int, seconds: float) -> TileBlock:
        scores, tops = (self._arrays[name] for name in self.block_arrays)
        return block_of(number, scores, tops, moves, seconds, self._board.values)

    def _scores(self, block: TileBlock) -> dict[str, float]:
        return {"mean": block.mean, "best": block.best}
