"""Files that bots of different owners have in common but for blanks: perhaps one copied another."""

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from arena.bots.course import Entry, bots
from arena.bots.package import TREE
from arena.bots.starter import LANGUAGES, starter_files
from arena.bots.versions import Receipt

_LEAST, _MOST = 80, 2**18
"""Bytes of a file that is compared: shorter ones are often alike, longer ones are data."""


class SharedFile(NamedTuple):
    """A file of a bot that another owner's has too."""

    file: str
    """Its name in the bot that was asked about."""
    other: str
    """Its name in the other."""
    version: Receipt
    """The first version of the other that had it."""


def shared_files(folder: Path, entry: Entry) -> list[SharedFile]:
    """The files that a bot's active version shares with any version of other owners' bots, once for
    each of these bots. The files of starters are left out, helpers such as sdk.py by their names:
    bots keep those of the version that their starter came from.
    """
    if entry.plays is None or entry.owner is None:
        return []
    starters = [starter_files(entry.name, language) for language in LANGUAGES]
    known = {_hash(text.encode()) for files in starters for text in files.values()}
    helpers = {file for files in starters for file in files if Path(file).stem.lower() != "bot"}
    own = {
        text: file
        for text, file in _texts(folder, entry.plays)
        if text not in known and file not in helpers
    }
    found = dict[tuple[str, str], SharedFile]()
    for other in bots(folder):
        for version in other.versions if other.owner != entry.owner else ():
            for text, file in _texts(folder, version):
                if text in own:
                    shared = SharedFile(own[text], file, version)
                    found.setdefault((shared.file, other.name), shared)
    return list(found.values())


def _texts(folder: Path, version: Receipt) -> Iterator[tuple[bytes, str]]:
    """A hash of each file of a version that is compared, and the file's name."""
    tree = folder / version.name / version.version / TREE
    for file in sorted(tree.rglob("*")):
        with suppress(OSError):  # what cannot be read is not compared
            if file.is_symlink() or not file.is_file() or file.stat().st_size > _MOST:
                continue
            text = _hash(file.read_bytes())
            if text is not None:
                yield text, str(file.relative_to(tree))


def _hash(content: bytes) -> bytes | None:
    """That of a text without its blanks; None for what is too short or no text."""
    words = b"".join(content.split())
    is_text = b"\0" not in words and len(words) >= _LEAST
    return hashlib.blake2b(words, digest_size=16).digest() if is_text else None
