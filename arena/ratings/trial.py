"""A sequential test of two players of a tournament: its units put together from games."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from arena.model.protocol import Termination
from arena.ratings.likelihood_ratio import log_likelihood_ratio
from arena.ratings.matches import Decision, Verdict
from arena.ratings.pentanomial import figures, head_to_head
from arena.ratings.results import GameDigest, results_of
from arena.ratings.sprt import Sprt

_MOST_SPOILT = 0.05
"""Forfeits and void attempts, as a share of all attempts, up to which a test is usable."""
_AT_ONCE = 1000
"""Units looked at together: few are looked at past the one that decides."""


class Unit(NamedTuple):
    """A round whose games are complete."""

    result: int
    """As `Tally.add` takes it."""
    forfeits: int
    lines: tuple[bytes, ...]
    """Hashes of its games' moves."""


class Tally:
    """The test as units come in, in their order. Once decided, later units do not count."""

    def __init__(self, test: Sprt, player: str, opponent: str, *, paired: bool) -> None:
        self.test, self.player, self.opponent = test, player, opponent
        self._paired = paired
        self._counts = np.zeros(5 if paired else 3, dtype=np.int64)
        self.path: list[float] = []
        """The log-likelihood ratio after each unit."""
        self.decision: Decision | None = None
        """The accepted hypothesis; None while the test goes on."""

    @property
    def units(self) -> int:
        """How many were counted."""
        return len(self.path)

    def add(self, units: Sequence[int]) -> None:
        """Count units by their results: half points of a pair; 0 lost, 1 drawn, 2 won."""
        steps = np.zeros((len(units), len(self._counts)), dtype=np.int64)
        steps[np.arange(len(units)), units] = 1
        totals = self._counts + steps.cumsum(axis=0)
        for total, ratio in zip(totals, log_likelihood_ratio(self.test, totals), strict=True):
            if self.decision is not None:
                break
            self._counts = total
            self.path.append(float(ratio))
            self.decision = self.test.decision(self.path[-1])

    @property
    def verdict(self) -> Verdict:
        """The state of the test."""
        names = ("ll", "ld", "wl_dd", "wd", "ww") if self._paired else ("lost", "drawn", "won")
        counts = [int(count) for count in self._counts]
        lower, upper = self.test.bounds
        return Verdict(
            player=self.player,
            opponent=self.opponent,
            **self.test.model_dump(),
            unit="pair" if self._paired else "comparison",
            counts=dict(zip(names, counts, strict=True)),
            llr=self.path[-1] if self.path else 0.0,
            lower=lower,
            upper=upper,
            decision=self.decision,
            estimate=figures(counts) if any(counts) else None,
        )


class Trial:
    """The test as games come in, in whatever order.

    A unit is a round: two games with colours swapped on one opening, or in 2048 and 2584 one
    comparison (both on one seed, or the two games with the roles swapped). Units count in the order
    of the schedule, up to the first that is still to be played: the verdict follows from the set of
    games alone. A round with a void attempt delays nothing: it counts once it is complete.
    """

    def __init__(self, test: Sprt, player: str, opponent: str, *, paired: bool) -> None:
        self._new_tally = partial(Tally, test, player, opponent, paired=paired)
        self._paired = paired
        self._begun: dict[int, list[GameDigest]] = defaultdict(list)
        """Round → its games, until they make a unit."""
        self._units: dict[int, Unit] = {}
        """Complete rounds."""
        self._spoilt = Counter[int]()
        """Round → its void attempts."""
        self._begin()

    def _begin(self) -> None:
        self._next, self._tally = 1, self._new_tally()
        self._forfeits = self._repeats = 0
        self._lines: set[tuple[bytes, ...]] = set()

    def add(self, game: GameDigest) -> None:
        """Take note of a game, or of a void attempt at one."""
        if game.termination is Termination.VOID:
            self._spoilt[game.round] += 1
            return
        self._begun[game.round].append(game)
        unit = self._unit(self._begun[game.round])
        if unit is not None:
            self._units[game.round] = unit
            del self._begun[game.round]
            if game.round < self._next:  # it had been passed over as spoilt
                self._begin()

    def _unit(self, games: Sequence[GameDigest]) -> Unit | None:
        """The unit of a round's games; None when one is missing."""
        counted = head_to_head(results_of(games), self._tally.player, self._tally.opponent)
        results = counted.pairs.by_half_points if self._paired else counted.games
        if not any(results):
            return None
        return Unit(
            result=results.index(1),
            forfeits=sum(game.offender is not None for game in games),
            lines=tuple(game.line for game in sorted(games, key=lambda game: game.players)),
        )

    @property
    def decision(self) -> Decision | None:
        """The accepted hypothesis; None while the test goes on."""
        self._count()
        return self._tally.decision

    @property
    def path(self) -> Sequence[float]:
        """The log-likelihood ratio after each unit that counts."""
        self._count()
        return self._tally.path

    @property
    def verdict(self) -> Verdict:
        """The state of the test."""
        self._count()
        found: dict[str, int] = {"forfeits": self._forfeits, "repeats": self._repeats}
        void = self._spoilt.total()
        usable = self._forfeits + void <= _MOST_SPOILT * (2 * self._tally.units + void)
        return self._tally.verdict.model_copy(update=found | {"void": void, "usable": usable})

    def _count(self) -> None:
        """Count the units that are complete by now."""
        while self._tally.decision is None and (units := self._more()):
            before = self._tally.units
            self._tally.add([unit.result for unit in units])
            for unit in units[: self._tally.units - before]:
                self._forfeits += unit.forfeits
                self._repeats += unit.lines in self._lines
                self._lines.add(unit.lines)

    def _more(self) -> list[Unit]:
        """The next complete units, some of many, up to the first round still to be played."""
        units: list[Unit] = []
        while len(units) < _AT_ONCE:
            unit = self._units.get(self._next)
            if unit is not None:
                units.append(unit)
            elif self._next not in self._spoilt:
                break
            self._next += 1
        return units
