"""A player's own view of the file system, made by root in the forked child.

Of folders that a user who owns nothing may not enter, it shows what the player needs and nothing
else; where asked, `/tmp`, `/var/tmp` and `/dev/shm` are the player's own and bounded, and
`/proc` holds no process but its own. All of it is gone with its last process. Source: mount(2),
mount_namespaces(7), tmpfs(5), proc(5).
"""

from __future__ import annotations

import ctypes
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple, Self

from arena.sandbox.visible_files import Link, Shown, within

_LIBC = ctypes.CDLL(None, use_errno=True)
_CLONE_NEWNS, _CLONE_NEWIPC = 0x00020000, 0x08000000
_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_REMOUNT = 1, 2, 4, 32
_MS_BIND, _MS_REC, _MS_SLAVE = 4096, 16384, 1 << 19
_SAFE = _MS_NOSUID | _MS_NODEV
_INODES_A_MB = 64
"""Files the private folders hold for each MB they may."""
PRIVATE = ("/tmp", "/var/tmp", "/dev/shm")
"""Folders all may write, of which a player gets its own."""


class Private(NamedTuple):
    """What a player's own temporary folders are like."""

    uid: int
    """Who may write them."""
    megabytes: int
    """What they hold in sum."""


class View(NamedTuple):
    """The changes to make; paths are absolute and real."""

    hidden: tuple[str, ...]
    """Folders that show nothing but what is brought back."""
    readable: tuple[str, ...]
    """Files and folders to bring back, outer ones first."""
    writable: tuple[str, ...]
    links: tuple[Link, ...]
    private: Private | None
    masked: tuple[str, ...] = ()
    """Files in the place of which there is nothing to read."""

    @classmethod
    def of(cls, shown: Shown, private: Private | None, masked: tuple[str, ...] = ()) -> Self:
        """How to show a player these files, without the masked ones, though it is a user who owns
        nothing.
        """
        hidden = {path for path in PRIVATE if private is not None and Path(path).is_dir()}
        # A folder that is closed itself is opened: what is in it is brought back one by one.
        readable = [entry for path in shown.readable for entry in _opened(path)]
        # What it may write it will own, and can enter however closed it is to others.
        for path in (*shown.readable, *(str(Path(one).parent) for one in shown.writable)):
            hidden.update(closed_folders(path))
        hidden = set(_outermost(sorted(hidden)))
        return cls(
            tuple(sorted(hidden)),
            tuple(sorted(path for path in readable if within(path, hidden))),
            tuple(path for path in shown.writable if within(path, hidden)),
            tuple(link for link in shown.links if within(link.at, hidden)),
            private,
            tuple(path for path in masked if within(os.path.realpath(path), shown.readable)),
        )

    def enter(self) -> None:
        """Give this process, which has one thread, the view. Raises OSError."""
        _check(_LIBC.unshare(_CLONE_NEWNS | (_CLONE_NEWIPC if self.private else 0)), "/")
        _mount("none", "/", None, _MS_REC | _MS_SLAVE)
        opened = {
            path: os.open(path, os.O_PATH | os.O_CLOEXEC)
            for path in (*self.readable, *self.writable)
        }
        if self.private is not None:
            self._mount_private(self.private)
        covered = [path for path in self.hidden if not self._is_private(path)]
        for path in covered:
            _mount("tmpfs", path, "tmpfs", _SAFE, "mode=0755,size=1m")
        for path, file in sorted(opened.items()):
            _bring_back(path, file, read_only=path not in self.writable)
        for path in self.masked:
            if Path(path).exists():
                _mount(os.devnull, path, None, _MS_BIND)
        for link in self.links:
            if not os.path.lexists(link.at):
                Path(link.at).parent.mkdir(parents=True, exist_ok=True)
                Path(link.at).symlink_to(link.to)
        for path in covered:
            _mount("none", path, None, _MS_REMOUNT | _MS_BIND | _MS_RDONLY | _SAFE)

    def _is_private(self, path: str) -> bool:
        return self.private is not None and path in PRIVATE

    def _mount_private(self, private: Private) -> None:
        """One file system behind all private folders, so that one bound holds for their sum."""
        first, *others = [path for path in PRIVATE if path in self.hidden]
        megabytes = private.megabytes
        options = f"mode=0755,size={megabytes}m,nr_inodes={megabytes * _INODES_A_MB}"
        _mount("tmpfs", first, "tmpfs", _SAFE, options)
        for path in (*others, first):  # the first last: it covers the way to the rest
            part = Path(first, path.replace("/", "-"))
            part.mkdir(mode=0o700)
            os.chown(part, private.uid, private.uid)
            _mount(str(part), path, None, _MS_BIND)
        _mount("proc", "/proc", "proc", _SAFE, "hidepid=invisible")


def closed_folders(path: str) -> list[str]:
    """The folders on the way to `path`, itself included, that only some users may enter."""
    way = [str(parent) for parent in reversed(Path(path).parents)] + [path]
    return [folder for folder in way if _is_closed(folder)]


def _is_closed(path: str) -> bool:
    with suppress(OSError):
        mode = Path(path).stat().st_mode
        return stat.S_ISDIR(mode) and not mode & stat.S_IXOTH
    return False


def _opened(path: str) -> list[str]:
    return [str(entry) for entry in Path(path).iterdir()] if _is_closed(path) else [path]


def _outermost(paths: Iterable[str]) -> list[str]:
    """Of nested folders the outer one."""
    found: list[str] = []
    for path in sorted(paths):
        if not within(path, found):
            found.append(path)
    return found


@cache
def possible() -> bool:
    """Whether this process may make views here, tried in a child."""
    if os.geteuid() != 0:
        return False
    pid = os.fork()
    if pid == 0:
        try:
            View(PRIVATE[:1], (), (), (), Private(0, 1)).enter()
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitpid(pid, 0)[1] == 0


def _bring_back(path: str, file: int, *, read_only: bool) -> None:
    """Mount the opened `file` where it was."""
    with suppress(FileExistsError):  # an outer folder brought it back
        if stat.S_ISDIR(os.fstat(file).st_mode):
            Path(path).mkdir(parents=True, exist_ok=True)
        else:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).touch(exist_ok=False)
    _mount(f"/proc/self/fd/{file}", path, None, _MS_BIND | _MS_REC)
    os.close(file)
    if read_only:
        _mount("none", path, None, _MS_REMOUNT | _MS_BIND | _MS_RDONLY | _SAFE)


def _mount(source: str, target: str, kind: str | None, flags: int, options: str = "") -> None:
    kind_bytes = kind.encode() if kind else None
    result = _LIBC.mount(
        os.fsencode(source),
        os.fsencode(target),
        kind_bytes,
        ctypes.c_ulong(flags),
        options.encode(),
    )
    _check(result, target)


def _check(result: int, path: str) -> None:
    if result != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{os.strerror(error)} at {path}")
