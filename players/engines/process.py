"""An engine's process: commands written, lines read, and a sentence on each way it fails."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path
from subprocess import PIPE
from threading import Timer

DEBIAN_GAMES = "/usr/games"
"""Where Debian puts games; not on the PATH of root and of services."""
_PACKAGES = {"gtp-rhino": "grhino"}
"""Engines and the Debian packages they are in."""
LONGEST_ANSWER = 64 * 1024
"""Bytes of a GTP response or of a line; no engine has more to say."""
_QUIT_S = 0.3
"""How long the engine may take to exit after `quit`."""
_CLOSING_S = 0.1
"""A process that ends closes its pipes a moment before it can be seen dead."""


class EngineFault(Exception):
    """The engine cannot go on; the sentence has the reason."""


class EngineProcess:
    """An engine that runs. Its stderr is ours."""

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        """Raises EngineFault."""
        self.name = Path(command[0]).name
        try:
            self._process = subprocess.Popen(command, stdin=PIPE, stdout=PIPE, cwd=folder)
        except (OSError, ValueError) as error:
            raise EngineFault(f"{command[0]} could not be started: {error}.") from None
        assert self._process.stdin is not None and isinstance(self._process.stdout, BufferedReader)
        self._input = self._process.stdin
        self.output = self._process.stdout
        """Its output."""

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def send(self, line: str) -> None:
        """Write a line. Raises EngineFault."""
        try:
            self._input.write(line.encode() + b"\n")
            self._input.flush()
        except BrokenPipeError:
            raise self.ended(line) from None

    def line(self, command: str) -> bytes:
        """Its next line, without a carriage return. Raises EngineFault."""
        line = self.output.readline(LONGEST_ANSWER)
        if not line:
            raise self.ended(command)
        if len(line) == LONGEST_ANSWER:
            raise self.endless(command)
        return line.replace(b"\r", b"")

    @contextmanager
    def awaited(self, command: str, deadline: float) -> Iterator[None]:
        """After `deadline`, in seconds of `time.monotonic()`, a line on stderr says so; the wait
        goes on.
        """
        late = f"{self.name} has not answered `{command}` in time"
        advice = "give it a lower level or a longer clock"
        watch = Timer(deadline - time.monotonic(), sys.stderr.write, [f"{late}: {advice}.\n"])
        watch.daemon = True
        if watch.interval > 0:
            watch.start()
        try:
            yield
        finally:
            watch.cancel()

    def close(self) -> None:
        """End the process: by `quit`, or else by force."""
        with suppress(OSError):
            self._input.write(b"quit\n")
            self._input.close()
        try:
            self._process.wait(_QUIT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def endless(self, command: str) -> EngineFault:
        """The fault of an answer without an end."""
        return EngineFault(f"{self.name} answers `{command}` without an end.")

    def ended(self, command: str) -> EngineFault:
        """The fault of a process that is gone, or closed its pipes."""
        try:
            code = self._process.wait(_CLOSING_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return EngineFault(f"{self.name} closed its pipes instead of answering `{command}`.")
        return EngineFault(f"{self.name} ended {_how(code)} instead of answering `{command}`.")


def _how(code: int) -> str:
    """How a process ended, by its return code."""
    if code >= 0:
        return f"with exit code {code}"
    try:
        return f"by {signal.Signals(-code).name}"
    except ValueError:  # most real-time signals have only a number
        return f"by signal {-code}"


def find_engine(program: str, folder: Path) -> str:
    """The path of an engine's program. ValueError where there is none, with the reason and a
    remedy.
    """
    if "/" in program:
        path = Path(os.path.abspath(folder / program))  # noqa: PTH100  # links stay as written
        if not path.is_file() or not os.access(path, os.X_OK):
            wrong = "is not an executable file" if path.exists() else "does not exist"
            raise ValueError(f"the engine {path} {wrong}")
        return str(path)
    found = shutil.which(program) or shutil.which(program, path=DEBIAN_GAMES)
    if found is None:
        package = _PACKAGES.get(program)
        how = f" (Debian, Ubuntu: apt-get install {package})" if package else ""
        raise ValueError(
            f'there is no engine "{program}" on the PATH or in {DEBIAN_GAMES}; install it{how}, '
            "or write its path with a slash"
        )
    return found
