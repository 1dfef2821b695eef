"""Where compiled kernels are kept: known without loading the compiler.

numba notices a change in a function's own file, not in the files of what it calls. So the folder
carries a hash of every source in the compiled rooms and of the compiler's
version: any change starts a new folder.
"""

from __future__ import annotations

import hashlib
import sys
from importlib.metadata import version
from pathlib import Path

from arena.files.cache import cache_root

COMPILED_ROOMS = ("compiled", "games", "ntuple", "search")


def cache_folder() -> Path:
    """The folder of the kernels as their sources are now."""
    players = Path(__file__).resolve().parents[1]
    digest = hashlib.sha256(f"{sys.version} {version('numba')} {version('llvmlite')}".encode())
    rooms = (players / room for room in COMPILED_ROOMS)
    for source in sorted(path for room in rooms for path in room.rglob("*.py")):
        digest.update(source.relative_to(players).as_posix().encode() + b"\0" + source.read_bytes())
    return cache_root() / f"kernels-{digest.hexdigest()[:16]}"
