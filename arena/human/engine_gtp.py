"""The front that speaks the Go Text Protocol, version 2: see `players.gtp` for its form."""

import inspect
import re
from collections.abc import Iterator
from importlib.metadata import version

import rules
from arena.human.engine_player import FrontPlayer
from arena.model.record import PlayerFault
from arena.referee.requests import Moves
from players.gtp import FROM_GTP, TO_GTP
from rules.position import PASS, Position

_COLOURS = {"black": 0, "b": 0, "white": 1, "w": 1}
_STILL_TO_COME = 20
"""Moves that a time for the whole game is kept for."""


def _whole(word: str) -> int:
    if not word.isdecimal():
        raise ValueError("syntax error")
    return int(word)


class GtpFront:
    """A game of Othello, played over GTP."""

    def __init__(self, player: FrontPlayer) -> None:
        self.player = player
        self._given_ms = player.move_ms
        self.moves: Moves = []
        self._before: list[Moves] = []
        """The moves before each command for a move, which may have made a forced pass first."""

    def answer(self, line: str) -> Iterator[str]:
        """The response to a command line, an empty line at its end. EOFError after `quit`."""
        match = re.match(r"(\d*)\s*(\S*)\s*([^#]*)", line)
        assert match is not None  # all of it may be empty
        number, command, rest = match.groups()
        if not command or command.startswith("#"):
            return
        try:
            do = getattr(self, f"do_{command}", None)
            if do is None:
                raise ValueError("unknown command")
            words = rest.lower().split()
            try:
                inspect.signature(do).bind(*words)
            except TypeError:
                raise ValueError("syntax error") from None
            yield f"={number} {do(*words)}".rstrip()
        except ValueError as error:
            yield f"?{number} {error}"
        except PlayerFault as fault:
            yield f"?{number} {self.player.name} failed: {' '.join(fault.detail.split())}"
        yield ""
        if command == "quit":
            raise EOFError

    def do_protocol_version(self) -> str:
        return "2"

    def do_name(self) -> str:
        return self.player.name

    def do_version(self) -> str:
        return version("bot-arena")

    def do_list_commands(self) -> str:
        return "\n".join(name[3:] for name in dir(self) if name.startswith("do_"))

    def do_known_command(self, command: str) -> str:
        return str(hasattr(self, f"do_{command}")).lower()

    def do_quit(self) -> str:
        return ""

    def do_set_game(self, game: str) -> str:
        if game != "othello":
            raise ValueError("this engine plays Othello")
        return ""

    def do_boardsize(self, size: str) -> str:
        """Another size begins another game; a player that cannot play it says so when asked."""
        variant = {**self.player.game.variant, "size": _whole(size)}
        self.player.resize(rules.load("othello", **variant))
        return self.do_clear_board()

    def do_clear_board(self) -> str:
        self.moves, self._before = [], []
        return ""

    def do_komi(self, komi: str) -> str:
        return ""

    def do_play(self, colour: str, vertex: str) -> str:
        moves, position = self._turn_of(colour)
        self._make(moves, position, vertex if vertex == PASS else vertex.translate(FROM_GTP))
        return ""

    def do_genmove(self, colour: str) -> str:
        moves, position = self._turn_of(colour)
        passes = position.is_over or position.must_pass
        move = PASS if passes else self.player.choose(moves).move.move
        self._make(moves, position, move)
        return move if move == PASS else move.translate(TO_GTP).upper()

    def do_undo(self) -> str:
        if not self._before:
            raise ValueError("cannot undo")
        self.moves = self._before.pop()
        return ""

    def do_showboard(self) -> str:
        return f"\n{self.player.after(self.moves)}"

    def do_final_score(self) -> str:
        black, white = self.player.after(self.moves).scores()
        return "0" if black == white else f"{'BW'[white > black]}+{abs(black - white)}"

    def do_time_settings(self, main: str, more: str, stones: str) -> str:
        """Byo-yomi, or main time, a part of it for each move. Byo-yomi of no stones means no limit:
        the player has the time that it was given at first.
        """
        whole, extra, moves = map(_whole, (main, more, stones))
        per_move = whole / _STILL_TO_COME if not extra else extra / moves if moves else 0
        self.player.move_ms = max(1, int(1000 * per_move)) if per_move else self._given_ms
        return ""

    def do_time_left(self, colour: str, seconds: str, stones: str) -> str:
        left = _whole(seconds) / (_whole(stones) or _STILL_TO_COME)
        self.player.move_ms = max(1, int(1000 * left))
        return ""

    def _turn_of(self, colour: str) -> tuple[Moves, Position]:
        """The moves and the position after them, with a forced pass of the other colour."""
        if colour not in _COLOURS:
            raise ValueError("invalid color")
        moves, position = self.moves, self.player.after(self.moves)
        if position.to_move == 1 - _COLOURS[colour] and position.must_pass:
            moves = [*moves, (position.to_move, PASS)]
            position = position.play(PASS)
        if not position.is_over and position.to_move != _COLOURS[colour]:
            raise ValueError("it is not its turn")
        return moves, position

    def _make(self, moves: Moves, position: Position, move: str) -> None:
        """A pass after the end changes nothing, and can be taken back."""
        made = self.moves
        if not (position.is_over and move == PASS):
            position.play(move)
            assert position.to_move is not None  # it could be played
            made = [*moves, (position.to_move, move)]
        self._before.append(self.moves)
        self.moves = made
