"""The Python API, for notebooks and scripts: `import arena` offers what is listed here.

Tables are columns: a list of values for each name. `pandas.DataFrame(table)` and
`polars.DataFrame(table)` take them as they are; neither is needed. A dict for each row would take
ten times the memory where a run has a million moves.

What a caller can fix is raised as an `arena.errors.ArenaError`.
"""

import os
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from numbers import Integral, Real
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from arena import found_instead
from arena.environments import make as env
from arena.environments.as_bot import save_bot
from arena.errors import ArenaError, ConfigError, ExecutorError, RateError, UserError
from arena.files.toml_tables import problems
from arena.model.game_spec import GameSpec
from arena.model.record import GameRecord
from arena.ratings.model import Standings
from arena.ratings.results import GameDigest, Result, refuse_names
from arena.ratings.standings import standings_of_results
from arena.reports import csv_report
from arena.reports.html import cells
from arena.reports.html.cells import Drawn, DrawnTable
from arena.sandbox.processes import as_subreaper
from arena.tournament import run as running
from arena.tournament.config import TournamentConfig
from arena.tournament.config_file import Begun, SoFar, Unusable, load_config, read_config
from arena.tournament.contenders import of_this_version
from arena.tournament.executors.base import Lost, Played, Task
from arena.tournament.executors.local import LocalExecutor
from arena.tournament.field import Wanted
from arena.tournament.played_store import PlayedStore
from arena.tournament.ready import begun_in, ready, ready_to_play
from arena.tournament.run_view import RunView, as_planned, recorded_game
from arena.tournament.site import HERE, Site, site
from arena.tournament.store import Store, default_store
from arena.tournament.store_faults import damaged_lines
from arena.tournament.warming import warm_players
from rules.position import MoveError, Position

__all__ = ["Run", "board", "env", "load_run", "play", "rate", "rate_report", "run", "save_bot"]

if TYPE_CHECKING:
    from distributed import Client

Table = dict[str, list[Any]]
"""Columns by name, all of one length."""
Report = dict[str, Any]
"""All figures of a report, as `arena report --json` prints them, ready for JSON; `arena schema
--report` documents the keys. A list of dicts, such as `neighbours`, is a table for pandas."""
PlayerTable = str | PathLike[str] | Sequence[str] | Mapping[str, Any]
"""A built-in's name or a path; a program with its arguments; or a `[[player]]` table."""

_INFO = ("score", "depth", "nodes", "text")
"""The fields of `info`, each a column."""
_WAIT_S = 0.2
_MOST_ANCHOR_ELO = 10_000
_PLAYING_HERE = threading.Lock()
"""Games have cores of their own, and sandboxes are tried alone: other threads wait."""


def _unlock() -> None:
    global _PLAYING_HERE  # the thread that holds it is not in a forked process
    _PLAYING_HERE = threading.Lock()


os.register_at_fork(after_in_child=_unlock)


@contextmanager
def _playing_here() -> Iterator[None]:
    """The turn of this thread. After it, orphans of the caller's own programs go to init again."""
    with _PLAYING_HERE, as_subreaper():
        yield


