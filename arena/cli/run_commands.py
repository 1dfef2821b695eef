"""The commands that read a run: `arena report`, `games`, `replay`, `rate`, `export`, `import`."""

from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from arena.cli.options import (
    AsJson,
    GameSettings,
    argument,
    flag,
    load_game,
    option,
    refuse_together,
    refuse_unknown,
    rules_option,
)
from arena.cli.output import complain, console, say, say_csv, say_game, say_json, show
from arena.errors import Exit, UserError

app = typer.Typer()

RunPath = Annotated[Path, argument("RUN", "A run's file, runs/NAME.sqlite.")]
FormName = Annotated[
    str | None, option("FORM", "The form of the file.  [default: by the end of its name]", "--as")
]


@app.command()
def report(
    run: RunPath,
    json: Annotated[bool, flag("--json", "As JSON; arena schema --report has its keys.")] = False,
    csv: Annotated[
        Literal["players", "ranking", "owners", "crosstable", "results", "games"] | None,
        option(None, "One of these tables, as CSV."),
    ] = None,
    html: Annotated[
        Path | None,
        option("FILE", "As one page for a browser, with every game and what bots wrote to stderr."),
    ] = None,
    for_: Annotated[
        str | None,
        option("OWNER", "With --html: show stderr and words of this owner's bots only.", "--for"),
    ] = None,
    public: Annotated[
        bool, flag("--public", "With --html: leave out what bots wrote to stderr.")
    ] = False,
    anonymous: Annotated[
        bool, flag("--anonymous", "As --public, with neutral names instead of the bots' own.")
    ] = False,
    without: Annotated[
        list[str] | None,
        option("BOT", "Leave out this bot, with all its versions and games; may be repeated."),
    ] = None,
) -> Exit:
    """Show the standings of a run, also while it is played.

    A page to publish: arena report runs/cup.sqlite --html cup.html --public

    Exit code 1 where games are damaged and not counted; they are named.
    """
    from arena.reports import csv_report, terminal, words
    from arena.tournament.run_view import RunView

    refuse_together(json=json, csv=csv, html=html)
    refuse_together(for_=for_, public=public)
    refuse_together(for_=for_, anonymous=anonymous)
    if html is None and (for_ or public or anonymous):
        raise UserError("--for, --public and --anonymous are for --html; give --html FILE too")
    if html is not None:
        from arena.reports.html import one_file

        uncounted, lost = one_file.publish(
            run, html, for_, without or (), public=public, anonymous=anonymous
        )
        say(f"{html}: {html.stat().st_size / 1000:,.0f} kB, needs no network")
    else:
        with RunView(run, without or ()) as view:
            if csv is None:
                show(view.standings, partial(terminal.show, played_at=view.played_at), json=json)
            else:
                say_csv(csv_report.table(*csv_report.TABLES[csv](view)))
            uncounted, lost = view.damaged, view.lost_records
    complain(words.about_lost_records(lost))
    if csv or html or json:  # on the terminal the standings name them
        complain(words.about_damage(uncounted))
    return Exit.FAILED if uncounted else Exit.DONE


@app.command()
def games(
    run: RunPath,
    player: Annotated[str | None, option("NAME", "Games of this player.")] = None,
    against: Annotated[str | None, option("NAME", "Games against this opponent.")] = None,
    side: Annotated[
        Literal["first", "second"] | None,
        option(None, "Games in which the player moved first, or second."),
    ] = None,
    won: Annotated[bool, flag("--won", "Games that the player won.")] = False,
    drawn: Annotated[bool, flag("--drawn", "Games that the player drew.")] = False,
    lost: Annotated[bool, flag("--lost", "Games that the player lost.")] = False,
    ending: Annotated[
        str | None,
        option("WORD", "Games with this ending: natural, timeout, …; forfeit is any fault."),
    ] = None,
    sort: Annotated[
        Literal["slowest", "longest"] | None,
        option(None, "List games with the slowest move, or the most plies, first."),
    ] = None,
    csv: Annotated[bool, flag("--csv", "As CSV.")] = False,
    json: AsJson = False,
) -> Exit:
    """List the games of a run, as one of its players saw them.

    For example: arena games runs/cup.sqlite --player gnu --lost --against uct

    Damaged games are named and left out, with exit code 1.
    """
    from arena.reports import csv_report, games_table
    from arena.reports.games import ENDINGS, GameFilter, rows
    from arena.tournament.run_view import RunView
    from arena.tournament.store_faults import damaged_lines

    refuse_together(json=json, csv=csv)
    results = [word for word, asked in (("won", won), ("drawn", drawn), ("lost", lost)) if asked]
    with RunView(run) as view:
        names = [each.name for each in view.config.players]
        refuse_unknown("--player", player, names)
        refuse_unknown("--against", against, names)
        refuse_unknown("--ending", ending, ENDINGS)
        shown = rows(view, GameFilter(player, against, side, results, ending), sort)
        damaged = damaged_lines(run, view.damaged)
    if csv:
        say_csv(csv_report.table(*csv_report.games(shown)))
    else:
        show(shown, games_table.show, json=json)
    return complain(damaged)


