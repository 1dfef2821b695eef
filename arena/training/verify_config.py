"""`[verify]` of a tuning file: what is tested once a player is tuned, or an evaluation learned."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from pydantic import Field, ValidationError, create_model

import rules as rule_sets
from arena.errors import FileError, Problem
from arena.files.toml import read_file
from arena.files.toml_tables import (
    Finding,
    TomlTable,
    explain,
    problems,
    read_tables,
    shown,
    written,
)
from arena.ratings.sprt import MOST_ELO, Sprt
from arena.tournament.config_tables import LONGEST_MS, MOST_ROUNDS, TournamentFile
from arena.tournament.contenders import ENDS_THINKING
from players.catalogue import BUILTINS
from players.learning.games.trainer import GamesConfig
from players.learning.games.trainer import load_config as load_training
from players.learning.tuning.config import BUDGETS, TuneConfig, load_config

_MOVE_MS = 100
"""The clock of the target where the file names none."""
AMPLE_MS = 60_000
"""The clock of players that count iterations, nodes or depth."""

_LEARNING_BUDGETS: dict[str, dict[str, Any]] = {
    "alphabeta": {"depth": 1},
    "uct": {"iterations": 400},
}
"""How players think in the test in process where `[verify]` says nothing: what learned chose its
moves at 1 ply. A tree needs some visits to choose at all."""
_USES = ("leaf", "leaf_plies", "prior")
"""Options by which `uct` asks an evaluation."""


class VerifyTable(Sprt):
    """`[verify]`: the hypotheses, when to give up, and at which thinking time it counts."""

    elo0: float = Field(default=0.0, ge=0.0, le=MOST_ELO)
    """0 or more: what is accepted as H1 is called a gain."""
    elo1: float = Field(default=10.0, gt=0.0, le=MOST_ELO)
    max_games: int = Field(default=20_000, ge=2, le=2 * MOST_ROUNDS, multiple_of=2)
    """Each test stops undecided after these."""
    move_ms: int | None = Field(default=None, gt=0, le=LONGEST_MS)
    tournament: str | None = None
    """A tournament file, whose clock is taken."""
    iterations: int | None = Field(default=None, gt=0)
    nodes: int | None = Field(default=None, gt=0)
    depth: int | None = Field(default=None, gt=0)


class LearnedVerifyTable(VerifyTable):
    """`[verify]` where an evaluation is learned: also whose evaluation it is."""

    bot: Literal["alphabeta", "uct"] = "alphabeta"
    options: dict[str, Any] = Field(default_factory=dict)
    """The player's; a budget among them is for the test in process."""


class Target(NamedTuple):
    """The thinking time that counts."""

    words: str
    """As `move_ms 100`."""
    clock: dict[str, Any]
    """As the table of a tournament file."""
    budget: dict[str, int]
    """Options of the player that limit its thinking; none where the clock does."""


class Verification(NamedTuple):
    test: Sprt
    most_pairs: int
    target: Target


class Asker(NamedTuple):
    """Whose evaluation is tested, what was learned against the default one."""

    bot: str
    options: dict[str, Any]
    """Without the evaluation, and without how long it thinks."""
    budget: dict[str, Any]
    """How long it thinks in process, as options."""
    plies: int


_Config = TypeVar("_Config")
_Table = TypeVar("_Table", bound=VerifyTable)


def load_both(file: Path) -> tuple[TuneConfig, Verification]:
    """A tuning file with its `[verify]`. Raises FileError with every problem of either."""
    config, wrong = _tried(load_config, file)
    text, table, findings = _read(file, VerifyTable)
    verification = _verification(table, file.parent, findings)
    if config is not None:  # else it is not known whose thinking it is
        findings += _unfit(config.bot, verification.target)
    return _right(file, config, [*wrong, *problems(text, findings)]), verification


def load_learned(file: Path) -> tuple[GamesConfig, Verification, Asker]:
    """The configuration of a file by which an evaluation is learned, and of its tests."""
    config, wrong = _tried(load_training, file)
    text, table, findings = _read(file, LearnedVerifyTable)
    verification = _verification(table, file.parent, findings)
    findings += _unfit(table.bot, verification.target)
    findings += _wrong_options(table)
    config = _right(file, config, [*wrong, *problems(text, findings)])
    budget = {key: value for key, value in table.options.items() if key in BUDGETS}
    options = {key: value for key, value in _completed(table).items() if key not in BUDGETS}
    plies = rule_sets.load(config.rules, **config.variant).opening_plies
    asker = Asker(table.bot, options, budget or _LEARNING_BUDGETS[table.bot], plies)
    return config, verification, asker


