"""A canary: a player that tries to break out of a sandbox, and what it could do. Every guarantee is
tried: the acts are in `canary_acts`, their targets here. Small limits make it quick.
"""

import json
import os
import resource
import select
import shutil
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from arena.model.containment import Guarantee, Mode, Policy
from arena.model.contender import Prepared
from arena.model.record import PlayerFault
from arena.sandbox import canary_acts, leftovers, users
from arena.sandbox.container import Container
from arena.sandbox.features import Features
from arena.sandbox.processes import children, gathering, is_foreign, status, system_call, tree
from arena.sandbox.seccomp import here, numbers

_PATIENCE_S = 20.0  # for the canary on a busy host; it needs a fifth of a second
_COUNTED_S = 2.0  # until the system has counted that it ended a process for memory
_MEMORY_MB = 48
_HOG_MB = 32  # each of two processes takes this much: one alone would be within the limit
_PROCESSES = 16
_FORKS = 64  # far beyond: each process of its user that ends meanwhile makes room for one
_DISK_MB = 1

_SHARED = ("/tmp", "/var/tmp", "/dev/shm", "/run/lock")
"""Folders that all users of a machine may write."""
_FOREIGN = "/etc/hosts"  # a file that all users may read and no player needs
_CALLS = numbers(machine) if (machine := here()) else {}
_IPC_PRIVATE, _IPC_CREAT, _IPC_RMID = 0, 0o1000, 0
_KEY_SPEC_PROCESS_KEYRING, _KEYCTL_SETPERM, _ALL_MAY = -2, 5, 0x3F3F3F3F
_ENDS = ("", "-0", "-1")
"""Of the names of its files: one to be found, and those it fills the disk with."""

BREACHES: dict[Guarantee, dict[str, str]] = {
    Guarantee.MEMORY: {
        "hog": "take more memory than its limit in two processes",
        "memory_file": "keep memory in a file without a name (memfd)",
    },
    Guarantee.PROCESSES: {
        "many_processes": "start processes far beyond its limit",
        "orphan": "start processes that do not count as its own",
    },
    Guarantee.CPU: {
        "other_cores": "move to other cores",
        "wake": "continue itself when it is stopped",
    },
    Guarantee.NETWORK: {
        "tcp": "connect to a TCP port of this machine",
        "udp": "send to a UDP port of this machine",
        "route": "send to other machines",
        "unix_socket": "connect to a UNIX socket by its path",
        "abstract_socket": "connect to a UNIX socket by its name",
        "io_uring": "make sockets by io_uring",
    },
    Guarantee.FILES: {
        "read": "read files that are not its own",
        "listing": "list a folder that is not its own",
        "write": "write files that are not its own",
        "change_mode": "change the mode of a file that is not its own",
        "leave": "leave files behind",
        "environment": "read the arena's environment, with the address of its cluster",
        "inherited": "use files that the referee had open",
        "system_v": "use the System V shared memory of others by its number",
        "queue": "leave message queues behind",
        "keys": "read the keys of others (keyctl)",
    },
    Guarantee.DISK: {"fill": "write more than its limit in several files"},
    Guarantee.PIDS: {
        "see": "see other processes",
        "meddle": "trace, slow down or bound other processes",
        "end": "signal other processes",
    },
    Guarantee.UID: {
        "become_root": "become root",
        "own_namespace": "make a user namespace",
        "gain": "gain rights from setuid programs",
        "same_user": "do what the arena's user may",
    },
}
"""By guarantee: the acts that it forbids, in words that continue "it could …"."""


class CanaryError(Exception):
    """A player cannot be run in that way on this machine; the message says why."""


class Findings(NamedTuple):
    breaches: dict[Guarantee, tuple[str, ...]]
    """The forbidden acts that succeeded, in words; empty where a guarantee is kept."""
    bounded: frozenset[Guarantee]  # the guarantees that its control group bounds
    ended_for_memory: bool  # whether the system ended the processes that took too much memory
    user_kept: str | None  # a file that keeps root from giving a player a user of its own
    sees_others: bool = False
    """Whether it, as our own user, could see sizes and times of files it could not read."""


