"""The cost of a move in fastchess, a tournament manager in C++ for chess, on this machine: games of
200 plies between two engines that answer at once.
"""

import os
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

from arena.errors import BenchError
from arena.sandbox.overload import cpu_ms

PLIES = 200
"""Of each game, which is adjudicated then."""


class Measured(NamedTuple):
    """The cost of some games, of ours too."""

    moves: int
    wall_us: float
    """Wall time of a move."""
    cpu_us: float
    """CPU time of the referee's own process for a move."""


def measure(program: str, engine: Path, games: int) -> Measured:
    """That many games; the CPU time of a start, measured by a run of two, is left out. Raises
    BenchError.
    """
    _, start_s = _run(program, engine, 2)
    wall_s, cpu_s = _run(program, engine, games + 2)
    moves = games * PLIES
    return Measured(
        moves, wall_s / (moves + 2 * PLIES) * 1e6, max(cpu_s - start_s, 0.0) / moves * 1e6
    )


def _run(program: str, engine: Path, games: int) -> tuple[float, float]:
    """Wall time from the first game to the last, and CPU time of the program alone."""
    sides = [word for name in "ab" for word in ("-engine", f"cmd={engine}", f"name={name}")]
    line = [
        program, *sides, "-each", "st=5", "-games", "2", "-rounds", str((games + 1) // 2),
        "-maxmoves", str(PLIES // 2), "-concurrency", "1",
    ]  # fmt: skip
    began = ended = 0.0
    with subprocess.Popen(
        line, cwd=engine.parent, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        for output in process.stdout:  # it ends a second after its last game
            if output.startswith(b"Started game"):
                began = began or time.perf_counter()
            elif output.startswith(b"Finished game"):
                ended = time.perf_counter()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        used_ms = cpu_ms([process.pid])
    if process.returncode != 0 or not ended:
        raise BenchError(f"{program} ended with exit code {process.returncode}: {' '.join(line)}")
    return ended - began, used_ms / 1000
