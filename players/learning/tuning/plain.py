"""Games of any built-in player: the rules, and the players asked turn by turn."""

from __future__ import annotations

from random import Random
from typing import Any

import rules as rule_sets
from players.games.registry import Board
from players.learning.tuning.driven import Driven
from players.learning.tuning.tasks import Aborted, Contestant, Opened, Played
from rules.position import PASS, Position, forced_move

History = list[tuple[int, str]]
"""Seat and move of each ply."""


class PlainWorker:
    """The rules of Othello or dots, and two new players for each game."""

    def __init__(self, rule_set: rule_sets.Game, board: Board, bot: str, stop: Any) -> None:
        """`stop` is the int64[1] flag that ends all games."""
        self._rule_set, self._board, self._bot, self._stop = rule_set, board, bot, stop

    def play(
        self, contestants: tuple[Contestant, Contestant], opened: Opened, seeds: tuple[int, int]
    ) -> Played:
        """Play a game on from its opening. Raises Aborted once the flag is set."""
        position, history = self._rule_set.start(), History()
        for move in opened.moves[: opened.plies]:
            position = _after(position, self._board.names[move], history)
        seats = [
            Driven(self._bot, contestant, self._rule_set, position, seat, seeds[seat], len(history))
            for seat, contestant in enumerate(contestants)
        ]
        before = len(history)
        position = _play_on(position, history, seats, self._stop, Random(0))  # no move of chance
        made = tuple((seat, move) for seat, move in history[before:] if move != PASS)
        first, second = position.scores()
        return Played(made, int(first - second))


def _after(position: Position, move: str, history: History) -> Position:
    """The position after a move, and after the pass that the rules force before it."""
    if move != PASS and position.legal_moves() == (PASS,):
        position = _after(position, PASS, history)
    assert position.to_move is not None  # there is a move
    history.append((position.to_move, move))
    return position.play(move)


class PlainTileWorker:
    """The rules of 2048 or 2584, and new players for each game."""

    def __init__(self, rule_set: rule_sets.Game, bot: str, stop: Any) -> None:
        """`stop` is the int64[1] flag that ends all games."""
        self._rule_set, self._bot, self._stop = rule_set, bot, stop

    def slide(self, contestants: tuple[Contestant, Contestant], seed: int) -> int:
        """The score of the first as slider, the second being the placer where a player places.
        Raises Aborted once the flag is set.
        """
        random = Random(seed)
        position, history = self._rule_set.start(random.getrandbits(63)), History()
        seats = [
            Driven(self._bot, contestant, self._rule_set, position, seat, random.getrandbits(63))
            for seat, contestant in enumerate(contestants[: self._rule_set.seats])
        ]
        position = _play_on(position, history, seats, self._stop, random)
        return int(position.scores()[0])


def _play_on(
    position: Position, history: History, seats: list[Driven], stop: Any, random: Random
) -> Position:
    """The end of a game in which the `seats` choose the moves. Raises Aborted once the flag `stop`
    is set.
    """
    while (mover := position.to_move) is not None:
        if stop[0]:
            raise Aborted
        move = forced_move(position, random) or seats[mover].choose(position, history)
        history.append((mover, move))
        position = position.play(move)
    return position
