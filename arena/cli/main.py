"""The commands of tournaments, and the application that all commands belong to."""

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from arena.cli import (
    bench_commands,
    bot_commands,
    course_commands,
    learning_commands,
    position_commands,
)
from arena.cli.arguments import (
    RULES,
    Arena,
    AsJson,
    RunPath,
    argument,
    console,
    flag,
    option,
    refuse_other,
    refuse_unknown,
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
) -> None:
    """Play a tournament. Stop it anywhere; the same command goes on."""
    from arena.reports.playing import play_config, preview_config
    from arena.tournament.ready import load_to_go_on
    from players.catalogue import BUILTINS

    refuse_other(file, "run")
    config = load_to_go_on(file, BUILTINS, store, take_new=take_new, without=without or ())
    if dry_run:
        preview_config(config, store)
    else:
        raise typer.Exit(play_config(config, BUILTINS, store, replay_damaged=replay_damaged))


@app.command()
def report(
    run: RunPath,
    json: Annotated[bool, flag("--json", "As JSON; its keys: arena schema --report.")] = False,
    csv: Annotated[
        Literal["players", "ranking", "crosstable", "results", "games"] | None,
        typer.Option(help="As CSV: one of these tables."),
    ] = None,
) -> None:
    """Show the standings of a run, also while it is played."""
    from arena.ratings.results import results_of
    from arena.reports import csv_report, terminal, words
    from arena.reports.games import seen_by_each
    from arena.tournament.run_view import RunView

    if json and csv is not None:
        raise UserError("--json and --csv exclude each other; give one of them")
    with RunView(run) as view:
        if json:
            say_json(view.standings.model_dump_json(indent=2))
            return
        for line in words.about_damage(view.standings) if csv else ():
            say(line, err=True)
        if csv == "players":
            say(csv_report.players(view.standings), nl=False)
        elif csv == "crosstable":
            say(csv_report.crosstable(view.standings), nl=False)
        elif csv == "ranking":
            say(csv_report.ranking(view.standings), nl=False)
        elif csv == "results":
            say(csv_report.results(results_of(view.rated), view.label), nl=False)
        elif csv == "games":
            both = (row for game in view.games for row in seen_by_each(game))
            say(csv_report.games(both), nl=False)
        else:
            terminal.show(view.standings, console())


@app.command()
def games(
    run: RunPath,
    player: Annotated[str | None, option("NAME", "Games of this player.")] = None,
    against: Annotated[str | None, option("NAME", "Against this opponent.")] = None,
    side: Annotated[
        Literal["first", "second"] | None, typer.Option(help="Where it moved first, or second.")
    ] = None,
    won: Annotated[bool, flag("--won", "Games it won.")] = False,
    drawn: Annotated[bool, flag("--drawn", "Games it drew.")] = False,
    lost: Annotated[bool, flag("--lost", "Games it lost.")] = False,
    ending: Annotated[
        str | None,
        option("WORD", "That ended so: natural, illegal_move, timeout, …; forfeit is any fault."),
    ] = None,
    sort: Annotated[
        Literal["slowest", "longest"] | None,
        typer.Option(help="Those with the slowest move, or the most plies, first."),
    ] = None,
    csv: Annotated[bool, flag("--csv", "As CSV.")] = False,
    json: AsJson = False,
) -> None:
    """List the games of a run, as one of its players saw them.

    For example: arena games runs/cup.sqlite --player gnu --lost --against uct
    """
    from arena.reports import csv_report, games_table
    from arena.reports.games import ENDINGS, SIDES, Wanted, as_json, rows
    from arena.tournament.run_view import RunView

    if json and csv:
        raise UserError("--json and --csv exclude each other; give one of them")
    seat = None if side is None else SIDES.index(side)
    results = [word for word, asked in (("won", won), ("drawn", drawn), ("lost", lost)) if asked]
    with RunView(run) as view:
        names = [each.name for each in view.config.players]
        refuse_unknown("--player", player, names)
        refuse_unknown("--against", against, names)
        refuse_unknown("--ending", ending, ENDINGS)
        found = rows(view, Wanted(player, against, seat, results, ending), sort)
    if json:
        say_json(as_json(found))
    elif csv:
        say(csv_report.games(found), nl=False)
    else:
        games_table.show(found, console())


@app.command()
def replay(
    run: RunPath,
    game: Annotated[str, argument("GAME", "The game's id, as g0001 or 1.")],
    all_: Annotated[
        bool, flag("--all", "Print the whole game instead of stepping by keys.")
    ] = False,
    form: Annotated[
        str | None,
        option(
            "FORM",
            "For other programs instead: transcript, record (of dots), or dialogue: what a bot "
            "was sent.",
            "--as",
        ),
    ] = None,
    seat: Annotated[
        int | None,
        option("N", "The bot's, for a dialogue.", show_default="the one that forfeited, else 0"),
    ] = None,
) -> None:
    """Show one game of a run, move by move, with times and what the bots wrote to stderr.

    To meet a fault again under a debugger:
    arena replay runs/cup.sqlite 12 --as dialogue --seat 0 | python bot.py
    """
    from arena.records import FORMS
    from arena.records.dialogue import dialogue
    from arena.reports import replay
    from arena.tournament.run_view import recorded_game

    refuse_unknown("--as", form, (*FORMS, "dialogue"))
    if seat is not None and form != "dialogue":
        raise UserError("--seat: give it with --as dialogue")
    config, record = recorded_game(run, game)
    screen = console()
    if form == "dialogue":
        say_json(dialogue(config, record, seat))
    elif form is not None:
        say_json(FORMS[form](record, config.name))
    elif all_ or not (screen.is_terminal and sys.stdin.isatty()):
        replay.dump(record, screen)
    else:
        with replay.keys(sys.stdin.fileno()) as read_key:
            replay.step(record, screen, read_key)


@app.command()
def rate(
    file: Annotated[Path, argument("FILE.csv", "Columns first, second, score and, if any, pair.")],
    anchor: Annotated[
        str | None, option("NAME", "The player whose Elo is fixed.", show_default="pool mean")
    ] = None,
    anchor_elo: Annotated[float, option("ELO", "Its Elo.", min=-10_000, max=10_000)] = 0.0,
    json: AsJson = False,
) -> None:
    """Rate any list of results."""
    from arena.ratings.standings import standings_of_results
    from arena.reports import csv_report, terminal

    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise UserError(f"{file}: cannot be read: {reason}") from None
    results = csv_report.read_results(text, str(file))
    names = {name for result in results for name in result[:2]}
    if anchor is not None and anchor not in names:
        raise UserError(
            f'--anchor: no player "{anchor}" in {file}; there are: {", ".join(sorted(names))}'
        )
    rated = standings_of_results(results, name=file.stem, anchor=anchor, anchor_elo=anchor_elo)
    if json:
        say_json(rated.model_dump_json(indent=2))
    else:
        terminal.show(rated, console())


app.add_typer(position_commands.app)
app.add_typer(learning_commands.app)
app.add_typer(bot_commands.app)
app.add_typer(course_commands.course_app, name="course")
app.add_typer(course_commands.bots_app, name="bots")
app.add_typer(bench_commands.app, name="bench")


@app.command()
def docs(
    page: Annotated[
        str | None, argument("PAGE", "One of them.", show_default="a list of all")
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
    report: Annotated[bool, flag("--report", "Of the JSON report instead.")] = False,
    check: Annotated[bool, flag("--check", "Of the JSON of a check instead.")] = False,
) -> None:
    """Print the player protocol as JSON Schema."""
    import json

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
