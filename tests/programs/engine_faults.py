"""What scripted engines do in the same way."""

import os
import signal
import sys
import time
from collections.abc import Iterator

HANG_S = 30


def fail(fault: str) -> None:
    """Crash, hang or close the pipe, if that is the fault."""
    if fault == "crashes":
        os.kill(os.getpid(), signal.SIGSEGV)
    if fault == "hangs":
        time.sleep(HANG_S)
    if fault == "closes_stdout":
        os.close(1)
        time.sleep(HANG_S)


def commands(log: str | None, head: str = "") -> Iterator[str]:
    """The lines of stdin, which are kept in the file `log` as they come, after `head`."""
    with open(log or os.devnull, "a") as kept:  # noqa: PTH123 - the null device is no path
        kept.write(head)
        for line in sys.stdin:
            kept.write(line)
            kept.flush()
            yield line
