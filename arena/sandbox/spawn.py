"""Why a player's program cannot be started: found before the start, or reported by the system."""

import errno
import os
import platform
import shutil
import sys
from pathlib import Path

from arena.errors import NO_PROCESS
from arena.model.contender import Prepared
from arena.model.protocol import Termination
from arena.model.record import PlayerFault

_HOST_ERRORS = (errno.ENOMEM, errno.EMFILE, errno.ENFILE)
"""Failures to start a process that are the host's fault, not the player's."""
_ELF_MACHINE = slice(18, 20)  # the bytes of an ELF file that name its machine


def not_started(spec: Prepared, error: OSError | ValueError) -> PlayerFault:
    """The fault behind what `subprocess` raised; raises OSError where the host is at fault."""
    if isinstance(error, ValueError):  # no system takes such a command
        sentence = f"The command of {spec.name} has a NUL character in it."
    elif error.errno == errno.EAGAIN:
        raise BlockingIOError(errno.EAGAIN, NO_PROCESS)
    elif error.errno in _HOST_ERRORS:
        raise error
    else:
        sentence = _why_not_started(spec, error)
    return PlayerFault(Termination.START_FAILED, sentence)


def find_program(spec: Prepared, search: str | None) -> str:
    """The file that the command names, by its absolute path; `search` is the PATH it gets. For
    sandboxes, where another program starts it and the system's answer does not reach us: this
    judges as the system would. Raises PlayerFault (`start_failed`).
    """
    try:
        if any("\0" in word for word in spec.command):
            raise ValueError("embedded null byte")
        name, folder = spec.command[0], Path(spec.cwd or ".")
        _require(folder.is_dir(), errno.ENOENT)
        found = folder / name if "/" in name else Path(shutil.which(name, path=search) or name)
        program = os.path.normpath(found.absolute())  # no sandbox shows what leads there by ..
        _require(Path(program).exists(), errno.ENOENT)
        _require(not Path(program).is_dir() and os.access(program, os.X_OK), errno.EACCES)
        if os.access(program, os.R_OK):
            _judge_contents(program)
    except (OSError, ValueError) as error:
        raise not_started(spec, error) from None
    return program


def _require(fine: bool, error: int) -> None:
    if not fine:
        raise OSError(error, os.strerror(error))


def interpreter(program: str) -> list[str]:
    """The words of a script's #! line; none where it has none. Raises OSError."""
    line = _first_line(program)
    return os.fsdecode(line[2:]).split() if line.startswith(b"#!") else []


def _first_line(program: str) -> bytes:
    with Path(program).open("rb") as file:
        return file.readline(256)


def _judge_contents(program: str) -> None:
    head = _head(program)
    if head.startswith(b"#!"):
        words = interpreter(program)
        # The system takes a carriage return for a part of the name.
        ended = len(words) == 1 and b"\r" in _first_line(program)
        _require(bool(words) and not ended and Path(words[0]).exists(), errno.ENOENT)
        _require(os.access(words[0], os.X_OK), errno.EACCES)
        return
    # As this interpreter was compiled; a 64-bit x86 also runs 32-bit programs.
    machines = [_head(sys.executable)[_ELF_MACHINE]]
    machines += [b"\x03\x00"] if platform.machine() == "x86_64" else []
    _require(head.startswith(b"\x7fELF") and head[_ELF_MACHINE] in machines, errno.ENOEXEC)


def _head(program: str) -> bytes:
    with Path(program).open("rb") as file:
        return file.read(20)


def _why_not_started(spec: Prepared, error: OSError) -> str:
    program = spec.command[0]
    if spec.cwd is not None and not Path(spec.cwd).is_dir():
        return f"The folder {spec.cwd} to start the player in does not exist."
    nowhere = shutil.which(program) is None
    named = program.removeprefix(f"{spec.cwd}/")  # people know no other folder
    if isinstance(error, FileNotFoundError) and not nowhere:
        return f"The interpreter in the #! line of {named} does not exist."
    # Where the PATH leads through closed folders the system says "not permitted" to every name.
    if isinstance(error, FileNotFoundError) or (nowhere and "/" not in program):
        return f"There is no program {named}."
    if isinstance(error, PermissionError):
        return f"{named} may not be run: a program must be executable (chmod +x) and readable."
    if error.errno == errno.ENOEXEC:
        return f"{named} is not a program for this machine: a script must begin with a #! line."
    return f"{named} could not be started: {error.strerror}."
