"""Attacks on the referee, the other players, the machine and its secrets.

What is attacked comes in the `options` of the game: `pid` of the referee, `folder` where anybody
may write, with `theirs` (anybody may write it), `public` (anybody may read it) and `secret` (only
the referee's user may) in it; `port` where somebody listens, on TCP and UDP of this machine, and
`socket`, a name in the abstract namespace.
"""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from speech import MARK, OPTIONS, named, outcome

_PTRACE_SEIZE = 0x4206
_NEW = {"mounts": 0x20000, "users": 0x10000000, "pids": 0x20000000, "network": 0x40000000}
"""CLONE_NEW…"""
_MS_BIND = 0x1000
_CLONE_PARENT = 0x8000
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_IPC_INFO = 3
_SYS_CLONE = {"x86_64": 56, "aarch64": 220}
_NEEDED = {"PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "HOME", "TMPDIR", "PWD"}
"""The environment that a program needs (PWD is the shell's)."""


def _system(function: str, *arguments: object) -> int:
    """Call the C library; OSError where it says −1."""
    ctypes.set_errno(0)
    result = getattr(ctypes.CDLL(None, use_errno=True), function)(*arguments)
    if result == -1:
        raise OSError(ctypes.get_errno(), function)
    return int(result)


def _told(**acts: Callable[[], object]) -> dict[str, str]:
    return {name: outcome(act) for name, act in acts.items()}


def kills_referee() -> dict[str, str]:
    return _told(
        referee=partial(os.kill, OPTIONS["pid"], signal.SIGKILL),
        group=partial(os.killpg, OPTIONS["pid"], signal.SIGKILL),
    )


def kills_everybody() -> dict[str, str]:
    """kill(−1), once it is known that this cannot reach the referee, nor then anybody else."""
    told = _told(referee=partial(os.kill, OPTIONS["pid"], 0))
    if told["referee"].startswith("!"):
        with suppress(OSError):
            os.kill(-1, signal.SIGKILL)
    return told


def kills_opponent() -> dict[str, str]:
    """A process with our mark that is not ourselves. That it lives on is seen in the game."""

    def kill_all() -> None:
        for entry in Path("/proc").iterdir():
            if entry.name.isdecimal() and entry.name != str(os.getpid()):
                with suppress(OSError):
                    if MARK in (entry / "cmdline").read_text():
                        os.kill(int(entry.name), signal.SIGKILL)

    return _told(opponent=kill_all)


def traces_others() -> dict[str, str]:
    pid, memory = OPTIONS["pid"], ctypes.create_string_buffer(8)
    here = (ctypes.c_void_p * 2)(ctypes.addressof(memory), 8)
    return _told(
        ptrace=partial(_system, "ptrace", _PTRACE_SEIZE, pid, None, None),
        memory=partial(_system, "process_vm_readv", pid, here, 1, here, 1, 0),
    )


def reads_proc() -> dict[str, str]:
    referee = Path(f"/proc/{OPTIONS['pid']}")
    return _told(
        environ=(referee / "environ").read_text,
        maps=(referee / "maps").read_text,
        mem=(referee / "mem").open,
        files=partial(os.listdir, referee / "fd"),
        cmdline=(referee / "cmdline").read_text,
    )


def uses_network() -> dict[str, str]:
    here = ("127.0.0.1", OPTIONS["port"])

    def tcp() -> None:
        with socket.create_connection(here, 2):
            pass

    def udp() -> None:
        with socket.socket(type=socket.SOCK_DGRAM) as sender:
            sender.sendto(b"hello", here)

    def listen() -> None:
        with socket.create_server(("127.0.0.1", 0)):
            pass

    def raw() -> None:
        with socket.socket(socket.AF_PACKET, socket.SOCK_RAW):
            pass

    def abstract() -> None:
        with socket.socket(socket.AF_UNIX) as sender:
            sender.connect("\0" + OPTIONS["socket"])

    return _told(tcp=tcp, udp=udp, listen=listen, raw=raw, abstract=abstract)


def writes_others_files() -> dict[str, str]:
    folder = Path(OPTIONS["folder"])
    theirs, mine = folder / "theirs", folder / MARK

    def overwrite() -> None:
        with theirs.open("r+") as file:
            file.write("owned")

    return _told(
        overwrite=overwrite,
        create=mine.touch,
        folder=(folder / f"{MARK}-folder").mkdir,
        symlink=partial((folder / f"{MARK}-link").symlink_to, "/etc"),
        device=partial(os.mknod, folder / f"{MARK}-null", 0o20666, os.makedev(1, 3)),
        truncate=partial(os.truncate, theirs, 0),
        mode=partial(theirs.chmod, 0o600),
        rename=partial(theirs.rename, folder / f"{MARK}-renamed"),
        remove=(folder / "public").unlink,
        program=partial(os.mkdir, f"{Path(__file__).parent}/{MARK}"),
    )


def reads_secrets() -> dict[str, str]:
    folder = Path(OPTIONS["folder"])
    return _told(
        secret=(folder / "secret").read_text,
        public=(folder / "public").read_text,
        listing=partial(os.listdir, folder),
        shadow=Path("/etc/shadow").read_text,
    )


def inherits() -> dict[str, str]:
    """Open files besides the three, and variables besides those that a program needs."""
    descriptors = [
        number for number in range(3, 1024) if outcome(partial(os.fstat, number))[0] != "!"
    ]
    variables = sorted(set(os.environ) - _NEEDED)
    return {
        "descriptors": " ".join(map(str, descriptors)) or "!none",
        "environment": " ".join(variables) or "!none",
    }


def gains_rights() -> dict[str, str]:
    def setuid() -> None:
        os.setuid(0)
        Path("/root/.").stat()  # the system's root, not one of our own namespace

    def privileges() -> None:
        """Whether a setuid program would run as its owner."""
        if "NoNewPrivs:\t1" in Path("/proc/self/status").read_text():
            raise PermissionError(1, "no_new_privs")

    def realtime() -> None:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))

    return _told(
        setuid=setuid,
        setgroups=partial(os.setgroups, [0]),
        privileges=privileges,
        realtime=realtime,
        nice=partial(os.nice, -5),
        device=partial(open, "/dev/kmsg", "rb"),
    )


