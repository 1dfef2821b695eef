"""A built-in player that is asked turn by turn, in this process."""

from __future__ import annotations

import time
from typing import Any

import rules as rule_sets
from players.builtin import Builtin
from players.catalogue import BUILTINS
from players.learning.tuning.tasks import HOUR_MS, Contestant, start_of
from players.sdk import Start, Turn
from players.uct import Uct
from rules.position import Position


def new_player(bot: str, start: Start, weights: Any) -> Builtin:
    """The player `bot`, with `weights` in place of its options' table unless they are None."""
    player = BUILTINS[bot]
    if weights is None:
        return player(start)
    assert issubclass(player, Uct)  # it has a table
    return player(start, weights)


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
        self._player = new_player(bot, self._start, contestant.weights)
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
