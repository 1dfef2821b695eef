"""`[verify]` of a tuning file: what is tested once a player is tuned."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field

from arena.ratings.sprt import MOST_ELO, Sprt
from arena.toml.file import FileError, Problem, problems, read_file
from arena.toml.tables import Finding, Table, read_tables, written
from arena.tournament.tables import LONGEST_MS, MOST_ROUNDS, SprtTable, TournamentFile
from players.catalogue import BUILTINS
from players.learning.tuning.config import TuneConfig, load_config

_MOVE_MS = 100
"""The clock of the target where the file names none."""
AMPLE_MS = 60_000
"""The clock of players who count what they think."""
_COUNTED = ("iterations", "nodes", "depth")


class VerifyTable(SprtTable):
    """`[verify]`: the hypotheses, when to give up, and at which thinking time it counts."""

    elo0: float = Field(default=0.0, ge=0.0, le=MOST_ELO)
    """0 or more: what is accepted as H1 is called a gain."""
    elo1: float = Field(default=10.0, gt=0.0, le=MOST_ELO)
    max_games: int = Field(default=20_000, ge=2, le=2 * MOST_ROUNDS, multiple_of=2)
    """Each test stops undecided after so many."""
    move_ms: int | None = Field(default=None, gt=0, le=LONGEST_MS)
    tournament: str | None = None
    """A tournament file, whose clock is taken."""
    iterations: int | None = Field(default=None, gt=0)
    nodes: int | None = Field(default=None, gt=0)
    depth: int | None = Field(default=None, gt=0)


class _VerifyFile(Table):
    """Of a tuning file, what is read here."""

    verify: VerifyTable = VerifyTable()


class Target(NamedTuple):
    """The thinking time that counts."""

    words: str
    """As `move_ms 100`."""
    clock: dict[str, Any]
    """As the table of a tournament file."""
    budget: dict[str, int]
    """Options of the player that say how long it thinks; none where the clock does."""


class Verification(NamedTuple):
    """What is tested."""

    test: Sprt
    most_pairs: int
    """Of each test."""
    target: Target


def load_both(file: Path) -> tuple[TuneConfig, Verification]:
    """A tuning file with its `[verify]`. Raises FileError with every problem of either."""
    config, found = None, dict[Problem, None]()
    try:
        config = load_config(file)
    except FileError as error:
        found |= dict.fromkeys(error.problems)
    try:
        verification = read_verification(file, config)
    except FileError as error:
        found |= dict.fromkeys(error.problems)
    if found or config is None:
        raise FileError(file, tuple(sorted(found, key=lambda problem: problem.line or 0)))
    return config, verification


def read_verification(file: Path, config: TuneConfig | None) -> Verification:
    """The table `[verify]` of a tuning file; without `config` it is not judged whether its player
    can think so. Raises FileError.
    """
    text, data = read_file(file)
    content = {"verify": data["verify"]} if "verify" in data else {}
    read, findings = read_tables(_VerifyFile, content)
    table = read.verify
    wrong = table.wrong_elo1()
    if wrong is not None:
        findings.append(Finding(("verify", "elo1"), wrong))
    target = _target(table, file.parent, findings)
    if config is not None and target.budget:
        findings += _unfit(config, target)
    if findings:
        raise FileError(file, problems(text, findings))
    sprt = {name: getattr(table, name) for name in Sprt.model_fields}
    return Verification(Sprt(**sprt), table.max_games // 2, target)


def _target(table: VerifyTable, folder: Path, findings: list[Finding]) -> Target:
    given = [
        name for name in ("move_ms", "tournament", *_COUNTED) if getattr(table, name) is not None
    ]
    for name in given[1:]:
        message = f"cannot be given beside {given[0]}; leave one of them out"
        findings.append(Finding(("verify", name), message))
    if given and given[0] == "tournament":
        assert table.tournament is not None  # as it was given
        return _of_tournament(table.tournament, folder, findings)
    if given and given[0] in _COUNTED:
        value = getattr(table, given[0])
        return Target(f"{given[0]} {value}", {"move_ms": AMPLE_MS}, {given[0]: value})
    move_ms = table.move_ms or _MOVE_MS
    return Target(f"move_ms {move_ms}", {"move_ms": move_ms}, {})


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


def _unfit(config: TuneConfig, target: Target) -> Iterator[Finding]:
    """What keeps the player from thinking so."""
    fields = BUILTINS[config.bot].options.model_fields
    able = ("move_ms", "tournament", *(name for name in _COUNTED if name in fields))
    for name in target.budget:
        if name not in fields:
            message = f"{config.bot} does not count {name}; give one of {', '.join(able)}"
            yield Finding(("verify", name), message)
