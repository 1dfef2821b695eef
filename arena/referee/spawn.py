"""Starting a player's program."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
from pathlib import Path

from arena.protocol import Termination
from arena.referee.fault import PlayerFault
from arena.referee.processes import die_with_parent
from arena.referee.spec import PlayerSpec

_HOST_ERRORS = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)
"""Failures to start a process that are the host's fault, not the player's."""


def spawn(spec: PlayerSpec) -> subprocess.Popen[bytes]:
    """Start the program in a session of its own, with pipes.

    Raises PlayerFault (`start_failed`); an OSError is the host's fault.
    """
    parent = os.getpid()
    try:
        return subprocess.Popen(
            spec.command,
            cwd=spec.cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
            # Sound here: a referee's process has one thread. It costs the player's start 1 ms.
            preexec_fn=lambda: die_with_parent(parent, signal.SIGKILL),
        )
    except ValueError:  # of Popen: no system takes such a command
        raise PlayerFault(
            Termination.START_FAILED, f"The command of {spec.name} holds a NUL character."
        ) from None
    except OSError as error:
        if error.errno in _HOST_ERRORS:
            raise
        raise PlayerFault(Termination.START_FAILED, _why_not_started(spec, error)) from None


def _why_not_started(spec: PlayerSpec, error: OSError) -> str:
    program = spec.command[0]
    if spec.cwd is not None and not Path(spec.cwd).is_dir():
        return f"The folder {spec.cwd} to start the player in does not exist."
    if isinstance(error, FileNotFoundError):
        if shutil.which(program) is not None:
            return f"The interpreter in the #! line of {program} does not exist."
        return f"There is no program {program}."
    if isinstance(error, PermissionError):
        return f"{program} may not be run: is it a program, executable (chmod +x) and readable?"
    if error.errno == errno.ENOEXEC:
        return f"{program} is no program for this machine: does it begin with a #! line?"
    return f"{program} could not be started: {error.strerror}."
