"""One side of a game while it is played: its clock, its process, what it knows. Milliseconds."""

from dataclasses import dataclass, field, replace
from typing import Self

from arena.model.contender import Prepared
from arena.model.protocol import INFO_A_GAME, INFO_A_MOVE, Clock, Ready
from arena.model.record import PlayerFault, SeatRecord
from arena.referee.head_tail import HeadTail
from arena.referee.judge import Told
from arena.referee.session import Session


@dataclass(frozen=True, slots=True)
class PlayerClock:
    """The time control of one player during a game; `bank_ms` is what its bank has left."""

    control: Clock
    bank_ms: float | None

    @classmethod
    def full(cls, control: Clock) -> Self:
        """As the game begins."""
        return cls(control, control.bank_ms)

    @property
    def limit_ms(self) -> int:
        """All the time the next move may take, whole milliseconds, the grace not counted."""
        move_ms, bank_ms = self.control.move_ms, self.bank_ms
        if bank_ms is None:
            assert move_ms is not None, "a clock limits something"
            return move_ms
        return int(bank_ms if move_ms is None else min(move_ms, bank_ms))

    @property
    def shown_bank_ms(self) -> int | None:
        """The bank as requests show it."""
        return None if self.bank_ms is None else int(self.bank_ms)

    def after(self, used_ms: float) -> Self:
        """After a move that took `used_ms`. One that ended within the grace empties the bank."""
        if self.bank_ms is None:
            return self
        left = max(0.0, self.bank_ms - used_ms) + self.control.increment_ms
        return replace(self, bank_ms=left)


@dataclass
class InfoKeeper:
    """The `info` of one player in a game, as far as there is room for it."""

    kept: int = 0  # characters
    cut: int = 0  # moves of which there was more

    def take(self, info: Told | None) -> Told | None:
        """What goes into the record. Numbers always do; of the line that it expects and of its
        text, in this order, as many characters as there is room for.
        """
        if info is None or not ("pv" in info or "text" in info):
            return info
        told = info.copy()
        room = before = min(INFO_A_MOVE, INFO_A_GAME - self.kept)
        if "pv" in info:
            told["pv"] = line = []
            for move in info["pv"]:
                if room < (size := len(move) + len('"",')):
                    break
                room -= size
                line.append(move)
        if "text" in info:
            told["text"] = info["text"][:room]
            room -= len(told["text"])
        self.kept += before - room
        self.cut += told != info
        return told


@dataclass
class Seat:
    """A player at the board: its process, its clock, and what it knows of the game."""

    index: int
    prepared: Prepared
    clock: PlayerClock
    player: Session | None = None
    """Its process; None before its start and after a fault that ended it."""
    lost: PlayerFault | None = None  # why it could not be started; it is asked no more
    told: int = 0  # how many of the game's moves the player knows of
    used_ms: float = 0.0  # what its last move took
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
            stderr_marks=self.stderr.places(self.stderr_totals),
            info_kept=self.info.kept,
            info_cut=self.info.cut,
            peak_memory_mb=self.peak_memory_bytes / 2**20 or None,
            sandbox=self.prepared.held,
            random_moves=self.random_moves,
        )
