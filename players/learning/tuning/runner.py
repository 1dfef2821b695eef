"""The match runner in this process: no subprocess, and no clock but the players' own budget."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np

import rules as rule_sets
from players.catalogue import BUILTINS
from players.games.registry import load_board
from players.heuristic import HeuristicOptions
from players.learning.tuning.matches import (
    Aborted,
    Contestant,
    MatchTask,
    PlayedGame,
    Worker,
    start_of,
)
from players.learning.tuning.openings import Openings
from players.learning.tuning.tile_games import TileWorker, counts_boards
from players.learning.tuning.turns import TurnWorker, new_player
from players.learning.tuning.uct_games import UctWorker, is_counted, read_seat
from players.uct import Uct, UctOptions


class InProcessRunner:
    """Plays on several threads, each with a worker of its own: whole games in one kernel where
    players count what they think, else turn by turn.
    """

    def __init__(
        self, rule_set: rule_sets.Game, bot: str, sample: Contestant, threads: int
    ) -> None:
        """`sample` is any of the contestants: they differ in what is tuned alone."""
        self._rule_set, self._bot, self._sample = rule_set, bot, sample
        self._stop = stop = np.zeros(1, np.int64)
        self._own = threading.local()
        self._pool = ThreadPoolExecutor(threads)
        self.new_worker: Callable[[], Worker] = lambda: TurnWorker(rule_set, bot, stop)
        self.read: Callable[[Contestant], Any] = lambda contestant: contestant
        """A contestant as a worker takes it."""
        self.brief: Contestant | None = None
        """A contestant whose game loads the kernels of whole games, where these are played."""
        player = BUILTINS[bot]
        options = player.options.model_validate(sample.options)
        if isinstance(options, UctOptions) and is_counted(options):
            assert issubclass(player, Uct)  # as it has options of UCT
            board = load_board(rule_set.name, rule_set.variant)
            self.new_worker = lambda: UctWorker(rule_set, board, options, stop)
            self.read = lambda contestant: read_seat(rule_set, board, player, contestant)
            self.brief = sample
        elif isinstance(options, HeuristicOptions) and counts_boards(options):
            self.new_worker = lambda: TileWorker(rule_set, options, stop)
            self.brief = sample._replace(options=sample.options | {"depth": 1})

    def load(self, plies: int) -> None:
        """Compile what games need, or find it in the cache. Raises ValueError with what the player
        says of its options, or when there is no opening of that many `plies`.
        """
        tiles = self._rule_set.name in rule_sets.tiles.NAMES
        if tiles and plies:
            raise ValueError(f"openings.plies: {self._rule_set.name} has no openings; leave it out")
        try_out(self._rule_set, self._bot, self._sample)
        if not tiles:
            board = load_board(self._rule_set.name, self._rule_set.variant)
            Openings(self._rule_set, board).draw(MatchTask((self._sample,) * 2, "", plies, ""))
        if self.brief is not None:  # other players have loaded theirs
            seat = self.read(self.brief)
            self.new_worker().play((seat, seat), MatchTask((self.brief,) * 2, "", plies, ""))

    def play(self, tasks: Sequence[MatchTask]) -> list[PlayedGame]:
        """The games, in the order of the tasks. Raises Aborted once `abort` was called."""
        seats = {id(each): self.read(each) for task in tasks for each in task.contestants}
        games: list[Future[PlayedGame]] = []
        for task in tasks:
            first, second = (seats[id(each)] for each in task.contestants)
            games.append(self._pool.submit(self._play, (first, second), task))
        return [each.result() for each in games]

    def _play(self, contestants: tuple[Any, Any], task: MatchTask) -> PlayedGame:
        if self._stop[0]:
            raise Aborted
        if not hasattr(self._own, "worker"):
            self._own.worker = self.new_worker()
        worker: Worker = self._own.worker
        return worker.play(contestants, task)

    def abort(self) -> None:
        """Have the games under way, and all that follow, end in Aborted."""
        self._stop[0] = 1

    def close(self) -> None:
        """Let the threads go, after the games under way."""
        self._pool.shutdown(cancel_futures=True)


def try_out(rule_set: rule_sets.Game, bot: str, sample: Contestant) -> None:
    """Start a player, which compiles or loads its kernels. Raises ValueError with what it says of
    its options.
    """
    start = start_of(rule_set, rule_set.start().state(), 0, 0, sample.options)
    try:
        new_player(bot, start, sample.weights)
    except SystemExit as error:  # how players tell their mistakes
        raise ValueError(str(error)) from None
