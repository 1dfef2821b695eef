"""Wrong lives: processes that do not start, end too early, stop, or do not end."""

from __future__ import annotations

import ctypes
import os
import resource
import select
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress

from speech import HANG_S, OPTIONS, Request, hang, line, move, named, say

_PR_SET_NAME = 15


def exits_at_start() -> None:
    sys.exit(0)


def traceback_at_start() -> None:
    raise ImportError("no module named \x1b[31mbrain")


def hang_at_start() -> None:
    hang()


def slow_start() -> None:
    """Half a second from the first request."""
    select.select([sys.stdin], [], [])
    time.sleep(0.5)


def waits_for_another() -> None:
    """Ready once a second one with the same mark was asked too."""
    select.select([sys.stdin], [], [])
    name = f"\0{sys.argv[2]}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as met:
        try:
            met.bind(name)
        except OSError:
            met.sendto(b"here", name)
        else:
            met.recv(4)


def speaks_first() -> None:
    """Twice at once: a first line could be taken for the answer to a question just asked."""
    say(line(type="ready") * 2)


def exit_0(request: Request) -> None:
    sys.exit(0)


def exit_3(request: Request) -> None:
    sys.stderr.write("giving up\n")
    sys.exit(3)


def segfault(request: Request) -> None:
    """Leaves a core, if it may, in the folder that the test has prepared or in its own."""
    with suppress(OSError, ValueError):
        most = resource.getrlimit(resource.RLIMIT_CORE)[1]
        resource.setrlimit(resource.RLIMIT_CORE, (most, most))
    with suppress(OSError):
        os.chdir(OPTIONS.get("folder", "/"))
    os.kill(os.getpid(), signal.SIGSEGV)


def realtime_signal(request: Request) -> None:
    os.kill(os.getpid(), 40)


def kills_its_group(request: Request) -> None:
    os.killpg(0, signal.SIGKILL)


def spares_itself(request: Request) -> None:
    """A signal to its group, for helpers, which it ignores itself."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.killpg(0, signal.SIGTERM)
    say(move(request))


def traceback(request: Request) -> None:
    raise KeyError("best move")


def leaves_after_answering(request: Request) -> None:
    say(move(request))
    sys.exit(0)


def parent_leaves(request: Request) -> None:
    """The process ends; a child of its keeps the pipes and could answer."""
    if os.fork() == 0:
        hang()
    os._exit(5)


def stops_itself(request: Request) -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def odd_name(request: Request) -> None:
    """The name of its process is no text, and has what ends a name."""
    ctypes.CDLL(None).prctl(_PR_SET_NAME, b"\xff\n) R (", 0, 0, 0)
    hang()


def ignores_quit(request: Request) -> None:
    """Neither a signal nor the end of its input ends it."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    say(move(request))


def talks_after_end(request: Request) -> None:
    say(move(request))


def grandchild_keeps_pipe(request: Request) -> None:
    if request["ply"] < 2 and os.fork() == 0:
        hang()
    say(move(request))


def daemon(request: Request) -> None:
    if request["ply"] < 2:
        child = os.fork()
        if child == 0:
            os.setsid()
            if os.fork() == 0:
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                hang()
            os._exit(0)
        os.waitpid(child, 0)
    say(move(request))


def subprocess_helper(request: Request) -> None:
    """A helper in a session of its own that is not waited for."""
    if request["ply"] < 2:
        code = f"import time; time.sleep({HANG_S})"
        subprocess.Popen([sys.executable, "-S", "-c", code, *sys.argv[1:]], start_new_session=True)
    say(move(request))


LAUNCH = named(
    exits_at_start, traceback_at_start, hang_at_start, slow_start, waits_for_another, speaks_first
)  # fmt: skip
TURN = named(
    exit_0, exit_3, segfault, realtime_signal, kills_its_group, spares_itself, traceback,
    leaves_after_answering, parent_leaves, stops_itself, odd_name, ignores_quit, talks_after_end,
    grandchild_keeps_pipe, daemon, subprocess_helper,
)  # fmt: skip