def probe(
    mode: Mode, cores: tuple[int, ...], features: Features, readable: tuple[str, ...] = ()
) -> Findings:
    """Try all forbidden acts in that mode, kept to `cores`, with `readable` as a player has it.
    Nothing else in this process may start others with sessions of their own meanwhile: processes
    left over are killed.
    CanaryError: the acts could not be tried; OSError: the host fails.
    """
    leftovers.sweep()
    with ExitStack() as stack:
        stack.enter_context(gathering())
        targets = CanaryTargets(stack)
        spec = _canary(mode, readable, {**targets.described, "cores": cores})
        try:
            container = Container(spec, cores, features)
            process = stack.enter_context(container.running())
        except (OSError, PlayerFault) as error:
            raise CanaryError(str(error)) from None
        bounded = container.group.bounds if container.group is not None else frozenset[Guarantee]()
        user_kept = container.allocation.user_kept if container.allocation is not None else None
        targets.open_to(container)
        done = _done(container, process, targets)
        if Guarantee.MEMORY in bounded:
            done.discard("memory_file")  # counts as its memory
        ended = _ends_a_hog(container, process)
        # Where the system does not end it, the referee does, by `memory_bytes`.
        if not ended and container.memory_bytes() <= _MEMORY_MB * 2**20:
            done.add("hog")
        container.kill()
        if targets.left():
            done.add("leave")
        breaches = {
            guarantee: tuple(words for act, words in forbidden.items() if act in done)
            for guarantee, forbidden in BREACHES.items()
        }
        sees_others = {"same_user", "stat"} <= done and "read" not in done
        return Findings(breaches, bounded, ended, user_kept, sees_others)


def _canary(mode: Mode, readable: tuple[str, ...], targets: dict[str, object]) -> Prepared:
    sizes = {"disk_bytes": _DISK_MB * 2**20, "hog_bytes": _HOG_MB * 2**20, "forks": _FORKS}
    return Prepared(
        name="canary",
        command=(sys.executable, "-I", "-S", canary_acts.__file__, json.dumps(targets | sizes)),
        memory_mb=_MEMORY_MB,
        policy=Policy(
            mode=mode,
            readable=readable,
            shows_named=True,
            processes=_PROCESSES,
            disk_mb=_DISK_MB,
        ),
    )


def _done(
    container: Container, process: subprocess.Popen[bytes], targets: "CanaryTargets"
) -> set[str]:
    """The acts that succeed, of all but taking memory and leaving files."""
    ours = children()
    _resume(process)
    line = _line(process)
    if not line:
        raise CanaryError(_why_silent(process, ended=line is not None))
    done = {act for act, possible in json.loads(line).items() if possible}
    *_, acts = tree(process.pid)  # the last process of its tree
    if {0, os.geteuid()} & set(map(int, status(acts, "Uid").split())):
        done.add("same_user")
    done |= targets.taken()
    if any(map(is_foreign, children() - ours - set(container.processes()))):
        done.add("orphan")
    if container.freezer is not None:
        done.discard("wake")  # no signal stops it
    return done


def _ends_a_hog(container: Container, process: subprocess.Popen[bytes]) -> bool:
    """Let it take the memory; whether the system ended it. Else it has all of it now."""
    _resume(process)
    deadline, ended = time.monotonic() + _PATIENCE_S, False
    while not container.out_of_memory():
        if time.monotonic() > deadline:
            raise CanaryError(f"when it was to take memory, {_why_silent(process, ended=ended)}")
        line = _line(process, 0.01)
        if line:
            return False
        if not ended and (line is not None or process.poll() is not None):  # others hold its output
            ended, deadline = True, time.monotonic() + _COUNTED_S
        elif ended:
            time.sleep(0.01)
    return True


