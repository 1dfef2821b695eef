"""The commands of tournaments, and the application that all commands belong to."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli import (
    bench_commands,
    bot_commands,
    course_commands,
    learning_commands,
    position_commands,
    record_commands,
    report_commands,
    web_commands,
)
from arena.cli.arguments import (
    RULES,
    Arena,
    AsJson,
    Insecure,
    On,
    argument,
    console,
    few_of,
    flag,
    option,
    say,
    say_json,
)
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

        say(f"arena {version('bot-arena')}")
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
    file: Annotated[Path, argument("FILE.toml", "The tournament.")],
    store: Annotated[
        Path | None, option("FILE", "Where the run is kept.", show_default="runs/NAME.sqlite")
    ] = None,
    dry_run: Annotated[
        bool, flag("--dry-run", "Check the file and estimate the time; play nothing.")
    ] = False,
    replay_damaged: Annotated[
        bool, flag("--replay-damaged", "Play games again that are damaged in the run's file.")
    ] = False,
    take_new: Annotated[
        bool, flag("--take-new", "Take new bots and versions into a run that has begun.")
    ] = False,
    without: Annotated[
        list[str] | None,
        option("BOT", "Leave a player out from now on; may be repeated."),
    ] = None,
    on: On = None,
    insecure: Insecure = False,
) -> None:
    """Play a tournament. Stop it anywhere; the same command goes on."""
    from arena.reports.playing import play_config, preview_config
    from arena.tournament.file_kinds import refuse_other
    from arena.tournament.ready import load_to_go_on
    from arena.tournament.site import site
    from players.catalogue import BUILTINS

    refuse_other(file, "run")
    with site(on, file, insecure=insecure) as at:
        config = load_to_go_on(
            file, BUILTINS, store, take_new=take_new, without=without or (), site=at
        )
        if dry_run:
            preview_config(config, store, replay_damaged=replay_damaged)
        else:
            code = play_config(config, BUILTINS, store, replay_damaged=replay_damaged, site=at)
            raise typer.Exit(code)


app.add_typer(report_commands.app)


@app.command()
def rate(
    file: Annotated[
        Path,
        argument(
            "FILE",
            "CSV with first, second, score and, if any, pair; PGN; or games in any form.",
        ),
    ],
    anchor: Annotated[
        str | None, option("NAME", "The player whose Elo is fixed.", show_default="pool mean")
    ] = None,
    anchor_elo: Annotated[float, option("ELO", "Its Elo.", min=-10_000, max=10_000)] = 0.0,
    json: AsJson = False,
) -> None:
    """Rate any list of results."""
    from arena.ratings.standings import standings_of_results
    from arena.reports import terminal
    from arena.reports.results_file import results_in

    results, damaged = results_in(file)
    names = {name for result in results for name in result[:2]}
    if anchor is not None and anchor not in names:
        there = few_of(sorted(names), anchor)
        raise UserError(f'--anchor: no player "{anchor}" in {file}; there are: {there}')
    rated = standings_of_results(results, name=file.stem, anchor=anchor, anchor_elo=anchor_elo)
    if json:
        say_json(rated.model_dump_json(indent=2))
    else:
        terminal.show(rated, console())
    for each in damaged:
        say(f"{file}, {each}", err=True)
    raise typer.Exit(Exit.FAILED if damaged else Exit.DONE)


app.add_typer(record_commands.app)
app.add_typer(position_commands.app)
app.add_typer(position_commands.openings_app, name="openings")
app.add_typer(learning_commands.app)
app.add_typer(bot_commands.app)
app.add_typer(course_commands.course_app, name="course")
app.add_typer(course_commands.bots_app, name="bots")
app.add_typer(web_commands.app)
app.add_typer(bench_commands.app, name="bench")


@app.command()
def docs(
    page: Annotated[
        str | None, argument("PAGE", "One of them.", show_default="a list of all")
    ] = None,
) -> None:
    """Show the pages of the documentation."""
    from arena.reports import handbook

    screen = console(highlight=False)
    if page is None:
        handbook.show_list(screen)
    else:
        handbook.show_page(page, screen)


@app.command()
def examples(
    folder: Annotated[
        Path | None,
        argument("FOLDER", "Copy all of them into this new folder.", show_default=False),
    ] = None,
) -> None:
    """List the tournament files that come along, or copy them.

    For example: arena examples tournaments
    """
    from arena.reports import examples

    if folder is None:
        for name, about in examples.listed().items():
            say(f"{name:<36} {about}")
    else:
        examples.copy(folder)
        say(f"{folder}/ has them. Play one with: arena run {folder}/first.toml")


@app.command()
def schema(
    report: Annotated[bool, flag("--report", "Of the JSON report instead.")] = False,
    check: Annotated[bool, flag("--check", "Of the JSON of a check instead.")] = False,
) -> None:
    """Print the player protocol as JSON Schema."""
    import json

    if report and check:
        raise UserError("--report, --check: name one of them")
    if check:
        from arena.checks.result import schema as document
    elif report:
        from arena.ratings.model import schema as document
    else:
        from arena.model.protocol import schema as document
    say_json(json.dumps(document(), indent=2))


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
    say("The kernels are ready.")


@app.command(context_settings={"ignore_unknown_options": True})
def worker(
    address: Annotated[str, argument("ADDRESS", "The scheduler: tls://HOST:PORT.")],
    dask: Annotated[
        list[str] | None, argument("[OPTION]...", "Options of dask worker, as --tls-ca-file FILE.")
    ] = None,
    cores: Annotated[
        int | None, option("N", "Cores to play on.", min=1, show_default="all there are")
    ] = None,
    shared: Annotated[
        bool, flag("--shared", "Other workers have the same cores: to try it, clocks are not fair.")
    ] = False,
    insecure: Insecure = False,
) -> None:
    """Play games for the tournaments of a cluster, on this machine, until it is stopped."""
    from arena.tournament.site import cluster_extra

    with cluster_extra():
        from arena.doctor.worker import become_worker
    become_worker(address, cores, dask or (), insecure=insecure, shared=shared)


@app.command()
def doctor(json: AsJson = False) -> None:
    """Show what this machine offers to a tournament, each sandbox tried, and what it lacks.

    Exit code 1 when no sandbox gives the guarantees that strangers' programs need.
    """
    from arena.doctor.facts import facts, show

    found = facts()
    if json:
        say_json(found.model_dump_json(indent=2))
    else:
        show(found, console(highlight=False))
    raise typer.Exit(Exit.FAILED if found.missing else Exit.DONE)
