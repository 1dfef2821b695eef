"""The front that speaks the NBoard protocol, version 2: see `players.nboard` for its form."""

from collections.abc import Iterator

from arena.human.engine_player import FrontPlayer
from arena.model.record import PlayerFault
from arena.referee.requests import Moves
from arena.referee.session import Answered
from rules.ggf import BLACK_WHITE, read_board, read_move, read_properties, write_move
from rules.position import PASS


class NBoardFront:
    """A game of Othello, played over NBoard. Unknown commands are ignored."""

    def __init__(self, player: FrontPlayer) -> None:
        self.player = player
        self.moves: Moves = []

    def answer(self, line: str) -> Iterator[str]:
        """The lines that answer a command. EOFError after `quit`."""
        command, _, rest = line.partition(" ")
        try:
            match command:
                case "quit":
                    raise EOFError
                case "nboard":
                    yield f"set myname {self.player.name}"
                case "ping":
                    yield f"pong {rest}"
                case "learn":
                    yield "learned"
                case "set" if rest.startswith("game "):
                    self._set_game(rest.removeprefix("game "))
                case "move":
                    self.moves = self._and([rest])
                case "go" | "hint":
                    yield from self._think(command)
        except ValueError as error:
            yield f"status Error: {error}"
        except PlayerFault as fault:
            yield f"status {self.player.name} failed: {' '.join(fault.detail.split())}"

    def _set_game(self, ggf: str) -> None:
        """Raises ValueError where it is no game from the usual start."""
        properties = read_properties(ggf)
        start = next((value for name, value in properties if name == "BO"), "")
        if read_board(start) != self.player.game.start():
            title = self.player.game.title
            raise ValueError(f"the game does not begin at the start of {title}")
        self.moves = []
        self.moves = self._and([value for name, value in properties if name in BLACK_WHITE])

    def _and(self, values: list[str]) -> Moves:
        """The moves so far and these. Raises MoveError."""
        moves, position = list(self.moves), self.player.after(self.moves)
        for value in values:
            move = read_move(value).move
            seat, position = position.to_move, position.play(move)
            assert seat is not None  # it could be played
            moves.append((seat, move))
        return moves

    def _think(self, command: str) -> Iterator[str]:
        position = self.player.after(self.moves)
        if position.is_over or position.must_pass:
            yield f"=== {write_move(PASS)}"
            return
        yield f"status {self.player.name} is thinking"
        answered = self.player.choose(self.moves)
        yield from _search_lines(answered)
        if command == "go":
            info = answered.move.info
            score = info.get("score") if info else None
            yield f"=== {write_move(answered.move.move, score, answered.used_ms / 1000)}"
        yield "status"


def _search_lines(answered: Answered) -> Iterator[str]:
    """The player's `info` on its move as lines of NBoard; no depth is 1, no score 0."""
    info, move = answered.move.info or {}, answered.move.move
    line = "".join(write_move(each) for each in info.get("pv") or [move])
    yield f"search {line} {info.get('score', 0.0):.2f} 0 {info.get('depth') or 1}"
    if "nodes" in info:
        yield f"nodestats {info['nodes']} {answered.used_ms / 1000:.2f}"