class Run:
    """A run of a tournament, also while it is played. Each call reads it as it is then."""

    def __init__(self, path: str | PathLike[str]) -> None:
        """Raises StoreError and UserError."""
        path = _path("a run", path)
        with Store.open(path) as store:
            self.config = store.config
            """The resolved tournament file."""
        self.path = path.absolute()
        """The file, wherever the current folder is by then."""

    def standings(self) -> Table:
        """A row a player, by Elo, whatever the format ranks by: the columns of
        `arena report --csv players`.
        """
        with RunView(self.path) as view:
            columns = _columns(*csv_report.players(view.standings))
        return DrawnTable(columns, self._drawn(partial(cells.section, name="standings")))

    def ranking(self) -> Table:
        """A row a player by the rules of the format, who won first: the columns of
        `arena report --csv ranking`.
        """
        with RunView(self.path) as view:
            return _columns(*csv_report.ranking(view.standings))

    def report(self) -> Report:
        """All figures at once: neighbours with differences and LOS, the covariance of the ratings,
        the advantage of the first move, a sequential test, and the rest of the report.
        """
        with RunView(self.path) as view:
            return view.standings.model_dump(mode="json")

    def crosstable(self) -> Table:
        """A row for each player against each opponent met."""
        with RunView(self.path) as view:
            columns = _columns(*csv_report.crosstable(csv_report.cells_of(view)))
        return DrawnTable(columns, self._drawn(partial(cells.section, name="crosstable")))

    def games(self) -> Table:
        """A row a game that has a result, with the player, the score and the points of each seat:
        `player0`, `score0`, `points0`, `player1`, … `moves` are those of the players, without
        openings, passes and chance; points are None where one game alone decides nothing. Those
        that are damaged are left out, with a warning that names them.
        """
        with RunView(self.path) as view:
            games = as_planned(view.games)
            self._warn(view.damaged)
        seats = range(self.config.terms.game.seats)
        names = ("game", "round", "pair", "seed", "termination", "detail", "offender", "moves")
        by_seat = (f"{name}{seat}" for seat in seats for name in ("player", "score", "points"))
        return _columns((*names, *by_seat), map(_game_row, games))

    def moves(self, game: str | int | None = None) -> Table:
        """A row a ply, of one game or of all: who moved, the time used and the player's `info`
        but for its line of play, which `record` has. Openings, passes and chance have no time.

        Moves of chance have seat −1 and no player. A depth or nodes of more than 64 bits are None:
        no frame has a type for them. Raises UserError where there is no such game.
        Of all games those that are damaged are left out, with a warning that names them.
        """
        names = ("game", "ply", "seat", "player", "move", "used_ms", "cpu_ms", *_INFO)
        if game is not None:
            return _columns(names, _move_rows(self.record(game)))
        damaged: list[str] = []
        with Store.open(self.path) as store:
            records = store.records(damaged=damaged)
            table = _columns(names, (row for record in records for row in _move_rows(record)))
        self._warn(damaged)
        return table

    def game(self, game: str | int, ply: int | None = None) -> Drawn:
        """A game to look at and step through in a notebook, first after `ply` moves, or all.

        Raises UserError where there is no such game or ply.
        """
        record = self.record(game)
        text = f"{record.game}: {' '.join(move.move for move in record.moves)}\n{record.detail}"
        _refuse_ply(record, ply)
        return Drawn(text, self._drawn(partial(cells.game, id_=record.game, ply=ply)))

    def board(self, game: str | int, ply: int | None = None) -> Drawn:
        """The board of a game after `ply` moves, or all. Raises UserError."""
        record = self.record(game)
        moves = [move.move for move in record.moves[: _refuse_ply(record, ply)]]
        return board(record.start(), moves)

    def _warn(self, damaged: Sequence[str]) -> None:
        for line in damaged_lines(self.path, damaged):
            warnings.warn(line, stacklevel=3)

    def _drawn(self, draw: Callable[[RunView], str]) -> Callable[[], str]:
        return partial(_html, self.path, draw)

    def record(self, game: str | int) -> GameRecord:
        """All that is kept of a game. Raises UserError where there is no such game."""
        return recorded_game(self.path, str(game))[1]


def _html(path: Path, draw: Callable[[RunView], str]) -> str:
    with RunView(path) as view:
        return draw(view)


def _refuse_ply(record: GameRecord, ply: int | None) -> int:
    """The ply, or the last. Raises UserError."""
    last = len(record.moves)
    if ply is not None and (not isinstance(ply, Integral) or not 0 <= ply <= last):
        raise UserError(f"ply {ply}: game {record.game} has {last} moves")
    return last if ply is None else ply


def load_run(path: str | PathLike[str]) -> Run:
    """Open the file of a run, `runs/NAME.sqlite`. Raises StoreError and UserError."""
    return Run(path)


def _path(what: str, value: str | PathLike[str]) -> Path:
    """Raises UserError for what is no path."""
    if not isinstance(value, str | PathLike) or "\0" in str(value):
        raise UserError(f"{what} is a file's path, not {value!r}")
    path = Path(value)
    try:
        path.exists()
    except OSError as error:  # too long, or in a folder without permission
        raise UserError(f"{what}: {path}: {error.strerror}") from None
    return path