@app.command()
def replay(
    run: RunPath,
    game: Annotated[str, argument("GAME", "The game's id, such as g0001 or 1.")],
    all_: Annotated[
        bool, flag("--all", "Print the whole game instead of stepping through it by keys.")
    ] = False,
    form: Annotated[
        str | None,
        option(
            "FORM",
            "Print it for another program: in a text form of `arena export`, or as dialogue, the "
            "lines that a bot was sent.",
            "--as",
        ),
    ] = None,
    seat: Annotated[
        int | None,
        option("N", "The bot's seat, for a dialogue.  [default: the one that forfeited, else 0]"),
    ] = None,
) -> None:
    """Show one game of a run, move by move, with times and what the bots wrote to stderr.

    To repeat a fault in a debugger:
    arena replay runs/cup.sqlite 12 --as dialogue --seat 0 | python bot.py
    """
    from arena.records import TEXTS
    from arena.records.dialogue import dialogue
    from arena.reports import replay
    from arena.tournament.run_view import recorded_game

    refuse_unknown("--as", form, (*TEXTS, "dialogue"))
    if seat is not None and form != "dialogue":
        raise UserError("--seat is for --as dialogue; give both, or leave --seat out")
    config, record = recorded_game(run, game)
    if form == "dialogue":
        say_json(dialogue(config, record, seat))
    elif form is not None:
        say_game(TEXTS[form](record, config.name))
    else:
        replay.show(record, console(), whole=all_)


@app.command()
def rate(
    file: Annotated[
        Path,
        argument("FILE", "CSV with first, second, score and perhaps pair; or games in any form."),
    ],
    anchor: Annotated[
        str | None, option("NAME", "The player whose Elo is fixed.  [default: pool mean]")
    ] = None,
    anchor_elo: Annotated[float, option("ELO", "The anchor's Elo.", min=-10_000, max=10_000)] = 0.0,
    matched: Annotated[
        bool, flag("--matched", "The results decided who met whom, as in a Swiss or on a ladder.")
    ] = False,
    csv: Annotated[bool, flag("--csv", "As CSV.")] = False,
    json: AsJson = False,
) -> Exit:
    """Rate the players of any list of results.

    In a CSV, first is the player who moved first. If your list is not so, add a column
    named ordered, with no in each line.
    """
    from arena.ratings.standings import standings_of_results
    from arena.reports import csv_report, terminal, words
    from arena.reports.results_file import results_in

    refuse_together(json=json, csv=csv)
    results = results_in(file)
    rated = standings_of_results(
        results.results,
        name=file.stem,
        anchor=anchor,
        anchor_elo=anchor_elo,
        first_mover=results.first_mover,
        matched=matched,
    ).model_copy(update={"repeats": results.repeated})
    if csv:
        say_csv(csv_report.table(*csv_report.players(rated)))
    else:
        show(rated, terminal.show, json=json)
    for line in words.about_list(results):
        say(line, err=True)
    return complain(f"{file}, {each}" for each in results.damaged)


@app.command()
def export(
    run: RunPath,
    out: Annotated[Path, option("FILE", "The file to write; - for stdout, with --as.")],
    form: FormName = None,
) -> Exit:
    """Write the games of a run for other programs.

    Forms: transcript; ggf, wthor, obf, pgn (standard Othello); record, dots (dots and boxes);
    jsonl, parquet (everything). For example:
    arena export runs/cup.sqlite --as ggf --out games.ggf

    Damaged games are named and left out, with exit code 1.
    """
    from arena.records.run_file import export_run, export_text
    from arena.reports.words import count_games
    from arena.tournament.store_faults import damaged_lines

    if str(out) == "-":
        _, damaged = export_text(run, form, say_game)
    else:
        count, damaged = export_run(run, out, form)
        say(f"{out}: {count_games(count)}")
    return complain(damaged_lines(run, damaged))


@app.command("import")
def import_(
    file: Annotated[Path, argument("FILE", "Games that another program wrote.")],
    to: Annotated[Path, option("RUN", "The run to make, runs/NAME.sqlite.")],
    form: FormName = None,
    rules: Annotated[
        str | None, rules_option("The rule set, where the file does not say it.")
    ] = None,
    settings: GameSettings = None,
) -> Exit:
    """Make a run from another program's games, to report, replay, analyse and rate.

    Damaged games are named and left out, with exit code 1.
    """
    from arena.records.run_file import import_run
    from arena.reports.words import count_games

    game = load_game(rules or "othello", settings) if rules or settings else None
    records, damaged = import_run(file, to, form, game)
    say(f"{to}: {count_games(len(records))}")
    return complain(f"{file}, {each}" for each in damaged)
