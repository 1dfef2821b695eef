"""Games of UCT that thinks for a number of iterations: whole games in one kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

import rules as rule_sets
from players.games import interface as game
from players.games.endgame import load_endgame
from players.games.registry import Board
from players.learning.tuning.tasks import Aborted, Contestant, Opened, Played, start_of
from players.learning.tuning.whole_game import ABORTED, FINALS, Seat, play_game
from players.options import read_options
from players.search.tree import ENTRY_BYTES, NEAR_BYTES, new_tree
from players.search.uct.settings import new_worker
from players.uct import Uct, UctOptions, search_settings

ENTRIES_AN_ITERATION = 400
"""The size of a tree. What a move adds, and what is kept of the last one's tree, fill a small part
of it, so that it grows as the player's own does."""


def is_counted(options: UctOptions) -> bool:
    """Whether a player with these options thinks for a number of iterations and nothing else."""
    return (
        options.iterations is not None
        and options.think_ms is None
        and options.depth is None
        and options.c_schedule is None
        and not options.early_stop
        and options.direction == 0
        and options.threads == 1
        and not options.endgame
    )


def read_seat(
    rule_set: rule_sets.Game, board: Board, player: type[Uct], contestant: Contestant
) -> Seat:
    """A contestant as the kernel reads it. A mistake in its options exits with a sentence."""
    start = start_of(rule_set, rule_set.start().state(), 0, 0, contestant.options)
    options = read_options(player.options, start)
    endgame = load_endgame(rule_set.name, board, 1)  # its reach alone is asked
    weights = contestant.weights
    if weights is None:
        weights = player.weights(options, start, board)
    settings = search_settings(options, start, endgame, weights)
    assert options.iterations is not None  # as `is_counted` found
    return Seat(settings, options.iterations, FINALS[options.final], options.reuse)


class CountedWorker:
    """Two trees and an endgame solver, used game after game."""

    def __init__(
        self, rule_set: rule_sets.Game, board: Board, options: UctOptions, stop: Any
    ) -> None:
        """`stop` is the int64[1] flag that ends all games."""
        self._board = board
        self._start = board.position(rule_set.start().state())
        self._memory = load_endgame(rule_set.name, board, options.endgame_mb).memory
        assert options.iterations is not None  # as `is_counted` found
        entries = ENTRIES_AN_ITERATION * max(options.iterations, game.MOVES)
        entries = min(entries, options.memory_mb * 1_000_000 // (ENTRY_BYTES + NEAR_BYTES))
        self._trees = (new_tree(entries, rave=True), new_tree(entries, rave=True))
        self._stops = (np.zeros(1, np.int64), stop)

    def play(
        self, contestants: tuple[Seat, Seat], opened: Opened, seeds: tuple[int, int]
    ) -> Played:
        """Play a game on from its opening. Raises Aborted once the flag is set."""
        workers = (new_worker(seeds[0]), new_worker(seeds[1]))
        moves, movers, before = opened
        plies, net = play_game(
            self._start,
            np.int64(before),
            contestants,
            self._trees,
            workers,
            self._memory,
            self._stops,
            moves,
            movers,
        )
        if plies == ABORTED:
            raise Aborted
        names = self._board.names
        made = zip(movers[before:plies].tolist(), moves[before:plies].tolist(), strict=True)
        return Played(tuple((seat, names[move]) for seat, move in made), int(net))
