"""The results of tests of a learned network: games in process, in pairs, and verdicts, in a file.

All of it holds for one network alone. What is played after the file was written is played again
after a crash, and comes out the same, unless players think for milliseconds.
"""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import rules as rule_sets
from players.learning.own_folder import OwnFolder
from players.learning.tuning.matches import Contestant, MatchTask
from players.learning.tuning.methods import pair_digests, pair_scores
from players.learning.tuning.runner import InProcessRunner, try_out
from players.learning.tuning.tuner import CHUNK_PAIRS, keep, kept, readable
from players.ntuple.network import Network

FORMAT = 1


class Pair(NamedTuple):
    """Two games on one opening, seats swapped."""

    score: float
    """The points of the player with the network in both: 0 to 2."""
    moves: str
    """A digest of the moves of both, and of how they ended."""


class Evidence:
    """All that is known about one network from tests, kept in a file."""

    def __init__(self, path: Path, network: Network) -> None:
        """Nothing where there is no file of this network. Raises ValueError where it is damaged."""
        self._path, self._folder = path, OwnFolder(path.parent)
        self.weights = hashlib.sha256(network.weights.data.cast("B")).hexdigest()
        """Tells the network from others."""
        self.pairs: dict[str, list[Pair]] = {}
        """By test, those played in process."""
        self.verdicts: dict[str, dict[str, Any]] = {}
        """The verdict of each test so far."""
        self.earlier_tests = 0
        """How many networks before it in this file had, all together."""
        if not path.exists():
            return
        with readable(path, "holds no tests of a network, or is damaged", "its tests again"):
            content = kept(path)
            if content["format"] != FORMAT:
                raise ValueError(f"written by another version of the arena, {content['version']}")
            self.earlier_tests = int(content.get("earlier_tests", 0))
            if content["weights"] != self.weights:
                self.earlier_tests += len(content["verdicts"])
            else:
                for test, pairs in content["pairs"].items():
                    self.pairs[test] = [Pair(float(score), str(moves)) for score, moves in pairs]
                self.verdicts |= content["verdicts"]

    def save(self) -> None:
        """Write the file: all of it or nothing. Raises OSError, and UserError where the folder is
        another.
        """
        self._folder.check()
        content = {
            "weights": self.weights,
            "verdicts": self.verdicts,
            "pairs": self.pairs,
            "earlier_tests": self.earlier_tests,
        }
        keep(self._path, FORMAT, content)


class NetworkMatch(NamedTuple):
    """A match in process: its players, openings and seed."""

    rules: str
    variant: Mapping[str, Any]
    """The settings of the rule set, complete."""
    bot: str
    options: tuple[dict[str, Any], dict[str, Any]]
    """The options of the player with the network, and of the other; with a budget."""
    plies: int
    seed: str
    """The seed of openings and games."""
    threads: int
    """Games at once."""


class NetworkPairs:
    """The pairs of one test, as far as they were played, and played on. Close it."""

    def __init__(self, evidence: Evidence, test: str, meeting: NetworkMatch) -> None:
        self.verdicts, self.save = evidence.verdicts, evidence.save
        self._pairs = evidence.pairs.setdefault(test, [])
        self._meeting = meeting
        self._players = tuple(Contestant(options, None, ()) for options in meeting.options)
        self._rule_set = rule_sets.load(meeting.rules, **meeting.variant)
        self._runner = InProcessRunner(
            self._rule_set, meeting.bot, self._players[0], meeting.threads
        )
        self.interrupt, self.close = self._runner.abort, self._runner.close

    @property
    def scores(self) -> Sequence[float]:
        """The score of each pair so far: 0 to 2."""
        return [pair.score for pair in self._pairs]

    def repeats(self, first: int) -> int:
        """How many of the `first` pairs went move for move like an earlier one."""
        lines = [pair.moves for pair in self._pairs[:first]]
        return len(lines) - len(set(lines))

    def load(self) -> None:
        """Compile the kernels, or find them. Raises ValueError where no game can be played."""
        self._runner.load(self._meeting.plies)
        try_out(self._rule_set, self._meeting.bot, self._players[1])

    def extend(self, most: int) -> None:
        """Play some more pairs, up to `most` in all. Raises Aborted, with nothing kept."""
        done = len(self._pairs)
        numbers = range(done, min(done + CHUNK_PAIRS, most))
        games = self._runner.play([task for number in numbers for task in self._tasks(number)])
        self._pairs += map(Pair, pair_scores(games), pair_digests(games))

    def _tasks(self, number: int) -> list[MatchTask]:
        new, old = self._players
        plies, seed = self._meeting.plies, f"{self._meeting.seed}:{number}"
        return [
            MatchTask(players, opening=f"{seed}:opening", plies=plies, seed=f"{seed}:game:{index}")
            for index, players in enumerate(((new, old), (old, new)))
        ]
