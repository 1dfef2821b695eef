"""The output of commands: texts, documents for programs, and tables drawn by rich."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from arena.errors import Exit
from arena.files.plain_text import printable, printable_json

if TYPE_CHECKING:
    from rich.console import Console

_Found = TypeVar("_Found")


def say(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print a text, whatever others wrote in it."""
    typer.echo(printable(text, keep="\n"), err=err, nl=nl)


def say_json(document: str) -> None:
    """Print a JSON document."""
    _write_utf8()
    typer.echo(printable_json(document.rstrip("\n")))


def say_game(text: str) -> None:
    """Print a game in a form of other programs, as files of them have it."""
    _write_utf8()
    typer.echo(printable_json(text), nl=False)


def say_csv(table: str) -> None:
    _write_utf8()
    say(table, nl=False)


def _write_utf8() -> None:
    """Have stdout take every name as it is, whatever the locale: a program reads it."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")


def console(**settings: Any) -> Console:
    """The terminal or other stdout; rich is loaded when it is used."""
    from arena.files.console import PlainConsole

    return PlainConsole(**settings)


def show(result: _Found, draw: Callable[[_Found, Console], object], *, json: bool) -> None:
    """Print the result of a command, a model or a dataclass or a list of them: as JSON, or
    drawn.
    """
    if json:
        from pydantic_core import to_json

        say_json(to_json(result, indent=2, by_alias=False).decode())
    else:
        draw(result, console())


def complain(lines: Iterable[object]) -> Exit:
    """Print problems on stderr; the exit code is FAILED where there are any."""
    code = Exit.DONE
    for line in lines:
        say(str(line), err=True)
        code = Exit.FAILED
    return code
