"""The interface of the catalogue of built-in players."""

from collections.abc import Mapping
from typing import Any, Protocol

from pydantic import BaseModel


class CatalogueEntry(Protocol):
    """A player that comes with the package, as its catalogue describes it."""

    name: str
    """Its name in a tournament file."""
    summary: str
    """One line for people."""
    module: str
    """The module to run, as `python -m MODULE`."""
    uses_clock: bool | None
    """Whether it thinks for all the time it is given; None when its options decide."""

    @property
    def options(self) -> type[BaseModel]:
        """Validates its options table. The context `folder` is where relative paths begin, `game`
        what is played, if known; files that options name must be there, whole, and for that game,
        and are added to `files`.
        """

    def readable(self) -> tuple[str, ...]:
        """Folders of the user's cache that it reads, by name."""

    def unsupported(self, rules: str, variant: Mapping[str, Any]) -> str | None:
        """Why it cannot play this game, a sentence; None when it can."""
