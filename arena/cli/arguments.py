"""What is wrong with an argument or an option, in the words of the files' readers."""

from __future__ import annotations

import re
from typing import Any

import typer
from typer.core import TyperGroup

from arena.errors import Exit


class Arena(TyperGroup):
    """All commands. A value that an option does not take is told in a line, as those that the
    commands find are, not in the words of the libraries.
    """

    def invoke(self, ctx: Any) -> Any:
        """Parse and run a command."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            wrong = _reworded(error)
            if wrong is None or error.param is None:
                raise
            options = [each for each in error.param.opts if each.startswith("--")]
            place = options[0] if options else error.param.name
            typer.secho(f"{place}: {wrong}", err=True, fg="red")
            raise typer.Exit(Exit.USAGE) from None


def _reworded(error: typer.BadParameter) -> str | None:
    """What a value must be, and what it is; None for another mistake, such as a missing value."""
    from pydantic import ValidationError

    from arena.files.toml_tables import nearest, shown
    from arena.model.settings import read_value

    cause = error.__cause__
    if not isinstance(cause, ValidationError):
        return None
    found = cause.errors()[0]
    said = found["msg"].removeprefix("Value error, ")
    choice = re.fullmatch(r"'(?P<got>.*)' is not one of (?P<known>.*)\.", said)
    if choice is not None:
        words = re.findall(r"'([^']*)'", choice["known"])
        got = shown(choice["got"]) + nearest(choice["got"], words)
        return f"must be one of {', '.join(words)}, got {got}"
    must = said.removeprefix("Input should be ").partition(", unable to parse")[0]
    return f"must be {must}, got {shown(read_value(str(found['input'])))}"
