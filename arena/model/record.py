"""The record of a game, from which a store, a report or a replay is made."""

from collections import Counter
from collections.abc import Collection
from typing import Any, Self

from pydantic import Field

from arena.model import Frozen
from arena.model.containment import Held
from arena.model.game_spec import GameSetup
from arena.model.protocol import Clock, Termination


class Fault(Frozen):
    """A fault of a player, and its ply."""

    ply: int
    seat: int
    termination: Termination
    detail: str


STDERR_FOLLOWS = " The end of stderr: "
"""The words in a sentence before the player's own stderr, which not everybody may read."""


class PlayerFault(Exception):
    """A player broke the contract: a termination, and a sentence for its author. `void` where the
    host kept it from answering.
    """

    def __init__(self, termination: Termination, detail: str) -> None:
        super().__init__(f"{termination}: {detail}")
        self.termination = termination
        self.detail = detail


class PlayedMove(Frozen):
    """One ply."""

    seat: int
    """The seat that moved; −1 is chance."""
    move: str
    used_ms: float | None = None
    """Wall time measured; null for openings, passes and chance: no player was asked."""
    cpu_ms: float | None = None
    """CPU time of the player's process, where the system counts it; recorded, never judged."""
    info: dict[str, Any] | None = None
    """The player's `info`, as sent, without what it left out, and what there was no room for."""
    fault: Fault | None = None
    """Why the referee played a random move for the player; null for a move of its own."""


class SeatRecord(Frozen):
    """One player's side of a game, beyond its moves."""

    player: str
    """The name in the tournament."""
    command: tuple[str, ...] = ()
    """The command that started it; empty where the referee was lost with its record."""
    clock: Clock | None = None
    """Its own, in place of that of the terms; null for that one."""
    reported_name: str | None = None
    """`name`, `version` and `author` as the player gave them in `ready`."""
    reported_version: str | None = None
    reported_author: str | None = None
    startup_ms: float | None = None
    """From `start` to `ready`; null when it never came."""
    stderr_head: str = ""
    """The first 32 KiB the player wrote to stderr in this game."""
    stderr_tail: str = ""
    """The last 32 KiB, where they are not part of the head."""
    stderr_bytes: int = 0
    stderr_marks: tuple[int, ...] = ()
    """For each move it was asked for, how many characters of head and tail it had written by then;
    empty where it wrote none, and in records of earlier versions."""
    info_kept: int = 0
    """Characters kept of the `pv` and `text` of its moves."""
    info_cut: int = 0
    """Moves of which there was more."""
    peak_memory_mb: float | None = None
    sandbox: Held = Held()
    """Its sandbox."""
    random_moves: int = 0
    """Moves the referee played for it after faults."""

    @property
    def stderr(self) -> str:
        """Its stderr as recorded: the head, and the tail right after it."""
        return self.stderr_head + self.stderr_tail


class Host(Frozen):
    """The machine and the versions by which a game was played."""

    name: str
    system: str
    cpu: str
    cores: int
    python: str
    arena: str
    """Version of this package."""
    package: str | None = None
    """Of a registered game, the package that has its rules, as `connect4 1.0`."""
    speed: float | None = None
    """Plies a second of random Othello by the plain rules on one of its cores, where a cluster
    measured it: how it compares with others."""

    @property
    def versions(self) -> str:
        """What plays by its rules, as `arena 0.1.0, connect4 1.0`."""
        return ", ".join(filter(None, (f"arena {self.arena}", self.package)))


class GameRecord(GameSetup):
    """A game from start to end. `moves` replays it; everything else says how it went.

    Records of store schema 1 lack two of the terms, `ponder` and `max_plies`, which have their
    defaults then: the run's configuration has them.
    """

    attempt: int = 1
    """1, or more when earlier attempts were void."""
    seats: tuple[SeatRecord, ...]
    moves: tuple[PlayedMove, ...]
    """Every ply, openings, passes and chance included."""
    final_state: dict[str, Any]
    """The last position, as on the wire."""
    termination: Termination
    detail: str
    offender: int | None
    """The seat that forfeited; null when none did."""
    scores: tuple[int, ...]
    points: tuple[float, ...]
    """1, ½ or 0 for each seat; empty where one game alone decides nothing."""
    started_at: str
    """UTC, ISO 8601."""
    duration_ms: float
    host: Host
    stated: dict[str, Any] = Field(default_factory=dict)
    """Of a game from another program's file: what that says besides, such as a theoretical score.
    """

    def without_info(self, players: Collection[str]) -> Self:
        """The same without the `info` of these players: there is no more room for it."""
        mute = [seat.player in players for seat in self.seats]
        infos = Counter(move.seat for move in self.moves if move.info)
        return self.model_copy(
            update={
                "moves": tuple(
                    move.model_copy(update={"info": None})
                    if move.info and mute[move.seat]
                    else move
                    for move in self.moves
                ),
                "seats": tuple(
                    seat.model_copy(update={"info_kept": 0, "info_cut": infos[index]})
                    if mute[index]
                    else seat
                    for index, seat in enumerate(self.seats)
                ),
            }
        )