def board(start: Position, moves: Sequence[str] = ()) -> Drawn:
    """The board after some moves from a position of `rules`; the last is marked. Raises UserError
    for what is no such position, no list of moves, or a move that cannot be played.
    """
    if not isinstance(start, Position):
        raise UserError(
            f'a board needs a position, such as rules.load("othello").start(), not {start!r}'
        )
    _refuse_moves("moves", start, _texts("moves", moves, "moves"))
    return cells.board(start, moves)


def run(
    tournament: str | Path | Mapping[str, Any] | TournamentConfig,
    *,
    store: str | Path | None = None,
    take_new: bool = False,
    without: Sequence[str] = (),
    on: "str | Client | None" = None,
    insecure: bool = False,
) -> Run:
    """Play a tournament, or what is left of it, and return its run.

    `tournament` is a file, or its tables as a dict, with paths relative to the current folder. The
    run is kept in `store`, by default `runs/NAME.sqlite`; it keeps the players it began with,
    unless `take_new` takes the new ones, and leaves out those `without`. It is played `on` a
    cluster, as by `arena run --on`, or on that of a `distributed.Client`. Raises ConfigError,
    UserError, StoreError, ExecutorError, and KeyboardInterrupt when it is stopped: the same call
    goes on.
    """
    _refuse_no_flags(UserError, take_new=take_new, insecure=insecure)
    wanted = Wanted(take_new, _texts("without", without, "names"))
    file = _path("a tournament", tournament) if isinstance(tournament, str | PathLike) else None
    with site(on, file, insecure=insecure) as at, _playing_here() if at.here else nullcontext():
        chosen = None if store is None else _path("store", store)
        read, place = _read(tournament, at, begun_in(chosen, wanted))
        path = chosen or default_store(read.name)
        config = ready_to_play(read, place, path, wanted, site=at)
        with PlayedStore.open_run(path, config) as opened:
            with RunView(path) as view:
                is_played = view.schedule.over
            if at.here and not is_played:
                warm_players(config, processes=config.concurrency)
            outcome = running.run(config, opened, open_executor=at.open_executor)
    if outcome.interrupted:
        raise KeyboardInterrupt
    return Run(path)


def play(
    rules: str,
    players: Sequence[PlayerTable],
    *,
    settings: Mapping[str, Any] | None = None,
    clock: Mapping[str, int] | None = None,
    opening: Sequence[str] = (),
    seed: int = 1,
    sandbox: str = "auto",
) -> GameRecord:
    """Play one game and return its record, whatever the players do.

    `players` are one for each seat. `settings` is what `[game]` takes besides the rules, `clock`
    what `[clock]` takes, `sandbox` what `[tournament]` takes; `opening` are moves that are played
    before the players are asked. `seed` is that of the game, as in its record; a tournament draws
    one for each of its games. Threads that play take turns. Raises ConfigError, and UserError
    where there are too few or too many players.
    """
    settings = {} if settings is None else settings
    if not isinstance(settings, Mapping):
        raise UserError(f"settings: must be a dict, got {settings!r}")
    if "rules" in settings:
        raise UserError("settings: must not have rules, which are the first argument")
    tables = {
        "tournament": {"name": "game", "seed": seed, "sandbox": sandbox, "concurrency": 1},
        "game": {"rules": rules, **settings},
        "clock": {} if clock is None else clock,
        "player": _named(players),
    }
    with _playing_here():
        config = ready(*_read(tables))
        seats = config.terms.game.seats
        if len(players) != seats:
            raise UserError(f"players: {rules} takes {seats}, and {len(players)} were given")
        spec = GameSpec(
            game="g0001",
            terms=config.terms,
            players=tuple(player.contender for player in config.players),
            opening=_texts("opening", opening, "moves"),
            seed=config.seed,
        )
        _refuse_moves("opening", spec.start(), spec.opening)
        warm_players(config)
        # Refereed by a process of its own: a referee ends all its child processes.
        executor = LocalExecutor(config)
        try:
            executor.submit(Task(spec=spec))
            while True:
                for report in executor.wait(_WAIT_S):
                    if isinstance(report, Played):
                        return report.record
                    if isinstance(report, Lost):
                        raise ExecutorError(f"the game could not be played: {report.reason}")
        finally:
            executor.close(now=True)