def enters_namespaces() -> dict[str, str]:
    """Each in a child, for what is left of ours may hinder the next."""

    def in_child(act: Callable[[], object]) -> None:
        child = os.fork()
        if child == 0:
            refused = 0
            try:
                act()
            except OSError as error:
                refused = error.errno or 1
            os._exit(refused)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code:
            raise OSError(code, "refused")

    def clone(flags: int) -> None:
        number = _SYS_CLONE[os.uname().machine]
        if _system("syscall", number, flags | signal.SIGCHLD, None, None, None, None) == 0:
            os._exit(0)

    told = {
        f"new_{name}": partial(in_child, partial(_system, "unshare", flag))
        for name, flag in _NEW.items()
    }
    return _told(
        **told,
        clone=partial(in_child, partial(clone, _NEW["users"])),
        chroot=partial(in_child, partial(os.chroot, "/tmp")),
    )


def leaves_its_tree() -> dict[str, str]:
    """What would let its processes get away from it, run while stopped, or reach others' memory."""

    def sibling() -> None:
        flags = _CLONE_PARENT | signal.SIGCHLD
        if _system("syscall", _SYS_CLONE[os.uname().machine], flags, None, None, None, None) == 0:
            os._exit(0)

    return _told(
        subreaper=partial(_system, "prctl", _PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0),
        death_signal=partial(_system, "prctl", _PR_SET_PDEATHSIG, 0, 0, 0, 0),
        sibling=sibling,
        system_v=partial(_system, "shmctl", 0, _IPC_INFO, ctypes.create_string_buffer(256)),
    )


def mounts() -> dict[str, str]:
    """On a folder of our own alone, and taken away at once: others may see it."""
    folder = os.fsencode(tempfile.mkdtemp(prefix=MARK))

    def mount() -> None:
        _system("mount", b"none", folder, b"tmpfs", 0, None)
        _system("umount2", folder, 0)

    def bind() -> None:
        _system("mount", b"/usr", folder, None, _MS_BIND, None)
        _system("umount2", folder, 0)

    told = _told(mount=mount, bind=bind)
    Path(os.fsdecode(folder)).rmdir()
    return told


ACTS = named(
    kills_referee, kills_everybody, kills_opponent, traces_others, reads_proc, uses_network,
    writes_others_files, reads_secrets, inherits, gains_rights, enters_namespaces, leaves_its_tree,
    mounts,
)  # fmt: skip
