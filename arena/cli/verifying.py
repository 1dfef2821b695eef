"""`arena tune --verify`: whether what was tuned is stronger than its start, by sequential tests.

One is played as the tuning was. The other is a tournament of two players under the referee, at the
thinking time that counts, kept in a store like any tournament.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import typer
from pydantic import Field

from arena.cli.exits import Exit, UserError
from arena.cli.reporting import standings_of
from arena.cli.running import play_config
from arena.ratings.model import Verdict
from arena.ratings.sprt import MOST_ELO, Sprt
from arena.ratings.trial import Tally
from arena.reports import words
from arena.toml.file import FileError, Problem, problems, read_file
from arena.toml.tables import Finding, Table, read_tables, written
from arena.tournament.config import Unusable, read_config
from arena.tournament.ready import ready
from arena.tournament.settings import TournamentConfig
from arena.tournament.store import Store
from arena.tournament.tables import LONGEST_MS, MOST_ROUNDS, SprtTable, TournamentFile
from players.catalogue import BUILTINS
from players.learning.tuning.config import BUDGETS, TuneConfig, load_config
from players.learning.tuning.result import START, player_options
from players.learning.tuning.tuner import VERIFY, Tuner

TUNED, START_NAME = "tuned", "start"
"""The players of the tests."""

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


def _rethought(options: Mapping[str, Any], target: Target) -> dict[str, Any]:
    """Options with the thinking time of the target in place of their own."""
    kept = {key: value for key, value in options.items() if key not in BUDGETS}
    return kept | target.budget


def half_points(scores: Sequence[float]) -> list[int]:
    """What each pair brought, counted as the tests do: 0 to 4."""
    return [round(2 * score) for score in scores]


def at_budget(config: TuneConfig) -> str:
    """The thinking time of the tuning, as results name it."""
    budget = ", ".join(f"{key} {config.options[key]}" for key in BUDGETS if key in config.options)
    return f"{budget}, as tuned"


def under_referee(target: Target) -> str:
    """The thinking time of the target, as results name it."""
    return f"{target.words}, under the referee"


class BudgetTest:
    """The test that is played as the tuning was, as far as the tuner has its games."""

    def __init__(self, tuner: Tuner, verification: Verification) -> None:
        """Raises UserError where it was begun with other hypotheses."""
        self.at = at_budget(tuner.config)
        self._tuner, self._most = tuner, verification.most_pairs
        self._tally = Tally(verification.test, TUNED, START_NAME, paired=True)
        self._refuse_other(tuner.verdicts.get(self.at), verification.test)
        self._count(0)

    def _refuse_other(self, before: dict[str, Any] | None, test: Sprt) -> None:
        """Hypotheses may not be chosen by what the games say."""
        if before is None:
            return
        changed = [
            f"{key} {before[key]} → {value}"
            for key, value in test.model_dump().items()
            if before[key] != value
        ]
        if changed:
            raise UserError(
                f"The test at {self.at} was begun with other settings in [verify], and goes on "
                f"with the same alone. Changed: {', '.join(changed)}. Give the old ones back, or "
                "tune in another folder with --out"
            )

    @property
    def over(self) -> bool:
        """Whether it is decided, or given up."""
        pairs = len(self._tuner.matches[VERIFY])
        return self._tally.decision is not None or pairs >= self._most

    @property
    def verdict(self) -> Verdict:
        """Where it stands."""
        return self._tally.verdict

    def play(self) -> None:
        """Play some more pairs. Raises Aborted."""
        done = len(self._tuner.matches[VERIFY])
        self._tuner.extend(VERIFY, self._most)
        self._count(done)

    def _count(self, since: int) -> None:
        """Count the pairs from there on, and have the tuner keep the verdict."""
        self._tally.add(half_points(self._tuner.matches[VERIFY][since:]))
        if self._tuner.matches[VERIFY]:
            self._tuner.verdicts[self.at] = self.verdict.model_dump(mode="json")


def play_target(
    file: Path, tuner: Tuner, folder: Path, tuned: dict[str, Any], verification: Verification
) -> Exit:
    """Play the test at the target, or what is left of it, and have the tuner keep its verdict.

    `tuned` are the options of the tuned player. Raises UserError and ConfigError.
    """
    target = verification.target
    about = {"about": "The weights that the tuning began with."}
    start = player_options(tuner.space, tuner.space.start, folder / START, about)
    config = ready(_tournament(tuner.config, (tuned, start), folder, verification), file)
    slug = "".join(sign if sign.isalnum() else "-" for sign in target.words)
    store_path = folder / f"verify-{tuner.counts['games']}-{slug}.sqlite"
    typer.echo(f"\nThe tuned player against the start at {under_referee(target)}:")
    code = Exit(play_config(config, store_path, more="max_games in [verify]"))
    with Store.open(store_path) as store:
        verdict = standings_of(store).sprt
    assert verdict is not None  # as the tournament asks for a test
    tuner.verdicts[under_referee(target)] = verdict.model_dump(mode="json")
    tuner.save()
    return code


def _tournament(
    config: TuneConfig,
    players: tuple[dict[str, Any], dict[str, Any]],
    folder: Path,
    verification: Verification,
) -> TournamentConfig:
    """The tournament of the tuned player and the start. Raises UserError."""
    tables = []
    for name, options in zip((TUNED, START_NAME), players, strict=True):
        resources = resources_for(options)
        rethought = _rethought(options, verification.target)
        tables.append(
            {"bot": config.bot, "name": name, "options": rethought, "resources": resources}
        )
    try:
        return read_config(
            {
                "tournament": {
                    "rounds": verification.most_pairs,
                    "seed": config.seed,
                    "keep_alive": True,
                },
                "game": {"rules": config.rules, **config.variant},
                "clock": verification.target.clock,
                "openings": {"plies": config.plies},
                "sprt": verification.test.model_dump(),
                "player": tables,
            },
            BUILTINS,
            folder,
            name=f"{config.name}-verify",
        )
    except Unusable as error:
        told = (f"--verify: {written(each.path)}: {each.message}" for each in error.findings)
        raise UserError("\n".join(told)) from None


def resources_for(options: Mapping[str, Any]) -> dict[str, int]:
    """What a built-in with these options is given: room for its tables beside the default."""
    room = sum(value for key, value in options.items() if key.endswith("_mb"))
    return {"threads": options.get("threads", 1), "memory_mb": 2048 + room}


def found(measured: dict[str, Any], verdicts: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """What is known about the tuned values, for the files."""
    return {
        "measured": measured,
        "tests": [
            {"at": at, "said": words.decision(Verdict.model_validate(each)), **each}
            for at, each in verdicts.items()
        ],
        "gain": gain(verdicts),
    }


def gain(verdicts: Mapping[str, dict[str, Any]]) -> str:
    """Whether there is one, in a sentence: nothing is called a gain but an accepted H1."""
    if not verdicts:
        return "Not tested: no gain is claimed. arena tune FILE --verify tests it."
    said = {
        "H1": "A gain over the start is shown at {}.",
        "H0": "No gain is shown at {}.",
        None: "Not decided at {}: no gain is shown.",
    }
    return " ".join(said[each["decision"]].format(at) for at, each in verdicts.items())
