"""A player that another program asks for moves, in any order of positions."""

from arena.human.opponent import Opponent
from arena.model.contender import Prepared
from arena.model.record import PlayerFault
from arena.referee.pool import SessionPool
from arena.referee.session import Answered, Moves
from rules.position import Game, Position


class EnginePlayer:
    """The player at both seats: each has a process of its own, begun when it is first asked."""

    def __init__(
        self, prepared: Prepared, game: Game, pool: SessionPool, move_ms: int, seed: int
    ) -> None:
        self.name = prepared.name
        self.game = game
        self.move_ms = move_ms
        """What it may take for its next move."""
        self._prepared, self._pool, self._seed = prepared, pool, seed
        self._asked: dict[int, tuple[Opponent, Moves]] = {}
        """By seat, and the moves that each knows."""

    def choose(self, moves: Moves) -> Answered:
        """Its move after these. Raises PlayerFault."""
        position = self.after(moves)
        seat = position.to_move
        assert seat is not None  # not asked in a game that is over
        try:
            opponent = self._following(seat, position, moves)
            answered = opponent.choose(position, moves)
        except PlayerFault:
            if seat in self._asked:
                self._asked.pop(seat)[0].quit()
            raise
        self._asked[seat] = opponent, list(moves)
        return answered

    def after(self, moves: Moves) -> Position:
        """The position after these moves. Raises MoveError."""
        position = self.game.start()
        for _, move in moves:
            position = position.play(move)
        return position

    def resize(self, game: Game) -> None:
        """Play another board from now on."""
        self.close()
        self.game = game

    def close(self) -> None:
        """End its processes."""
        for opponent, _ in self._asked.values():
            opponent.quit()
        self._asked.clear()

    def _following(self, seat: int, position: Position, moves: Moves) -> Opponent:
        """The player of this seat, who knows the game up to here."""
        if seat not in self._asked:
            opponent = Opponent(self._prepared, seat, self._pool, self.move_ms, self._seed)
            self._asked[seat] = opponent, list(moves)
            opponent.begin(position, moves)
            return opponent
        opponent, known = self._asked[seat]
        if moves[: len(known)] != known:
            opponent.take_back(position, moves)
        opponent.move_ms = self.move_ms
        return opponent
