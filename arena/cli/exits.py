"""Errors shown to the user, and the exit codes they end with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from arena.errors import ArenaError, Exit


@contextmanager
def errors_to_user(unread: Exit = Exit.DONE) -> Iterator[None]:
    """Tell what a user can mend on stderr and exit with 2; Ctrl-C exits with 130. `unread` is the
    code where nobody reads what is shown any more, as in `arena report … | head`.
    """
    try:
        yield
    except ArenaError as error:
        typer.secho(str(error), err=True, fg="red")
        raise typer.Exit(Exit.USAGE) from None
    except KeyboardInterrupt:
        typer.echo("Interrupted.", err=True)
        raise typer.Exit(Exit.INTERRUPTED) from None
    except SystemExit as error:
        if isinstance(error.code, str):  # a player in this process tells its mistake so
            typer.secho(error.code, err=True, fg="red")
            raise typer.Exit(Exit.USAGE) from None
        raise typer.Exit(unread) from None  # rich ends so where a pipe is read by nobody
    except BrokenPipeError:
        raise typer.Exit(unread) from None
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        typer.secho(f"{where}{error.strerror}", err=True, fg="red")
        raise typer.Exit(Exit.USAGE) from None
