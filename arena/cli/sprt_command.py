"""The command that tells which of two players is stronger: `arena sprt`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.choices import RULES, EloModel, Sandbox, complete_rule_set, rule_set
from arena.cli.exits import errors_to_user
from arena.errors import Exit, UserError

app = typer.Typer()

_PLAYER = (
    "A built-in player, a script, a bot's folder or archive, a command in quotes, a FILE.toml, or "
    "TOURNAMENT.toml:NAME."
)


@app.command()
def sprt(
    a: Annotated[str, typer.Argument(metavar="A", help=_PLAYER, show_default=False)],
    b: Annotated[str, typer.Argument(metavar="B", help="The same.", show_default=False)],
    elo0: Annotated[float, typer.Option(metavar="ELO", help="A's lead over B under H0.")] = 0.0,
    elo1: Annotated[float, typer.Option(metavar="ELO", help="A's lead over B under H1.")] = 5.0,
    alpha: Annotated[
        float, typer.Option(metavar="RATE", help="How often H1 may be accepted wrongly.")
    ] = 0.05,
    beta: Annotated[
        float, typer.Option(metavar="RATE", help="How often H0 may be accepted wrongly.")
    ] = 0.05,
    model: Annotated[
        EloModel,
        typer.Option(metavar="MODEL", help="The Elo that is meant: normalized or logistic."),
    ] = EloModel.NORMALIZED,
    rules: Annotated[
        str,
        typer.Option(
            parser=rule_set,
            autocompletion=complete_rule_set,
            metavar=RULES,
            help="othello, dots, 2048, 2584 or another.",
        ),
    ] = "othello",
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="A setting of the game, as preset=cornerless; repeatable.",
            show_default=False,
        ),
    ] = None,
    a_option: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE", help="An option of A, as depth=6; repeatable.", show_default=False
        ),
    ] = None,
    b_option: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="An option of B; repeatable.", show_default=False),
    ] = None,
    move_ms: Annotated[
        int | None,
        typer.Option(metavar="MS", help="The limit of one move.", show_default="1000, or the bank"),
    ] = None,
    bank_ms: Annotated[
        int | None,
        typer.Option(metavar="MS", help="Time for the whole game.", show_default="none"),
    ] = None,
    increment_ms: Annotated[
        int, typer.Option(metavar="MS", help="What each move adds to the bank.")
    ] = 0,
    max_games: Annotated[
        int,
        typer.Option(
            metavar="N", min=2, max=2_000_000, help="Give up undecided after so many games."
        ),
    ] = 100_000,
    seed: Annotated[
        int, typer.Option(metavar="N", help="Draws openings, chance, the players' seeds.")
    ] = 1,
    plies: Annotated[
        int | None,
        typer.Option(metavar="N", help="Length of the random openings.", show_default="by game"),
    ] = None,
    openings: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Openings from a file, one a line.", show_default=False),
    ] = None,
    concurrency: Annotated[
        int | None,
        typer.Option(metavar="N", help="Games side by side.", show_default="by the cores"),
    ] = None,
    new_processes: Annotated[
        bool, typer.Option("--new-processes", help="Start the players anew for every game.")
    ] = False,
    sandbox: Annotated[
        Sandbox,
        typer.Option(metavar="SANDBOX", help="As in a tournament: auto, bwrap, limits, none."),
    ] = Sandbox.AUTO,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="Of the run.", show_default="sprt-RULES-A-B")
    ] = None,
    store: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where it is kept.", show_default="runs/NAME.sqlite"),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say how long it takes; play nothing.")
    ] = False,
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
    with errors_to_user(Exit.INTERRUPTED):
        from arena.model.settings import read_pairs
        from arena.reports.playing import play_config, preview_config
        from arena.training.sprt import make_config, read_side
        from players.catalogue import BUILTINS

        if max_games % 2:
            raise UserError(
                "--max-games: must be a multiple of 2, as games are played in pairs, got "
                f"{max_games}"
            )
        config = make_config(
            (read_side("A", a, a_option or []), read_side("B", b, b_option or [])),
            {
                "tournament": {
                    "name": name,
                    "rounds": max_games // 2,
                    "seed": seed,
                    "concurrency": concurrency,
                    "keep_alive": not new_processes,
                    "sandbox": sandbox.value,
                },
                "game": {"rules": rules, **read_pairs("--set", settings or [])},
                "clock": {
                    "move_ms": 1000 if move_ms is None and bank_ms is None else move_ms,
                    "bank_ms": bank_ms,
                    "increment_ms": increment_ms,
                },
                "openings": {"plies": plies, "file": str(openings) if openings else None},
                "sprt": {
                    "elo0": elo0,
                    "elo1": elo1,
                    "alpha": alpha,
                    "beta": beta,
                    "model": model.value,
                },
            },
        )
        if dry_run:
            preview_config(config, store)
        else:
            raise typer.Exit(play_config(config, BUILTINS, store))