def rate(
    results: Iterable[Sequence[Any]],
    *,
    anchor: str | None = None,
    anchor_elo: float = 0.0,
    first_mover: bool = True,
    matched: bool = False,
) -> Table:
    """Elo for any results: rows of `first, second, score`, which is 1 where the first player won,
    0.5 for a draw or 0, and, where games belong together, a label of their pair. `anchor` is
    the player whose Elo is `anchor_elo`; without one, that is the mean. `first_mover=False`
    says that neither player moved first, as in lists with the winner in front; `matched=True`
    that results chose the opponents, as in a Swiss or on a ladder. The columns are those of
    `Run.standings`. Raises RateError.
    """
    rated = _rated(results, anchor, anchor_elo, first_mover=first_mover, matched=matched)
    return _columns(*csv_report.players(rated))


def rate_report(
    results: Iterable[Sequence[Any]],
    *,
    anchor: str | None = None,
    anchor_elo: float = 0.0,
    first_mover: bool = True,
    matched: bool = False,
) -> Report:
    """The report of results as `rate` takes them, like `Run.report` of a run. Raises RateError."""
    rated = _rated(results, anchor, anchor_elo, first_mover=first_mover, matched=matched)
    return rated.model_dump(mode="json")


def _rated(
    results: Iterable[Sequence[Any]], anchor: str | None, anchor_elo: float, **choices: bool
) -> Standings:
    """The standings of results as `rate` takes them. Raises RateError."""
    if isinstance(results, str) or not isinstance(results, Iterable):
        raise RateError(f"results must be rows of first, second, score[, pair], got {results!r}")
    if isinstance(results, Mapping) or hasattr(results, "columns"):
        raise RateError(
            "results must be rows of first, second, score[, pair], not columns: give "
            "zip(*table.values()), pandas' frame.itertuples(index=False) or polars' frame.rows()"
        )
    if anchor is not None and not isinstance(anchor, str):
        raise RateError(f"anchor must be a player's name, got {anchor!r}")
    if not isinstance(anchor_elo, Real) or not abs(anchor_elo) <= _MOST_ANCHOR_ELO:
        raise RateError(f"anchor_elo must be a number from -10000 to 10000, got {anchor_elo!r}")
    _refuse_no_flags(RateError, **choices)
    rows = [_result(number, row) for number, row in enumerate(results, 1)]
    if not rows:
        raise RateError("there are no results to rate")
    return standings_of_results(rows, anchor=anchor, anchor_elo=anchor_elo, **choices)


def _refuse_no_flags(error: type[ArenaError], **choices: bool) -> None:
    for name, value in choices.items():
        if not isinstance(value, bool | np.bool_):
            raise error(f"{name} must be True or False, got {value!r}")


def _texts(argument: str, value: Sequence[str], what: str) -> tuple[str, ...]:
    """A list of texts. Raises UserError for anything else, which names the argument, and what it
    lists.
    """
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    if not is_list or not all(isinstance(each, str) for each in value):
        raise UserError(f"{argument}: must be a list of {what}, got {value!r}")
    return tuple(value)


def _refuse_moves(what: str, position: Position, moves: Sequence[str]) -> None:
    """Raise UserError where one of the moves from a position on cannot be played."""
    for number, move in enumerate(moves, 1):
        try:
            position = position.play(move)
        except MoveError as error:
            raise UserError(f"{what}: move {number}: {error}") from None


