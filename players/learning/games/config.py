"""From a training file (TOML) for Othello or dots to a `GamesConfig`, or to all that is wrong."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, Field

import rules as rule_sets
from arena.errors import FileError
from arena.files.toml import read_file
from arena.files.toml_tables import TomlTable, problems, shown
from players.catalogue import BUILTINS
from players.learning.training_file import (
    LearningTable,
    NetworkTable,
    Rate,
    Training,
    TrainingReader,
    TrainingTable,
)
from players.weights.board_tuples import BOARD_GAMES, STATES, BoardCells
from players.weights.network_header import offsets_of

Yardstick = Literal["default", "classic", "random"]

ALPHA: dict[Rate, float] = {"tc": 0.2, "fixed": 0.02}
"""The learning rate where none is given: results of games between equals are mostly chance."""
UNITS = {"othello": "discs", "dots": "edges"}
"""What stages count."""
EXAMPLES = {"othello": "a1 b1 c1 d1", "dots": "a1b1 a1a2 b1b2 a2b2"}


class GamesTable(TrainingTable):
    """`[training]`, or `[tuning]` with `method = "td"`."""

    games: int = Field(default=1_000_000, ge=1, le=10**10)
    block: int = Field(default=20_000, ge=1, le=10**7)
    yardstick: Yardstick = "default"
    """Who the network meets after each block: at 1 ply, an evaluation that comes along, or a player
    of random moves."""
    yardstick_games: int = Field(default=200, ge=2, le=10**6, multiple_of=2)


class TdTable(GamesTable):
    """`[tuning]`."""

    method: Literal["td"] = "td"


class BoardGameTable(TomlTable):
    """`[game]`: the rule set; the other keys are its settings, judged by it."""

    model_config = ConfigDict(extra="allow")

    rules: Literal["othello", "dots"] | None = None


class GamesLearningTable(LearningTable):
    """`[learning]`."""

    plies: int = Field(default=6, ge=0, le=100)
    """Random moves at the start of a game."""
    epsilon: float = Field(default=0.05, ge=0, le=1)
    """How often a later move is random."""


class GamesTrainingFile(TomlTable):
    """The whole file. What is required is asked for later, so that all problems come at once."""

    training: GamesTable = GamesTable()
    tuning: TdTable = TdTable()
    game: BoardGameTable = BoardGameTable()
    network: NetworkTable = NetworkTable()
    learning: GamesLearningTable = GamesLearningTable()
    verify: dict[str, Any] = Field(default_factory=dict)
    """Read by who verifies."""


@dataclass(frozen=True, kw_only=True)
class GamesConfig(Training):
    """What to learn of Othello or dots, and how."""

    yardstick: Yardstick
    yardstick_games: int
    variant: dict[str, Any]
    """The settings of the rule set, complete."""
    plies: int
    """Random moves at the start of a game."""
    epsilon: float
    """How often a later move is random."""

    @property
    def board(self) -> dict[str, Any]:
        """What a network's header tells of the board."""
        return {"variant": self.variant}

    @property
    def method(self) -> dict[str, Any]:
        """How a network learned, by the names of the training file."""
        return super().method | {"plies": self.plies, "epsilon": self.epsilon}


def load_config(path: Path) -> GamesConfig:
    """Read a training file. Raises `arena.errors.FileError` with every problem found."""
    text, data = read_file(path)
    reader = _GamesReader(GamesTrainingFile, data, "tuning" if "tuning" in data else "training")
    if "tuning" in data and "training" in data:
        reader.report(("training",), 'there is [tuning] with method = "td" already; leave one out')
    config = reader.config(path.stem)
    if reader.findings or config is None:
        raise FileError(path, problems(text, reader.findings))
    return config


class _GamesReader(TrainingReader[GamesTrainingFile]):
    """The checks of a file, in the order of its tables."""

    def config(self, name: str) -> GamesConfig | None:
        """The choices of the file; None where what others depend on is wrong."""
        table: GamesTable = getattr(self.file, self.head)
        learning = self.file.learning
        common, game = self.common(name, ALPHA), self._board_game()
        if game is None:
            return None
        variant = dict(game.variant)
        return GamesConfig(
            **common,
            yardstick=table.yardstick,
            yardstick_games=table.yardstick_games,
            rules=game.name,
            variant=variant,
            tuples=self._tuples(game.name, variant),
            stages=self._stages(game.name, variant),
            plies=learning.plies,
            epsilon=learning.epsilon,
        )

    def _board_game(self) -> rule_sets.Game | None:
        """The game, of a board whose moves are searched and whose cells a network can see."""
        table = self.file.game
        game = self.game(table.rules, table.model_extra or {}, " or ".join(map(shown, BOARD_GAMES)))
        if game is None or any(("game", key) in self.reported for key in game.variant):
            return None  # which board is meant is not known
        try:
            reason = BUILTINS["alphabeta"].unsupported(game.name, game.variant)
            if reason is not None:
                raise ValueError(reason)
            BoardCells(game.name, game.variant)
        except ValueError as error:
            self.report(("game",), str(error))
            return None
        return game

    def _tuples(self, rules: str, variant: dict[str, Any]) -> tuple[tuple[str, ...], ...]:
        cells = BoardCells(rules, variant)
        found = self.tuples(cells.tuples, cells.twins, EXAMPLES[rules])
        weights = (len(self.network.stages) + 1) * offsets_of(rules, found)[-1]
        self.memory(weights, max(map(len, found), default=0), STATES[rules])
        return found

    def _stages(self, rules: str, variant: dict[str, Any]) -> tuple[int, ...]:
        stages, at = self.network.stages, ("network", "stages")
        most = BoardCells(rules, variant).most
        if stages != sorted({*stages} - {0}) or any(stage < 0 for stage in stages):
            self.report(at, f"the numbers of stages must go up from above 0; got {shown(stages)}")
        elif stages and stages[-1] >= most:
            self.report(
                at,
                f"this board has {most} {UNITS[rules]}, and a stage begins before all of them are "
                f"there; got {shown(stages)}",
            )
        return tuple(stages)
