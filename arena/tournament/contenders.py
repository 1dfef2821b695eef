"""The players of a tournament file: what each table names, and whether it can play."""

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from pydantic import BaseModel, ValidationError

from arena.bots import programs
from arena.bots.package import Bot, open_bot
from arena.bots.prepare import as_package
from arena.bots.submissions import submissions
from arena.errors import PackageError, ProgramError, SubmissionError
from arena.files.toml import KeyPath
from arena.files.toml_tables import did_you_mean, explain, shown
from arena.model.containment import Asked
from arena.model.contender import CommandLine, Contender, Home, Module, Program
from arena.tournament.config import Player
from arena.tournament.config_tables import PlayerTable
from rules.position import Game

Report = Callable[[KeyPath, str], None]
"""Takes where something is wrong, and what."""


class CatalogueEntry(Protocol):
    """A player that comes with the package, as its catalogue describes it."""

    @property
    def name(self) -> str:
        """What a tournament file calls it."""

    @property
    def module(self) -> str:
        """What is run, as `python -m MODULE`."""

    @property
    def uses_clock(self) -> bool | None:
        """Whether it thinks for all the time it is given; None when its options decide."""

    @property
    def kernels(self) -> bool:
        """Whether it needs compiling before its first game."""

    @property
    def options(self) -> type[BaseModel]:
        """Validates its options table; the context `folder` is where relative paths begin."""

    def readable(self) -> tuple[str, ...]:
        """Folders of the user's cache that it reads, by name."""

    def unsupported(self, rules: str, variant: Mapping[str, Any]) -> str | None:
        """Why it cannot play this game, a sentence; None when it can."""


class Reading(NamedTuple):
    """What the tables of players are read with."""

    game: Game | None
    """None where it was reported: then no player is asked whether it can play it."""
    builtins: Mapping[str, CatalogueEntry]
    folder: Path
    """Of the tournament file: where relative paths begin."""
    report: Report
    sandbox: Asked = "auto"
    """Of the players that ask for none themselves."""


class Named(NamedTuple):
    """A program that a table names."""

    bot: str
    """As the tournament file wrote it; a submission's folder and name."""
    name: str
    """Of the player, where the table gives none."""
    program: Program
    builtin: CatalogueEntry | None = None
    package: Bot | None = None
    """The script or package; it may have to be built before it plays."""


def programs_of(at: KeyPath, table: PlayerTable, reading: Reading) -> tuple[list[Named], list[str]]:
    """What the table at `at` names, nothing where that was reported; and what is left out."""
    ways = {"bot": table.bot, "command": table.command, "from": table.from_}
    way, *others = [way for way, value in ways.items() if value is not None] or ["bot"]
    for other in others:
        reading.report((*at, other), f"cannot be given together with {way}; leave one of them out")
    try:
        if table.bot is not None:
            return [_bot(table.bot, reading)], []
        if table.command is not None:
            return [_command(table.command, reading)], []
        if table.from_ is not None:
            return _submissions(table.from_, reading)
        raise ProgramError(
            f"is missing; a built-in player ({', '.join(reading.builtins)}), a path, "
            "command = […], or from = a folder of submissions"
        )
    except (PackageError, ProgramError, SubmissionError) as error:
        for line in str(error).splitlines():
            reading.report((*at, way), line)
    return [], []


def _command(words: list[str], reading: Reading) -> Named:
    programs.command(words, reading.folder)
    return Named(shlex.join(words), Path(words[0]).stem, CommandLine(words=tuple(words)))


def _bot(bot: str, reading: Reading) -> Named:
    builtin, folder, game = reading.builtins.get(bot), reading.folder, reading.game
    if builtin is not None:
        program = Module(module=builtin.module, caches=tuple(builtin.readable()))
        return Named(bot, builtin.name, program, builtin)
    if not programs.is_path(bot, folder):
        hint = did_you_mean(bot, reading.builtins, "built-in players")
        raise ProgramError(f"no built-in player or file {shown(bot)} in {folder}; {hint}")
    package = open_bot(programs.existing(bot, folder))
    if _plays(package, game):
        return Named(bot, package.name, as_package(package), package=package)
    claimed = ", ".join(package.rules or ())
    raise ProgramError(f"{package.name} plays {claimed}, not {game.name if game else ''}")


def _submissions(written: str, reading: Reading) -> tuple[list[Named], list[str]]:
    found, game = submissions(programs.existing(written, reading.folder)), reading.game
    left_out = [
        f"{bot.name} does not take part: it plays {', '.join(bot.rules or ())}"
        for bot in found
        if not _plays(bot, game)
    ]
    if len(left_out) == len(found):
        others = f"; there are: {'; '.join(left_out)}" if left_out else ""
        raise SubmissionError(
            f"no submission in {reading.folder / written} plays "
            f"{game.name if game else 'anything'}{others}"
        )
    parent = written.rstrip("/")
    playing = [bot for bot in found if _plays(bot, game)]
    named = [Named(f"{parent}/{bot.name}", bot.name, as_package(bot), None, bot) for bot in playing]
    return named, left_out


def _plays(bot: Bot, game: Game | None) -> bool:
    """Whether it claims to; a script claims nothing and is taken at its author's word."""
    return game is None or bot.rules is None or game.name in bot.rules


