"""Exit codes, and a user's mistakes told as sentences."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum

import typer


class Exit(IntEnum):
    """What the exit code tells a script."""

    DONE = 0
    FAILED = 1
    """A check failed; or games stayed void, by the host's fault, not a player's."""
    USAGE = 2
    """A file, key or argument is wrong."""
    INTERRUPTED = 130
    """Stopped by Ctrl-C; the same command goes on."""


class UserError(Exception):
    """Something the user can mend; its text says what is wrong and what to do."""


@contextmanager
def errors_to_user(unread: Exit = Exit.DONE) -> Iterator[None]:
    """Tell what a user can mend on stderr and exit with 2; Ctrl-C exits with 130. `unread` is the
    code where nobody reads what is shown any more, as in `arena report … | head`.
    """
    try:
        yield
    except _mendable() as error:
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


def _mendable() -> tuple[type[Exception], ...]:
    """What the rooms raise when a user can mend it; imported only once something went wrong."""
    from arena.bench import BenchError
    from arena.bots.errors import PackageError, SubmissionError
    from arena.referee.sandbox.choose import SandboxError
    from arena.reports.rate import RateError
    from arena.reports.replay import ReplayError
    from arena.reports.transcript import TranscriptError
    from arena.toml.file import FileError
    from arena.tournament.executor import ExecutorError
    from arena.tournament.settings import ConfigError
    from arena.tournament.store import StoreError

    return (
        *(UserError, BenchError, ConfigError, ExecutorError, StoreError),
        *(RateError, ReplayError, SandboxError, TranscriptError),
        *(FileError, PackageError, SubmissionError),
    )
