"""A sequential test of two players: they meet round after round until it is decided."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import Field

from arena.files.toml_tables import TomlTable
from arena.ratings.matches import Model, Verdict
from arena.ratings.results import GameDigest
from arena.ratings.sprt import LEAST_ELO, MOST_ELO, Sprt
from arena.ratings.trial import Trial
from arena.tournament.formats.base import Format, Pairing, Plan
from arena.tournament.formats.round_robin import RoundRobinSchedule


class SprtTable(TomlTable):
    """`[sprt]`; see `arena.ratings.sprt.Sprt`."""

    elo0: float = Field(default=0.0, ge=-MOST_ELO, le=MOST_ELO)
    elo1: float = Field(default=5.0, ge=-MOST_ELO, le=MOST_ELO)
    alpha: float = Field(default=0.05, ge=0.0001, lt=0.5)
    beta: float = Field(default=0.05, ge=0.0001, lt=0.5)
    model: Model = "normalized"

    def wrong_elo1(self) -> str | None:
        """Why `elo1` makes no second hypothesis; None where it does."""
        if self.elo1 >= self.elo0 + LEAST_ELO:
            return None
        return (
            f"must be above elo0 = {self.elo0:g} by {LEAST_ELO:g} at least, got {self.elo1:g}: H1 "
            "is the larger lead"
        )


class SprtSchedule(RoundRobinSchedule):
    """A round-robin of two that ends once the test is decided."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._trial = Trial(Sprt(**plan.keys), *plan.players, paired=not plan.game.decided_by_seed)

    @property
    def over(self) -> bool:
        """Whether the test is decided, or its games are all played."""
        return self._trial.decision is not None or super().over

    def next(self) -> Pairing | None:
        """The next game without a result, until the test is decided."""
        return None if self.over else super().next()

    def add(self, game: GameDigest) -> None:
        """Count a game, or note that an attempt was void."""
        super().add(game)
        self._trial.add(game)

    @property
    def verdict(self) -> Verdict:
        """Where the test stands."""
        return self._trial.verdict

    @property
    def path(self) -> Sequence[float]:
        """The log-likelihood ratio after each unit."""
        return self._trial.path


def _problems(keys: Mapping[str, Any], players: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Not two players, or hypotheses in the wrong order."""
    if len(players) != 2:
        yield "", f"compares two players, got {len(players)}: {', '.join(players)}"
    wrong = SprtTable(**keys).wrong_elo1()
    if wrong is not None:
        yield "elo1", wrong


_ROUNDS = 50_000
"""A test seldom needs them all."""
SEQUENTIAL_TEST = Format(
    "sprt",
    SprtSchedule,
    SprtTable,
    _ROUNDS,
    _problems,
    fixed=False,
    unstopped="it ends once it is decided, or with its last round",
    closed=True,
)
