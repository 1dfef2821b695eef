"""From a tuning file (TOML) to a `TuneConfig`, or to all that is wrong with it."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import Field, ValidationError

import rules as rule_sets
from arena.files.toml_tables import TomlTable, did_you_mean, explain, shown
from arena.files.whole_file import contents_digest
from players.catalogue import BUILTINS
from players.learning.training_file import LEARNED, FileReader, GameTable, from_anywhere
from players.learning.tuning.methods import METHODS, CmaTable, MethodName, SelfplayTable, SpsaTable
from players.learning.tuning.space import FLAT, Colours, Range, Space, Symmetry, WeightsPlan
from players.options import tunable_table, tunables

BUDGETS = ("iterations", "nodes", "depth", "think_ms")
"""Options that limit a player's thinking; there is no other clock."""

_LEAST_WEIGHT, _MOST_WEIGHT = 1e-6, 1e38
"""Tables have six digits after the point, and are read as float32: what is less or more cannot be
played."""
_PLIES = 6
"""The plies of openings, where the file names none."""


class TuningTable(TomlTable):
    name: str | None = None
    method: Literal[MethodName, "td"] | None = None
    games: int = Field(default=10_000, ge=1, le=10**9)
    """Games to learn from; comparisons come on top."""
    seed: int = Field(default=1, ge=0, lt=2**63)
    threads: int | None = Field(default=None, ge=1, le=256)
    """Games at once; left out, as many as there are cores. The result does not depend on it."""
    compare_every: int = Field(default=2000, ge=1)
    """Games between two comparisons with the start."""
    compare_games: int = Field(default=200, ge=2, multiple_of=2)
    """Games of a comparison."""
    measure_games: int = Field(default=1000, ge=2, multiple_of=2)
    """Games of the last one, which the result is given with."""
    referee: bool = False
    """Play all games between player processes under the referee, not in this process."""


class TuningOpeningsTable(TomlTable):
    plies: int | None = Field(default=None, ge=0, le=40)
    """Random moves at the start of all games but those that `selfplay` learns from, which begin at
    the start; left out, 6. Games of 2048 and 2584 have none: chance draws their boards."""


class TunedPlayerTable(TomlTable):
    bot: str | None = None
    options: dict[str, Any] = Field(default_factory=dict)


class WeightsTable(TomlTable):
    """`[weights]`: the table of weights is tuned."""

    start: str = FLAT
    """Where to begin: "flat" for 1 everywhere, a table that is included by its name, or a file."""
    range: list[float] | None = Field(default=None, min_length=2, max_length=2)
    step: float | None = Field(default=None, gt=0)
    colours: Colours = "apart"
    symmetry: Symmetry = "all"


class ParameterTable(TomlTable):
    """`[parameters.NAME]`: an option is tuned. What is left out is as the player declares it."""

    low: float | None = None
    high: float | None = None
    step: float | None = Field(default=None, gt=0)


class TuneFile(TomlTable):
    """The whole file. What is required is asked for later, so that all problems come at once."""

    tuning: TuningTable = TuningTable()
    game: GameTable = GameTable()
    openings: TuningOpeningsTable = TuningOpeningsTable()
    player: TunedPlayerTable = TunedPlayerTable()
    weights: WeightsTable | None = None
    parameters: dict[str, ParameterTable] = Field(default_factory=dict)
    selfplay: SelfplayTable = SelfplayTable()
    spsa: SpsaTable = SpsaTable()
    cma: CmaTable = CmaTable()
    verify: dict[str, Any] = Field(default_factory=dict)
    """Read by `arena.training.verify_config`."""


@dataclass(frozen=True)
class TuneConfig:
    """The configuration of a tuning: every choice made."""

    name: str
    method: MethodName
    method_settings: dict[str, Any]
    """The keys of the method's table."""
    games: int
    seed: int
    threads: int
    compare_every: int
    compare_games: int
    measure_games: int
    referee: bool
    rules: str
    variant: dict[str, Any]
    """The settings of the rule set, complete."""
    plies: int
    bot: str
    options: dict[str, Any]
    """The player's, without what is tuned; files as absolute paths."""
    files: str | None
    """SHA-256 of the files that these options name; None without any."""
    ranges: tuple[Range, ...]
    weights: WeightsPlan | None

    def identity(self) -> dict[str, Any]:
        """The keys that decide the result: a run that goes on must agree in all of them; and in
        `files`, which checkpoints of earlier versions do not have.
        """
        return {key: value for key, value in asdict(self).items() if key not in (*FREE, "files")}


