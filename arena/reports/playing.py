"""Playing a tournament in front of a user: from the resolved configuration to the final table."""

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

from rich.console import Console
from rich.text import Text

from arena.errors import Exit
from arena.reports import terminal, words
from arena.reports.live import LiveTable, PlainLines, preparations, to_play, watching
from arena.tournament.config import TournamentConfig
from arena.tournament.config_file import CatalogueEntry
from arena.tournament.estimate import estimate
from arena.tournament.run import run
from arena.tournament.run_view import RunView
from arena.tournament.store import Store
from arena.tournament.warming import warm_kernels


def preview_config(config: TournamentConfig, store_path: Path | None) -> None:
    """Say what would be played and how long it takes."""
    names = ", ".join(player.name for player in config.players)
    _say(f"{config.name}: {config.terms.rules} ({words.settings(config.terms.variant)})")
    _say(f"{len(config.players)} players: {names}")
    schedule = config.schedule()
    ahead = estimate(config, iter(schedule.next, None))
    _say(f"{to_play(config, schedule.total)}, {config.concurrency} at a time. {ahead}.")
    for line in preparations(config):
        Console().print(line, soft_wrap=True)
    path = store_path or default_store(config)
    if path.exists():
        with Store.open(path) as store:
            store.refuse_changed(config)
    _say(f"would be kept in {path}")


def play_config(
    config: TournamentConfig,
    builtins: Mapping[str, CatalogueEntry],
    store_path: Path | None,
    *,
    more: str = "--max-games, or rounds in the file",
) -> int:
    """Play what is left of a tournament that is ready; the exit code. `more` is the setting that
    gives more games to a sequential test.
    """
    path = store_path or default_store(config)
    again = shlex.join(["arena", *sys.argv[1:]])
    console = Console()
    with Store.open_run(path, config) as store:
        with RunView(path) as view:
            over = view.over
        if not over:
            try:
                if any(
                    builtins[player.builtin].kernels for player in config.players if player.builtin
                ):
                    warm_kernels([config.terms.rules])
            except KeyboardInterrupt:
                _say(f"Stopped before the first game. Go on with: {again}")
                return Exit.INTERRUPTED
        with watching(path, (LiveTable if console.is_terminal else PlainLines)(console)):
            outcome = run(config, store)
    with RunView(path) as view:
        terminal.show(view.standings, console)
    if outcome.interrupted:
        of = "" if outcome.total is None else f" of {outcome.total}"
        _say(f"Stopped after {outcome.done}{of} games. Go on with: {again}")
    else:
        for void in outcome.void:
            _say(f"void {void.game}: {void.detail}", Console(stderr=True))
        if outcome.void:
            _say(f"{len(outcome.void)} games stayed void. Try them again with: {again}")
        if outcome.verdict is not None:
            _say(words.decision(outcome.verdict))
            if outcome.verdict.decision is None and not outcome.void:
                _say(f"More games go on from here: {more}.")
        _say(f"Kept in {path}. A game, move by move: arena replay {path} g0001")
    return Exit(outcome.exit_code)


def _say(line: str, console: Console | None = None) -> None:
    (console or Console()).print(Text(line), soft_wrap=True)


def default_store(config: TournamentConfig) -> Path:
    """Where a run is kept unless the user says otherwise."""
    return Path("runs") / f"{config.name}.sqlite"
