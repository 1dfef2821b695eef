"""`arena submit`: a checked bot becomes a version of a folder of submissions."""

from __future__ import annotations

from pathlib import Path

import typer
from rich.console import Console

from arena.bots.build import build
from arena.bots.package import Bot, open_bot
from arena.bots.submissions import (
    CheckedItem,
    Receipt,
    accept,
    active_version,
    home_for,
    receipt_of,
)
from arena.cli.checking import go_through, hold
from arena.errors import Exit, UserError
from arena.model.containment import Asked


def submit(path: Path, folder: Path, asked: Asked) -> int:
    """Accept the bot at `path` into `folder`; the exit code.

    Exactly these files are not checked again where they have a receipt. Raises PackageError,
    SubmissionError, SandboxError, UserError.
    """
    bot = open_bot(path)
    home_for(bot, folder)  # its errors come before a check of half a minute
    before = active_version(bot, folder)
    receipt = receipt_of(bot, folder)
    if receipt is not None:
        accept(bot.model_copy(update={"build": None}), receipt.checked, folder)
        _tell(bot, receipt, folder, before)
        return Exit.DONE
    held = hold(asked)
    checklist = go_through(path, held, None, Console())
    if not checklist.passed:
        kept = f"; version {before} stays active" if before else ""
        typer.echo(f"\n{bot.name} is not accepted{kept}.", err=True)
        return Exit.FAILED
    if open_bot(path).digest != bot.digest:
        raise UserError(f"{path} was changed while it was checked; submit it again")
    checked = [
        CheckedItem(title=result.title, passed=result.passed, detail=result.detail)
        for result in checklist.results
    ]
    _tell(bot, accept(build(bot, held.mode), checked, folder), folder, before)
    return Exit.DONE


def _tell(bot: Bot, receipt: Receipt, folder: Path, before: str | None) -> None:
    """Show the accepted version and how it takes part."""
    version = receipt.version
    if before == version:
        change = f"version {version}, active already"
    else:
        change = f"version {version}, replaces {before}" if before else f"first version, {version}"
    games = ", ".join(bot.rules) if bot.rules else "not stated (single script)"
    typer.echo(
        f"\nAccepted {bot.name} ({change}).\n"
        f"Games: {games}.\n"
        f"All bots in {folder} take part in a tournament whose file has\n\n"
        f'[[player]]\nfrom = "{folder}"'
    )