FREE = ("name", "games", "threads")
"""Keys that may change before a run goes on."""


def unhurried(bot: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a player whose thinking is counted: without the clock that it has by default,
    if any, so that what it thinks can be repeated.
    """
    clock = BUILTINS[bot].options.model_fields.get("think_ms")
    if clock is None or clock.default is None:
        return dict(options)
    return {"think_ms": None, **options}


class _TuningReader(FileReader[TuneFile, TuneConfig]):
    model = TuneFile
    head = "tuning"

    def config(self) -> TuneConfig | None:
        name, method = self.name(), self._method()
        game = self.game(self.file.game, LEARNED)
        bot = self._bot()
        if game is None or bot is None:
            return None
        plies, (options, files) = self._plies(game), self._options(bot, game)
        ranges, weights = self._ranges(bot, options), self._weights(bot)
        self._check_tuned(bot, method, anything=bool(ranges) or weights is not None)
        if not self.findings:
            self._judge(game, bot, options, ranges, weights)
        if self.findings or method is None:
            return None
        tuning = self.file.tuning
        threads = tuning.threads or len(os.sched_getaffinity(0))
        return TuneConfig(
            **tuning.model_dump() | {"name": name, "threads": threads},
            method_settings=getattr(self.file, method).model_dump(),
            rules=game.name,
            variant=dict(game.variant),
            plies=plies,
            bot=bot,
            options=options,
            files=files,
            ranges=ranges,
            weights=weights,
        )

    def _method(self) -> MethodName | None:
        method, cma = self.file.tuning.method, self.file.cma
        if cma.most_pairs < cma.pairs:
            self.report(("cma", "most_pairs"), f"must be at least pairs, which is {cma.pairs}")
        if method is None or method == "td":  # which has a reader of its own
            self.report(("tuning", "method"), 'is missing: "selfplay", "spsa", "cma" or "td"')
            return None
        return method

    def _bot(self) -> str | None:
        bot, at = self.file.player.bot, ("player", "bot")
        models = {name: builtin.options for name, builtin in BUILTINS.items()}
        able = [name for name in models if tunables(models[name]) or tunable_table(models[name])]
        if bot is None:
            self.report(at, f"is missing: one of {', '.join(able)}")
        elif bot not in able:
            self.report(at, f"{shown(bot)} has nothing to tune; {did_you_mean(bot, able)}")
        return bot if bot in able else None

    def _plies(self, game: rule_sets.Game) -> int:
        plies, at = self.file.openings.plies, ("openings", "plies")
        if game.name not in rule_sets.tiles.NAMES:
            return _PLIES if plies is None else plies
        if plies:
            problem = f"{game.name} has no openings, chance draws its boards; leave it out"
            self.report(at, problem)
        return 0

    def _options(self, bot: str, game: rule_sets.Game) -> tuple[dict[str, Any], str | None]:
        """The options that stay as they are, with paths that hold from anywhere, and the digest of
        the files that they name.
        """
        options, at = dict(self.file.player.options), ("player", "options")
        builtin, folder = BUILTINS[bot], self._path.parent
        reason = builtin.unsupported(game.name, game.variant)
        if reason is not None:
            self.report(("player", "bot"), reason)
        files: list[Path] = []
        context = {"folder": folder, "game": game, "files": files}
        try:
            builtin.options.model_validate(options, context=context)
        except ValidationError as error:
            for finding in explain(error, builtin.options, options):
                self.report((*at, *finding.path), finding.message)
        if not any(options.get(budget) for budget in BUDGETS):
            known = ", ".join(each for each in BUDGETS if each in builtin.options.model_fields)
            self.report(at, f"say how long a move is thought about: one of {known} is needed")
        options = unhurried(bot, options)
        table = tunable_table(builtin.options)
        if table is not None and self.file.weights is not None and table[0] in options:
            self.report((*at, table[0]), "is tuned; say where to begin as start in [weights]")
        placed = {key: from_anywhere(value, folder) for key, value in options.items()}
        return placed, contents_digest(files)

    def _ranges(self, bot: str, options: Mapping[str, Any]) -> tuple[Range, ...]:
        model = BUILTINS[bot].options
        known, ranges = tunables(model), list[Range]()
        for name, table in self.file.parameters.items():
            at = ("parameters", name)
            if name not in known:
                self.report(at, f"is not an option to tune; {did_you_mean(name, known)}")
                continue
            mark = replace(known[name], **table.model_dump(exclude_none=True))
            low, high = mark.low, mark.high
            start = options.get(name, model.model_fields[name].default)
            least, most = known[name].low, known[name].high
            if not low < high:
                self.report(at, f"low must be below high, got {low:g} and {high:g}")
            elif not (least <= low and high <= most):
                self.report(at, f"must be within {least:g} and {most:g}, as declared")
            elif not isinstance(start, int | float) or not low <= start <= high:
                begins = "nothing" if start is None else shown(start)
                self.report(
                    at,
                    f"begins at {begins}, which is not within {low:g} and {high:g}: give {name} in "
                    "[player] options, or other bounds",
                )
            else:
                annotation = model.model_fields[name].annotation
                kinds = {annotation, *get_args(annotation)}
                whole = int in kinds and float not in kinds  # or none at all
                ranges.append(Range(name, low, high, mark.step, float(start), whole))
        return tuple(ranges)

    def _weights(self, bot: str) -> WeightsPlan | None:
        table, weights = tunable_table(BUILTINS[bot].options), self.file.weights
        if weights is None:
            return None
        if table is None:
            self.report(("weights",), f'{bot} has no table of weights; bot = "weighted-uct" has')
            return None
        option, mark = table
        low, high = weights.range or (mark.low, mark.high)
        if not 0 < low < high:
            self.report(("weights", "range"), f"must be [low, high] above 0, got [{low}, {high}]")
        elif low < _LEAST_WEIGHT or high > _MOST_WEIGHT:
            bounds = f"{_LEAST_WEIGHT:g} and {_MOST_WEIGHT:g}"
            problem = f"must be within {bounds}, as weights are kept, got [{low:g}, {high:g}]"
            self.report(("weights", "range"), problem)
        start, step = from_anywhere(weights.start, self._path.parent), weights.step or mark.step
        return WeightsPlan(option, start, low, high, step, weights.colours, weights.symmetry)

    def _check_tuned(self, bot: str, method: MethodName | None, *, anything: bool) -> None:
        """Whether there is something to tune, and the method can tune it."""
        model, others = BUILTINS[bot].options, self.file.parameters
        if not anything and not self.findings:
            self.report(
                (),
                "nothing is tuned: write [weights] to tune a table of weights (bot = "
                f'"weighted-uct"), or [parameters.NAME] (options of {bot} that may be: '
                f"{', '.join(tunables(model)) or 'none'})",
            )
        if method == "selfplay" and tunable_table(model) is None:
            self.report(
                ("tuning", "method"),
                f'"selfplay" tunes a table of weights, and {bot} has none; choose "spsa" or "cma"',
            )
        elif method == "selfplay" and ("weights" not in self._data or others):
            self.report(
                ("parameters",) if others else ("tuning", "method"),
                'method = "selfplay" tunes a table of weights alone: write [weights] and leave out '
                '[parameters], or choose "spsa" or "cma"',
            )
        for other in METHODS:
            if other in self._data and method is not None and other != method:
                self.report((other,), f'the method is "{method}"; leave this table out')

    def _judge(
        self,
        game: rule_sets.Game,
        bot: str,
        options: Mapping[str, Any],
        ranges: Sequence[Range],
        plan: WeightsPlan | None,
    ) -> None:
        """Whether the start is a table, and the player takes what is within the bounds."""
        try:
            space = Space(game, options, ranges, plan)
        except ValueError as error:
            self.report(("weights", "start"), str(error))
            return
        for bounds in (space.low, space.high):
            try:
                BUILTINS[bot].options.model_validate(space.contestant(bounds.tolist()).options)
            except ValidationError as error:
                for each in error.errors():
                    reason = each["msg"].removeprefix("Value error, ")
                    self.report(("parameters", each["loc"][0]), f"{bot} refuses it: {reason}")
                return


load_config = _TuningReader.load
