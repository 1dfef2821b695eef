"""A sequential test of two players: they meet round after round until it is decided."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arena.ratings.matches import Verdict
from arena.ratings.results import GameDigest
from arena.ratings.sprt import Sprt
from arena.tournament.formats.base import Format, Pairing, Plan
from arena.tournament.formats.round_robin import RoundRobinSchedule


class SprtSchedule(RoundRobinSchedule):
    def __init__(self, plan: Plan) -> None:
        from arena.ratings.trial import Trial  # here: most commands need no numpy

        super().__init__(plan)
        self._trial = Trial(Sprt(**plan.keys), *plan.players, paired=not plan.game.decided_by_seed)

    @property
    def over(self) -> bool:
        return self._trial.decision is not None or super().over

    def next(self) -> Pairing | None:
        return None if self.over else super().next()

    def add(self, game: GameDigest) -> None:
        super().add(game)
        self._trial.add(game)

    @property
    def verdict(self) -> Verdict:
        return self._trial.verdict

    @property
    def path(self) -> Sequence[float]:
        """The log-likelihood ratio after each unit."""
        return self._trial.path


def _problems(keys: Mapping[str, Any], players: Sequence[str]) -> Iterator[tuple[str, str]]:
    if len(players) != 2:
        yield "", f"compares two players, got {len(players)}: {', '.join(players)}"
    if wrong := Sprt(**keys).wrong_elo1():
        yield "elo1", wrong


_ROUNDS = 50_000
"""A test seldom needs them all."""
SEQUENTIAL_TEST = Format(
    "sprt",
    SprtSchedule,
    Sprt,
    _ROUNDS,
    _problems,
    fixed=False,
    unstopped="it ends once it is decided, or with its last round",
    closed=True,
)
