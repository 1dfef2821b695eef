"""What all commands share: arguments and options, the help, errors and exit codes."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from arena.errors import ArenaError, Exit, UserError

if TYPE_CHECKING:
    from rules.position import Game

_RESUMABLE = ("run", "sprt", "train", "tune")
"""Commands whose work stays undone when their output's reader is gone; the same command goes on."""


class Arena(TyperGroup):
    """All commands, or those of `arena bench`. Each error is one sentence."""

    def invoke(self, ctx: Any) -> Any:
        """Parse and run a command."""
        with _errors_to_user(lambda: _unread(ctx.invoked_subcommand)):
            try:
                return super().invoke(ctx)
            except typer.BadParameter as error:
                wrong = _reworded(error)
                if wrong is None or error.param is None:
                    raise
                raise _refused(f"{_place(error.param)}: {wrong}") from None

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; without any, show the help."""
        if not args and not ctx.resilient_parsing:
            typer.echo(ctx.get_help())
            raise typer.Exit
        return super().parse_args(ctx, args)

    def get_params(self, ctx: Any) -> list[Any]:
        """The group's own options."""
        return _tidied(super().get_params(ctx))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command by its name."""
        command = super().get_command(ctx, cmd_name)
        if command is not None:
            _tidied(command.get_params(ctx))
        return command


def _unread(command: str | None) -> Exit:
    return Exit.INTERRUPTED if command in _RESUMABLE else Exit.DONE


@contextmanager
def _errors_to_user(unread: Callable[[], Exit]) -> Iterator[None]:
    """Show what a user can fix on stderr and exit with 2; Ctrl-C exits with 130. `unread` tells
    the code when the reader of stdout is gone, as in `arena report … | head`.
    """
    try:
        yield
    except ArenaError as error:
        raise _refused(str(error)) from None
    except KeyboardInterrupt:
        typer.echo("Interrupted.", err=True)
        raise typer.Exit(Exit.INTERRUPTED) from None
    except SystemExit as error:
        if isinstance(error.code, str):  # a player in this process reports its mistake so
            raise _refused(error.code) from None
        raise typer.Exit(unread()) from None  # rich exits so when the pipe's reader is gone
    except BrokenPipeError:
        raise typer.Exit(unread()) from None
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise _refused(f"{where}{error.strerror}") from None


def _refused(sentence: str) -> typer.Exit:
    """The exit after a mistake, which is shown."""
    typer.secho(sentence, err=True, fg="red")
    return typer.Exit(Exit.USAGE)


def _tidied(params: list[Any]) -> list[Any]:
    """Flags and arguments without a type, and defaults in words without brackets of their own."""
    for param in params:
        if param.param_type_name == "argument":
            param.display_type_rich = lambda ctx: None
        if getattr(param, "is_flag", False) and param.metavar is None:
            param.metavar = ""
        if isinstance(param.show_default, str):
            param.help += rf" [dim]\[default: {param.show_default}][/dim]"
            param.show_default = False
    return params


def _place(param: Any) -> str:
    """How an option or argument is named in a sentence."""
    return next((each for each in param.opts if each.startswith("--")), str(param.name))


def _reworded(error: typer.BadParameter) -> str | None:
    """What a value must be, and what it is; None for another mistake, such as a missing value."""
    from pydantic import ValidationError

    from arena.files.toml_tables import shown

    cause = error.__cause__
    if not isinstance(cause, ValidationError):
        return None
    found = cause.errors()[0]
    said = found["msg"].removeprefix("Value error, ")
    choice = re.fullmatch(r"'(?P<got>.*)' is not one of (?P<known>.*)\.", said)
    if choice is not None:
        return _one_of(re.findall(r"'([^']*)'", choice["known"]), choice["got"])
    must = said.removeprefix("Input should be ").partition(", unable to parse")[0]
    return f"must be {must}, got {shown(read_value(str(found['input'])))}"


def _one_of(known: Iterable[str], got: str) -> str:
    from arena.files.toml_tables import nearest, shown

    known = list(known)
    return f"must be one of {', '.join(known)}, got {shown(got)}{nearest(got, known)}"


# Rule sets, by name. They are looked up when a value is judged: `arena --help` loads no rules.


def _known_rules(context: typer.Context, param: typer.CallbackParam, value: Any) -> Any:
    """The value, where each name in it is a rule set. Raises UserError."""
    from rules import names

    for name in [value] if isinstance(value, str) else value or ():
        if name not in names():
            raise UserError(f"{_place(param)}: {_one_of(names(), name)}")
    return value


def _complete_rules(begun: str) -> list[str]:
    from rules import names

    return [name for name in names() if name.startswith(begun)]


RULES: dict[str, Any] = {
    "metavar": "RULES",
    "callback": _known_rules,
    "autocompletion": _complete_rules,
}
"""What an argument or option that takes rule sets is declared with."""
RULES_HELP = "The rule set: othello, dots, 2048, 2584, or one that a package registers."


class Sandbox(StrEnum):
    """How a bot may be contained."""

    AUTO = "auto"
    BWRAP = "bwrap"
    LIMITS = "limits"
    NONE = "none"


def game_id(typed: str | None) -> str | None:
    """A game's id, which may be typed as its number alone: `g0001` for 1."""
    return f"g{typed:0>4}" if typed is not None and typed.isdecimal() else typed


RunPath = Annotated[Path, typer.Argument(metavar="RUN", help="A run's file, runs/NAME.sqlite.")]
RulesName = Annotated[str, typer.Argument(help=RULES_HELP, **RULES)]
GameSettings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="A setting of the game, as preset=cornerless or rows=3; may be repeated.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="As JSON.")]


# `--set key=value` and `--option key=value`: what a tournament file says in tables.


def read_pairs(option: str, pairs: Iterable[str] | None) -> dict[str, Any]:
    """The table that `option key=value …` stands for.

    A value is read as in a tournament file; what is no number, boolean, list or quoted string is
    a string without its quotes. Raises UserError.
    """
    table: dict[str, Any] = {}
    for pair in pairs or ():
        key, equals, text = pair.partition("=")
        if not equals or not key.strip():
            raise UserError(f"{option} takes key=value, not {pair!r}")
        table[key.strip()] = read_value(text.strip())
    return table


def read_value(text: str) -> Any:
    """What a tournament file would have after `key =`; the text itself where that is nothing."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def load_game(name: str, settings: Mapping[str, Any]) -> Game:
    """The game of a rule set with the settings of `--set`. Raises UserError."""
    import rules

    try:
        return rules.load(name, **settings)
    except ValueError as error:
        raise UserError(f"--set: {error}") from None
