"""What all commands share: arguments and options, the help, errors and exit codes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import typer
from typer.core import TyperGroup

from arena.errors import ArenaError, Exit, UserError
from arena.files.plain_text import printable, printable_json

if TYPE_CHECKING:
    from rich.console import Console

    from rules.position import Game

_Found = TypeVar("_Found")
_UNFINISHED = ("match", "run", "sprt", "train", "tune")
"""Commands whose work stays undone when their output's reader is gone."""


class Arena(TyperGroup):
    """All commands, or those of a group. A command returns its exit code; each error is one
    sentence.
    """

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run, also where stdout has no character for a dash or a frame."""
        if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.encoding.lower() != "utf-8":
            sys.stdout.reconfigure(errors="replace")
        return super().main(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        """Run a command. What a user can fix is shown on stderr, with exit code 2."""
        with _told(ctx):
            raise typer.Exit(super().invoke(ctx) or Exit.DONE)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; without any, show the help."""
        with _told(ctx):
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

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands in the help, each with its whole first paragraph."""
        with formatter.section("Commands"):
            formatter.write_dl(
                [
                    (name, " ".join(self.get_command(ctx, name).help.partition("\n\n")[0].split()))
                    for name in self.list_commands(ctx)
                ]
            )


_UsageError: Any = typer.BadParameter.__mro__[1]
"""The error of arguments, which typer does not export."""


@contextmanager
def _told(ctx: Any) -> Iterator[None]:
    """Errors become a sentence and an exit code."""
    asks_help = {"-h", "--help"}.intersection(ctx.args)  # a command takes them away
    try:
        yield
    except _UsageError as error:
        param = getattr(error, "param", None)
        if param is not None and (wrong := _reworded(error)):
            raise _refused(f"{_place(param)}: {wrong}") from None
        error.message = printable(error.message)
        raise
    except ArenaError as error:
        raise _refused(str(error)) from None
    except (KeyboardInterrupt, RuntimeError) as error:
        # Python 3.11 covers what is raised while a class is made, as Ctrl-C in an import.
        if not isinstance(error.__cause__ or error, KeyboardInterrupt):
            raise
        say("Interrupted.", err=True)
        raise typer.Exit(Exit.INTERRUPTED) from None
    except (SystemExit, BrokenPipeError) as error:
        code = getattr(error, "code", None)
        if isinstance(code, str):  # a player in this process reports its mistake so
            raise _refused(code) from None
        # The reader of stdout is gone, as in `arena report … | head`: rich exits so too.
        unfinished = ctx.invoked_subcommand in _UNFINISHED and not asks_help
        if unfinished:
            with suppress(OSError):  # stderr may be the same pipe
                said = "Stopped: what reads the output is gone. Give the command again to go on."
                say(said, err=True)
        raise typer.Exit(Exit.INTERRUPTED if unfinished else Exit.DONE) from None
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise _refused(f"{where}{error.strerror or error}") from None


def _refused(sentence: str) -> typer.Exit:
    """The exit after a mistake, which is shown."""
    typer.secho(printable(sentence, keep="\n"), err=True, fg="red")
    return typer.Exit(Exit.USAGE)


def _tidied(params: list[Any]) -> list[Any]:
    """Flags and arguments without a type, and defaults in words without brackets of their own."""
    for param in params:
        if param.param_type_name == "argument":
            param.display_type_rich = lambda ctx: None
        if getattr(param, "is_flag", False) and param.metavar is None:
            param.metavar = ""
        if isinstance(param.show_default, str):
            param.help += f"  [default: {param.show_default}]"
            param.show_default = False
    return params


def _place(param: Any) -> str:
    """How an option or argument is named in a sentence."""
    return next((each for each in param.opts if each.startswith("--")), str(param.name))


def _reworded(error: Any) -> str | None:
    """What a value must be, and what it is; None for another mistake, such as a missing value."""
    from pydantic import ValidationError

    from arena.files.toml import read_value
    from arena.files.toml_tables import shown

    if not isinstance(error.__cause__, ValidationError):
        return None
    found = error.__cause__.errors()[0]
    if choices := error.param.type_descriptor.choices:
        return _one_of(choices, found["input"])
    said = found["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    must = said.partition(", unable to parse")[0]
    return f"must be {must}, got {shown(read_value(str(found['input'])))}"


def _one_of(known: Collection[str], got: str) -> str:
    """What a value must be, and what it is."""
    from arena.files.toml_tables import nearest, shown

    return f"must be one of {', '.join(known)}, got {shown(got)}{nearest(got, known)}"


def refuse_unknown(option: str, got: str | None, known: Collection[str]) -> None:
    """Raise UserError where the value of an option is given and none of those known."""
    if got is not None and got not in known:
        raise UserError(f"{option}: {_one_of(known, got)}")


def refuse_together(**options: object) -> None:
    """Raise UserError where more than one of the options is given."""
    given = [f"--{name.rstrip('_')}" for name, each in options.items() if each not in (None, False)]
    if len(given) > 1:
        raise UserError(f"{given[0]} and {given[1]} exclude each other; give one of them")


def argument(metavar: str, help: str, **more: Any) -> Any:
    """An argument."""
    return typer.Argument(metavar=metavar, help=help, **more)


def option(metavar: str | None, help: str, *names: str, **more: Any) -> Any:
    """An option with a value; without a metavar, one of a few, which the help lists."""
    return typer.Option(*names, metavar=metavar, help=help, **more)


def flag(name: str, help: str) -> Any:
    """An option without a value."""
    return typer.Option(name, help=help)


def _known_rules(context: typer.Context, param: typer.CallbackParam, value: Any) -> Any:
    """The value, where each name in it is a rule set. Raises UserError."""
    from rules import names  # when a value is judged: `arena --help` loads no rules

    for name in [value] if isinstance(value, str) else value or ():
        refuse_unknown(_place(param), name, names())
    return value


def _complete_rules(begun: str) -> list[str]:
    from rules import names

    return [name for name in names() if name.startswith(begun)]


RULES: dict[str, Any] = {"callback": _known_rules, "autocompletion": _complete_rules}
"""What an argument or option that takes rule sets is declared with."""
RULES_HELP = "The rule set: othello, dots, 2048, 2584, or one that a package registers."
Sandbox = Literal["auto", "bwrap", "limits", "none"]
AsJson = Annotated[bool, flag("--json", "As JSON.")]
Insecure = Annotated[
    bool, flag("--insecure", "Reach a scheduler elsewhere without TLS, on a network of your own.")
]
KeyValues = list[str] | None
GameSettings = Annotated[
    KeyValues,
    option(
        "KEY=VALUE",
        "A setting of the game, as preset=cornerless or rows=3; may be repeated.",
        "--set",
    ),
]


def say(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print a text, whatever others wrote in it."""
    typer.echo(printable(text, keep="\n"), err=err, nl=nl)


