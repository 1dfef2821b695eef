"""The commands about the arena and this machine: pages, kernels, workers, measurements."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.group import Arena
from arena.cli.options import RULES, AsJson, Insecure, argument, flag, option, refuse_together
from arena.cli.output import console, say, say_json, show
from arena.errors import Exit, UserError

app = typer.Typer()
bench_app = typer.Typer(cls=Arena, help="Measure this machine against the targets.")

_TILE_GAMES = "Games to learn from; with 100,000 also 3-ply games, ten minutes in all."
Repeats = Annotated[int, option("N", "Repeats, whose median is shown.", min=1)]


@app.command()
def docs(
    page: Annotated[str | None, argument("PAGE", "One of them.  [default: a list of all]")] = None,
) -> None:
    """Show the pages of the documentation."""
    from arena.reports import handbook

    handbook.show(page, console())


@app.command()
def examples(
    folder: Annotated[
        Path | None, argument("FOLDER", "Copy all of them into this new folder.")
    ] = None,
) -> None:
    """List the tournament files that are included, or copy them.

    For example: arena examples tournaments
    """
    from arena.reports import examples

    if folder is None:
        listed = examples.listed()
        width = max(map(len, listed))
        for name, about in listed.items():
            say(f"{name:<{width}} {about}")
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

    refuse_together(report=report, check=check)
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
        list[str] | None, argument("RULES", "The rule sets.  [default: all]", **RULES)
    ] = None,
) -> None:
    """Compile the built-in players' kernels ahead of time."""
    from arena.tournament.warming import warm_kernels
    from rules import GAMES, registration, usable

    without = [name for name in rules or () if not (name in GAMES or registration(name).kernels)]
    for name in without:
        say(f"{name} has no compiled code: greedy and monkey play it by its rules.")
    if rules and len(without) == len(rules):
        return
    if not warm_kernels(rules or usable(), noted_too=True):
        raise UserError("The kernels could not be kept; why is above.")
    say("The kernels are ready.")


@app.command()
def serve(
    course: Annotated[
        Path | None,
        argument("COURSE", "A course, with its people.  [default: runs alone, to look at]"),
    ] = None,
    runs: Annotated[
        Path | None, option("DIR", "The folder of the runs.  [default: runs, or COURSE/runs]")
    ] = None,
    host: Annotated[str, option("HOST", "Where to listen.")] = "127.0.0.1",
    port: Annotated[int, option("N", "The port; 0 for any that is free.", min=0, max=65535)] = 8000,
    public_url: Annotated[
        str | None,
        option("URL", "The address that browsers use, as https://NAME, behind Caddy or nginx."),
    ] = None,
    insecure: Annotated[
        bool, flag("--insecure", "Let other machines in over plain HTTP: in a trusted network.")
    ] = False,
) -> None:
    """Show runs in a browser, live; with a course, take its bots and play its tournaments."""
    from arena.files.imports import extra, many_imports

    with extra("web", "pages need"), many_imports():
        from arena.web import serve
    settings = serve.settings(course, runs, public_url)
    serve.serve(settings, host, port, insecure=insecure, say=say)


@app.command(context_settings={"ignore_unknown_options": True})
def worker(
    address: Annotated[str, argument("ADDRESS", "The scheduler: tls://HOST:PORT.")],
    dask: Annotated[
        list[str] | None, argument("[OPTION]...", "Options of dask worker, as --tls-ca-file FILE.")
    ] = None,
    cores: Annotated[
        int | None, option("N", "Cores to play on.  [default: all there are]", min=1)
    ] = None,
    shared: Annotated[
        bool, flag("--shared", "Other workers have the same cores: to try it, clocks are not fair.")
    ] = False,
    insecure: Insecure = False,
) -> None:
    """Play games for the tournaments of a cluster, on this machine, until it is stopped."""
    from arena.files.imports import extra

    with extra("cluster", "a cluster needs"):
        from arena.doctor.worker import become_worker
    become_worker(address, cores, dask or (), insecure=insecure, shared=shared)


@app.command()
def doctor(json: AsJson = False) -> Exit:
    """Show what this machine offers to a tournament, each sandbox tried, and what it lacks.

    Exit code 1 when no sandbox gives the guarantees that strangers' programs need.
    """
    from arena.doctor import facts

    found = facts.facts()
    show(found, facts.show, json=json)
    return Exit.FAILED if found.missing else Exit.DONE


@bench_app.command()
def referee(
    games: Annotated[int, option("N", "Games of dots 5×5 in each repeat.", min=1)] = 30,
    repeats: Repeats = 3,
) -> None:
    """What a move costs the referee, with an instant player."""
    from arena.bench import referee

    referee.show(referee.bench_referee(games=games, repeats=repeats), console())


@bench_app.command()
def sandbox() -> None:
    """What a sandbox adds to a player's start and to a move."""
    from arena.bench import sandbox

    sandbox.show(sandbox.bench_sandbox(), console())


@bench_app.command()
def search() -> None:
    """How fast the kernels play and search."""
    from players.bench import search_table

    console().print(search_table())


@bench_app.command()
def tiles(games: Annotated[int, option("N", _TILE_GAMES, min=1000)] = 10_000) -> None:
    """How fast 2048 and 2584 are played, learned and searched, and how well."""
    from players.bench.tiles import tiles_table

    with console(stderr=True).status("measuring"):
        measured = tiles_table(games // 1000 * 1000)
    console().print(measured)


@bench_app.command()
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


@bench_app.command()
def env(
    steps: Annotated[int, option("N", "Of each environment in each repeat.", min=100)] = 5_000,
    repeats: Repeats = 3,
) -> None:
    """How fast learning environments are, next to PettingZoo's connect four."""
    from arena.bench import environments

    environments.show(environments.bench_environments(steps, repeats), console())


@bench_app.command()
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
    from arena.files.imports import extra
    from players.catalogue import BUILTINS

    with extra("cluster", "a cluster needs"):
        from arena.bench.cluster import bench_cluster
    with console(stderr=True).status("measuring"):
        measured = bench_cluster(BUILTINS, workers, processes, games, seconds, repeats)
    console().print(measured)
