"""Single keys from a POSIX terminal."""

import os
import termios
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def keys(descriptor: int) -> Iterator[Callable[[int], bytes]]:
    """`read(n)` of the terminal `descriptor`, without waiting for Enter and without echo.

    The terminal is as before afterwards, whatever happens. termios.error when it is no terminal.
    """
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor)
        yield lambda size: os.read(descriptor, size)
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
