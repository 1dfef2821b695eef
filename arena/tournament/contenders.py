"""The players of a tournament file: what each table names, and whether it can play."""

import errno
import json
import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from arena.bots import programs
from arena.bots.course import python_of
from arena.bots.package import Bot, open_bot
from arena.bots.prepare import as_package
from arena.bots.submissions import submissions
from arena.bots.versions import open_version, submitted
from arena.errors import PackageError, ProgramError, SubmissionError, UserError
from arena.files.toml import KeyPath
from arena.files.toml_tables import Reporter, did_you_mean, explain, shown
from arena.files.whole_file import contents_digest
from arena.model.containment import SandboxChoice
from arena.model.contender import CommandLine, Contender, Home, Module, Package, Program
from arena.tournament.catalogue import CatalogueEntry
from arena.tournament.config import Player
from arena.tournament.config_tables import PlayerTable
from arena.tournament.field import without_it
from rules.position import Game

_WRONG_PATH = (errno.EACCES, errno.EPERM, errno.ENAMETOOLONG)
"""What a path in a file is to blame for; a full disk is not."""


class Reading(NamedTuple):
    """The context in which tables of players are read."""

    game: Game | None
    """None where it was reported: then no player is asked whether it can play it."""
    builtins: Mapping[str, CatalogueEntry]
    folder: Path
    """Of the tournament file: where relative paths begin."""
    report: Reporter
    sandbox: SandboxChoice = "auto"
    """Of the players that ask for none themselves."""
    python: str | None = None
    """Of the scripts of players that name none."""
    begun: Sequence[Player] = ()
    """The players of the run; where it has some, problems of submissions refuse nothing."""
    out: Sequence[Player] = ()
    """Players of a run whose files are not needed: they are left out."""
    wrong: frozenset[KeyPath] = frozenset()
    """The keys of the file that were reported, and are missing in its tables."""

    def package(self, bot: Bot, table: PlayerTable) -> Package:
        """The part of a bot that travels. Raises ProgramError: the Python it names is not there."""
        if bot.python and not table.python:
            programs.python(bot.python, self.folder, or_path="")
        return as_package(bot, table.python, self.python)


def typed_player(label: str, words: str) -> dict[str, Any]:
    """The table of a player that is typed: a name, a path, a command of words. Raises UserError."""
    try:
        command = [words] if os.path.lexists(words) else shlex.split(words)
    except ValueError as error:
        raise UserError(f"{label}: {error} in {words}") from None
    if not command:
        raise UserError(f"{label} names no player")
    return {"bot": command[0]} if len(command) == 1 else {"command": command}


@contextmanager
def program_errors_at(at: KeyPath, report: Reporter) -> Iterator[None]:
    """Report errors in a program at the key."""
    try:
        yield
    except ProgramError as error:
        report(at, str(error))


def players_of(at: KeyPath, table: PlayerTable, reading: Reading) -> tuple[list[Player], list[str]]:
    """The players of a table, none where that was reported; and why submissions are left out."""
    _check_sendable((*at, "options"), table.options, reading.report)
    for key, problem in table.clock.problems() if table.clock else ():
        reading.report((*at, "clock", key), problem)
    ways = {"bot": table.bot, "command": table.command, "from": table.from_}
    way, *others = [way for way, value in ways.items() if value is not None] or ["bot"]
    for other in others:
        reading.report((*at, other), f"cannot be given together with {way}; leave one of them out")
    with program_errors_at((*at, "python"), reading.report):
        programs.python(table.python, reading.folder)
        if table.python and (table.command or table.bot in reading.builtins):
            raise ProgramError("is for scripts and bots with a bot.toml; leave it out")
    try:
        if table.bot:
            return [_bot(at, table.bot, table, reading)], []
        if table.command is not None:
            return [_command(table.command, table, reading)], []
        if table.from_ is not None:
            return _submissions(table.from_, table, reading)
        if not any((*at, each) in reading.wrong for each in (*ways, *table.synonyms)):
            raise ProgramError(
                f"is {'missing' if table.bot is None else 'empty'}; a built-in player "
                f"({', '.join(reading.builtins)}), a path, command = […], or from = a folder of "
                "submissions"
            )
    except (PackageError, ProgramError, SubmissionError, OSError) as error:
        if isinstance(error, OSError) and error.errno not in _WRONG_PATH:
            raise
        reason = programs.unreachable(error) if isinstance(error, OSError) else str(error)
        if table.from_ is not None and reading.begun:
            return [], reason.splitlines()
        if _those_of(table, reading.out):
            return [], []
        begun = _those_of(table, reading.begun)
        on = f" ({without_it(begun[-1])})" if begun else ""
        for line in reason.splitlines():
            reading.report((*at, way), f"{line}{on}")
    return [], []


