"""How games began, and how much their beginnings decided."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from arena.ratings.results import GameDigest
from arena.reports.html.overview import Look
from arena.reports.pairs import pairs_of

_LISTED = 200
"""Openings in the table."""


def openings(look: Look) -> dict[str, Any] | None:
    """None for games that one plays alone, where each seed is a beginning of its own."""
    config = look.view.config
    rated = [game for game in look.view.rated if len(game.points) == 2]
    if config.terms.game.decided_by_seed or not rated:
        return None
    vary = bool(config.openings.plies or config.openings.lines)
    began = look.view.openings if vary else ()
    taken = defaultdict[tuple[str, ...], list[GameDigest]](list)
    for game in rated:
        if 0 < game.round <= len(began):
            taken[began[game.round - 1]].append(game)
    rows = [_row(moves, games, config.terms.game.move_gap) for moves, games in taken.items()]
    return {
        "vary": vary,
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
