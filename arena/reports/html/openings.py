"""How games began, and how much their beginnings decided."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from arena.ratings.results import GameDigest
from arena.reports.html.overview import Look

_LISTED = 200
"""Openings in the table."""


class OpeningPairs(NamedTuple):
    """Colour-swapped pairs of games, by what came out."""

    player: int
    """One player won both."""
    side: int
    """The same side won both."""
    other: int
    """With a draw in it."""


def openings(look: Look) -> dict[str, Any] | None:
    """None for games that one plays alone, where each seed is a beginning of its own."""
    config = look.view.config
    rated = [game for game in look.view.rated if len(game.points) == 2]
    if config.terms.game.decided_by_seed or not rated:
        return None
    began = look.view.openings if config.openings.plies or config.openings.lines else ()
    taken = defaultdict[tuple[str, ...], list[GameDigest]](list)
    for game in rated:
        if 0 < game.round <= len(began):
            taken[began[game.round - 1]].append(game)
    rows = [_row(moves, games, config.terms.game.move_gap) for moves, games in taken.items()]
    return {
        "count": len(taken),
        "plies": {len(moves) for moves in taken},
        "one_sided": sum(row["games"] >= 4 and row["share"] in (0, 1) for row in rows),
        "pairs": pairs_of(rated),
        "rows": rows[:_LISTED],
        "listed": _LISTED,
    }


def _row(moves: Sequence[str], games: Sequence[GameDigest], gap: str) -> dict[str, Any]:
    share = sum(game.points[0] for game in games) / len(games)
    return {"moves": gap.join(moves) or "none", "games": len(games), "share": share}


def pairs_of(games: Iterable[GameDigest]) -> OpeningPairs:
    """What came out of the complete pairs."""
    by_pair = defaultdict[str, list[GameDigest]](list)
    for game in games:
        by_pair[game.pair].append(game)
    kinds = Counter(
        _kind(*both)
        for pair, both in by_pair.items()
        if pair and len(both) == 2 and both[0].players == both[1].players[::-1]
    )
    return OpeningPairs(kinds["player"], kinds["side"], kinds["other"])


def _kind(one: GameDigest, other: GameDigest) -> str:
    if 0.5 in (one.points[0], other.points[0]):
        return "other"
    return "side" if one.points == other.points else "player"
