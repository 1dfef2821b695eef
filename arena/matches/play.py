"""Playing a tournament for a user: the plan, the run as it goes on, its standings."""

import shlex
from pathlib import Path

from arena.errors import Exit
from arena.files.console import PlainConsole
from arena.model.protocol import Termination
from arena.reports import playing, terminal, words
from arena.reports.boards import Boards
from arena.reports.pairs import about_pairs
from arena.reports.screen import again
from arena.tournament.config import TournamentConfig
from arena.tournament.estimate import estimate_left
from arena.tournament.events import RunOutcome
from arena.tournament.played_store import PlayedStore
from arena.tournament.run import run
from arena.tournament.run_view import RunView
from arena.tournament.site import HERE, Site
from arena.tournament.store import Store, default_store
from arena.tournament.warming import warm_players


def play_config(
    config: TournamentConfig,
    store_path: Path | None,
    *,
    more: str = "--max-games (or rounds in the file)",
    dry_run: bool = False,
    replay_damaged: bool = False,
    watch: bool = False,
    site: Site = HERE,
) -> int:
    """Play the games that are left, or with `dry_run` print them; the exit code. `more` is the
    setting that gives a test more games; with `watch` a terminal shows the boards, and the results
    stand for the tables.
    """
    if dry_run:
        preview_config(config, store_path, replay_damaged=replay_damaged)
        return Exit.DONE
    path = store_path or default_store(config.name)
    console = PlainConsole()
    with PlayedStore.open_run(path, config) as store:
        with RunView(path) as view:
            is_played, played = view.schedule.over, len(view.games)
        over = is_played and not replay_damaged
        if played and not is_played:
            playing.print_line(
                f"Continues after {words.count_games(played)}, kept in {path}.", whole=True
            )
        if not over and site.here:
            try:
                warm_players(config, processes=config.concurrency)
            except KeyboardInterrupt:
                playing.print_line(
                    f"Stopped before the first game. Continue with: {again()}", whole=True
                )
                return Exit.INTERRUPTED
        on_terminal = Boards if watch else playing.LiveTable
        with playing.watching(
            path, (on_terminal if console.is_terminal else playing.PlainLines)(console)
        ):
            outcome = run(
                config, store, open_executor=site.open_executor, replay_damaged=replay_damaged
            )
    with RunView(path) as view:
        if watch:
            for game in view.games if console.is_terminal else ():
                playing.print_line(playing.in_a_line(game))
        else:
            terminal.show(view.standings, console, view.played_at)
            for line in about_pairs(view):
                playing.print_line(line)
    _print_outcome(outcome, path, first=view.games[0].game if view.games else "GAME", more=more)
    return outcome.exit_code


def _print_outcome(outcome: RunOutcome, path: Path, *, first: str, more: str) -> None:
    """Print how a run ended, and the next commands; `first` is a game to show."""
    if outcome.interrupted:
        done = f"{outcome.done:,} of {words.count_games(outcome.total)}"
        playing.print_line(f"Stopped after {done}. Continue with: {again()}", whole=True)
        return
    for void in outcome.void:
        playing.print_line(f"void {void.game}: {void.detail}", PlainConsole(stderr=True))
    if outcome.void:
        count = len(outcome.void)
        games, them = ("game", "it") if count == 1 else ("games", "them")
        playing.print_line(
            f"{count} {games} stayed void. Try {them} again with: {again()}", whole=True
        )
    if outcome.verdict is not None:
        playing.print_line(words.decision(outcome.verdict))
        if outcome.verdict.decision is None and not outcome.void:
            playing.print_line(f"To play more, raise {more} and give the same command.")
    replay = shlex.join(["arena", "replay", str(path), first])
    playing.print_line(f"Kept in {path}. A game, move by move: {replay}", whole=True)


def preview_config(
    config: TournamentConfig, store_path: Path | None, *, replay_damaged: bool = False
) -> None:
    """Print the plan of a run, and its estimated time."""
    rules = words.with_settings(config.terms.rules, config.terms.variant)
    playing.print_line(f"{config.name}: {rules}")
    names = [player.name for player in config.players if player.plays]
    playing.print_line(f"{len(names)} players: {', '.join(names)}")
    schedule, done = config.schedule(), 0
    path = store_path or default_store(config.name)
    if Store.begun_with(path) is not None:
        with Store.open(path) as store:
            store.refuse_changed(config)
            games, _ = store.to_resume(replay=replay_damaged)
            for game in games:
                schedule.add(game)
                done += game.termination is not Termination.VOID
    if schedule.over:
        playing.print_line(playing.all_played(schedule, done))
    else:
        total, ahead = schedule.total, estimate_left(config, schedule, done)
        count = playing.to_play(config, total, ahead, done)
        playing.print_line(f"{count}, {config.concurrency} at a time. {ahead}.")
    for line in playing.preparations(config, over=schedule.over):
        playing.print_line(line)
    playing.print_line(f"would be kept in {path}")
