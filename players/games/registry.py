"""Which games have compiled code, and that code, imported when a game is asked for.

Importing this module loads no compiler.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

import rules as rule_sets
from rules import Registration
from rules.package_errors import require

WORD_BITS = 64
"""Kernels keep a board in words of this many bits: one bit for each square, or for each dot."""


class Board(Protocol):
    """One game's moves and positions, between the wire and the kernels."""

    @property
    def names(self) -> Sequence[str]:
        """The name of each move; "" for numbers that are none."""

    @property
    def moves(self) -> Mapping[str, int]:
        """The move of each name."""

    def position(self, state: Mapping[str, Any]) -> Any:
        """The kernels' position of a `state` from the wire."""


@dataclass(frozen=True)
class CompiledGame:
    """One game's compiled code: the value `GAME` of the package that its `Registration` names,
    whose import answers the questions of `players.games.interface` without a default.
    """

    board: Callable[[Mapping[str, Any]], Board]
    """The board with complete settings."""
    most_margin: Callable[[Mapping[str, Any]], int] = lambda variant: 1
    """No game with these settings is won by more; 1 where a game is won or lost."""
    endgame: Callable[[Any, int], Any] | None = None
    """The exact solver of a board (an `endgame.Endgame`), with tables of that many megabytes; None
    for the plain one."""
    evaluations: Callable[[Mapping[str, Any]], Mapping[str, str]] | None = None
    """The files, in `players/weights` or absolute, of the included evaluations for complete
    settings, by their names ("default", "classic", "learned"); None where `evaluate` takes no
    numbers."""
    features: Callable[[Any], Any] | None = None
    """int32[:]: the numbers of an evaluation, from the member "features" of a JSON file."""
    patterns: Callable[[Any, Any], Any] | None = None
    """The same, from the arrays "scalars" and "patterns" of an NPZ file."""
    spread: Callable[[Mapping[str, Any]], str] | None = None
    """The file, in `players/weights`, that says how far searches of two depths are apart in their
    values; None where it is not known, and alpha-beta cuts nothing by it."""


def _othello_size(variant: Mapping[str, Any]) -> str | None:
    size = variant.get("size", 8)
    if size * size <= WORD_BITS:
        return None
    return f"it plays Othello on boards up to 8×8, not {size}×{size}"


def _dots_size(variant: Mapping[str, Any]) -> str | None:
    dots = (variant.get("rows", 5) + 1) * (variant.get("cols", 5) + 1)
    if dots <= WORD_BITS:
        return None
    return f"it plays dots on boards of up to {WORD_BITS} dots (7×7 boxes), not {dots}"


_OWN = {
    name: Registration(rule_sets.registration(name).load, f"players.games.{name}", check)
    for name, check in (("othello", _othello_size), ("dots", _dots_size))
}


def unsupported(rules: str, variant: Mapping[str, Any]) -> str | None:
    """Why no kernels play these rules, in a sentence about a player, or None when they do."""
    found = _OWN.get(rules) or rule_sets.registration(rules)
    if not found.kernels and rules in rule_sets.GAMES:
        return f"it plays {' and '.join(_OWN)}, not {rules}"
    if not found.kernels:
        return f"it plays games that have compiled code, and {rules} has none"
    if why := found.unsupported(rule_sets.default(rules).variant):
        return f"the default settings, with which kernels are compiled, must be played: {why}"
    return found.unsupported(variant)


def compiled_game(rules: str) -> CompiledGame:
    """The compiled code of the rule set `rules`, which has some."""
    found = _OWN.get(rules) or rule_sets.registration(rules)
    game = import_module(found.kernels).GAME
    assert isinstance(game, CompiledGame), f"{found.kernels}.GAME is no CompiledGame"
    return game


def load_board(rules: str, variant: Mapping[str, Any]) -> Board:
    """The board of `rules` with the complete settings `variant`, which its kernels play."""
    from players.games.interface import MOVES  # loads the compiler

    board = compiled_game(rules).board(variant)
    number = len(board.names)
    require(number <= MOVES, f"{rules} has {number} moves, {MOVES} are the most")
    return board
