"""Any engine that speaks GTP and plays Othello, as a player.

The engine keeps a board of its own. It is told the moves it does not know before it is asked for
one; where the game is not the one on its board, the board is cleared and the game told anew.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import rules
from players.catalogue import BUILTINS
from players.gtp_engine import Engine, EngineFault, Refusal
from players.options import GtpOptions, read_options
from players.options.gtp import find_engine
from players.sdk import Answer, Start, Turn, play
from rules.position import PASS, MoveError, Position

_START_SHARE = 0.8
"""Of the time to start, so much is for the engine; it began before we did."""
_COLOURS = ("black", "white")
"""By seat, as GTP calls them."""


class Gtp:
    """The player. Its engine lives from game to game while the options stay the same."""

    name = "gtp"

    def __init__(self) -> None:
        self._engine: Engine | None = None
        self._options = GtpOptions()

    def start(self, start: Start) -> None:
        """Start the engine where it does not run yet, and set up its board."""
        deadline = time.monotonic() + _START_SHARE * start.startup_ms / 1000
        options = read_options(GtpOptions, start)
        reason = BUILTINS[self.name].unsupported(start.rules, start.variant)
        if reason is not None:
            sys.exit(reason)
        self._colour = _COLOURS[start.seat]
        self._position: Position = rules.load(start.rules, **start.variant).start()
        self._moves: list[tuple[int, str]] = []
        self._follow(start.moves, start.state)
        engine = self._running(options, deadline)
        if options.tell_clock:
            engine.ask(_time_settings(start), deadline)
        self._clear_board(engine, deadline)
        self._catch_up(engine, deadline)

    def choose(self, turn: Turn) -> Answer:
        """What the engine plays; the only move without asking it."""
        assert self._engine is not None  # the start did it
        self._follow(turn.moves, turn.state)
        self._catch_up(self._engine, turn.deadline)
        if len(turn.legal) == 1:
            return turn.legal[0]
        if self._options.tell_clock:
            self._engine.ask(self._time_left(turn), turn.deadline)
        said = self._engine.ask(f"genmove {self._colour}", turn.deadline)
        move = said.lower()
        self._told.append((turn.seat, move))
        if move not in turn.legal:
            self._report(said)
        return move

    def close(self) -> None:
        """End the engine."""
        if self._engine is not None:
            self._engine.close()
            self._engine = None

    def _running(self, options: GtpOptions, deadline: float) -> Engine:
        """The engine of these options, started anew unless it runs."""
        if self._engine is not None and self._engine.alive and options == self._options:
            return self._engine
        self.close()
        self._options = options
        self._takes_passes = True
        program, *arguments = options.words
        try:
            found = find_engine(program, Path.cwd())
        except ValueError as error:
            sys.exit(f"{error}.")
        engine = self._engine = Engine([found, *arguments])
        name, version = (engine.ask(command, deadline) for command in ("name", "version"))
        sys.stderr.write(f"The engine is {name} {version}.\n")
        _choose_othello(engine, deadline)
        for command in ("boardsize 8", *options.setup):
            engine.ask(command, deadline)
        return engine

    def _follow(self, moves: Iterable[tuple[int, str]], state: Mapping[str, Any]) -> None:
        """Play on our own board what was played."""
        for seat, move in moves:
            self._position = self._position.play(move)
            self._moves.append((seat, move))
        if self._position.state() != state:
            sys.exit(
                "A GTP engine can only be told a game from its first move, and these moves do not "
                f"lead to the position to play: {_transcript(self._moves) or 'none'}."
            )

    def _catch_up(self, engine: Engine, deadline: float) -> None:
        """Tell the engine what it does not know of the game."""
        if self._told != self._moves[: len(self._told)]:
            self._clear_board(engine, deadline)
        for seat, move in self._moves[len(self._told) :]:
            if move != PASS:
                engine.ask(f"play {_COLOURS[seat]} {move}", deadline)
            elif self._takes_passes:
                self._tell_pass(engine, seat, deadline)
            self._told.append((seat, move))

    def _clear_board(self, engine: Engine, deadline: float) -> None:
        engine.ask("clear_board", deadline)
        self._told: list[tuple[int, str]] = []

    def _tell_pass(self, engine: Engine, seat: int, deadline: float) -> None:
        """Some engines (gtp-rhino) see a forced pass for themselves and refuse to be told."""
        try:
            engine.ask(f"play {_COLOURS[seat]} pass", deadline)
        except Refusal as refusal:
            self._takes_passes = False
            sys.stderr.write(f"{refusal} Passes, being forced, are left out from now on.\n")

    def _report(self, said: str) -> None:
        """Tell the engine's author of a move that is none; the referee judges it."""
        try:
            self._position.play(said.lower())
        except MoveError as error:
            wrong = "resigned" if said.lower() == "resign" else f"played {said!r}: {error}"
            sys.stderr.write(
                f"The engine {wrong}.\nThe game so far: {_transcript(self._moves) or 'no move'}, "
                f"{self._colour} to move; legal: {' '.join(self._position.legal_moves())}.\n"
            )

    def _time_left(self, turn: Turn) -> str:
        """What the clock holds: for this one move, or for all when only the bank limits it."""
        stones = 0 if turn.start.clock.move_ms is None else 1
        return f"time_left {self._colour} {turn.time_ms // 1000} {stones}"


def _time_settings(start: Start) -> str:
    """The clock: a byo-yomi of one move, or main time alone when only the bank limits it."""
    clock = start.clock
    if clock.move_ms is None:
        assert clock.bank_ms is not None  # a clock limits something
        return f"time_settings {clock.bank_ms // 1000} 0 0"
    if clock.move_ms < 1000:
        sys.exit(
            f"options.tell_clock: GTP counts whole seconds and cannot tell {clock.move_ms} ms a "
            "move; leave the option out."
        )
    return f"time_settings 0 {clock.move_ms // 1000} 1"


def _choose_othello(engine: Engine, deadline: float) -> None:
    """Make an engine of several games play Othello; one that knows no `set_game` has one game."""
    try:
        engine.ask("set_game Othello", deadline)
    except Refusal:
        if engine.ask("known_command set_game", deadline) == "true":
            raise


def _transcript(moves: Iterable[tuple[int, str]]) -> str:
    return "".join(move for _, move in moves if move != PASS)


if __name__ == "__main__":
    player = Gtp()
    try:
        play(player.choose, start=player.start, name=player.name)
    except EngineFault as fault:
        sys.exit(str(fault))
    finally:
        player.close()
