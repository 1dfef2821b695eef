"""Playing a tournament in front of a user: what is ahead, the run as it goes on, its standings."""

import os
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from rich.console import Console
from rich.live import Live
from rich.text import Text

from arena.errors import Exit
from arena.files.console import PlainConsole
from arena.model.protocol import Termination
from arena.ratings.results import GameDigest
from arena.reports import terminal, words
from arena.reports.boards import Boards
from arena.reports.live_screen import screen
from arena.reports.pairs import about_pairs
from arena.reports.screen import again
from arena.tournament.catalogue import CatalogueEntry
from arena.tournament.config import TournamentConfig
from arena.tournament.estimate import Estimate, estimate, estimate_left
from arena.tournament.events import GameFinished, GameVoid, Noted, RunStarted
from arena.tournament.played_store import PlayedStore
from arena.tournament.run import run
from arena.tournament.run_view import RunView
from arena.tournament.site import HERE, Site
from arena.tournament.store import Store, default_store
from arena.tournament.warming import warm_players

_LOOK_S = 0.1
"""How often a run is looked at."""
_FIT_S = 0.5
"""Standings are fitted again at most this often."""
_FIT_GAMES = 2000
"""With more games the standings are fitted less often: the fit takes its time from the games."""
_SAMPLE_GAMES = 1000
"""The games from which the average time of one is estimated."""


def preview_config(
    config: TournamentConfig, store_path: Path | None, *, replay_damaged: bool = False
) -> None:
    """Say what would be played and how long it takes."""
    _say(f"{config.name}: {config.terms.rules} ({words.settings(config.terms.variant)})")
    names = [player.name for player in config.players if player.status == "playing"]
    _say(f"{len(names)} players: {', '.join(names)}")
    schedule, done = config.schedule(), 0
    path = store_path or default_store(config.name)
    if Store.begun_with(path) is not None:
        with Store.open(path) as store:
            store.refuse_changed(config)
            for game in store.going_on(replay=replay_damaged).games:
                schedule.add(game)
                done += game.termination is not Termination.VOID
    if schedule.over:
        _say(f"All {done:,} games are played already.")
    else:
        total, ahead = schedule.total, estimate_left(config, schedule, done)
        count = to_play(config, total, ahead, done)
        _say(f"{count}, {config.concurrency} at a time. {ahead}.")
    for line in preparations(config):
        _say(line)
    _say(f"would be kept in {path}")


def play_config(
    config: TournamentConfig,
    builtins: Mapping[str, CatalogueEntry],
    store_path: Path | None,
    *,
    more: str = "--max-games (or rounds in the file)",
    dry_run: bool = False,
    replay_damaged: bool = False,
    watch: bool = False,
    site: Site = HERE,
) -> int:
    """Play what is left, or with `dry_run` say what that is; the exit code. `more` is the setting
    that gives a test more games; with `watch` a terminal shows the boards, and the results stand
    for the tables.
    """
    if dry_run:
        preview_config(config, store_path, replay_damaged=replay_damaged)
        return Exit.DONE
    path = store_path or default_store(config.name)
    console = PlainConsole()
    with PlayedStore.open_run(path, config) as store:
        with RunView(path) as view:
            over = view.schedule.over and not replay_damaged
        if not over and site.here:
            try:
                warm_players(config, builtins)
            except KeyboardInterrupt:
                _say(f"Stopped before the first game. Go on with: {again()}", whole=True)
                return Exit.INTERRUPTED
        on_terminal = Boards if watch else LiveTable
        with watching(path, (on_terminal if console.is_terminal else PlainLines)(console)):
            outcome = run(
                config, store, open_executor=site.open_executor, replay_damaged=replay_damaged
            )
    with RunView(path) as view:
        if watch:
            for game in view.games if console.is_terminal else ():
                _say(in_a_line(game))
        else:
            terminal.show(view.standings, console, view.played_at)
            for line in about_pairs(view):
                _say(line)
    if outcome.interrupted:
        done = f"{outcome.done:,} of {words.count_games(outcome.total)}"
        _say(f"Stopped after {done}. Go on with: {again()}", whole=True)
        return outcome.exit_code
    for void in outcome.void:
        _say(f"void {void.game}: {void.detail}", PlainConsole(stderr=True))
    if outcome.void:
        count = len(outcome.void)
        games, them = ("game", "it") if count == 1 else ("games", "them")
        _say(f"{count} {games} stayed void. Try {them} again with: {again()}", whole=True)
    if outcome.verdict is not None:
        _say(words.decision(outcome.verdict))
        if outcome.verdict.decision is None and not outcome.void:
            _say(f"To play more, raise {more} and give the same command.")
    first = view.games[0].game if view.games else "GAME"
    _say(f"Kept in {path}. A game, move by move: arena replay {path} {first}", whole=True)
    return outcome.exit_code


def _say(line: str | Text, console: Console | None = None, *, whole: bool = False) -> None:
    """A terminal is given lines that end between words, or with a command to copy the `whole`."""
    console = console or PlainConsole()
    text = line if isinstance(line, Text) else Text(line)
    console.print(text, soft_wrap=whole or not console.is_terminal)


