"""When thinking ends, beside the clock and a proof."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Limits(NamedTuple):
    """Each ends the thinking by itself."""

    iterations: int | None = None
    """At most so many."""
    depth: int | None = None
    """Once the tree is so many plies deep."""
    early_stop: bool = False
    """Once no other move can still have as many visits as the most visited one."""
    direction: float = 0.0
    """Once one move has this share of the root's visits; 0 to think on."""
    direction_after: int = 0
    """But not before so many iterations."""

    @property
    def watch(self) -> bool:
        """Whether the tree must be looked at while it grows."""
        return self.depth is not None or self.early_stop or self.direction > 0

    def met(self, visits: Sequence[int], done: int, left: float, depth: int) -> str:
        """The limit that is met, in words; "" for none.

        `visits` are those of the root's moves, `done` the iterations so far, `left` the visits
        still to come, `depth` the plies to the deepest leaf.
        """
        first, second = sorted([*visits, 0, 0], reverse=True)[:2]
        if self.depth is not None and depth >= self.depth:
            return "depth"
        if self.early_stop and first - second > left:
            return "early stop"
        enough = done >= self.direction_after
        if self.direction > 0 and enough and first >= self.direction * sum(visits):
            return "direction"
        return ""
