"""Standings and results as CSV (RFC 4180, comma, header line, UTF-8), and results read from it."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from sys import intern
from typing import Any

from arena.errors import RateError, first_few
from arena.model.protocol import Termination
from arena.ratings import tables
from arena.ratings.model import Cell, PlayerStanding, Share, Standings
from arena.ratings.results import Result, Results, refuse_names, results_of
from arena.reports import submissions
from arena.reports.games import GameRow, seen_by_each
from arena.tournament.run_view import RunView, as_planned

PLAYER_COLUMNS = (
    "rank", "name", "elo", "elo_error", "games", "wins", "draws", "losses", "score", "points",
    "course_rank", "difference", "as_first", "as_first_error", "as_first_low", "as_first_high",
    "as_second", "as_second_error", "as_second_low", "as_second_high",
    "forfeits", "random_moves", "moves", "mean_ms", "p99_ms", "max_ms",
    "mean_tile_score", "mean_tile_score_error", "best_tile_score", "best_tile",
    *(f"forfeit_{word}" for word in Termination if word.is_forfeit),
)  # fmt: skip
"""Columns of `players`: the JSON report's keys, flattened, then one for each kind of forfeit."""
OWNER_COLUMNS = (
    "rank", "owner", "bot", "version", "elo", "elo_error", "games", "wins", "draws", "losses",
    "score", "forfeits",
)  # fmt: skip
"""Columns of `owners`; `rank` is the place among them."""
COLUMNS = ("first", "second", "score")
"""The columns of a file without a header, in this order; `pair` may follow as a fourth."""
_WITH_PAIR = (*COLUMNS, "pair")
_ORDERED = "ordered"
"""One more column where the order of the two players means nothing; each line then says `no`."""
_ORDERS = {"": True, "yes": True, "true": True, "no": False, "false": False}
"""Its values. Programs that take yes and no for truth values, as DuckDB, write those."""
_OTHER_NAMES = {"white", "black", "player1", "player2", "result"}
"""Columns of lists of others, without the first mover."""
SCORES = {
    "1": 1.0, "1.0": 1.0, "1-0": 1.0,
    "0": 0.0, "0.0": 0.0, "0-1": 0.0,
    "0.5": 0.5, ".5": 0.5, "1/2": 0.5, "½": 0.5, "1/2-1/2": 0.5, "½-½": 0.5,
}  # fmt: skip
"""Ways to write the score of the first player."""
_DECIMALS = 4
"""Digits after the point: enough for shares of very many games, and for Elo and ms."""

Columns = tuple[Sequence[str], Iterable[Sequence[Any]]]
"""The names of the columns, and the lines of a table."""


def players(standings: Standings) -> Columns:
    """A line a player, by rank. Figures that a player lacks are empty."""
    return PLAYER_COLUMNS, map(_player_row, standings.players)


def _player_row(row: PlayerStanding) -> Sequence[object]:
    times, tiles = row.times, row.tiles
    return (
        row.rank, row.name, row.elo, row.elo_error, row.games, row.wins, row.draws, row.losses,
        row.score, row.points, row.course_rank, row.difference,
        *_of_share(row.as_first), *_of_share(row.as_second),
        sum(row.forfeits.values()), row.random_moves,
        times and times.moves, times and times.mean_ms, times and times.p99_ms,
        times and times.max_ms,
        tiles and tiles.mean_score, tiles and tiles.mean_error, tiles and tiles.best_score,
        tiles.reach[0].tile if tiles and tiles.reach else None,
        *(row.forfeits.get(word, 0) for word in Termination if word.is_forfeit),
    )  # fmt: skip


def _of_share(share: Share | None) -> Sequence[float | None]:
    return (share.score, share.error, share.low, share.high) if share else (None,) * 4


