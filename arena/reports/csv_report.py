"""Standings and results as CSV (RFC 4180, comma, header line, UTF-8)."""

import csv
import io
from collections.abc import Iterable, Sequence

from arena.model.protocol import Termination
from arena.ratings.model import PlayerStanding, Standings
from arena.ratings.results import Result

PLAYER_COLUMNS = (
    "rank", "name", "elo", "elo_error", "games", "wins", "draws", "losses", "score", "points",
    "course_rank", "difference", "as_first", "as_first_error", "as_second", "as_second_error",
    "forfeits", "random_moves", "moves", "mean_ms", "p99_ms", "max_ms",
    "mean_tile_score", "mean_tile_score_error", "best_tile_score", "best_tile",
    *(f"forfeit_{word}" for word in Termination if word.is_forfeit),
)  # fmt: skip
"""Columns of `players`: the JSON report's keys, its nested values flattened, then a column for each
termination word that is a forfeit."""


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
    meetings = standings.crosstable
    lines = ((cell.player, cell.opponent, cell.wins, cell.draws, cell.losses) for cell in meetings)
    return _table(("player", "opponent", "wins", "draws", "losses"), lines)


def results(rated: Iterable[Result]) -> str:
    """The results behind a rating, in the form that `arena rate` reads."""
    return _table(Result._fields, rated)


def _table(header: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(lines)
    return text.getvalue()
