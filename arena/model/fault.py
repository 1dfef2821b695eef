"""A player's fault while it happens; `record.Fault` is what is kept of it."""

from __future__ import annotations

from arena.model.protocol import Termination


class PlayerFault(Exception):
    """A player broke the contract: a termination, and a sentence for its author."""

    def __init__(self, termination: Termination, detail: str) -> None:
        super().__init__(f"{termination}: {detail}")
        self.termination = termination
        self.detail = detail


def excerpt(data: bytes, length: int = 120) -> str:
    """A player's output, safe to show: shortened, unprintable characters escaped."""
    shown = printable(data[:length].decode("utf-8", "backslashreplace"))
    return f"`{shown}`" if len(data) <= length else f"`{shown}…` ({len(data)} bytes)"


def printable(text: str) -> str:
    """The text with every character escaped that could rewrite a terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
