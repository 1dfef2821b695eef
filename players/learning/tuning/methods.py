"""How vectors of parameters learn from games. A method is made of a space, a seed, and the keys of
its table. `duels` are the games it wants next, `learn` takes what came of them in the same order,
`vector` is the best there is so far; its `state` is JSON, from which `restore` goes on.

All that is random is drawn again from the run's seed and a number, so that nothing of it is kept.
"""

import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from random import Random
from typing import Any, Literal, NamedTuple

import numpy as np
from pydantic import Field

from arena.files.toml_tables import TomlTable
from players.learning.tuning.matches import PlayedGame
from players.learning.tuning.space import Space, Vector

MethodName = Literal["selfplay", "spsa", "cma"]
_DIGEST = 16
"""How many signs of a pair's digest are kept: enough to see whether another went the same way."""


class Duel(NamedTuple):
    """A game that a method wants."""

    first: Vector
    second: Vector
    opening: int | None
    """The number of its opening: games of a pair have the same. None to begin at the start."""


def pairs(one: Vector, other: Vector, openings: Iterable[int]) -> list[Duel]:
    """A pair of games on each opening, seats swapped within."""
    return [
        duel
        for opening in openings
        for duel in (Duel(one, other, opening), Duel(other, one, opening))
    ]


def pair_scores(games: Sequence[PlayedGame]) -> list[float]:
    """The points of the one of each of `pairs` in both games together: 0 to 2."""
    return [
        first.points + 1.0 - second.points
        for first, second in zip(games[::2], games[1::2], strict=True)
    ]


def pair_digests(games: Sequence[PlayedGame]) -> list[str]:
    """A digest of how both games of each pair went; of 2048 and 2584, of the scores. Openings are
    left out: the later moves distinguish them.
    """
    return [_digest(both) for both in zip(games[::2], games[1::2], strict=True)]


def _digest(games: Sequence[PlayedGame]) -> str:
    went = json.dumps([played.slid or (played.moves, played.net) for played in games])
    return hashlib.sha256(went.encode()).hexdigest()[:_DIGEST]


def decisive(scores: Sequence[float]) -> float:
    """The share of pairs that one side won, 0 to 1: others say nothing of who is stronger."""
    return sum(score != 1 for score in scores) / len(scores)


class SelfplayTable(TomlTable):
    """`[selfplay]`."""

    constant: float = Field(default=0.001, gt=0)
    """The gain of a weight for each move of the winner to its square, and its loss for the
    loser's.
    """
    batch: int = Field(default=16, ge=1, le=10_000)
    """Games played with the same weights; their results are then taken one after the other. 1
    for the rule to the letter, on one core."""


class SelfPlay:
    """The rule of self-play: after each game every weight gains a constant for each move of the
    winner that it is the weight of, loses it for each of the loser's, and is clipped to its range.

    A winner's squares are those of its own moves: not the discs it ended with, which the other may
    have placed. A move counts once for the weight that its square shares with its mirror images. A
    drawn game changes nothing. Both players have the same weights, black's and white's apart.
    """

    def __init__(self, space: Space, seed: int, **settings: Any) -> None:
        self._space, self._table = space, SelfplayTable(**settings)
        self._of_move = space.of_move()
        self._weights = np.array(space.start)

    @property
    def vector(self) -> Vector:
        return tuple(map(float, self._weights))

    def duels(self) -> list[Duel]:
        return [Duel(self.vector, self.vector, None)] * self._table.batch

    def learn(self, games: Sequence[PlayedGame]) -> None:
        for played in games:
            sign = (played.net > 0) - (played.net < 0)
            for seat, move in played.moves:
                gain = self._table.constant * (sign if seat == 0 else -sign)
                self._weights[self._of_move[seat, move]] += gain
            np.clip(self._weights, self._space.low, self._space.high, out=self._weights)

    def state(self) -> dict[str, Any]:
        return {"weights": self.vector}

    def restore(self, state: dict[str, Any]) -> None:
        self._weights = np.array(state["weights"], np.float64)


