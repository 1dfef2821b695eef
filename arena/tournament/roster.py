"""The players of a tournament file: what they run, and whether they can."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from pydantic import BaseModel, ValidationError

from arena.bots import programs
from arena.referee.spec import PlayerSpec
from arena.toml.lines import KeyPath
from arena.toml.tables import did_you_mean, explain, shown
from arena.tournament.settings import Player
from arena.tournament.tables import PlayerTable
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

    def unsupported(self, rules: str, variant: Mapping[str, Any]) -> str | None:
        """Why it cannot play this game, a sentence; None when it can."""


_PROGRAM_MB = 400
"""What a built-in takes beside its tree and tables: interpreter, compiler, kernels."""


class _Program(NamedTuple):
    """What a `[[player]]` table names."""

    bot: str
    name: str
    """Of the player, where the table gives none."""
    program: programs.Program
    builtin: Builtin | None = None


def read_players(
    tables: Sequence[PlayerTable],
    game: Game | None,
    builtins: Mapping[str, Builtin],
    folder: Path,
    report: Report,
) -> tuple[Player, ...]:
    """One player for each table, whatever was reported. Without `game` nobody is asked whether he
    can play it.
    """
    players = [
        read_player(("player", index), table, game, builtins, folder, report)
        for index, table in enumerate(tables)
    ]
    seats = game.seats if game else 1
    if len(tables) < seats:
        needed = "2 players are" if seats == 2 else "1 player is"
        report(("player",), f"at least {needed} needed as [[player]] tables, got {len(tables)}")
    _check_names(tables, players, report)
    return tuple(players)


def read_player(
    at: KeyPath,
    table: PlayerTable,
    game: Game | None,
    builtins: Mapping[str, Builtin],
    folder: Path,
    report: Report,
) -> Player:
    """The player of one table, which is at `at`, whatever was reported."""
    found = _program(at, table, builtins, folder, report)
    _check_options((*at, "options"), table.options, found.builtin, folder, report)
    _check_memory(at, table, found.builtin, report)
    _check_threads(at, table, found.builtin, report)
    if found.builtin is not None and game is not None:
        sentence = found.builtin.unsupported(game.name, game.variant)
        if sentence:
            report((*at, "bot"), sentence)
    return _player(table, found)


def _program(
    at: KeyPath,
    table: PlayerTable,
    builtins: Mapping[str, Builtin],
    folder: Path,
    report: Report,
) -> _Program:
    unknown = programs.Program(("?",), str(folder))
    if table.bot is not None and table.command is not None:
        report((*at, "command"), "cannot be given beside bot; leave one of them out")
    if table.bot is None and table.command is None:
        known = ", ".join(builtins)
        report((*at, "bot"), f"is missing; a built-in player ({known}), a path, or command = […]")
        return _Program("", f"player {at[1]}", unknown)
    if table.bot is None:
        words = table.command or [""]
        bot, name = shlex.join(words), Path(words[0]).stem
        try:
            return _Program(bot, name, programs.command(words, folder))
        except programs.ProgramError as error:
            report((*at, "command"), str(error))
            return _Program(bot, name, unknown)
    builtin = builtins.get(table.bot)
    if builtin is not None:
        program = programs.Program(programs.module(builtin.module), str(folder))
        return _Program(table.bot, builtin.name, program, builtin)
    name = Path(table.bot).stem
    if not programs.is_path(table.bot, folder):
        hint = did_you_mean(table.bot, builtins, "built-in players")
        report((*at, "bot"), f"no built-in player or file {shown(table.bot)} in {folder}; {hint}")
        return _Program(table.bot, name, unknown)
    try:
        return _Program(table.bot, name, programs.script(table.bot, folder))
    except programs.ProgramError as error:
        report((*at, "bot"), str(error))
        return _Program(table.bot, name, unknown)


def _player(table: PlayerTable, found: _Program) -> Player:
    return Player(
        bot=found.bot,
        builtin=found.builtin.name if found.builtin else None,
        uses_clock=found.builtin.uses_clock if found.builtin else None,
        spec=PlayerSpec(
            name=table.name or found.name,
            command=found.program.command,
            cwd=found.program.cwd,
            options=table.options,
            threads=table.resources.threads,
            memory_mb=table.resources.memory_mb,
        ),
    )


def _check_options(
    at: KeyPath, options: dict[str, Any], builtin: Builtin | None, folder: Path, report: Report
) -> None:
    """A built-in judges its options itself, files relative to `folder`; all must be JSON."""
    for key, value in options.items():
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError):
            report((*at, key), f"dates, nan and inf cannot be sent to players, got {shown(value)}")
    if builtin is None:
        return
    try:
        builtin.options.model_validate(options, context={"folder": folder})
    except ValidationError as error:
        for path, message in explain(error, builtin.options, options):
            report((*at, *path), message)


def _check_memory(at: KeyPath, table: PlayerTable, builtin: Builtin | None, report: Report) -> None:
    """What a built-in's tree and tables may take must leave room for the program around them."""
    if builtin is None:
        return
    sizes = {
        name: size
        for name in builtin.options.model_fields
        if name.endswith("_mb") and isinstance(size := _option(name, table, builtin), int)
    }
    allowed, wanted = table.resources.memory_mb, sum(sizes.values()) + _PROGRAM_MB
    if sizes and wanted > allowed:
        given = " and ".join(f"options.{name} = {size}" for name, size in sizes.items())
        report(
            (*at, "resources", "memory_mb"),
            f"{allowed} MB are too few for {given} and {_PROGRAM_MB} MB for the program itself; "
            f"give at least {wanted}, or lower the option",
        )


def _check_threads(
    at: KeyPath, table: PlayerTable, builtin: Builtin | None, report: Report
) -> None:
    """A built-in may use no more threads than there are cores reserved for it."""
    wanted = _option("threads", table, builtin)
    allowed = table.resources.threads
    if isinstance(wanted, int) and wanted > allowed:
        report(
            (*at, "resources", "threads"),
            f"{allowed} are too few for options.threads = {wanted}; give at least {wanted}",
        )


def _option(name: str, table: PlayerTable, builtin: Builtin | None) -> Any:
    """An option of a built-in as given or by default; None for one it does not have."""
    if builtin is None or name not in builtin.options.model_fields:
        return None
    return table.options.get(name, builtin.options.model_fields[name].default)


def _check_names(tables: Sequence[PlayerTable], players: Sequence[Player], report: Report) -> None:
    names = [player.name for player in players]
    for index, table in enumerate(tables):
        name = names[index]
        if table.name is not None and not table.name.strip():
            report(("player", index, "name"), "must not be empty")
        elif name and names.index(name) < index:
            given = sum(other.name is not None for other in tables if other.name == name)
            advice = "names must differ" if given > 1 else "give each of them a name of its own"
            report(
                ("player", index, "name"),
                f"player[{names.index(name) + 1}] is named {shown(name)} already; {advice}",
            )
