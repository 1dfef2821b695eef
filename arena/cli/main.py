"""The commands: each takes its arguments, calls the room that does the work, shows the result."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena.cli import bench_commands, bot_commands, sprt_command
from arena.cli.arguments import Arena
from arena.cli.choices import RULES, Form, Table, complete_rule_set, rule_set
from arena.cli.exits import errors_to_user
from arena.errors import Exit, UserError

app = typer.Typer(
    name="arena",
    cls=Arena,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(bench_commands.app, name="bench")
app.add_typer(bot_commands.app)
app.add_typer(sprt_command.app)


RunPath = Annotated[
    Path, typer.Argument(metavar="RUN", help="A run's file, runs/NAME.sqlite.", show_default=False)
]

RulesName = Annotated[
    str,
    typer.Argument(
        parser=rule_set,
        autocompletion=complete_rule_set,
        metavar=RULES,
        help="The rule set: othello, dots, 2048, 2584, or one that a package registers.",
        show_default=False,
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="A setting of the game, as preset=cornerless or rows=3; may be repeated.",
        show_default=False,
    ),
]


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"arena {version('bot-arena')}")
        raise typer.Exit


@app.callback()
def arena(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_version, is_eager=True),
    ] = False,
) -> None:
    """Play tournaments between board-game bots, and rate them honestly."""


@app.command()
def run(
    file: Annotated[
        Path, typer.Argument(metavar="FILE.toml", help="The tournament.", show_default=False)
    ],
    store: Annotated[
        Path | None,
        typer.Option(help="Where the run is kept.", show_default="runs/NAME.sqlite"),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check the file and estimate the time; play nothing.")
    ] = False,
) -> None:
    """Play a tournament. Stop it anywhere; the same command goes on."""
    with errors_to_user(Exit.INTERRUPTED):
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


@app.command()
def report(
    run: RunPath,
    json: Annotated[
        bool, typer.Option("--json", help="As JSON; its keys: arena schema --report.")
    ] = False,
    csv: Annotated[
        Table | None, typer.Option(help="As CSV: one of these tables.", show_default=False)
    ] = None,
) -> None:
    """Show the standings of a run, also while it is played."""
    with errors_to_user():
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
        str, typer.Argument(metavar="GAME", help="The game's id, as g0001.", show_default=False)
    ],
    all_: Annotated[
        bool, typer.Option("--all", help="Print the whole game instead of stepping by keys.")
    ] = False,
    form: Annotated[
        Form | None,
        typer.Option("--as", help="For other programs instead (record: dots).", show_default=False),
    ] = None,
) -> None:
    """Show one game of a run, move by move."""
    with errors_to_user():
        from arena.cli import reporting

        if form is None:
            reporting.show_game(run, game, whole=all_)
        else:
            typer.echo(reporting.written_game(run, game, form.value), nl=False)


@app.command()
def play(
    rules: RulesName,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="PLAYER",
            help="A built-in player, a script's path, or a command of several words.",
            show_default="the strongest that can play",
        ),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="An option of that player.", show_default=False),
    ] = None,
    seat: Annotated[int, typer.Option(min=0, max=1, help="Yours: 0 moves first.")] = 0,
    settings: Settings = None,
    move_ms: Annotated[
        int, typer.Option(min=1, max=1_000_000_000, help="The player's limit for one move.")
    ] = 1000,
    seed: Annotated[
        int | None,
        typer.Option(help="Draws tiles, and the player's seed.", show_default="random"),
    ] = None,
) -> None:
    """Play a game yourself, in the terminal."""
    with errors_to_user():
        from arena.play.play import play

        play(rules, settings or [], against, option or [], seat, move_ms, seed)


@app.command(context_settings={"ignore_unknown_options": True})  # a board may begin with "--"
def analyse(
    what: Annotated[
        str,
        typer.Argument(
            metavar="RULES|RUN", help="A rule set, or a run's file.", show_default=False
        ),
    ],
    position: Annotated[
        str | None,
        typer.Argument(
            help="A transcript, a board and who moves, a state as JSON, @FILE, or - for stdin.",
            show_default="the start",
        ),
    ] = None,
    settings: Settings = None,
    game: Annotated[
        str | None,
        typer.Option(help="Of a run: the game's id, as g0001.", show_default=False),
    ] = None,
    ply: Annotated[
        int | None,
        typer.Option(
            min=0, help="Of that game: after so many moves.", show_default="the last with a choice"
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            min=0.01, max=1e6, help="How long to think about a position.", show_default="5"
        ),
    ] = None,
    within: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Of a whole run: judge the choices with at most so many moves to come.",
            show_default="as many as are solved in about 10 ms",
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Show what each move of a position is worth, or how well a run's endgames were played.

    A rule set takes a position, a run's file a --game.

    A run's file alone: the exact solver judges its endgames, player by player.

    JSON of a position: rules, variant, state, nodes, seconds, and moves,
    each with move, score, exact, depth, pv.

    JSON of a run: run, rules, variant, within, games, and players, each with
    player, judged, mistakes, lost, worst (null, or game, ply, move, best, lost).
    """
    with errors_to_user():
        from arena.analysis import analyse as analysing
        from rules import names

        if what in names() or game is not None or ply is not None:
            if within is not None:
                raise UserError("--within is for a whole run, not for one position")
            found = analysing.find_position(what, position, settings or [], game, ply)
            analysing.show(found, 5.0 if seconds is None else seconds, as_json=json)
        else:
            from arena.analysis.judge import judge_run

            path = analysing.run_path(what, position, settings or [])
            if seconds is not None:
                raise UserError("--seconds is for one position: give --game too, as --game g0001")
            judge_run(path, within, as_json=json)


