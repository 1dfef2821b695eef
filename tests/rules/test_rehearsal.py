"""A package's game is tried before it is played: each promise that it may break."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any, ClassVar

import pytest

import rules
from rules.package_errors import BrokenPromise
from rules.rehearsal import rehearse


@dataclass(frozen=True)
class Sticks(rules.Game):
    """Take one or two of five sticks; who takes the last wins."""

    name = "sticks"
    seats = 2
    move_pattern = r"\d"
    variant: ClassVar[dict[str, Any]] = {}
    kind: type[SticksPosition]

    def start(self, seed: int | None = None) -> rules.Position:
        return self.kind(self, 5, 0)

    def position(self, state: Mapping[str, Any]) -> rules.Position:
        return self.kind(self, state["left"], state["to_move"])


@dataclass(frozen=True)
class SticksPosition(rules.Position):
    game: Sticks
    left: int
    to_move: int | None

    def legal_moves(self) -> tuple[str, ...]:
        return ("1", "2")[: self.left]

    def play(self, move: str) -> rules.Position:
        if move not in self.legal_moves():
            raise rules.IllegalMove(f"{move!r} is illegal")
        left = self.left - int(move)
        return replace(self, left=left, to_move=1 - (self.to_move or 0) if left else None)

    def scores(self) -> tuple[int, ...]:
        return 0, 0

    def state(self) -> dict[str, Any]:
        return {"left": self.left, "to_move": self.to_move}


class WithPasses(SticksPosition):
    """A pass is a choice."""

    def legal_moves(self) -> tuple[str, ...]:
        return (*super().legal_moves(), *(["pass"] if self.left else []))

    def play(self, move: str) -> rules.Position:
        if move == "pass" and self.left:
            return replace(self, to_move=1 - (self.to_move or 0))
        return super().play(move)


def test_games_that_keep_their_promises_pass() -> None:
    rehearse(Sticks(SticksPosition))
    rehearse(Sticks(WithPasses))
    rehearse(rules.load("2048"))


def test_a_game_in_which_nobody_chooses_is_refused() -> None:
    def chances(at: SticksPosition) -> tuple[tuple[str, float], ...]:
        legal = at.legal_moves()
        return tuple((move, 1 / len(legal)) for move in legal)

    def drawn(at: SticksPosition, move: str) -> rules.Position:
        after = SticksPosition.play(at, move)
        return replace(after, to_move=-1 if after.to_move is not None else None)

    def begun(game: Any, seed: int | None = None) -> rules.Position:
        return kind(game, 5, -1)

    kind: Any = type("Lots", (SticksPosition,), {"chance": chances, "play": drawn})
    game: Any = type("Lottery", (Sticks,), {"start": begun})
    with pytest.raises(BrokenPromise, match="no player is ever to move"):
        rehearse(game(kind))


def test_the_same_positions_are_tried_on_every_machine() -> None:
    tried: list[list[int]] = [[], []]
    for seen in tried:

        def draw(at: SticksPosition, seen: list[int] = seen) -> str:
            seen.append(at.left)
            return ""

        kind: Any = type("Seen", (SticksPosition,), {"__str__": draw})
        rehearse(Sticks(kind))
    assert tried[0] == tried[1]
    assert len(tried[0]) >= 200


def _stuck(at: SticksPosition) -> tuple[str, ...]:
    return () if at.left < 5 else ("2",)


_RANDOM = Random(1)


def _shuffled(at: SticksPosition) -> tuple[str, ...]:
    moves = SticksPosition.legal_moves(at)
    return tuple(_RANDOM.sample(moves, len(moves)))


def _endless(at: SticksPosition, move: str) -> rules.Position:
    SticksPosition.play(at, move)
    return replace(at, to_move=1 - (at.to_move or 0))


def _third(at: SticksPosition, move: str) -> rules.Position:
    SticksPosition.play(at, move)
    return replace(at, left=3, to_move=2)


def _failing(at: SticksPosition, move: str) -> rules.Position:
    return at if at.left < 5 and 1 / 0 else SticksPosition.play(at, move)


@pytest.mark.parametrize(
    ("does", "why"),
    [
        ({"legal_moves": _stuck}, "after 2: `legal_moves` is empty, but `to_move` is 1"),
        ({"legal_moves": lambda at: ["1"]}, "`legal_moves` gives a list, no tuple"),
        ({"legal_moves": lambda at: ("1", "1")}, "`legal_moves` has a move twice"),
        ({"legal_moves": lambda at: (1,)}, "the move 1 is not a text"),
        ({"legal_moves": lambda at: ("A",)}, "its move 'A' must be lower case"),
        ({"legal_moves": lambda at: ("1", "3")[:1]}, "game is over, but `legal_moves` gives"),
        ({"play": _endless}, "6000 random moves do not end it"),
        ({"play": _failing}, "but ZeroDivisionError: division by zero (test_rehearsal.py, line"),
        ({"play": lambda at, move: at}, "at the start: `play` takes the move '?'"),
        ({"play": _third}, "`to_move` is 2, no seat"),
        ({"scores": lambda at: (1.0, 0.0)}, "`scores` are (1.0, 0.0), no tuple of an integer"),
        ({"scores": lambda at: (0,)}, "`scores` are (0,), no tuple of an integer for each seat"),
        ({"chance": lambda at: (("1", 1.0),)}, "but chance is not to move"),
        ({"state": lambda at: {"left": {5}}}, "`state` cannot be JSON: Object of type set"),
        ({"state": lambda at: {"left": 1, "to_move": 0}}, "`position` makes another position of"),
        ({"state_json": lambda at: b"{}"}, "`state_json` is not `state` as compact JSON: {"),
        ({"legal_moves": _shuffled}, "another order of them, where the position is equal"),
        ({"is_adjudicated": None}, "`is_adjudicated` is None, neither True nor False"),
        ({"__eq__": object.__eq__, "__hash__": object.__hash__}, "are not equal by value, as"),
        ({"__str__": lambda at: sys.exit(1)}, "at the start: SystemExit: 1 (test_rehearsal.py"),
        ({"__str__": lambda at: 1 / 0}, "at the start: ZeroDivisionError: division by zero ("),
    ],
)
def test_a_position_that_breaks_a_promise_is_told(does: dict[str, Any], why: str) -> None:
    kind: Any = type("Odd", (SticksPosition,), does)
    with pytest.raises(BrokenPromise) as caught:
        rehearse(Sticks(kind))
    assert why in str(caught.value)


@pytest.mark.parametrize(
    ("has", "why"),
    [
        ({"typical_plies": 0}, "`typical_plies` is 0, no integer from 1 on"),
        ({"opening_plies": None}, "`opening_plies` is None, no integer"),
        ({"marks": "X"}, "`marks` are 'X', not one for each seat"),
        ({"unit": 3}, "`unit` is 3, no text"),
        ({"move_pattern": "[1"}, "`move_pattern` '[1' cannot be read: unterminated"),
        ({"move_pattern": r"\d\d?", "move_gap": ""}, "do not tell its moves apart in '"),
        ({"marks": 3}, "`marks` are 3, not one for each seat"),
        ({"symmetries": ({"1": "2"},)}, "`symmetries`: {'1': '2'} makes other moves"),
        ({"symmetries": (3,)}, "`symmetries`: AttributeError: 'int' object has no attribute 'get'"),
        ({"landmarks": {"last": 3}}, "`landmarks`: TypeError: 'int' object is not callable"),
        ({"landmarks": {"last": lambda *_: 1 / 0}}, "`landmarks`: ZeroDivisionError: division"),
        ({"start": lambda of, seed: of.kind(of, seed + 3, 0)}, "`start` depends on its seed"),
    ],
)
def test_a_trait_that_cannot_be_is_told(has: dict[str, Any], why: str) -> None:
    game: Any = type("Odd", (Sticks,), has)
    with pytest.raises(BrokenPromise) as caught:
        rehearse(game(SticksPosition))
    assert why in str(caught.value)
