"""How a format ranks the players: tables of points, groups, a bracket."""

from rich.console import Group, RenderableType
from rich.text import Text

from arena.ratings.rankings import Ranking
from arena.reports.bracket import bracket, listed
from arena.reports.tables import and_more, new_table, paragraphs, titled


def format_ranking(ranked: Ranking, width: int) -> RenderableType:
    """The order by the rules of the format, with its groups and its bracket."""
    parts = [format_ranking(group, width) for group in ranked.groups]
    if ranked.bracket:
        tree = Text(bracket(ranked.bracket, width), no_wrap=True)
        parts.append(Group(Text(), Text("Bracket", style="bold cyan"), tree))
    return Group(*parts, _placings(ranked), *paragraphs(ranked.notes))


def format_state(ranked: Ranking, most: int) -> RenderableType:
    """Where a format stands, in about that many lines: its open matches, or its table."""
    lines = [line for match, line in listed(ranked.bracket) if match.winner is None]
    if not lines:
        return _placings(ranked, most)
    lines[most:] = [f"and {len(lines) - most} more"] if len(lines) > most else []
    return Group(Text(), *(Text(line, no_wrap=True) for line in lines))


def _placings(ranked: Ranking, most: int | None = None) -> RenderableType:
    table = new_table("#", "Player", *ranked.columns)
    for row in ranked.players[:most]:
        table.add_row(str(row.rank), Text(row.player), *(f"{each:g}" for each in row.figures))
    return Group(titled(ranked.title, table), *and_more(len(ranked.players), table))
