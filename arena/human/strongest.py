"""The built-in player that a person meets unless another is chosen."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from players.catalogue import BUILTINS
from rules.position import Game


class Strongest(NamedTuple):
    """A built-in player, and the options it is met with."""

    bot: str
    options: Mapping[str, Any] = {}


_FIRST = {"dots": Strongest("uct", {"playout": "guided", "rave": 3000, "c": 0.1})}
"""By game: ahead of `_OTHERS` at 0.1, 1 and 5 s a move, see tournaments/experiments/README.md."""
_OTHERS = tuple(Strongest(name) for name in ("alphabeta", "expectimax", "greedy"))


def strongest(game: Game) -> Strongest:
    """The first that can play the game."""
    known = (_FIRST.get(game.name, _OTHERS[0]), *_OTHERS)
    return next(
        each for each in known if not BUILTINS[each.bot].unsupported(game.name, game.variant)
    )
