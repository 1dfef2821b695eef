"""Games of any built-in player in this process: by the rules, the players asked turn by turn."""

import time
from random import Random

import rules as rule_sets
from players.builtin import Builtin
from players.catalogue import BUILTINS
from players.games.registry import Board, load_board
from players.learning.tuning.matches import (
    HOUR_MS,
    Aborted,
    Contestant,
    MatchTask,
    PlayedGame,
    both_slide,
    start_of,
)
from players.learning.tuning.openings import Openings
from players.sdk import Start, Turn
from players.search.types import Array, Flag
from players.uct import Uct
from rules.position import CHANCE, PASS, Position, draw_chance

History = list[tuple[int, str]]
"""`(seat, move)` of each move so far, forced passes and chance included."""


def new_player(bot: str, start: Start, weights: Array | None) -> Builtin:
    """The player `bot`, with `weights` in place of its options' table unless they are None."""
    player = BUILTINS[bot]
    if weights is None:
        return player(start)
    assert issubclass(player, Uct)  # it has a table
    return player(start, weights)


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
        told: int = 0,
    ) -> None:
        """`told` moves were played before."""
        self._start = start_of(rule_set, position.state(), seat, seed, contestant.options)
        self._player = new_player(bot, self._start, contestant.weights)
        self._told = told

    def choose(self, position: Position, history: History) -> str:
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


class TurnWorker:
    """Plays by the rules, with new players for each game."""

    def __init__(self, rule_set: rule_sets.Game, bot: str, stop: Flag) -> None:
        """`stop` ends all games."""
        self._rule_set, self._bot, self._stop = rule_set, bot, stop
        self._board: Board | None = None
        if rule_set.name not in rule_sets.tiles.NAMES:
            self._board = load_board(rule_set.name, rule_set.variant)

    def play(self, contestants: tuple[Contestant, Contestant], task: MatchTask) -> PlayedGame:
        """Play a game on from its opening, or both games of a task of 2048 or 2584. Raises Aborted
        once the flag is set.
        """
        if self._board is None:
            return both_slide(self.slide, contestants, task)
        opened, seeds = Openings(self._rule_set, self._board).draw(task)
        position, history = self._rule_set.start(), History()
        for move in opened.moves[: opened.plies]:
            if position.legal_moves() == (PASS,):
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
        told = len(history)
        players = [
            DrivenPlayer(self._bot, contestants[seat], self._rule_set, position, seat, seed, told)
            for seat, seed in enumerate(seeds)
        ]
        while (mover := position.to_move) is not None:
            if self._stop[0]:
                raise Aborted
            if mover == CHANCE:
                move = draw_chance(position, random)
            elif position.legal_moves() == (PASS,):
                move = PASS
            else:
                move = players[mover].choose(position, history)
            position = _after(position, move, history)
        return position


def _after(position: Position, move: str, history: History) -> Position:
    """The position after a move, which is noted."""
    assert position.to_move is not None  # there is a move
    history.append((position.to_move, move))
    return position.play(move)
