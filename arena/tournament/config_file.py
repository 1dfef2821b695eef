"""From a tournament file (TOML) to a `TournamentConfig`, or to all that is wrong with it."""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import rules
from arena.bots import programs
from arena.errors import ConfigError, UserError
from arena.files.toml import read_file
from arena.files.toml_tables import (
    Finding,
    Reporter,
    nearest,
    no_such,
    problems,
    read_tables,
    reporter,
    shown,
    written,
    wrong_name,
)
from arena.model.game_spec import Terms
from arena.model.protocol import Clock
from arena.tournament.catalogue import CatalogueEntry
from arena.tournament.config import Openings, Player, TournamentConfig, cores_a_game
from arena.tournament.config_tables import OpeningsTable, PlayerTable, TournamentFile, with_formats
from arena.tournament.contenders import Reading, program_errors_at, read_players
from arena.tournament.executors import local
from arena.tournament.executors.base import Capacity, Demand
from arena.tournament.formats import FORMATS
from arena.tournament.formats.base import Format
from arena.tournament.formats.round_robin import ROUND_ROBIN
from arena.tournament.formats.sprt import SEQUENTIAL_TEST
from arena.tournament.formats.stopped import StopTable
from arena.tournament.openings import OpeningError, random_opening, read_openings, spare_seed
from rules.position import Game


class SoFar(NamedTuple):
    """The facts of a run that a file which continues it needs."""

    field: tuple[Player, ...] | None = None
    """Its own, where it goes on with that."""
    out: tuple[Player, ...] = ()
    """Players of it whose files are not needed."""


Begun = Callable[[str], SoFar]
"""Gives it of the run of a tournament's name."""


def load_config(
    path: Path,
    builtins: Mapping[str, CatalogueEntry],
    *,
    fit: Capacity = local.fit,
    begun: Begun = lambda name: SoFar(),
    for_others: bool = False,
) -> TournamentConfig:
    """Read a tournament file. `fit` gives how many games its machines can play at a time. Problems
    of submissions go to `left_out` and refuse nothing where the run has `begun`: it has its own
    players. So are those of all players where its terms are `for_others`.

    Raises ConfigError with every problem found. Paths are relative to the file. Scripts are started
    in their own folder; commands and built-ins are started in the folder of the file.
    """
    path = Path(path)
    text, data = read_file(path, ConfigError)
    try:
        folder = path.resolve().parent
        return read_config(
            data, builtins, folder, name=path.stem, fit=fit, begun=begun, for_others=for_others
        )
    except Unusable as error:
        raise ConfigError(path, problems(text, error.findings)) from None


