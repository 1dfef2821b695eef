"""The base of built-in players: the class has its name, options and games.

No pydantic is loaded here, and no class loads compiled code before a game begins.
"""

from __future__ import annotations

import os
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from players.sdk import Answer, End, Start, Turn, play

if TYPE_CHECKING:
    from players.games.tiles.boards import TileBoard
    from players.options import Options, SearchOptions

LAST_MOVES = 2
"""Moves for which time is kept in the bank beyond those still to come."""

SOME_PLACES = 40
"""Moves still to come in a game of which nothing is known."""

TILE_MOVES = 5000
"""The moves that a player of 2048 and 2584 expects to be still to come at any time: the games are
as long as they are played well, and a bank that gives each move such a part of the rest is never
empty.
"""


class _Lazily:
    """The options of a player that takes none; pydantic takes most of a start to load."""

    def __get__(self, player: object, kind: type) -> type[Options]:
        from players.options import NoOptions

        return NoOptions


class Builtin(ABC):
    """A player of one game, and as a class a player that comes with the arena."""

    name: ClassVar[str]
    """Its name in a tournament file."""
    summary: ClassVar[str]
    """One line for people."""
    uses_clock: ClassVar[bool | None] = True
    """Whether it thinks for the whole time a move may take; None where its options decide."""
    runs_programs: ClassVar[bool] = False
    """Whether its options name a program to run, which is for the owner of the machine alone."""
    kernels: ClassVar[str] = ""
    """The search whose kernels it loads before its first game, as `players.warm` names it; "" for
    none.
    """
    if TYPE_CHECKING:
        options: ClassVar[type[Options]]
        """Validates the player's options table."""
    else:
        options = _Lazily()
    module: ClassVar[str]
    """It runs as `python -m module`."""

    def __init_subclass__(cls) -> None:
        cls.module = cls.__module__

    @classmethod
    def readable(cls) -> tuple[str, ...]:
        """Folders of the user's cache that it reads, by name: its compiled kernels."""
        from players.compiled.folder import cache_folder

        return (cache_folder().name,) if cls.kernels else ()

    @classmethod
    def unsupported(cls, rules: str, variant: Mapping[str, Any]) -> str | None:
        """A sentence saying why it cannot play these rules, or None when it can."""
        reason = cls.refusal(rules, variant)
        return reason and f"{cls.name} cannot play this: {reason}"

    @classmethod
    def refusal(cls, rules: str, variant: Mapping[str, Any]) -> str | None:
        """The reason alone."""
        return None

    @abstractmethod
    def __init__(self, start: Start) -> None:
        """Read the options and load every kernel. Mistakes end the process with a sentence."""

    @abstractmethod
    def choose(self, turn: Turn) -> Answer:
        """Answer a turn."""

    @classmethod
    def refuse_options(cls, start: Start) -> None:
        """For players without options: what reads options takes most of a start to load."""
        if start.options:
            from players.options import read_options

            read_options(cls.options, start)

    @classmethod
    def run(cls) -> None:
        """Play games until the referee says quit."""
        player: Builtin | None = None

        def start(game: Start) -> None:
            nonlocal player
            player = None  # the last game's memory first, where it has not ended
            reason = cls.unsupported(game.rules, game.variant)
            if reason is not None:
                sys.exit(reason)
            player = cls(game)

        def choose(turn: Turn) -> Answer:
            assert player is not None  # the referee starts a game before it asks for moves
            return player.choose(turn)

        def end(game: End) -> None:
            nonlocal player
            player = None  # the process may be kept for a long time

        play(choose, start=start, end=end, name=cls.name)
        if "numba" in sys.modules:  # it takes itself down for as long as half of a start
            os._exit(0)


def slides_and_places(rules: str, variant: Mapping[str, Any]) -> str | None:
    """Why a player of 2048 and 2584 cannot play these rules, or None when it can."""
    from rules import tiles

    return None if rules in tiles.NAMES else f"it plays {' and '.join(tiles.NAMES)}, not {rules}"


@cache
def tile_board(rules: str, spawn: str) -> TileBoard:
    """The compiled board of 2048 or 2584, made once by a process: its tables are large."""
    from players.games.tiles.boards import TileBoard

    return TileBoard(rules, spawn)


def think_until(
    turn: Turn, options: SearchOptions, *, shares: float = 1.0, solved: int = 0
) -> float:
    """When to stop thinking, in seconds of `time.monotonic()`.

    A bank is spread over the moves that remain to this player, were they shared equally, but for
    the last `solved` of both, which take no time; in 2048 and 2584 over `TILE_MOVES`. One move may
    take that many `shares`, at most half of the bank. `margin_ms`, at most half of the time, is
    kept for the way back.
    """
    from rules import tiles

    received = turn.deadline - turn.time_ms / 1000
    budget_ms = float(turn.time_ms)
    if turn.bank_ms is not None:
        to_come: float = TILE_MOVES
        if turn.start.rules not in tiles.NAMES:
            to_come = moves_to_come(turn.state, solved)
        share = turn.bank_ms / max(to_come / shares, LAST_MOVES)
        budget_ms = min(budget_ms, share + turn.start.clock.increment_ms)
    thinking_ms = max(budget_ms - options.margin_ms, budget_ms / 2)
    if options.think_ms is not None:
        thinking_ms = min(thinking_ms, options.think_ms)
    return received + thinking_ms / 1000


def moves_to_come(state: Mapping[str, Any], solved: int = 0) -> float:
    """Those that share a player's bank: half of all but the last `solved`, and `LAST_MOVES`."""
    return max(open_places(state) - solved, 0) / 2 + LAST_MOVES


def open_places(state: Mapping[str, Any]) -> int:
    """Empty squares, written as dots, or undrawn edges; some number where a state shows neither."""
    if "board" in state:
        return sum(row.count(".") for row in state["board"])
    edges = [row for key in ("horizontal", "vertical") for row in state.get(key, ())]
    return sum(row.count(0) for row in edges) if edges else SOME_PLACES


def per_second(count: int, turn: Turn) -> str:
    """The part of a count that one second since the turn was received had: `1,234`."""
    seconds = time.monotonic() - (turn.deadline - turn.time_ms / 1000)
    return f"{count / seconds:,.0f}"
