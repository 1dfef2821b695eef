"""Things by their names, each of which one thing has."""

from collections.abc import Iterable
from typing import Protocol, TypeVar


class _Named(Protocol):
    @property
    def name(self) -> str: ...


_Thing = TypeVar("_Thing", bound=_Named)


def by_name(things: Iterable[_Thing]) -> dict[str, _Thing]:
    """The things by their names. Raises ValueError where two have the same."""
    found = dict[str, _Thing]()
    for thing in things:
        if thing.name in found:
            raise ValueError(
                f"{found[thing.name]!r} and {thing!r} have the same name {thing.name!r}"
            )
        found[thing.name] = thing
    return found
