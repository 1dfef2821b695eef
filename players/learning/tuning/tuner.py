"""A tuning as it goes on: batches of games, comparisons with the start, checkpoints.

All that a tuning knows is in one file, CHECKPOINT, which is replaced whole. What is played after it
was written is played again after a crash, and comes out the same.
"""

import hashlib
import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

import rules as rule_sets
from arena.files import json_text
from arena.files.toml_tables import shown
from arena.files.whole_file import write_whole
from players.learning.own_folder import OwnFolder
from players.learning.tuning.config import TuneConfig
from players.learning.tuning.matches import MatchRunner, MatchTask, PlayedGame
from players.learning.tuning.methods import (
    METHODS,
    Duel,
    Method,
    pair_digests,
    pair_scores,
    pairs,
)
from players.learning.tuning.runner import InProcessRunner
from players.learning.tuning.space import Space, Vector

CHECKPOINT = "checkpoint.json"
FORMAT = 3
DIGEST = "sha256"
"""The key of a kept file that shows whether the others are as they were written."""

_DAMAGED = "is not a checkpoint of a tuning, or is damaged", "again"
MOST_POINTS = 1000
"""The history is thinned to half as soon as it has more points."""

CHUNK_PAIRS = 25
"""Pairs of a match between two checkpoints."""

MEASURE, VERIFY = "measure", "verify"
"""The matches against the start once all is learned: of a number of games fixed beforehand, which
gives the figures, and as many as a sequential test asks for. Their openings and seeds are fresh."""

MakeRunner = Callable[[TuneConfig, Space], MatchRunner]
"""Opens a match runner for a tuning. Raises ValueError where there can be none."""


def kernel_runner(config: TuneConfig, space: Space) -> MatchRunner:
    rule_set = rule_sets.load(config.rules, **config.variant)
    return InProcessRunner(rule_set, config.bot, space.contestant(space.start), config.threads)


class TuningPoint(NamedTuple):
    """The parameters after that many games."""

    games: int
    vector: Vector


