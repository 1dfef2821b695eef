"""A player that another program asks for moves, in any order of positions."""

from arena.human.opponent import Opponent
from arena.model.contender import Prepared
from arena.model.record import PlayerFault
from arena.referee.pool import SessionPool
from arena.referee.requests import Moves
from arena.referee.session import Answered
from rules.position import Game, Position


class FrontPlayer:
    """The player, one process: asked for the other seat, it begins the game again there."""

    def __init__(
        self, prepared: Prepared, game: Game, pool: SessionPool, move_ms: int, seed: int
    ) -> None:
        self.name = prepared.name
        self.game = game
        self.move_ms = move_ms
        """The time limit of its next move."""
        self._prepared, self._pool, self._seed = prepared, pool, seed
        self._opponent: Opponent | None = None
        self._known: Moves = []

    def load(self) -> None:
        """Start its process, which would make a first move late. Raises UserError."""
        self._opponent = Opponent.in_game(
            self._prepared, 0, self._pool, self.move_ms, self._seed, self.game
        )

    def choose(self, moves: Moves) -> Answered:
        """Its move after these. Raises PlayerFault."""
        position = self.after(moves)
        assert position.to_move is not None  # not asked in a game that is over
        try:
            opponent = self._following(position.to_move, position, moves)
            answered = opponent.choose(position, moves)
        except PlayerFault:
            self.close()
            raise
        self._known = list(moves)
        return answered

    def after(self, moves: Moves) -> Position:
        """The position after these moves. Raises MoveError."""
        position = self.game.start()
        for _, move in moves:
            position = position.play(move)
        return position

    def resize(self, game: Game) -> None:
        """Play another board from now on."""
        if game != self.game:
            self.close()
            self.game = game

    def close(self) -> None:
        if self._opponent is not None:
            self._opponent.quit()
            self._opponent = None

    def _following(self, seat: int, position: Position, moves: Moves) -> Opponent:
        """The player at this seat, who knows the game up to here."""
        opponent = self._opponent
        if opponent is None:
            opponent = Opponent(self._prepared, seat, self._pool, self.move_ms, self._seed)
            self._opponent = opponent
            opponent.begin(position, moves)
        elif opponent.seat != seat or moves[: len(self._known)] != self._known:
            opponent.seat = seat
            opponent.take_back(position, moves)
        opponent.move_ms = self.move_ms
        return opponent
