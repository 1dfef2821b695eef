"""A run as it goes on: a table that renews itself on a terminal, or one line a game."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice
from types import TracebackType
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from arena.model.containment import Held
from arena.model.game_spec import GameSpec
from arena.model.protocol import Termination
from arena.model.record import GameRecord
from arena.ratings.model import Standings, Verdict
from arena.ratings.results import GameDigest, digest
from arena.ratings.standings import standings
from arena.reports import containment, terminal, words
from arena.tournament.config import TournamentConfig
from arena.tournament.estimate import estimate
from arena.tournament.formats.round_robin import game_count, meetings
from arena.tournament.run import (
    Event,
    GameFinished,
    GameProgress,
    GameStarted,
    GameVoid,
    RunFinished,
    RunInterrupted,
    RunStarted,
)

_RATE_GAMES = 50
"""The speed shown is that of so many last games."""
_FIT_S, _DRAW_S = 0.5, 0.1
"""Standings are fitted anew, and the screen is drawn, at most so often."""
_FIT_GAMES = 2000
"""Of more games the standings are fitted less often: the fit takes its time from the games."""
_SHOWN_GAMES = 6
_SAMPLE_GAMES = 1000
"""So many games tell how long one of them takes, on the average."""


class Progress:
    """What a run's events add up to.

    `finished` are the digests of games that earlier runs have finished; `now` tells monotonic
    seconds.
    """

    def __init__(self, finished: list[GameDigest], now: Callable[[], float]) -> None:
        self.games = list(finished)
        self.playing: dict[str, tuple[GameSpec, int]] = {}
        """Game → what is played, and how many plies so far."""
        self.done = self.total = self.void = 0
        self.verdict: Verdict | None = None
        """Where the sequential test stands; None without one."""
        self._now = now
        self._ends: deque[float] = deque(maxlen=_RATE_GAMES + 1)

    def add(self, event: Event) -> None:
        """Take note of an event."""
        match event:
            case RunStarted():
                self.done, self.total, self.verdict = event.done, event.total, event.verdict
                self._ends.append(self._now())
            case GameStarted():
                self.playing[event.spec.game] = event.spec, len(event.spec.opening)
            case GameProgress():
                if event.game in self.playing:
                    self.playing[event.game] = self.playing[event.game][0], event.plies
            case GameFinished():
                self.playing.pop(event.record.game, None)
                self.games.append(digest(event.record))
                self.done, self.total, self.verdict = event.done, event.total, event.verdict
                self._ends.append(self._now())
            case GameVoid():
                self.playing.pop(event.record.game, None)
                self.void += 1
            case RunFinished() | RunInterrupted():
                self.playing.clear()

    @property
    def games_per_s(self) -> float | None:
        """Speed of the last games; None before the first."""
        if len(self._ends) < 2 or self._ends[-1] <= self._ends[0]:
            return None
        return (len(self._ends) - 1) / (self._ends[-1] - self._ends[0])

    @property
    def left_s(self) -> float | None:
        """Time left at that speed; None before the first game, and where a test ends the run."""
        speed = self.games_per_s
        return (
            None if speed is None or self.verdict is not None else (self.total - self.done) / speed
        )


class LiveReport:
    """Standings that renew themselves on a terminal. A context manager that takes events."""

    def __init__(
        self, console: Console, finished: list[GameDigest], now: Callable[[], float]
    ) -> None:
        self._progress = Progress(finished, now)
        self._now = now
        self._started: RunStarted | None = None
        self._table: Standings | None = None
        self._fitted_at = self._drawn_at = float("-inf")
        self._live = Live(console=console, auto_refresh=False, transient=True)

    def __enter__(self) -> Self:
        self._live.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._live.__exit__(kind, error, trace)

    def __call__(self, event: Event) -> None:
        """Show what an event changed."""
        self._progress.add(event)
        if isinstance(event, RunStarted):
            self._started = event
            for line in opening(event):
                self._live.console.print(line, soft_wrap=True)
        if self._started is None:
            return
        now = self._now()
        pause = _FIT_S * max(1.0, len(self._progress.games) / _FIT_GAMES)
        if self._table is None or now >= self._fitted_at + pause:
            self._fitted_at = now
            self._table = self._fit(self._started.config)
        if now >= self._drawn_at + _DRAW_S or isinstance(event, GameStarted):
            self._drawn_at = now
            self._live.update(screen(self._table, self._progress), refresh=True)

    def _fit(self, config: TournamentConfig) -> Standings:
        return standings(
            self._progress.games,
            players=[player.name for player in config.players],
            name=config.name,
            anchor=config.rating.anchor,
            anchor_elo=config.rating.anchor_elo,
            planned=self._progress.total,
        )


def screen(table: Standings, progress: Progress) -> RenderableType:
    """What a terminal shows during a run."""
    state = Table.grid(padding=(0, 2, 0, 0))
    state.add_row(
        ProgressBar(total=progress.total, completed=progress.done, width=24),
        Text(status(progress)),
    )
    games = Table.grid(padding=(0, 2, 0, 0))
    playing = list(progress.playing.values())
    for spec, plies in playing[:_SHOWN_GAMES]:
        names = " – ".join(player.name for player in spec.players)
        games.add_row(Text(spec.game, style="dim"), Text(names), Text(f"ply {plies}"))
    if len(playing) > _SHOWN_GAMES:
        games.add_row("", Text(f"and {len(playing) - _SHOWN_GAMES} more", style="dim"))
    parts = [terminal.heading(table), terminal.ranking(table)]
    if any(row.tiles for row in table.players):
        parts.append(terminal.tile_scores(table))
    if progress.verdict:
        parts.append(terminal.sequential_test(progress.verdict))
    return Group(*parts, Text(), state, games)


def status(progress: Progress) -> str:
    """Games done, speed, time left, in one line."""
    most = "at most " if progress.verdict else ""
    parts = [f"{progress.done:,} of {most}{progress.total:,} games"]
    if progress.games_per_s is not None:
        parts.append(f"{progress.games_per_s:.3g} games/s")
    if progress.left_s is not None:
        parts.append(f"{duration(progress.left_s)} left")
    if progress.void:
        parts.append(f"{progress.void} void")
    return " · ".join(parts)


def duration(seconds: float) -> str:
    """`42 s`, `3 min 20 s`, `5 h 12 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


class PlainReport:
    """One line for each finished game, for logs and pipes. A context manager that takes events."""

    def __init__(
        self, console: Console, finished: list[GameDigest], now: Callable[[], float]
    ) -> None:
        self._console = console
        self._progress = Progress(finished, now)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is held open."""

    def __call__(self, event: Event) -> None:
        """Print what is worth a line."""
        self._progress.add(event)
        match event:
            case RunStarted():
                for line in opening(event):
                    self._console.print(line, soft_wrap=True)
            case GameFinished():
                width = len(str(event.total))
                speed = self._progress.left_s
                left = "" if speed is None else f" · {duration(speed)} left"
                if event.verdict is not None:
                    left = f" · {words.where_it_stands(event.verdict)}"
                self._print(f"{event.done:>{width}}/{event.total} {told(event.record)}{left}")
            case GameVoid():
                again = "played again" if event.replayed else "given up in this run"
                self._print(f"void {event.record.game}: {event.record.detail} ({again})")

    def _print(self, line: str) -> None:
        self._console.print(Text(line), soft_wrap=True)


def opening(event: RunStarted) -> Iterator[Text]:
    """What lies ahead: games, the time they are estimated to take, what contains the players."""
    if event.verdict is not None and event.verdict.decision is not None:
        yield Text(f"{event.done:,} games done before; the test is decided, no more are played")
        return
    most = "At most " if event.verdict else ""
    yield Text(f"{most}{event.total:,} games, {event.done:,} done before; {event.estimate}")
    yield from preparations(event.config)
    if event.delay is not None:
        yield Text(event.delay, style="yellow")


def preparations(config: TournamentConfig) -> Iterator[Text]:
    """How long a test takes, who was left out, and what contains the others; in yellow what does
    not hold.
    """
    if config.sprt is not None:
        paired = not config.terms.game.decided_by_seed
        some = list(islice(meetings(config), _SAMPLE_GAMES))
        sample = estimate(config, some)
        lengths = words.expected_games(
            config.sprt,
            paired=paired,
            planned=game_count(config),
            game_s=sample.expected_s / len(some) if sample.known else None,
        )
        yield from map(Text, lengths)
    for sentence in config.left_out:
        yield Text(sentence, style="yellow")
    players = ((player.name, player.home.held or Held()) for player in config.players)
    for line in containment.lines(players):
        yield Text(line.text, style="yellow" if line.warns else "")


def told(record: GameRecord) -> str:
    """A finished game in a line: `g0012 uct 40–24 monkey`, and how it ended if not by the rules."""
    names = [seat.player for seat in record.seats]
    if len(names) == 2:
        line = f"{record.game} {names[0]} {record.scores[0]}–{record.scores[1]} {names[1]}"
    else:
        line = f"{record.game} {names[0]} {record.scores[0]:,}"
    if record.termination is Termination.NATURAL:
        return line
    by = "" if record.offender is None else f" by {names[record.offender]}"
    return f"{line} · {record.termination}{by}: {record.detail}"
