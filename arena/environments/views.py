"""A learner's observation of a position, and its actions.

A view reads the `state` of the protocol, so that a policy sees the same in an environment and in a
match. It needs numpy alone: a copy of this file goes with each policy that becomes a bot.
"""

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.int8]

_TILES = {"2048": (2, 4), "2584": (1, 2)}
"""The two smallest tiles of each game."""


class View(ABC):
    """Observations of the positions of a game with its settings."""

    highest = 1
    """The greatest value in an observation; the least is 0."""

    def __init__(self, shape: tuple[int, ...], actions: Sequence[str]) -> None:
        self.shape = shape
        self.actions = tuple(actions)
        """The move of each action."""
        self._index = {move: action for action, move in enumerate(actions)}

    @abstractmethod
    def observe(self, state: Mapping[str, Any], seat: int) -> Array:
        """A state as a seat sees it."""

    def move(self, action: object) -> str:
        """The move of an action. Raises IndexError for what is no action."""
        if hasattr(action, "__index__"):
            with suppress(TypeError):  # an array of several
                at = operator.index(action)
                if 0 <= at < len(self.actions):
                    return self.actions[at]
        raise IndexError(f"action {action!r}: actions are 0 to {len(self.actions) - 1}")

    def mask(self, legal: Iterable[str]) -> Array:
        """1 for each action that is legal, 0 for the others."""
        mask = np.zeros(len(self.actions), np.int8)
        mask[[self._index[move] for move in legal]] = 1
        return mask


class OthelloObservation(View):
    """Two planes: the seat's own discs, and the other's. An action is a square, row by row."""

    def __init__(self, name: str, variant: Mapping[str, Any]) -> None:
        size = variant["size"]
        super().__init__((size, size, 2), _squares(size, size))

    def observe(self, state: Mapping[str, Any], seat: int) -> Array:
        cells = np.frombuffer("".join(state["board"]).encode(), np.uint8).reshape(self.shape[:2])
        own, other = b"XO" if seat == 0 else b"OX"
        seen = np.empty(self.shape, np.int8)
        np.equal(cells, own, out=seen[..., 0], casting="unsafe")
        np.equal(cells, other, out=seen[..., 1], casting="unsafe")
        return seen


class DotsObservation(View):
    """Three planes over the grid of dots, edges and boxes: drawn edges, the seat's own boxes, and
    the other's. An action is an edge: the horizontal ones row by row, then the vertical ones.
    """

    def __init__(self, name: str, variant: Mapping[str, Any]) -> None:
        rows, cols = variant["rows"] + 1, variant["cols"] + 1
        dots = np.array(_squares(rows, cols), object).reshape(rows, cols)
        across, down = dots[:, :-1] + dots[:, 1:], dots[:-1] + dots[1:]
        super().__init__((2 * rows - 1, 2 * cols - 1, 3), [*across.flat, *down.flat])

    def observe(self, state: Mapping[str, Any], seat: int) -> Array:
        owners = np.frombuffer("".join(state["owners"]).encode(), np.uint8)
        owners = owners.reshape(state["rows"], state["cols"])
        own, other = b"01" if seat == 0 else b"10"
        seen = np.zeros(self.shape, np.int8)
        seen[::2, 1::2, 0] = state["horizontal"]
        seen[1::2, ::2, 0] = state["vertical"]
        seen[1::2, 1::2, 1] = owners == own
        seen[1::2, 1::2, 2] = owners == other
        return seen


class TilesView(View):
    """The ranks of the tiles: 0 for an empty cell, 1 for the smallest tile, and so on. An action is
    a slide; for the seat that places tiles also a cell with its tile, or a cell alone.
    """

    highest = 31

    def __init__(self, name: str, variant: Mapping[str, Any]) -> None:
        places = _squares(4, 4) if variant["placer"] == "player" else []
        if variant["placer_chooses"] == "tile":
            small, large = variant["spawn"].split("/")
            places = [f"{cell}={tile}" for cell in places for tile in (small, large)]
        super().__init__((4, 4), ["up", "down", "left", "right", *places])
        self._ranks = {0: 0}
        tile, following = _TILES[name]
        for rank in range(1, self.highest + 1):
            self._ranks[tile] = rank
            tile, following = following, following + (following if name == "2048" else tile)

    def observe(self, state: Mapping[str, Any], seat: int) -> Array:
        return np.array([[self._ranks[tile] for tile in row] for row in state["board"]], np.int8)


VIEWS: Mapping[str, Callable[[str, Mapping[str, Any]], View]] = {
    "othello": OthelloObservation,
    "dots": DotsObservation,
    "2048": TilesView,
    "2584": TilesView,
}


def view(name: str, variant: Mapping[str, Any]) -> View:
    return VIEWS[name](name, variant)


def _squares(rows: int, columns: int) -> list[str]:
    letters = "abcdefghijklmnopqrstuvwxyz"[:columns]
    return [f"{letter}{row + 1}" for row in range(rows) for letter in letters]
