"""From a training file (TOML) to a `TrainConfig`, or to all that is wrong with it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from arena.toml.file import FileError, NotToml, Problem, parse, problems
from arena.toml.lines import KeyPath
from arena.toml.tables import Finding, Table, did_you_mean, read_tables, shown, wrong_name
from players.learning.tiles.episodes import WHOLE_GAME
from players.weights.network_header import (
    Header,
    cells_of,
    floors_of,
    memory_mb,
    offsets_of,
    twins_of,
)
from rules.tiles import SPAWNS

Target = Literal["td0", "td-lambda", "n-step", "monte-carlo"]
Updates = Literal["backward", "forward"]
Rate = Literal["tc", "fixed"]

ALPHA = {"tc": 1.0, "fixed": 0.1}
"""The learning rate where none is given."""
MOST_INITIAL = 1e8
"""More than any game scores."""
WEIGHT_BYTES = {"tc": 12, "fixed": 4}
"""What a weight takes, with its sums of errors where there are any."""


class TrainingTable(Table):
    """`[training]`."""

    name: str | None = None
    games: int = Field(default=100_000, ge=1, le=10**10)
    block: int = Field(default=1000, ge=1, le=10**7)
    checkpoint_every: int = Field(default=10, ge=1)
    seed: int = Field(default=1, ge=-(2**63), lt=2**63)
    threads: int = Field(default=1, ge=1, le=64)


class GameTable(Table):
    """`[game]`."""

    rules: Literal["2048", "2584"] | None = None
    spawn: str | None = None


class NetworkTable(Table):
    """`[network]`."""

    tuples: list[str] = Field(default_factory=list)
    stages: list[int] = Field(default_factory=list)
    initial: float = Field(default=0.0, ge=-MOST_INITIAL, le=MOST_INITIAL)


class LearningTable(Table):
    """`[learning]`."""

    target: Target = "td0"
    lambda_: float | None = Field(default=None, alias="lambda", ge=0, le=1)
    steps: int | None = Field(default=None, ge=1, le=WHOLE_GAME)
    updates: Updates = "backward"
    rate: Rate = "tc"
    alpha: float | None = Field(default=None, gt=0, le=1)


class TrainFile(Table):
    """The whole file. What is required is asked for later, so that all problems come at once."""

    training: TrainingTable = TrainingTable()
    game: GameTable = GameTable()
    network: NetworkTable = NetworkTable()
    learning: LearningTable = LearningTable()


@dataclass(frozen=True)
class TrainConfig:
    """What to learn, and how: every choice made."""

    name: str
    """What the run is called; the file's name without its ending where it gives none."""
    games: int
    """How many games to learn from, a multiple of `block`."""
    block: int
    """The games of one point of the learning curve."""
    checkpoint_every: int
    """Blocks between checkpoints."""
    seed: int
    """With one thread the seed and the other settings decide every weight."""
    threads: int
    """Games at once, on shared weights that are written without locks."""
    rules: str
    """2048 or 2584."""
    spawn: str
    """The spawn table."""
    tuples: tuple[tuple[str, ...], ...]
    """The cells of each tuple, in the order of the board."""
    stages: tuple[int, ...]
    """The largest tile from which on each later stage counts."""
    initial: float
    """The value of a board never met."""
    target: Target
    """What values are moved towards: by `mix` and `steps` all are the truncated λ-return."""
    mix: float
    """λ: 0 to 1."""
    steps: int
    """How many afterstates a target looks ahead; `WHOLE_GAME` for all."""
    updates: Updates
    """After a game from its end, or while it goes on."""
    rate: Rate
    """Temporal coherence, or one rate for all weights."""
    alpha: float
    """The share of an error that an update takes, split evenly over a board's entries."""

    def header(self) -> Header:
        """The header of a file with its network."""
        return Header(
            rules=self.rules,  # type: ignore[arg-type] # judged there
            spawn=self.spawn,
            tuples=self.tuples,
            stages=self.stages,
            initial=self.initial,
            method={name: getattr(self, key) for name, key in METHOD.items()},
            seed=self.seed,
        )

    def settings(self) -> dict[str, Any]:
        """What decides the weights: a run that goes on must agree in all of it."""
        return {key: value for key, value in asdict(self).items() if key not in FREE}


METHOD = {
    "target": "target",
    "lambda": "mix",
    "steps": "steps",
    "updates": "updates",
    "rate": "rate",
    "alpha": "alpha",
    "threads": "threads",
}
"""What a network file tells of how it learned, by the names of the training file."""
FREE = ("name", "games", "checkpoint_every")
"""What may change before a run goes on."""


