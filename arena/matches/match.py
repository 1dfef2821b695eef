"""`arena match`: a few games now between two players named in words, under a tournament's terms."""

from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from arena.bots import programs
from arena.bots.versions import submitted
from arena.errors import StoreError, SubmissionError, UserError
from arena.files.toml import KeyPath, read_file, read_pairs
from arena.files.toml_tables import Finding, read_tables
from arena.matches.sprt import (
    Side,
    Tables,
    make_config,
    read_side,
    side_of_file,
    with_options,
    wrong_player,
)
from arena.tournament.conditions import load_conditions, table_of
from arena.tournament.config import Player, TournamentConfig, differences
from arena.tournament.config_file import load_config
from arena.tournament.config_tables import PlayerTable, RatingTable, with_formats
from arena.tournament.contenders import Reading, players_of
from arena.tournament.executors import local
from arena.tournament.executors.base import Demand
from arena.tournament.field import renamed
from arena.tournament.formats.stopped import StopTable
from arena.tournament.ready import ready
from arena.tournament.run_view import RunView
from arena.tournament.store import default_store
from players.catalogue import BUILTINS

TypedPlayer = tuple[str, Sequence[str] | None]
"""A player in words, and its options as they are typed."""


def between(typed: Sequence[TypedPlayer], tables: Tables) -> TournamentConfig:
    """A match of two under the terms of these tables. Raises UserError, ConfigError."""
    sides = [read_side(letter, *each) for letter, each in zip("AB", typed, strict=True)]
    return make_config(sides, tables, "match")


def like(file: Path, typed: Sequence[TypedPlayer]) -> TournamentConfig:
    """A match of two under the terms of a tournament file, ready to be played. They are named as in
    the file, or as anywhere else; typed options win over those of the file. Raises UserError,
    ConfigError.
    """
    tournament = load_config(file, BUILTINS, fit=_as_far_as_here, for_others=True)
    known = {player.name: player for player in tournament.players}
    players = [
        known[words]
        if words in known and not options
        else _other(_side(letter, (words, options), known, file), tournament, file)
        for letter, (words, options) in zip("AB", typed, strict=True)
    ]
    if players[0].name == players[1].name:
        a_and_b = zip(players, "ab", strict=True)
        players = [renamed(each, f"{each.name}-{letter}") for each, letter in a_and_b]
    names = "-".join(player.name for player in players)
    config = tournament.model_copy(
        update={
            "name": f"match-{tournament.name}-{names}".replace("/", "-"),
            "format": "round-robin",
            "format_keys": {},
            "players": tuple(players),
            "rating": RatingTable(),
            "stop": StopTable(),
            "left_out": (),
        }
    )
    return ready(_with_room(config), file)


def _as_far_as_here(demand: Demand) -> tuple[int, Sequence[Finding]]:
    """What this machine can play at a time of a tournament that a larger one may play."""
    most, _ = local.fit(demand._replace(concurrency=None))
    return min(demand.concurrency or most, most), ()


def _with_room(match: TournamentConfig) -> TournamentConfig:
    """With no more games at a time than its players leave cores for. Raises UserError."""
    threads = tuple(player.contender.threads for player in match.players)
    most, unmet = local.fit(Demand(threads, match.threads, None, match.terms.ponder))
    if unmet:
        of_players: dict[KeyPath, str] = {
            ("player", at): f"{player.name} " for at, player in enumerate(match.players)
        }
        raise UserError("\n".join(of_players.get(at[:2], "") + message for at, message in unmet))
    return match.model_copy(update={"concurrency": min(match.concurrency, most)})


def _side(letter: str, typed: TypedPlayer, known: Mapping[str, Player], file: Path) -> Side:
    """A player as it was named; `fox@1` is a version of the submission that plays as `fox`."""
    words, options = typed
    name, at, which = (words, "", "") if words in known else words.partition("@")
    player = known.get(name)
    if player is None or (at and player.number is None):
        return read_side(letter, words, options)
    own = read_pairs(f"--{letter.lower()}-option", options)
    try:
        side = side_of_file(letter, str(file), name, own)
    except UserError:
        if (taken := _taken(letter, player, own, file)) is None:
            raise
        side = taken
    if not at:
        return side
    bot = Path(player.bot)
    version = bot.with_name(f"{bot.name.partition('@')[0]}{at}{which}")
    try:
        submitted(side.folder / version)
    except SubmissionError as error:  # typed, and no mistake of the file
        raise UserError(f"{letter}: {error}") from None
    return side._replace(table={**side.table, "bot": str(version), "name": None})


