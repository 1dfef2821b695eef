"""Shared parts of training and tuning files: tables, and checks of keys that report and go on."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, TypeVar

from pydantic import ConfigDict, Field

import rules as rule_sets
from arena.errors import FileError
from arena.files.toml import KeyPath, read_file
from arena.files.toml_tables import (
    Finding,
    TomlTable,
    problems,
    read_tables,
    reporter,
    shown,
    wrong_name,
)
from players.ntuple.temporal import WHOLE_GAME
from players.weights.board_tuples import STATES, BoardCells
from players.weights.network_header import Header, memory_mb, offsets_of

Target = Literal["td0", "td-lambda", "n-step", "monte-carlo"]
Updates = Literal["backward", "forward"]
Rate = Literal["tc", "fixed"]
Learned = Literal["othello", "dots", "2048", "2584"]
"""The rule sets that something is learned of, by a training or a tuning …"""
LEARNED = '"othello", "dots", "2048" or "2584"'
"""… in words."""

MOST_INITIAL = 1e8
"""More than any game scores."""
WEIGHT_BYTES = {"tc": 16, "fixed": 4}
"""The bytes of a weight, with its sums of errors where there are any."""
COUNTED = {"othello": "discs", "dots": "edges"}
"""The unit of stages, where they are no tiles."""

METHOD = ("target", "lambda", "steps", "updates", "rate", "alpha", "threads")
"""The fields of a network file on its training, by the names of the training file."""
FREE = ("name", "games", "checkpoint_every", "average")
"""Keys that may change before a run goes on."""


@dataclass(frozen=True, kw_only=True)
class Training:
    """The configuration of a training for any game: every choice made."""

    name: str
    """The name of the run; the file's name without its ending where it gives none."""
    games: int
    """How many games to learn from, a multiple of `block`."""
    block: int
    """The games of one point of the learning curve."""
    checkpoint_every: int
    """Blocks between checkpoints."""
    average: int = 1
    """Of that many of the last checkpoints the result is the mean."""
    seed: int
    """With one thread the seed and the other settings decide every weight."""
    threads: int
    """Games at once, on shared weights that are written without locks."""
    rules: str
    stages: tuple[int, ...]
    """Where later stages begin: the largest tile, or discs on the board or edges drawn."""
    tuples: tuple[tuple[str, ...], ...]
    """The cells of each tuple, in the order of the board."""
    initial: float
    """The value of a board never met."""
    target: Target
    """What values are moved towards: by `mix` and `steps` all are the truncated λ-return."""
    mix: float
    steps: int
    """How many afterstates a target looks ahead; `WHOLE_GAME` for all."""
    updates: Updates
    """After a game from its end, or while it goes on."""
    rate: Rate
    """Temporal coherence, or one rate for all weights."""
    alpha: float
    """The share of an error that an update takes, split evenly over a board's entries."""

    board_key: ClassVar[str]
    """The fields of a network's header on the board."""
    method_keys: ClassVar[tuple[str, ...]] = METHOD
    """The fields of a network's header on its training."""

    def header(self) -> Header:
        """The header of a file with the network."""
        values = {key: getattr(self, "mix" if key == "lambda" else key) for key in self.method_keys}
        method = {key: value for key, value in values.items() if value is not None}
        board = {self.board_key: getattr(self, self.board_key)}
        return Header(
            rules=self.rules,  # type: ignore[arg-type] # judged there
            tuples=self.tuples,
            stages=self.stages,
            initial=self.initial,
            method=method,
            seed=self.seed,
            **board,
        )

    def settings(self) -> dict[str, Any]:
        """The keys that decide the weights and the curve: a run that goes on must agree in all of
        them.
        """
        return {key: value for key, value in asdict(self).items() if key not in FREE}


def as_written(settings: Mapping[str, Any]) -> dict[str, Any]:
    """`Training.settings` by the keys of the file, without those that its target does not take. Of
    a network to start from the name: a run that goes on does not read it.
    """
    rest = dict(settings)
    mix, steps, start = (rest.pop(key, None) for key in ("mix", "steps", "start"))
    written = {**rest.pop("variant", {}), **rest}
    if rest.get("target") == "td-lambda":
        written["lambda"] = mix
    if rest.get("target") in ("td-lambda", "n-step") and steps != WHOLE_GAME:
        written["steps"] = steps
    if start is not None:
        written["start"] = Path(start).name
    return {key: value for key, value in written.items() if value is not None}


