"""A command of the arena, in the process of the tests."""

from typer.testing import CliRunner, Result

from arena.cli import app


def arena(*words: object, typed: str | bytes = "", color: bool = False) -> Result:
    """What the command of these words came to; `typed` is its stdin. Raises what it raised, unless
    that is an exit.
    """
    result = CliRunner().invoke(app, [str(word) for word in words], input=typed, color=color)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result
