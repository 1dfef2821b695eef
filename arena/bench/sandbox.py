"""The costs of a sandbox: the start of a player in it and a move there, next to those without."""

import tempfile
import time
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

import rules
from arena.bench.fastchess import Measured
from arena.bench.referee import instant_player, measure, one_core, players_of
from arena.errors import BenchError, SandboxError
from arena.model.containment import Mode
from arena.model.contender import Prepared
from arena.model.game_spec import GRACE_MS, STARTUP_MS
from arena.model.protocol import Clock
from arena.model.record import PlayerFault
from arena.referee import SessionPool
from arena.referee.requests import Requests
from arena.sandbox.probe import resolve

START_MS_TARGET = 30.0
"""Time that a sandbox adds to the start of a player, at most."""
_MODES: tuple[Mode, ...] = ("none", "limits", "bwrap")


class SandboxBench(NamedTuple):
    """The figures of one mode; medians."""

    mode: Mode
    start_ms: float
    """From the start of the process to its `ready`."""
    move_us: float
    """Wall time of a move between two instant players."""
    cpu_us: float
    """CPU time of the referee a move."""


def bench_sandbox(*, starts: int = 25, games: int = 10, repeats: int = 5) -> list[SandboxBench]:
    """Measure each mode that this machine has, taking turns; mode `none` comes first. BenchError: a
    player does not start, or a game does not come to its end.
    """
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder, one_core():
        Path(folder).chmod(0o755)
        _, _, command = instant_player(Path(folder))
        every = {mode: players_of(command, mode) for mode in _MODES}
        specs = {mode: players for mode, players in every.items() if _is_here(mode, players[0])}
        started: dict[Mode, list[float]] = defaultdict(list)
        for _ in range(starts):
            for mode, (spec, _) in specs.items():
                started[mode].append(_start_ms(spec))
        played: dict[Mode, list[Measured]] = defaultdict(list)
        for _ in range(repeats):
            for mode, players in specs.items():
                played[mode] += measure(players, games, 1)
    return [
        SandboxBench(
            mode,
            median(started[mode]),
            median(run.wall_us for run in played[mode]),
            median(run.cpu_us for run in played[mode]),
        )
        for mode in specs
    ]


def _is_here(mode: Mode, player: Prepared) -> bool:
    try:
        resolve(mode, player)
    except SandboxError:
        return False
    return True


def _start_ms(spec: Prepared) -> float:
    position = rules.load("dots", rows=5, cols=5).start()
    requests = Requests("bench", 0, Clock(), STARTUP_MS, 1, {})
    with SessionPool() as pool:
        began = time.perf_counter()
        try:
            pool.open(spec).start(requests.start(position, []), GRACE_MS)
        except PlayerFault as fault:
            raise BenchError(f"The instant player did not start: {fault.detail}") from None
        return (time.perf_counter() - began) * 1000


def show(results: list[SandboxBench], console: Console) -> None:
    """Print the figures of each mode, and what it adds to those of `none`."""
    bare = results[0]
    table = Table("Sandbox", title="What a sandbox costs", title_justify="left")
    for title in ("Start to ready", "Added", "Target", "A move", "Added", "Referee's CPU a move"):
        table.add_column(title, justify="right")
    for result in results:
        is_bare = result is bare
        table.add_row(
            result.mode,
            f"{result.start_ms:.1f} ms",
            "" if is_bare else f"{result.start_ms - bare.start_ms:+.1f} ms",
            "" if is_bare else f"≤ {START_MS_TARGET:.0f} ms",
            f"{result.move_us:.1f} µs",
            "" if is_bare else f"{result.move_us - bare.move_us:+.1f} µs",
            f"{result.cpu_us:.1f} µs",
        )
    console.print(table)
