"""The commands that measure this machine: `arena bench referee`, `sandbox`, `search` and more."""

from typing import Annotated

import typer

from arena.cli.arguments import Arena, console, option

app = typer.Typer(cls=Arena, help="Measure this machine against the targets.")


@app.command()
def referee(
    games: Annotated[int, option("N", "Games of dots 5×5 in each repeat.", min=1)] = 30,
    repeats: Annotated[int, option("N", "Repeats, whose median is shown.", min=1)] = 3,
) -> None:
    """What a move costs the referee, with an instant player."""
    from arena.bench import referee

    referee.show(referee.bench_referee(games=games, repeats=repeats), console())


@app.command()
def sandbox() -> None:
    """What a sandbox adds to a player's start and to a move."""
    from arena.bench import sandbox

    sandbox.show(sandbox.bench_sandbox(), console())


@app.command()
def search() -> None:
    """How fast the kernels play and search."""
    from players.bench import search_table

    console().print(search_table())


_TILE_GAMES = "Games to learn from; with 100,000 also 3-ply games, ten minutes in all."


@app.command()
def tiles(games: Annotated[int, option("N", _TILE_GAMES, min=1000)] = 10_000) -> None:
    """How fast 2048 and 2584 are played, learned and searched, and how well."""
    from players.bench.tiles import tiles_table

    with console(stderr=True).status("measuring"):
        measured = tiles_table(games // 1000 * 1000)
    console().print(measured)


@app.command()
def web(
    games: Annotated[int, option("N", "Games of the large run.", min=100)] = 20_000,
    rounds: Annotated[int, option("N", "Of the tournaments that are played.", min=1)] = 4,
    repeats: Annotated[int, option("N", "Tournaments without open pages, and with.", min=1)] = 3,
) -> None:
    """How fast pages are sent, how soon moves are on them, and what they cost a run."""
    from arena.bench import web

    with console(stderr=True).status("measuring"):
        measured = web.bench_web(games=games, rounds=rounds, repeats=repeats)
    web.show(measured, console())


@app.command()
def env(
    steps: Annotated[int, option("N", "Of each environment in each repeat.", min=100)] = 5_000,
    repeats: Annotated[int, option("N", "Repeats, whose median is shown.", min=1)] = 3,
) -> None:
    """How fast learning environments are, next to PettingZoo's connect four."""
    from arena.bench import environments

    environments.show(environments.bench_environments(steps, repeats), console())


@app.command()
def cluster(
    workers: Annotated[int, option("N", "Machines that only sleep.", min=1)] = 64,
    processes: Annotated[int, option("N", "Processes that these are in.", min=1)] = 1,
    games: Annotated[int, option("N", "Games that they play, 380 a round; 0: none.", min=0)] = 3800,
    seconds: Annotated[float, option("S", "The time of such a game, about.", min=0.001)] = 1.0,
    repeats: Annotated[
        int, option("N", "Of games with and without a cluster here; 0: none.", min=0)
    ] = 1,
) -> None:
    """What a cluster adds to games, and what its head and its scheduler need.

    First the same games are played with and without a cluster on this machine.
    Then machines that only sleep for the time of a game play a tournament: the
    head and the scheduler of a large cluster, seen here.
    """
    from arena.tournament.site import cluster_extra
    from players.catalogue import BUILTINS

    with cluster_extra():
        from arena.bench.cluster import bench_cluster
    with console(stderr=True).status("measuring"):
        measured = bench_cluster(BUILTINS, workers, processes, games, seconds, repeats)
    console().print(measured)
