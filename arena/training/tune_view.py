"""A tuning as it goes on: a screen that renews itself, or a line now and then."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from rich.console import Console, Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from arena.ratings.matches import Verdict
from arena.reports import words
from arena.reports.html.charts import thinned
from arena.reports.screen import Lines, Screen
from arena.reports.terminal import gauge
from arena.training.train_view import BARS
from players.learning.tuning.methods import decisive
from players.learning.tuning.tuner import StartComparison, TuningPoint

_TREND = 0.1
"""A trend is what changed over this last share of the games."""
_CURVE_WIDTH, _BAR_WIDTH = 32, 48
_OTHER_LINES, _TEST_LINES = 5, 2
"""Lines of the screen besides the parameters, and more of them during a test."""
_BLOCK_GAP, _NUMBERS_WIDTH = 4, 17
"""Columns between parameters side by side, and those that a value and its trend take, about."""
_PLAIN_S = 10.0
"""Seconds between two lines where there is no terminal."""


class TuningPlan(NamedTuple):
    """The tuned parameters and the method, in a line, the number of games, and the bounds."""

    name: str
    about: str
    games: int
    names: tuple[str, ...]
    """The parameters."""
    low: tuple[float, ...]
    high: tuple[float, ...]


class TuningProgress(NamedTuple):
    games: int
    rate: float | None
    """Games a second, of late; None before the first."""
    points: Sequence[TuningPoint]
    comparisons: Sequence[StartComparison]


def progress_line(plan: TuningPlan, progress: TuningProgress) -> str:
    parts = [f"{progress.games:,} of {plan.games:,} games"]
    if progress.rate:
        left = max(plan.games - progress.games, 0) / progress.rate
        parts += [f"{progress.rate:,.0f} games/s", f"{words.duration(left)} left"]
    return ", ".join(parts)


def comparison_line(comparison: StartComparison) -> str:
    """A score against the start, in brackets its 95% interval."""
    score, low, high = (100 * share for share in (comparison.score, *comparison.interval))
    pairs = words.decisive(decisive(comparison.scores))
    return (
        f"after {comparison.games:,} games {score:.1f}% ({low:.0f}–{high:.0f}) against the start, "
        f"pairs {pairs}"
    )


def test_line(verdict: Verdict) -> str:
    """The pairs of a sequential test, and its verdict so far."""
    estimate = verdict.estimate
    so_far = ""
    if estimate is not None:
        elo = f"Elo {estimate.elo:+.1f} ± {estimate.elo_error:.1f} so far"
        so_far = f", {words.decisive(verdict.decisive)}, {elo}"
    bounds = f"H0 at {verdict.lower:+.2f}, H1 at {verdict.upper:+.2f}"
    return f"{verdict.units:,} pairs{so_far}; {bounds}"


def trend(points: Sequence[TuningPoint], index: int) -> float:
    """How a parameter changed over the last share of the games."""
    last = points[-1]
    since = last.games * (1 - _TREND)
    before = max((point for point in points if point.games <= since), key=lambda each: each.games)
    return last.vector[index] - before.vector[index]


def parameter_table(
    plan: TuningPlan, points: Sequence[TuningPoint], width: int, lines: int
) -> RenderableType:
    """Each parameter's value and how it changes, in a space of `width` columns and `lines` lines:
    with a curve of its values, or side by side without, or only those that changed most.
    """
    room = max(lines - 1, 1)  # below the titles
    count = len(plan.names)
    if count <= room:
        return _full_table(plan, points)
    block_width = max(map(len, (*plan.names, "parameter"))) + _NUMBERS_WIDTH
    blocks = max(1, (width + _BLOCK_GAP) // (block_width + _BLOCK_GAP))
    if count <= blocks * room:
        return _blocks(plan, points, range(count), blocks)
    first, last = points[0].vector, points[-1].vector
    by_change = sorted(range(count), key=lambda each: abs(last[each] - first[each]), reverse=True)
    shown = sorted(by_change[: blocks * max(room - 1, 1)])
    rest = f"and {count - len(shown):,} more, which changed less"
    return Group(_blocks(plan, points, shown, blocks), Text(rest, style="dim"))


def _full_table(plan: TuningPlan, points: Sequence[TuningPoint]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("parameter")
    for title in ("start", "now", "trend"):
        table.add_column(title, justify="right")
    table.add_column("from low to high over the games")
    for index, (name, low, high) in enumerate(zip(plan.names, plan.low, plan.high, strict=True)):
        values, top = [point.vector[index] for point in points], len(BARS) - 1
        picked = thinned(values, _CURVE_WIDTH)
        curve = "".join(BARS[round((value - low) / (high - low) * top)] for value in picked)
        row = (*_now(plan, points, index), Text(curve, style="blue"))
        table.add_row(name, f"{values[0]:.4g}", *row)
    return table


def _blocks(
    plan: TuningPlan, points: Sequence[TuningPoint], indices: Sequence[int], count: int
) -> Table:
    """Parameters in `count` blocks side by side, each read from top to bottom."""
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    height = -(-len(indices) // count)
    for _ in range(0, len(indices), height):
        table.add_column("parameter", no_wrap=True)
        table.add_column("now", justify="right", no_wrap=True)
        table.add_column("trend", justify="right", no_wrap=True)
        table.add_column(width=_BLOCK_GAP - 2)
    for row in range(height):
        cells = list[RenderableType]()
        for index in indices[row::height]:
            cells += (plan.names[index], *_now(plan, points, index), "")
        table.add_row(*cells)
    return table


def _now(plan: TuningPlan, points: Sequence[TuningPoint], index: int) -> tuple[Text, Text]:
    """A parameter's value, marked where it is at an end of its range, and its trend."""
    now, change = points[-1].vector[index], trend(points, index)
    arrow = "↑" if change > 0 else "↓" if change < 0 else "·"
    at_end = " yellow" if now in (plan.low[index], plan.high[index]) else ""
    return Text(f"{now:.4f}", style=f"bold{at_end}"), Text(f"{arrow} {abs(change):.4f}")