def say_json(document: str) -> None:
    """Print a JSON document, or a game in a form of other programs."""
    _write_utf8()
    typer.echo(printable_json(document.rstrip("\n")))


def say_csv(table: str) -> None:
    """Print a table as CSV."""
    _write_utf8()
    say(table, nl=False)


def _write_utf8() -> None:
    """Have stdout take every name as it is, whatever the locale: a program reads it."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")


def console(**settings: Any) -> Console:
    """The terminal, or what stdout is; rich is loaded when it is used."""
    from arena.files.console import PlainConsole

    return PlainConsole(**settings)


def show(found: _Found, draw: Callable[[_Found, Console], object], *, json: bool) -> None:
    """Print what a command found, a model or a dataclass or a list of them: as JSON, or drawn."""
    if json:
        from pydantic_core import to_json

        say_json(to_json(found, indent=2, by_alias=False).decode())
    else:
        draw(found, console())


def complain(lines: Iterable[object]) -> Exit:
    """Say on stderr what could not be read or done; the exit code is FAILED where that is so."""
    code = Exit.DONE
    for line in lines:
        say(str(line), err=True)
        code = Exit.FAILED
    return code


def load_game(name: str, settings: Sequence[str] | None, **more: Any) -> Game:
    """The game of a rule set with the settings of `--set`, before `more`. Raises UserError."""
    import rules
    from arena.files.toml import read_pairs

    try:
        return rules.load(name, **more | read_pairs("--set", settings))
    except ValueError as error:
        raise UserError(f"--set: {error}") from None