class LiveTable:
    """Shows a run as standings that are drawn again and again on a terminal."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._fitted_at = float("-inf")

    def show(self, view: RunView) -> None:
        """Draw the screen."""
        if view.started is None:
            return
        if not self._live.is_started:
            for line in opening(view.started, view.config):
                self._console.print(line)
            self._live.start()
        for event in view.news:
            if isinstance(event, Noted):
                self._live.console.print(Text(event.text, style="yellow"))
        if time.monotonic() >= self._fitted_at + _FIT_S * max(1.0, len(view.games) / _FIT_GAMES):
            self._table, self._fitted_at = view.standings, time.monotonic()
        self._live.update(screen(self._table, view, self._console), refresh=True)

    def close(self) -> None:
        """Take the screen away."""
        self._live.stop()


class PlainLines:
    """Shows a run in one line for each finished game, for logs and pipes."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def show(self, view: RunView) -> None:
        """Show what is new at this look."""
        for event in view.news:
            match event:
                case RunStarted():
                    for line in opening(event, view.config):
                        self._console.print(line, soft_wrap=True)
                case GameFinished():
                    _say(_finished(event, view), self._console)
                case GameVoid():
                    next_ = "played again" if event.replayed else "given up in this run"
                    _say(f"void {event.game}: {event.detail} ({next_})", self._console)
                case Noted():
                    _say(event.text, self._console)

    def close(self) -> None:
        """The run is over, or nothing can be shown any more."""


@contextmanager
def watching(path: Path, show: LiveTable | PlainLines | Boards) -> Iterator[None]:
    """Show the run of a store from a thread of its own while this process plays it, and what is
    left to show afterwards, unless Ctrl-C asks for the end.

    Where nothing can be shown any more, as on a closed pipe, the run is stopped by SIGINT.
    """
    over, failures = threading.Event(), list[BaseException]()

    def watch() -> None:
        try:
            with RunView(path) as view:
                show.show(view)
                while not over.wait(_LOOK_S):
                    view.refresh()
                    show.show(view)
                view.refresh()
                show.show(view)
        except BaseException as error:
            failures.append(error)
            os.kill(os.getpid(), signal.SIGINT)
        finally:
            show.close()

    thread = threading.Thread(target=watch, name="watching", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        try:
            thread.join()
        except KeyboardInterrupt:
            if isinstance(show, Boards):
                show.hurry()
            thread.join()
        if failures:
            raise failures[0]


def _finished(event: GameFinished, view: RunView) -> str:
    count = f"{event.done:>{len(str(event.total))}}/{event.total}"
    line = f"{count} {in_a_line(next(g for g in reversed(view.games) if g.game == event.game))}"
    if event.verdict is not None:
        return f"{line} · {words.where_it_stands(event.verdict)}"
    return line if view.left_s is None else f"{line} · {words.duration(view.left_s)} left"


def opening(start: RunStarted, config: TournamentConfig) -> Iterator[Text]:
    """Lines on the games to come, their estimated time, and what contains the players."""
    if start.verdict is not None and start.verdict.decision is not None:
        yield Text(f"{start.done:,} games done before; the test is decided, no more are played")
        return
    if start.done == start.total:
        yield Text(f"All {start.total:,} games are played already.")
    else:
        yield Text(f"{to_play(config, start.total, start.estimate, start.done)}. {start.estimate}.")
    yield from preparations(config)
    if start.delay is not None:
        yield Text(start.delay, style="yellow")


def to_play(config: TournamentConfig, total: int, ahead: Estimate, done: int = 0) -> str:
    """`72 games to play`, `42 of 72 games to play`, `34 to 78 games to play`."""
    if 0 < ahead.games < total - done:
        return f"{ahead.games:,} to {total - done:,} games to play"
    most = "" if config.is_fixed else "At most "
    return f"{most}{total - done:,}{f' of {total:,}' if done else ''} games to play"


def preparations(config: TournamentConfig) -> Iterator[Text]:
    """How long a test takes, submissions left out, and in yellow what is not contained."""
    if config.sprt is not None:
        schedule = config.schedule()
        some = list(islice(iter(schedule.next, None), _SAMPLE_GAMES))
        sample = estimate(config, some)
        lengths = words.expected_games(
            config.sprt,
            paired=not config.terms.game.decided_by_seed,
            planned=schedule.total or 0,
            game_s=sample.expected_s / len(some) if sample.known else None,
        )
        yield from map(Text, lengths)
    if config.stop:
        yield Text(f"Ends early {config.stop}.")
    for sentence in config.left_out:
        yield Text(sentence, style="yellow")
    playing = (player for player in config.players if player.status == "playing")
    held = ((each.name, each.home.held) for each in playing if each.home.held is not None)
    for line, warns in words.sandbox_lines(held):
        yield Text(line, style="yellow" if warns else "")


def in_a_line(game: GameDigest) -> str:
    """A finished game: `g0012 uct 40–24 monkey`, and how it ended if not by the rules."""
    if len(game.players) == 2:
        (first, second), (one, other) = game.players, game.scores
        line = f"{game.game} {first} {one}–{other} {second}"
    else:
        scores = zip(game.players, game.scores, strict=True)
        line = f"{game.game} " + ", ".join(f"{name} {score:,}" for name, score in scores)
    if game.termination is Termination.NATURAL:
        return line
    by = "" if game.offender is None else f" by {game.players[game.offender]}"
    return f"{line} · {game.termination}{by}: {game.detail}"
