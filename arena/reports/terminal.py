"""Standings for people, on a terminal or as plain text. Nothing is told by colour alone."""

from collections.abc import Iterable, Iterator
from typing import Any

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from arena.ratings.model import Count, Match, PlayerStanding, Ranking, Standings, Verdict
from arena.ratings.tables import Share
from arena.reports import words

_CELL_WIDTH = 10
"""Columns of a terminal that one opponent takes in the crosstable."""
_GAUGE_WIDTH = 31
"""Places between the bounds of a sequential test."""
_REACH_WIDTH = 18
"""Columns that one player takes at most in the table of tiles reached."""


def show(standings: Standings, console: Console) -> None:
    """Print the whole report."""
    console.print(Group(*sections(standings, console.width)))


def sections(standings: Standings, width: int) -> Iterator[RenderableType]:
    """The parts of the report in their order, to fit `width` columns."""
    yield heading(standings)
    if standings.ranking is not None:
        yield format_ranking(standings.ranking)
    yield ranking(standings)
    yield from _paragraphs([*words.about_separation(standings), *words.about_rating(standings)])
    if any(row.tiles for row in standings.players):
        yield tile_scores(standings)
        yield from tile_reach(standings, width)
    if standings.match is not None:
        yield match(standings.match)
    if standings.sprt is not None:
        yield sequential_test(standings.sprt)
    if len(standings.players) > 2:
        yield from crosstable(standings, width)
    if any(row.as_first or row.as_second for row in standings.players):
        yield course(standings)
        yield from _paragraphs(words.about_course(standings))
    if any(row.times or row.forfeits for row in standings.players):
        yield conduct(standings)
    yield from _paragraphs(words.about_endings(standings))
    yield from _paragraphs(words.about_sandbox(standings))
    if standings.faults:
        yield faults(standings)


def heading(standings: Standings) -> Text:
    """The name, and how much was played."""
    games = f"{standings.games:,}"
    if standings.planned is not None:
        games += f" of {standings.planned:,}"
    line = Text(standings.name, style="bold")
    rules = f" · {standings.rules}" if standings.rules else ""
    return line.append(f"{rules} · {games} games", style="not bold")


def ranking(standings: Standings, most: int | None = None) -> RenderableType:
    """The Elo table, of at most that many players."""
    anchor = standings.anchor.player if standings.anchor.in_force else None
    los = {pair.upper: percent(pair.los) for pair in standings.neighbours}
    table = _table()
    for column in ("#", "Player", "Elo", "±", "Games", "W", "D", "L", "Score", "LOS"):
        _column(table, column)
    for row in standings.players[:most]:
        table.add_row(
            str(row.rank),
            Text(row.name, style="bold"),
            optional(row.elo, "{:+.0f}"),
            "anchor" if row.name == anchor else optional(row.elo_error, "{:.0f}"),
            str(row.games),
            str(row.wins),
            str(row.draws),
            str(row.losses),
            optional(row.score, "{:.1%}"),
            los.get(row.name, ""),
        )
    cut = len(standings.players) - table.row_count
    return Group(_titled("Elo", table), *([Text(f"and {cut} more", style="dim")] if cut else []))


def format_ranking(ranked: Ranking) -> RenderableType:
    """The order by the rules of the format."""
    table = _table()
    for column in ("#", "Player", *ranked.columns):
        _column(table, column)
    for row in ranked.players:
        table.add_row(str(row.rank), Text(row.player), *(f"{each:g}" for each in row.figures))
    return Group(_titled("Ranking", table), *_paragraphs(ranked.notes))