class SpsaTable(TomlTable):
    """`[spsa]`: gains a/(A + k + 1)^alpha and perturbations c/(k + 1)^gamma at step k, in units of
    the parameters' steps.
    """

    a: float = Field(default=10.0, gt=0)
    A: float = Field(default=100.0, ge=0)
    c: float = Field(default=1.0, gt=0)
    alpha: float = Field(default=0.602, gt=0, le=2)
    gamma: float = Field(default=0.101, ge=0, le=1)
    pairs: int = Field(default=8, ge=1, le=10_000)
    """Pairs of games a step."""


class Spsa:
    """Simultaneous perturbation (Spall 1992), in units of the parameters' steps.

    Step k plays θ + c_k·Δ against θ − c_k·Δ, each sign in Δ drawn, and moves θ by
    a_k·(difference of their scores)/(2·c_k)·Δ, with a_k = a/(A + k + 1)^alpha and
    c_k = c/(k + 1)^gamma, k from 0. Scores are the share of the points, 0 to 1.
    """

    def __init__(self, space: Space, seed: int, **settings: Any) -> None:
        self._space, self._seed, self._table = space, seed, SpsaTable(**settings)
        self._theta = np.array(space.start)
        self._steps = 0

    @property
    def vector(self) -> Vector:
        return tuple(map(float, self._theta))

    def duels(self) -> list[Duel]:
        shift = self._perturbation() * self._delta() * self._space.step
        up = self._space.clipped(self._theta + shift)
        down = self._space.clipped(self._theta - shift)
        first = self._steps * self._table.pairs
        return pairs(up, down, range(first, first + self._table.pairs))

    def learn(self, games: Sequence[PlayedGame]) -> None:
        share = sum(pair_scores(games)) / len(games)
        slope = (2.0 * share - 1.0) / (2.0 * self._perturbation())
        gain = self._table.a / (self._table.A + self._steps + 1) ** self._table.alpha
        moved = self._theta + gain * slope * self._delta() * self._space.step
        self._theta = np.array(self._space.clipped(moved))
        self._steps += 1

    def _perturbation(self) -> float:
        return float(self._table.c / (self._steps + 1) ** self._table.gamma)

    def _delta(self) -> Any:
        """+1 or −1 for each parameter, the same each time in a step."""
        rng = Random(f"{self._seed}:delta:{self._steps}")
        return np.array([rng.choice((-1.0, 1.0)) for _ in self._space.start])

    def state(self) -> dict[str, Any]:
        return {"theta": self.vector, "steps": self._steps}

    def restore(self, state: dict[str, Any]) -> None:
        self._theta, self._steps = np.array(state["theta"], np.float64), int(state["steps"])


class CmaTable(TomlTable):
    """`[cma]`."""

    population: int | None = Field(default=None, ge=4, le=1000)
    """Candidates a generation; left out, 4 + 3·ln(parameters)."""
    sigma: float = Field(default=1.0, ge=1e-9, le=1e9)
    """The first standard deviation, in units of the parameters' steps."""
    pairs: int = Field(default=16, ge=1, le=10_000)
    """Pairs of games that a candidate plays against the mean at first."""
    most_pairs: int = Field(default=256, ge=1, le=100_000)
    """… and at most."""
    resample: float = Field(default=0.25, ge=0, le=1)
    """The share of a generation that plays again on other openings, at least 2: where that changes
    their ranks too much, candidates play more pairs from then on. 0 for never."""


