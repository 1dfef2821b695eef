"""Games of a match: those to be played, those that were, and what plays them."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, NamedTuple, Protocol

import rules as rule_sets
from players.sdk import Clock, Start
from players.search.types import Array

HOUR_MS = 3_600_000
"""The clock of players who have a budget of their own."""


class Contestant(NamedTuple):
    """A player with some values of what is tuned."""

    options: dict[str, Any]
    weights: Array | None
    """float32[2, MOVES], or None where no table is tuned."""
    vector: tuple[float, ...]


class MatchTask(NamedTuple):
    """A game to be played; in 2048 and 2584 two, in which each of both slides once."""

    contestants: tuple[Contestant, Contestant]
    """By seat; in 2048 and 2584 each is the slider once, on the same seed."""
    opening: str
    """Seeds the opening: games of a pair have the same."""
    plies: int
    seed: str
    """Seeds the players, and chance."""


class PlayedGame(NamedTuple):
    moves: tuple[tuple[int, str], ...]
    """`(seat, move)` after the opening, forced passes left out."""
    net: int
    """The margin of seat 0; in 2048 and 2584 the sign shows whose score as slider was higher."""
    slid: tuple[int, int] | None = None
    """The score of each contestant as slider, in 2048 and 2584."""

    @property
    def points(self) -> float:
        """The points of seat 0: 1, ½ or 0."""
        return 0.5 + 0.5 * ((self.net > 0) - (self.net < 0))


def both_slide(
    slide: Callable[[tuple[Any, Any], int], int], contestants: tuple[Any, Any], task: MatchTask
) -> PlayedGame:
    """The two games of a task of 2048 or 2584: `slide` gives the score of the first as slider."""
    (first, second), seed = contestants, Random(task.seed).getrandbits(63)
    slid = slide((first, second), seed), slide((second, first), seed)
    return PlayedGame((), slid[0] - slid[1], slid)


class MatchRunner(Protocol):
    """Plays games of one player against itself, many at once. Unless players think for
    milliseconds, tasks alone decide what is played.
    """

    def load(self, plies: int) -> None:
        """Prepare openings of that many plies. Raises ValueError where none can be played."""

    def play(self, tasks: Sequence[MatchTask]) -> list[PlayedGame]:
        """The games, in the order of the tasks. Raises Aborted once `abort` was called."""

    def abort(self) -> None:
        """Have the games under way, and all that follow, end in Aborted."""

    def close(self) -> None:
        """Let go of threads and processes."""


class Aborted(Exception):
    """Games were given up before their end."""


def start_of(
    rule_set: rule_sets.Game, state: dict[str, Any], seat: int, seed: int, options: dict[str, Any]
) -> Start:
    """How a game begins for a built-in player in this process."""
    return Start(
        game="tuning",
        rules=rule_set.name,
        variant=dict(rule_set.variant),
        seat=seat,
        seats=rule_set.seats,
        clock=Clock(move_ms=HOUR_MS, bank_ms=None, increment_ms=0),
        startup_ms=HOUR_MS,
        seed=seed,
        options=options,
        state=state,
        moves=[],
    )
