"""The match runner in this process: no subprocess, and no clock but the players' own budget. Whole
games are played in one kernel where players count what they think, else by the rules, the players
asked turn by turn.
"""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from random import Random
from typing import Any

import numpy as np

import rules as rule_sets
from players.catalogue import BUILTINS
from players.games.registry import load_board
from players.heuristic import HeuristicOptions
from players.learning.tuning.matches import (
    HOUR_MS,
    Aborted,
    Contestant,
    MatchTask,
    PlayedGame,
    both_slide,
    start_of,
)
from players.learning.tuning.openings import BalancedOpenings
from players.learning.tuning.tile_games import TileWorker
from players.learning.tuning.uct_games import UctWorker, is_counted, read_seat
from players.sdk import Turn
from players.search.types import Flag
from players.uct import Uct, UctOptions
from rules.position import PASS, Position, forced_move

History = list[tuple[int, str]]
"""`(seat, move)` of each move so far, forced passes and chance included."""


class InProcessRunner:
    """Plays on several threads, each with a worker of its own."""

    def __init__(
        self, rule_set: rule_sets.Game, bot: str, sample: Contestant, threads: int
    ) -> None:
        """`sample` is any of the contestants: they differ in what is tuned alone."""
        self._rule_set, self._bot, self._sample = rule_set, bot, sample
        self._stop = stop = np.zeros(1, np.int64)
        self._own = threading.local()
        self._pool = ThreadPoolExecutor(threads)
        self.new_worker: Callable[[], UctWorker | TileWorker | TurnWorker] = lambda: TurnWorker(
            rule_set, bot, stop
        )
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
        elif isinstance(options, HeuristicOptions) and options.think_ms is None:
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
            BalancedOpenings(self._rule_set, board).draw(
                MatchTask((self._sample,) * 2, "", plies, "")
            )
        if self.brief is not None:  # other players have loaded theirs
            seat = self.read(self.brief)
            self.new_worker().play((seat, seat), MatchTask((self.brief,) * 2, "", plies, ""))

    def play(self, tasks: Sequence[MatchTask]) -> list[PlayedGame]:
        seats = {id(each): self.read(each) for task in tasks for each in task.contestants}
        games: list[Future[PlayedGame]] = [
            self._pool.submit(self._play, tuple(seats[id(each)] for each in task.contestants), task)
            for task in tasks
        ]
        return [each.result() for each in games]

    def _play(self, contestants: tuple[Any, ...], task: MatchTask) -> PlayedGame:
        if self._stop[0]:
            raise Aborted
        if not hasattr(self._own, "worker"):
            self._own.worker = self.new_worker()
        played: PlayedGame = self._own.worker.play(contestants, task)
        return played

    def abort(self) -> None:
        self._stop[0] = 1

    def close(self) -> None:
        """Let the threads go, after the games under way."""
        self._pool.shutdown(cancel_futures=True)


def try_out(rule_set: rule_sets.Game, bot: str, sample: Contestant) -> None:
    """Start a player, which loads its kernels. Raises ValueError: what it says of its options."""
    try:
        DrivenPlayer(bot, sample, rule_set, rule_set.start(), 0, 0)
    except SystemExit as error:  # how players report their mistakes
        raise ValueError(str(error)) from None


class DrivenPlayer:
    """One player of a game, as its own process would drive it."""

    def __init__(
        self,
        bot: str,
        contestant: Contestant,
        rule_set: rule_sets.Game,
        position: Position,
        seat: int,
        seed: int,
        sent: int = 0,
    ) -> None:
        """`sent` moves were played before."""
        self._start = start_of(rule_set, position.state(), seat, seed, contestant.options)
        player, self._sent = BUILTINS[bot], sent
        if contestant.weights is None:
            self._player = player(self._start)
        else:
            assert issubclass(player, Uct)  # it has a table
            self._player = player(self._start, contestant.weights)

    def choose(self, position: Position, history: History) -> str:
        turn = Turn(
            start=self._start,
            game=self._start.game,
            ply=len(history),
            time_ms=HOUR_MS,
            bank_ms=None,
            state=position.state(),
            moves=history[self._sent :],
            legal=list(position.legal_moves()),
            used_ms=0,
            deadline=time.monotonic() + HOUR_MS / 1000,
        )
        self._sent = len(history)
        answer = self._player.choose(turn)
        return answer if isinstance(answer, str) else answer[0]


class TurnWorker:
    """Plays by the rules, with new players for each game."""

    def __init__(self, rule_set: rule_sets.Game, bot: str, stop: Flag) -> None:
        self._rule_set, self._bot, self._stop = rule_set, bot, stop
        tiles = rule_set.name in rule_sets.tiles.NAMES
        self._board = None if tiles else load_board(rule_set.name, rule_set.variant)

    def play(self, contestants: tuple[Contestant, Contestant], task: MatchTask) -> PlayedGame:
        """Play a game on, or both of a task of 2048 or 2584. Raises Aborted once `stop` is set."""
        if self._board is None:
            return both_slide(self.slide, contestants, task)
        moves, _, seeds = BalancedOpenings(self._rule_set, self._board).draw(task)
        position, history = self._rule_set.start(), History()
        for move in moves[: task.plies]:
            if position.must_pass:
                position = _after(position, PASS, history)
            position = _after(position, self._board.names[move], history)
        before = len(history)
        position = self._play_on(position, history, contestants, seeds, Random())
        made = tuple((seat, move) for seat, move in history[before:] if move != PASS)
        first, second = position.scores()
        return PlayedGame(made, int(first - second))

    def slide(self, contestants: tuple[Contestant, Contestant], seed: int) -> int:
        """The score of the first as slider, the second being the placer where a player places.
        Raises Aborted once the flag is set.
        """
        random = Random(seed)
        position = self._rule_set.start(random.getrandbits(63))
        seeds = tuple(random.getrandbits(63) for _ in range(self._rule_set.seats))
        return int(self._play_on(position, History(), contestants, seeds, random).scores()[0])

    def _play_on(
        self,
        position: Position,
        history: History,
        contestants: tuple[Contestant, Contestant],
        seeds: tuple[int, ...],
        random: Random,
    ) -> Position:
        """The position at the end; `random` draws what chance does."""
        sent = len(history)
        players = [
            DrivenPlayer(self._bot, contestants[seat], self._rule_set, position, seat, seed, sent)
            for seat, seed in enumerate(seeds)
        ]
        while (mover := position.to_move) is not None:
            if self._stop[0]:
                raise Aborted
            forced = forced_move(position, random)
            move = players[mover].choose(position, history) if forced is None else forced
            position = _after(position, move, history)
        return position


def _after(position: Position, move: str, history: History) -> Position:
    assert position.to_move is not None  # there is a move
    history.append((position.to_move, move))
    return position.play(move)
