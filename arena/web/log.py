"""The log of the server, which is its standard error."""

import sys
from contextlib import suppress


def to_log(sentence: str) -> None:
    """Write a line of it, or none where the disk is full: the server goes on."""
    with suppress(OSError):
        sys.stderr.write(f"{sentence}\n")
