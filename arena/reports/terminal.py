"""Standings for people, on a terminal or as plain text. No fact is shown by colour alone."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from arena.ratings.matches import Count, Match, Verdict
from arena.ratings.model import Standings
from arena.reports import machines, words
from arena.reports.rankings import format_ranking
from arena.reports.tables import and_more, new_table, paragraphs, titled
from arena.tournament.machines import PlayedAt

_CELL_WIDTH = 10
"""Columns of a terminal that one opponent takes in the crosstable."""
_GAUGE_WIDTH = 31
"""Places between the bounds of a sequential test."""
_LOS_UNITS = 30
"""With fewer games or pairs no LOS is shown: they are too few for a normal distribution, which
gives a LOS above 99% to one of two equals in 11% of matches of 10 games."""
_REACH_WIDTH = 18
"""Columns that one player takes at most in the table of tiles reached."""


def show(standings: Standings, console: Console, played_at: Sequence[PlayedAt] = ()) -> None:
    """Print the whole report; `played_at` are the games by machine."""
    console.print(
        Group(*sections(standings, console.options.max_width), *machines.sections(played_at))
    )


def sections(standings: Standings, width: int) -> Iterator[RenderableType]:
    """The parts of the report in their order, to fit `width` columns."""
    yield heading(standings)
    yield from paragraphs(
        [*words.about_damage(standings.damaged), *words.about_those_out(standings)]
    )
    if standings.ranking is not None:
        yield format_ranking(standings.ranking, width)
    yield ranking(standings)
    yield from paragraphs([*words.about_separation(standings), *words.about_rating(standings)])
    if any(row.tiles for row in standings.players):
        yield tile_scores(standings)
        yield from tile_reach(standings, width)
    if standings.match is not None:
        yield match(standings, standings.match)
    if standings.sprt is not None:
        yield sequential_test(standings.sprt)
    if len(standings.players) > words.MOST_CROSSED:
        yield from paragraphs([words.NOT_CROSSED])
    elif len(standings.players) > 2:
        yield from crosstable(standings, width)
    if any(row.as_first or row.as_second for row in standings.players):
        yield course(standings)
        yield from paragraphs(words.about_course(standings))
    if any(row.times or row.forfeits for row in standings.players):
        yield conduct(standings)
    yield from paragraphs(words.about_endings(standings))
    yield from paragraphs(words.about_sandbox(standings))
    if standings.faults:
        yield faults(standings)
    yield from paragraphs(words.about_time(standings))


def heading(standings: Standings) -> Text:
    """The name, and how much was played."""
    planned = standings.planned
    games = words.count_games(standings.games if planned is None else planned)
    if planned is not None:
        games = f"{standings.games:,} of {games}"
    line = Text(standings.name, style="bold")
    rules = f" · {standings.rules}" if standings.rules else ""
    return line.append(f"{rules} · {games}", style="not bold")


def ranking(standings: Standings, most: int | None = None) -> RenderableType:
    """The Elo table, of at most that many players."""
    anchor = standings.anchor.player if standings.anchor.in_force else None
    los = {pair.upper: words.probability(pair.los) for pair in standings.neighbours}
    table = new_table("#", "Player", "Elo", "±", "Games", "W", "D", "L", "Score", "LOS")
    for row in standings.players[:most]:
        table.add_row(
            str(row.rank),
            Text(row.name, style="bold"),
            _optional(row.elo, "{:+z.0f}"),
            "anchor" if row.name == anchor else _optional(row.elo_error, "{:.0f}"),
            *map(str, (row.games, row.wins, row.draws, row.losses)),
            _optional(row.score, "{:.1%}"),
            los.get(row.name, ""),
        )
    return Group(titled("Elo", table), *and_more(len(standings.players), table))


def match(standings: Standings, counted: Match) -> RenderableType:
    """Two players head to head; without LOS after an SPRT, or where one moved first more often."""
    title = f"{counted.player} against {counted.opponent}"
    row = next(row for row in standings.players if row.name == counted.player)
    first, second = (each.results if each else 0 for each in (row.as_first, row.as_second))
    is_even = abs(first - second) <= 1
    notes = [*_match_counts(counted)]
    if not is_even and not counted.dependent:
        notes.append(
            f"{row.name} moved first in {first:,} of {first + second:,} games: the Elo table takes "
            "that out, a count by games cannot, and has no LOS."
        )
    ways: dict[str, Count] = {} if counted.dependent else {"games": counted.trinomial}
    if counted.pentanomial is not None:
        ways["pairs"] = counted.pentanomial
    if not ways:
        return Group(Text(), Text(title, style="bold cyan"), *paragraphs(notes))
    units = {"games": sum(counted.games.values()), "pairs": sum(counted.pairs.values())}
    enough = {way for way in ways if units[way] >= _LOS_UNITS}
    if any(found.with_prior for found in ways.values()):
        notes.append("With prior: all ended alike, so half a win and half a loss were added.")
    if len(enough) < len(ways) and standings.sprt is None:
        notes.append(f"LOS is given from {_LOS_UNITS} games or pairs on.")
    with_los = enough if is_even else enough - {"games"}
    table = _match_table(ways, with_los if standings.sprt is None else ())
    return Group(titled(title, table), *paragraphs(notes))


def _match_counts(counted: Match) -> Iterator[str]:
    """Its results, and figures on them by pairs and by games."""
    games = counted.games
    yield f"Games: {games['wins']} won, {games['draws']} drawn, {games['losses']} lost."
    if counted.pentanomial is not None:
        pairs = ", ".join(f"{key.upper()} {count}" for key, count in counted.pairs.items())
        loose = f" Games outside complete pairs: {counted.unpaired}." if counted.unpaired else ""
        yield f"Pairs: {pairs}.{loose}"
    elif not counted.dependent:
        yield "No colour-swapped pairs: each result counts as independent."
    if counted.dependent:
        yield (
            f"Results that share a label and are no colour-swapped pair: {counted.dependent}. They "
            "depend on each other; the Elo table counts that, a count by games cannot."
        )


def _match_table(ways: Mapping[str, Count], with_los: Collection[str]) -> Table:
    table = new_table("Counted by", "Elo", "±", "nElo", "±", "LOS")
    for way, found in ways.items():
        table.add_row(
            way + (" (with prior)" if found.with_prior else ""),
            f"{found.elo:+.2f}",
            f"{found.elo_error:.2f}",
            f"{found.normalized_elo:+.2f}",
            f"{found.normalized_elo_error:.2f}",
            words.probability(found.los) if way in with_los else "–",
        )
    return table


def sequential_test(verdict: Verdict) -> RenderableType:
    """The test, how far it has come, and its verdict."""
    title = Text(f"SPRT: {verdict.player} against {verdict.opponent}", style="bold cyan")
    return Group(Text(), title, gauge(verdict), *map(Text, words.about_sprt(verdict)))


def gauge(verdict: Verdict) -> Text:
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
        part = rows[low : low + at_once]
        opponents = [other.name for other in part]
        table = new_table("#", "Player", *(str(other.rank) for other in part))
        for row in rows:
            met = {other: cells.get((row.name, other), "") for other in opponents} | {row.name: "·"}
            table.add_row(str(row.rank), Text(row.name), *(met[other] for other in opponents))
        yield titled("Won-drawn-lost against", table)


def course(standings: Standings) -> RenderableType:
    """Course points, and the share of the points on each side."""
    difference = any(row.difference is not None for row in standings.players)
    ordered = all(row.course_rank for row in standings.players)
    more = ["Difference"] if difference else []
    columns = ("Player", "Points", "Won", *more, "Moving first", "Moving second")
    table = new_table(*["#"] * ordered, *columns)
    for row in sorted(standings.players, key=lambda row: (row.course_rank or 0, row.rank)):
        sides = [words.share(each) or "–" for each in (row.as_first, row.as_second)]
        if difference:
            sides.insert(0, _optional(row.difference, "{:+d}"))
        place = [str(row.course_rank)] * ordered
        table.add_row(*place, Text(row.name), str(row.points), str(row.wins), *sides)
    return titled("Course points, and share of the points by side (95% interval)", table)


def conduct(standings: Standings) -> RenderableType:
    """Time used, and forfeits by word."""
    random = any(row.random_moves for row in standings.players)
    more = ["Random"] if random else []
    table = new_table("Player", "Moves", "Mean ms", "p99 ms", "Longest ms", *more, "Forfeits")
    for row in standings.players:
        cells = ["", "", "", ""]
        if row.times:
            figures = (row.times.mean_ms, row.times.p99_ms, row.times.max_ms)
            cells = [f"{row.times.moves:,}", *(f"{words.rounded_ms(each):,}" for each in figures)]
        if random:
            cells.append(str(row.random_moves))
        table.add_row(Text(row.name), *cells, words.counted(row.forfeits) or "none")
    which = ", late and random ones included" if random else ", late ones left out"
    return titled(f"Time used a move{which}, and forfeits", table)


def faults(standings: Standings) -> RenderableType:
    """Faults, for the authors: each with the first game to replay."""
    parts: list[RenderableType] = [Text("What broke", style="bold cyan")]
    for fault in standings.faults:
        times = "once" if fault.count == 1 else f"{fault.count} times"
        head = Text.assemble(
            (fault.player, "bold"), f": {fault.termination}, {times}, first in {fault.game}"
        )
        parts += [head, Padding(Text(fault.detail), (0, 0, 0, 2))]
    return Group(Text(), *parts)


def tile_scores(standings: Standings, most: int | None = None) -> RenderableType:
    """Scores of a game that one plays alone, of at most that many players."""
    slides = any(row.tiles and row.tiles.reach for row in standings.players)
    moves, mean = ("Slides a game", "{:,.0f}") if slides else ("Moves a game", "{:,.1f}")
    table = new_table("Player", "Games", "Mean score", "±", "Best", moves, "s a game")
    for row in standings.players[:most]:
        if row.tiles is not None:
            table.add_row(
                Text(row.name),
                str(row.tiles.games),
                mean.format(row.tiles.mean_score),
                _optional(row.tiles.mean_error, mean),
                f"{row.tiles.best_score:,}",
                f"{row.tiles.mean_moves:,.1f}",
                f"{row.tiles.mean_seconds:,.2f}",
            )
    shown = titled("Scores as slider" if slides else "Scores", table)
    return Group(shown, *and_more(len(standings.players), table)) if most else shown


def tile_reach(standings: Standings, width: int) -> Iterator[RenderableType]:
    """Share of the games that reached each tile, and that ended with it as the largest."""
    players = [(row.name, row.tiles) for row in standings.players if row.tiles]
    seen = {each.tile for _, tiles in players for each in tiles.reach}
    if not seen:
        return
    at_once = max(1, (width - 6) // _REACH_WIDTH)
    for low in range(0, len(players), at_once):
        part = players[low : low + at_once]
        table = new_table("Tile")
        for name, _ in part:
            table.add_column(Text(name), justify="right", no_wrap=True, max_width=_REACH_WIDTH - 1)
        for tile in sorted(seen, reverse=True):
            shares = (tiles.shares_at(tile) for _, tiles in part)
            table.add_row(str(tile), *(f"{reached:.0%} / {ended:.0%}" for reached, ended in shares))
        yield titled("Games that reached the tile / that ended there", table)


def _optional(value: Any, form: str) -> str:
    return "–" if value is None else form.format(value)
