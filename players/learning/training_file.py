"""What training files of all games share: tables, and the checks of their keys."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeVar

from pydantic import Field

from arena.files.toml import KeyPath
from arena.files.toml_tables import Finding, TomlTable, shown
from players.learning.file_reader import FileReader
from players.ntuple.temporal import WHOLE_GAME
from players.weights.network_header import Header, memory_mb

Target = Literal["td0", "td-lambda", "n-step", "monte-carlo"]
Updates = Literal["backward", "forward"]
Rate = Literal["tc", "fixed"]

MOST_INITIAL = 1e8
"""More than any game scores."""
WEIGHT_BYTES = {"tc": 12, "fixed": 4}
"""What a weight takes, with its sums of errors where there are any."""


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


@dataclass(frozen=True, kw_only=True)
class Training:
    """What to learn, and how, whatever the game: every choice made."""

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
    """The rule set."""
    stages: tuple[int, ...]
    """Where each later stage begins: the largest tile, or how many discs are on the board or edges
    drawn."""
    tuples: tuple[tuple[str, ...], ...]
    """The cells of each tuple, in the order of the board."""
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

    @property
    def board(self) -> dict[str, Any]:
        """What a network's header tells of the board."""
        raise NotImplementedError

    @property
    def method(self) -> dict[str, Any]:
        """How a network learned, by the names of the training file."""
        return {name: getattr(self, key) for name, key in METHOD.items()}

    def header(self) -> Header:
        """The header of a file with the network."""
        return Header(
            rules=self.rules,  # type: ignore[arg-type] # judged there
            tuples=self.tuples,
            stages=self.stages,
            initial=self.initial,
            method=self.method,
            seed=self.seed,
            **self.board,
        )

    def settings(self) -> dict[str, Any]:
        """What decides the weights and the curve: a run that goes on must agree in all of it."""
        return {key: value for key, value in asdict(self).items() if key not in FREE}


class TrainingTable(TomlTable):
    """`[training]`."""

    name: str | None = None
    games: int = Field(default=100_000, ge=1, le=10**10)
    block: int = Field(default=1000, ge=1, le=10**7)
    checkpoint_every: int = Field(default=10, ge=1)
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


_File = TypeVar("_File", bound=TomlTable)


class TrainingReader(FileReader[_File]):
    """The checks of a training file, whatever the game."""

    def __init__(self, model: type[_File], data: dict[str, Any], head: str = "training") -> None:
        super().__init__(model, data, head)
        self.findings = [_with_words(finding, data) for finding in self.findings]
        tables: Any = self.file
        self.training: TrainingTable = getattr(tables, head)
        self.network: NetworkTable = tables.network
        self.learning: LearningTable = tables.learning

    def common(self, name: str, alphas: Mapping[Rate, float]) -> dict[str, Any]:
        """The choices that every game's files have; `alphas` are the rates where none is given."""
        training, learning = self.training, self.learning
        mix, steps = self.target()
        return {
            "name": self.name(name),
            "games": self.games(),
            "block": training.block,
            "checkpoint_every": training.checkpoint_every,
            "seed": training.seed,
            "threads": training.threads,
            "initial": self.network.initial,
            "target": learning.target,
            "mix": mix,
            "steps": steps,
            "updates": learning.updates,
            "rate": learning.rate,
            "alpha": alphas[learning.rate] if learning.alpha is None else learning.alpha,
        }

    def games(self) -> int:
        """How many games to learn from."""
        games, block = self.training.games, self.training.block
        if games % block:
            self.report(
                (self.head, "games"),
                f"must be a multiple of the block of {block} games, such as "
                f"{(games // block + 1) * block}; got {games}",
            )
        if block < self.training.threads:
            self.report(
                (self.head, "threads"),
                f"{self.training.threads} threads share the games of a block, which are "
                f"{block}; give fewer threads or a larger block",
            )
        return games

    def tuples(
        self,
        meant: Callable[[str], Sequence[tuple[str, ...]]],
        twins: Callable[[Sequence[str]], set[tuple[str, ...]]],
        example: str,
    ) -> tuple[tuple[str, ...], ...]:
        """The tuples of all lines. `meant` tells those of a line and raises ValueError for what is
        none, `twins` what the board's symmetries make of one; `example` is a line.
        """
        found: dict[tuple[str, ...], int] = {}
        at: KeyPath = ("network", "tuples")
        for index, line in enumerate(self.network.tuples):
            try:
                several = meant(line)
            except ValueError as error:
                self.report((*at, index), f'{error}: write "{example}"; got {shown(line)}')
                continue
            for names in several:
                twin = next((found[twin] for twin in twins(names) if twin in found), None)
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
        return tuple(found)

    def memory(self, weights: int, longest: int, states: int) -> None:
        """Report a network of that many weights that this machine has no memory for; its longest
        tuple has `longest` cells, and a cell has that many `states`.
        """
        needed = weights * WEIGHT_BYTES[self.learning.rate] // 1_000_000
        if needed > memory_mb():
            self.report(
                ("network", "tuples"),
                f"need {needed:,} MB of memory, this machine has {memory_mb():,} MB; the longest "
                f"tuple has {longest} cells, and one cell less divides its table by {states}",
            )

    def target(self) -> tuple[float, int]:
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


def _with_words(finding: Finding, data: Mapping[str, Any]) -> Finding:
    """With how to write a tuple that is a list of cells."""
    if finding.path[:2] != ("network", "tuples") or len(finding.path) != 3:
        return finding
    given = data["network"]["tuples"][finding.path[2]]
    if not isinstance(given, list) or not all(isinstance(cell, str) for cell in given):
        return finding
    return finding._replace(message=f"{finding.message}; write {shown(' '.join(given))}")
