"""What a canary is sent after, and the traces it leaves there."""

from __future__ import annotations

import os
import resource
import select
import socket
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

_SHARED = ("/tmp", "/var/tmp", "/dev/shm", "/run/lock")
"""Folders that all users of a machine may write."""
_FOREIGN = "/etc/hosts"
"""A file that all users may read and no player needs."""
_ENDS = ("", "-0", "-1")
"""Of the names of the files it makes: one to be found, and those it fills the disk with."""


class Bait:
    """A secret that all may read and write, servers, and two processes of ours.

    All of it is there inside a `with` statement.
    """

    def __init__(self) -> None:
        self._mark = f"arena-canary-{uuid.uuid4().hex}"
        here = (*_SHARED, str(Path.cwd()), str(Path.home()))
        self._folders = [path for path in dict.fromkeys(here) if os.access(path, os.W_OK)]

    def __enter__(self) -> Bait:
        with ExitStack() as stack:
            self.own = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="arena-")))
            """A folder to be started in."""
            self.own.chmod(0o755)
            self._lay(stack)
            stack.callback(self._clean)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def _lay(self, stack: ExitStack) -> None:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="arena-")))
        folder.chmod(0o777)
        secret, unix = folder / "secret", folder / "socket"
        secret.write_text("secret")
        secret.chmod(0o666)
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        self._udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        self._udp.bind(("127.0.0.1", 0))
        stack.enter_context(_listening(str(unix)))
        unix.chmod(0o777)
        stack.enter_context(_listening(f"\0{self._mark}"))
        self._meddled = stack.enter_context(_waiting(self._mark))
        self._ended = stack.enter_context(_waiting(self._mark))
        self._untouched = self._bounds()
        self.described: dict[str, object] = {
            "mark": self._mark,
            "secrets": [str(secret), _FOREIGN],
            "folder": str(folder),
            "folders": self._folders,
            "tcp": tcp.getsockname()[1],
            "udp": self._udp.getsockname()[1],
            "unix": str(unix),
            "meddled": self._meddled.pid,
            "ended": self._ended.pid,
        }
        """What the acts need to know of it."""

    def taken(self) -> set[str]:
        """The acts that left their traces on it, while the canary is still there."""
        done = set()
        if select.select([self._udp], [], [], 0)[0]:
            done.add("udp")
        if self._bounds() != self._untouched:
            done.add("meddle")
        if self._ended.poll() is not None:
            done.add("end")
        return done

    def left(self) -> list[Path]:
        """What it left lying about, when it is gone."""
        found = (Path(folder, f"{self._mark}{end}") for folder in self._folders for end in _ENDS)
        return [path for path in found if path.exists()]

    def _bounds(self) -> tuple[object, ...]:
        """Who traces the process that is not to be meddled with, how nice it is, its limit."""
        pid = self._meddled.pid
        traced = [line for line in status(pid) if line.startswith("TracerPid:")]
        nice = os.getpriority(os.PRIO_PROCESS, pid)
        return (*traced, nice, resource.prlimit(pid, resource.RLIMIT_CORE))

    def _clean(self) -> None:
        for path in self.left():
            path.unlink()


def status(pid: int) -> list[str]:
    """The lines of the system's description of a process; OSError: it is gone."""
    return Path(f"/proc/{pid}/status").read_text().splitlines()


def _listening(name: str) -> socket.socket:
    server = socket.socket(socket.AF_UNIX)
    server.bind(name)
    server.listen()
    return server


@contextmanager
def _waiting(word: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process of ours with a word in its command line, until we end it or are gone."""
    command = ("/bin/sh", "-c", "read line", word)
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        try:
            yield process
        finally:
            process.kill()
