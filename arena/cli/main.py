"""The commands of tournaments, and the application that all commands belong to."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from arena.cli import bench_commands, bot_commands, learning_commands, position_commands
from arena.cli.arguments import RULES, Arena, AsJson, RunPath, game_id
from arena.errors import Exit, UserError

app = typer.Typer(
    name="arena",
    cls=Arena,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"arena {version('bot-arena')}")
        raise typer.Exit


@app.callback()
def arena(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Play tournaments between board-game bots, and rate them honestly."""


@app.command()
def run(
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help="The tournament.")],
    store: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Where the run is kept.", show_default="runs/NAME.sqlite"
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check the file and estimate the time; play nothing.")
    ] = False,
) -> None:
    """Play a tournament. Stop it anywhere; the same command goes on."""
    from arena.cli.file_kinds import Kind, refuse_other
    from arena.reports.playing import play_config, preview_config
    from arena.tournament.config_file import load_config
    from arena.tournament.ready import ready
    from players.catalogue import BUILTINS

    refuse_other(file, Kind.TOURNAMENT)
    config = ready(load_config(file, BUILTINS), file)
    if dry_run:
        preview_config(config, store)
    else:
        raise typer.Exit(play_config(config, BUILTINS, store))


class CsvTable(StrEnum):
    """What a CSV report may hold."""

    PLAYERS = "players"
    CROSSTABLE = "crosstable"
    RESULTS = "results"


@app.command()
def report(
    run: RunPath,
    json: Annotated[
        bool, typer.Option("--json", help="As JSON; its keys: arena schema --report.")
    ] = False,
    csv: Annotated[CsvTable | None, typer.Option(help="As CSV: one of these tables.")] = None,
) -> None:
    """Show the standings of a run, also while it is played."""
    from arena.cli import reporting

    if json and csv is not None:
        raise UserError("--json and --csv exclude each other; give one of them")
    if json:
        typer.echo(reporting.as_json(run), nl=False)
    elif csv is not None:
        typer.echo(reporting.as_csv(run, csv.value), nl=False)
    else:
        reporting.on_terminal(run)


@app.command()
def replay(
    run: RunPath,
    game: Annotated[
        str,
        typer.Argument(metavar="GAME", help="The game's id, as g0001 or 1.", callback=game_id),
    ],
    all_: Annotated[
        bool, typer.Option("--all", help="Print the whole game instead of stepping by keys.")
    ] = False,
    form: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="FORM",
            help="For other programs instead: transcript, or record (of dots).",
        ),
    ] = None,
) -> None:
    """Show one game of a run, move by move."""
    from arena.cli import reporting

    if form is None:
        reporting.show_game(run, game, whole=all_)
    else:
        typer.echo(reporting.written_game(run, game, form), nl=False)


@app.command()
def rate(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE.csv", help="Columns first, second, score and, if any, pair."),
    ],
    anchor: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="The player whose Elo is fixed.", show_default="pool mean"
        ),
    ] = None,
    anchor_elo: Annotated[
        float, typer.Option(metavar="ELO", min=-10_000, max=10_000, help="Its Elo.")
    ] = 0.0,
    json: AsJson = False,
) -> None:
    """Rate any list of results."""
    from arena.cli.reporting import rate_file

    rate_file(file, anchor, anchor_elo, as_json=json)


app.add_typer(position_commands.app)
app.add_typer(learning_commands.app)
app.add_typer(bot_commands.app)
app.add_typer(bench_commands.app, name="bench")


@app.command()
def docs(
    page: Annotated[
        str | None,
        typer.Argument(metavar="PAGE", help="One of them.", show_default="a list of all"),
    ] = None,
) -> None:
    """Show the pages of the documentation."""
    from arena.cli import pages

    if page is None:
        pages.show_list()
    else:
        pages.show_page(page)


@app.command()
def schema(
    report: Annotated[bool, typer.Option("--report", help="Of the JSON report instead.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Of the JSON of a check instead.")] = False,
) -> None:
    """Print the player protocol as JSON Schema."""
    import json

    if check:
        from arena.checks.result import schema as document
    elif report:
        from arena.ratings.model import schema as document
    else:
        from arena.model.schema import schema as document
    typer.echo(json.dumps(document(), indent=2))


@app.command()
def warm(
    rules: Annotated[
        list[str] | None, typer.Argument(help="The rule sets.", show_default="all", **RULES)
    ] = None,
) -> None:
    """Compile the built-in players' kernels ahead of time."""
    from arena.tournament.warming import warm_kernels
    from rules import names

    warm_kernels(rules or list(names()))
    typer.echo("The kernels are ready.")


@app.command()
def doctor(json: AsJson = False) -> None:
    """Show what this machine offers to a tournament, each sandbox tried, and what it lacks.

    Exit code 1 when no sandbox gives the guarantees that strangers' programs need.
    """
    from rich.console import Console

    from arena.doctor.facts import facts
    from arena.doctor.show import show

    found = facts()
    if json:
        typer.echo(found.model_dump_json(indent=2))
    else:
        show(found, Console(highlight=False))
    raise typer.Exit(Exit.FAILED if found.missing else Exit.DONE)
