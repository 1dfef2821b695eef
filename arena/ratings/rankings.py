"""The order of the players by the rules of a format, with its bracket."""

import re
from collections.abc import Collection

from arena.model import Frozen

LEFT_OUT = "a player left out"
"""In place of the name of such a player, where its line cannot be left out too."""


class Placing(Frozen):
    """A player's place by the rules of the format."""

    rank: int
    """From 1; equals share it."""
    player: str
    """The player's name."""
    figures: tuple[float, ...]
    """Points and tie-breaks, in the order of the ranking's columns."""


class BracketMatch(Frozen):
    """A match of a knockout."""

    players: tuple[str, str | None]
    """The two, in the order of the bracket; the second is null where the first has a bye."""
    points: tuple[float, ...]
    """Their points so far, in that order."""
    winner: str | None
    """The one who goes on; null while the match is open."""

    def without(self, names: Collection[str]) -> "BracketMatch":
        """The same without the names of these players."""
        one, other, winner = (
            LEFT_OUT if name in names else name for name in (*self.players, self.winner)
        )
        return self.model_copy(update={"players": (one, other), "winner": winner})


class BracketRound(Frozen):
    """A round of a knockout."""

    name: str
    """As `Semi-finals`."""
    matches: tuple[BracketMatch, ...]
    """In the order of the bracket: the winners of the first two meet in the next round."""

    def without(self, names: Collection[str]) -> "BracketRound":
        """The same without the names of these players."""
        return self.model_copy(
            update={"matches": tuple(each.without(names) for each in self.matches)}
        )


class Ranking(Frozen):
    """The order of the players by the rules of a format that does not rank them by Elo."""

    title: str = "Ranking"
    """The name of the ranked quantity."""
    columns: tuple[str, ...]
    """Names of each player's figures: points, then tie-breaks."""
    players: tuple[Placing, ...]
    """The best first."""
    notes: tuple[str, ...] = ()
    """Sentences on what figures do not say, as byes."""
    bracket: tuple[BracketRound, ...] = ()
    """The rounds of a knockout so far, drawn as a tree: the first has a power of two of matches,
    byes included, each other one half as many. Rounds after the final, as that for the third place,
    are listed.
    """
    groups: tuple["Ranking", ...] = ()
    """The tables of the groups that were played before a knockout."""

    def without(self, names: Collection[str]) -> "Ranking":
        """The same without the lines of these players. The others keep their places and figures,
        which come from all games.
        """
        if not names:
            return self
        longest = sorted(names, key=len, reverse=True)
        named = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)")
        return self.model_copy(
            update={
                "players": tuple(each for each in self.players if each.player not in names),
                "notes": tuple(named.sub(LEFT_OUT, note) for note in self.notes),
                "bracket": tuple(each.without(names) for each in self.bracket),
                "groups": tuple(each.without(names) for each in self.groups),
            }
        )