class TrainingTable(TomlTable):
    """`[training]`."""

    name: str | None = None
    games: int = Field(default=100_000, ge=1, le=10**10)
    block: int = Field(default=1000, ge=1, le=10**7)
    checkpoint_every: int = Field(default=10, ge=1)
    average: int = Field(default=1, ge=1, le=100)
    seed: int = Field(default=1, ge=-(2**63), lt=2**63)
    threads: int = Field(default=1, ge=1, le=64)


class NetworkTable(TomlTable):
    """`[network]`."""

    tuples: list[str] = Field(default_factory=list)
    stages: list[int] = Field(default_factory=list)
    initial: float = Field(default=0.0, ge=-MOST_INITIAL, le=MOST_INITIAL)


class LearningTable(TomlTable):
    """`[learning]`."""

    target: Target = "td0"
    lambda_: float | None = Field(default=None, alias="lambda", ge=0, le=1)
    steps: int | None = Field(default=None, ge=1, le=WHOLE_GAME)
    updates: Updates = "backward"
    rate: Rate = "tc"
    alpha: float | None = Field(default=None, gt=0, le=1)


class GameTable(TomlTable):
    """`[game]`: the rule set; the other keys are its settings, judged by it."""

    model_config = ConfigDict(extra="allow")

    rules: Learned | None = None


_File = TypeVar("_File", bound=TomlTable)
_Config = TypeVar("_Config")


class FileReader(ABC, Generic[_File, _Config]):
    """The checks of one file, in the order of its tables."""

    model: type[_File]
    head: str
    """The table with its name."""

    def __init__(self, data: dict[str, Any], path: Path) -> None:
        self._data, self._path = data, path
        self.file: _File
        self.file, self.findings = read_tables(self.model, data)
        self._wrong = {finding.path for finding in self.findings}
        self.report = reporter(self.findings)

    @classmethod
    def load(cls, path: Path) -> _Config:
        """Read a file. Raises FileError with every problem found."""
        text, data = read_file(path)
        reader = cls(data, path)
        config = reader.config()
        if reader.findings or config is None:
            raise FileError(path, problems(text, reader.findings))
        return config

    @abstractmethod
    def config(self) -> _Config | None:
        """The choices of the file; of no use where there are findings."""

    def name(self) -> str:
        """The name of the run: that of the file, where it gives none."""
        name: str | None = getattr(self.file, self.head).name
        wrong = None if name is None else wrong_name(name, "the run's folder")
        if wrong is not None:
            self.report((self.head, "name"), wrong)
        return self._path.stem if name is None else name

    def game(self, table: Any, known: str) -> rule_sets.Game | None:
        """The game of `[game]`: one of those `known`; None where there is none."""
        if table.rules is None:
            self.report(("game", "rules"), f"is missing: {known}")
            return None
        game, wrong = rule_sets.judge(table.rules, table.model_extra or {})
        for key, message in wrong.items():
            self.report(("game", key) if key else ("game",), message)
        return game


