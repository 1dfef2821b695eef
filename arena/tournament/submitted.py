"""What a `[[player]]` table names: a built-in, a command, a bot."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from pydantic import BaseModel

from arena.bots import programs
from arena.bots.package import Bot, open_bot
from arena.bots.submissions import submissions
from arena.errors import PackageError, ProgramError, SubmissionError
from arena.files.toml_lines import KeyPath
from arena.files.toml_tables import did_you_mean, shown
from arena.model.containment import Asked
from arena.tournament.config_tables import PlayerTable
from rules.position import Game

Report = Callable[[KeyPath, str], None]
"""Takes where something is wrong, and what."""


class Builtin(Protocol):
    """A player that comes with the package, as its catalogue describes it."""

    @property
    def name(self) -> str:
        """What a tournament file calls it."""

    @property
    def module(self) -> str:
        """What is run, as `python -m MODULE`."""

    @property
    def summary(self) -> str:
        """One line for people."""

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
        """Absolute paths it reads beside the package and what its options name."""

    def unsupported(self, rules: str, variant: Mapping[str, Any]) -> str | None:
        """Why it cannot play this game, a sentence; None when it can."""


class Reading(NamedTuple):
    """What the tables of players are read with."""

    game: Game | None
    """Without it nobody is asked whether he can play it."""
    builtins: Mapping[str, Builtin]
    folder: Path
    """Of the tournament file: where relative paths begin."""
    report: Report
    sandbox: Asked = "auto"
    """Of the players that ask for none themselves."""


class Entrant(NamedTuple):
    """A program that plays."""

    bot: str
    """As the tournament file wrote it; a submission's folder and name."""
    name: str
    """Of the player, where the table gives none."""
    program: programs.Program
    builtin: Builtin | None = None
    package: Bot | None = None
    """The bot that lies at a path; it may have to be built before it plays."""


class Entrants(NamedTuple):
    """All of one table."""

    playing: tuple[Entrant, ...]
    left_out: tuple[str, ...] = ()
    """Submissions that do not play this game: a sentence each."""


_WAYS = ("bot", "command", "from")


def entrants(at: KeyPath, table: PlayerTable, reading: Reading) -> Entrants:
    """What the table, which is at `at`, names; nothing where that was reported."""
    values = (table.bot, table.command, table.from_)
    given = [way for way, value in zip(_WAYS, values, strict=True) if value is not None]
    for way in given[1:]:
        reading.report((*at, way), f"cannot be given beside {given[0]}; leave one of them out")
    if table.bot is not None:
        found = _bot(at, table.bot, reading)
    elif table.command is not None:
        found = _command(at, table.command, reading)
    elif table.from_ is not None:
        return _submissions(at, table.from_, reading)
    else:
        known = ", ".join(reading.builtins)
        reading.report(
            (*at, "bot"),
            f"is missing; a built-in player ({known}), a path, command = […], or "
            "from = a folder of submissions",
        )
        found = None
    return Entrants((found,) if found else ())


def _command(at: KeyPath, words: list[str], reading: Reading) -> Entrant | None:
    try:
        program = programs.command(words, reading.folder)
    except ProgramError as error:
        reading.report((*at, "command"), str(error))
        return None
    return Entrant(shlex.join(words), Path(words[0]).stem, program)


def _bot(at: KeyPath, bot: str, reading: Reading) -> Entrant | None:
    builtin, folder = reading.builtins.get(bot), reading.folder
    if builtin is not None:
        program = programs.Program(programs.module(builtin.module), str(folder))
        return Entrant(bot, builtin.name, program, builtin)
    if not programs.is_path(bot, folder):
        hint = did_you_mean(bot, reading.builtins, "built-in players")
        reading.report((*at, "bot"), f"no built-in player or file {shown(bot)} in {folder}; {hint}")
        return None
    try:
        package = open_bot(programs.existing(bot, folder))
    except ProgramError as error:
        reading.report((*at, "bot"), str(error))
    except PackageError as error:
        for line in str(error).splitlines():
            reading.report((*at, "bot"), line)
    else:
        game = reading.game
        if game is None or plays(package, game):
            return _packaged(bot, package)
        claimed = ", ".join(package.rules or ())
        reading.report((*at, "bot"), f"{package.name} plays {claimed}, not {game.name}")
    return None


def _submissions(at: KeyPath, written: str, reading: Reading) -> Entrants:
    try:
        found = submissions(programs.existing(written, reading.folder))
    except (ProgramError, SubmissionError) as error:
        reading.report((*at, "from"), str(error))
        return Entrants(())
    game = reading.game
    playing = [bot for bot in found if game is None or plays(bot, game)]
    left_out = tuple(
        f"{bot.name} does not take part: it plays {', '.join(bot.rules or ())}"
        for bot in found
        if bot not in playing
    )
    if not playing:
        others = f"; there are: {'; '.join(left_out)}" if left_out else ""
        reading.report(
            (*at, "from"),
            f"no submission in {reading.folder / written} plays "
            f"{game.name if game else 'anything'}{others}",
        )
    return Entrants(
        tuple(_packaged(f"{written.rstrip('/')}/{bot.name}", bot) for bot in playing), left_out
    )


def plays(bot: Bot, game: Game) -> bool:
    """Whether it claims to; a script claims nothing and is taken at its author's word."""
    return bot.rules is None or game.name in bot.rules


def _packaged(written: str, bot: Bot) -> Entrant:
    return Entrant(written, bot.name, programs.Program(bot.command, bot.cwd), package=bot)