def _resume(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None, "asked for"
    with suppress(BrokenPipeError):  # it ended, as its output will show
        process.stdin.write(b"\n")


def _line(process: subprocess.Popen[bytes], patience_s: float = _PATIENCE_S) -> bytes | None:
    assert process.stdout is not None, "asked for"
    taken = b""
    deadline = time.monotonic() + patience_s
    while not taken.endswith(b"\n"):
        left = max(0.0, deadline - time.monotonic())
        if not select.select([process.stdout], [], [], left)[0]:
            return None
        piece = os.read(process.stdout.fileno(), 1 << 16)
        if not piece:
            return b""
        taken += piece
    return taken


def _why_silent(process: subprocess.Popen[bytes], *, ended: bool) -> str:
    assert process.stderr is not None, "asked for"
    if not ended:
        return f"it said nothing within {_PATIENCE_S:.0f} seconds"
    with suppress(subprocess.TimeoutExpired):  # it closed its output and did not end
        process.wait(_PATIENCE_S)
    os.set_blocking(process.stderr.fileno(), False)
    stderr = (process.stderr.read() or b"").decode(errors="replace").strip()
    last = stderr.splitlines()[-1] if stderr else f"it ended with exit code {process.returncode}"
    return last.removesuffix(".")


class CanaryTargets:
    """A secret that all may read and write, servers, processes of ours, until `stack` is closed."""

    def __init__(self, stack: ExitStack) -> None:
        self._mark = f"arena-{os.getpid()}-canary-{uuid.uuid4().hex}"
        home = os.path.expanduser("~")  # noqa: PTH111  # `Path.home` fails where it is not known
        folders = (*_SHARED, str(Path.cwd()), home)
        os.environ[canary_acts.VARIABLE] = self._mark  # of the processes below, and of this one
        stack.callback(os.environ.pop, canary_acts.VARIABLE)
        self._folders = [path for path in dict.fromkeys(folders) if os.access(path, os.W_OK)]
        stack.callback(self._clean)
        self._folder = Path(leftovers.private_folder())
        stack.callback(shutil.rmtree, self._folder)
        secret, unix = self._folder / "secret", self._folder / "socket"
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
            "folder": str(self._folder),
            "folders": self._folders,
            "tcp": tcp.getsockname()[1],
            "udp": self._udp.getsockname()[1],
            "unix": str(unix),
            "meddled": self._meddled.pid,
            "ended": self._ended.pid,
            "memory": _shared_memory(stack),
            "key": _key(),
            "calls": _CALLS,
        }
        """The targets as the acts get them."""

    def open_to(self, container: Container) -> None:
        """Give the targets to the user of the canary: but for the sandbox it may do all to them."""
        if container.user is not None:
            users.hand_over([str(self._folder)], container.user.uid, container.user.uid)

    def taken(self) -> set[str]:
        """The acts that left traces on the targets, while the canary is still running."""
        done = set()
        if select.select([self._udp], [], [], 0)[0]:
            done.add("udp")
        if self._bounds() != self._untouched:
            done.add("meddle")
        self._ended.communicate(b"\n")  # a signal sent before that line comes first
        if self._ended.returncode != 0:
            done.add("end")
        with suppress(KeyError, OSError):
            system_call(_CALLS["mq_unlink"], self._mark.encode())
            done.add("queue")
        return done

    def left(self) -> list[Path]:
        """Files it left behind, once it has ended."""
        found = (Path(folder, f"{self._mark}{end}") for folder in self._folders for end in _ENDS)
        return [path for path in found if path.exists()]

    def _bounds(self) -> tuple[object, ...]:
        pid = self._meddled.pid
        nice = os.getpriority(os.PRIO_PROCESS, pid)
        return status(pid, "TracerPid"), nice, resource.prlimit(pid, resource.RLIMIT_CORE)

    def _clean(self) -> None:
        for path in self.left():
            path.unlink()


def _shared_memory(stack: ExitStack) -> int:
    """The number of System V memory that all may use, until this process ends; −1 for none."""
    try:
        memory = system_call(_CALLS["shmget"], _IPC_PRIVATE, 4096, 0o666 | _IPC_CREAT)
        address = system_call(_CALLS["shmat"], memory, None, 0)
        system_call(_CALLS["shmctl"], memory, _IPC_RMID, None)  # when the last has left it
    except (KeyError, OSError):
        return -1
    stack.callback(system_call, _CALLS["shmdt"], address)
    return memory


def _key() -> int:
    """The number of a key of this process that all may use; 0 for none."""
    try:
        secret = (b"user", b"arena-canary", b"secret", 6, _KEY_SPEC_PROCESS_KEYRING)
        key = system_call(_CALLS["add_key"], *secret)
        system_call(_CALLS["keyctl"], _KEYCTL_SETPERM, key, _ALL_MAY)
    except (KeyError, OSError):
        return 0
    return key


def _listening(name: str) -> socket.socket:
    server = socket.socket(socket.AF_UNIX)
    try:
        server.bind(name)
    except OSError as error:  # a path of more than 107 bytes, which it does not name
        server.close()
        raise CanaryError(f"{name}: {error}; name another folder in TMPDIR") from None
    server.listen()
    return server


@contextmanager
def _waiting(word: str) -> Iterator[subprocess.Popen[bytes]]:
    command = ("/bin/sh", "-c", "read line", word)
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        try:
            yield process
        finally:
            process.kill()