def _tried(load: Callable[[Path], _Config], file: Path) -> tuple[_Config | None, list[Problem]]:
    """The content of a file, or its problems; those of `[verify]` are reported apart."""
    try:
        return load(file), []
    except FileError as error:
        return None, [each for each in error.problems if each.key != "verify"]


def _right(file: Path, config: _Config | None, wrong: list[Problem]) -> _Config:
    if wrong or config is None:
        raise FileError(file, tuple(sorted(wrong, key=lambda problem: problem.line or 0)))
    return config


def _read(file: Path, table: type[_Table]) -> tuple[str, _Table, list[Finding]]:
    """A file's text, its `[verify]`, and what is wrong with that."""
    text, data = read_file(file)
    model: Any = create_model("VerifyFile", __base__=TomlTable, verify=(table, table()))
    read, findings = read_tables(model, {key: data[key] for key in data if key == "verify"})
    return text, read.verify, findings


def _verification(table: VerifyTable, folder: Path, findings: list[Finding]) -> Verification:
    wrong = table.wrong_elo1()
    if wrong is not None:
        findings.append(Finding(("verify", "elo1"), wrong))
    target = _target(table, folder, findings)
    sprt = {name: getattr(table, name) for name in Sprt.model_fields}
    return Verification(Sprt(**sprt), table.max_games // 2, target)


def _target(table: VerifyTable, folder: Path, findings: list[Finding]) -> Target:
    keys = table.model_dump(include={"move_ms", "tournament", *ENDS_THINKING}, exclude_none=True)
    first, *others = keys or ("move_ms",)
    for name in others:
        message = f"cannot be given together with {first}; leave one of them out"
        findings.append(Finding(("verify", name), message))
    value = keys.get(first, _MOVE_MS)
    if first == "tournament":
        return _of_tournament(value, folder, findings)
    if first in ENDS_THINKING:
        return Target(f"{first} {value}", {"move_ms": AMPLE_MS}, {first: value})
    return Target(f"move_ms {value}", {"move_ms": value}, {})


def _of_tournament(name: str, folder: Path, findings: list[Finding]) -> Target:
    """The clock of a tournament file; its players need not be there yet."""
    try:
        _, data = read_file(folder / name)
    except FileError as error:
        findings += [Finding(("verify", "tournament"), str(error))]
        return Target(name, {}, {})
    tables, wrong = read_tables(TournamentFile, data)
    findings += [
        Finding(("verify", "tournament"), f"{folder / name}: {written(each.path)}: {each.message}")
        for each in wrong
        if each.path[0] == "clock"
    ]
    clock = tables.clock.model_dump(exclude_none=True)
    return Target(f"the clock of {name}", clock, {})


def _unfit(bot: str, target: Target) -> Iterator[Finding]:
    """The reason why the player cannot think so."""
    fields = BUILTINS[bot].options.model_fields
    able = ("move_ms", "tournament", *(name for name in ENDS_THINKING if name in fields))
    for name in target.budget:
        if name not in fields:
            message = f"{bot} does not count {name}; give one of {', '.join(able)}"
            yield Finding(("verify", name), message)


def _completed(table: LearnedVerifyTable) -> dict[str, Any]:
    if table.bot == "uct" and not any(key in table.options for key in _USES):
        return {"leaf": "mixed", **table.options}
    return table.options


def _wrong_options(table: LearnedVerifyTable) -> Iterator[Finding]:
    at, options = ("verify", "options"), _completed(table)
    if "evaluation" in options:
        got = shown(options["evaluation"])
        message = "is what is tested: what was learned meets the default one; leave it out, got "
        yield Finding((*at, "evaluation"), message + got)
    model, options = BUILTINS[table.bot].options, options | {"evaluation": "default"}
    try:
        model.model_validate(options)
    except ValidationError as error:
        for finding in explain(error, model, options):
            yield Finding((*at, *finding.path), finding.message)
