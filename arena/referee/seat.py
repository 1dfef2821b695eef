"""One side of a game while it is played."""

from __future__ import annotations

from dataclasses import dataclass, field

from arena.model.contender import Prepared
from arena.model.fault import PlayerFault
from arena.model.protocol import Ready
from arena.model.record import SeatRecord
from arena.referee.clock import PlayerClock
from arena.referee.pool import RunningPlayer
from arena.referee.transport import HeadTail


@dataclass
class Seat:
    """A player at the board: its process, its clock, and what it has been told."""

    index: int
    prepared: Prepared
    clock: PlayerClock
    player: RunningPlayer | None = None
    """Its process; None before its start and after a fault that ended it."""
    lost: PlayerFault | None = None
    """Why it could not be started; there is nobody to ask any more."""
    told: int = 0
    """How many of the game's moves the player knows of."""
    used_ms: float = 0.0
    """What its last move took."""
    ready: Ready | None = None
    startup_ms: float | None = None
    stderr: HeadTail = field(default_factory=HeadTail)
    peak_memory_bytes: int = 0
    random_moves: int = 0

    def note_memory(self) -> None:
        """Take over what the process has measured of itself."""
        if self.player is not None:
            peak = self.player.process.peak_memory_bytes
            self.peak_memory_bytes = max(self.peak_memory_bytes, peak)

    def record(self) -> SeatRecord:
        """What is kept of this side."""
        ready = self.ready
        return SeatRecord(
            player=self.prepared.name,
            command=self.prepared.command,
            reported_name=ready.name if ready else None,
            reported_version=ready.version if ready else None,
            reported_author=ready.author if ready else None,
            startup_ms=self.startup_ms,
            stderr_head=self.stderr.head,
            stderr_tail=self.stderr.tail,
            stderr_bytes=self.stderr.total,
            peak_memory_mb=self.peak_memory_bytes / 2**20 or None,
            sandbox=self.prepared.held,
            random_moves=self.random_moves,
        )