def owners(view: RunView) -> Columns:
    """A line for each bot of an owner that plays, the best by the rules of the format first: marks.
    Bots that nobody owns, such as built-in players, and older versions have none.
    """
    standings, whose = view.standings, submissions.owners(view.config)
    rows = {row.name: row for row in standings.players}
    places = {name: row.rank for name, row in rows.items()}
    if standings.ranking is not None:
        places = {row.player: row.rank for row in standings.ranking.players}
    players = view.config.players
    playing = {each.name: each for each in players if each.plays or each.left is not None}
    own = sorted(
        places.keys() & playing.keys() & whose.keys(), key=lambda name: (places[name], name)
    )
    above = [places[name] for name in own]
    lines = (
        (
            above.index(places[row.name]) + 1, whose[row.name], playing[row.name].name_in_file,
            playing[row.name].number, row.elo, row.elo_error, row.games, row.wins, row.draws,
            row.losses, row.score, sum(row.forfeits.values()),
        )
        for row in map(rows.__getitem__, own)
    )  # fmt: skip
    return OWNER_COLUMNS, lines


def cells_of(view: RunView) -> Sequence[Cell]:
    """The cells of a run's crosstable, also where it has too many players to be drawn."""
    return view.standings.crosstable or tables.crosstable(results_of(view.rated))


def crosstable(cells: Iterable[Cell]) -> Columns:
    """A line for each player against each opponent met: player, opponent, wins, draws, losses."""
    return tuple(Cell.model_fields), (tuple(cell.model_dump().values()) for cell in cells)


def ranking(standings: Standings) -> Columns:
    """A line a player by the rules of the format, with points and tie-breaks; else by Elo."""
    ranking = standings.ranking
    if ranking is None:
        rows = ((player.rank, player.name, player.elo) for player in standings.players)
        return ("rank", "player", "Elo"), rows
    return ("rank", "player", *ranking.columns), (
        (row.rank, row.player, *row.figures) for row in ranking.players
    )


def results(rated: Iterable[Result], run: str, *, first_mover: bool = True) -> Columns:
    """Results as `arena rate` reads them; pairs are named after the run, so files can be joined."""
    header, order = (_WITH_PAIR, ()) if first_mover else ((*_WITH_PAIR, _ORDERED), ("no",))
    named = (each._replace(pair=f"{run}: {each.pair}" if each.pair else "") for each in rated)
    return header, ((*each, *order) for each in named)


def games(seen: Iterable[GameRow]) -> Columns:
    """A line for each game as a player saw it; more than one opponent has a slash in between."""
    return tuple(GameRow.model_fields), (
        [
            "/".join(map(str, value)) if isinstance(value, tuple) else value
            for value in row.model_dump().values()
        ]
        for row in seen
    )


TABLES: dict[str, Callable[[RunView], Columns]] = {
    "players": lambda view: players(view.standings),
    "ranking": lambda view: ranking(view.standings),
    "owners": owners,
    "crosstable": lambda view: crosstable(cells_of(view)),
    "results": lambda view: results(
        results_of(as_planned(view.rated)),
        view.label,
        first_mover=not view.config.terms.game.decided_by_seed,
    ),
    "games": lambda view: games(
        row for game in as_planned(view.games) for row in seen_by_each(game)
    ),
}
"""The tables of a run, by the name that asks for them."""


def table(header: Sequence[str], lines: Iterable[Sequence[Any]]) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(map(_plain, line) for line in lines)
    return text.getvalue()


def _plain(value: object) -> object:
    """A figure rounded, without an exponent or the sign of -0."""
    return round(value, _DECIMALS) + 0.0 if isinstance(value, float) else value