def _taken(letter: str, player: Player, options: dict[str, Any], file: Path) -> Side | None:
    """A submission as if the table that takes it, with others, named it alone; None where no table
    does.
    """
    text, data = read_file(file)
    for place, table in enumerate(data["player"]):
        if "from" in table and Path(str(table["from"])) == Path(player.bot).parent:
            alone = table | {"bot": player.bot, "from": None}
            folder, at = file.resolve().parent, ("player", place)
            return with_options(Side(letter, str(file), alone, folder, options, text, at))
    return None


def _other(side: Side, tournament: TournamentConfig, file: Path) -> Player:
    """A player that is not in the tournament."""
    problems: list[str] = []
    tables, _ = read_tables(with_formats(), read_file(file)[1])
    python = tables.tournament.python
    reading = Reading(
        tournament.terms.game,
        BUILTINS,
        side.folder,
        lambda at, message: problems.append(wrong_player(at, message, side)),
        tables.tournament.sandbox,
        python and programs.python(python, file.resolve().parent),
    )
    try:
        table = PlayerTable.model_validate(side.table)
        if side.text is None and table.bot and table.bot not in BUILTINS:
            bot = side.folder / table.bot
            there = load_conditions(file, bot)
            table = _with_limits(table, bot, tables.player, file, there.python)
            reading = reading._replace(python=there.default_python)
        players, _ = players_of((), table, reading)
    except ValidationError as error:
        wrong = error.errors()[0]
        raise UserError(
            f"{side.words}: {'.'.join(map(str, wrong['loc']))}: {wrong['msg']}"
        ) from None
    if problems:
        names = ", ".join(player.name for player in tournament.players) or "none"
        problems[-1] += f"; players of {file}: {names}"
        raise UserError("\n".join([*problems, *tournament.left_out]))
    (player,) = players
    return player


def _with_limits(
    typed: PlayerTable, bot: Path, tables: Sequence[PlayerTable], file: Path, python: str | None
) -> PlayerTable:
    """The table of a bot as typed, with what those of the tournament's file give it there, and the
    Python that they name for it.
    """
    own = table_of(bot.resolve(), tables, file.resolve().parent)
    given = {"clock": own.clock, "resources": own.resources, "sandbox": own.sandbox}
    options = own.options | typed.options
    return typed.model_copy(update=given | {"options": options, "python": python})


def of_games(config: TournamentConfig, games: int, *, watch: bool) -> TournamentConfig:
    """The match with that many games, one at a time to watch them. Raises UserError."""
    seats = config.terms.game.seats
    if games % seats:
        raise UserError(
            f"--games: must be a multiple of {seats}, as each opening is played from both sides, "
            f"got {games}"
        )
    concurrency = 1 if watch else config.concurrency
    return config.model_copy(update={"rounds": games // seats, "concurrency": concurrency})


def with_store(
    config: TournamentConfig, seed: int | None, store: Path | None
) -> tuple[TournamentConfig, Path]:
    """The match and where it is kept: without a store, under a name that no run has which is over
    or being played, so that only the same match continues where it was interrupted. Without a seed
    it has the number of the run.
    """
    if store is not None:
        return config.model_copy(update={"seed": seed or 1}), store
    for number in count(1):
        name = config.name if number == 1 else f"{config.name}-{number}"
        match = config.model_copy(update={"name": name, "seed": seed or number})
        path = default_store(match.name)
        if not path.exists() or _is_interrupted(path, match):
            return match, path
    raise AssertionError


def _is_interrupted(path: Path, match: TournamentConfig) -> bool:
    try:
        with RunView(path) as view:
            if view.schedule.over or view.is_played:
                return False
            return not differences(view.config, match)
    except StoreError:
        return False