_BUDGETS = ("iterations", "nodes", "depth")
"""Options that end a built-in's thinking before its time."""
_PROGRAM_MB = 400
"""What a built-in takes besides its tree and tables: interpreter, compiler, kernels."""


def read_players(
    tables: Sequence[PlayerTable], reading: Reading, folders: Mapping[int, Path]
) -> tuple[tuple[Player, ...], tuple[str, ...]]:
    """One player for each table, and one for each submission, fewer where that was reported; and a
    sentence for each submission that does not take part.

    `folders` are those of tables, by index, whose paths are relative to another than `reading`'s.
    """
    players: list[tuple[int, Player]] = []
    left_out: list[str] = []
    seats = reading.game.seats if reading.game else 1
    reported = 0  # players that may well be there once the mistakes in their tables are fixed
    for index, table in enumerate(tables):
        at, here = ("player", index), reading._replace(folder=folders.get(index, reading.folder))
        _check_sendable((*at, "options"), table.options, reading.report)
        found, without = programs_of(at, table, here)
        left_out += without
        players += [(index, _player(at, table, each, here)) for each in found]
        if not found:
            reported += 1 if table.from_ is None else seats
    got = len(players) + reported
    if got < seats:
        needed = "2 players are" if seats == 2 else "1 player is"
        reading.report(("player",), f"at least {needed} needed as [[player]] tables, got {got}")
    _check_names(tables, players, reading.report)
    return tuple(player for _, player in players), tuple(left_out)


def read_player(at: KeyPath, table: PlayerTable, reading: Reading) -> Player | None:
    """The player of a table that names one, or None where it was reported."""
    _check_sendable((*at, "options"), table.options, reading.report)
    found, _ = programs_of(at, table, reading)
    return _player(at, table, found[0], reading) if found else None


def _player(at: KeyPath, table: PlayerTable, found: Named, reading: Reading) -> Player:
    builtin, package = found.builtin, found.package
    if builtin is not None:
        _check_builtin(at, table, builtin, reading)
    return Player(
        bot=found.bot,
        builtin=builtin.name if builtin else None,
        uses_clock=builtin.uses_clock if builtin else None,
        think_ms=_option("think_ms", table, builtin),
        budgeted=any(_option(name, table, builtin) is not None for name in _BUDGETS),
        digest=package.digest if package else None,
        contender=Contender(
            name=(table.name if table.from_ is None else None) or found.name,
            program=found.program,
            options=table.options,
            threads=table.resources.threads,
            memory_mb=table.resources.memory_mb,
            sandbox=table.sandbox or reading.sandbox,
        ),
        home=Home(folder=str(reading.folder), package=package.cwd if package else None),
    )


def _check_sendable(at: KeyPath, options: dict[str, Any], report: Report) -> None:
    """They are sent as JSON."""
    for key, value in options.items():
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError):
            report((*at, key), f"dates, nan and inf cannot be sent to players, got {shown(value)}")


def _check_builtin(
    at: KeyPath, table: PlayerTable, builtin: CatalogueEntry, reading: Reading
) -> None:
    """It judges its game and its options itself; its threads and memory must fit its resources."""
    report, given = reading.report, table.resources
    try:
        builtin.options.model_validate(table.options, context={"folder": reading.folder})
    except ValidationError as error:
        for path, message in explain(error, builtin.options, table.options):
            report((*at, "options", *path), message)
    sizes = {
        name: size
        for name in builtin.options.model_fields
        if name.endswith("_mb") and isinstance(size := _option(name, table, builtin), int)
    }
    wanted = sum(sizes.values()) + _PROGRAM_MB
    if sizes and wanted > given.memory_mb:
        asked = " and ".join(f"options.{name} = {size}" for name, size in sizes.items())
        report(
            (*at, "resources", "memory_mb"),
            f"{given.memory_mb} MB are too few for {asked} and {_PROGRAM_MB} MB for the program "
            f"itself; give at least {wanted}, or lower the option",
        )
    threads = _option("threads", table, builtin)
    if isinstance(threads, int) and threads > given.threads:
        report(
            (*at, "resources", "threads"),
            f"{given.threads} are too few for options.threads = {threads}; give at least {threads}",
        )
    if reading.game is not None:
        refusal = builtin.unsupported(reading.game.name, reading.game.variant)
        if refusal:
            report((*at, "bot"), refusal)


def _option(name: str, table: PlayerTable, builtin: CatalogueEntry | None) -> Any:
    """An option of a built-in as given or by default; None for one it does not have."""
    if builtin is None or name not in builtin.options.model_fields:
        return None
    return table.options.get(name, builtin.options.model_fields[name].default)


def _check_names(
    tables: Sequence[PlayerTable], players: Sequence[tuple[int, Player]], report: Report
) -> None:
    for index, table in enumerate(tables):
        if table.name is None:
            continue
        if table.from_ is not None:
            wrong = "cannot be given together with from: each submission has its own"
            report(("player", index, "name"), wrong)
        elif not table.name.strip():
            report(("player", index, "name"), "must not be empty")
    first: dict[str, int] = {}
    for index, player in players:
        name = player.name
        if name in first:
            given = sum(other.name == name for other in tables)
            advice = "names must differ" if given > 1 else "give each of them a name of its own"
            report(
                ("player", index, "name" if tables[index].from_ is None else "from"),
                f"player[{first[name] + 1}] is named {shown(name)} already; {advice}",
            )
        first.setdefault(name, index)