def read_results(text: str, source: str) -> Results:
    """The results in CSV `text`; `source` is the file's name for messages.

    A first line that names the columns may put them in any order and have others next to them,
    which are ignored, but for `ordered`: with `no` in a line the order of the two players means
    nothing. Blank lines are skipped, and that first line where it comes again, as where files were
    put together. Raises RateError.
    """
    head = text.partition("\n")[0]
    if "," not in head and (";" in head or "\t" in head):
        raise RateError(f"{source}, line 1: separate the columns with commas: {','.join(COLUMNS)}")
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    lines = _lines(reader, source)
    header = next(lines, None)
    if header is None:
        raise RateError(f"{source}: no results; expected lines of {','.join(COLUMNS)}[,pair]")
    named = _names(*header, source)
    names, first_mover = named or _WITH_PAIR[: max(3, len(header[1]))], True
    results: list[Result] = []
    problems: list[str] = []
    for number, fields in lines if named else chain((header,), lines):
        if named and fields == header[1]:
            continue
        if named and {each.lower() for each in fields}.issuperset(COLUMNS):
            raise RateError(
                f"{source}, line {number}: names other columns than the first line, as the list of "
                "another kind of game does; rate the two one by one"
            )
        try:
            if any(fields[len(names) :]) or (named is None and len(fields) < len(header[1])):
                expected = f"expected {len(names)}; write a draw as 0.5"
                raise ValueError(f"{len(fields)} fields, {expected}")
            line = dict(zip(names, fields, strict=False))
            results.append(_result(line))
            first_mover &= _ordered(line.get(_ORDERED, ""))
        except ValueError as error:
            problems.append(f"{source}, line {number}: {error}")
    if not results and not problems:
        raise RateError(f"{source}: a header and no results")
    if named is None and {"5"} <= {each.pair for each in results} <= {"0", "5"}:
        problems.append(
            f"{source}: 0,5 looks like a draw with a decimal comma; write 0.5. If it is a loss in a"
            f" pair named 5, name the columns in a first line: {','.join(_WITH_PAIR)}"
        )
    if problems:
        raise RateError("\n".join(first_few(problems)))
    return Results(tuple(results), first_mover)


def _lines(reader: Any, source: str) -> Iterator[tuple[int, list[str]]]:
    """The lines that are not blank, with their numbers. Raises RateError."""
    try:
        for fields in reader:
            stripped = [field.strip() for field in fields]
            if any(stripped):
                yield reader.line_num, stripped
    except csv.Error as error:
        raise RateError(f"{source}, line {reader.line_num}: not CSV: {error}") from error


def _names(number: int, fields: list[str], source: str) -> list[str] | None:
    """The columns that the first line names; None where it is a result. Raises RateError."""
    names = [field.lower() for field in fields]
    others = _OTHER_NAMES.intersection(names) and not any(name in SCORES for name in names)
    if "score" not in names and not {"first", "second"} <= set(names) and not others:
        return None
    if missing := [name for name in COLUMNS if name not in names]:
        raise RateError(
            f"{source}, line {number}: the header lacks {', '.join(missing)}; expected first (the"
            " player who moved first: white in chess, black in Othello), second, score (of the"
            " first: 1, 0.5 or 0) and, if wanted, pair"
        )
    if twice := [name for name in (*_WITH_PAIR, _ORDERED) if names.count(name) > 1]:
        raise RateError(
            f"{source}, line {number}: the header has {', '.join(twice)} more than once; rename the"
            " columns that are not meant"
        )
    return names


def _ordered(written: str) -> bool:
    """Whether a line says that its first player moved first. ValueError where it says neither."""
    if written.lower() not in _ORDERS:
        raise ValueError(f"{_ORDERED} {written!r} is not yes (the first player moved first) or no")
    return _ORDERS[written.lower()]


def _result(line: Mapping[str, str]) -> Result:
    """A line's result, from its fields by column. ValueError where it is none."""
    for name in COLUMNS:
        if not line.get(name):
            raise ValueError(f"no {name}; expected {', '.join(COLUMNS)} and, if wanted, pair")
    first, second, score = (line[name] for name in COLUMNS)
    refuse_names(first, second)
    if score not in SCORES:
        raise ValueError(f"score {score!r} is not 1 (the first player won), 0.5 (a draw) or 0")
    return Result(intern(first), intern(second), SCORES[score], intern(line.get("pair", "")))
