"""`arena play` as a process: on a terminal, interrupted, and what it leaves behind."""

import fcntl
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
import uuid
from contextlib import suppress
from pathlib import Path

import pytest

from tests.human.test_play import HOSTILE

pytestmark = pytest.mark.slow


def against(mark: str) -> list[str]:
    """The command that plays Othello against a bot with `mark` in its command line."""
    bot = f"{HOSTILE} none {mark}"
    return [sys.executable, "-m", "arena", "play", "othello", "--against", bot]


def left_over(mark: str) -> list[str]:
    """Processes whose command line holds `mark`."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with suppress(OSError):
                if mark in (entry / "cmdline").read_text(errors="replace"):
                    found.append(entry.name)
    return found


@pytest.mark.parametrize(("how", "code"), [("end", 0), ("interrupt", 130)])
def test_leaving_leaves_no_process_behind(how: str, code: int) -> None:
    mark = uuid.uuid4().hex
    with subprocess.Popen(
        against(mark), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"f5\n")
        process.stdin.flush()
        seen = b""
        while b"2. O" not in seen:
            seen += os.read(process.stdout.fileno(), 4096)
        assert len(left_over(mark)) >= 2, "the arena, and what the player is and is held by"
        if how == "interrupt":
            process.send_signal(signal.SIGINT)
        else:
            process.stdin.close()
        assert process.wait(10) == code
    assert not left_over(mark)


def on_terminal(command: list[str], keys: list[tuple[bytes, bytes]]) -> tuple[int, bytes]:
    """Run `command` on a terminal of its own; for each pair wait for the first, type the second.
    Its exit code and output.
    """
    master, slave = pty.openpty()
    seen, deadline = b"", time.monotonic() + 20
    with subprocess.Popen(
        command, stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
        preexec_fn=lambda: _take_terminal(slave),
    ) as process:  # fmt: skip
        os.close(slave)
        waiting = list(keys)
        since = 0
        while time.monotonic() < deadline:
            if waiting and waiting[0][0] in seen[since:]:
                since = seen.index(waiting[0][0], since) + len(waiting[0][0])
                os.write(master, (typed := waiting.pop(0)[1]))
                again = time.monotonic() + 2
            elif not waiting and typed == b"\x03" and time.monotonic() > again:
                # Python's readline forgets one that comes between its prompt and its wait.
                os.write(master, typed)
                again += 2
            if select.select([master], [], [], 0.1)[0]:
                try:
                    seen += os.read(master, 4096)
                except OSError:  # the other side is closed
                    break
            elif process.poll() is not None:
                break
        else:
            process.kill()
    os.close(master)
    assert not waiting, seen.decode()
    return process.returncode, seen


def _take_terminal(slave: int) -> None:
    """Ctrl-C typed there reaches this process."""
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)


def test_on_a_terminal_tab_completes_and_ctrl_c_leaves() -> None:
    mark = uuid.uuid4().hex
    code, seen = on_terminal(
        against(mark), [(b"X you: ", b"e\t\r"), (b"2. O", b""), (b"X you: ", b"\x03")]
    )
    assert b"1. X you: " in seen
    assert b"e6" in seen
    assert b"Interrupted." in seen
    assert code == 130
    assert not left_over(mark)


def test_on_a_terminal_the_arrow_keys_slide_tiles() -> None:
    command = [sys.executable, "-m", "arena", "play", "2048", "--seed", "1"]
    keys = [
        (b"you: ", b"\x1b[A"),
        (b"2. chance", b""),
        (b"you: ", b"x\x1b[D"),
        (b"you: ", b"quit\r"),
    ]
    code, seen = on_terminal(command, keys)
    assert code == 0
    assert re.search(rb"1\. you: \S*up", seen)
    assert re.search(rb"3\. you: \S*left", seen)
