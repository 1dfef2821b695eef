"""What contained the players, in sentences: what is held, and what is not."""

from collections.abc import Iterable, Iterator

from arena.model.containment import Guarantee, Held


def lines(players: Iterable[tuple[str, Held]]) -> Iterator[tuple[str, bool]]:
    """Lines on what holds each of the players, those held alike together, each with whether it says
    that something is not held.
    """
    groups: dict[Held, dict[str, None]] = {}
    for name, held in players:
        groups.setdefault(held, {})[name] = None
    for held, names in groups.items():
        whose = "sandbox" if len(groups) == 1 else f"sandbox of {', '.join(names)}"
        if holding(held):
            yield f"{whose}: {held.mode} holds {holding(held)}", False
        if lacking(held) or held.notes:
            yield f"{whose}: {_warning(held)}", True


def holding(held: Held) -> str:
    """`memory (cgroup), network`; empty where nothing is held."""
    return ", ".join(
        guarantee if how == held.mode else f"{guarantee} ({how})"
        for guarantee in Guarantee
        if (how := held.by.get(guarantee)) is not None
    )


def lacking(held: Held) -> str:
    """`cpu, uid`; empty where all is held."""
    return ", ".join(guarantee for guarantee in Guarantee if held.by.get(guarantee) is None)


def _warning(held: Held) -> str:
    """What is missing and why, without a full stop."""
    parts = held.notes or (f"{held.mode} does not hold {lacking(held)}",)
    if not holding(held):
        parts = (f"{held.mode}, nothing is held", *held.notes)
    return ". ".join(part.rstrip(".") for part in parts)
