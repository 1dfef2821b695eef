"""What players may leave behind, looked for from outside the product."""

import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

SHARED = ("/tmp", "/dev/shm", "/var/tmp", "/run/lock", "/dev/mqueue", str(Path.home()))
"""Folders open to all, and the home of the user that runs the tests."""


def processes(mark: str) -> list[str]:
    """The command lines of processes that carry the mark; a zombie has none."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if mark in (command := path.read_bytes().decode(errors="replace")):
                found.append(f"{path.parent.name}: {command}")
    return found


def files(mark: str, *folders: Path) -> list[str]:
    """Files that carry the mark in their names, in the shared folders and in these."""
    everywhere = (*map(Path, SHARED), *folders)
    return [str(path) for folder in everywhere for path in folder.glob(f"*{mark}*")]


def of_referees(pids: Iterable[int]) -> list[str]:
    """Control groups and private folders that these processes made for players."""
    ours = tuple(f"arena-{pid}-" for pid in pids)
    # os.walk, not glob: groups of other referees end while we look.
    cgroups = (
        f"{folder}/{name}" for folder, names, _ in os.walk("/sys/fs/cgroup") for name in names
    )
    folders = (str(path) for path in Path(tempfile.gettempdir()).iterdir())
    return [path for path in (*cgroups, *folders) if Path(path).name.startswith(ours)]
