"""The command line. Commands import what they need when they run: `arena --help` is quick."""

from typing import Annotated

import typer

from arena.cli import (
    bot_commands,
    machine_commands,
    playing_commands,
    position_commands,
    run_commands,
)
from arena.cli.group import Arena
from arena.cli.output import say

app = typer.Typer(
    name="arena",
    cls=Arena,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # typer's frames are half of the time of `arena --help`
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
app.add_typer(playing_commands.app)
app.add_typer(run_commands.app)
app.add_typer(position_commands.app)
app.add_typer(position_commands.openings_app, name="openings")
app.add_typer(bot_commands.app)
app.add_typer(bot_commands.course_app, name="course")
app.add_typer(bot_commands.bots_app, name="bots")
app.add_typer(machine_commands.app)
app.add_typer(machine_commands.bench_app, name="bench")


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        say(f"arena {version('bot-arena')}")
        raise typer.Exit


@app.callback()
def arena(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Play tournaments between board-game bots, and rate them honestly."""
