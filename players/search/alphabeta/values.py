"""The values of alpha-beta: hundredths of a disc or box, from the mover's view.

A finished or solved game is worth WIN more than its margin to the winner, so any won game beats
any estimate.
"""

import numpy as np

from players.compiled.cache import part
from players.games import interface as game
from players.search.types import Int, Position

WIN = 1_000_000
"""More than any estimate."""

INFINITY = 2_000_000
UNFINISHED = 3_000_000
"""In place of a value: the game is not over."""

MOST = 128
"""More than anyone wins by."""


@part
def value_of_margin(margin: Int) -> Int:
    """The value of a game that ends with `margin`."""
    return np.int64(100 * margin + WIN * np.int64(np.sign(margin)))


@part
def final_value(position: Position) -> Int:
    """The value of a finished game for `position.seat`."""
    net = np.int64(game.net(position))
    value: Int = value_of_margin(net if position.seat == 0 else -net)
    return value


@part
def highest_margin(value: Int) -> Int:
    """The highest margin that is worth no more than `value`."""
    if value >= 0:
        return min(max((value - WIN) // 100, 0), MOST)
    return max(min((value + WIN) // 100, -1), -MOST)


@part
def from_view(sign: Int, low: Int, high: Int) -> tuple[Int, Int]:
    """The window as the next mover sees it: the same player's when `sign` is 1."""
    return (low, high) if sign == 1 else (-high, -low)


def in_points(value: int) -> float:
    """A value in discs or boxes."""
    if abs(value) >= WIN // 2:
        value -= WIN if value > 0 else -WIN
    return value / 100