class StartComparison(NamedTuple):
    """Games of the parameters as they were then against the start, in pairs."""

    games: int
    """Games learned from before."""
    scores: tuple[float, ...]
    """The score of each pair: 0 to 2."""

    @property
    def score(self) -> float:
        return sum(self.scores) / (2 * len(self.scores))

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the score (Wilson 1927), of as many independent games as have the
        spread of the pairs; one more pair, all won or all lost, joins it.
        """
        pairs, mean = len(self.scores), self.score
        spread = sum((score / 2 - mean) ** 2 for score in self.scores) + 0.25
        games = pairs * (pairs * mean * (1 - mean) + 0.25) / spread
        pull = 1.96**2 / games
        middle = (mean + pull / 2) / (1 + pull)
        error = math.sqrt(pull * mean * (1 - mean) + pull**2 / 4) / (1 + pull)
        return max(middle - error, 0.0), min(middle + error, 1.0)


class _Counts(TypedDict):
    batches: int
    games: int
    seconds: float


class Tuner:
    """Plays the games of a tuning and learns from them, batch by batch."""

    def __init__(
        self, config: TuneConfig, folder: Path, make_runner: MakeRunner = kernel_runner
    ) -> None:
        """The tuning in `folder` as its checkpoint has it, or a new one. Raises ValueError when
        that is damaged, of another configuration, or cannot be read, or when what the configuration
        names cannot be used.
        """
        self.config, self._path, self._folder = config, folder / CHECKPOINT, OwnFolder(folder)
        rule_set = rule_sets.load(config.rules, **config.variant)
        self.space = Space(rule_set, config.options, config.ranges, config.weights)
        make_method = METHODS[config.method]
        self._method: Method = make_method(self.space, config.seed, **config.method_settings)
        self.counts: _Counts = {"batches": 0, "games": 0, "seconds": 0.0}
        self.points = [TuningPoint(0, self.space.start)]
        self._stride = 1
        self.comparisons: list[StartComparison] = []
        self.verdicts: dict[str, dict[str, Any]] = {}
        """The verdicts of sequential tests, each under a name of its own; kept for the tests."""
        self.earlier_tests = 0
        """How many had a verdict before more games changed the values."""
        self._forget()
        if self._path.exists():
            self._restore(self._path)
        self._runner = make_runner(config, self.space)  # last: what fails above leaves none open
        self.interrupt, self.close = self._runner.abort, self._runner.close

    def _forget(self) -> None:
        """Forget the matches and verdicts of other values, but for how many tests there were."""
        self.matches: dict[str, tuple[float, ...]] = {MEASURE: (), VERIFY: ()}
        """The score of each pair of the matches against the start so far: 0 to 2."""
        self.tested: tuple[str, ...] = ()
        """A digest of how each pair of the test went; empty where none was kept."""
        self.slid: tuple[tuple[int, int], ...] = ()
        """In 2048 and 2584 the scores of the tuned player and of the start in the match that gives
        the figures, seed by seed."""
        self.earlier_tests += len(self.verdicts)
        self.verdicts = {}

    @property
    def vector(self) -> Vector:
        return self._method.vector

    @property
    def learned(self) -> bool:
        return self.counts["games"] >= self.config.games

    @property
    def finished(self) -> bool:
        """Whether the last comparison was played too."""
        return self.learned and 2 * len(self.matches[MEASURE]) >= self.config.measure_games

    @property
    def wants_comparison(self) -> bool:
        """Whether enough games were played for the next comparison."""
        last = self.comparisons[-1].games if self.comparisons else 0
        return self.counts["games"] // self.config.compare_every > last // self.config.compare_every

    def load(self) -> None:
        """Compile the kernels, or find them. Raises ValueError where no game can be played."""
        self._runner.load(self.config.plies)

    def run_batch(self) -> None:
        """Play the games of a batch and learn from them. Raises Aborted, nothing learned."""
        began, counts = time.monotonic(), self.counts
        duels = self._method.duels()
        games = self._runner.play(self._tasks(duels, "learn", counts["games"]))
        self._forget()
        self._method.learn(games)
        counts["batches"] += 1
        counts["games"] += len(duels)
        counts["seconds"] += time.monotonic() - began
        if counts["batches"] % self._stride == 0:
            self.points.append(TuningPoint(counts["games"], self.vector))
        if len(self.points) > MOST_POINTS:
            del self.points[1::2]
            self._stride *= 2

    def compare(self) -> StartComparison:
        """Play pairs against the start, on openings of their own. Raises Aborted."""
        purpose = f"compare:{self.counts['games']}"
        scores = tuple(pair_scores(self._against_start(purpose, 0, self.config.compare_games // 2)))
        self.comparisons.append(StartComparison(self.counts["games"], scores))
        return self.comparisons[-1]

    def extend(self, match: str, most: int) -> None:
        """Play some more pairs of a match, up to `most` in all. Raises Aborted."""
        done = len(self.matches[match])
        purpose = f"{match}:{self.counts['games']}"
        games = self._against_start(purpose, done, min(CHUNK_PAIRS, most - done))
        self.matches[match] += tuple(pair_scores(games))
        if match == VERIFY:
            before = (self.tested + ("",) * done)[:done]
            self.tested = (*before, *pair_digests(games))
        if match == MEASURE:
            self.slid += tuple(
                each.slid if number % 2 == 0 else each.slid[::-1]  # seats swap within a pair
                for number, each in enumerate(games)
                if each.slid is not None
            )

    def _against_start(self, purpose: str, first: int, count: int) -> Sequence[PlayedGame]:
        """Pairs of games, the first of each with the tuned player in the first seat."""
        duels = pairs(self.vector, self.space.start, range(first, first + count))
        return self._runner.play(self._tasks(duels, purpose, 2 * first))

    def _tasks(self, duels: Sequence[Duel], purpose: str, first: int) -> list[MatchTask]:
        """The games as the runner takes them; they are numbered from `first` on."""
        known = {each: self.space.contestant(each) for duel in duels for each in duel[:2]}
        seed, plies = f"{self.config.seed}:{purpose}", self.config.plies
        return [
            MatchTask(
                (known[duel.first], known[duel.second]),
                opening=f"{seed}:opening:{duel.opening}",
                plies=0 if duel.opening is None else plies,
                seed=f"{seed}:game:{number}",
            )
            for number, duel in enumerate(duels, first)
        ]

    def save(self) -> None:
        """Write the checkpoint: all of it or nothing. Raises OSError, and UserError where the
        folder is another.
        """
        self._folder.check()
        content = {
            "config": self.config.identity(),
            "files": self.config.files,
            "counts": self.counts,
            "method": self._method.state(),
            "stride": self._stride,
            "points": self.points,
            "comparisons": self.comparisons,
            "matches": self.matches,
            "tested": self.tested,
            "slid": self.slid,
            "verdicts": self.verdicts,
            "earlier_tests": self.earlier_tests,
        }
        keep(self._path, FORMAT, content)

    def _restore(self, path: Path) -> None:
        with readable(path, *_DAMAGED):
            content = kept(path)
            number, by = content["format"], content["version"]
        if number != FORMAT:
            raise ValueError(
                f"{path}: has format {number}, written by arena {by}, and this arena goes on with "
                f"format {FORMAT} alone; finish with that arena, or move it away to begin again"
            )
        with readable(path, *_DAMAGED):
            before, now = content["config"], json.loads(json.dumps(self.config.identity()))
            same_start = _numbers(content["points"][0][1]) == self.space.start
            if same_start and before["weights"] and now["weights"]:
                before["weights"]["start"] = now["weights"]["start"]  # wherever its file is
            changed = changes(before, now) if now != before else None
            if not same_start and changed is None:
                changed = ["the table that weights.start names"]
            if changed is None and content.get("files") not in (None, self.config.files):
                changed = ["the files that the player's options name"]
        if changed is not None:
            raise ValueError(
                f"{path.parent}: was begun with other settings; only `games`, `name` and `threads` "
                "may change. Changed: "
                + ("; ".join(changed) or "what the keys stand for")
                + ". Give the old ones back, or another name or --out to begin again."
            )
        with readable(path, *_DAMAGED):
            self._method.restore(content["method"])
            counts = content["counts"]
            batches, games = int(counts["batches"]), int(counts["games"])
            self.counts = {"batches": batches, "games": games, "seconds": float(counts["seconds"])}
            self._stride = int(content["stride"])
            self.points = [
                TuningPoint(int(games), _numbers(vector)) for games, vector in content["points"]
            ]
            self.comparisons = [
                StartComparison(int(games), _numbers(scores))
                for games, scores in content["comparisons"]
            ]
            self.matches = {name: _numbers(content["matches"][name]) for name in self.matches}
            self.tested = tuple(map(str, content.get("tested", ())))
            self.slid = tuple((int(one), int(other)) for one, other in content["slid"])
            self.verdicts = dict(content["verdicts"])
            self.earlier_tests = int(content.get("earlier_tests", 0))


class TunedPairs:
    """The pairs that a tuning plays against its start for a sequential test."""

    def __init__(self, tuner: Tuner) -> None:
        self._tuner = tuner
        self.save, self.verdicts = tuner.save, tuner.verdicts
        self.extend = partial(tuner.extend, VERIFY)

    @property
    def scores(self) -> Sequence[float]:
        """The score of each pair so far: 0 to 2."""
        return self._tuner.matches[VERIFY]

    def repeats(self, first: int) -> int:
        """How many of the `first` pairs went move for move like an earlier one, as far as known."""
        known = list(filter(None, self._tuner.tested[:first]))
        return len(known) - len(set(known))


def _numbers(values: Sequence[Any]) -> tuple[float, ...]:
    """Numbers of a file. Raises ValueError and TypeError for anything else."""
    return tuple(map(float, values))


def keep(path: Path, number: int, content: dict[str, Any]) -> None:
    """Write a file in the format of that number: all of it or nothing. Raises OSError."""
    content = {"format": number, "version": version("bot-arena"), **content}
    write_whole(path, json.dumps({**content, DIGEST: _digest(content)}))


def kept(path: Path) -> dict[str, Any]:
    """What `keep` wrote. Raises OSError, and errors that `readable` takes."""
    content: dict[str, Any] = json_text.parse(path.read_text(encoding="utf-8"))
    digest = content.pop(DIGEST, None)
    if digest is not None and digest != _digest(content):  # older files have none
        raise ValueError("its content does not match its digest")
    return content


def _digest(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


@contextmanager
def readable(path: Path, damaged: str, again: str) -> Iterator[None]:
    """Raise ValueError, with what to do, where what is kept in a file cannot be read."""
    try:
        yield
    except OSError as error:
        raise ValueError(
            f"{path}: cannot be read: {error.strerror}. Fix that, or move it away to begin {again}"
        ) from None
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError) as error:
        raise ValueError(f"{path}: {damaged} ({error}); move it away to begin {again}") from None


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """A line `key: old → new` for each key of a tuning file with another value, of what
    `TuneConfig.identity` contains, as JSON has it.
    """
    old, new = _tables(before), _tables(after)
    if before["method"] != after["method"]:
        del old[before["method"]], new[after["method"]]  # each has keys of its own
    return _differences(old, new)


def _tables(identity: Mapping[str, Any]) -> dict[str, Any]:
    """The tables of the file."""
    rest = dict(identity)
    ranges, weights = rest.pop("ranges"), rest.pop("weights")
    starts = {each["name"]: each["start"] for each in ranges}
    tables = {
        "game": {"rules": rest.pop("rules"), **rest.pop("variant")},
        "openings": {"plies": rest.pop("plies")},
        "player": {"bot": rest.pop("bot"), "options": {**rest.pop("options"), **starts}},
        "parameters": {
            each["name"]: {key: each[key] for key in ("low", "high", "step")} for each in ranges
        },
        rest["method"]: rest.pop("method_settings"),
    }
    if weights is not None:
        own = {key: weights[key] for key in ("start", "step", "colours", "symmetry")}
        tables["weights"] = {**own, "range": [weights["low"], weights["high"]]}
    return {"tuning": rest, **tables}


def _differences(before: Any, after: Any, path: str = "") -> list[str]:
    if isinstance(before, dict) and isinstance(after, dict):
        return [
            line
            for key in before | after
            for line in _differences(
                before.get(key), after.get(key), f"{path}.{key}" if path else key
            )
        ]
    return [] if before == after else [f"{path}: {_shown(before)} → {_shown(after)}"]


def _shown(value: Any) -> str:
    return "not given" if value is None else shown(value)
