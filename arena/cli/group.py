"""The commands of `arena`, or of a group: the help, errors and exit codes."""

import codecs
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from errno import EAGAIN
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from arena.cli.options import one_of, place
from arena.cli.output import say
from arena.errors import NO_PROCESS, ArenaError, Exit, UnkeptError
from arena.files.plain_text import printable
from arena.files.rights import missing

_UNFINISHED = ("match", "run", "sprt", "train", "tune")
"""Commands whose work stays undone when their output's reader is gone."""
_NO_PROCESS = f"{NO_PROCESS.capitalize()}."
_NO_MEMORY = (
    "More memory is needed than is free: end other programs, or raise its limit "
    "(`ulimit -v`, or `memory.max` of the control group)."
)

_NO_HOME = "The home of this user is not known: name a folder in HOME."
_PLAIN = str.maketrans("–—−·×✓✗", "----x+x")
"""Signs that tell results apart, in ASCII, each as wide as it was."""


def _plain(error: UnicodeError) -> tuple[str, int]:
    """What stands for characters that an encoding lacks, by the way of `codecs`."""
    assert isinstance(error, UnicodeEncodeError)  # stdout is written
    part = error.object[error.start : error.end].translate(_PLAIN)
    return part.encode("ascii", "replace").decode(), error.end


codecs.register_error("arena.plain", _plain)


class Arena(TyperGroup):
    """All commands, or those of a group. Each returns its exit code; an error is one sentence."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run, also where stdout has no character for a dash or a frame."""
        if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.encoding.lower() != "utf-8":
            sys.stdout.reconfigure(errors="arena.plain")
        return super().main(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        """Run a command. What a user can fix is shown on stderr, with exit code 2, or 130."""
        with _errors_shown(ctx):
            raise typer.Exit(super().invoke(ctx) or Exit.DONE)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; without any, show the help."""
        with _errors_shown(ctx):
            if not args and not ctx.resilient_parsing:
                typer.echo(ctx.get_help())
                raise typer.Exit
            return super().parse_args(ctx, args)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command by its name; the help shows no types of its arguments."""
        command: Any = super().get_command(ctx, cmd_name)
        for param in command.params if command else ():
            if param.param_type_name == "argument":
                param.display_type_rich = lambda ctx: None
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands in the help, each with its whole first paragraph."""
        with formatter.section("Commands"):
            names = self.list_commands(ctx)
            helps = {name: self.get_command(ctx, name).help or "" for name in names}  # "" by -OO
            formatter.write_dl([(name, help.partition("\n\n")[0]) for name, help in helps.items()])


_UsageError: Any = typer.BadParameter.__mro__[1]
"""The error of arguments, which typer does not export."""


@contextmanager
def _errors_shown(ctx: Any) -> Iterator[None]:
    """Show an error as a sentence, and exit with its code."""
    asks_help = {"-h", "--help"}.intersection(ctx.args)  # a command takes them away
    try:
        yield
    except typer.Exit:
        raise
    except _UsageError as error:
        param = getattr(error, "param", None)
        if param is not None and (wrong := _reworded(error)):
            raise _refused(f"{place(param)}: {wrong}") from None
        error.message = printable(error.message)
        raise
    except UnkeptError as error:
        raise _refused(str(error), Exit.INTERRUPTED) from None
    except ArenaError as error:
        text, right = str(error), missing(error) or ""
        raise _refused(text if right in text else f"{text}\n{right}") from None
    except KeyboardInterrupt:
        raise _interrupted() from None
    except SystemExit as error:
        _refuse_game_of(error)
        if isinstance(error.code, str):  # a player in this process reports its mistake so
            raise _refused(error.code) from None
        raise _unread(ctx, asks_help) from None  # rich exits so
    except OSError as error:
        from arena.files.console import unread

        if unread(error):
            _refuse_game_of(error)
            raise _unread(ctx, asks_help) from None
        writing = hasattr(error, "characters_written")  # to a stdout that takes no more for now
        if error.errno == EAGAIN and not error.filename and not writing:
            raise _refused(_NO_PROCESS) from None
        where = f"{error.filename}: " if error.filename else _gone()
        sentences = (f"{where}{error.strerror or error}", missing(error))
        raise _refused("\n".join(filter(None, sentences)), _code(error, ctx)) from None
    except MemoryError as error:
        raise _refused(f"{str(error) or 'Out of memory'}. {_NO_MEMORY}") from None
    except Exception as error:
        if _covers_ctrl_c(error):
            raise _interrupted() from None
        if str(error) == "can't start new thread":
            raise _refused(_NO_PROCESS) from None
        if str(error) == "Could not determine home directory.":
            raise _refused(_NO_HOME) from None
        _refuse_game_of(error)
        raise


def _covers_ctrl_c(error: Exception) -> bool:
    """Whether an error is what Ctrl-C became: in an import, as Python covers what is raised while a
    class or a module is made; or in pydantic, which keeps no more than its name.
    """
    from pydantic_core import PydanticSerializationError, SchemaError

    of_pydantic = isinstance(error, PydanticSerializationError | SchemaError)
    return (of_pydantic and "KeyboardInterrupt:" in str(error)) or isinstance(
        error.__cause__, KeyboardInterrupt
    )


def _interrupted() -> typer.Exit:
    say("Interrupted.", err=True)
    return typer.Exit(Exit.INTERRUPTED)


def _unread(ctx: Any, asks_help: Collection[str]) -> typer.Exit:
    """The exit where the reader of stdout is gone, as in `arena report … | head`."""
    unfinished = ctx.invoked_subcommand in _UNFINISHED and not asks_help
    if unfinished:
        with suppress(OSError):  # stderr may be the same pipe or terminal
            stopped = "Stopped: nothing reads the output any more. The same command continues."
            say(stopped, err=True)
    return typer.Exit(Exit.INTERRUPTED if unfinished else Exit.DONE)


def _code(error: OSError, ctx: Any) -> Exit:
    """INTERRUPTED where a full disk took the output of a command that continues."""
    from arena.tournament.store_faults import FULL

    full = error.errno in FULL and ctx.invoked_subcommand in _UNFINISHED
    return Exit.INTERRUPTED if full else Exit.USAGE


def _refuse_game_of(error: BaseException) -> None:
    """End with a sentence where an error comes from the game of a package."""
    from rules import blame

    if reason := blame(error):
        raise _refused(reason) from None


def _gone() -> str:
    """The folder that a command works in, where that was deleted."""
    here = Path("/proc/self/cwd").readlink()
    return f"the folder you are in, {here}: " if here.name.endswith(" (deleted)") else ""


def _refused(sentence: str, code: Exit = Exit.USAGE) -> typer.Exit:
    """The exit after a mistake, which is shown."""
    with suppress(OSError):  # stderr is a file, on the full disk that the sentence is about
        typer.secho(printable(sentence, keep="\n"), err=True, fg="red")
    return typer.Exit(code)


def _reworded(error: Any) -> str | None:
    """A sentence on a wrong value; None for another mistake, such as a missing value."""
    from pydantic import ValidationError

    from arena.files.toml import read_value
    from arena.files.toml_tables import shown

    if not isinstance(error.__cause__, ValidationError):
        return None
    problem = error.__cause__.errors()[0]
    if choices := error.param.type_descriptor.choices:
        return one_of(choices, problem["input"])
    message = problem["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    must = message.partition(", unable to parse")[0]
    return f"must be {must}, got {shown(read_value(str(problem['input'])))}"
