"""The commands that measure this machine: `arena bench referee`, `sandbox`, `search`, `tiles`."""

from __future__ import annotations

from typing import Annotated

import typer

from arena.cli.exits import errors_to_user

app = typer.Typer(help="Measure this machine beside the targets.", no_args_is_help=True)


@app.command("referee")
def bench_referee(
    games: Annotated[int, typer.Option(min=1, help="Games of dots 5×5 a repeat.")] = 30,
    repeats: Annotated[int, typer.Option(min=1, help="The median of so many is shown.")] = 3,
) -> None:
    """What a move costs the referee, with an instant player."""
    with errors_to_user():
        from rich.console import Console

        from arena.bench import referee

        referee.show(referee.bench_referee(games=games, repeats=repeats), Console())


@app.command("sandbox")
def bench_sandbox() -> None:
    """What a sandbox adds to a player's start and to a move."""
    with errors_to_user():
        from rich.console import Console

        from arena.bench import sandbox

        sandbox.show(sandbox.bench_sandbox(), Console())


@app.command("search")
def bench_search() -> None:
    """How fast the kernels play and search."""
    with errors_to_user():
        from rich.console import Console

        from players.bench import search_table

        Console().print(search_table())


@app.command("tiles")
def bench_tiles(
    games: Annotated[
        int,
        typer.Option(
            min=1000,
            help="Learn from so many games; with 100,000 also 3-ply games, ten minutes in all.",
        ),
    ] = 10_000,
) -> None:
    """How fast 2048 and 2584 are played, learned and searched, and how well."""
    with errors_to_user():
        from rich.console import Console

        from players.bench.tiles import tiles_table

        with Console(stderr=True).status("measuring"):
            measured = tiles_table(games // 1000 * 1000)
        Console().print(measured)
