"""What a move costs the referee: dots and boxes 5×5 between two players that answer at once.

The games go one at a time through all of the referee: processes, clocks, judgement, rules, record.
"""

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Literal

from rich.console import Console
from rich.table import Table

from arena.bench.instant_player import HERE, instant_player, one_core
from arena.errors import BenchError
from arena.model.containment import Mode, Policy
from arena.model.contender import Prepared
from arena.model.game_spec import GameSetup
from arena.model.protocol import Termination
from arena.model.terms import Terms
from arena.referee import SessionPool, play_game

CPU_US_TARGET = 110.0
"""CPU time of the referee a move, at most."""
MOVES_PER_S_TARGET = 6_500.0
"""Moves a second of wall time with one game at a time, at least."""
REFERENCE = "fastchess, instant engines, 200-ply games: 99–127 µs and 6,500–7,300 moves/s"
"""The same two figures of a C++ tournament manager."""


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
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder, one_core():
        player, compiler, command = instant_player(Path(folder))
        with SessionPool(keep_alive=True) as pool:
            play(pool, players_of(command), 1)
            runs = [measure(pool, players_of(command), games) for _ in range(repeats)]
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


def players_of(command: tuple[str, ...], mode: Mode = "none") -> tuple[Prepared, ...]:
    policy = Policy(mode=mode, readable=(str(HERE),))
    return tuple(
        Prepared(name=name, command=command, policy=policy) for name in ("first", "second")
    )


def _freezing_us(command: tuple[str, ...], mode: Mode, games: int, repeats: int) -> float:
    players = players_of(command, mode)
    quickest = {}
    with SessionPool(keep_alive=True) as pool:
        for ponder in (True, False):
            play(pool, players, 1, ponder)
            runs = [measure(pool, players, games, ponder) for _ in range(repeats)]
            quickest[ponder] = min(wall_s / moves for moves, wall_s, _ in runs)
    return (quickest[False] - quickest[True]) * 1e6


def measure(
    pool: SessionPool, players: tuple[Prepared, ...], games: int, ponder: bool = True
) -> tuple[int, float, float]:
    """Moves played, seconds of wall time and seconds of our own CPU time."""
    began, cpu_began = time.perf_counter(), time.process_time()
    moves = play(pool, players, games, ponder)
    return moves, time.perf_counter() - began, time.process_time() - cpu_began


def play(pool: SessionPool, players: tuple[Prepared, ...], games: int, ponder: bool = True) -> int:
    """Play the games; the number of their moves."""
    moves = 0
    for number in range(games):
        setup = GameSetup(
            game=f"bench-{number}",
            terms=Terms(rules="dots", variant={"rows": 5, "cols": 5}, ponder=ponder),
        )
        record = play_game(setup, players, pool)
        if record.termination is not Termination.NATURAL:
            raise BenchError(
                f"An instant player failed ({record.termination}), so nothing was measured: "
                f"{record.detail}"
            )
        moves += len(record.moves)
    return moves


def show(result: RefereeBench, console: Console) -> None:
    """Print the figures next to their targets."""
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
        table.add_row(f"Freezing the waiting player ({mode}), a move", f"{cost_us:+.1f} µs")
    console.print(table)
    console.print(
        f"Instant player in {result.player} ({result.compiler}); all on one core; "
        f"{result.moves:,} moves, median of {result.repeats} × {result.games} games.\n"
        f"For comparison: {REFERENCE}.",
        highlight=False,
        markup=False,
    )
