"""The referee's cost of a move: dots and boxes 5×5 between two players that answer at once.

The games go one at a time through all of the referee: processes, clocks, judgement, rules, record.
"""

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Literal, NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.bench import fastchess
from arena.bench.compiling import HERE, compile_c
from arena.bench.fastchess import Measured
from arena.errors import BenchError
from arena.model.containment import Mode, Policy
from arena.model.contender import Prepared
from arena.model.game_spec import GameSetup, Terms
from arena.model.protocol import Termination
from arena.referee import SessionPool, play_game

CPU_TARGET = 1.0
"""CPU time a move by that of fastchess, at most."""
SPEED_TARGET = 2.0
"""Moves a second by those of fastchess, at least."""


class RefereeBench(NamedTuple):
    player: Literal["C", "Python"]
    """The language of the instant player."""
    compiler: str
    """The command that compiled it, or why none did."""
    games: int
    """Games a repeat."""
    measured: tuple[Measured, ...]
    """Each repeat; the players' time counts in the wall time."""
    fastchess: tuple[Measured, ...]
    """Those of fastchess, in turn with ours; empty where it is not on the PATH."""
    freezing_us: dict[Mode, float]
    """Wall time that freezing the waiting player adds to a move, in µs, from the quickest repeats:
    by signals without a sandbox; within `limits` by the freezer of a control group, if any."""


def bench_referee(*, games: int, repeats: int) -> RefereeBench:
    """Measure `repeats` times `games` games, with a player in C where it can be compiled.

    Both seats keep their processes, and a first game, which starts them, is not counted. Raises
    BenchError when a game does not come to its end or $CC cannot be read.
    """
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as name, one_core():
        folder = Path(name)
        player, compiler, command = instant_player(folder)
        engine = compile_c("instant_uci.c", folder).program
        program = shutil.which("fastchess") if engine else None
        runs, others = [], []
        for _ in range(repeats):
            runs += measure(players_of(command), games, 1)
            if program and engine:
                others.append(fastchess.measure(program, engine, games))

        def quickest_us(mode: Mode, *, ponder: bool) -> float:
            runs = measure(players_of(command, mode), games, repeats, ponder)
            return min(run.wall_us for run in runs)

        modes: tuple[Mode, ...] = ("none", "limits")
        freezing_us = {
            mode: quickest_us(mode, ponder=False) - quickest_us(mode, ponder=True) for mode in modes
        }
    return RefereeBench(
        player=player,
        compiler=compiler,
        games=games,
        measured=tuple(runs),
        fastchess=tuple(others),
        freezing_us=freezing_us,
    )


def players_of(command: tuple[str, ...], mode: Mode = "none") -> tuple[Prepared, ...]:
    policy = Policy(mode=mode, readable=(str(HERE),))
    names = ("first", "second")
    return tuple(Prepared(name=name, command=command, policy=policy) for name in names)


def measure(
    players: tuple[Prepared, ...], games: int, repeats: int, ponder: bool = True
) -> list[Measured]:
    """Each of the repeats, after a game that starts the processes. Raises BenchError."""
    terms = Terms(rules="dots", variant={"rows": 5, "cols": 5}, ponder=ponder)
    with SessionPool(keep_alive=True) as pool:
        _play(pool, players, terms, 1)
        return [_play(pool, players, terms, games) for _ in range(repeats)]


def _play(pool: SessionPool, players: tuple[Prepared, ...], terms: Terms, games: int) -> Measured:
    moves, began, cpu_began = 0, time.perf_counter(), time.process_time()
    for number in range(games):
        record = play_game(GameSetup(game=f"bench-{number}", terms=terms), players, pool)
        if record.termination is not Termination.NATURAL:
            raise BenchError(
                f"An instant player failed ({record.termination}), so nothing was measured: "
                f"{record.detail}"
            )
        moves += len(record.moves)
    wall_s, cpu_s = time.perf_counter() - began, time.process_time() - cpu_began
    return Measured(moves, wall_s / moves * 1e6, cpu_s / moves * 1e6)


@contextmanager
def one_core() -> Iterator[None]:
    """Play on one core, as a tournament's workers do, each pinned to its own."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def instant_player(folder: Path) -> tuple[Literal["C", "Python"], str, tuple[str, ...]]:
    """The language of the player, how it was compiled, and the command that runs it."""
    program, how = compile_c("instant.c", folder)
    if program is None:
        return "Python", how, (sys.executable, "-I", str(HERE / "instant.py"))
    return "C", how, (str(program),)


def show(result: RefereeBench, console: Console) -> None:
    table = Table("Figure", title="Referee, dots and boxes 5×5", title_justify="left")
    for column in ("Arena", "fastchess", "Ratio", "Target"):
        table.add_column(column, justify="right")
    table.add_column("Reached")
    ours, other = result.measured, result.fastchess
    cpu, other_cpu = ([run.cpu_us for run in runs] for runs in (ours, other))
    speed, other_speed = ([1e6 / run.wall_us for run in runs] for runs in (ours, other))
    table.add_row("CPU time a move, µs", *_next_to(cpu, other_cpu, "{:.1f}", CPU_TARGET, 1))
    table.add_row("Moves a second", *_next_to(speed, other_speed, "{:,.0f}", SPEED_TARGET, -1))
    for mode, cost_us in result.freezing_us.items():
        table.add_row(f"Freezing the other ({mode}), µs a move", f"{cost_us:+.1f}")
    console.print(table)
    note = (
        f"Instant player in {result.player} ({result.compiler}); all on one core; "
        f"{sum(run.moves for run in ours):,} moves, one game at a time, "
        f"median of {len(ours)} × {result.games} games."
    )
    if not other:
        note += (
            "\nfastchess is not on the PATH, or nothing compiles its engine: nothing to compare."
        )
    console.print(Text(note))


def _next_to(
    ours: Sequence[float], other: Sequence[float], form: str, target: float, most: Literal[1, -1]
) -> tuple[str, ...]:
    """Ours, the other's, the ratio and its target: the `most` it may be (1), or the least (−1)."""
    if not other:
        return form.format(median(ours)), "–", "–", "–", "–"
    ratio = median(ours) / median(other)
    return (
        form.format(median(ours)),
        form.format(median(other)),
        f"{ratio:.2f}",
        f"{'≤' if most == 1 else '≥'} {target:g}",
        "yes" if ratio * most <= target * most else "no",
    )
