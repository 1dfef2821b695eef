"""Plays the experiments of this folder, keeps their results, writes their page:

python -m tournaments.experiments play NAME [--rounds N]
python -m tournaments.experiments keep NAME RUN.sqlite
python -m tournaments.experiments page
"""

import argparse
import sys
from pathlib import Path

from arena.errors import ArenaError
from arena.tournament.config_file import load_config
from arena.tournament.played_store import PlayedStore
from arena.tournament.run import run
from players.catalogue import BUILTINS
from tournaments.experiments import page, results
from tournaments.experiments.cpu_clock import CpuClockExecutor, use_cpu_time

HERE = Path(__file__).parent
RUNS = Path("runs/experiments")


def play(name: str, rounds: int | None) -> None:
    """Play an experiment, or go on with it, by CPU time."""
    config = load_config(HERE / f"{name}.toml", BUILTINS)
    config = config.model_copy(update={"rounds": rounds or config.rounds})
    RUNS.mkdir(parents=True, exist_ok=True)
    use_cpu_time()
    store = RUNS / f"{name}.sqlite"
    with PlayedStore.open_run(store, config) as kept:
        run(config, kept, open_executor=CpuClockExecutor)
    results.keep(name, store)


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
    if given.command == "play":
        play(given.name, given.rounds)
    elif given.command == "keep":
        results.keep(given.name, given.run)
    for line in page.write():
        sys.stdout.write(f"open: {line}\n")


if __name__ == "__main__":
    try:
        main()
    except ArenaError as error:
        sys.exit(str(error))