class LiveTuning(Screen):
    """A tuning and its test on a terminal; without a plan, a test alone."""

    def __init__(
        self, console: Console, now: Callable[[], float], plan: TuningPlan | None = None
    ) -> None:
        self._plan = plan
        self._progress: TuningProgress | None = None
        self._verdict: Verdict | None = None
        super().__init__(console, now)

    def show(self, progress: TuningProgress) -> None:
        self._progress = progress

    def show_test(self, verdict: Verdict) -> None:
        self._verdict = verdict

    def _screen(self) -> RenderableType:
        parts: list[RenderableType] = []
        plan, progress = self._plan, self._progress
        if plan is not None and progress is not None:
            size = self._live.console.size
            lines = size.height - _OTHER_LINES - _TEST_LINES * (self._verdict is not None)
            parts.append(parameter_table(plan, progress.points, size.width, lines))
            bar = Table.grid()  # a bar alone does not end its line
            bar.add_row(ProgressBar(plan.games, progress.games, _BAR_WIDTH))
            parts += [bar, Text(progress_line(plan, progress))]
            parts += map(Text, map(comparison_line, progress.comparisons[-1:]))
        if self._verdict is not None:
            parts += (gauge(self._verdict), Text(test_line(self._verdict)))
        return Group(*parts, *self._activity())


class PlainTuning(Lines):
    """A tuning and its test in lines, now and then; without a plan, a test alone."""

    def __init__(
        self, console: Console, now: Callable[[], float], plan: TuningPlan | None = None
    ) -> None:
        super().__init__(console)
        self._plan, self._now, self._printed_at = plan, now, now()

    def show(self, progress: TuningProgress) -> None:
        assert self._plan is not None  # it is a tuning
        compared = map(comparison_line, progress.comparisons[-1:])
        self._now_and_then(", ".join((progress_line(self._plan, progress), *compared)))

    def show_test(self, verdict: Verdict) -> None:
        self._now_and_then(f"LLR {verdict.llr:+.2f}, {test_line(verdict)}")

    def _now_and_then(self, line: str) -> None:
        if self._now() - self._printed_at >= _PLAIN_S:
            self._printed_at = self._now()
            self.say(line)
