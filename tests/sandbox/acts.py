"""Running a few lines of Python in a child that was restricted before its start."""

import subprocess
import sys
from collections.abc import Callable


def run(code: str, *restrict: Callable[[], None], arguments: tuple[str, ...] = ()) -> str:
    """What a fresh interpreter prints that ran `code` after all of `restrict`."""

    def enter() -> None:
        for one in restrict:
            one()

    done = subprocess.run(
        (sys.executable, "-I", "-S", "-c", code, *arguments),
        preexec_fn=enter,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


TRIED = """
import ctypes, errno, os, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
def tried(act):
    try:
        act()
    except OSError as error:
        return errno.errorcode[error.errno]
    return "done"
def call(name, *arguments):
    if getattr(libc, name)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), name)
"""
"""Helpers for that code: what an act came to, and a function of the C library."""
