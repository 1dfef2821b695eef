"""The commands about the arena and this machine: pages, kernels, workers, measurements."""

import shlex
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
Repeats = Annotated[int, option("N", "How often to measure; the median is shown.", min=1)]


@app.command()
def docs(
    page: Annotated[str | None, argument("PAGE", "The page.  [default: a list of all]")] = None,
) -> None:
    """Show the pages of the documentation."""
    from arena.reports import handbook

    handbook.show(page, console())


@app.command()
def examples(
    folder: Annotated[
        Path | None, argument("FOLDER", "A new folder to copy all of them into.")
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
        say(f"{folder}/ has them. Play one with: arena run {shlex.quote(f'{folder}/first.toml')}")


@app.command()
def schema(
    report: Annotated[bool, flag("--report", "The schema of the JSON report instead.")] = False,
    check: Annotated[bool, flag("--check", "The schema of a check's JSON instead.")] = False,
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
        raise UserError("The kernels could not be kept; the reason is above.")
    say("The kernels are ready.")


@app.command()
def serve(
    course: Annotated[
        Path | None,
        argument("COURSE", "The folder of a course.  [default: none, only runs are shown]"),
    ] = None,
    runs: Annotated[
        Path | None, option("DIR", "The folder of the runs.  [default: runs, or COURSE/runs]")
    ] = None,
    host: Annotated[str, option("HOST", "The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, option("N", "The port; 0: any free one.", min=0, max=65535)] = 8000,
    public_url: Annotated[
        str | None,
        option("URL", "The address that browsers use behind Caddy or nginx: https://NAME."),
    ] = None,
    insecure: Annotated[
        bool, flag("--insecure", "Let other machines in by plain HTTP, in a network you trust.")
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
    address: Annotated[str, argument("ADDRESS", "The scheduler's address: tls://HOST:PORT.")],
    dask: Annotated[
        list[str] | None, argument("[OPTION]...", "Options of dask worker: --tls-ca-file FILE, …")
    ] = None,
    cores: Annotated[
        int | None, option("N", "Cores to play on.  [default: all there are]", min=1)
    ] = None,
    shared: Annotated[
        bool, flag("--shared", "Share cores with other workers, for a trial: clocks are not fair.")
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
    """Show what this machine offers to a tournament and what it lacks; try each sandbox.

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
    """Measure what a move costs the referee, with a player that answers at once."""
    from arena.bench import referee

    referee.show(referee.bench_referee(games=games, repeats=repeats), console())


@bench_app.command()
def sandbox() -> None:
    """Measure what a sandbox adds to a player's start and to a move."""
    from arena.bench import sandbox

    sandbox.show(sandbox.bench_sandbox(), console())


@bench_app.command()
def search() -> None:
    """Measure how fast the kernels play and search."""
    from players.bench import search_table

    console().print(search_table())


@bench_app.command()
def tiles(games: Annotated[int, option("N", _TILE_GAMES, min=1000)] = 10_000) -> None:
    """Measure how fast and how well 2048 and 2584 are played, learned and searched."""
    from players.bench.tiles import tiles_table

    with console(stderr=True).status("measuring"):
        measured = tiles_table(games // 1000 * 1000)
    console().print(measured)


@bench_app.command()
def web(
    games: Annotated[int, option("N", "Games of the large run.", min=100)] = 20_000,
    rounds: Annotated[int, option("N", "Rounds of the tournaments that are played.", min=1)] = 4,
    repeats: Annotated[int, option("N", "Tournaments without open pages, and with.", min=1)] = 3,
) -> None:
    """Measure how fast pages are sent, how soon they show a move, and what they cost a run."""
    from arena.bench import web

    with console(stderr=True).status("measuring"):
        measured = web.bench_web(games=games, rounds=rounds, repeats=repeats)
    web.show(measured, console())


@bench_app.command()
def env(
    steps: Annotated[int, option("N", "Steps per environment and repeat.", min=100)] = 5_000,
    repeats: Repeats = 3,
) -> None:
    """Measure how fast learning environments are, next to PettingZoo's connect four."""
    from arena.bench import environments

    environments.show(environments.bench_environments(steps, repeats), console())


@bench_app.command()
def cluster(
    workers: Annotated[int, option("N", "Simulated machines, which only sleep.", min=1)] = 64,
    processes: Annotated[int, option("N", "Processes that simulate them.", min=1)] = 1,
    games: Annotated[int, option("N", "Games to play, in rounds of 380; 0: none.", min=0)] = 3800,
    seconds: Annotated[float, option("S", "Seconds that a game takes, about.", min=0.001)] = 1.0,
    repeats: Annotated[
        int, option("N", "How often to play with and without a cluster here; 0: never.", min=0)
    ] = 1,
) -> None:
    """Measure what a cluster adds to games, and what its head and its scheduler need.

    First the same games are played with and without a cluster on this machine.
    Then simulated machines, which only sleep for the time of a game, play a tournament.
    It shows what the head and the scheduler of a large cluster need.
    """
    from arena.files.imports import extra
    from players.catalogue import BUILTINS

    with extra("cluster", "a cluster needs"):
        from arena.bench.cluster import bench_cluster
    with console(stderr=True).status("measuring"):
        measured = bench_cluster(BUILTINS, workers, processes, games, seconds, repeats)
    console().print(measured)
