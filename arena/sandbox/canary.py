"""A canary: a player that tries to break out of a sandbox, and what became of it.

Nothing is believed that was not tried. The acts are in `canary_acts`; here is what they are tried
on: a secret, a server, processes of ours. It runs as a player does, in a Cage, with small limits
so that all of it is quick.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from typing import NamedTuple

from arena.model.containment import Guarantee, Mode, Policy
from arena.model.contender import Prepared
from arena.model.fault import PlayerFault
from arena.sandbox import canary_acts
from arena.sandbox.canary_targets import Bait, status
from arena.sandbox.container import Cage
from arena.sandbox.features import Means
from arena.sandbox.processes import gathering, tree

_PATIENCE_S = 20.0
"""How long it may take on a busy host; it needs a fifth of a second."""
_MEMORY_MB = 48
_HOG_MB = 32
"""Two processes take so much each: one alone would be within the limit."""
_PROCESSES = 16
_FORKS = 64
"""Well beyond its limit: where the system counts all of a user's processes, each of those that
ends meanwhile makes room for one more."""
_DISK_MB = 1

_BREACHES: dict[Guarantee, dict[str, str]] = {
    Guarantee.MEMORY: {"hog": "take more memory than its limit in two processes"},
    Guarantee.PROCESSES: {"many_processes": "start processes far beyond its limit"},
    Guarantee.CPU: {"other_cores": "move to other cores"},
    Guarantee.NETWORK: {
        "tcp": "connect to a TCP port of this machine",
        "udp": "send to a UDP port of this machine",
        "route": "send to other machines",
        "unix_socket": "connect to a UNIX socket by its path",
        "abstract_socket": "connect to a UNIX socket by its name",
    },
    Guarantee.FILES: {
        "read": "read files that are not its own",
        "listing": "list a folder that is not its own",
        "write": "write files that are not its own",
        "change_mode": "change the mode of a file that is not its own",
        "leave": "leave files behind",
        "inherited": "use files that the referee had open",
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
"""By guarantee: the acts that it forbids, and what they are in words ("it could …")."""


class CanaryError(Exception):
    """A player cannot be run in that way on this machine; the message says why."""


class Sung(NamedTuple):
    """What a canary came back with."""

    breaches: dict[Guarantee, tuple[str, ...]]
    """What it could do though it should not, as in "it could …"; empty where a guarantee holds."""
    bounded: frozenset[Guarantee]
    """What its control group bounds."""
    ended_for_memory: bool
    """Whether the system, not we, ended what took too much memory."""
    user_kept: str | None
    """A file that keeps root from giving a player a user of its own."""


def sing(mode: Mode, cores: tuple[int, ...], means: Means, readable: tuple[str, ...] = ()) -> Sung:
    """Try all forbidden acts in that mode, kept to `cores`, with `readable` as a player has it.

    Nothing else of this process may start others meanwhile: what is left is killed. CanaryError:
    it did not get to try them; OSError: the host fails.
    """
    with ExitStack() as stack:
        stack.enter_context(gathering())
        bait = stack.enter_context(Bait())
        given = {
            **bait.described,
            "cores": cores,
            "forks": _FORKS,
            "disk_bytes": _DISK_MB * 2**20,
            "hog_bytes": _HOG_MB * 2**20,
        }
        spec = Prepared(
            name="canary",
            command=(sys.executable, "-I", "-S", canary_acts.__file__, json.dumps(given)),
            cwd=str(bait.own),
            memory_mb=_MEMORY_MB,
            policy=Policy(mode=mode, readable=readable, processes=_PROCESSES, disk_mb=_DISK_MB),
        )
        try:
            cage = Cage(spec, cores, means)
            process = cage.start()
        except (OSError, PlayerFault) as error:
            raise CanaryError(str(error)) from None
        stack.callback(cage.kill)
        bounded = cage.group.holds if cage.group is not None else frozenset[Guarantee]()
        user_kept = cage.place.user_kept if cage.place is not None else None
        for pipe in (process.stdin, process.stdout, process.stderr):
            assert pipe is not None, "asked for"
            stack.enter_context(pipe)
        line = _line(process)
        if not line:
            raise CanaryError(_why_silent(process, ended=line is not None))
        done = {act for act, possible in json.loads(line).items() if possible}
        if _is_ours(process.pid):
            done.add("same_user")
        done |= bait.taken()
        ended = _ends_a_hog(cage, process)
        # Where the system does not, the referee does: it watches what `memory_bytes` says.
        if not ended and cage.memory_bytes() <= _MEMORY_MB * 2**20:
            done.add("hog")
        cage.kill()
        if bait.left():
            done.add("leave")
        return Sung(
            {
                guarantee: tuple(words for act, words in acts.items() if act in done)
                for guarantee, acts in _BREACHES.items()
            },
            bounded,
            ended,
            user_kept,
        )


def _ends_a_hog(cage: Cage, process: subprocess.Popen[bytes]) -> bool:
    """Let it take the memory; whether the system ended what did. Else it has all of it now."""
    assert process.stdin is not None, "asked for"
    process.stdin.write(b"\n")
    deadline = time.monotonic() + _PATIENCE_S
    while not cage.out_of_memory():
        if time.monotonic() > deadline:
            raise CanaryError(f"it was not done taking memory within {_PATIENCE_S:.0f} seconds")
        line = _line(process, 0.01)
        if line:
            return False
        if line is not None:  # it ended, and the system's count of those it killed may follow
            time.sleep(0.01)
    return True


def _line(process: subprocess.Popen[bytes], patience_s: float = _PATIENCE_S) -> bytes | None:
    """Its next line, whole; empty where it ended before, None where there is none in time."""
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
    said = (process.stderr.read() or b"").decode(errors="replace").strip()
    last = said.splitlines()[-1] if said else f"it ended with exit code {process.returncode}"
    return last.removesuffix(".")


def _is_ours(pid: int) -> bool:
    """Whether the last process of its tree, the acts themselves, is root's or our own user's."""
    *_, acts = tree(pid)
    (line,) = [line for line in status(acts) if line.startswith("Uid:")]
    return bool({0, os.geteuid()} & set(map(int, line.split()[1:])))
