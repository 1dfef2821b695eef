"""The acts of a canary, a program of the standard library alone: it gets the targets as JSON in
its one argument, waits for a line, writes `{act: whether it was possible}`, waits for a line,
then takes more memory than it may and writes another line if it gets that far.
"""

import ctypes
import json
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

Setup = dict[str, Any]
"""The targets; see `canary`."""
VARIABLE = "ARENA_CANARY"
"""A variable of the arena's environment, which names the mark."""
_CHUNK = 1 << 16
_STRAY_S = 30  # a process that got away ends by itself
_OWN = ("HOME", "TMPDIR")  # variables that name the player's private folders
_CLONE_NEWUSER = 0x10000000
_PR_GET_NO_NEW_PRIVS = 39
_PR_SET_CHILD_SUBREAPER = 36
_PTRACE_SEIZE = 0x4206
_CLONE_PARENT = 0x8000
_KEYCTL_READ = 11
_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.syscall.restype = ctypes.c_long


def leave(setup: Setup) -> None:
    """Seen from outside: a file written here may vanish with the sandbox."""
    for folder in setup["folders"]:
        _possible(Path(folder, setup["mark"]).touch)


def udp(setup: Setup) -> None:
    """Seen from outside: without a network, sending to oneself still works."""
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"x", ("127.0.0.1", setup["udp"]))


def other_cores(setup: Setup) -> bool:
    _possible(lambda: os.sched_setaffinity(0, range(os.cpu_count() or 1)))
    return not os.sched_getaffinity(0) <= set(setup["cores"])


def _some_process_shows(text: str, file: str) -> bool:
    with suppress(OSError):
        for entry in Path("/proc").iterdir():
            with suppress(OSError):
                if text.encode() in Path(entry, file).read_bytes():
                    return True
    return False


def environment(setup: Setup) -> bool:
    """Inherit a variable of the arena, or read it from a process that did."""
    read = _some_process_shows(f"{VARIABLE}={setup['mark']}", "environ")
    return read or VARIABLE in os.environ


def meddle(setup: Setup) -> None:
    """Trace, slow down and bound another process; seen from outside."""
    pid = setup["meddled"]
    _LIBC.ptrace(_PTRACE_SEIZE, pid, None, None)
    _possible(lambda: os.setpriority(os.PRIO_PROCESS, pid, 19))
    _possible(lambda: resource.prlimit(pid, resource.RLIMIT_CORE, (0, 0)))


def own_namespace(setup: Setup) -> bool:
    """Make a user namespace: in it the program would have all of root's system calls."""
    pid = os.fork()
    if pid == 0:
        os._exit(int(_LIBC.unshare(_CLONE_NEWUSER) == 0))
    return os.waitpid(pid, 0)[1] != 0


def orphan(setup: Setup) -> None:
    """Put processes next to itself, where nothing of its own stops them; seen from outside."""
    if _call(setup, "clone", _CLONE_PARENT | signal.SIGCHLD, None, None, None, None) == 0:
        _stray()
    _LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
    pid = os.fork()
    if pid == 0:
        if os.fork() == 0:
            _stray()
        os._exit(0)
    os.waitpid(pid, 0)


def _stray() -> None:
    os.setsid()
    signal.alarm(_STRAY_S)
    while True:
        signal.pause()


def wake(setup: Setup) -> bool:
    """Have the system continue it whenever a signal has stopped it."""
    event = (ctypes.c_int * 16)()
    event[2] = signal.SIGCONT  # of a `struct sigevent`, after its value
    timer = ctypes.c_int()
    if _LIBC.timer_create(1, event, ctypes.byref(timer)) == 0:
        _LIBC.timer_delete(timer)
        return True
    return _possible(lambda: os.kill(os.getpid(), signal.SIGCONT))


def queue(setup: Setup) -> None:
    """Make a queue that outlives it; seen from outside."""
    _call(setup, "mq_open", setup["mark"].encode(), os.O_CREAT | os.O_RDWR, 0o600, None)


def _call(setup: Setup, name: str, *arguments: object) -> int:
    """The result of a system call; −1 where this machine has none of that name."""
    number = setup["calls"].get(name)
    words = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    return -1 if number is None else int(_LIBC.syscall(ctypes.c_long(number), *words))


def many_processes(setup: Setup) -> bool:
    """Start far more processes than allowed at once."""
    wanted: int = setup["forks"]
    wait, hold = os.pipe()
    started: list[int] = []
    with suppress(OSError):
        while len(started) < wanted:
            pid = os.fork()
            if pid == 0:
                os.close(hold)
                os.read(wait, 1)
                os._exit(0)
            started.append(pid)
    os.close(hold)
    os.close(wait)
    for pid in started:
        os.waitpid(pid, 0)
    return len(started) == wanted


