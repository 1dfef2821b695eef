"""What a move costs the referee: dots and boxes 5×5 between two players that answer at once.

The games go one at a time through all of the referee: processes, clocks, judgement, rules, record.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Literal

from rich.console import Console
from rich.table import Table

from arena.protocol import Termination
from arena.referee import SessionPool, play_game
from arena.referee.sandbox.policy import Mode, Policy
from arena.referee.spec import GameSpec, PlayerSpec

CPU_US_TARGET = 110.0
"""CPU time of the referee a move, at most."""
MOVES_PER_S_TARGET = 6_500.0
"""Moves a second of wall time with one game at a time, at least."""
REFERENCE = "fastchess, instant engines, 200-ply games: 99–127 µs and 6,500–7,300 moves/s"
"""The same two figures of a C++ tournament manager."""

_HERE = Path(__file__).parent
_COMPILERS = ("cc", "gcc", "clang")


class BenchError(Exception):
    """Nothing could be measured; the text says why."""


@dataclass(frozen=True)
class RefereeBench:
    """The figures, and what they were measured with."""

    player: Literal["C", "Python"]
    """The language of the instant player."""
    compiler: str
    """What compiled it, or why nothing did."""
    games: int
    """Games a repeat."""
    repeats: int
    moves: int
    """Moves measured, over all repeats."""
    moves_per_s: float
    """Moves a second of wall time, the median of the repeats; the players' time counts."""
    cpu_us_per_move: float
    """CPU time of the referee's process a move, in µs, the median of the repeats."""
    freezing_us: dict[Mode, float]
    """What freezing the player that waits adds to the wall time of a move, in µs: by signals
    without a sandbox, by the freezer of a control group within `limits`, where there is one. The
    difference of the quickest repeats."""


def bench_referee(*, games: int = 30, repeats: int = 3) -> RefereeBench:
    """Measure `repeats` times `games` games, with a player in C where it can be compiled.

    Both seats keep their processes, and a first game, which starts them, is not counted. Raises
    BenchError when a game does not come to its end, which would make the figures worthless, or
    when $CC cannot be read.
    """
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder, _one_core():
        player, compiler, command = _instant_player(Path(folder))
        with SessionPool(keep_alive=True) as pool:
            _play(pool, _players(command), 1)
            runs = [_measure(pool, _players(command), games) for _ in range(repeats)]
        modes: tuple[Mode, ...] = ("none", "limits")
        freezing_us = {mode: _freezing_us(command, mode, games, repeats) for mode in modes}
    return RefereeBench(
        player=player,
        compiler=compiler,
        games=games,
        repeats=repeats,
        moves=sum(moves for moves, _, _ in runs),
        moves_per_s=median(moves / wall_s for moves, wall_s, _ in runs),
        cpu_us_per_move=median(cpu_s / moves * 1e6 for moves, _, cpu_s in runs),
        freezing_us=freezing_us,
    )


@contextmanager
def _one_core() -> Iterator[None]:
    """Play on one core, as a tournament's workers do, each pinned to its own."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def _instant_player(folder: Path) -> tuple[Literal["C", "Python"], str, tuple[str, ...]]:
    """The language of the player, how it was compiled, and the command that runs it."""
    python = (sys.executable, "-I", str(_HERE / "instant.py"))
    compiler = _compiler()
    if compiler is None:
        known = ", ".join(_COMPILERS)
        return "Python", f"no C compiler found ($CC, {known})", python
    program = folder / "instant"
    line = (*compiler, "-O2", "-o", str(program), str(_HERE / "instant.c"))
    built = subprocess.run(line, capture_output=True, text=True, errors="replace", check=False)
    if built.returncode != 0:
        why = built.stderr.strip().splitlines()[-1:] or [f"exit code {built.returncode}"]
        return "Python", f"{shlex.join(compiler)} failed: {why[0]}", python
    return "C", f"{shlex.join(compiler)} -O2", (str(program),)


def _compiler() -> tuple[str, ...] | None:
    """$CC, which may hold options, or the first compiler on the path."""
    wanted = os.environ.get("CC", "")
    try:
        chosen = shlex.split(wanted)
    except ValueError as error:
        raise BenchError(f"$CC is {wanted!r}, which is no command: {error}.") from None
    for candidate in (chosen, *([name] for name in _COMPILERS)):
        if candidate and shutil.which(candidate[0]):
            return tuple(candidate)
    return None


def _players(command: tuple[str, ...], mode: Mode = "none") -> tuple[PlayerSpec, ...]:
    sandbox = Policy(mode=mode, readable=(str(_HERE),))
    return tuple(
        PlayerSpec(name=name, command=command, sandbox=sandbox) for name in ("first", "second")
    )


def _freezing_us(command: tuple[str, ...], mode: Mode, games: int, repeats: int) -> float:
    players = _players(command, mode)
    quickest = {}
    with SessionPool(keep_alive=True) as pool:
        for ponder in (True, False):
            _play(pool, players, 1, ponder)
            runs = [_measure(pool, players, games, ponder) for _ in range(repeats)]
            quickest[ponder] = min(wall_s / moves for moves, wall_s, _ in runs)
    return (quickest[False] - quickest[True]) * 1e6


def _measure(
    pool: SessionPool, players: tuple[PlayerSpec, ...], games: int, ponder: bool = True
) -> tuple[int, float, float]:
    """Moves played, seconds of wall time and seconds of our own CPU time."""
    began, cpu_began = time.perf_counter(), time.process_time()
    moves = _play(pool, players, games, ponder)
    return moves, time.perf_counter() - began, time.process_time() - cpu_began


def _play(
    pool: SessionPool, players: tuple[PlayerSpec, ...], games: int, ponder: bool = True
) -> int:
    """Play so many games; how many moves they had."""
    moves = 0
    for number in range(games):
        spec = GameSpec(
            game=f"bench-{number}",
            rules="dots",
            variant={"rows": 5, "cols": 5},
            players=players,
            ponder=ponder,
        )
        record = play_game(spec, pool)
        if record.termination is not Termination.NATURAL:
            raise BenchError(
                f"An instant player failed ({record.termination}), so nothing was measured: "
                f"{record.detail}"
            )
        moves += len(record.moves)
    return moves


def show(result: RefereeBench, console: Console) -> None:
    """Print the figures beside their targets."""
    rows = (
        (
            "CPU time of the referee a move",
            f"{result.cpu_us_per_move:.1f} µs",
            f"≤ {CPU_US_TARGET:.0f} µs",
            result.cpu_us_per_move <= CPU_US_TARGET,
        ),
        (
            "Moves a second, one game at a time",
            f"{result.moves_per_s:,.0f}",
            f"≥ {MOVES_PER_S_TARGET:,.0f}",
            result.moves_per_s >= MOVES_PER_S_TARGET,
        ),
    )
    table = Table("Figure", title="Referee, dots and boxes 5×5", title_justify="left")
    table.add_column("Measured", justify="right")
    table.add_column("Target", justify="right")
    table.add_column("Reached")
    for figure, measured, target, reached in rows:
        table.add_row(figure, measured, target, "yes" if reached else "no")
    for mode, cost_us in result.freezing_us.items():
        table.add_row(f"Freezing who waits ({mode}), a move", f"{cost_us:+.1f} µs")
    console.print(table)
    console.print(
        f"Instant player in {result.player} ({result.compiler}); all on one core; "
        f"{result.moves:,} moves, median of {result.repeats} × {result.games} games.\n"
        f"For comparison: {REFERENCE}.",
        highlight=False,
        markup=False,
    )
