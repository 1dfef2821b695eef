"""Blocks of games: the points of a learning curve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np


class Block(NamedTuple):
    """What the games of a block came to."""

    number: int
    """Which one it is, from 1."""
    games: int
    """The games played so far, with those of this block."""
    mean: float
    """The mean score."""
    best: int
    """The highest score."""
    moves: int
    """How many slides there were."""
    seconds: float
    """How long it took."""
    reached: dict[int, float]
    """For each tile the share of games that made it, or a larger one; from the smallest that was
    the largest of a game to the largest of all.
    """
    ended: dict[int, float]
    """For each of these tiles the share of games whose largest it was."""

    def record(self) -> dict[str, Any]:
        """The block as JSON has it."""
        return self._asdict()

    @classmethod
    def of_record(cls, record: dict[str, Any]) -> Block:
        """The block of a `record` that went through JSON."""
        shares = {
            key: {int(tile): share for tile, share in record[key].items()}
            for key in ("reached", "ended")
        }
        return cls(**{**record, **shares})


def block_of(
    number: int, scores: Any, tops: Any, moves: int, seconds: float, values: Sequence[int]
) -> Block:
    """The block of these games: the uint64 arrays of their scores and of the indices of their
    largest tiles in `values`.
    """
    ends = np.bincount(tops.astype(np.int64), minlength=len(values)) / len(tops)
    made = np.cumsum(ends[::-1])[::-1]
    seen = range(int(tops.min()), int(tops.max()) + 1)
    return Block(
        number=number,
        games=number * len(scores),
        mean=float(scores.mean()),
        best=int(scores.max()),
        moves=moves,
        seconds=seconds,
        reached={values[tile]: round(float(made[tile]), 9) for tile in seen},
        ended={values[tile]: round(float(ends[tile]), 9) for tile in seen},
    )
