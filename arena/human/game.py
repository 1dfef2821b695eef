"""A person's game while it is played: the same on the terminal and on a page."""

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from arena.human.opponent import Opponent
from arena.model.game_spec import derive, first_position
from arena.model.protocol import Termination
from arena.model.record import PlayerFault
from arena.referee.outcome import Outcome, finished
from arena.referee.requests import Moves
from arena.referee.session import Answered
from arena.reports.replay import mark
from rules.position import CHANCE, PASS, Game, Position, forced_move
from rules.tiles import TilesPosition
from rules.transcript import write_transcript


class MoveMade(NamedTuple):
    seat: int
    move: str
    answer: Answered | None = None
    """How the opponent gave it; None for the person's own, passes and chance."""


class HumanGame:
    """The position of a person's game, the moves so far, and how it ends in words."""

    def __init__(self, game: Game, seat: int, opponent: Opponent | None, seed: int) -> None:
        """`seat` is the person's; an opponent that was begun has the other one."""
        self.game, self.seat, self.opponent, self.seed = game, seat, opponent, seed
        self.first = self.position = first_position(game, seed)
        self.before: Position | None = None
        """The position before the last move."""
        self.moves: Moves = []
        self._mine: list[int] = []  # at which plies the person moved

    def advance(self) -> Iterator[MoveMade]:
        """Make every move that is not the person's to choose, one by one: passes, chance and the
        opponent's. Ends where the person chooses or the game is over. Raises PlayerFault.
        """
        while (mover := self.position.to_move) is not None:
            chance = Random(derive(self.seed, f"ply {len(self.moves)}"))  # the same after an undo
            forced = forced_move(self.position, chance)
            if forced is not None:
                yield self._made(MoveMade(mover, forced))
            elif self.opponent is not None and mover == self.opponent.seat:
                answer = self.opponent.choose(self.position, self.moves)
                yield self._made(MoveMade(mover, answer.move.move, answer))
            else:
                return

    def choose(self, move: str) -> MoveMade:
        """Make the person's move. Raises MoveError."""
        self.position.play(move)
        self._mine.append(len(self.moves))
        return self._made(MoveMade(self.seat, move))

    def _made(self, made: MoveMade) -> MoveMade:
        self.before, self.position = self.position, self.position.play(made.move)
        self.moves.append((made.seat, made.move))
        return made

    @property
    def can_undo(self) -> bool:
        return bool(self._mine)

    def undo(self) -> None:
        """Take back the person's last move and those after it. Raises PlayerFault."""
        del self.moves[self._mine.pop() :]
        self.position, self.before = self.first, None
        for _, move in self.moves:
            self.before, self.position = self.position, self.position.play(move)
        if self.opponent is not None:
            self.opponent.take_back(self.position, self.moves)

    def end(self) -> str:
        """Send the opponent the end of the game; its result, in words."""
        early = ", decided before the last move" if self.position.is_adjudicated else ""
        if self.opponent is not None:
            self.opponent.end(finished(self.position), self.position)
        won = ""
        if not self.game.decided_by_seed:
            scores = self.position.scores()
            margin = scores[self.seat] - scores[1 - self.seat]
            won = " You win." if margin > 0 else " You lose." if margin < 0 else " A draw."
        return f"Game over{early}. {self.scores()}.{won}"

    def resign(self) -> str:
        """Give the game up; that in words."""
        if self.opponent is None:
            return self.leave()
        detail = f"{self.name(self.seat)} resigned."
        self.opponent.end(Outcome(Termination.ADJUDICATED, detail, self.seat), self.position)
        return f"You resigned. {self.name(self.opponent.seat)} wins."

    def leave(self) -> str:
        """End the game without a result; that in words."""
        if self.opponent is not None:
            outcome = Outcome(Termination.VOID, "The person left the game.")
            self.opponent.end(outcome, self.position)
        return f"You left the game. {self.scores()}."

    def faulted(self, fault: PlayerFault) -> tuple[str, str]:
        """Two sentences on a fault of the opponent: the event, and the winner."""
        name = self.name(1 - self.seat)
        if fault.termination is Termination.VOID:
            return f"The game is void: {name} {fault.detail}.", ""
        return f"{name} forfeits ({fault.termination}): {fault.detail}", "You win."

    @property
    def was_forced(self) -> bool:
        """Whether the last move was a pass without a choice."""
        before = self.before
        return before is not None and self.moves[-1][1] == PASS and before.must_pass

    def describe(self, made: MoveMade) -> str:
        """A sentence on the last move, or on a forced pass."""
        if self.was_forced:
            return f"{self.name(made.seat)}: no legal move, a forced pass."
        return f"{self.name(made.seat)}: {made.move}"

    @property
    def transcript(self) -> str:
        return write_transcript(self.first, (move for _, move in self.moves))

    def scores(self) -> str:
        """`X you 3, O greedy 1`, or `Score 3048, largest tile 256`."""
        scores = self.position.scores()
        if isinstance(self.position, TilesPosition):
            return f"Score {scores[0]}, largest tile {max(self.position.cells)}"
        return ", ".join(f"{self.name(seat)} {score}" for seat, score in enumerate(scores))

    def name(self, seat: int) -> str:
        """`X you`, `O greedy`, `chance`."""
        if seat == CHANCE:
            return "chance"
        other = self.opponent
        name = other.name if other is not None and seat == other.seat else "you"
        return f"{mark(self.game, seat)}{name}"
