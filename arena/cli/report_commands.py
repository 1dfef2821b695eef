"""The commands that read a run: `arena report`, `games` and `replay`."""

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from arena.cli.arguments import (
    AsJson,
    RunPath,
    argument,
    console,
    flag,
    option,
    refuse_unknown,
    say,
    say_json,
)
from arena.errors import UserError

app = typer.Typer()


@app.command()
def report(
    run: RunPath,
    json: Annotated[bool, flag("--json", "As JSON; its keys: arena schema --report.")] = False,
    csv: Annotated[
        Literal["players", "ranking", "crosstable", "results", "games"] | None,
        typer.Option(help="As CSV: one of these tables."),
    ] = None,
    html: Annotated[
        Path | None,
        option("FILE", "As one page for a browser, with every game and what bots wrote to stderr."),
    ] = None,
    for_: Annotated[
        str | None,
        option("OWNER", "That page with the stderr and words of this owner's bots alone.", "--for"),
    ] = None,
    public: Annotated[
        bool, flag("--public", "That page without what bots wrote to stderr.")
    ] = False,
    anonymous: Annotated[
        bool, flag("--anonymous", "The same, and neutral names instead of the bots' own.")
    ] = False,
    without: Annotated[
        list[str] | None,
        option("BOT", "Leave this bot and its games out of that page; may be given again."),
    ] = None,
) -> None:
    """Show the standings of a run, also while it is played.

    A page to publish: arena report runs/cup.sqlite --html cup.html --public
    """
    from arena.reports import csv_report, terminal, words
    from arena.reports.html import one_file
    from arena.tournament.run_view import RunView

    _refuse_both({"--json": json, "--csv": csv is not None, "--html": html is not None})
    _refuse_both({"--for": for_ is not None, "--public": public})
    _refuse_both({"--for": for_ is not None, "--anonymous": anonymous})
    if html is not None:
        lost = one_file.publish(run, html, for_, without or (), public=public, anonymous=anonymous)
        say(f"{html}: {html.stat().st_size / 1000:,.0f} kB, needs no network")
    elif for_ or public or anonymous or without:
        raise UserError("--for, --public, --anonymous and --without: give them with --html FILE")
    else:
        with RunView(run) as view:
            if json:
                say_json(view.standings.model_dump_json(indent=2))
            elif csv is not None:
                say(csv_report.TABLES[csv](view), nl=False)
                for line in words.about_damage(view.standings):
                    say(line, err=True)
            else:
                terminal.show(view.standings, console(), view.played_at)
            lost = view.lost_records
    for line in words.about_lost_records(lost):
        say(line, err=True)


def _refuse_both(options: dict[str, bool]) -> None:
    given = [name for name, is_given in options.items() if is_given]
    if len(given) > 1:
        raise UserError(f"{given[0]} and {given[1]} exclude each other; give one of them")


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

    _refuse_both({"--json": json, "--csv": csv})
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
            "For other programs instead: transcript, ggf, pgn, record or dots (of dots), jsonl, or "
            "dialogue: what a bot was sent.",
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
    from arena.records import TEXTS
    from arena.records.dialogue import dialogue
    from arena.reports import replay
    from arena.tournament.run_view import recorded_game

    refuse_unknown("--as", form, (*TEXTS, "dialogue"))
    if seat is not None and form != "dialogue":
        raise UserError("--seat: give it with --as dialogue")
    config, record = recorded_game(run, game)
    screen = console()
    if form == "dialogue":
        say_json(dialogue(config, record, seat))
    elif form is not None:
        say_json(TEXTS[form](record, config.name))
    elif all_ or not (screen.is_terminal and sys.stdin.isatty()):
        replay.dump(record, screen)
    else:
        with replay.keys(sys.stdin.fileno()) as read_key:
            replay.step(record, screen, read_key)
