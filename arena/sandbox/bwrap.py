"""The command line of bubblewrap for a player. Source: bwrap(1). Versions before 0.8 do without
`--disable-userns`, since the seccomp filter refuses namespaces too.
"""

import os
import resource
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from arena.model.containment import Policy
from arena.sandbox.processes import within_limit
from arena.sandbox.visible_files import VisibleFiles, programs, settings, within

MOVED_STDIN, MOVED_STDOUT = 3, 4
"""Where bubblewrap gets the player's streams: beyond its own, within a shell's reach."""
HOME = "/tmp"
"""The player's private folder inside."""
_NAMESPACES = (
    "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts",
    "--unshare-cgroup-try",
)  # fmt: skip
_SWAP_STREAMS = (
    # Processes are counted in here alone, not with all others of the user. It is `-p` to most
    # shells that are /bin/sh, and `-u` to bash.
    "{{ ulimit -p {processes} 2>/dev/null || ulimit -u {processes}; }} && "
    f'exec "$0" "$@" <&{MOVED_STDIN} >&{MOVED_STDOUT} {MOVED_STDIN}<&- {MOVED_STDOUT}>&-'
)
"""The shell inside swaps streams: bubblewrap keeps copies of its own standard streams, which would
hide that the player closes them. So bubblewrap gets others, and the player its own here."""


@cache
def _knows_disable_userns(bwrap: str) -> bool:
    help_ = subprocess.run((bwrap, "--help"), capture_output=True, text=True, check=False)
    return "--disable-userns" in help_.stdout + help_.stderr


def command(
    bwrap: str,
    program: tuple[str, ...],
    cwd: str | None,
    policy: Policy,
    shown: VisibleFiles,
    *,
    emptied: Iterable[str],
    filter_fd: int | None,
    status_fd: int,
) -> tuple[str, ...]:
    """The words that start `program`, whose first is absolute, contained. The files in `emptied`
    read as empty. `filter_fd`: the seccomp filter, where the machine has one; to `status_fd`
    bubblewrap writes in JSON that the program started and how it ended.
    """
    half = str(policy.disk_mb * 2**20 // 2)
    words = [bwrap, *_NAMESPACES, "--die-with-parent", "--json-status-fd", str(status_fd)]
    words.append("--new-session")  # signals to its own process group would end bubblewrap, too
    if _knows_disable_userns(bwrap):
        words.append("--disable-userns")
    for path in programs():
        if Path(path).is_symlink():
            words += ["--symlink", str(Path(path).readlink()), path]
        else:
            words += ["--ro-bind", path, path]
    for path in settings():
        words += ["--ro-bind", path, path]
    words += ["--proc", "/proc", "--dev", "/dev"]
    for folder in ("/tmp", "/dev/shm"):  # half the disk each: bubblewrap has no bound for both
        words += ["--size", half, "--tmpfs", folder]
    words += ["--symlink", "../tmp", "/var/tmp"]  # relative: bubblewrap follows it while it mounts
    bound = (*shown.readable, *shown.writable)
    for path in sorted(bound):  # outer folders first: a later mount covers an earlier one
        words += ["--bind" if path in shown.writable else "--ro-bind", path, path]
    for link in shown.links:
        if not within(link.at, (*bound, *settings())):
            words += ["--symlink", link.to, link.at]
    for path in map(os.path.realpath, emptied):
        if Path(path).exists() and within(path, (*shown.readable, *programs(), *settings())):
            words += ["--ro-bind", os.devnull, path]
    start = os.path.realpath(cwd) if cwd is not None else HOME
    words += ["--dir", start]  # one of which nothing is shown, as a home, is not there yet
    words += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", start]
    if filter_fd is not None:
        words += ["--seccomp", str(filter_fd)]
    processes = within_limit(resource.RLIMIT_NPROC, policy.processes)
    words += ["--", "/bin/sh", "-c", _SWAP_STREAMS.format(processes=processes)]
    return (*words, *program)


def move_streams() -> None:
    """Move the player's pipes next to the standard streams, and put nothing in their place."""
    os.dup2(0, MOVED_STDIN)
    os.dup2(1, MOVED_STDOUT)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)


@contextmanager
def reserve_fds() -> Iterator[None]:
    """Open files at the numbers the streams are moved to, unless others are open there already. So
    no pipe that the parent makes while forking gets these numbers; and, opened early, no file of a
    library that closes it in every forked child, as matplotlib does with fonts.
    """
    files = [os.open(os.devnull, os.O_RDONLY)]
    while files[-1] < MOVED_STDOUT:
        files.append(os.open(os.devnull, os.O_RDONLY))
    try:
        yield
    finally:
        for file in files:
            os.close(file)
