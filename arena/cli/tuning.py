"""`arena tune`: from a tuning file to a player's values, pictures of them, and what they gain."""

from __future__ import annotations

import math
import shlex
import sys
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from arena.cli.apart import apart
from arena.cli.exits import Exit, UserError
from arena.ratings.pentanomial import Figures, PairCounts, figures, of_pairs
from arena.reports.tuning import (
    LiveTuning,
    PlainTuning,
    Plan,
    Progress,
    comparison_line,
    progress_line,
)
from arena.tournament import lock_file
from arena.tournament.stopping import Stop, stop_signals
from players.learning.tuning.config import TuneConfig, load_config
from players.learning.tuning.result import PLAYER, write_result
from players.learning.tuning.tasks import Aborted
from players.learning.tuning.tuner import Tuner

_LOCKED = "tuning"
_SAVE_S = 2.0
"""A checkpoint is written after the first batch, then at most so often."""
_LOADING_S = 2.0
"""Kernels that are not there after so long are being compiled."""
_RATE_BATCHES = 50
"""The speed shown is that of so many last batches."""


def tune(file: Path, out: Path | None) -> Exit:
    """Play the games of a tuning, or what is left of them. Raises UserError and FileError."""
    config = load_config(file)
    folder = out or Path("runs") / f"{config.name}.tune"
    again = shlex.join(["arena", *sys.argv[1:]])
    with _held(folder):
        try:
            return _tune(config, folder, again)
        except KeyboardInterrupt:
            typer.echo(f"Stopped at once; what was not saved is played again. Go on with: {again}")
            return Exit.INTERRUPTED
        except BrokenPipeError:
            raise
        except OSError as error:
            raise _unwritable(folder, error) from None


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Make the folder, and keep other tunings out of it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = lock_file.acquire(folder / _LOCKED)
    except lock_file.Held as held:
        raise UserError(
            f"{folder}: another `arena tune` is at work there ({held}); wait for it, stop it, or "
            "name another folder with --out"
        ) from None
    except FileExistsError:
        raise UserError(f"{folder}: not a folder; name another one with --out") from None
    except OSError as error:
        raise _unwritable(folder, error) from None
    try:
        yield
    finally:
        lock_file.release(folder / _LOCKED, lock)


def _unwritable(folder: Path, error: OSError) -> UserError:
    return UserError(
        f"{folder}: cannot be written: {error.strerror}. The last checkpoint is as it was: mend "
        "that and go on, or name another folder with --out"
    )


def _tune(config: TuneConfig, folder: Path, again: str) -> Exit:
    """Tune in a folder that is held; the exit code."""
    console = Console()
    try:
        tuner = apart(partial(Tuner.open, config, folder))
    except ValueError as error:
        raise UserError(str(error)) from None
    space = tuner.space
    plan = Plan(
        config.name,
        about(config),
        config.games,
        space.names,
        tuple(space.low.tolist()),
        tuple(space.high.tolist()),
    )
    make_view = LiveTuning if console.is_terminal else PlainTuning
    with make_view(console, plan, time.monotonic) as view:
        tuning = _Tuning(tuner, plan, folder, view)
        view.say(f"{plan.name}: {plan.about}")
        view.say(f"{tuner.counts['games']:,} of {plan.games:,} games were played before.")
        if not tuner.finished:
            tuning.load()
            with stop_signals(tuner.interrupt, then_at_once=True) as stop:
                tuning.play(stop)
                tuning.measure(stop)
        tuner.close()
        tuning.keep()
        if not tuner.finished:
            view.say(f"Stopped; the best so far is in {folder / PLAYER}. Go on with: {again}")
            return Exit.INTERRUPTED
        tuning.conclude()
    return Exit.DONE


