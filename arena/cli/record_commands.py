"""The commands between our runs and other people's programs: `arena export`, `import`, `engine`."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from arena.cli.arguments import (
    RULES,
    GameSettings,
    Pairs,
    RunPath,
    argument,
    load_game,
    option,
    say,
)
from arena.errors import Exit

app = typer.Typer()

FormName = Annotated[
    str | None, option("FORM", "The form.", "--as", show_default="by the end of the file's name")
]


def _games(count: int) -> str:
    return f"{count:,} game{'' if count == 1 else 's'}"


@app.command("export")
def export(
    run: RunPath,
    out: Annotated[Path, option("FILE", "Where to write them.")],
    form: FormName = None,
) -> None:
    """Write the games of a run for other programs.

    Forms: transcript; ggf, wthor, obf, pgn (Othello); record, dots (dots and boxes); jsonl,
    parquet (everything). For example: arena export runs/cup.sqlite --as ggf --out games.ggf

    Damaged games are named and left out, with exit code 1.
    """
    from arena.records.run_file import export_run
    from arena.tournament.store_faults import left_out

    found = export_run(run, out, form)
    say(f"{out}: {_games(found.games)}")
    if found.damaged:
        say(left_out(run, found.damaged), err=True)
        raise typer.Exit(Exit.FAILED)


@app.command("import")
def import_(
    file: Annotated[Path, argument("FILE", "Games that another program wrote.")],
    to: Annotated[Path, option("RUN", "The run to make, runs/NAME.sqlite.")],
    form: FormName = None,
    rules: Annotated[
        str | None,
        typer.Option(help="The rule set, where the file does not say it.", **RULES),
    ] = None,
    settings: GameSettings = None,
) -> None:
    """Make a run of another program's games: to report, replay, analyse and rate.

    Damaged games are named and left out, with exit code 1.
    """
    from arena.files.toml import read_pairs
    from arena.records.run_file import import_run

    variant = read_pairs("--set", settings)
    game = load_game(rules or "othello", variant) if rules or variant else None
    found = import_run(file, to, form, game)
    say(f"{to}: {_games(len(found.records))}")
    for damaged in found.damaged:
        say(f"{file}, {damaged}", err=True)
    raise typer.Exit(Exit.FAILED if found.damaged else Exit.DONE)


@app.command()
def engine(
    protocol: Annotated[Literal["nboard", "gtp"], typer.Option(help="What the program speaks.")],
    bot: Annotated[
        str, option("PLAYER", "A built-in player, a script's path, or a command of several words.")
    ] = "alphabeta",
    options: Annotated[Pairs, option("KEY=VALUE", "An option of it.", "--option")] = None,
    settings: GameSettings = None,
    move_ms: Annotated[
        int, option("MS", "Its limit for a move, unless GTP says one.", min=1, max=1_000_000_000)
    ] = 1000,
    seed: Annotated[int | None, option("N", "Its seed.", show_default="random")] = None,
) -> None:
    """Let a player of ours play Othello in another program, which runs this command.

    For example, as an engine of NBoard: arena engine --protocol nboard --bot alphabeta
    """
    from arena.files.toml import read_pairs
    from arena.human.engine import serve

    game = load_game("othello", read_pairs("--set", settings))
    serve(protocol, bot, read_pairs("--option", options), game, move_ms, seed)