def match(counted: Match) -> RenderableType:
    """Two players head to head."""
    table = _table()
    for column in ("Counted by", "Elo", "±", "nElo", "±", "LOS"):
        _column(table, column, left=column == "Counted by")

    def line(name: str, figures: Count) -> None:
        table.add_row(
            name + (" (with prior)" if figures.with_prior else ""),
            f"{figures.elo:+.2f}",
            f"{figures.elo_error:.2f}",
            f"{figures.normalized_elo:+.2f}",
            f"{figures.normalized_elo_error:.2f}",
            f"{figures.los:.2%}",
        )

    line("games", counted.trinomial)
    if counted.pentanomial is not None:
        line("pairs", counted.pentanomial)
    games = counted.games
    said = [f"Games: {games['wins']} won, {games['draws']} drawn, {games['losses']} lost."]
    if counted.pentanomial is None:
        said.append("No colour-swapped pairs: each result counts as independent.")
    else:
        pairs = ", ".join(f"{key.upper()} {count}" for key, count in counted.pairs.items())
        loose = f" Games outside complete pairs: {counted.unpaired}." if counted.unpaired else ""
        said.append(f"Pairs: {pairs}.{loose}")
    both = [figures for figures in (counted.trinomial, counted.pentanomial) if figures]
    if any(figures.with_prior for figures in both):
        said.append("With prior: all ended alike, so half a lost and half a won one were added.")
    title = f"{counted.player} against {counted.opponent}"
    return Group(_titled(title, table), *_paragraphs(said))


def sequential_test(verdict: Verdict) -> RenderableType:
    """The test, how far it has come, and what it says."""
    title = Text(f"SPRT: {verdict.player} against {verdict.opponent}", style="bold cyan")
    return Group(Text(), title, gauge(verdict), *map(Text, words.about_sprt(verdict)))


def gauge(verdict: Verdict) -> Text:
    """The log-likelihood ratio on its way between the bounds."""
    way = (verdict.llr - verdict.lower) / (verdict.upper - verdict.lower)
    at = round(min(max(way, 0), 1) * (_GAUGE_WIDTH - 1))
    bar = "─" * at + "●" + "─" * (_GAUGE_WIDTH - 1 - at)
    return Text(f"H0 {verdict.lower:+.2f} ├{bar}┤ {verdict.upper:+.2f} H1   LLR {verdict.llr:+.2f}")


