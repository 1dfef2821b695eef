"""What the searching players share: the start of a game, and how long to think."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from players.catalogue import BUILTINS
from players.options import SearchOptions
from players.sdk import Start, Turn
from rules import TILE_GAMES

if TYPE_CHECKING:
    from players.games.registry import Board
    from players.games.tiles.boards import TileBoard

LAST_MOVES = 2
"""Moves for which time is kept in the bank beyond those still to come."""

TILE_MOVES = 5000
"""What a player of 2048 and 2584 takes to be still to come at any time: the games are as long as
they are played well, and a bank that gives each move such a part of the rest is never empty."""


def board_of(player: str, start: Start) -> Board:
    """The board of a game that the built-in `player` can play; else the process ends with a
    sentence on stderr.
    """
    _refuse_unsupported(player, start)
    from players.games.registry import load_board  # compiled code, once it is certain to be needed

    return load_board(start.rules, start.variant)


def tile_board_of(player: str, start: Start) -> TileBoard:
    """The same for a player of 2048 and 2584."""
    _refuse_unsupported(player, start)
    return _tile_board(start.rules, start.variant["spawn"])


@cache
def _tile_board(rules: str, spawn: str) -> TileBoard:
    """Made once by a process: its tables are large."""
    from players.games.tiles.boards import TileBoard  # as above

    return TileBoard(rules, spawn)


def _refuse_unsupported(player: str, start: Start) -> None:
    reason = BUILTINS[player].unsupported(start.rules, start.variant)
    if reason is not None:
        sys.exit(reason)


def think_until(turn: Turn, options: SearchOptions) -> float:
    """When to stop thinking, in seconds of `time.monotonic()`.

    A bank is spread over the moves that remain to this player, were they shared equally; in 2048
    and 2584 over `TILE_MOVES`. What is kept for the way back is `margin_ms`, but no more than half
    of the time; `think_ms` bounds the rest.
    """
    received = turn.deadline - turn.time_ms / 1000
    budget_ms = float(turn.time_ms)
    if turn.bank_ms is not None:
        to_come: float = TILE_MOVES
        if turn.start.rules not in TILE_GAMES:
            to_come = open_places(turn.state) / 2 + LAST_MOVES
        share = turn.bank_ms / to_come
        budget_ms = min(budget_ms, share + turn.start.clock.increment_ms)
    thinking_ms = max(budget_ms - options.margin_ms, budget_ms / 2)
    if options.think_ms is not None:
        thinking_ms = min(thinking_ms, options.think_ms)
    return received + thinking_ms / 1000


def open_places(state: Mapping[str, Any]) -> int:
    """Empty squares or undrawn edges: no game has more moves to come."""
    if "board" in state:
        return sum(row.count(".") for row in state["board"])
    return sum(row.count(0) for key in ("horizontal", "vertical") for row in state[key])


def seconds_since(turn: Turn) -> float:
    """How long ago the turn was received."""
    return time.monotonic() - (turn.deadline - turn.time_ms / 1000)
