"""The command line of bubblewrap for a player.

Source: bwrap(1). Its option `--disable-userns` is new in version 0.8; older ones do without, since
the seccomp filter refuses namespaces too.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from arena.model.containment import Policy
from arena.sandbox import system
from arena.sandbox.child import MOVED_STDIN, MOVED_STDOUT
from arena.sandbox.visible_files import Link, Shown, within

HOME = "/tmp"
"""The player's private folder inside."""
_NAMESPACES = (
    "--unshare-user",
    "--unshare-pid",
    "--unshare-net",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
)
_TAKE_PLACE = (
    # Processes are counted in here alone, not with all others of the user. It is `-p` to most
    # shells that are /bin/sh, and `-u` to bash.
    "{{ ulimit -p {processes} 2>/dev/null || ulimit -u {processes}; }} && "
    f'exec "$0" "$@" <&{MOVED_STDIN} >&{MOVED_STDOUT} {MOVED_STDIN}<&- {MOVED_STDOUT}>&-'
)
"""What the shell inside does: bubblewrap keeps copies of the standard streams it is started with,
so that nobody would see the player close them. It gets others, and the player its own here."""


def find() -> str | None:
    """Where bubblewrap is; None where it is not installed."""
    return shutil.which("bwrap")


@cache
def _knows_disable_userns(bwrap: str) -> bool:
    told = subprocess.run((bwrap, "--help"), capture_output=True, text=True, check=False)
    return "--disable-userns" in told.stdout + told.stderr


def command(
    bwrap: str,
    program: tuple[str, ...],
    cwd: str | None,
    policy: Policy,
    shown: Shown,
    *,
    filter_fd: int | None,
    status_fd: int,
) -> tuple[str, ...]:
    """The words that start `program`, whose first is absolute, contained.

    `filter_fd`: the seccomp filter, where the machine has one; `status_fd` is told in JSON that
    the program was started and how it ended.
    """
    half = str(policy.disk_mb * 2**20 // 2)
    words = [bwrap, *_NAMESPACES, "--die-with-parent", "--json-status-fd", str(status_fd)]
    if _knows_disable_userns(bwrap):
        words.append("--disable-userns")
    words += _system()
    words += ["--proc", "/proc", "--dev", "/dev"]
    for folder in ("/tmp", "/dev/shm"):  # half the disk each: one bound for both it cannot make
        words += ["--size", half, "--tmpfs", folder]
    words += ["--symlink", "../tmp", "/var/tmp"]  # relative: bubblewrap follows it while it mounts
    words += _files(shown)
    for path in policy.masked:
        if Path(path).exists() and within(os.path.realpath(path), shown.readable):
            words += ["--ro-bind", os.devnull, os.path.realpath(path)]
    words += ["--remount-ro", "/dev", "--remount-ro", "/"]
    words += ["--chdir", os.path.realpath(cwd) if cwd is not None else HOME]
    if filter_fd is not None:
        words += ["--seccomp", str(filter_fd)]
    words += ["--", "/bin/sh", "-c", _TAKE_PLACE.format(processes=policy.processes)]
    return (*words, *program)


def _system() -> Iterable[str]:
    for path in system.programs():
        if Path(path).is_symlink():
            yield from ("--symlink", str(Path(path).readlink()), path)
        else:
            yield from ("--ro-bind", path, path)
    for path in system.settings():
        yield from ("--ro-bind", path, path)


def _files(shown: Shown) -> Iterable[str]:
    """Outer folders first: what is mounted later lies on top."""
    for path in sorted((*shown.readable, *shown.writable)):
        yield from ("--bind" if path in shown.writable else "--ro-bind", path, path)
    for link in shown.links:
        if not _seen(link, shown):
            yield from ("--symlink", link.to, link.at)


def _seen(link: Link, shown: Shown) -> bool:
    return within(link.at, (*shown.readable, *shown.writable, *system.settings()))
