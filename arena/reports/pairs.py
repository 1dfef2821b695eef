"""Colour-swapped pairs of games: how many distinguish one player from the other."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from arena.ratings.results import GameDigest
from arena.tournament.run_view import RunView


class OpeningPairs(NamedTuple):
    """Complete pairs, by result."""

    player: int
    """One player won both."""
    side: int
    """The same side won both."""
    other: int
    """With a draw in it."""
    decisive: int
    """One player took more than the other: those of `player`, and a win with a draw."""

    @property
    def all(self) -> int:
        """How many there are."""
        return self.player + self.side + self.other


def pairs_of(games: Iterable[GameDigest]) -> OpeningPairs:
    """The results of the complete pairs."""
    by_pair = defaultdict[str, list[GameDigest]](list)
    for game in games:
        by_pair[game.pair].append(game)
    complete = [
        both
        for pair, both in by_pair.items()
        if pair and len(both) == 2 and both[0].players == both[1].players[::-1]
    ]
    kinds = Counter(_kind(*both) for both in complete)
    decisive = sum(one.points[0] + other.points[1] != 1 for one, other in complete)
    return OpeningPairs(kinds["player"], kinds["side"], kinds["other"], decisive)


def _kind(one: GameDigest, other: GameDigest) -> str:
    if 0.5 in (one.points[0], other.points[0]):
        return "other"
    return "side" if one.points == other.points else "player"


def about_pairs(view: RunView) -> list[str]:
    """How many pairs were decisive, in a sentence; none where no pair is complete."""
    if view.config.terms.game.decided_by_seed:
        return []
    found = pairs_of(view.rated)
    if not found.all:
        return []
    return [
        f"Decisive pairs: {found.decisive} of {found.all}. One player won both games in "
        f"{found.player}, the same side in {found.side}."
    ]