class TrainingReader(FileReader[_File, _Config]):
    """The checks of a training file, whatever the game."""

    head = "training"
    alphas: Mapping[Rate, float]
    """The learning rates where none is given."""

    def __init__(self, data: dict[str, Any], path: Path) -> None:
        super().__init__(data, path)
        self.findings[:] = [_with_words(finding, data) for finding in self.findings]
        tables: Any = self.file
        self.training: TrainingTable = getattr(tables, self.head)
        self.network: NetworkTable = tables.network
        self.learning: LearningTable = tables.learning

    def common(self) -> dict[str, Any]:
        """The choices of the tables that every game's files have."""
        learning = self.learning
        mix, steps = self._target()
        name = self.name()
        self._check_games()
        return {
            **self.training.model_dump(exclude={"method"}),
            **learning.model_dump(exclude={"lambda_"}),
            "name": name,
            "initial": self.network.initial,
            "mix": mix,
            "steps": steps,
            "alpha": self.alphas[learning.rate] if learning.alpha is None else learning.alpha,
        }

    def _check_games(self) -> None:
        games, block, threads = self.training.games, self.training.block, self.training.threads
        if games % block:
            self.report(
                (self.head, "games"),
                f"must be a multiple of the block of {block} games, such as "
                f"{(games // block + 1) * block}; got {games}",
            )
        if block < threads:
            self.report(
                (self.head, "threads"),
                f"{threads} threads share the games of a block, which are {block}; give fewer "
                "threads or a larger block",
            )

    def tuples(self, cells: BoardCells) -> tuple[tuple[str, ...], ...]:
        """The tuples of all lines, which this machine must have the memory for."""
        example = "a1b1 a1a2 b1b2 a2b2" if cells.rules == "dots" else "a1 b1 c1 d1"
        found: dict[tuple[str, ...], int] = {}
        at: KeyPath = ("network", "tuples")
        for index, line in enumerate(self.network.tuples):
            try:
                several = cells.tuples(line)
            except ValueError as error:
                self.report((*at, index), f'{error}: write "{example}"; got {shown(line)}')
                continue
            for names in several:
                twin = next((found[twin] for twin in cells.twins(names) if twin in found), None)
                if twin is not None:
                    self.report(
                        (*at, index),
                        f"tuple {twin + 1} is the same by symmetry: every tuple counts over all 8 "
                        "symmetries; leave one of them out",
                    )
                    break
                found[names] = index
        if not self.network.tuples and all(path[:2] != at for path in self._wrong):
            self.report(at, f'is missing: lists of cells, as ["{example}"]')
        weights = (len(self.network.stages) + 1) * offsets_of(cells.rules, tuple(found))[-1]
        needed = weights * WEIGHT_BYTES[self.learning.rate] // 1_000_000
        if needed > memory_mb():
            self.report(
                at,
                f"need {needed:,} MB of memory, this machine has {memory_mb():,} MB; the longest "
                f"tuple has {max(map(len, found))} cells, and one cell less divides its table by "
                f"{STATES[cells.rules]}",
            )
        return tuple(found)

    def stages(self, cells: BoardCells) -> tuple[int, ...]:
        """Where the later stages begin."""
        stages, at, most = self.network.stages, ("network", "stages"), len(cells.cells)
        try:
            cells.floors(stages)
        except ValueError as error:
            self.report(at, f"{error}; got {shown(stages)}")
        else:
            if cells.rules in COUNTED and stages and stages[-1] >= most:
                self.report(
                    at,
                    f"this board has {most} {COUNTED[cells.rules]}, and a stage begins before all "
                    f"of them are there; got {shown(stages)}",
                )
        return tuple(stages)

    def _target(self) -> tuple[float, int]:
        """λ, and how far targets look ahead."""
        table = self.learning
        if ("learning", "target") in self._wrong:
            return 0.0, 1
        mixes, looks = table.target == "td-lambda", table.target in ("td-lambda", "n-step")
        if mixes and table.lambda_ is None:
            self.report(("learning", "lambda"), 'is missing: target = "td-lambda" mixes by it')
        if not mixes and table.lambda_ is not None:
            self.report(("learning", "lambda"), 'only target = "td-lambda" mixes; leave it out')
        if table.target == "n-step" and table.steps is None:
            self.report(("learning", "steps"), 'is missing: target = "n-step" looks so far ahead')
        if not looks and table.steps is not None:
            self.report(
                ("learning", "steps"),
                f'target = "{table.target}" takes none; leave it out, or write target = "n-step"',
            )
        if table.target == "td0":
            return 0.0, 1
        mix = (table.lambda_ or 0.0) if mixes else 1.0
        return mix, table.steps or WHOLE_GAME


def from_anywhere(value: Any, folder: Path) -> Any:
    """A value; one that names a file of the folder as a path that holds from anywhere."""
    is_file = isinstance(value, str) and (folder / value).is_file()
    return str((folder / value).resolve()) if is_file else value


def _with_words(finding: Finding, data: Mapping[str, Any]) -> Finding:
    """With how to write tuples that are a text, or a tuple that is a list of cells."""
    if finding.path[:2] != ("network", "tuples"):
        return finding
    tuples = data["network"]["tuples"]
    if isinstance(tuples, str):
        message = f"must be a list: write {shown([tuples])}, got {shown(tuples)}"
        return finding._replace(message=message)
    line = tuples[finding.path[2]] if len(finding.path) == 3 else None
    if not isinstance(line, list) or not all(isinstance(cell, str) for cell in line):
        return finding
    return finding._replace(message=f"{finding.message}; write {shown(' '.join(line))}")
