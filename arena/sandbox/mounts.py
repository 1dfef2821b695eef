"""A player's own mounts, made by root in the forked child: closed folders show the files it needs
and nothing else; where asked, temporary folders are its own and bounded, and `/proc` shows only its
processes. Source: mount(2), mount_namespaces(7), tmpfs(5), proc(5).
"""

import ctypes
import os
import stat
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple, Self

from arena.sandbox.visible_files import Link, VisibleFiles, within

_LIBC = ctypes.CDLL(None, use_errno=True)
_CLONE_NEWNS, _CLONE_NEWIPC = 0x00020000, 0x08000000
_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_REMOUNT = 1, 2, 4, 32
_MS_BIND, _MS_REC, _MS_SLAVE = 4096, 16384, 1 << 19
_SAFE = _MS_NOSUID | _MS_NODEV
_INODES_A_MB = 64  # files allowed in the private folders for each MB
PRIVATE = ("/tmp", "/var/tmp", "/dev/shm")
"""Folders that all may write; a player gets its own."""


class PrivateFolders(NamedTuple):
    """A player's own temporary folders: the user that may write them, and their size in sum."""

    uid: int
    megabytes: int


class Mounts(NamedTuple):
    """The changes to make; paths are absolute and real."""

    hidden: tuple[str, ...]  # folders that show nothing but the files brought back
    readable: tuple[str, ...]  # files and folders to bring back, outer ones first
    writable: tuple[str, ...]
    links: tuple[Link, ...]
    private: PrivateFolders | None
    masked: tuple[str, ...] = ()  # files that read as empty
    start: str = PRIVATE[0]  # the folder it starts in, empty where nothing of it is shown

    @classmethod
    def of(
        cls,
        shown: VisibleFiles,
        private: PrivateFolders | None,
        masked: tuple[str, ...] = (),
        start: str = PRIVATE[0],
    ) -> Self:
        """Mounts that show these files, without the masked ones, to a user without rights."""
        hidden = {path for path in PRIVATE if private is not None and Path(path).is_dir()}
        # A folder that is closed itself is opened: its entries are brought back one by one.
        entries = [
            Path(entry)
            for path in shown.readable
            for entry in (Path(path).iterdir() if _is_closed(path) else [path])
        ]
        # Links stay links: mounted, they would bring what they lead to.
        readable = [str(entry) for entry in entries if not entry.is_symlink()]
        links = [Link(str(entry), str(entry.readlink())) for entry in entries if entry.is_symlink()]
        # It will own the folders it may write, and can enter them however closed to others.
        for path in (*shown.readable, start, *(str(Path(one).parent) for one in shown.writable)):
            hidden.update(closed_folders(path))
        hidden = {path for path in hidden if not within(path, hidden - {path})}  # the outer ones
        return cls(
            tuple(sorted(hidden)),
            tuple(sorted(path for path in readable if within(path, hidden))),
            tuple(path for path in shown.writable if within(path, hidden)),
            tuple(link for link in (*shown.links, *links) if within(link.at, hidden)),
            private,
            masked,
            start,
        )

    def enter(self) -> None:
        """Give them to this process, which has one thread. Raises OSError."""
        if _LIBC.unshare(_CLONE_NEWNS | (_CLONE_NEWIPC if self.private else 0)) != 0:
            raise _error("/")
        os.umask(0o022)  # else the folders made here may be closed to the player's user
        _mount("none", "/", None, _MS_REC | _MS_SLAVE)
        flags, shown = os.O_PATH | os.O_CLOEXEC, (*self.readable, *self.writable)
        opened = {path: os.open(path, flags) for path in shown}
        if self.private is not None:
            self._mount_private(self.private)
        private = PRIVATE if self.private is not None else ()
        covered = [path for path in self.hidden if path not in private]
        for path in covered:
            _mount("tmpfs", path, "tmpfs", _SAFE, "mode=0755,size=1m")
        for path, file in sorted(opened.items()):
            _bring_back(path, file, read_only=path not in self.writable)
        for path in self.masked:
            if Path(path).exists():
                _mount(os.devnull, path, None, _MS_BIND)
        if within(self.start, self.hidden):
            Path(self.start).mkdir(parents=True, exist_ok=True)
        for link in self.links:
            if not os.path.lexists(link.at):
                Path(link.at).parent.mkdir(parents=True, exist_ok=True)
                Path(link.at).symlink_to(link.to)
        for path in covered:
            _mount("none", path, None, _MS_REMOUNT | _MS_BIND | _MS_RDONLY | _SAFE)

    def _mount_private(self, private: PrivateFolders) -> None:
        """One file system behind all private folders, so that one bound is for their sum."""
        first, *others = [path for path in PRIVATE if path in self.hidden]
        size = private.megabytes
        options = f"mode=0755,size={size}m,nr_inodes={size * _INODES_A_MB}"
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
        mode = os.stat(path).st_mode  # noqa: PTH116  # `Path` takes three times as long
        return stat.S_ISDIR(mode) and not mode & stat.S_IXOTH
    return False


@cache
def mounts_possible() -> bool:
    """Whether this process may make such mounts here, tried in a child."""
    if os.geteuid() != 0:
        return False
    pid = os.fork()
    if pid == 0:
        try:
            Mounts(PRIVATE[:1], (), (), (), PrivateFolders(0, 1)).enter()
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitpid(pid, 0)[1] == 0


def _bring_back(path: str, file: int, *, read_only: bool) -> None:
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
    names = (os.fsencode(source), os.fsencode(target), kind.encode() if kind else None)
    if _LIBC.mount(*names, ctypes.c_ulong(flags), options.encode()) != 0:
        raise _error(target)


def _error(path: str) -> OSError:
    error = ctypes.get_errno()
    return OSError(error, f"{os.strerror(error)} at {path}")
