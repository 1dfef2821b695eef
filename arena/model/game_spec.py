"""One game to be played: its terms, its place in the tournament, its randomness, its players."""

import hashlib

from pydantic import Field

from arena.model.contender import Contender
from arena.model.terms import UnderTerms
from rules.position import Game, Position


class GameSetup(UnderTerms):
    """What a game starts from, whatever its players do."""

    game: str
    """Its id, unique in the tournament and sent to the players."""
    round: int = 0
    pair: str = ""
    """Games that belong together (colours or roles swapped, or the same seed) share this label."""
    opening: tuple[str, ...] = ()
    """Moves played before a player is asked."""
    seed: int = 0
    """Draws chance moves and random moves, and each player's own `seed`."""

    def start(self) -> Position:
        """The first position, before the opening."""
        return first_position(self.terms.game, self.seed)


class GameSpec(GameSetup):
    """One game as it travels to where it is played."""

    players: tuple[Contender, ...] = Field(min_length=1)
    """By seat."""


def derive(seed: int, purpose: str) -> int:
    """Draw a seed from another, the same on every machine and in every version of Python.

    0 ≤ seed < 2³¹, as players in any language can take it; from SHA-256 of `seed:purpose`.
    """
    digest = hashlib.sha256(f"{seed}:{purpose}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1


def first_position(game: Game, seed: int) -> Position:
    """Where the game of this seed starts: the tiles that 2048 and 2584 begin with are drawn."""
    return game.start(derive(seed, "start"))
