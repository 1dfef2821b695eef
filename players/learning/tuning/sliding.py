"""Games of the heuristic player of 2048 and 2584 that counts what it looks at: whole games in one
kernel.
"""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

import rules as rule_sets
from players.games.tiles.boards import TileBoard
from players.games.tiles.heuristic import make_heuristic
from players.heuristic import HeuristicOptions
from players.learning.tuning.sliding_game import ABORTED, CELL, CHANCE, TILE, Seat, play_game
from players.learning.tuning.tasks import Aborted, Contestant
from players.search.alphabeta.table import new_table
from players.search.heuristic import UNLIMITED, new_scratch
from players.search.heuristic.deepening import Choices
from players.search.heuristic.search import MOST_MOVES, Context
from players.search.stop import NEVER


def counts_boards(options: HeuristicOptions) -> bool:
    """Whether a player with these options looks at a number of boards and at no clock."""
    return options.think_ms is None


class SlidingWorker:
    """Two tables, used game after game."""

    def __init__(self, rule_set: rule_sets.Game, options: HeuristicOptions, stop: Any) -> None:
        """`stop` is the int64[1] flag that ends all games."""
        self._rule_set, self._stop = rule_set, stop
        self._board = TileBoard(rule_set.name, rule_set.variant["spawn"])
        self._placer = CHANCE
        if rule_set.seats > 1:
            self._placer = CELL if rule_set.variant["placer_chooses"] == "cell" else TILE
        tables = [new_table(options.memory_mb) for _ in range(rule_set.seats)]
        self._tables = tables * (2 // rule_set.seats)  # chance has no need of one
        self._scratches = (new_scratch(), new_scratch())
        self._choices = Choices(np.zeros((MOST_MOVES, 2), np.int16), np.zeros(MOST_MOVES))

    def slide(
        self, contestants: tuple[Contestant, Contestant], seed: int, record: Any = None
    ) -> int:
        """The score of the first as slider, the second being the placer where a player places.

        The first decisions are written to `record`, as many as there is room for (see `play_game`):
        for who compares them with a player's. Raises Aborted once the flag is set.
        """
        random = Random(seed)
        start = self._rule_set.start(random.getrandbits(63))
        first, second = (self._seat(each, at) for at, each in enumerate(contestants))
        score = play_game(
            self._board.position(start.state()),
            self._placer,
            (first, second),
            self._scratches,
            self._choices,
            np.array([random.getrandbits(64)], np.uint64),
            self._stop,
            np.zeros((0, 3), np.uint64) if record is None else record,
        )
        if score == ABORTED:
            raise Aborted
        return int(score)

    def _seat(self, contestant: Contestant, at: int) -> Seat:
        """A contestant as the kernel reads it, its memory empty."""
        options = HeuristicOptions.model_validate(contestant.options)
        weights = (options.smoothness, options.monotonicity, options.empty, options.largest)
        table, scratch = self._tables[at], self._scratches[at]
        if at < self._rule_set.seats:
            table[:] = 0
        scratch["generation"] = 0
        context = Context(make_heuristic(self._board, *weights), table, NEVER)
        return Seat(
            (context, context._replace(stop=self._stop)),
            options.depth or UNLIMITED.depth,
            options.nodes or UNLIMITED.nodes,
        )
