"""Imports of many modules, and of what may not be installed; modules run as programs."""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from arena.errors import UserError


@contextmanager
def many_imports() -> Iterator[None]:
    """Import without the garbage collector, which would look through what stays again and again: it
    took a seventh of the time. What there is afterwards it leaves alone for good.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


@contextmanager
def extra(name: str, needs: str) -> Iterator[None]:
    """Import the modules of an extra. Raises UserError, begun by `needs`, where one is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith(("arena", "players", "rules")):
            raise
        raise UserError(
            f"{needs} {error.name}; install it with: pip install 'bot-arena[{name}]'"
        ) from None


def module_command(name: str, *arguments: str) -> tuple[str, ...]:
    # -P: files in the folder where it is started shadow no module
    return (sys.executable, "-P", "-m", name, *arguments)