def fill(setup: Setup) -> bool:
    """Write more than the limit in all, in files of which none is too large."""
    folders = {
        os.path.realpath(path) for path in (*setup["folders"], *map(os.getenv, _OWN)) if path
    }
    written = [
        (path, _write_file(path, setup["disk_bytes"] * 2 // 3))
        for folder in sorted(folders)
        for path in (Path(folder, f"{setup['mark']}-{number}") for number in range(2))
    ]
    for path, _ in written:
        _possible(path.unlink)
    return bool(sum(size for _, size in written) > setup["disk_bytes"])


ACTS: dict[str, Callable[[Setup], object]] = {
    "read": lambda setup: any(_possible(Path(path).read_bytes) for path in setup["secrets"]),
    "listing": lambda setup: _possible(lambda: list(Path(setup["folder"]).iterdir())),
    "write": lambda setup: any(_possible(partial(_append, path)) for path in setup["secrets"]),
    "change_mode": lambda setup: _possible(lambda: Path(setup["secrets"][0]).chmod(0o640)),
    "leave": leave,
    "environment": environment,
    # files that were open before it was started
    "inherited": lambda _: any(_possible(partial(os.fstat, fd)) for fd in range(3, 64)),
    "tcp": lambda setup: _connect(socket.AF_INET, ("127.0.0.1", setup["tcp"])),
    "udp": udp,
    # nothing is sent to that address, which is for examples
    "route": lambda _: _connect(socket.AF_INET, ("192.0.2.1", 9), socket.SOCK_DGRAM),
    "unix_socket": lambda setup: _connect(socket.AF_UNIX, setup["unix"]),
    "abstract_socket": lambda setup: _connect(socket.AF_UNIX, b"\0" + setup["mark"].encode()),
    "io_uring": lambda setup: _call(setup, "io_uring_setup", 1, bytes(120)) != -1,
    "system_v": lambda setup: _call(setup, "shmat", setup["memory"], None, 0) != -1,
    "queue": queue,
    "keys": lambda setup: _call(setup, "keyctl", _KEYCTL_READ, setup["key"], None, 0) != -1,
    # the size and time of a file, without its contents
    "stat": lambda setup: _possible(Path(setup["secrets"][0]).stat),
    # a file that is nowhere but in memory
    "memory_file": lambda _: _possible(lambda: os.close(os.memfd_create("file"))),
    "other_cores": other_cores,
    "wake": wake,
    "orphan": orphan,
    # another process, by its command line; our own has the mark too, among other words
    "see": lambda setup: _some_process_shows(f"read line\0{setup['mark']}", "cmdline"),
    "meddle": meddle,
    # seen from outside
    "end": lambda setup: _possible(lambda: os.kill(setup["ended"], signal.SIGUSR1)) and False,
    "own_namespace": own_namespace,
    # of programs that run as another user, such as `su`
    "gain": lambda _: _LIBC.prctl(_PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0,
    "many_processes": many_processes,
    "fill": fill,
    # last: as root it could do the rest again
    "become_root": lambda _: _possible(lambda: os.setresuid(0, 0, 0)),
}


def hog(setup: Setup) -> None:
    """Take the memory in two processes, each below the limit, one far away, until this one ends."""
    done, report = os.pipe()
    wait, hold = os.pipe()
    for far in (False, True):
        if os.fork() == 0:
            if far:
                os.setsid()
                if os.fork() != 0:
                    os._exit(0)
            os.close(hold)
            taken = b"x" * setup["hog_bytes"]
            os.write(report, taken[:1])
            os.close(report)
            os.read(wait, 1)
            os._exit(0)
    os.close(report)
    for _ in range(2):
        if not os.read(done, 1):
            sys.exit(1)  # one could not be started, or was ended


def _possible(act: Callable[[], object]) -> bool:
    try:
        act()
    except OSError:
        return False
    return True


def _append(path: str) -> None:
    with Path(path).open("ab"):
        pass


def _connect(family: int, address: object, kind: int = socket.SOCK_STREAM) -> bool:
    with suppress(OSError), socket.socket(family, kind) as way:
        way.settimeout(1)
        way.connect(address)  # type: ignore[arg-type] # an address of that family
        return True
    return False


def _write_file(path: Path, size: int) -> int:
    written = 0
    with suppress(OSError), path.open("wb", buffering=0) as file:
        while written < size:
            written += file.write(b"x" * min(_CHUNK, size - written))
    return written


def main() -> None:
    setup: Setup = json.loads(sys.argv[1])
    sys.stdin.readline()  # its targets are ready
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)  # of `end`, should a number in here be the same
    sys.stdout.write(json.dumps({name: bool(act(setup)) for name, act in ACTS.items()}) + "\n")
    sys.stdout.flush()
    if setup["hog_bytes"] and sys.stdin.readline():
        hog(setup)
        sys.stdout.write("taken\n")
        sys.stdout.flush()
        sys.stdin.readline()


if __name__ == "__main__":
    main()
