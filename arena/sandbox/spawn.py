"""Why a player's program cannot be started: found before the start, or reported by the system."""

import errno
import os
import platform
import shutil
import sys
from pathlib import Path

from arena.model.contender import Prepared
from arena.model.protocol import Termination
from arena.model.record import PlayerFault

_HOST_ERRORS = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)
"""Failures to start a process that are the host's fault, not the player's."""
_ELF = b"\x7fELF"
_ELF_MACHINE = slice(18, 20)  # the bytes of an ELF file that name its machine


def not_started(spec: Prepared, error: OSError | ValueError) -> PlayerFault:
    """The fault behind what `subprocess` raised; raises `error` where the host is at fault."""
    if isinstance(error, ValueError):  # no system takes such a command
        sentence = f"The command of {spec.name} has a NUL character in it."
    elif error.errno in _HOST_ERRORS:
        raise error
    else:
        sentence = _why_not_started(spec, error)
    return PlayerFault(Termination.START_FAILED, sentence)


def find_program(spec: Prepared, search: str | None) -> str:
    """The file that the command names, by its absolute path; `search` is the PATH it gets.

    For sandboxes, where another program starts it and the system's answer does not reach us: this
    judges as the system would. Raises PlayerFault (`start_failed`).
    """
    try:
        return _program(spec, search)
    except (OSError, ValueError) as error:
        raise not_started(spec, error) from None


def interpreter(program: str) -> list[str]:
    """The words of a script's #! line; none where it has none. Raises OSError."""
    with Path(program).open("rb") as file:
        line = file.readline(256)
    return os.fsdecode(line[2:]).split() if line.startswith(b"#!") else []


def _program(spec: Prepared, search: str | None) -> str:
    """Raises the OSError or ValueError that starting it without a sandbox would raise."""
    if any("\0" in word for word in spec.command):
        raise ValueError("embedded null byte")
    name = spec.command[0]
    if spec.cwd is not None and not Path(spec.cwd).is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    if "/" in name:
        program = str(Path(spec.cwd or Path.cwd()) / name)
    else:
        program = str(Path(shutil.which(name, path=search) or name).absolute())
    if not Path(program).exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    if Path(program).is_dir() or not os.access(program, os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    if os.access(program, os.R_OK):
        _judge_contents(program)
    return program


def _judge_contents(program: str) -> None:
    with Path(program).open("rb") as file:
        head = file.read(20)
    if head.startswith(b"#!"):
        words = interpreter(program)
        if not words or not Path(words[0]).exists():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        if not os.access(words[0], os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    elif not head.startswith(_ELF) or not _for_this_machine(head):
        raise OSError(errno.ENOEXEC, os.strerror(errno.ENOEXEC))


def _for_this_machine(head: bytes) -> bool:
    """As this interpreter was compiled; a 64-bit x86 also runs 32-bit programs."""
    with Path(sys.executable).open("rb") as file:
        ours = file.read(20)
    i386 = b"\x03\x00"
    return head[_ELF_MACHINE] == ours[_ELF_MACHINE] or (
        platform.machine() == "x86_64" and head[_ELF_MACHINE] == i386
    )


def _why_not_started(spec: Prepared, error: OSError) -> str:
    program = spec.command[0]
    if spec.cwd is not None and not Path(spec.cwd).is_dir():
        return f"The folder {spec.cwd} to start the player in does not exist."
    nowhere = shutil.which(program) is None
    if isinstance(error, FileNotFoundError) and not nowhere:
        return f"The interpreter in the #! line of {program} does not exist."
    # Where the PATH leads through closed folders the system says "not permitted" to every name.
    if isinstance(error, FileNotFoundError) or (nowhere and "/" not in program):
        return f"There is no program {program}."
    if isinstance(error, PermissionError):
        return f"{program} may not be run: is it a program, executable (chmod +x) and readable?"
    if error.errno == errno.ENOEXEC:
        return f"{program} is no program for this machine: does it begin with a #! line?"
    return f"{program} could not be started: {error.strerror}."
