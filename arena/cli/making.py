"""`arena new`: a bot that plays, to begin with."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import typer

from arena.bots.manifest import NAME_RULE, is_name
from arena.bots.starter import write_starter
from arena.errors import UserError


def make(name: str, language: str) -> None:
    """Write the starter into a new folder of that name. Raises UserError."""
    if not is_name(name):
        raise UserError(f'"{name}" cannot name a bot: {NAME_RULE}')
    folder = Path(name)
    more = {}
    if language == "python":
        more["sdk.py"] = (files("players") / "sdk.py").read_text("utf-8")
    try:
        written = write_starter(name, language, folder, more)
    except FileExistsError:
        raise UserError(f"{folder} is there already; choose another name") from None
    except OSError as error:
        raise UserError(f"{folder.absolute()} cannot be written: {error.strerror}") from None
    typer.echo(
        f"{folder}/ holds a bot that plays: {', '.join(written)}\n\n"
        f"  sh {folder}/test.sh                      builds it and asks it for moves\n"
        f"  arena check {folder}                     tells what is wrong with it\n"
        f"  arena submit {folder} --to submissions   checks it and enters it"
    )
