"""A GTP engine's process: commands and responses.

The Go Text Protocol, version 2 (Gunnar Farnebäck, draft 2, 2002): a command is one line, its
response begins with `=` or, for an error, `?`, and ends with an empty line.
"""

import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

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

    def __init__(self, sentence: str, reason: str) -> None:
        super().__init__(sentence)
        self.reason = reason
        """What the engine said."""


class Engine:
    """An engine that runs. Its stderr is ours."""

    def __init__(self, command: Sequence[str]) -> None:
        """Start `command`. Raises EngineFault."""
        self.name = Path(command[0]).name
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
            )
        except (OSError, ValueError) as error:
            raise EngineFault(f"{command[0]} could not be started: {error}.") from None
        self._buffer = b""

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def ask(self, command: str, deadline: float) -> str:
        """The response to a GTP command, without `=`.

        After `deadline`, in seconds of `time.monotonic()`, it is waited for all the same, but
        stderr is told. Raises EngineFault, and Refusal when the response is an error.
        """
        assert self._process.stdin is not None  # asked for at the start
        try:
            self._process.stdin.write(command.encode() + b"\n")
        except BrokenPipeError:
            raise self._ended(command) from None
        response = self._response(command, deadline)
        text = response[1:].lstrip("0123456789").strip()
        if response[0] == "?":
            raise Refusal(f"{self.name} refused `{command}`: {text}.", text)
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

    def _response(self, command: str, deadline: float) -> str:
        """The next response, from its `=` or `?` to before the empty line that ends it."""
        while True:
            waiting = self._buffer.replace(b"\r", b"").lstrip(b"\n")
            if waiting[:1] not in (b"", b"=", b"?"):
                said = waiting.partition(b"\n")[0][:80].decode("utf-8", "backslashreplace")
                raise EngineFault(
                    f"{self.name} answered `{command}` with `{said}`, which is no GTP response "
                    "(`= …`, or `? …` for an error): does it need an argument to speak GTP?"
                )
            response, end, rest = waiting.partition(b"\n\n")
            if end:
                self._buffer = rest
                return response.decode("utf-8", "backslashreplace")
            if len(waiting) > _LONGEST_RESPONSE:
                raise EngineFault(f"{self.name} answers `{command}` without an end.")
            self._buffer = waiting + self._read(command, deadline)

    def _read(self, command: str, deadline: float) -> bytes:
        """What the engine writes next."""
        assert self._process.stdout is not None  # asked for at the start
        output = self._process.stdout.fileno()
        poll = select.poll()
        poll.register(output, select.POLLIN)
        left_s = deadline - time.monotonic()
        if not poll.poll(max(0.0, left_s * 1000)) and left_s > 0:
            sys.stderr.write(
                f"{self.name} has not answered `{command}` in time: give it a lower level or a "
                "longer clock.\n"
            )
        data = os.read(output, _LONGEST_RESPONSE)
        if not data:
            raise self._ended(command)
        return data

    def _ended(self, command: str) -> EngineFault:
        """It closed its pipes: how it ended."""
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
