"""Plays the experiments of this folder, keeps their results, writes their page:

python -m tournaments.experiments play NAME [--rounds N]
python -m tournaments.experiments keep NAME RUN.sqlite
python -m tournaments.experiments page
"""

import argparse
import fcntl
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.errors import ArenaError, Exit
from arena.tournament.config_file import load_config
from arena.tournament.played_store import PlayedStore
from arena.tournament.run import run
from players.catalogue import BUILTINS
from tournaments.experiments import page, results
from tournaments.experiments.cpu_clock import CpuClockExecutor, use_cpu_time

HERE = Path(__file__).parent
RUNS = Path("runs/experiments")


def play(name: str, rounds: int | None) -> Path:
    """Play an experiment, or go on with it, by CPU time; its run."""
    config = load_config(HERE / f"{name}.toml", BUILTINS)
    config = config.model_copy(update={"rounds": rounds or config.rounds})
    RUNS.mkdir(parents=True, exist_ok=True)
    use_cpu_time()
    store = RUNS / f"{name}.sqlite"
    with PlayedStore.open_run(store, config) as kept:
        sys.stderr.write(
            f"Playing; `arena report {store}` shows how far it is. "
            "Ctrl-C ends it after the game in play, and the same command continues.\n"
        )
        outcome = run(config, kept, open_executor=CpuClockExecutor)
    if outcome.interrupted:
        sys.stderr.write("Stopped: no result is kept yet; the same command continues.\n")
        sys.exit(Exit.INTERRUPTED)
    return store


@contextmanager
def _alone() -> Iterator[None]:
    """Keep other processes from the results meanwhile: each reads all of them, and writes all."""
    folder = os.open(HERE, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _rounds(given: str) -> int:
    if int(given) < 1:
        raise argparse.ArgumentTypeError(f"must be 1 or more, got {given}")
    return int(given)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tournaments.experiments", description=(__doc__ or "").partition("\n")[0]
    )
    commands = parser.add_subparsers(dest="command", required=True)
    names = sorted(path.stem for path in HERE.glob("*.toml") if path.stem != "claims")
    for command in ("play", "keep"):
        commands.add_parser(command).add_argument("name", choices=names, metavar="NAME")
    commands.choices["play"].add_argument("--rounds", type=_rounds)
    commands.choices["keep"].add_argument("run", type=Path)
    commands.add_parser("page")
    given = parser.parse_args()
    try:
        _do(given)
    except ArenaError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(Exit.USAGE)
    except OSError as error:
        sys.stderr.write(f"{error.filename}: {error.strerror}\n")
        sys.exit(Exit.USAGE)


def _do(given: argparse.Namespace) -> None:
    store = play(given.name, given.rounds) if given.command == "play" else vars(given).get("run")
    with _alone():
        if store is not None:
            results.keep(given.name, store)
        still_open = page.write()
    for line in still_open:
        sys.stdout.write(f"open: {line}\n")