@app.command()
def rate(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE.csv", help="Columns first, second, score[, pair].", show_default=False
        ),
    ],
    anchor: Annotated[
        str | None, typer.Option(help="The player whose Elo is fixed.", show_default="pool mean")
    ] = None,
    anchor_elo: Annotated[float, typer.Option(min=-10_000, max=10_000, help="Its Elo.")] = 0.0,
    json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Rate any list of results."""
    with errors_to_user():
        from arena.cli.reporting import rate_file

        rate_file(file, anchor, anchor_elo, as_json=json)


@app.command()
def players(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="One of them, in full.", show_default="all, in short"),
    ] = None,
) -> None:
    """List the built-in players and their options."""
    with errors_to_user():
        from arena.cli import listing

        if name is None:
            listing.show_players()
        else:
            listing.show_player(name)


@app.command()
def docs(
    page: Annotated[
        str | None,
        typer.Argument(metavar="PAGE", help="One of them.", show_default="a list of all"),
    ] = None,
) -> None:
    """Show the pages of the documentation."""
    with errors_to_user():
        from arena.cli import pages

        if page is None:
            pages.show_list()
        else:
            pages.show_page(page)


@app.command()
def train(
    file: Annotated[
        Path, typer.Argument(metavar="CONFIG.toml", help="What to learn.", show_default=False)
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Where all of it is kept.", show_default="runs/NAME.train"
        ),
    ] = None,
) -> None:
    """Train a player for 2048 or 2584, or an evaluation for Othello or dots.

    Stop it anywhere; the same command goes on.

    The folder holds the checkpoint, the log, the learning curve as a picture and
    as a table, and at the end the network, which players take as their weights
    or their evaluation.
    """
    with errors_to_user():
        from arena.cli.file_kinds import Kind, refuse_other

        refuse_other(file, Kind.TRAINING)
        from arena.training.train import train

        raise typer.Exit(train(file, out))


@app.command()
def tune(
    file: Annotated[
        Path, typer.Argument(metavar="CONFIG.toml", help="What to tune.", show_default=False)
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Where all of it is kept.", show_default="runs/NAME.tune"
        ),
    ] = None,
    verify: Annotated[
        bool,
        typer.Option("--verify", help="End with two SPRTs of what came of it."),
    ] = False,
) -> None:
    """Tune a player by games against itself. Stop it anywhere; the same command goes on.

    The folder holds the checkpoint, pictures of how the values changed, and
    the player with the best values, ready for a tournament.

    --verify tests whether they are a gain, as they were tuned and at the clock
    that counts. Exit code 1 when a test stays undecided.

    With method = "td" an evaluation is learned, as arena train does and in the
    same folder, and tested against the one that players have by default.
    """
    with errors_to_user():
        from arena.cli.file_kinds import Kind, refuse_other

        refuse_other(file, Kind.TUNING, verify=verify)
        from arena.training.tune import tune

        raise typer.Exit(tune(file, out, verify=verify))


@app.command()
def schema(
    report: Annotated[bool, typer.Option("--report", help="Of the JSON report instead.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Of the JSON of a check instead.")] = False,
) -> None:
    """Print the player protocol as JSON Schema."""
    with errors_to_user():
        import json

        if check:
            from arena.checks.result import schema as document
        elif report:
            from arena.reports.json_report import schema as document
        else:
            from arena.model.schema import schema as document
        typer.echo(json.dumps(document(), indent=2))


@app.command()
def warm(
    rules: Annotated[
        list[str] | None,
        typer.Argument(
            parser=rule_set,
            autocompletion=complete_rule_set,
            metavar=RULES,
            help="Rule sets.",
            show_default="all",
        ),
    ] = None,
) -> None:
    """Compile the built-in players' kernels ahead of time."""
    with errors_to_user():
        from arena.tournament.warming import warm_kernels
        from rules import names

        warm_kernels(rules or names())
        typer.echo("The kernels are ready.")


@app.command()
def doctor(json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False) -> None:
    """Show what this machine offers to a tournament, each sandbox tried, and what it lacks.

    Exit code 1 when no sandbox holds what strangers' programs must be held to.
    """
    with errors_to_user():
        from arena.doctor.doctor import examine

        raise typer.Exit(examine(as_json=json))
