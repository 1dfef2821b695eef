"""The tuned parameters as a vector of numbers: options of a player, and the weights of moves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

import rules as rule_sets
from players.games.interface import MOVES
from players.games.registry import load_board
from players.learning.tuning.matches import Contestant
from players.option_files import seat_names
from players.weights import load_weights
from rules.position import square_name, square_symmetries

Symmetry = Literal["all", "axes", "none"]
"""Which symmetries of the board share a weight: all (8 of a square, 4 of a rectangle), the
reflections in the two axes, or none."""

Colours = Literal["apart", "together"]
"""Whether each side has weights of its own."""

Vector = tuple[float, ...]
"""The values of the parameters, in their order."""

FLAT = "flat"
"""The table of weights that are all 1."""


@dataclass(frozen=True)
class Range:
    name: str
    low: float
    high: float
    step: float
    """The step that counts as a change of one."""
    start: float
    whole: bool
    """Whether the player takes whole numbers alone."""


@dataclass(frozen=True)
class WeightsPlan:
    """A table of weights that is tuned."""

    option: str
    """The option that names the table."""
    start: str
    """FLAT, a table that is included, or a file."""
    low: float
    high: float
    step: float
    colours: Colours
    symmetry: Symmetry


class Orbit(NamedTuple):
    """Moves that share a weight."""

    name: str
    """As `black b1`: the side, and the first of the moves; the move alone where sides share it."""
    seats: tuple[int, ...]
    moves: tuple[str, ...]


class Space:
    """The parameters, and what a vector of their values makes of the player.

    Options come first, then the weights: seat by seat, the board row by row.
    """

    def __init__(
        self,
        rule_set: rule_sets.Game,
        options: Mapping[str, Any],
        ranges: Sequence[Range],
        plan: WeightsPlan | None,
    ) -> None:
        """Raises ValueError when the table to begin with cannot be had or does not fit."""
        self.rules = rule_set.name
        self._options = dict(options)
        self._ranges = tuple(ranges)
        self.plan = plan
        self._moves: Mapping[str, int] = {}
        self.orbits: tuple[Orbit, ...] = ()
        self.start: Vector = tuple(each.start for each in ranges)
        ends = [(each.low, each.high, each.step) for each in ranges]
        if plan is not None:
            self._moves = load_board(rule_set.name, rule_set.variant).moves
            self.orbits = _orbits(rule_set, plan)
            self.start += self._first_weights(plan)
            ends += [(plan.low, plan.high, plan.step)] * len(self.orbits)
        self.names = tuple([each.name for each in ranges] + [orbit.name for orbit in self.orbits])
        self.low, self.high, self.step = (np.array(column) for column in zip(*ends, strict=True))

    def clipped(self, vector: Sequence[float]) -> Vector:
        return tuple(float(each) for each in np.clip(vector, self.low, self.high))

    def contestant(self, vector: Sequence[float]) -> Contestant:
        """The player with these values; whole numbers where the option takes no others."""
        options = self._options | {
            each.name: round(value) if each.whole else value
            for each, value in zip(self._ranges, vector, strict=False)
        }
        weights = None if self.plan is None else self._weights(vector)
        return Contestant(options, weights, tuple(vector))

    def of_move(self) -> dict[tuple[int, str], int]:
        """The parameter that is the weight of a seat's move; none for moves never played."""
        return {
            (seat, move): len(self._ranges) + index
            for index, orbit in enumerate(self.orbits)
            for seat in orbit.seats
            for move in orbit.moves
        }

    def by_move(self, vector: Sequence[float]) -> tuple[dict[str, float], dict[str, float]]:
        """The weights of each seat's moves, by name."""
        tables: tuple[dict[str, float], dict[str, float]] = ({}, {})
        for (seat, move), index in self.of_move().items():
            tables[seat][move] = float(vector[index])
        return tables

    def table(self, vector: Sequence[float]) -> dict[str, Any]:
        """The weights as a file that `players.weights` reads has them; for Othello in the rows of
        an 8×8 board, null for squares that are never played.
        """
        table: dict[str, Any] = {}
        for side, weights in zip(seat_names(self.rules), self.by_move(vector), strict=True):
            table[side] = known = {move: round(each, 6) for move, each in weights.items()}
            if self.rules == "othello":
                table[side] = [
                    [known.get(f"{column}{row}") for column in "abcdefgh"] for row in range(1, 9)
                ]
        return table

    def _weights(self, vector: Sequence[float]) -> Any:
        weights = np.ones((2, MOVES), np.float32)
        for (seat, move), index in self.of_move().items():
            weights[seat, self._moves[move]] = vector[index]
        return weights

    def _first_weights(self, plan: WeightsPlan) -> Vector:
        if plan.start == FLAT:
            weights = np.ones((2, MOVES), np.float32)
        else:
            weights = load_weights(plan.start, self.rules, self._moves)
        values = list[float]()
        for orbit in self.orbits:
            places = ((seat, self._moves[move]) for seat in orbit.seats for move in orbit.moves)
            found = {round(float(weights[place]), 6) for place in places}
            if len(found) > 1:
                raise ValueError(
                    f"weights {plan.start!r}: {orbit.name} and its mirror images must weigh the "
                    f'same, not {sorted(found)}; write symmetry = "none" or another start'
                )
            value = found.pop()
            if not plan.low <= value <= plan.high:
                raise ValueError(
                    f"weights {plan.start!r}: {orbit.name} weighs {value:g}, outside of the range "
                    f"[{plan.low:g}, {plan.high:g}]; give a wider range or another start"
                )
            values.append(value)
        return tuple(values)


def _orbits(rule_set: rule_sets.Game, plan: WeightsPlan) -> tuple[Orbit, ...]:
    """The moves of a game that share a weight; squares that cannot be played are in none."""
    shared: dict[frozenset[str], list[str]] = {}
    symmetries = rule_set.symmetries
    if rule_set.name == "othello":  # also those that change the start
        size = rule_set.variant["size"]
        symmetries = tuple(square_symmetries(size, size))
    symmetries = symmetries[: {"all": 7, "axes": 3, "none": 0}[plan.symmetry]]
    for move in _moves(rule_set):
        images = frozenset([move, *(goes_to[move] for goes_to in symmetries)])
        shared.setdefault(images, []).append(move)
    groups = tuple(map(tuple, shared.values()))
    if plan.colours == "together":
        return tuple(Orbit(moves[0], (0, 1), moves) for moves in groups)
    return tuple(
        Orbit(f"{side} {moves[0]}", (seat,), moves)
        for seat, side in enumerate(seat_names(rule_set.name))
        for moves in groups
    )


def _moves(rule_set: rule_sets.Game) -> list[str]:
    """Every move that can ever be played, row by row."""
    start = rule_set.start()
    if rule_set.name != "othello":
        return list(start.legal_moves())
    return [
        square_name(row, column)
        for row, cells in enumerate(start.state()["board"])
        for column, cell in enumerate(cells)
        if cell == "."
    ]
