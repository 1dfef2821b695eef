"""Leftovers of referees that were killed, and their removal: all that a sandbox makes carries the
pid of its referee.
"""

import os
import re
import stat
import tempfile
import uuid
from contextlib import suppress
from pathlib import Path

from arena.errors import SandboxError
from arena.sandbox import hierarchies, users

_NAME = re.compile(r"arena-(\d+)-[^/]+")


def prefix() -> str:
    """What the names of this process's temporary folders begin with."""
    return f"arena-{os.getpid()}-"


def private_folder() -> str:
    return tempfile.mkdtemp(prefix=prefix(), dir=_temporary())


def _temporary() -> str:
    try:
        return tempfile.gettempdir()
    except FileNotFoundError:  # as where all file systems are read-only
        raise SandboxError(
            "No folder for temporary files, such as /tmp, can be written, and players need one: "
            "name one in TMPDIR."
        ) from None


def sweep() -> None:
    """End players of dead referees in control groups; remove their groups and private folders."""
    hierarchies.sweep()
    for path in Path(_temporary()).iterdir():
        match = _NAME.fullmatch(path.name)
        if match and not Path("/proc", match[1]).exists():
            with suppress(OSError):  # another sweep's
                owner, user = path.lstat().st_uid, os.geteuid()
                # Made by us, or by root for a player: no other user can set a trap in it.
                if owner == user or (user == 0 and users.FIRST <= owner <= users.LAST):
                    remove(str(path))


def remove(folder: str) -> None:
    """Remove a folder and everything in it: folders closed or nested without end, links, pipes.
    Nothing outside is touched, even if another process makes and moves things meanwhile. Raises
    OSError.
    """
    top = _opened(folder)
    try:
        pending = ["."]
        while pending:
            name = pending.pop()
            pending += _emptied(name, top)
            if name != ".":
                os.rmdir(name, dir_fd=top)
    finally:
        os.close(top)
    Path(folder).rmdir()


def _emptied(name: str, top: int) -> list[str]:
    """Empty the folder `name` in `top`: folders nested there are in `top` now, by these names. So
    no path grows beyond the length the system takes.
    """
    folder, moved = _opened(name, top), []
    try:
        with os.scandir(folder) as entries:
            found = list(entries)
        for entry in found:
            if entry.is_dir(follow_symlinks=False):
                os.close(_opened(entry.name, folder))  # to be moved it must be open to us
                moved.append(uuid.uuid4().hex)
                os.rename(entry.name, moved[-1], src_dir_fd=folder, dst_dir_fd=top)
            else:
                os.unlink(entry.name, dir_fd=folder)
    finally:
        os.close(folder)
    return moved


def _opened(folder: str, within: int | None = None) -> int:
    """The descriptor of a folder, never of a link to one, made open to us."""
    path = os.open(folder, os.O_PATH | os.O_NOFOLLOW | os.O_DIRECTORY, dir_fd=within)
    try:
        here = f"/proc/self/fd/{path}"
        Path(here).chmod(stat.S_IRWXU)
        return os.open(here, os.O_RDONLY | os.O_DIRECTORY)
    finally:
        os.close(path)
