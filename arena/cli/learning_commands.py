"""The commands that improve players: `arena train`, `tune` and `sprt`."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from arena.cli.arguments import (
    PLAYER_HELP,
    RULES,
    RULES_HELP,
    GameSettings,
    Insecure,
    On,
    Pairs,
    Sandbox,
    argument,
    console,
    flag,
    option,
)

app = typer.Typer()

_KEPT = "Where all of it is kept."


@app.command()
def train(
    file: Annotated[Path, argument("CONFIG.toml", "What to learn.")],
    out: Annotated[Path | None, option("FOLDER", _KEPT, show_default="runs/NAME.train")] = None,
) -> None:
    """Train a player for 2048 or 2584, or an evaluation for Othello or dots.

    Stop it anywhere; the same command goes on.

    The folder holds the checkpoint, the log, the learning curve as a picture and
    as a table, and at the end the network, which players take as their weights
    or their evaluation.
    """
    from arena.tournament.file_kinds import refuse_other

    refuse_other(file, "train")
    from arena.training.train import train

    raise typer.Exit(train(file, out, console()))


@app.command()
def tune(
    file: Annotated[Path, argument("CONFIG.toml", "What to tune.")],
    out: Annotated[Path | None, option("FOLDER", _KEPT, show_default="runs/NAME.tune")] = None,
    verify: Annotated[bool, flag("--verify", "End with two SPRTs of what came of it.")] = False,
    on: On = None,
    insecure: Insecure = False,
) -> None:
    """Tune a player by games against itself. Stop it anywhere; the same command goes on.

    The folder holds the checkpoint, pictures of how the values changed, and
    the player with the best values, ready for a tournament.

    --verify tests whether they are a gain, as they were tuned and at the clock
    that counts. Exit code 1 when a test stays undecided.

    With method = "td" an evaluation is learned, as arena train does and in the
    same folder, and tested against the one that players have by default.
    """
    from arena.tournament.file_kinds import refuse_other

    refuse_other(file, "tune", verify=verify)
    from arena.tournament.site import site
    from arena.training.tune import tune

    with site(on, insecure=insecure) as at:
        raise typer.Exit(tune(file, out, console(), verify=verify, site=at))


_MODEL = "The Elo that is meant: normalized or logistic."
_SANDBOX = "As in a tournament: auto, bwrap, limits, none."


@app.command()
def sprt(
    a: Annotated[str, argument("A", PLAYER_HELP)],
    b: Annotated[str, argument("B", "The same.")],
    elo0: Annotated[float, option("ELO", "A's lead over B under H0.")] = 0.0,
    elo1: Annotated[float, option("ELO", "A's lead over B under H1.")] = 5.0,
    alpha: Annotated[float, option("RATE", "How often H1 may be accepted wrongly.")] = 0.05,
    beta: Annotated[float, option("RATE", "How often H0 may be accepted wrongly.")] = 0.05,
    model: Annotated[Literal["normalized", "logistic"], option("MODEL", _MODEL)] = "normalized",
    rules: Annotated[str, typer.Option(help=RULES_HELP, **RULES)] = "othello",
    settings: GameSettings = None,
    a_option: Annotated[
        Pairs, option("KEY=VALUE", "An option of A, as depth=6; repeatable.")
    ] = None,
    b_option: Annotated[Pairs, option("KEY=VALUE", "An option of B; repeatable.")] = None,
    move_ms: Annotated[
        int | None, option("MS", "The limit of one move.", show_default="1000, or the bank")
    ] = None,
    bank_ms: Annotated[
        int | None, option("MS", "Time for the whole game.", show_default="none")
    ] = None,
    increment_ms: Annotated[int, option("MS", "What each move adds to the bank.")] = 0,
    max_games: Annotated[
        int, option("N", "Stop undecided after that many games.", min=2, max=2_000_000)
    ] = 100_000,
    seed: Annotated[int, option("N", "Draws openings, chance, the players' seeds.")] = 1,
    plies: Annotated[
        int | None, option("N", "Length of the random openings.", show_default="by game")
    ] = None,
    openings: Annotated[Path | None, option("FILE", "Openings from a file, one a line.")] = None,
    concurrency: Annotated[
        int | None, option("N", "Games played at once.", show_default="by the cores")
    ] = None,
    new_processes: Annotated[
        bool, flag("--new-processes", "Start the players again for every game.")
    ] = False,
    sandbox: Annotated[Sandbox, option("SANDBOX", _SANDBOX)] = "auto",
    name: Annotated[
        str | None, option("NAME", "Of the run.", show_default="sprt-RULES-A-B")
    ] = None,
    store: Annotated[
        Path | None, option("FILE", "Where it is kept.", show_default="runs/NAME.sqlite")
    ] = None,
    dry_run: Annotated[bool, flag("--dry-run", "Say how long it takes; play nothing.")] = False,
    replay_damaged: Annotated[
        bool, flag("--replay-damaged", "Play games again that are damaged in the run's file.")
    ] = False,
    on: On = None,
    insecure: Insecure = False,
) -> None:
    """Play two players until it is decided whether A is stronger than B.

    A sequential test (SPRT) on colour-swapped pairs.
    H0: A's lead over B is elo0; H1: it is elo1.

    For example: arena sprt uct alphabeta --rules dots --b-option depth=6

    A FILE.toml holds what a player's table in a tournament file does.
    cup.toml:NAME is the player of that name in a tournament file.
    arena run plays a tournament file with a table named sprt, which can say more.

    Stop it anywhere; the same command goes on.
    Exit codes: 0 decided, 1 not decided by --max-games.
    """
    from arena.files.toml import read_pairs
    from arena.reports.playing import play_config, preview_config
    from arena.tournament.site import site
    from arena.training.sprt import make_config, read_side, refuse_odd
    from players.catalogue import BUILTINS

    sides = (
        read_side("A", a, read_pairs("--a-option", a_option)),
        read_side("B", b, read_pairs("--b-option", b_option)),
    )
    refuse_odd(max_games)
    if move_ms is None and bank_ms is None:
        move_ms = 1000
    tables: dict[str, dict[str, Any]] = {
        "tournament": {
            "name": name,
            "rounds": max_games // 2,
            "seed": seed,
            "concurrency": concurrency,
            "keep_alive": not new_processes,
            "sandbox": sandbox,
        },
        "game": {"rules": rules, **read_pairs("--set", settings)},
        "clock": {"move_ms": move_ms, "bank_ms": bank_ms, "increment_ms": increment_ms},
        "openings": {"plies": plies, "file": str(openings) if openings else None},
        "sprt": {"elo0": elo0, "elo1": elo1, "alpha": alpha, "beta": beta, "model": model},
    }
    with site(on, insecure=insecure) as at:
        config = make_config(sides, tables, site=at)
        if dry_run:
            preview_config(config, store, replay_damaged=replay_damaged)
        else:
            code = play_config(config, BUILTINS, store, replay_damaged=replay_damaged, site=at)
            raise typer.Exit(code)
