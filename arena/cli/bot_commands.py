"""The commands for who writes a bot: `arena new`, `check` and `submit`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.choices import RULES, Language, Sandbox, complete_rule_set, rule_set
from arena.cli.exits import errors_to_user

app = typer.Typer()


@app.command()
def new(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The bot's name.", show_default=False)
    ],
    language: Annotated[
        Language, typer.Option("--lang", help="What to write it in.", show_default=False)
    ],
) -> None:
    """Write the start of a new bot: a program that plays, a test, a page of protocol."""
    with errors_to_user():
        from arena.cli.making import make

        make(name, language.value)


@app.command()
def check(
    bot: Annotated[
        Path,
        typer.Argument(
            metavar="BOT",
            help="A script, or a folder or archive with a bot.toml.",
            show_default=False,
        ),
    ],
    json: Annotated[
        bool, typer.Option("--json", help="As JSON; its keys: arena schema --check.")
    ] = False,
    sandbox: Annotated[
        Sandbox, typer.Option(help="What contains it; auto is the strongest there is here.")
    ] = Sandbox.AUTO,
    rules: Annotated[
        list[str] | None,
        typer.Option(
            parser=rule_set,
            autocompletion=complete_rule_set,
            metavar=RULES,
            help="A rule set to check it in; may be repeated.",
            show_default="those it claims",
        ),
    ] = None,
) -> None:
    """Check a bot before a tournament does, and tell what to change."""
    with errors_to_user():
        from arena.cli import checking

        names = tuple(rules) if rules else None
        raise typer.Exit(checking.check(bot, sandbox.value, names, as_json=json))


@app.command()
def submit(
    bot: Annotated[
        Path,
        typer.Argument(metavar="BOT", help="A script, folder or archive.", show_default=False),
    ],
    to: Annotated[
        Path,
        typer.Option("--to", metavar="DIR", help="The submissions.", show_default=False),
    ],
    sandbox: Annotated[
        Sandbox, typer.Option(help="How it is contained while it is built and checked.")
    ] = Sandbox.AUTO,
) -> None:
    """Check a bot, and accept it into a folder of submissions for a tournament."""
    with errors_to_user():
        from arena.cli.submitting import submit

        raise typer.Exit(submit(bot, to, sandbox.value))
