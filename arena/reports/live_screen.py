"""The screen of a run while it is played: how far it is, the games in play, then the table."""

from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from arena.ratings.model import Standings
from arena.reports import terminal, words
from arena.reports.rankings import format_state
from arena.tournament.run_view import GameInPlay, RunView

_SHOWN_GAMES = 6
_BAR_WIDTH = 24
_AROUND_A_TABLE = 7
"""The lines of a table above and below the players."""


def screen(table: Standings, view: RunView, console: Console) -> RenderableType:
    """The screen: the table is cut to the lines that are left."""
    ending = [Text(table.ending)] if table.ending else []
    above = Group(*_above(view, console.width, console.height), *ending)
    left = console.height - len(console.render_lines(above)) - _AROUND_A_TABLE
    return Group(above, Text(), terminal.heading(table), _players(table, max(1, left)))


def _above(view: RunView, width: int, height: int) -> Iterator[RenderableType]:
    state = Table.grid(padding=(0, 2, 0, 0))
    bar = ProgressBar(
        total=view.schedule.total, completed=len(view.games), width=min(_BAR_WIDTH, width // 4)
    )
    how_far = [] if view.config.sprt else [bar]  # a test has a gauge of its own, and ends early
    state.add_row(*how_far, Text(status(view)))
    yield state
    yield _games(list(view.playing.values()), min(_SHOWN_GAMES, max(1, height // 6)))
    if view.schedule.verdict:
        yield terminal.sequential_test(view.schedule.verdict)


def _games(playing: list[GameInPlay], most: int) -> RenderableType:
    games = Table.grid(padding=(0, 2, 0, 0))
    games.add_column(no_wrap=True)
    games.add_column(no_wrap=True, overflow="ellipsis")
    games.add_column(no_wrap=True)
    for game in playing[:most]:
        names = " – ".join(game.started.players)
        now = f"ply {len(game.moves)}" if game.has_begun else "starting"
        games.add_row(Text(game.started.game, style="dim"), Text(names), Text(now))
    if len(playing) > most:
        games.add_row("", Text(f"and {len(playing) - most} more", style="dim"))
    return games


def _players(table: Standings, most: int) -> RenderableType:
    """The table with the most information."""
    if table.ranking is not None:
        return format_state(table.ranking, most)
    if any(row.tiles for row in table.players):
        return terminal.tile_scores(table, most)
    return terminal.ranking(table, most)


def status(view: RunView) -> str:
    """Games done, speed, time left, in one line."""
    most = "" if view.config.is_fixed else "at most "
    parts = [f"{len(view.games):,} of {most}{words.count_games(view.schedule.total)}"]
    if (left := time_left(view)) is not None:
        parts.append(left)
    if view.games_per_s is not None:
        parts.append(f"{view.games_per_s:.3g} games/s")
    if view.void:
        parts.append(f"{len(view.void)} void")
    return " · ".join(parts)


def time_left(view: RunView) -> str | None:
    """The time left; of a sequential test, to its average length. None where neither is known."""
    if view.left_s is not None:
        return f"{words.duration(view.left_s)} left"
    test, speed, done = view.config.sprt, view.games_per_s, len(view.games)
    if test is None or speed is None or view.schedule.over:
        return None
    total = view.schedule.total
    for end in words.expected_ends(test, paired=not view.config.terms.game.decided_by_seed):
        if end >= total:
            return f"at most {words.duration((total - done) / speed)} left"
        if end > done:
            return f"{words.duration((end - done) / speed)} to the expected {end:,}"
    return None
