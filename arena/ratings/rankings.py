"""The order of the players by the rules of a format, with its bracket."""

from arena.model import Frozen


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
    """What they took so far, in that order."""
    winner: str | None
    """The one who goes on; null while the match is open."""


class BracketRound(Frozen):
    """A round of a knockout."""

    name: str
    """As `Semi-finals`."""
    matches: tuple[BracketMatch, ...]
    """In the order of the bracket: the winners of the first two meet in the next round."""


class Ranking(Frozen):
    """The order of the players by the rules of a format that does not rank them by Elo."""

    title: str = "Ranking"
    """What is ranked."""
    columns: tuple[str, ...]
    """Names of each player's figures: points, then tie-breaks."""
    players: tuple[Placing, ...]
    """The best first."""
    notes: tuple[str, ...] = ()
    """Sentences on what figures do not say, as byes."""
    bracket: tuple[BracketRound, ...] = ()
    """The rounds of a knockout so far; a match for the third place comes last."""
    groups: tuple["Ranking", ...] = ()
    """The tables of the groups that were played before a knockout."""