def load_config(path: Path) -> TrainConfig:
    """Read a training file. Raises `arena.toml.file.FileError` with every problem found."""
    try:
        text = path.read_bytes().decode("utf-8")
        data = parse(text)
    except NotToml as error:
        raise FileError(path, (error.problem,)) from None
    except UnicodeDecodeError as error:
        message = f"not UTF-8 text: byte 0x{error.object[error.start]:02x} at {error.start}"
        raise FileError(path, (Problem("", None, message),)) from None
    except OSError as error:
        message = f"cannot be read: {error.strerror}"
        raise FileError(path, (Problem("", None, message),)) from None
    reader = _Reader(data)
    config = reader.config(path.stem)
    if reader.findings:
        raise FileError(path, problems(text, reader.findings))
    return config


class _Reader:
    """The checks of one file, in the order of its tables; each reports and goes on."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.file: TrainFile
        self.file, self.findings = read_tables(TrainFile, data)
        self._wrong = {finding.path for finding in self.findings}

    def report(self, at: KeyPath, message: str) -> None:
        """Note a problem, unless the key was already found wrong in itself."""
        if not any(at[: len(known)] == known for known in self._wrong):
            self.findings.append(Finding(at, message))

    def config(self, name: str) -> TrainConfig:
        """The choices of the file; of no use where there are findings."""
        training, learning = self.file.training, self.file.learning
        rules = self._rules()
        mix, steps = self._target()
        return TrainConfig(
            name=self._name(name),
            games=self._games(),
            block=training.block,
            checkpoint_every=training.checkpoint_every,
            seed=training.seed,
            threads=training.threads,
            rules=rules,
            spawn=self._spawn(rules),
            tuples=self._tuples(rules),
            stages=self._stages(rules),
            initial=self.file.network.initial,
            target=learning.target,
            mix=mix,
            steps=steps,
            updates=learning.updates,
            rate=learning.rate,
            alpha=ALPHA[learning.rate] if learning.alpha is None else learning.alpha,
        )

    def _name(self, otherwise: str) -> str:
        name = self.file.training.name
        if name is None:
            return otherwise
        wrong = wrong_name(name, "the run's folder")
        if wrong is not None:
            self.report(("training", "name"), wrong)
        return name

    def _games(self) -> int:
        games, block = self.file.training.games, self.file.training.block
        if games % block:
            self.report(
                ("training", "games"),
                f"must be a multiple of the block of {block} games, such as "
                f"{(games // block + 1) * block}; got {games}",
            )
        if block < self.file.training.threads:
            self.report(
                ("training", "threads"),
                f"{self.file.training.threads} threads share the games of a block, which are "
                f"{block}; give fewer threads or a larger block",
            )
        return games

    def _rules(self) -> str:
        if self.file.game.rules is None:
            self.report(("game", "rules"), 'is missing: "2048" or "2584"')
            return "2048"
        return self.file.game.rules

    def _spawn(self, rules: str) -> str:
        spawn, known = self.file.game.spawn, SPAWNS[rules]
        if spawn is not None and spawn not in known:
            self.report(("game", "spawn"), f"got {shown(spawn)}; {did_you_mean(spawn, known)}")
        return spawn or next(iter(known))

    def _tuples(self, rules: str) -> tuple[tuple[str, ...], ...]:
        found: dict[tuple[str, ...], int] = {}
        at: KeyPath = ("network", "tuples")
        for index, line in enumerate(self.file.network.tuples):
            try:
                names = tuple(cells_of(line.split()))
            except ValueError as error:
                self.report((*at, index), f'{error}: write "a1 b1 c1 d1"; got {shown(line)}')
                continue
            twin = next((found[twin] for twin in twins_of(names) if twin in found), None)
            if twin is not None:
                self.report(
                    (*at, index),
                    f"tuple {twin + 1} is the same by symmetry: every tuple counts over all 8 "
                    "symmetries; leave one of them out",
                )
            found[names] = index
        if not self.file.network.tuples:
            self.report(at, 'is missing: lists of cells, as ["a1 b1 c1 d1", "a2 b2 c2 d2"]')
        self._memory(rules, tuple(found))
        return tuple(found)

    def _memory(self, rules: str, tuples: tuple[tuple[str, ...], ...]) -> None:
        stages = len(self.file.network.stages) + 1
        weights = stages * offsets_of(rules, tuples)[-1]
        needed = weights * WEIGHT_BYTES[self.file.learning.rate] // 1_000_000
        if needed > memory_mb():
            longest = max(map(len, tuples))
            self.report(
                ("network", "tuples"),
                f"need {needed:,} MB of memory, this machine has {memory_mb():,} MB; the longest "
                f"tuple has {longest} cells, and one cell less divides its table by "
                f"{16 if rules == '2048' else 32}",
            )

    def _stages(self, rules: str) -> tuple[int, ...]:
        try:
            floors_of(rules, self.file.network.stages)
        except ValueError as error:
            self.report(("network", "stages"), f"{error}; got {shown(self.file.network.stages)}")
        return tuple(self.file.network.stages)

    def _target(self) -> tuple[float, int]:
        """λ, and how far targets look ahead."""
        table = self.file.learning
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
