"""Standings and results as CSV (RFC 4180, comma, header line, UTF-8), and results read from it."""

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest

from arena.errors import RateError
from arena.model.protocol import Termination
from arena.ratings.model import Cell, PlayerStanding, Standings
from arena.ratings.results import Result, results_of
from arena.reports.games import GameRow, seen_by_each
from arena.tournament.run_view import RunView

PLAYER_COLUMNS = (
    "rank", "name", "elo", "elo_error", "games", "wins", "draws", "losses", "score", "points",
    "course_rank", "difference", "as_first", "as_first_error", "as_second", "as_second_error",
    "forfeits", "random_moves", "moves", "mean_ms", "p99_ms", "max_ms",
    "mean_tile_score", "mean_tile_score_error", "best_tile_score", "best_tile",
    *(f"forfeit_{word}" for word in Termination if word.is_forfeit),
)  # fmt: skip
"""Columns of `players`: the JSON report's keys, its nested values flattened, then a column for each
termination word that is a forfeit."""
GAME_COLUMNS = tuple(GameRow.model_fields)
"""Columns of `games`."""
COLUMNS = ("first", "second", "score")
"""The columns of a file without a header, in this order; `pair` may follow as a fourth."""
SCORES = {
    "1": 1.0, "1.0": 1.0, "1-0": 1.0,
    "0": 0.0, "0.0": 0.0, "0-1": 0.0,
    "0.5": 0.5, ".5": 0.5, "1/2": 0.5, "½": 0.5, "1/2-1/2": 0.5, "½-½": 0.5,
}  # fmt: skip
"""Ways to write the score of the first player."""
_SHOWN = 10


def players(standings: Standings) -> str:
    """A line a player, by rank. What a player lacks is left empty."""
    return _table(PLAYER_COLUMNS, map(player_row, standings.players))


def player_row(row: PlayerStanding) -> Sequence[object]:
    """The values of PLAYER_COLUMNS for a player."""
    first, second, times, tiles = row.as_first, row.as_second, row.times, row.tiles
    return (
        row.rank, row.name, row.elo, row.elo_error, row.games, row.wins, row.draws, row.losses,
        row.score, row.points, row.course_rank, row.difference,
        first and first.score, first and first.error,
        second and second.score, second and second.error,
        sum(row.forfeits.values()), row.random_moves,
        times and times.moves, times and times.mean_ms, times and times.p99_ms,
        times and times.max_ms,
        tiles and tiles.mean_score, tiles and tiles.mean_error, tiles and tiles.best_score,
        tiles and tiles.reach[0].tile,
        *(row.forfeits.get(word, 0) for word in Termination if word.is_forfeit),
    )  # fmt: skip


def crosstable(standings: Standings) -> str:
    """A line for each player against each opponent met: player, opponent, wins, draws, losses."""
    cells = (tuple(cell.model_dump().values()) for cell in standings.crosstable)
    return _table(tuple(Cell.model_fields), cells)


def ranking(standings: Standings) -> str:
    """A line a player by the rules of the format, with points and tie-breaks; else by Elo."""
    ranked = standings.ranking
    if ranked is None:
        return _table(
            ("rank", "player", "Elo"), ((p.rank, p.name, p.elo) for p in standings.players)
        )
    lines = ((row.rank, row.player, *row.figures) for row in ranked.players)
    return _table(("rank", "player", *ranked.columns), lines)


def results(rated: Iterable[Result], run: str) -> str:
    """The results of a run in the form that `arena rate` reads, also after those of others: pairs
    are named after the run.
    """
    return _table(
        Result._fields,
        (each._replace(pair=f"{run}: {each.pair}" if each.pair else "") for each in rated),
    )


def games(seen: Iterable[GameRow]) -> str:
    """A line for each game as a player saw it; more than one opponent has a slash in between."""
    return _table(GAME_COLUMNS, map(_game_row, seen))


def _game_row(row: GameRow) -> Iterable[object]:
    values = row.model_dump().values()
    return ("/".join(map(str, value)) if isinstance(value, tuple) else value for value in values)


def _results_of(view: RunView) -> str:
    return results(results_of(view.rated), view.label)


def _games_of(view: RunView) -> str:
    return games(row for game in view.games for row in seen_by_each(game))


TABLES: dict[str, Callable[[RunView], str]] = {
    "players": lambda view: players(view.standings),
    "ranking": lambda view: ranking(view.standings),
    "crosstable": lambda view: crosstable(view.standings),
    "results": _results_of,
    "games": _games_of,
}
"""The tables of a run, by the name that asks for them."""


def _table(header: Sequence[str], lines: Iterable[Iterable[object]]) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(lines)
    return text.getvalue()


def read_results(text: str, source: str) -> tuple[Result, ...]:
    """The results in CSV `text`; `source` is the file's name for messages.

    A first line that names the columns may put them in any order and have others next to them,
    which are ignored. Blank lines are skipped, and that first line where it comes again, as where
    files were put together. Raises RateError.
    """
    head = text.partition("\n")[0]
    if "," not in head and (";" in head or "\t" in head):
        raise RateError(f"{source}, line 1: separate the columns with commas: {','.join(COLUMNS)}")
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    try:
        every = [(reader.line_num, [field.strip() for field in fields]) for fields in reader]
    except csv.Error as error:
        raise RateError(f"{source}, line {reader.line_num}: not CSV: {error}") from error
    lines = [(number, fields) for number, fields in every if any(fields)]
    if not lines:
        raise RateError(f"{source}: no results; expected lines of {','.join(COLUMNS)}[,pair]")
    columns = [*COLUMNS, "pair"]
    names = [field.lower() for field in lines[0][1]]
    if "score" in names or {"first", "second"} <= set(names):  # a header
        columns, (number, header) = names, lines.pop(0)
        lines = [line for line in lines if line[1] != header]
        if missing := [name for name in COLUMNS if name not in columns]:
            raise RateError(
                f"{source}, line {number}: the header lacks {', '.join(missing)};"
                f" expected {', '.join(COLUMNS)} and, if wanted, pair"
            )
        if not lines:
            raise RateError(f"{source}: a header and no results")
    results, problems = [], []
    for number, fields in lines:
        try:
            results.append(_result(fields, columns))
        except ValueError as error:
            problems.append(f"{source}, line {number}: {error}")
    if len(problems) > _SHOWN:
        problems[_SHOWN:] = [f"… and {len(problems) - _SHOWN} more bad lines"]
    if problems:
        raise RateError("\n".join(problems))
    return tuple(results)


def _result(fields: Sequence[str], columns: Sequence[str]) -> Result:
    """The first of equal columns counts. ValueError where the line is no result."""
    cells = dict(reversed(list(zip_longest(columns, fields[: len(columns)], fillvalue=""))))
    for name in COLUMNS:
        if not cells[name]:
            raise ValueError(f"no {name}; expected {', '.join(COLUMNS)} and, if wanted, pair")
    for name in ("first", "second"):
        if not cells[name].isprintable():
            raise ValueError(f"a control character in the name {cells[name]!r}")
    if cells["first"] == cells["second"]:
        raise ValueError(f"{cells['first']!r} plays against itself")
    if cells["score"] not in SCORES:
        raise ValueError(
            f"score {cells['score']!r} is not 1 (the first player won), 0.5 (a draw) or 0"
        )
    return Result(cells["first"], cells["second"], SCORES[cells["score"]], cells.get("pair", ""))
