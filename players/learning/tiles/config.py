"""From a training file (TOML) to a `TrainConfig`, or to all that is wrong with it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from arena.errors import FileError
from arena.files.toml import read_file
from arena.files.toml_tables import TomlTable, problems, shown
from players.games.tiles.boards import CELL_BITS
from players.learning.training_file import (
    LearningTable,
    NetworkTable,
    Rate,
    Training,
    TrainingReader,
    TrainingTable,
)
from players.weights.network_header import cells_of, floors_of, offsets_of, twins_of
from rules.tiles import SPAWNS

ALPHA: dict[Rate, float] = {"tc": 1.0, "fixed": 0.1}
"""The learning rate where none is given."""


class TileGameTable(TomlTable):
    """`[game]`."""

    rules: Literal["2048", "2584"] | None = None
    spawn: str | None = None


class TileTrainingFile(TomlTable):
    """The whole file. What is required is asked for later, so that all problems come at once."""

    training: TrainingTable = TrainingTable()
    game: TileGameTable = TileGameTable()
    network: NetworkTable = NetworkTable()
    learning: LearningTable = LearningTable()


@dataclass(frozen=True, kw_only=True)
class TrainConfig(Training):
    """What to learn of 2048 or 2584, and how."""

    spawn: str
    """The spawn table."""

    @property
    def board(self) -> dict[str, Any]:
        """What a network's header tells of the board."""
        return {"spawn": self.spawn}


def load_config(path: Path) -> TrainConfig:
    """Read a training file. Raises `arena.errors.FileError` with every problem found."""
    text, data = read_file(path)
    reader = _TileReader(TileTrainingFile, data)
    config = reader.config(path.stem)
    if reader.findings:
        raise FileError(path, problems(text, reader.findings))
    return config


class _TileReader(TrainingReader[TileTrainingFile]):
    """The checks of a file, in the order of its tables."""

    def config(self, name: str) -> TrainConfig:
        """The choices of the file; of no use where there are findings."""
        rules = self._rules()
        return TrainConfig(
            **self.common(name, ALPHA),
            rules=rules,
            spawn=self._spawn(rules),
            tuples=self._tuples(rules),
            stages=self._stages(rules),
        )

    def _rules(self) -> str:
        if self.file.game.rules is None:
            self.report(("game", "rules"), 'is missing: "2048" or "2584"')
            return "2048"
        return self.file.game.rules

    def _spawn(self, rules: str) -> str:
        spawn, known = self.file.game.spawn, SPAWNS[rules]
        if spawn is not None and spawn not in known:
            must_be = " or ".join(map(shown, known))
            self.report(("game", "spawn"), f"must be {must_be}, got {shown(spawn)}")
        return spawn or next(iter(known))

    def _tuples(self, rules: str) -> tuple[tuple[str, ...], ...]:
        found = self.tuples(lambda line: [cells_of(line.split())], twins_of, "a1 b1 c1 d1")
        weights = (len(self.network.stages) + 1) * offsets_of(rules, found)[-1]
        self.memory(weights, max(map(len, found), default=0), 1 << CELL_BITS[rules])
        return found

    def _stages(self, rules: str) -> tuple[int, ...]:
        try:
            floors_of(rules, self.file.network.stages)
        except ValueError as error:
            self.report(("network", "stages"), f"{error}; got {shown(self.file.network.stages)}")
        return tuple(self.file.network.stages)
