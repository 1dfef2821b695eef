"""Games to be played in process, and games that were."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import rules as rule_sets
from players.sdk import Clock, Start

HOUR_MS = 3_600_000
"""The clock of players who have a budget of their own."""


class Contestant(NamedTuple):
    """A player with some values of what is tuned."""

    options: dict[str, Any]
    weights: Any
    """float32[2, MOVES], or None where no table is tuned."""
    vector: tuple[float, ...]
    """The values."""


class Task(NamedTuple):
    """A game to be played; in 2048 and 2584 two, in which each of both slides once."""

    contestants: tuple[Contestant, Contestant]
    """By seat; in 2048 and 2584 each is the slider once, on the same seed."""
    opening: str
    """Seeds the opening: games of a pair have the same."""
    plies: int
    """Random moves of the opening."""
    seed: str
    """Seeds the players, and chance."""


class Played(NamedTuple):
    """A game that was played."""

    moves: tuple[tuple[int, str], ...]
    """`(seat, move)` after the opening, forced passes left out."""
    net: int
    """What seat 0 won by; in 2048 and 2584 above 0 where the first contestant's score as slider was
    the higher one, below 0 where the second's was."""
    slid: tuple[int, int] | None = None
    """The score of each contestant as slider, in 2048 and 2584."""

    @property
    def points(self) -> float:
        """What seat 0 gets: 1, ½ or 0."""
        return 0.5 + 0.5 * ((self.net > 0) - (self.net < 0))


class Opened(NamedTuple):
    """The opening of a game, as the kernels have it."""

    moves: Any
    """int16[PLIES], of which the first `plies` are written; room for the rest of the game."""
    movers: Any
    """int8[PLIES]: the seat that made each move."""
    plies: int


class GameWorker(Protocol):
    """Where one game after the other is played, by one thread."""

    def play(self, contestants: tuple[Any, Any], opened: Opened, seeds: tuple[int, int]) -> Played:
        """Play a game on from its opening. Raises Aborted once it is to stop."""


class TileWorker(Protocol):
    """The same for 2048 and 2584."""

    def slide(self, contestants: tuple[Any, Any], seed: int) -> int:
        """The score of the first as slider, the second being the placer where a player places.
        Raises Aborted once it is to stop.
        """


class MatchRunner(Protocol):
    """Where games of one player against itself are played, many at once.

    Tasks alone decide what is played: neither how many play at once, nor which game is done first;
    unless players think for milliseconds.
    """

    def load(self, plies: int) -> None:
        """Make ready for games with openings of so many plies. Raises ValueError where none can be
        played with these settings.
        """

    def play(self, tasks: Sequence[Task]) -> list[Played]:
        """The games, in the order of the tasks. Raises Aborted once `abort` was called."""

    def abort(self) -> None:
        """Have the games under way, and all that follow, end in Aborted."""

    def close(self) -> None:
        """Let go of threads and processes."""


class Aborted(Exception):
    """Games were given up before their end."""


def start_of(
    rule_set: rule_sets.Game, state: dict[str, Any], seat: int, seed: int, options: Any
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
