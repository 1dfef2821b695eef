"""C programs of this folder, compiled for a measurement."""

import os
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from arena.errors import BenchError

HERE = Path(__file__).parent
"""The folder of the sources, which a player in Python needs to see in a sandbox."""
_COMPILERS = ("cc", "gcc", "clang")


class Compiled(NamedTuple):
    """A program, or why there is none."""

    program: Path | None
    how: str
    """The command that compiled it, or what failed."""


def compile_c(source: str, folder: Path) -> Compiled:
    """Compile a source of this folder. Raises BenchError: $CC cannot be read."""
    compiler = _compiler()
    if compiler is None:
        return Compiled(None, f"no C compiler found ($CC, {', '.join(_COMPILERS)})")
    program = folder / Path(source).stem
    line = (*compiler, "-O2", "-o", str(program), str(HERE / source))
    built = subprocess.run(line, capture_output=True, text=True, errors="replace", check=False)
    if built.returncode != 0:
        why = built.stderr.strip().splitlines()[-1:] or [f"exit code {built.returncode}"]
        return Compiled(None, f"{shlex.join(compiler)} failed: {why[0]}")
    return Compiled(program, f"{shlex.join(compiler)} -O2")


def _compiler() -> tuple[str, ...] | None:
    """$CC, which may have options, or the first compiler on the path."""
    wanted = os.environ.get("CC", "")
    try:
        chosen = shlex.split(wanted)
    except ValueError as error:
        raise BenchError(f"$CC is {wanted!r}, which is not a command: {error}.") from None
    for candidate in (chosen, *([name] for name in _COMPILERS)):
        if candidate and shutil.which(candidate[0]):
            return tuple(candidate)
    return None