class _Tuning:
    """A tuning that goes on: played by `tuner`, shown by `view`, kept in `folder`."""

    def __init__(
        self, tuner: Tuner, plan: Plan, folder: Path, view: LiveTuning | PlainTuning
    ) -> None:
        self._tuner, self._plan, self._folder, self._view = tuner, plan, folder, view
        self._saved_at = -math.inf
        self._speeds: deque[tuple[int, float]] = deque(maxlen=_RATE_BATCHES)

    def load(self) -> None:
        """Compile the kernels, or find them in the cache."""
        began, told = time.monotonic(), False

        def waiting() -> None:
            nonlocal told
            if not told and time.monotonic() - began > _LOADING_S:
                told = True
                self._view.say("compiling kernels (once)")

        self._view.doing("loading kernels")
        try:
            apart(self._tuner.load, waiting)
        except ValueError as error:
            raise UserError(str(error)) from None

    def play(self, stop: Stop) -> None:
        """Play batch after batch, and compare with the start from time to time."""
        tuner = self._tuner
        while not (stop.asked or tuner.learned):
            try:
                self._view.doing("playing")
                before, began = tuner.counts["games"], time.monotonic()
                apart(tuner.run_batch)
                self._speeds.append((tuner.counts["games"] - before, time.monotonic() - began))
                if tuner.wants_comparison:
                    self._view.doing("comparing with the start")
                    self._view.say(comparison_line(apart(tuner.compare)))
            except Aborted:
                break
            self._view.show(self._progress())
            if time.monotonic() - self._saved_at > _SAVE_S:
                self._save()
        self._save()

    def measure(self, stop: Stop) -> None:
        """Play what the result is given with, on openings and seeds of its own."""
        tuner = self._tuner
        while not stop.asked and tuner.learned and not tuner.finished:
            played = 2 * len(tuner.measured)
            self._view.doing(f"measuring the gain, {played:,} of {tuner.config.measure_games:,}")
            try:
                apart(tuner.measure)
            except Aborted:
                break
            self._save()

    def keep(self) -> None:
        """Write the files for people: values, and pictures of them."""
        from players.learning.tuning import pictures  # matplotlib takes a second to load

        tuner, plan = self._tuner, self._plan
        self._view.doing("drawing")
        write_result(tuner, self._folder, gain_of(tuner.measured))
        pictures.save_parameters(
            self._folder, tuner.space, tuner.points, tuner.comparisons, plan.name, plan.about
        )
        if tuner.space.plan is not None and tuner.config.rules == "othello":
            pictures.save_board(self._folder, tuner.space, tuner.vector, plan.name, plan.about)

    def conclude(self) -> None:
        """Say what came out, and where everything is."""
        self._view.say(progress_line(self._plan, self._progress()))
        self._view.say(gain_line(self._tuner.measured))
        self._view.say(f"The player, for a tournament of `arena run`: {self._folder / PLAYER}")
        self._view.say(f"Pictures and values are in {self._folder}.")

    def _progress(self) -> Progress:
        tuner = self._tuner
        games, seconds = (
            (sum(column) for column in zip(*self._speeds, strict=True))
            if (self._speeds)
            else (0, 0.0)
        )
        rate = games / seconds if seconds else None
        return Progress(tuner.counts["games"], rate, tuner.points, tuner.comparisons)

    def _save(self) -> None:
        self._tuner.save()
        self._saved_at = time.monotonic()


def pair_counts(scores: Sequence[float]) -> PairCounts:
    """Pairs by what they brought; two draws are counted with a win and a loss, whose sum is the
    same.
    """
    counts = Counter(scores)
    return PairCounts(
        ll=counts[0.0], ld=counts[0.5], wl=counts[1.0], dd=0, wd=counts[1.5], ww=counts[2.0]
    )


def gain_of(scores: Sequence[float]) -> dict[str, Any]:
    """The measured gain over the start as the files have it."""
    if not scores:
        return {"games": 0, "note": "not measured yet"}
    found: Figures = figures(of_pairs(pair_counts(scores)))
    return {
        "against": "the start, at the budget of the tuning",
        "games": 2 * len(scores),
        "score": round(found.score, 4),
        "elo": round(found.elo, 1),
        "elo_error_95": round(found.elo_error, 1),
    }


def gain_line(scores: Sequence[float]) -> str:
    """The measured gain in a sentence."""
    found = figures(of_pairs(pair_counts(scores)))
    return (
        f"In {2 * len(scores):,} fresh games against the start: {100 * found.score:.1f} %, Elo "
        f"{found.elo:+.0f} ± {found.elo_error:.0f} (95 %)."
    )


def about(config: TuneConfig) -> str:
    """What is tuned, and how, in a line."""
    settings = ", ".join(f"{key} {value}" for key, value in config.method_settings.items())
    options = ", ".join(f"{key} {value}" for key, value in config.options.items())
    variant = ", ".join(f"{key} {value}" for key, value in config.variant.items())
    return " · ".join(
        (
            f"{config.rules} ({variant})",
            f"{config.bot} ({options})",
            f"{config.method} ({settings})",
            f"seed {config.seed}",
        )
    )