def _columns(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Table:
    table: Table = {name: [] for name in names}
    for row in rows:
        for column, value in zip(table.values(), row, strict=True):
            column.append(value)
    return table


def _game_row(game: GameDigest) -> Sequence[Any]:
    offender = None if game.offender is None else game.players[game.offender]
    points = game.points or (None,) * len(game.players)
    by_seat = zip(game.players, game.scores, points, strict=True)
    return (
        game.game, game.round, game.pair, game.seed, game.termination.value, game.detail,
        offender, game.moves, *(value for seat in by_seat for value in seat),
    )  # fmt: skip


def _move_rows(record: GameRecord) -> Iterable[Sequence[Any]]:
    for ply, move in enumerate(record.moves):
        player = record.seats[move.seat].player if move.seat >= 0 else None
        info = move.info or {}
        stated = (_fitting(info.get(name)) for name in _INFO)
        yield (record.game, ply, move.seat, player, move.move, move.used_ms, move.cpu_ms, *stated)


def _fitting(value: Any) -> Any:
    """What a bot states, but for an integer that the 64 bits of a frame do not hold."""
    return None if isinstance(value, int) and not -(2**63) <= value < 2**63 else value


def _result(number: int, row: Sequence[Any]) -> Result:
    try:
        first, second, score, *label = row
        if len(label) > 1:
            raise ValueError
        result = Result(first, second, float(score), *map(_label, label))
    except (TypeError, ValueError, OverflowError):
        raise RateError(f"result {number}: {row!r} is not first, second, score[, pair]") from None
    try:
        refuse_names(first, second)
    except ValueError as error:
        raise RateError(f"result {number}: {error}") from None
    if result.score not in (0, 0.5, 1):
        raise RateError(
            f"result {number}: score {score!r} is not 1 (the first player won), 0.5 (a draw) or 0"
        )
    return result


def _label(label: object) -> str:
    """The label of a pair; empty where it is missing, as None, NaN or NA in a table."""
    try:
        missing = label is None or bool(label != label)
    except TypeError:  # as of pandas.NA
        missing = True
    return "" if missing else str(label)


def _named(players: Sequence[PlayerTable]) -> list[dict[str, Any]]:
    """The tables of players; where one plays against itself, they are named by their seats."""
    if isinstance(players, str) or not isinstance(players, Sequence):
        raise UserError(f"players: must be a list of players, one for each seat, got {players!r}")
    tables: list[dict[str, Any]] = []
    for player in players:
        match player:
            case str() | PathLike():
                tables.append({"bot": fspath(player)})
            case Mapping():
                tables.append(dict(player))
            case Sequence() if not isinstance(player, bytes):
                tables.append({"command": list(player)})
            case _:
                raise UserError(
                    "a player is a built-in's name, a path, a list of words or a dict, not "
                    f"{player!r}"
                )
    if len(tables) > 1 and all(table == tables[0] for table in tables):
        return [{**table, "name": f"seat {seat}"} for seat, table in enumerate(tables)]
    return tables


def _plain(value: Any) -> Any:
    """Tables as a file has them: with Python's numbers in place of numpy's, which loops of a
    notebook have, lists in place of generators, and texts as keys.
    """
    match value:
        case np.generic():
            return value.item()
        case Mapping():
            return {str(key): _plain(each) for key, each in value.items()}
        case list() | tuple() | Iterator():
            return [_plain(each) for each in value]
    return value


def _read(
    tournament: str | Path | Mapping[str, Any] | TournamentConfig,
    at: Site = HERE,
    begun: Begun = lambda name: SoFar(),
) -> tuple[TournamentConfig, Path]:
    """A tournament and its file."""
    if hider := found_instead("players"):  # not needed to read a run, or to rate
        raise ImportError(hider)
    from players.catalogue import BUILTINS

    match tournament:
        case TournamentConfig():  # perhaps of a run that another version played
            players = tuple(of_this_version(each, BUILTINS) for each in tournament.players)
            file = Path(tournament.name)
            config = tournament.model_copy(update={"players": players})
        case Mapping():
            file = Path("tournament")
            try:
                tables, folder = _plain(tournament), Path.cwd()
                config = read_config(
                    tables, BUILTINS, folder, name=file.name, fit=at.fit, begun=begun
                )
            except Unusable as error:
                raise ConfigError(file, problems("", error.findings)) from None
        case _:
            file = _path("a tournament", tournament)
            config = load_config(file, BUILTINS, fit=at.fit, begun=begun)
    return config, file