def _those_of(table: PlayerTable, players: Sequence[Player]) -> list[str]:
    """The names of the players that the table stands for."""
    written = table.bot if table.command is None else shlex.join(table.command)
    return [
        each.name
        for each in players
        if (each.name_in_file == table.name if table.name else each.bot == written)
    ]


def of_this_version(player: Player, builtins: Mapping[str, CatalogueEntry]) -> Player:
    """A player that another version may have read: it kept kernels elsewhere."""
    builtin = builtins.get(player.builtin or "")
    if builtin is None:
        return player
    contender = player.contender.model_copy(update={"program": _program(builtin)})
    return player.model_copy(update={"contender": contender})


def _program(builtin: CatalogueEntry) -> Module:
    return Module(module=builtin.module, caches=tuple(builtin.readable()))


def _command(words: list[str], table: PlayerTable, reading: Reading) -> Player:
    programs.command(words, reading.folder)
    program = CommandLine(words=tuple(words))
    return _player(shlex.join(words), Path(words[0]).stem, program, table, reading)


def _bot(at: KeyPath, bot: str, table: PlayerTable, reading: Reading) -> Player:
    builtin, folder, game = reading.builtins.get(bot), reading.folder, reading.game
    if builtin is not None:
        digest = contents_digest(_check_builtin(at, table, builtin, reading))
        module = _program(builtin)
        return _player(bot, builtin.name, module, table, reading, builtin=builtin, digest=digest)
    if not programs.is_path(bot, folder):
        hint = did_you_mean(bot, reading.builtins, "built-in players")
        raise ProgramError(f"no built-in player or file {shown(bot)} in {folder}; {hint}")
    submission = submitted(folder / bot)
    package = open_version(*submission) if submission else open_bot(programs.existing(bot, folder))
    if game is not None and not _claims(package, game):
        claimed = ", ".join(package.rules or ())
        raise ProgramError(f"{package.name} plays {claimed}, not {game.name}")
    if submission:
        reading = reading._replace(python=reading.python or python_of(submission[0].parent))
    which = f"@{package.number}" if "@" in Path(bot).name and submission else ""
    program = reading.package(package, table)
    return _player(bot, package.name + which, program, table, reading, package=package)


def _submissions(
    written: str, table: PlayerTable, reading: Reading
) -> tuple[list[Player], list[str]]:
    try:
        folder, game = programs.existing(written, reading.folder), reading.game
    except ProgramError as error:
        raise ProgramError(f"{error}; `arena submit` makes it with the first bot") from None
    players, left_out = list[Player](), list[str]()
    reading = reading._replace(python=reading.python or python_of(folder))
    for bot in submissions(folder):
        if game is None or _claims(bot, game):
            path = f"{written.rstrip('/')}/{bot.name}"
            program = reading.package(bot, table)
            players.append(_player(path, bot.name, program, table, reading, package=bot))
        else:
            plays = ", ".join(bot.rules or ())
            left_out.append(f"{bot.name} does not take part: it plays {plays}")
    if not players:
        others = f"; there are: {'; '.join(left_out)}" if left_out else ""
        raise SubmissionError(
            f"no submission in {reading.folder / written} plays "
            f"{game.name if game else 'anything'}{others}"
        )
    return players, left_out


def _claims(bot: Bot, game: Game) -> bool:
    """Whether it claims to; a script claims nothing and is taken at its author's word."""
    return bot.rules is None or game.name in bot.rules


ENDS_THINKING = ("iterations", "nodes", "depth")
"""Options that end a built-in's thinking before its time."""
_PROGRAM_MB = 400
"""The memory of a built-in besides its tree and tables: interpreter, compiler, kernels."""


def _player(
    bot: str,
    name: str,
    program: Program,
    table: PlayerTable,
    reading: Reading,
    *,
    builtin: CatalogueEntry | None = None,
    package: Bot | None = None,
    digest: str | None = None,
) -> Player:
    """A player as the tournament file wrote it; `name` is its own where the table gives none."""
    options = _options(table, builtin) if builtin else {}
    think_ms = options.get("think_ms")
    return Player(
        bot=bot,
        builtin=builtin.name if builtin else None,
        uses_clock=builtin.uses_clock if builtin else None,
        think_ms=think_ms if isinstance(think_ms, int) else None,  # else it was reported
        budgeted=any(options.get(name) is not None for name in ENDS_THINKING),
        digest=package.digest if package else digest,
        number=package.number if package else None,
        owner=package.owner if package else None,
        contender=Contender(
            name=(table.name if table.from_ is None else None) or name,
            program=program,
            options=table.options,
            threads=table.resources.threads,
            memory_mb=table.resources.memory_mb,
            clock=table.clock.clock if table.clock else None,
            sandbox=table.sandbox or reading.sandbox,
        ),
        home=Home(folder=str(reading.folder), package=package.cwd if package else None),
    )


