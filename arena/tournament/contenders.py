"""The players of a tournament file: what they run, and whether they can."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

import rules
from arena.files.cache import CACHE_VARIABLE, cache_root
from arena.files.toml_lines import KeyPath
from arena.files.toml_tables import explain, shown
from arena.model.containment import Policy
from arena.model.contender import Prepared
from arena.tournament.config import Player
from arena.tournament.config_tables import PlayerTable
from arena.tournament.submitted import Builtin, Entrant, Reading, Report, entrants
from rules.position import Game

_BUDGETS = ("iterations", "nodes", "depth")
"""Options that end a built-in's thinking before its time."""
_PROGRAM_MB = 400
"""What a built-in takes beside its tree and tables: interpreter, compiler, kernels."""


class Roster(NamedTuple):
    """The players of a tournament file."""

    players: tuple[Player, ...]
    left_out: tuple[str, ...]
    """Submissions that do not take part: a sentence each."""


def read_players(
    tables: Sequence[PlayerTable], reading: Reading, folders: Mapping[int, Path]
) -> Roster:
    """One player for each table, and one for each submission; fewer where that was reported.

    `folders` are those of tables, by index, whose paths are relative to another than `reading`'s.
    """
    players: list[tuple[int, Player]] = []
    left_out: list[str] = []
    seats = reading.game.seats if reading.game else 1
    reported = 0  # players that may well be there once the mistakes in their tables are mended
    for index, table in enumerate(tables):
        _check_sendable(("player", index, "options"), table.options, reading.report)
        here = reading._replace(folder=folders.get(index, reading.folder))
        found = entrants(("player", index), table, here)
        left_out += found.left_out
        players += [
            (index, _player(("player", index), table, each, here)) for each in found.playing
        ]
        if not found.playing:
            reported += 1 if table.from_ is None else seats
    got = len(players) + reported
    if got < seats:
        needed = "2 players are" if seats == 2 else "1 player is"
        reading.report(("player",), f"at least {needed} needed as [[player]] tables, got {got}")
    _check_names(tables, players, reading.report)
    return Roster(tuple(player for _, player in players), tuple(left_out))


def read_player(at: KeyPath, table: PlayerTable, reading: Reading) -> Player | None:
    """The player of a table that names one, or None where it was reported."""
    _check_sendable((*at, "options"), table.options, reading.report)
    found = entrants(at, table, reading).playing
    return _player(at, table, found[0], reading) if found else None


def _player(at: KeyPath, table: PlayerTable, found: Entrant, reading: Reading) -> Player:
    builtin, game, package = found.builtin, reading.game, found.package
    _check_options((*at, "options"), table.options, builtin, reading.folder, reading.report)
    _check_memory(at, table, builtin, reading.report)
    _check_threads(at, table, builtin, reading.report)
    if builtin is not None and game is not None:
        sentence = builtin.unsupported(game.name, game.variant)
        if sentence:
            reading.report((*at, "bot"), sentence)
    return Player(
        bot=found.bot,
        builtin=builtin.name if builtin else None,
        uses_clock=builtin.uses_clock if builtin else None,
        think_ms=_option("think_ms", table, builtin),
        budgeted=any(_option(name, table, builtin) is not None for name in _BUDGETS),
        digest=package.digest if package else None,
        unbuilt=package if package and package.build else None,
        sandbox=table.sandbox or reading.sandbox,
        spec=Prepared(
            name=(table.name if table.from_ is None else None) or found.name,
            command=found.program.command,
            cwd=found.program.cwd,
            options=table.options,
            threads=table.resources.threads,
            memory_mb=table.resources.memory_mb,
            policy=Policy(
                readable=_readable(found, table, reading),
                listable=_roots(game) if found.program.command[0] == sys.executable else (),
                environment=_environment(game) if builtin else {},
            ),
        ),
    )


def _environment(game: Game | None) -> dict[str, str]:
    """What a built-in player is told: where the cache is, and a registered game."""
    told = {CACHE_VARIABLE: str(cache_root())}
    if game is not None and game.name not in rules.GAMES and "PYTHONPATH" in os.environ:
        told["PYTHONPATH"] = os.environ["PYTHONPATH"]
    return told


def _readable(found: Entrant, table: PlayerTable, reading: Reading) -> tuple[str, ...]:
    """What it reads beside its folder: the arena's packages where this Python runs it, its kernels,
    the files its options name. Such a file may also be one word of a command.
    """
    folder = reading.folder
    paths = list(_packages(reading.game)) if found.program.command[0] == sys.executable else []
    if found.builtin is not None:
        paths += found.builtin.readable()
    for text in _texts(table.options):
        words = (text, *text.split())
        paths += [str(folder / word) for word in words if "/" in word and (folder / word).is_file()]
    return tuple(dict.fromkeys(paths))


@cache
def _packages(game: Game | None) -> tuple[str, ...]:
    """The folders of this package and of a registered game, wherever they are installed from:
    players import from them.
    """
    found = (find_spec(name) for name in ("arena", "players", "rules"))
    own = [place for spec in found if spec for place in spec.submodule_search_locations or ()]
    return (*own, *(map(str, rules.folders(game.name)) if game else ()))


def _roots(game: Game | None) -> tuple[str, ...]:
    """What those lie in outside of Python's own folders, as in an editable installation: an import
    looks through it.
    """
    roots = dict.fromkeys(Path(package).parent for package in _packages(game))
    return tuple(str(root) for root in roots if not root.is_relative_to(sys.prefix))


def _texts(value: object) -> Iterator[str]:
    """Every text in an options table."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)


def _check_sendable(at: KeyPath, options: dict[str, Any], report: Report) -> None:
    """They are sent as JSON."""
    for key, value in options.items():
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError):
            report((*at, key), f"dates, nan and inf cannot be sent to players, got {shown(value)}")


def _check_options(
    at: KeyPath, options: dict[str, Any], builtin: Builtin | None, folder: Path, report: Report
) -> None:
    """A built-in judges its options itself, files relative to `folder`."""
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


def _check_names(
    tables: Sequence[PlayerTable], players: Sequence[tuple[int, Player]], report: Report
) -> None:
    for index, table in enumerate(tables):
        if table.name is None:
            continue
        if table.from_ is not None:
            wrong = "cannot be given beside from: each submission has its own"
            report(("player", index, "name"), wrong)
        elif not table.name.strip():
            report(("player", index, "name"), "must not be empty")
    first: dict[str, int] = {}
    for index, player in players:
        name = player.name
        if name in first:
            given = sum(other.name is not None for other in tables if other.name == name)
            advice = "names must differ" if given > 1 else "give each of them a name of its own"
            report(
                ("player", index, "name" if tables[index].from_ is None else "from"),
                f"player[{first[name] + 1}] is named {shown(name)} already; {advice}",
            )
        first.setdefault(name, index)
