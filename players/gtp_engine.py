"""A GTP engine's process: commands and responses.

The Go Text Protocol, version 2 (Gunnar Farnebäck, draft 2, 2002): a command is one line, its
response begins with `=` or, for an error, `?`, and ends with an empty line.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from io import BufferedReader
from pathlib import Path
from subprocess import PIPE
from threading import Timer

DEBIAN_GAMES = "/usr/games"
"""Where Debian puts games; not on the PATH of root and of services."""
_PACKAGES = {"gtp-rhino": "grhino"}
"""Engines and the Debian packages they are in."""
_LONGEST_RESPONSE = 64 * 1024
"""Bytes; no command of ours is answered by more than a line."""
_FAREWELL_S = 0.3
"""How long the engine may take to exit after `quit`."""
_DYING_S = 0.1
"""A process that ends closes its pipes a moment before it can be seen dead."""


class EngineFault(Exception):
    """The engine cannot go on; the sentence says what it did."""


class Refusal(EngineFault):
    """The engine answered a command with `?`."""


class Engine:
    """An engine that runs. Its stderr is ours."""

    def __init__(self, command: Sequence[str]) -> None:
        """Raises EngineFault."""
        self.name = Path(command[0]).name
        try:
            self._process = subprocess.Popen(command, stdin=PIPE, stdout=PIPE)
        except (OSError, ValueError) as error:
            raise EngineFault(f"{command[0]} could not be started: {error}.") from None

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, command: str, deadline: float) -> str:
        """The response, without `=`. After `deadline`, in seconds of `time.monotonic()`, stderr is
        told and the wait goes on. Raises EngineFault, and Refusal when the response is an error.
        """
        assert self._process.stdin is not None  # asked for at the start
        late = (
            f"{self.name} has not answered `{command}` in time: give it a lower level or a longer"
        )
        watch = Timer(deadline - time.monotonic(), sys.stderr.write, [f"{late} clock.\n"])
        watch.daemon = True
        if watch.interval > 0:
            watch.start()
        try:
            self._process.stdin.write(command.encode() + b"\n")
            self._process.stdin.flush()
            response = self._response(command)
        except BrokenPipeError:
            raise self._ended(command) from None
        finally:
            watch.cancel()
        text = response[1:].lstrip("0123456789").strip()
        if response[0] == "?":
            raise Refusal(f"{self.name} refused `{command}`: {text}.")
        return text

    def close(self) -> None:
        """End the process, politely first."""
        with suppress(OSError):
            assert self._process.stdin is not None  # asked for at the start
            self._process.stdin.write(b"quit\n")
            self._process.stdin.close()
        try:
            self._process.wait(_FAREWELL_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _response(self, command: str) -> str:
        """The next response, from its `=` or `?` to before the empty line that ends it."""
        output = self._process.stdout
        assert isinstance(output, BufferedReader)  # asked for at the start
        while (waiting := output.peek(1)).startswith((b"\n", b"\r")):
            output.read(1)
        if waiting and not waiting.startswith((b"=", b"?")):
            said = waiting.partition(b"\n")[0][:80].decode("utf-8", "backslashreplace")
            raise EngineFault(
                f"{self.name} answered `{command}` with `{said}`, which is no GTP response "
                "(`= …`, or `? …` for an error): does it need an argument to speak GTP?"
            )
        response = b""
        while not response.endswith(b"\n\n"):
            line = output.readline(_LONGEST_RESPONSE)
            if not line:
                raise self._ended(command)
            response += line.replace(b"\r", b"")
            if len(response) > _LONGEST_RESPONSE:
                raise EngineFault(f"{self.name} answers `{command}` without an end.")
        return response.decode("utf-8", "backslashreplace")

    def _ended(self, command: str) -> EngineFault:
        try:
            code = self._process.wait(_DYING_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return EngineFault(f"{self.name} closed its pipes instead of answering `{command}`.")
        how = f"by {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
        return EngineFault(f"{self.name} ended {how} instead of answering `{command}`.")


def find_engine(program: str, folder: Path) -> str:
    """The path of an engine's program. ValueError says why there is none and what to do."""
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
