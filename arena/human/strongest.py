"""The built-in player that a person meets unless another is chosen."""

from players.catalogue import BUILTINS
from rules.position import Game

_DEFAULTS = ("alphabeta", "expectimax", "greedy")


def strongest(game: Game) -> str:
    """The first that can play the game."""
    able = (n for n in _DEFAULTS if not BUILTINS[n].unsupported(game.name, game.variant))
    return next(able)
