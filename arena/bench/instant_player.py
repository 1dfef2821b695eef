"""The player that answers at once, in C where that compiles, and the core that games use."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from arena.errors import BenchError

HERE = Path(__file__).parent
"""The folder of the player's sources, which it needs to see in a sandbox."""
_COMPILERS = ("cc", "gcc", "clang")


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
