"""Where compiled kernels are kept between processes.

numba notices a change in a function's own file, not in the files of what it calls. So the cache
folder carries a hash of every source in `kernels/`, `endgame/` and `search/` and of the compiler's
version: any change starts a new folder.
"""

from __future__ import annotations

import atexit
import fcntl
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numba.extending
from platformdirs import user_cache_path

intrinsic: Callable[[Callable[..., Any]], Any] = numba.extending.intrinsic
"""numba's own annotation hides the arguments of what it decorates."""

COMPILED_ROOMS = ("kernels", "endgame", "search")

CACHE_VARIABLE = "ARENA_CACHE_DIR"
"""The environment variable that moves the cache."""


def cache_folder() -> Path:
    """The folder of the kernels as their sources are now."""
    players = Path(__file__).resolve().parents[1]
    digest = hashlib.sha256(f"{sys.version} {numba.__version__} {llvmlite.__version__}".encode())
    rooms = (players / room for room in COMPILED_ROOMS)
    for source in sorted(path for room in rooms for path in room.rglob("*.py")):
        digest.update(source.relative_to(players).as_posix().encode() + b"\0" + source.read_bytes())
    base = os.environ.get(CACHE_VARIABLE)
    root = Path(base) if base else user_cache_path("arena")
    return root.absolute() / f"kernels-{digest.hexdigest()[:16]}"


def prepare() -> None:
    """Point numba at the cache folder.

    One that cannot be written, as in a sandbox, is read through a copy that lives as long as
    this process; stderr says so.
    """
    folder = cache_folder()
    if not _writable(folder):
        copy = Path(tempfile.mkdtemp(prefix="arena-kernels-"))
        atexit.register(shutil.rmtree, copy, ignore_errors=True)
        if folder.is_dir():
            shutil.copytree(folder, copy, dirs_exist_ok=True)
        sys.stderr.write(
            f"The kernel cache {folder} cannot be written; this process uses a copy of its own. "
            f"Set {CACHE_VARIABLE} to a folder that can be.\n"
        )
        folder = copy
    numba.config.CACHE_DIR = str(folder)  # type: ignore[attr-defined]  # numba makes its settings at run time


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Hold the cache folder's lock while kernels are loaded or compiled.

    Two processes that write the first kernels of one function together could give them the same
    file name. Besides, whoever waits finds the work done.
    """
    with (Path(numba.config.CACHE_DIR) / "lock").open("w") as lock:  # type: ignore[attr-defined]  # as above
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


_ENTRY: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"}
_PART: dict[str, Any] = {"forceinline": True, "error_model": "numpy"}
_COUNTED: dict[str, Any] = {"_nrt": True}
_BARE: dict[str, Any] = {"_nrt": False}
"""Whether memory can be taken and references to arrays are counted; else it is as in the caller."""


def kernel(function: Callable[..., Any]) -> Any:
    """Compile an entry point, called from Python, and keep it in the cache. It holds no GIL."""
    return numba.njit(**_ENTRY, **_COUNTED)(function)


def part(function: Callable[..., Any]) -> Any:
    """Compile a function for use inside kernels: it becomes part of each that calls it."""
    return numba.njit(**_PART)(function)


def bare_kernel(function: Callable[..., Any]) -> Any:
    """A kernel that takes no memory of its own and counts no references to its arrays, which costs
    more than the work where tuples of arrays go through many parts. Its parts are `bare_part`.
    """
    return numba.njit(**_ENTRY, **_BARE)(function)


def bare_part(function: Callable[..., Any]) -> Any:
    """A part of bare kernels."""
    return numba.njit(**_PART, **_BARE)(function)
