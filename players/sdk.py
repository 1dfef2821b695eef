"""The student's API: this one file, standard library only, free to copy next to a bot. It runs on
Python 3.7 and later.

A whole bot:

    import random
    from players.sdk import play        # or `from sdk import play` with the file next to the bot

    play(lambda turn: random.choice(turn.legal))

`play` talks to the referee over stdin and stdout until the referee says quit. Anything else the
process prints, from Python, a C library or a child process, goes to stderr and is kept with the
game; print nothing before the call, where an unbuffered Python would send it to the referee. An
exception ends the process with its traceback on stderr and exit code 1.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from typing import IO, Any, Dict, NamedTuple, Optional, Tuple, Union  # noqa: UP035  # for 3.7

CHANCE = -1
"""The seat of chance in `moves`."""


class Clock(NamedTuple):
    """The time control of a game, in milliseconds."""

    move_ms: int | None
    """The longest one move may take; None when only the bank limits it."""
    bank_ms: int | None
    """The time for all moves together; None for no such limit."""
    increment_ms: int
    """Added to the bank after each of the player's moves."""


class Start(NamedTuple):
    """What is known when a game begins."""

    game: str
    """The game's id."""
    rules: str
    """othello, dots, 2048, 2584, or one that a package registers."""
    variant: dict[str, Any]
    """The settings of the rule set, complete."""
    seat: int
    """This player's seat, from 0."""
    seats: int
    """How many players there are."""
    clock: Clock
    startup_ms: int
    """How long the start hook may take: load and prepare there, not on the move clock."""
    seed: int
    """For the player's own randomness."""
    options: dict[str, Any]
    """The player's `options` table from the tournament file."""
    state: dict[str, Any]
    """The position after `moves`, in the form of the rule set."""
    moves: list[tuple[int, str]]
    """`(seat, move)` of each move already played."""


class Turn(NamedTuple):
    """One question: which of `legal`?"""

    start: Start
    """How this game began: seat, seed, options, variant, clock."""
    game: str
    """The game's id."""
    ply: int
    """How many moves have been played, openings, passes and chance included."""
    time_ms: int
    """All the time this move may take."""
    bank_ms: int | None
    """What the player's bank holds; None when there is none."""
    state: dict[str, Any]
    """The position, in the form of the rule set."""
    moves: list[tuple[int, str]]
    """`(seat, move)` since this player's previous turn, its own move first; seat −1 is chance."""
    legal: list[str]
    """Every legal move, in a fixed order."""
    used_ms: int
    """What the referee measured for this player's previous move; 0 before the first."""
    deadline: float
    """When `time_ms` is over, in seconds of `time.monotonic()`."""

    @property
    def seat(self) -> int:
        """The seat this player has."""
        return self.start.seat


class End(NamedTuple):
    """How a game ended."""

    game: str
    """The game's id."""
    termination: str
    """One word: natural, adjudicated, timeout, illegal_move, …"""
    detail: str
    """The same as a sentence."""
    scores: list[int]
    """What the rules count, by seat: discs, boxes, the slider's score."""
    points: list[float]
    """1, 0.5 or 0 by seat; empty where one game alone decides nothing."""


Answer = Union[str, Tuple[str, Optional[Dict[str, Any]]]]  # noqa: UP006, UP007, UP045  # for 3.7
"""A move, or a move with an info table: score, depth, nodes, pv (a list of moves), text."""


def play(
    choose: Callable[[Turn], Answer],
    *,
    start: Callable[[Start], None] | None = None,
    end: Callable[[End], None] | None = None,
    name: str | None = None,
    version: str | None = None,
    author: str | None = None,
) -> None:
    """Play games until the referee says quit or closes the pipe.

    `choose` is asked for each move; `start` is called before each game, within the start limit;
    `end` after each game. `name`, `version` and `author` introduce the player to the referee.
    """
    requests, replies = _take_over_pipes()
    introduction = {"name": name, "version": version, "author": author}
    ready = {"type": "ready", **{key: text for key, text in introduction.items() if text}}
    game: Start | None = None
    try:
        for line in requests:
            received = time.monotonic()
            request = json.loads(line)
            kind = request["type"]
            if kind == "start":
                clock = Clock(**_fields_of(request["clock"], Clock))
                game = Start(**{**_fields_of(request, Start), "clock": clock})
                if start is not None:
                    start(game)
                _write(replies, ready)
            elif kind == "turn":
                if game is None:
                    raise RuntimeError("the referee asked for a move before it started a game")
                deadline = received + request["time_ms"] / 1000
                turn = Turn(start=game, deadline=deadline, **_fields_of(request, Turn))
                _write(replies, _reply(turn, choose(turn)))
            elif kind == "end":
                if end is not None:
                    end(End(**_fields_of(request, End)))
            elif kind == "quit":
                return
    except BrokenPipeError:
        return  # the referee is gone, as if it had closed our stdin


def _take_over_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Keep the referee's pipes for ourselves: prints go to stderr, `input()` finds no lines.

    They are open as long as the process lives, or one that ends slowly, after an exception, would
    seem to live on without them.
    """
    requests = os.fdopen(os.dup(0), "rb", closefd=False)
    replies = os.fdopen(os.dup(1), "wb", buffering=0, closefd=False)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout.flush()  # what the bot printed before it called us follows to stderr
    sys.stdout = sys.stderr
    return requests, replies


def _write(replies: IO[bytes], message: dict[str, Any]) -> None:
    """One line. NaN and infinity are refused here, where the traceback names the culprit."""
    line = memoryview(json.dumps(message, allow_nan=False, separators=(",", ":")).encode() + b"\n")
    while line:
        line = line[replies.write(line) :]


def _fields_of(message: dict[str, Any], kind: type[NamedTuple]) -> dict[str, Any]:
    """The fields of a message that a class has; moves as pairs."""
    values = {name: message[name] for name in kind._fields if name in message}
    if "moves" in values:
        values["moves"] = [(seat, move) for seat, move in values["moves"]]
    return values


def _reply(turn: Turn, answer: Answer) -> dict[str, Any]:
    move, info = answer if isinstance(answer, tuple) else (answer, None)
    if not isinstance(move, str):
        raise TypeError(f"choose() must return one of turn.legal, a string; it returned {move!r}")
    reply: dict[str, Any] = {"type": "move", "ply": turn.ply, "move": move}
    if info is not None:
        reply["info"] = info
    return reply