def crosstable(standings: Standings, width: int) -> Iterator[RenderableType]:
    """Wins-draws-losses of each row's player against each column's, in as many parts as needed."""
    cells = {
        (cell.player, cell.opponent): f"{cell.wins}-{cell.draws}-{cell.losses}"
        for cell in standings.crosstable
    }
    rows = standings.players
    names = min(24, max(len(row.name) for row in rows))
    at_once = max(1, (width - names - 6) // _CELL_WIDTH)
    for low in range(0, len(rows), at_once):
        opponents = rows[low : low + at_once]
        table = _table()
        for column in ("#", "Player", *(str(row.rank) for row in opponents)):
            _column(table, column)
        for row in rows:
            against = (
                "·" if other is row else cells.get((row.name, other.name), "")
                for other in opponents
            )
            table.add_row(str(row.rank), Text(row.name), *against)
        yield _titled("Won-drawn-lost against", table)


def course(standings: Standings) -> RenderableType:
    """Course points, and the share of the points on each side."""
    table = _table()
    difference = any(row.difference is not None for row in standings.players)
    columns = ["#", "Player", "Points", "Won", "Moving first", "Moving second"]
    if difference:
        columns.insert(4, "Difference")
    for column in columns:
        _column(table, column)
    for row in sorted(standings.players, key=lambda row: (row.course_rank, row.rank)):
        sides = [_share(row.as_first), _share(row.as_second)]
        if difference:
            sides.insert(0, optional(row.difference, "{:+d}"))
        table.add_row(str(row.course_rank), Text(row.name), str(row.points), str(row.wins), *sides)
    return _titled("Course points, and share of the points by side", table)


def conduct(standings: Standings) -> RenderableType:
    """Time used, and forfeits by word."""
    table = _table()
    random = any(row.random_moves for row in standings.players)
    columns = ["Player", "Moves", "Mean ms", "p99 ms", "Longest ms", "Forfeits"]
    if random:
        columns.insert(5, "Random")
    for column in columns:
        _column(table, column, left=column == "Forfeits")
    for row in standings.players:
        times = row.times
        cells = [
            f"{times.moves:,}" if times else "",
            milliseconds(times.mean_ms) if times else "",
            milliseconds(times.p99_ms) if times else "",
            milliseconds(times.max_ms) if times else "",
        ]
        if random:
            cells.append(str(row.random_moves))
        table.add_row(Text(row.name), *cells, words.counted(row.forfeits) or "none")
    return _titled("Time used a move, and forfeits", table)


def faults(standings: Standings) -> RenderableType:
    """What broke, for the authors: each fault with the first game to replay."""
    parts: list[RenderableType] = [Text("What broke", style="bold cyan")]
    for fault in standings.faults:
        times = "once" if fault.count == 1 else f"{fault.count} times"
        head = Text.assemble(
            (fault.player, "bold"), f": {fault.termination}, {times}, first in {fault.game}"
        )
        parts += [head, Padding(Text(fault.detail), (0, 0, 0, 2))]
    return Group(Text(), *parts)


def tile_scores(standings: Standings) -> RenderableType:
    """Scores of 2048 and 2584."""
    table = _table()
    for column in ("Player", "Games", "Mean score", "±", "Best", "Slides a game", "s a game"):
        _column(table, column)
    for row in standings.players:
        if row.tiles is not None:
            table.add_row(
                Text(row.name),
                str(row.tiles.games),
                f"{row.tiles.mean_score:,.0f}",
                optional(row.tiles.mean_error, "{:,.0f}"),
                f"{row.tiles.best_score:,}",
                f"{row.tiles.mean_moves:,.1f}",
                f"{row.tiles.mean_seconds:,.2f}",
            )
    return _titled("Scores as slider", table)


def tile_reach(standings: Standings, width: int) -> Iterator[RenderableType]:
    """Share of the games that reached each tile, and that ended with it as the largest."""
    players = [row for row in standings.players if row.tiles is not None]
    seen = {reach.tile for row in players if row.tiles for reach in row.tiles.reach}
    at_once = max(1, (width - 6) // _REACH_WIDTH)
    for low in range(0, len(players), at_once):
        table = _table()
        _column(table, "Tile")
        for row in players[low : low + at_once]:
            table.add_column(
                Text(row.name), justify="right", no_wrap=True, max_width=_REACH_WIDTH - 1
            )
        for tile in sorted(seen, reverse=True):
            cells = (_reach(row, tile) for row in players[low : low + at_once])
            table.add_row(str(tile), *cells)
        yield _titled("Games that reached the tile / that ended there", table)


def _reach(row: PlayerStanding, tile: int) -> str:
    """Where no game of the player ended at `tile`, as many reached it as the next larger."""
    if row.tiles is None:
        return ""
    above = [reach for reach in row.tiles.reach if reach.tile >= tile]
    reached = above[-1].reached if above else 0.0
    ended = above[-1].ended if above and above[-1].tile == tile else 0.0
    return f"{reached:.0%} / {ended:.0%}"


def percent(probability: float) -> str:
    """A probability that is not 0 or 1 is never shown as such."""
    if probability > 0.999:
        return ">99.9%"
    if probability < 0.001:
        return "<0.1%"
    return f"{probability:.1%}"


def milliseconds(time: float) -> str:
    """Tenths where they tell players apart."""
    return f"{time:,.0f}" if time >= 100 else f"{time:.1f}"


def optional(value: Any, form: str) -> str:
    """`value` in its form; a dash where there is none."""
    return "–" if value is None else form.format(value)


def _share(share: Share | None) -> str:
    return "–" if share is None else f"{100 * share.score:.1f} ± {100 * share.error:.1f} %"


def _table() -> Table:
    return Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        show_edge=False,
    )


def _titled(title: str, table: Table) -> RenderableType:
    """The title stands above the table, so that a narrow table does not wrap it."""
    return Group(Text(), Text(title, style="bold cyan"), table)


def _column(table: Table, name: str, *, left: bool = False) -> None:
    """Names are cut rather than wrapped; figures stand to the right, whole."""
    if name == "Player":
        table.add_column(name, overflow="ellipsis", no_wrap=True, max_width=24)
    elif left:
        table.add_column(name)
    else:
        table.add_column(Text(name), justify="right", no_wrap=True)


def _paragraphs(lines: Iterable[str]) -> Iterator[RenderableType]:
    texts = [Text(line) for line in lines]
    if texts:
        yield Group(Text(), *texts)