def read_players(
    tables: Sequence[PlayerTable], reading: Reading, folders: Mapping[int, Path]
) -> tuple[tuple[Player, ...], tuple[str, ...]]:
    """The players of all tables, and the submissions that do not take part. `folders` are those of
    tables, by index, whose paths are relative to another than `reading`'s.
    """
    players: list[tuple[int, Player]] = []
    left_out: list[str] = []
    seats = reading.game.seats if reading.game else 1
    reported = 0  # players that may well be there once the mistakes in their tables are fixed
    for index, table in enumerate(tables):
        here = reading._replace(folder=folders.get(index, reading.folder))
        found, without = players_of(("player", index), table, here)
        left_out += without
        players += [(index, each) for each in found]
        if not found:
            reported += 1 if table.from_ is None else seats
    clashing = _check_names(tables, players, reading.report)
    named = {player.name for index, player in players if tables[index].from_ is None}
    clashes = [  # no error: an owner would choose the name that stops all others
        f"{player.name} does not take part: another player has its name; give that one a name of "
        "its own"
        if player.name in named
        else f"{player.bot} does not take part: a bot of another folder has its name; write a "
        f"[[player]] with bot = {shown(player.bot)} and a name of its own"
        for _, player in clashing
    ]
    got = len(players) - len(clashing) + reported
    if got < seats and not reading.begun:
        needed = "2 players are" if seats == 2 else "1 player is"
        words = f"at least {needed} needed as [[player]] tables, got {got}"
        reading.report(("player",), "; ".join([words, *clashes]))
    left_out += clashes
    taking_part = tuple(entry[1] for entry in players if entry not in clashing)
    return taking_part, tuple(left_out)


def _check_sendable(at: KeyPath, options: dict[str, Any], report: Reporter) -> None:
    """They are sent as JSON."""
    for key, value in options.items():
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError):
            report((*at, key), f"dates, nan and inf cannot be sent to players, got {shown(value)}")


def _check_builtin(
    at: KeyPath, table: PlayerTable, builtin: CatalogueEntry, reading: Reading
) -> list[Path]:
    """It judges its game and its options itself; its threads and memory must fit its resources.
    The files that its options name.
    """
    report, own = reading.report, table.resources
    files: list[Path] = []
    try:
        context = {"folder": reading.folder, "game": reading.game, "files": files}
        builtin.options.model_validate(table.options, context=context)
    except ValidationError as error:
        for path, message in explain(error, builtin.options, table.options):
            report((*at, "options", *path), message)
    options = _options(table, builtin)
    sizes = {
        name: size
        for name, size in options.items()
        if name.endswith("_mb") and isinstance(size, int)
    }
    needed_mb = sum(sizes.values()) + _PROGRAM_MB
    if sizes and needed_mb > own.memory_mb:
        stated = " and ".join(f"options.{name} = {size}" for name, size in sizes.items())
        report(
            (*at, "resources", "memory_mb"),
            f"{own.memory_mb} MB are too few for {stated} and {_PROGRAM_MB} MB for the program "
            f"itself; give at least {needed_mb}, or lower the option",
        )
    threads = options.get("threads")
    if isinstance(threads, int) and threads > own.threads:
        report(
            (*at, "resources", "threads"),
            f"{own.threads} are too few for options.threads = {threads}; give at least {threads}",
        )
    game = reading.game
    if game is not None and (refusal := builtin.unsupported(game.name, game.variant)):
        report((*at, "bot"), refusal)
    return files


def _options(table: PlayerTable, builtin: CatalogueEntry) -> dict[str, Any]:
    """The options that a built-in has, as given or by default."""
    fields = builtin.options.model_fields
    return {name: table.options.get(name, field.default) for name, field in fields.items()}


def _check_names(
    tables: Sequence[PlayerTable], players: Sequence[tuple[int, Player]], report: Reporter
) -> list[tuple[int, Player]]:
    """Report names that cannot be used; the submissions that have another player's name."""
    for index, table in enumerate(tables):
        if table.name is None:
            continue
        if table.from_ is not None:
            wrong = "cannot be given together with from: each submission has its own"
            report(("player", index, "name"), wrong)
        elif not table.name.strip():
            report(("player", index, "name"), "must not be empty")
    first: dict[str, int] = {}
    clashing: list[tuple[int, Player]] = []
    for index, player in sorted(players, key=lambda entry: tables[entry[0]].from_ is not None):
        name = player.name
        if name in first and tables[index].from_ is not None:
            clashing.append((index, player))
        elif name in first:
            namesakes = sum(other.name == name for other in tables)
            advice = "names must differ" if namesakes > 1 else "give each of them a name of its own"
            report(
                ("player", index, "name"),
                f"player[{first[name] + 1}] is named {shown(name)} already; {advice}",
            )
        first.setdefault(name, index)
    return clashing
