"""How a format ranks the players: tables of points, groups, a bracket as plain text."""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len, set_cell_size
from rich.console import Group, RenderableType
from rich.text import Text

from arena.ratings.rankings import BracketMatch, BracketRound, Ranking
from arena.reports.tables import and_more, new_table, paragraphs, titled

_WIDEST, _NARROWEST = 24, 9
"""Columns of a terminal that a round takes; where they are fewer, matches are listed."""
_BESIDE_NAME = 8
"""Columns of a round for the points of a player, and lines."""


def format_ranking(ranked: Ranking, width: int) -> RenderableType:
    """The order by the rules of the format, with its groups and its bracket."""
    parts = [format_ranking(group, width) for group in ranked.groups]
    if ranked.bracket:
        tree = Text(bracket(ranked.bracket, width), no_wrap=True, overflow="ignore")
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


def bracket(rounds: Sequence[BracketRound], width: int) -> str:
    """The rounds as a tree in `width` columns, and the match for the third place."""
    first = len(rounds[0].matches)
    depth = first.bit_length()  # rounds up to the final
    longest = max(cell_len(name or "") for match in rounds[0].matches for name in match.players)
    wide = min(max(_WIDEST, longest + _BESIDE_NAME), width // (depth + 1))
    if wide < _NARROWEST:
        return "\n".join(line for _, line in listed(rounds))
    tree, further = rounds[:depth], rounds[depth:]
    cells = [[" " * wide] * (depth + 1) for _ in range(4 * first - 1)]
    cells.insert(0, [set_cell_size(each.name, wide - 1) + " " for each in tree])
    for column in range(depth):
        for index in range(first >> column):
            _draw(cells, tree, column, index, wide)
    if tree[-1].matches[0].winner and len(tree) == depth:
        cells[2 * first][depth] = f" {tree[-1].matches[0].winner}"
    lines = (line for line in map("".join, cells) if line.strip())
    return "\n".join([*map(str.rstrip, lines), *(line for _, line in listed(further))])


def _draw(
    cells: list[list[str]], tree: Sequence[BracketRound], column: int, index: int, wide: int
) -> None:
    """A match: two lines that meet half way between, where its winner stands."""
    step = 1 << column
    upper = 1 + (4 * index + 1) * step - 1
    lines = range(upper, upper + 2 * step + 1)
    match = tree[column].matches[index] if column < len(tree) else None
    if match is not None and match.players[1] is None:
        return
    for row in lines[1:-1]:
        cells[row][column] = " " * (wide - 1) + ("├" if row == upper + step else "│")
    for seat, row in enumerate((lines[0], lines[-1])):
        text = _side(match, seat, wide - 2) if match else ""
        cells[row][column] = f" {text}" + "─" * (wide - 2 - cell_len(text)) + "┐┘"[seat]


def _side(match: BracketMatch, seat: int, wide: int) -> str:
    points = figure(match.points[seat])
    name = set_cell_size(match.players[seat] or "", wide - len(points) - 2).rstrip()
    return f"{name} {points} "


def listed(rounds: Sequence[BracketRound]) -> Iterator[tuple[BracketMatch, str]]:
    for round_ in rounds:
        for match in round_.matches:
            one, other = match.players
            line = f"{one} has a bye"
            if other is not None:
                mine, its = map(figure, match.points)
                line = f"{one} {mine} – {its} {other}"
            yield match, f"{round_.name}: {line}"


def figure(points: float) -> str:
    """`2½`, `½`, `0`."""
    half = "½" if points % 1 else ""
    return f"{int(points) or ('' if half else 0)}{half}"
