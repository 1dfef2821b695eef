"""The referee's cost of a move: dots and boxes 5×5 between two players that answer at once.

The games go one at a time through all of the referee: processes, clocks, judgement, rules, record.
"""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Literal, NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.errors import BenchError
from arena.model.containment import Mode, Policy
from arena.model.contender import Prepared
from arena.model.game_spec import GameSetup, Terms
from arena.model.protocol import Termination
from arena.referee import SessionPool, play_game

CPU_US_TARGET = 110.0
"""CPU time of the referee a move, at most."""
MOVES_PER_S_TARGET = 6_500.0
"""Moves a second of wall time with one game at a time, at least."""
REFERENCE = "fastchess, instant engines, 200-ply games: 99–127 µs and 6,500–7,300 moves/s"
"""The same two figures of a C++ tournament manager."""
HERE = Path(__file__).parent
"""The folder of the player's sources, which it needs to see in a sandbox."""
_COMPILERS = ("cc", "gcc", "clang")


class RefereeBench(NamedTuple):
    """The figures, and what they were measured with."""

    player: Literal["C", "Python"]
    """The language of the instant player."""
    compiler: str
    """The command that compiled it, or why none did."""
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
    """Wall time that freezing the waiting player adds to a move, in µs, from the quickest repeats:
    by signals without a sandbox; within `limits` by the freezer of a control group, if any."""


class Measured(NamedTuple):
    """Some games."""

    moves: int
    wall_us: float
    """Wall time of a move."""
    cpu_us: float
    """CPU time of our own process for a move."""


def bench_referee(*, games: int = 30, repeats: int = 3) -> RefereeBench:
    """Measure `repeats` times `games` games, with a player in C where it can be compiled.

    Both seats keep their processes, and a first game, which starts them, is not counted. Raises
    BenchError when a game does not come to its end or $CC cannot be read.
    """
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder, one_core():
        player, compiler, command = instant_player(Path(folder))
        runs = measure(players_of(command), games, repeats)

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
        repeats=repeats,
        moves=sum(run.moves for run in runs),
        moves_per_s=median(1e6 / run.wall_us for run in runs),
        cpu_us_per_move=median(run.cpu_us for run in runs),
        freezing_us=freezing_us,
    )


def players_of(command: tuple[str, ...], mode: Mode = "none") -> tuple[Prepared, ...]:
    """The two players, alike."""
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
    python = (sys.executable, "-I", str(HERE / "instant.py"))
    compiler = _compiler()
    if compiler is None:
        known = ", ".join(_COMPILERS)
        return "Python", f"no C compiler found ($CC, {known})", python
    program = folder / "instant"
    line = (*compiler, "-O2", "-o", str(program), str(HERE / "instant.c"))
    built = subprocess.run(line, capture_output=True, text=True, errors="replace", check=False)
    if built.returncode != 0:
        why = built.stderr.strip().splitlines()[-1:] or [f"exit code {built.returncode}"]
        return "Python", f"{shlex.join(compiler)} failed: {why[0]}", python
    return "C", f"{shlex.join(compiler)} -O2", (str(program),)


def _compiler() -> tuple[str, ...] | None:
    """$CC, which may have options, or the first compiler on the path."""
    wanted = os.environ.get("CC", "")
    try:
        chosen = shlex.split(wanted)
    except ValueError as error:
        raise BenchError(f"$CC is {wanted!r}, which is no command: {error}.") from None
    for candidate in (chosen, *([name] for name in _COMPILERS)):
        if candidate and shutil.which(candidate[0]):
            return tuple(candidate)
    return None


def show(result: RefereeBench, console: Console) -> None:
    """Print the figures next to their targets."""
    cpu_us, moves_per_s = result.cpu_us_per_move, result.moves_per_s
    table = Table("Figure", title="Referee, dots and boxes 5×5", title_justify="left")
    table.add_column("Measured", justify="right")
    table.add_column("Target", justify="right")
    table.add_column("Reached")
    table.add_row(
        "CPU time of the referee a move",
        f"{cpu_us:.1f} µs",
        f"≤ {CPU_US_TARGET:.0f} µs",
        "yes" if cpu_us <= CPU_US_TARGET else "no",
    )
    table.add_row(
        "Moves a second, one game at a time",
        f"{moves_per_s:,.0f}",
        f"≥ {MOVES_PER_S_TARGET:,.0f}",
        "yes" if moves_per_s >= MOVES_PER_S_TARGET else "no",
    )
    for mode, cost_us in result.freezing_us.items():
        table.add_row(f"Freezing the waiting player ({mode}), a move", f"{cost_us:+.1f} µs")
    console.print(table)
    said = (
        f"Instant player in {result.player} ({result.compiler}); all on one core; "
        f"{result.moves:,} moves, median of {result.repeats} × {result.games} games.\n"
        f"For comparison: {REFERENCE}."
    )
    console.print(Text(said))
