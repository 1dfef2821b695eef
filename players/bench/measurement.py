"""One figure next to its target, and how it is taken and shown."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from rich.table import Table

RUNS = 3
"""Each figure is the best of that many runs: other work on the machine only ever slows one down."""


@dataclass(frozen=True)
class Measurement:
    """One figure next to what it should be."""

    name: str
    value: float
    unit: str
    """Seconds are better when fewer, all else when more."""
    target: float | None
    """Its target; None where there is none."""

    @property
    def reached(self) -> bool | None:
        """Whether the target is reached; None without one."""
        if self.target is None:
            return None
        return self.value <= self.target if self.unit == "s" else self.value >= self.target


def quickest(work: Callable[[int], object]) -> float:
    """The seconds of the best of RUNS runs of `work`, which is given the run's number."""
    seconds = []
    for run in range(RUNS):
        began = time.perf_counter()
        work(run)
        seconds.append(time.perf_counter() - began)
    return min(seconds)


def table(measurements: Iterable[Measurement], caption: str) -> Table:
    columns = Table(title="One thread where nothing else is said", caption=caption)
    columns.add_column("what")
    columns.add_column("measured", justify="right")
    columns.add_column("target", justify="right")
    columns.add_column("")
    for item in measurements:
        mark = {True: "reached", False: "missed", None: ""}[item.reached]
        columns.add_row(item.name, f"{_figure(item.value)} {item.unit}", _figure(item.target), mark)
    return columns


def _figure(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
