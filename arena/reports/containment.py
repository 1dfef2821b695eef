"""What contained the players, in sentences: what is held, and what is not."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from arena.model.containment import Guarantee, Held


class SandboxLine(NamedTuple):
    """A line for people."""

    text: str
    warns: bool
    """Whether something is not held."""


def lines(players: Iterable[tuple[str, Held]]) -> Iterator[SandboxLine]:
    """What holds each of the players, those held alike together."""
    groups = _alike(players)
    for held, names in groups:
        whose = "sandbox" if len(groups) == 1 else f"sandbox of {', '.join(names)}"
        if holding(held):
            yield SandboxLine(f"{whose}: {held.mode} holds {holding(held)}", warns=False)
        if lacking(held) or held.notes:
            yield SandboxLine(f"{whose}: {_warning(held)}", warns=True)


def holding(held: Held) -> str:
    """`memory (cgroup), network`; empty where nothing is held."""
    told = (
        guarantee if how == held.mode else f"{guarantee} ({how})"
        for guarantee in Guarantee
        if (how := held.by.get(guarantee)) is not None
    )
    return ", ".join(told)


def lacking(held: Held) -> str:
    """`cpu, uid`; empty where all is held."""
    return ", ".join(guarantee for guarantee in Guarantee if held.by.get(guarantee) is None)


def _warning(held: Held) -> str:
    """What is missing and why, without a full stop."""
    if not holding(held):
        parts = [f"{held.mode}, nothing is held", *held.notes]
    else:
        parts = list(held.notes) or [f"{held.mode} does not hold {lacking(held)}"]
    return ". ".join(part.rstrip(".") for part in parts)


def _alike(players: Iterable[tuple[str, Held]]) -> list[tuple[Held, list[str]]]:
    groups: list[tuple[Held, list[str]]] = []
    for name, held in players:
        names = next((names for other, names in groups if other == held), None)
        if names is None:
            groups.append((held, [name]))
        elif name not in names:
            names.append(name)
    return groups
