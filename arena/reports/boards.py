"""The games of a run on the board, move by move, one after the other, while they are played."""

import math
import threading
from collections import deque

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from arena.model.game_spec import first_position
from arena.reports.board import coloured
from arena.reports.live_screen import status
from arena.reports.replay import mark
from arena.tournament.events import GameFinished, GameStarted, GameVoid, RunFinished
from arena.tournament.run_view import RunView
from rules.position import CHANCE, Game, Position

_LOOK_S = 0.1
_CATCHES_UP = 40
"""Up to that many new moves are shown one at a time, more of them several at a time."""


class ShownGame:
    """A game that is shown, a little behind how it is played."""

    def __init__(self, game: Game, started: GameStarted) -> None:
        self.id = started.game
        self._game, self._players = game, started.players
        self._position = first_position(game, started.seed)
        self._before: Position | None = None
        self._last, self._shown = "", 0
        self.moves: list[str] = []
        """The moves that are known so far."""
        self.ended = ""
        """How it ended, once it has."""

    @property
    def behind(self) -> int:
        """How many moves are known and not shown yet."""
        return len(self.moves) - self._shown

    def step(self) -> None:
        for move in self.moves[self._shown :][: math.ceil(self.behind / _CATCHES_UP)]:
            seat = self._position.to_move
            self._before, self._position = self._position, self._position.play(move)
            self._shown += 1
            self._last = f"{self._shown}. {self._name(seat)}: {move}"

    def _name(self, seat: int | None) -> str:
        if seat is None or seat == CHANCE:
            return "chance"
        return mark(self._game, seat) + self._players[seat]

    def drawn(self) -> Group:
        """The board, under the players and the last move."""
        names = " – ".join(map(self._name, range(len(self._players))))
        head = Text.assemble((self.id, "dim"), f" {names}")
        board = coloured(self._position, self._before)
        return Group(Text(), head, Text(self._last or "starting", style="bold cyan"), board)


class Boards:
    """Shows the boards of a run on a terminal; each game's last one stays."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._games: deque[ShownGame] = deque()
        self._hurry = threading.Event()

    def show(self, view: RunView) -> None:
        for event in view.news:
            match event:
                case GameStarted():
                    self._games.append(ShownGame(view.config.terms.game, event))
                case GameFinished() | GameVoid():
                    self._end(event.game, view)
                case RunFinished(outcome=outcome) if outcome.interrupted:
                    self._games.clear()
        for game in self._games:
            if game.id in view.playing:
                game.moves = view.playing[game.id].moves
        self._draw(status(view))

    def _end(self, id_: str, view: RunView) -> None:
        record = view.record(id_)
        for game in self._games:
            if game.id == id_ and not game.ended and record is not None:
                game.moves = [played.move for played in record.moves]
                game.ended = f"{record.termination}: {record.detail}"

    def _draw(self, state: str) -> None:
        while self._games and self._games[0].ended and not self._games[0].behind:
            game = self._games.popleft()
            self._console.print(game.drawn(), Text(game.ended, style="bold"))
        if self._games:
            self._games[0].step()
            self._live.start()
            self._live.update(Group(self._games[0].drawn(), Text(state, style="dim")), refresh=True)

    def hurry(self) -> None:
        self._hurry.set()

    def close(self) -> None:
        """Show the rest of the games that have ended, and take the screen away."""
        while self._games and self._games[0].ended and not self._hurry.wait(_LOOK_S):
            self._draw("")
        self._live.stop()
