"""What referees that were killed have left behind, and taking it away.

Everything a sandbox makes on a machine carries the pid of the referee that made it.
"""

from __future__ import annotations

import os
import re
import stat
import tempfile
import uuid
from contextlib import suppress
from pathlib import Path

from arena.referee.sandbox import group_folders
from arena.referee.sandbox.users import is_player

_NAME = re.compile(r"arena-(\d+)-[^/]+")


def private_folder() -> str:
    """A new folder for a player to write to."""
    return tempfile.mkdtemp(prefix=f"arena-{os.getpid()}-")


def sweep() -> None:
    """End the players of dead referees that are in a control group, and remove what was theirs:
    groups and private folders.
    """
    group_folders.sweep()
    for path in Path(tempfile.gettempdir()).iterdir():
        made = _NAME.fullmatch(path.name)
        if made and not _alive(int(made[1])):
            with suppress(OSError):  # another sweep's
                if _ours(path.lstat()):
                    remove(str(path))


def remove(folder: str) -> None:
    """Remove a folder and all in it, whatever a player made there: folders closed or nested
    without end, links, pipes. Its processes are gone. Raises OSError.
    """
    pending = [folder]
    emptied = []
    beside = f"{folder}/{uuid.uuid4().hex}"
    while pending:
        inner = pending.pop()
        emptied.append(inner)
        Path(inner).chmod(stat.S_IRWXU)
        with os.scandir(inner) as entries:
            found = list(entries)
        for entry in found:
            if entry.is_dir(follow_symlinks=False):
                # Right below the outermost, so that no path grows beyond what the system takes.
                Path(entry.path).chmod(stat.S_IRWXU)
                moved = f"{beside}-{len(emptied)}-{len(pending)}"
                Path(entry.path).rename(moved)
                pending.append(moved)
            else:
                Path(entry.path).unlink()
    for inner in reversed(emptied):
        Path(inner).rmdir()


def _ours(folder: os.stat_result) -> bool:
    """Made by this user, or by root for a player: nobody else can lay a trap for us in it."""
    user = os.geteuid()
    return folder.st_uid == user or (user == 0 and is_player(folder.st_uid))


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