class CmaEs:
    """CMA-ES (Hansen 2016, the library `cma`), in units of the parameters' steps from the start.

    Each candidate of a generation plays pairs against the mean of the distribution, all on the same
    openings. Some then play as many again on others: where that changes their ranks more than
    chance should, candidates play more pairs from then on (Hansen et al. 2009, uncertainty
    handling; the measure is the library's).
    """

    def __init__(self, space: Space, seed: int, **settings: Any) -> None:
        self._space, self._seed, self._table = space, seed, CmaTable(**settings)
        self._population = self._table.population or 4 + int(3 * math.log(len(space.start)))
        share = self._table.resample
        again = max(2, round(share * self._population)) if share else 0
        self._again = min(again, self._population)
        self._begin()

    def _begin(self) -> None:
        import cma  # takes a second to load: only who asks for it waits

        self._history: list[list[float]] = []
        """The values of each generation so far, those of the candidates that played again last."""
        rng = np.random.default_rng(self._seed)
        start = np.array(self._space.start)
        low = (self._space.low - start) / self._space.step
        high = (self._space.high - start) / self._space.step
        single = len(start) == 1
        self._widest = float((high - low)[0]) / 3 if single else math.inf
        """The largest spread of a single parameter; the library keeps several within that share of
        their bounds by itself, and fails with one."""
        self._strategy = cma.CMAEvolutionStrategy(
            np.zeros(len(start)),
            min(self._table.sigma, self._widest),
            {
                "bounds": [low.tolist(), high.tolist()],
                **({"maxstd": math.inf} if single else {}),
                "popsize": self._population,
                "randn": lambda *shape: rng.standard_normal(shape),
                "seed": math.nan,  # numbers come from `randn` alone
                "verbose": -9,
            },
        )
        count = self._table.pairs
        self._noise = cma.NoiseHandler(len(start), maxevals=[count, count, self._table.most_pairs])
        self._opening = 0
        self._ask()

    def _ask(self) -> None:
        excess = max(self._strategy.stds) / self._widest
        if excess > 1:
            self._strategy.sigma /= excess
        self._units = self._strategy.ask()
        self._candidates = [self._vector(units) for units in self._units]

    def _vector(self, units: Any) -> Vector:
        return self._space.clipped(np.array(self._space.start) + units * self._space.step)

    @property
    def vector(self) -> Vector:
        """The mean of the distribution, which is the library's choice under noise."""
        return self._vector(self._strategy.result.xfavorite)

    @property
    def _pairs(self) -> int:
        """How many pairs each candidate plays."""
        return int(self._noise.evaluations)

    def duels(self) -> list[Duel]:
        """The pairs of a generation, then those of the candidates that play again."""
        mean, first, count = self.vector, self._opening, self._pairs
        turns = (
            (self._candidates, range(first, first + count)),
            (self._candidates[: self._again], range(first + count, first + 2 * count)),
        )
        return [
            duel
            for candidates, openings in turns
            for candidate in candidates
            for duel in pairs(candidate, mean, openings)
        ]

    def learn(self, games: Sequence[PlayedGame]) -> None:
        scores, count = pair_scores(games), self._pairs
        values = [
            -sum(scores[first : first + count]) / (2 * count)
            for first in range(0, len(scores), count)
        ]
        self._tell(values)

    def _tell(self, values: list[float]) -> None:
        """Take the values, the less the better, of the candidates and of those played again."""
        self._history.append(values)
        self._opening += 2 * self._pairs
        first, again = values[: self._population], values[self._population :]
        best = list(first)
        for index, value in enumerate(again):
            best[index] = (first[index] + value) / 2
        self._strategy.tell(self._units, best)
        if again:
            self._noise.fit, self._noise.fitre = first, again + first[len(again) :]
            self._noise.idx = list(range(len(again)))
            self._noise.update_measure()
            self._strategy.sigma *= self._noise.treat()
        self._ask()

    def state(self) -> dict[str, Any]:
        """The values of all generations: what the strategy made of them follows from the seed."""
        return {"values": self._history}

    def restore(self, state: dict[str, Any]) -> None:
        self._begin()
        for values in state["values"]:
            self._tell(values)


Method = SelfPlay | Spsa | CmaEs
METHODS: dict[MethodName, type[Method]] = {"selfplay": SelfPlay, "spsa": Spsa, "cma": CmaEs}
