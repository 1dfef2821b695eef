"""A player's clock: what a move may take, and what is left after it. Milliseconds."""

from __future__ import annotations

from dataclasses import dataclass, replace

from arena.model.protocol import Clock


@dataclass(frozen=True, slots=True)
class PlayerClock:
    """The time control of one player during a game."""

    control: Clock
    bank_ms: float | None
    """What the bank holds; None when there is none."""

    @classmethod
    def full(cls, control: Clock) -> PlayerClock:
        """As the game begins."""
        return cls(control, control.bank_ms)

    @property
    def limit_ms(self) -> int:
        """All the time the next move may take, whole milliseconds, the grace not counted."""
        limits = [self.control.move_ms, self.bank_ms]
        return int(min(limit for limit in limits if limit is not None))

    @property
    def shown_bank_ms(self) -> int | None:
        """The bank as a request tells it."""
        return None if self.bank_ms is None else int(self.bank_ms)

    def after(self, used_ms: float) -> PlayerClock:
        """After a move that took `used_ms`. What the grace let pass leaves an empty bank."""
        if self.bank_ms is None:
            return self
        left = max(0.0, self.bank_ms - used_ms) + self.control.increment_ms
        return replace(self, bank_ms=left)
