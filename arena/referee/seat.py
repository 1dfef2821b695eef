"""One side of a game while it is played: its process, requests, `info` and stderr. Milliseconds."""

from dataclasses import dataclass, field

from arena.model.contender import Prepared
from arena.model.protocol import INFO_A_GAME, INFO_A_MOVE, Ready
from arena.model.record import PlayerFault, SeatRecord
from arena.referee.head_tail import HeadTail
from arena.referee.judge import GivenInfo
from arena.referee.requests import Requests
from arena.referee.session import Session


@dataclass
class InfoKeeper:
    """The `info` of one player in a game, as far as there is room for it."""

    characters: int = 0  # recorded so far
    cut: int = 0  # moves of which there was more

    def take(self, info: GivenInfo | None) -> GivenInfo | None:
        """The part for the record. Numbers are always in it; of the line that it expects and of its
        text, in this order, as many characters as there is room for.
        """
        if info is None or not ("pv" in info or "text" in info):
            return info
        recorded = info.copy()
        room = before = min(INFO_A_MOVE, INFO_A_GAME - self.characters)
        if "pv" in info:
            recorded["pv"] = line = []
            for move in info["pv"]:
                if room < (size := len(move) + len('"",')):
                    break
                room -= size
                line.append(move)
        if "text" in info:
            recorded["text"] = info["text"][:room]
            room -= len(recorded["text"])
        self.characters += before - room
        self.cut += recorded != info
        return recorded


@dataclass
class Seat:
    """A player at the board."""

    index: int
    prepared: Prepared
    requests: Requests
    player: Session | None = None
    """Its process; None before its start and after a fault that ended it."""
    lost: PlayerFault | None = None  # why it could not be started; it gets no more requests
    ready: Ready | None = None
    startup_ms: float | None = None
    stderr: HeadTail = field(default_factory=HeadTail)
    stderr_totals: list[int] = field(default_factory=list)
    """The bytes it had written when each of its moves came."""
    info: InfoKeeper = field(default_factory=InfoKeeper)
    peak_memory_bytes: int = 0
    random_moves: int = 0

    def note_memory(self) -> None:
        """Take over what the process has measured of itself."""
        if self.player is not None:
            peak = self.player.process.peak_memory_bytes
            self.peak_memory_bytes = max(self.peak_memory_bytes, peak)

    def record(self) -> SeatRecord:
        ready = self.ready
        return SeatRecord(
            player=self.prepared.name,
            command=self.prepared.command,
            clock=self.prepared.clock,
            reported_name=ready.name if ready else None,
            reported_version=ready.version if ready else None,
            reported_author=ready.author if ready else None,
            startup_ms=self.startup_ms,
            stderr_head=self.stderr.head,
            stderr_tail=self.stderr.tail,
            stderr_bytes=self.stderr.total,
            stderr_marks=self.stderr.places(self.stderr_totals),
            info_kept=self.info.characters,
            info_cut=self.info.cut,
            peak_memory_mb=self.peak_memory_bytes / 2**20 or None,
            sandbox=self.prepared.held,
            random_moves=self.random_moves,
        )
