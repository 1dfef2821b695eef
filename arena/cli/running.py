"""`arena run`: from the tournament file to the final table."""

from __future__ import annotations

import shlex
import sys
import time
from pathlib import Path

import typer
from rich.console import Console
from rich.text import Text

from arena.cli.exits import Exit
from arena.cli.reporting import standings_of, verdict_of
from arena.model.protocol import Termination
from arena.ratings.results import digest
from arena.reports import terminal, words
from arena.reports.live import LiveReport, PlainReport, preparations
from arena.tournament.config import TournamentConfig
from arena.tournament.config_file import load_config
from arena.tournament.estimate import estimate
from arena.tournament.formats.round_robin import game_count, meetings
from arena.tournament.ready import ready
from arena.tournament.run import run
from arena.tournament.store import Store
from arena.tournament.warming import warm_kernels
from players.catalogue import BUILTINS


def preview(file: Path, store_path: Path | None) -> None:
    """Say what would be played and how long it takes; a run that would be refused is, here too."""
    preview_config(ready(load_config(file, BUILTINS), file), store_path)


def preview_config(config: TournamentConfig, store_path: Path | None) -> None:
    """Say what would be played and how long it takes."""
    names = ", ".join(player.name for player in config.players)
    typer.echo(f"{config.name}: {config.rules} ({words.settings(config.variant)})")
    typer.echo(f"{len(config.players)} players: {names}")
    most = "At most " if config.sprt else ""
    typer.echo(
        f"{most}{game_count(config):,} games, {config.concurrency} at a time, "
        f"{estimate(config, meetings(config))}"
    )
    for line in preparations(config):
        Console().print(line, soft_wrap=True)
    path = store_path or default_store(config)
    if path.exists():
        with Store.open(path) as store:
            store.refuse_changed(config)
    typer.echo(f"would be kept in {path}")


def play(file: Path, store_path: Path | None) -> int:
    """Play what is left of the tournament; the exit code."""
    return play_config(ready(load_config(file, BUILTINS), file), store_path)


def play_config(
    config: TournamentConfig,
    store_path: Path | None,
    *,
    more: str = "--max-games, or rounds in the file",
) -> int:
    """Play what is left of a tournament that is ready; the exit code. `more` is what gives more
    games to a sequential test.
    """
    path = store_path or default_store(config)
    again = shlex.join(["arena", *sys.argv[1:]])
    with Store.open_run(path, config) as store:
        before = [digest(record) for record in store.records(void=True)]
        finished = [game for game in before if game.termination is not Termination.VOID]
        verdict = verdict_of(config, before)
        decided = verdict is not None and verdict.decision is not None
        if len(finished) < game_count(config) and not decided:
            try:
                _warm(config)
            except KeyboardInterrupt:
                typer.echo(f"Stopped before the first game. Go on with: {again}")
                return Exit.INTERRUPTED
        console = Console()
        report = (LiveReport if console.is_terminal else PlainReport)(
            console, finished, time.monotonic
        )
        with report:
            outcome = run(config, store, on_event=report)
        terminal.show(standings_of(store), console)
    if outcome.interrupted:
        typer.echo(f"Stopped after {outcome.done} of {outcome.total} games. Go on with: {again}")
    else:
        for record in outcome.void:
            typer.echo(f"void {record.game}: {record.detail}", err=True)
        if outcome.void:
            typer.echo(f"{len(outcome.void)} games stayed void. Try them again with: {again}")
        if outcome.verdict is not None:
            typer.echo(words.decision(outcome.verdict))
            if outcome.verdict.decision is None and not outcome.void:
                typer.echo(f"More games go on from here: {more}.")
        console.print(
            Text(f"Kept in {path}. A game, move by move: arena replay {path} g0001"),
            soft_wrap=True,
        )
    return Exit(outcome.exit_code)


def default_store(config: TournamentConfig) -> Path:
    """Where a run is kept unless the user says otherwise."""
    return Path("runs") / f"{config.name}.sqlite"


def _warm(config: TournamentConfig) -> None:
    builtins = (BUILTINS[player.builtin] for player in config.players if player.builtin)
    if any(builtin.kernels for builtin in builtins):
        warm_kernels([config.rules])
