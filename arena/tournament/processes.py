"""Leaving nothing behind: process trees and the two Linux settings that keep them together."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections.abc import Iterable
from contextlib import suppress

import psutil

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def become_subreaper() -> None:
    """Orphans among our descendants become our children, so that none gets away."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent(parent: int) -> None:
    """Be sent SIGTERM when the process `parent`, which started us, ends however it may."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:  # it ended before we asked
        os.kill(os.getpid(), signal.SIGTERM)


def _prctl(option: int, value: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, value, 0, 0, 0) != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"prctl({option}): {os.strerror(error)}")


def children() -> frozenset[int]:
    """Pids of our children."""
    return frozenset(child.pid for child in psutil.Process().children())


def kill_trees(roots: Iterable[int], patience_s: float = 1.0) -> None:
    """Kill these children of ours with all their descendants, and reap them.

    A subreaper also gets what they forked away. Repeated while something new appears, for at most
    `patience_s`.
    """
    wanted = set(roots)
    before = children() - wanted
    deadline = time.monotonic() + patience_s
    while True:
        alive = 0
        for pid in children() - before:
            alive += _kill_tree(pid)
        if not alive or time.monotonic() > deadline:
            return
        time.sleep(0.002)


def _kill_tree(pid: int) -> bool:
    """Kill and reap one child; whether it may still be there."""
    with suppress(psutil.NoSuchProcess):
        root = psutil.Process(pid)
        for process in (root, *root.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                process.kill()
    with suppress(ChildProcessError):
        return os.waitpid(pid, os.WNOHANG) == (0, 0)
    return False
