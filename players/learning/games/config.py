"""From a training file (TOML) for Othello or dots to a `GamesConfig`, or to all that is wrong."""

from __future__ import annotations

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
    METHOD,
    LearningTable,
    NetworkTable,
    Training,
    TrainingReader,
    TrainingTable,
)
from players.weights.board_tuples import BOARD_GAMES, STATES, BoardCells
from players.weights.network_header import Header, offsets_of

Yardstick = Literal["default", "classic", "random"]

ALPHA = {"tc": 0.2, "fixed": 0.02}
"""The learning rate where none is given: results of games between equals are mostly chance."""
UNITS = {"othello": "discs", "dots": "edges"}
"""What stages count."""
EXAMPLES = {"othello": "a1 b1 c1 d1", "dots": "a1b1 a1a2 b1b2 a2b2"}
_METHOD = METHOD | {"plies": "plies", "epsilon": "epsilon"}
"""What a network file tells beside what all do."""


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


class GameTable(TomlTable):
    """`[game]`: the rule set; the other keys are its settings, judged by it."""

    model_config = ConfigDict(extra="allow")

    rules: Literal["othello", "dots"] | None = None


class GamesLearningTable(LearningTable):
    """`[learning]`."""

    plies: int = Field(default=6, ge=0, le=100)
    """Random moves at the start of a game."""
    epsilon: float = Field(default=0.05, ge=0, le=1)
    """How often a later move is random."""


class GamesFile(TomlTable):
    """The whole file. What is required is asked for later, so that all problems come at once."""

    training: GamesTable = GamesTable()
    tuning: TdTable = TdTable()
    game: GameTable = GameTable()
    network: NetworkTable = NetworkTable()
    learning: GamesLearningTable = GamesLearningTable()
    verify: dict[str, Any] = Field(default_factory=dict)
    """Read by who verifies."""


@dataclass(frozen=True, kw_only=True)
class GamesConfig(Training):
    """What to learn of Othello or dots, and how."""

    yardstick: Yardstick
    yardstick_games: int
    rules: str
    """othello or dots."""
    variant: dict[str, Any]
    """The settings of the rule set, complete."""
    stages: tuple[int, ...]
    """How many discs are on the board, or edges drawn, where each later stage begins."""
    plies: int
    """Random moves at the start of a game."""
    epsilon: float
    """How often a later move is random."""

    def header(self) -> Header:
        """The header of a file with its network."""
        return Header(
            rules=self.rules,  # type: ignore[arg-type] # judged there
            variant=self.variant,
            tuples=self.tuples,
            stages=self.stages,
            initial=self.initial,
            method={name: getattr(self, key) for name, key in _METHOD.items()},
            seed=self.seed,
        )


def load_config(path: Path) -> GamesConfig:
    """Read a training file. Raises `arena.files.toml.FileError` with every problem found."""
    text, data = read_file(path)
    reader = _Reader(GamesFile, data, "tuning" if "tuning" in data else "training")
    if "tuning" in data and "training" in data:
        reader.report(("training",), 'there is [tuning] with method = "td" already; leave one out')
    config = reader.config(path.stem)
    if reader.findings or config is None:
        raise FileError(path, problems(text, reader.findings))
    return config


class _Reader(TrainingReader[GamesFile]):
    """The checks of a file, in the order of its tables."""

    def config(self, name: str) -> GamesConfig | None:
        """The choices of the file; None where what others depend on is wrong."""
        table: GamesTable = getattr(self.file, self.head)
        learning = self.file.learning
        mix, steps = self.target()
        name, games = self.name(name), self.games()
        game = self._game()
        if game is None:
            return None
        variant = dict(game.variant)
        return GamesConfig(
            name=name,
            games=games,
            block=table.block,
            checkpoint_every=table.checkpoint_every,
            seed=table.seed,
            threads=table.threads,
            yardstick=table.yardstick,
            yardstick_games=table.yardstick_games,
            rules=game.name,
            variant=variant,
            tuples=self._tuples(game.name, variant),
            stages=self._stages(game.name, variant),
            initial=self.network.initial,
            target=learning.target,
            mix=mix,
            steps=steps,
            updates=learning.updates,
            rate=learning.rate,
            alpha=ALPHA[learning.rate] if learning.alpha is None else learning.alpha,
            plies=learning.plies,
            epsilon=learning.epsilon,
        )

    def _game(self) -> rule_sets.Game | None:
        rules = self.file.game.rules
        if rules is None:
            self.report(("game", "rules"), f"is missing: {' or '.join(map(shown, BOARD_GAMES))}")
            return None
        game, wrong = rule_sets.judge(rules, self.file.game.model_extra or {})
        for key, message in wrong.items():
            self.report(("game", key) if key else ("game",), message)
        if game is None or any(key in game.variant for key in wrong):
            return None  # which board is meant is not known
        try:
            reason = BUILTINS["alphabeta"].unsupported(rules, game.variant)
            if reason is not None:
                raise ValueError(reason)
            BoardCells(rules, game.variant)
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