class Unusable(ValueError):
    """Tables that make no tournament, and all that is wrong with them."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        super().__init__("; ".join(finding.message for finding in findings))
        self.findings = tuple(findings)


def read_config(
    data: dict[str, Any],
    builtins: Mapping[str, CatalogueEntry],
    folder: Path,
    *,
    name: str,
    player_folders: Mapping[int, Path] | None = None,
    fit: Capacity = local.fit,
    begun: Begun = lambda name: SoFar(),
    for_others: bool = False,
) -> TournamentConfig:
    """The tournament of a file's tables, wherever they come from. Where it is `for_others` to play
    under its terms, problems of its players go to `left_out`.

    Paths are relative to `folder`, those of player tables that have one in `player_folders` to
    that. `name` is the tournament's where the tables give none. Raises Unusable and UserError.
    """
    for each in (folder, *(player_folders or {}).values()):
        _refuse_no_text(each)
    tables, findings = read_tables(with_formats(), data)
    report, wrong = reporter(findings), frozenset(finding.path for finding in findings)
    table, limits = tables.tournament, tables.clock
    if table.name is not None and (why := wrong_name(table.name, "the run's file")):
        report(("tournament", "name"), why)
    game = game_of(tables.game, report)
    for key, problem in limits.problems():
        report(("clock", key), problem)
    with program_errors_at(("tournament", "python"), report):
        programs.python(table.python, folder)
    so_far = begun(table.name or name)
    reading = Reading(
        game,
        builtins,
        folder,
        report,
        table.sandbox,
        table.python,
        begun=so_far.field or (),
        out=so_far.out,
        wrong=wrong,
    )
    players, left_out = read_players(tables.player, reading, player_folders or {})
    start = Openings() if game is None else _openings(tables, game, folder, report)
    concurrency = _concurrency(tables, players, game.seats if game else 1, fit, report)
    format_, format_keys = _format(tables, game, report)
    _check_required(table.require, players, report)
    of_players = [finding for finding in findings if finding.path[:1] == ("player",)]
    if for_others:
        findings = [finding for finding in findings if finding not in of_players]
        left_out += tuple(f"{written(at)}: {message}" for at, message in of_players)
    else:
        field = so_far.field or players
        _check_anchor(tables.rating.anchor, field, tables.player, report)
        if not of_players:  # else some are missing
            _check_field(tables.stop, format_, format_keys, field, report)
    if findings:
        raise Unusable(findings)
    assert game is not None  # or there was a finding
    return TournamentConfig(
        name=name if table.name is None else table.name,
        format=format_.name,
        format_keys=format_keys,
        rounds=table.rounds or format_.rounds,
        seed=table.seed,
        concurrency=concurrency,
        keep_alive=table.keep_alive,
        require=tuple(table.require),
        terms=terms_of(tables, game, limits.clock),
        openings=start,
        rating=tables.rating,
        stop=tables.stop,
        players=players,
        left_out=left_out,
    )


def _refuse_no_text(folder: Path) -> None:
    """Raise UserError where the path of a folder is not UTF-8, as what is kept of a run must be."""
    try:
        str(folder).encode()
    except UnicodeEncodeError:
        raise UserError(
            f"{folder}: this path is not UTF-8, and a run keeps it; rename the folder, or move "
            "what is in it"
        ) from None


def terms_of(file: TournamentFile, game: Game, clock: Clock) -> Terms:
    """The terms that all games of the file share."""
    return Terms(
        rules=game.name,
        variant=game.variant,
        clock=clock,
        **file.clock.model_dump(include={"startup_ms", "grace_ms"}),
        **file.tournament.model_dump(include={"on_fault", "ponder", "max_plies"}),
    )


def game_of(table: Mapping[str, Any], report: Reporter) -> Game | None:
    """The game of `[game]`, with `rules` misspelt too; None where what is wrong was reported."""
    settings, at = dict(table), "rules"
    name = settings.pop(at, None)
    misspelt = [] if name else [key for key in settings if nearest(key, [at])]
    for key in misspelt:
        report(("game", key), f"unknown key{nearest(key, [at])}")
    if len(misspelt) == 1:
        (at,) = misspelt
        name = settings.pop(at)
    try:
        game, wrong = rules.judge(str(name), settings)
    except ValueError as error:
        if name or not misspelt:
            report(("game", at), str(error) if name else "is missing: which game is it?")
        return None
    for key, message in wrong.items():
        report(("game", key) if key else ("game",), message)
    return None if wrong else game


def _openings(tables: TournamentFile, game: Game, folder: Path, report: Reporter) -> Openings:
    """How games begin; at the start position where what is wrong was reported."""
    if game.decided_by_seed:
        for key in ("plies", "file"):
            if getattr(tables.openings, key):
                report(("openings", key), f"{game.name} has none: each seed is another game")
        return Openings()
    start = _read_openings(tables.openings, game, tables.tournament.seed, folder, report)
    plies, most = max([start.plies, *map(len, start.lines)]), tables.tournament.max_plies
    if most is not None and most <= plies:
        report(
            ("tournament", "max_plies"),
            f"{most} plies leave no move after an opening of {plies}; give more",
        )
    return start


def _read_openings(
    table: OpeningsTable, game: Game, seed: int, folder: Path, report: Reporter
) -> Openings:
    at = ("openings", "plies" if table.file is None else "file")
    if table.file is None:
        plies = game.opening_plies if table.plies is None else table.plies
        try:
            random_opening(game, plies, seed=spare_seed(seed))
        except OpeningError as error:
            report(at, str(error))
        return Openings(plies=plies)
    if table.plies is not None:
        report(("openings", "plies"), "cannot be given together with file; leave one of them out")
    with program_errors_at(at, report):
        file = programs.existing(table.file, folder)
        try:
            return Openings(lines=read_openings(file.read_text("utf-8-sig"), game))
        except OpeningError as error:
            for sentence in error.sentences:
                report(at, f"{file}: {sentence}")
        except OSError as error:
            report(at, f"{file} cannot be read: {error.strerror}")
        except UnicodeDecodeError as error:
            line = error.object[: error.start].count(b"\n") + 1
            report(at, f"{file}: line {line} is not UTF-8 text")
    return Openings()


def _concurrency(
    tables: TournamentFile, players: Sequence[Player], seats: int, fit: Capacity, report: Reporter
) -> int:
    table = tables.tournament
    threads = [player.contender.threads for player in players] or [1]
    demand = Demand(
        threads=tuple(player.resources.threads for player in tables.player),
        a_game=cores_a_game(threads, seats, table.ponder),
        concurrency=table.concurrency,
        ponder=table.ponder,
    )
    concurrency, unmet = fit(demand)
    for finding in unmet:
        report(*finding)
    return concurrency


def _check_required(require: Collection[str], players: Sequence[Player], report: Reporter) -> None:
    # Without a sandbox nothing is held, as is seen without trying.
    free = [player.name for player in players if player.contender.sandbox == "none"]
    if free and require:
        report(
            ("tournament", "require"),
            f'nothing is held where sandbox = "none", as it is for {", ".join(free)}; leave one of '
            "the two out",
        )


def _check_anchor(
    anchor: str | None, players: Sequence[Player], tables: Sequence[PlayerTable], report: Reporter
) -> None:
    names = [player.name for player in players]
    names += [table.name for table in tables if table.name and table.name not in names]
    if anchor is not None and anchor not in names:
        report(("rating", "anchor"), no_such("player", anchor, names))


def _check_field(
    table: StopTable,
    format_: Format,
    keys: dict[str, Any],
    players: Sequence[Player],
    report: Reporter,
) -> None:
    """Report what does not fit that many players, or these."""
    for key, problem in format_.problems(keys, [player.name for player in players]):
        report((format_.name, key) if key else (format_.name,), problem)
    if table and format_.unstopped:
        report(("stop",), f"does not fit {format_.name}: {format_.unstopped}")
    elif table.separated is not None and table.separated >= max(2, len(players)):
        report(
            ("stop", "separated"),
            f"must be less than the number of players, {len(players)}, got {table.separated}",
        )


def _format(
    file: TournamentFile, game: Game | None, report: Reporter
) -> tuple[Format, dict[str, Any]]:
    """The format, and its own keys: a format's table selects it. A sequential test is one of
    round-robins, so its table may follow `format = "round-robin"`.
    """
    stated, tables = file.tournament.format, file.format_tables()
    if stated is not None and stated not in FORMATS:
        known = ", ".join(map(repr, FORMATS))
        near = nearest(stated, FORMATS)
        report(("tournament", "format"), f"must be one of {known}, got {shown(stated)}{near}")
        stated = None
    name = next(iter(tables), stated or ROUND_ROBIN.name)
    if stated not in (None, name) and (stated, name) != (ROUND_ROBIN.name, SEQUENTIAL_TEST.name):
        report((name,), f'belongs to another format than "{stated}"; leave one of them out')
    for other in [each for each in tables if each != name]:
        report((other,), f"another format than [{name}]; leave one of them out")
    format_ = FORMATS[name]
    if format_.alone and game is not None and game.seats == 1:
        at = (name,) if name in tables else ("tournament", "format")
        report(at, f"{name} does not fit {game.name} played alone: {format_.alone}")
    keys = (tables.get(name) or format_.keys()).model_dump()
    return format_, keys
