"""From a tournament file to the conditions under which `arena check` judges a bot for it."""

from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from arena.bots import programs
from arena.bots.course import python_of
from arena.checks.conditions import Conditions, clocks_of
from arena.errors import ConfigError
from arena.files.toml import KeyPath, read_file
from arena.files.toml_tables import problems, read_tables, reporter
from arena.tournament.config_file import game_of, terms_of
from arena.tournament.config_tables import PlayerTable, with_formats
from arena.tournament.contenders import program_errors_at


def load_conditions(path: Path, bot: Path | None = None, seed: int = 0) -> Conditions:
    """The conditions of the tournament in the file `path` for the bot at `bot`, or for one that is
    submitted; `seed` is that of the check. Which players there are is not read: they need not be
    here. Raises ConfigError.
    """
    text, data = read_file(path, ConfigError)
    tables, findings = read_tables(with_formats(), data)
    report, folder = reporter(findings), path.resolve().parent
    own = table_of(bot and bot.resolve(), tables.player, folder)
    place: KeyPath = next((("player", n) for n, it in enumerate(tables.player) if it is own), ())
    pythons: list[str | None] = []
    for python, at in ((own.python, place), (tables.tournament.python, ("tournament",))):
        with program_errors_at((*at, "python"), report):
            pythons.append(programs.python(python, folder) if python else None)
    game, limits = game_of(tables.game, report), own.clock or tables.clock
    for key, problem in limits.problems():
        report((*(place if own.clock else ()), "clock", key), problem)
    if game is None or findings:
        raise ConfigError(path, problems(text, findings))
    terms = terms_of(tables, game, limits.clock)
    course_python = python_of(folder / own.from_) if own.from_ is not None else None
    return Conditions(
        terms=terms,
        clocks=clocks_of(terms),
        options=own.options,
        threads=own.resources.threads,
        memory_mb=own.resources.memory_mb,
        sandbox=own.sandbox or tables.tournament.sandbox,
        python=pythons[0],
        default_python=pythons[1] or course_python,
        in_place=own.bot is not None,
        seed=seed,
    )


def table_of(bot: Path | None, tables: Sequence[PlayerTable], folder: Path) -> PlayerTable:
    """The table that names the bot, or its submission without the version, else the one that takes
    the submissions of its folder, else the first that takes any, else an empty one.
    """
    named = (
        table
        for path in ((bot, bot.parent / bot.name.partition("@")[0]) if bot else ())
        for table in tables
        if table.bot and (folder / table.bot).resolve() == path
    )
    taking = [table for table in tables if table.from_ is not None]
    at_home = (
        table
        for table in taking
        if bot and table.from_ is not None and (folder / table.from_).resolve() == bot.parent
    )
    return next(chain(named, at_home, taking), PlayerTable())
