"""Games of any built-in player: the player itself, asked turn by turn, in this process."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Protocol

import rules as rule_sets
from players.alphabeta import AlphaBeta
from players.kernels.boards import Board
from players.learning.tuning.counted import uct_player
from players.learning.tuning.tasks import HOUR_MS, Aborted, Contestant, Opened, Played, start_of
from players.sdk import Answer, Start, Turn
from rules.position import PASS, Position


class Player(Protocol):
    """A built-in player, as its own process drives it."""

    def start(self, start: Start) -> None:
        """Make ready for a game."""

    def choose(self, turn: Turn) -> Answer:
        """Answer a turn."""


class PlainDesk:
    """The rules, and two new players for each game."""

    def __init__(self, rule_set: rule_sets.Game, board: Board, bot: str, stop: Any) -> None:
        """`stop` is the int64[1] flag that ends all games."""
        self._rule_set, self._board, self._bot, self._stop = rule_set, board, bot, stop

    def play(
        self, contestants: tuple[Contestant, Contestant], opened: Opened, seeds: tuple[int, int]
    ) -> Played:
        """Play a game on from its opening. Raises Aborted once the flag is set."""
        position, history = self._rule_set.start(), list[tuple[int, str]]()
        for move in opened.moves[: opened.plies]:
            position = _after(position, self._board.names[move], history)
        seats = [
            _Seat(self._bot, contestant, self._rule_set, position, seat, seeds[seat], len(history))
            for seat, contestant in enumerate(contestants)
        ]
        before = len(history)
        while not position.is_over:
            if self._stop[0]:
                raise Aborted
            move = PASS
            if position.legal_moves() != (PASS,):
                assert position.to_move is not None  # as it is not over
                move = seats[position.to_move].choose(position, history)
            position = _after(position, move, history)
        made = tuple((seat, move) for seat, move in history[before:] if move != PASS)
        first, second = position.scores()
        return Played(made, int(first - second))


def new_player(bot: str, weights: Any) -> Player:
    """The player `bot`, with `weights` in place of its options' table unless they are None."""
    makers: dict[str, Callable[[], Player]] = {AlphaBeta.name: AlphaBeta}
    return makers[bot]() if bot in makers else uct_player(bot, weights)


class _Seat:
    """One player of a game."""

    def __init__(
        self,
        bot: str,
        contestant: Contestant,
        rule_set: rule_sets.Game,
        position: Position,
        seat: int,
        seed: int,
        told: int,
    ) -> None:
        """`told` moves were played before."""
        variant, state = dict(rule_set.variant), position.state()
        self._start = start_of(rule_set.name, variant, state, seat, seed, contestant.options)
        self._player = new_player(bot, contestant.weights)
        self._player.start(self._start)
        self._told = told

    def choose(self, position: Position, history: list[tuple[int, str]]) -> str:
        """The player's move."""
        turn = Turn(
            start=self._start,
            game=self._start.game,
            ply=len(history),
            time_ms=HOUR_MS,
            bank_ms=None,
            state=position.state(),
            moves=history[self._told :],
            legal=list(position.legal_moves()),
            used_ms=0,
            deadline=time.monotonic() + HOUR_MS / 1000,
        )
        self._told = len(history)
        answer = self._player.choose(turn)
        return answer if isinstance(answer, str) else answer[0]


def _after(position: Position, move: str, history: list[tuple[int, str]]) -> Position:
    """The position after a move, and after the pass that the rules force before it."""
    if move != PASS and position.legal_moves() == (PASS,):
        position = _after(position, PASS, history)
    assert position.to_move is not None  # there is a move
    history.append((position.to_move, move))
    return position.play(move)
