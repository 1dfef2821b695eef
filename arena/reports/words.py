"""What standings say, in sentences: the anchor, the prior, who is not separated, forfeits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from arena.protocol import Termination
from arena.ratings.model import ORDERED, Standings


def about_rating(standings: Standings) -> list[str]:
    """How to read the Elo column."""
    anchor = standings.anchor
    if anchor.player is None:
        hangs = f"the mean of the pool is {anchor.elo:.0f}"
    elif anchor.in_force:
        hangs = f"{anchor.player} is the anchor, at {anchor.elo:.0f}"
    else:
        hangs = (
            f"the mean of the pool is {anchor.elo:.0f}"
            f" until the anchor {anchor.player} has a result"
        )
    lines = [
        f"Elo: one maximum-likelihood fit of all results, draws as half points; {hangs}."
        " ± is a 95 % interval; LOS is the probability of being stronger than the next below.",
        f"Prior: {standings.prior}.",
    ]
    if standings.first_mover is not None and standings.first_player is not None:
        moved, took = standings.first_mover, standings.first_player
        lines.append(
            f"First move: worth {moved.elo:+.0f} ± {moved.error:.0f} Elo; the first player took"
            f" {100 * took.score:.1f} ± {100 * took.error:.1f} % of the points."
        )
    return lines


def about_separation(standings: Standings) -> list[str]:
    """Which neighbours the results do not tell apart."""
    if not standings.neighbours:
        return []
    close = [
        f"{pair.upper} and {pair.lower} ({pair.difference:.0f} ± {pair.error:.0f} Elo)"
        for pair in standings.neighbours
        if not pair.separated
    ]
    told = (
        f"Not separated at 95 %: {'; '.join(close)}."
        if close
        else ("All neighbours are separated at 95 %.")
    )
    if len(standings.groups) < 2:
        return [told]
    groups = "; ".join(", ".join(group) for group in standings.groups)
    return [
        told,
        f"No result links these groups, so their ratings cannot be compared: {groups}.",
    ]


def about_course(standings: Standings) -> list[str]:
    """How course points order the players, and what a forfeit does to the difference."""
    if not any(row.wins + row.draws + row.losses for row in standings.players):
        return []
    lines = [f"Course order: {ORDERED}."]
    if any(row.forfeits for row in standings.players):
        lines.append("A forfeited game counts at most 0 difference for the player who forfeited.")
    return lines


def about_endings(standings: Standings) -> list[str]:
    """Forfeits, adjudications, void games and random moves; nothing where all ended naturally."""
    lines = []
    forfeits = {
        word: count
        for word, count in standings.terminations.items()
        if Termination(word).is_forfeit
    }
    if forfeits:
        total = sum(forfeits.values())
        lines.append(f"Forfeits: {total} of {standings.games} games ({counted(forfeits)}).")
    elif standings.terminations:
        lines.append("No game was forfeited.")
    adjudicated = standings.terminations.get(Termination.ADJUDICATED)
    if adjudicated:
        lines.append(f"Adjudicated by a rule of the tournament: {adjudicated} games.")
    if standings.void:
        lines.append(f"Void, not scored (the host's or the referee's fault): {standings.void}.")
    random = Counter({row.name: row.random_moves for row in standings.players if row.random_moves})
    if random:
        lines.append(f"Random moves played for a player after faults: {counted(random)}.")
    return lines


def counted(counts: Mapping[str, int]) -> str:
    """`timeout 3, exited 1`."""
    return ", ".join(f"{word} {count}" for word, count in counts.items())
