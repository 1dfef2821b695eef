"""A run in front of a user while it is played: a table drawn again and again, or lines."""

import os
import signal
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path

from rich.console import Console
from rich.live import Live
from rich.text import Text

from arena.files.console import PlainConsole
from arena.model.protocol import Termination
from arena.ratings.results import GameDigest
from arena.reports import words
from arena.reports.boards import Boards
from arena.reports.live_screen import screen, time_left
from arena.tournament.config import TournamentConfig
from arena.tournament.estimate import Estimate, estimate
from arena.tournament.events import GameFinished, GameVoid, Noted, RunStarted
from arena.tournament.formats.base import Schedule
from arena.tournament.run_view import RunView

_LOOK_S = 0.1
_FIT_S = 0.5
"""Standings are fitted again at most this often."""
_FIT_GAMES = 2000
"""With more games the standings are fitted less often: the fit takes its time from the games."""
_SAMPLE_GAMES = 1000
"""The games from which the average time of one is estimated."""


def print_line(line: str | Text, console: Console | None = None, *, whole: bool = False) -> None:
    """Print a line. A terminal breaks it between words, but not a `whole` command to copy."""
    console = console or PlainConsole()
    text = line if isinstance(line, Text) else Text(line)
    console.print(text, soft_wrap=whole or not console.is_terminal)


class LiveTable:
    """Shows a run as standings that are drawn again and again on a terminal."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._fitted_at = float("-inf")
        self._width = console.width
        self._notes = list[Text]()

    def show(self, view: RunView) -> None:
        if view.started is None:
            return
        narrower = self._console.width < self._width
        self._width = self._console.width
        if narrower:  # the terminal wrapped what was drawn, so that more lines are to be taken away
            self._console.clear()
        if narrower or not self._live.is_started:
            for line in (*opening(view.started, view), *self._notes):
                self._console.print(line)
            self._live.start()
        for event in view.news:
            if isinstance(event, Noted):
                self._notes.append(Text(event.text, style="yellow"))
                self._live.console.print(self._notes[-1])
        if time.monotonic() >= self._fitted_at + _FIT_S * max(1.0, len(view.games) / _FIT_GAMES):
            self._table, self._fitted_at = view.standings, time.monotonic()
        self._live.update(screen(self._table, view, self._console), refresh=True)

    def close(self) -> None:
        self._live.stop()


class PlainLines:
    """Shows a run in one line for each finished game, for logs and pipes."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._alike = defaultdict[tuple[str, ...], list[str]](list)

    def show(self, view: RunView) -> None:
        for event in view.news:
            match event:
                case RunStarted():
                    for line in opening(event, view):
                        self._console.print(line, soft_wrap=True)
                case GameFinished():
                    print_line(self._finished(event, view), self._console)
                case GameVoid():
                    next_ = "played again" if event.replayed else "given up in this run"
                    print_line(f"void {event.game}: {event.detail} ({next_})", self._console)
                case Noted():
                    print_line(event.text, self._console)

    def close(self) -> None:
        """The run is over, or nothing can be shown any more."""

    def _finished(self, event: GameFinished, view: RunView) -> str:
        game = next(g for g in reversed(view.games) if g.game == event.game)
        alike = self._alike[_offender(game), game.termination, game.detail]
        line = f"{event.done:>{len(str(event.total))}}/{event.total} {in_a_line(game, alike)}"
        alike.append(game.game)
        if event.verdict is not None:
            line += f" · {words.where_it_stands(event.verdict)}"
        left = time_left(view)
        return line if left is None else f"{line} · {left}"


@contextmanager
def watching(path: Path, show: LiveTable | PlainLines | Boards) -> Iterator[None]:
    """Show the run of a store from a thread of its own while this process plays it, and what is
    left to show afterwards, unless Ctrl-C asks for the end.

    Where nothing can be shown any more, as on a closed pipe, the run is stopped by SIGINT.
    """
    over, failures = threading.Event(), list[BaseException]()

    def watch() -> None:
        try:
            with closing(show), RunView(path) as view:
                show.show(view)
                while not over.wait(_LOOK_S):
                    view.refresh()
                    show.show(view)
                view.refresh()
                show.show(view)
        except BaseException as error:
            failures.append(error)
            os.kill(os.getpid(), signal.SIGINT)

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


def opening(start: RunStarted, view: RunView) -> Iterator[Text]:
    """Lines on the games to come, their estimated time, and the players' sandbox."""
    if start.verdict is not None and start.verdict.decision is not None:
        yield Text(f"{start.done:,} games done before; the test is decided, no more are played")
        return
    config, over = view.config, start.done == start.total
    if over:
        yield Text(all_played(view.schedule, start.done))
    else:
        yield Text(f"{to_play(config, start.total, start.estimate, start.done)}. {start.estimate}.")
    yield from preparations(config, over=over)
    if start.delay is not None:
        yield Text(start.delay, style="yellow")


def to_play(config: TournamentConfig, total: int, ahead: Estimate, done: int = 0) -> str:
    """`72 games to play`, `42 of 72 games to play`, `34 to 78 games to play`."""
    if 0 < ahead.games < total - done:
        return f"{ahead.games:,} to {total - done:,} games to play"
    most = "" if config.is_fixed else "At most "
    return f"{most}{total - done:,}{f' of {total:,}' if done else ''} games to play"


def all_played(schedule: Schedule, done: int) -> str:
    """Why no game is left to play."""
    return schedule.ending(over=True) or f"All {done:,} games are played already."


def preparations(config: TournamentConfig, *, over: bool) -> Iterator[Text]:
    """How long a test takes, submissions left out, clocks, and in yellow what is not contained."""
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
    if config.stop and not over:
        yield Text(f"Ends early {config.stop}.")
    for sentence in config.left_out:
        yield Text(sentence, style="yellow")
    playing = [player for player in config.players if player.plays]
    clocks = ((player.name, player.contender.clock) for player in playing)
    yield from map(Text, words.about_odds(clocks))
    held = ((each.name, each.home.held) for each in playing if each.home.held is not None)
    for line, warns in words.sandbox_lines(held):
        yield Text(line, style="yellow" if warns else "")


def in_a_line(game: GameDigest, alike: Sequence[str] = ()) -> str:
    """`g0012 uct 40–24 monkey`, and how it ended; in short where others ended `alike`."""
    if len(game.players) == 2:
        (first, second), (one, other) = game.players, game.scores
        line = f"{game.game} {first} {one}–{other} {second}"
    else:
        scores = zip(game.players, game.scores, strict=True)
        line = f"{game.game} " + ", ".join(f"{name} {score:,}" for name, score in scores)
    if game.termination is Termination.NATURAL:
        return line
    by = "" if game.offender is None else f" by {_offender(game)}"
    why = f", as in {alike[0]}; {len(alike) + 1} times by now" if alike else f": {game.detail}"
    return f"{line} · {game.termination}{by}{why}"


def _offender(game: GameDigest) -> str:
    return "" if game.offender is None else game.players[game.offender]
