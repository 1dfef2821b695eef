"""The faults of players, void games, and what contained the players."""

from arena.model import Frozen
from arena.model.containment import Held


class Broken(Frozen):
    """One way in which a player broke the contract."""

    player: str
    """The player's name."""
    termination: str
    """The word of the fault."""
    count: int
    """How often, random moves played for the player included."""
    game: str
    """The first game in which it happened."""
    detail: str
    """The referee's sentence there."""


class Spoilt(Frozen):
    """A game with attempts that were void: the host's or the referee's fault, and not scored."""

    game: str
    """Its id."""
    attempts: int
    """How many of its attempts were void."""
    detail: str
    """Why the last of them was void."""
    replayed: bool
    """Whether a later attempt has a result."""


class Contained(Frozen):
    """A sandbox of a player, of which there may be more than one in its games."""

    player: str
    """The player's name."""
    games: int
    """In how many games."""
    held: Held
    """The guarantees that its sandbox was found to hold."""
