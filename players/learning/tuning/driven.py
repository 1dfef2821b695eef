"""A built-in player that is asked turn by turn, in this process."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Protocol

import rules as rule_sets
from players.alphabeta import AlphaBeta
from players.expectimax import Expectimax
from players.heuristic import HeuristicPlayer
from players.learning.tuning.counted import uct_player
from players.learning.tuning.tasks import HOUR_MS, Contestant, start_of
from players.sdk import Answer, Start, Turn
from rules.position import Position


class Player(Protocol):
    """A built-in player, as its own process drives it."""

    def start(self, start: Start) -> None:
        """Make ready for a game."""

    def choose(self, turn: Turn) -> Answer:
        """Answer a turn."""


_MAKERS: dict[str, Callable[[], Player]] = {
    each.name: each for each in (AlphaBeta, Expectimax, HeuristicPlayer)
}


def new_player(bot: str, weights: Any) -> Player:
    """The player `bot`, with `weights` in place of its options' table unless they are None."""
    return _MAKERS[bot]() if bot in _MAKERS else uct_player(bot, weights)


class Driven:
    """One player of a game."""

    def __init__(
        self,
        bot: str,
        contestant: Contestant,
        rule_set: rule_sets.Game,
        position: Position,
        seat: int,
        seed: int,
        told: int = 0,
    ) -> None:
        """`told` moves were played before."""
        self._start = start_of(rule_set, position.state(), seat, seed, contestant.options)
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
