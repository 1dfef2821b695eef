"""Where compiled kernels are kept: known without loading the compiler.

numba notices a change in a function's own file, not in the files of what it calls. So the folder
carries a hash of every source in the compiled rooms, in the folders of registered games, and of the
compiler's version: any change starts a new folder. Installations of the same sources share it.
"""

import hashlib
import sys
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path

import rules
from arena.files.cache import cache_root

COMPILED_ROOMS = ("compiled", "games", "ntuple", "search")


def cache_folder() -> Path:
    """The folder of the kernels as their sources are now."""
    digest = hashlib.sha256(f"{sys.version} {version('numba')} {version('llvmlite')}".encode())
    for folder in _folders():
        for source in _sources(folder):
            place = source.relative_to(folder.parent).as_posix()
            digest.update(place.encode() + b"\0" + source.read_bytes())
    return cache_root() / f"kernels-{digest.hexdigest()[:16]}"


def names_folder(source: str) -> bool:
    """Whether a source is one of those that the folder is named for."""
    return any(Path(source).resolve().is_relative_to(folder) for folder in _known_folders())


@cache
def _known_folders() -> tuple[Path, ...]:
    return tuple(folder.resolve() for folder in _folders())


def _folders() -> Iterator[Path]:
    """Where compiled code is: the rooms, then what registered games are in and imports players."""
    players = Path(__file__).resolve().parents[1]
    yield from (players / room for room in COMPILED_ROOMS)
    games = rules.names()[len(rules.GAMES) :]
    for folder in dict.fromkeys(folder for name in games for folder in rules.folders(name)):
        if any(b"players" in source.read_bytes() for source in _sources(folder)):
            yield folder


def _sources(folder: Path) -> list[Path]:
    """The sources in a folder, or a module that is none."""
    return [folder] if folder.is_file() else sorted(folder.rglob("*.py"))
