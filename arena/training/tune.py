"""`arena tune`: from a tuning file to a player's values, pictures of them, and what they gain."""

from __future__ import annotations

import math
import shlex
import sys
import time
from collections import deque
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from arena.errors import Exit, UserError
from arena.files.background import apart
from arena.files.stop_signals import Stop, stop_signals
from arena.sandbox.bwrap import reserve_fds
from arena.training.kinds import learns_by_td
from arena.training.loading import load_kernels
from arena.training.referee_matches import RefereeHall
from arena.training.run_folder import Work, cannot_be_written, held
from arena.training.train import train
from arena.training.tune_view import (
    LiveTuning,
    PlainTuning,
    Plan,
    Progress,
    comparison_line,
)
from arena.training.tuned_player import (
    about,
    found,
    gain,
    measured,
    measured_line,
    player_lines,
    refuse_damaged,
)
from arena.training.verify import play_budget
from arena.training.verify_config import Verification, load_both
from arena.training.verify_tuned import budget_test, play_tuned
from players.learning.tuning.config import TuneConfig
from players.learning.tuning.result import (
    PICTURES,
    PLAYER,
    START,
    WEIGHTS,
    write_result,
)
from players.learning.tuning.tasks import Aborted
from players.learning.tuning.tuner import CHECKPOINT, MEASURE, Tuner, kernel_hall

_SAVE_S = 2.0
"""A checkpoint is written after the first batch, then at most so often."""
_RATE_BATCHES = 50
"""The speed shown is that of so many last batches."""


def tune(file: Path, out: Path | None, *, verify: bool) -> Exit:
    """Play the games of a tuning, or what is left of them, and with `verify` the tests of what came
    of it. Raises UserError and FileError.
    """
    if learns_by_td(file):
        return train(file, out, verify=verify)
    config, verification = load_both(file)
    folder = out or Path("runs") / f"{config.name}.tune"
    work = Work("arena tune", "tuning", CHECKPOINT, frozenset((WEIGHTS, PLAYER, START, *PICTURES)))
    again = shlex.join(["arena", *sys.argv[1:]])
    elsewhere = () if out is None else ("--out", str(out))
    test = shlex.join(["arena", "tune", str(file), *elsewhere, "--verify"])
    with reserve_fds(), held(folder, work):  # what draws comes before what plays under the referee
        try:
            return _tune(config, folder, again, file, verification if verify else None, test)
        except KeyboardInterrupt:
            typer.echo(f"Stopped at once; what was not saved is played again. Go on with: {again}")
            return Exit.INTERRUPTED
        except BrokenPipeError:  # what is shown is read by nobody any more
            return Exit.INTERRUPTED
        except OSError as error:
            raise cannot_be_written(folder, error, CHECKPOINT) from None


def _tune(
    config: TuneConfig,
    folder: Path,
    again: str,
    file: Path,
    verification: Verification | None,
    test: str,
) -> Exit:
    """Tune in a folder that is held; the exit code. The commands `again` and `test` go on with it,
    and test what came of it.
    """
    console = Console()
    try:
        make_hall = RefereeHall if config.referee else kernel_hall
        tuner = apart(partial(Tuner.open, config, folder, make_hall))
    except ValueError as error:
        raise UserError(str(error)) from None
    refuse_damaged(folder / CHECKPOINT, tuner.verdicts)
    plan = plan_of(tuner)
    make_view = LiveTuning if console.is_terminal else PlainTuning
    with make_view(console, plan, time.monotonic) as view:
        tuning = _Tuning(tuner, plan, folder, view, test)
        view.say(f"{plan.name}: {plan.about}")
        if tuner.finished:
            view.say("It is finished: all games are played. More games in the file go on.")
        elif tuner.counts["games"]:
            view.say(f"{tuner.counts['games']:,} of {plan.games:,} games were played before.")
        with closing(tuner):
            tested = tuning.play(verification)
        options = tuning.write()
        tuning.draw()
        if not (tuner.finished and tested):
            view.say(f"Stopped; the best so far is in {folder / PLAYER}. Go on with: {again}")
            return Exit.INTERRUPTED
        tuning.conclude(options)
    if verification is None:
        return Exit.DONE
    code = play_tuned(file, tuner, folder, options, verification)
    tuning.write()
    typer.echo(gain(tuner.verdicts, test))
    return code


class _Tuning:
    """A tuning that goes on: played by `tuner`, shown by `view`, kept in `folder`."""

    def __init__(
        self, tuner: Tuner, plan: Plan, folder: Path, view: LiveTuning | PlainTuning, test: str
    ) -> None:
        self._tuner, self._plan, self._folder, self._view = tuner, plan, folder, view
        self._test = test
        self._saved_at = -math.inf
        self._speeds: deque[tuple[int, float]] = deque(maxlen=_RATE_BATCHES)

    def play(self, verification: Verification | None) -> bool:
        """Play what is left, until somebody stops it; whether the test at the budget is over, or
        none is asked for.
        """
        tuner = self._tuner
        if not tuner.finished:
            self._load()
            with stop_signals(tuner.interrupt, then_at_once=True) as stop:
                self._learn(stop)
                self._measure(stop)
        if verification is None or not tuner.finished:
            return True
        test = budget_test(tuner, verification)
        if not test.over:
            self._load()
            with stop_signals(tuner.interrupt, then_at_once=True) as stop:
                play_budget(test, self._view, stop, self._view.say)
        return test.over

    def _load(self) -> None:
        """Compile the kernels, or find them in the cache."""
        try:
            load_kernels(self._tuner.load, self._view.doing, self._view.say)
        except ValueError as error:
            raise UserError(str(error)) from None

    def _learn(self, stop: Stop) -> None:
        """Play batch after batch, and compare with the start from time to time."""
        tuner = self._tuner
        while not stop.asked and (tuner.wants_comparison or not tuner.learned):
            try:
                if tuner.wants_comparison:
                    self._view.doing("comparing with the start")
                    self._view.say(comparison_line(apart(tuner.compare)))
                else:
                    self._view.doing("playing")
                    before, began = tuner.counts["games"], time.monotonic()
                    apart(tuner.run_batch)
                    self._speeds.append((tuner.counts["games"] - before, time.monotonic() - began))
            except Aborted:
                break
            self._view.show(self._progress())
            if time.monotonic() - self._saved_at > _SAVE_S:
                self._save()
        self._save()

    def _measure(self, stop: Stop) -> None:
        """Play what the result is given with, on openings and seeds of its own."""
        tuner = self._tuner
        while not stop.asked and tuner.learned and not tuner.finished:
            played = 2 * len(tuner.matches[MEASURE])
            self._view.doing(f"measuring, {played:,} of {tuner.config.measure_games:,} games")
            try:
                apart(partial(tuner.extend, MEASURE, tuner.config.measure_games // 2))
            except Aborted:
                break
            self._save()

    def write(self) -> dict[str, Any]:
        """Write the values with what is known about them; the tuned player's options."""
        tuner = self._tuner
        known = found(measured(tuner.matches[MEASURE], tuner.slid), tuner.verdicts, self._test)
        return write_result(tuner, self._folder, known)

    def draw(self) -> None:
        """Draw how the values changed."""
        from players.learning.tuning import pictures  # matplotlib takes a second to load

        tuner, plan = self._tuner, self._plan
        self._view.doing("drawing")
        pictures.save_parameters(
            self._folder, tuner.space, tuner.points, tuner.comparisons, plan.name, plan.about
        )
        if tuner.space.plan is not None and tuner.config.rules == "othello":
            pictures.save_board(self._folder, tuner.space, tuner.vector, plan.name, plan.about)

    def conclude(self, options: dict[str, Any]) -> None:
        """Say what came out, and where everything is."""
        say = self._view.say
        say(measured_line(self._tuner.matches[MEASURE], self._tuner.slid))
        say(gain(self._tuner.verdicts, self._test))
        say(f"Pictures and values are in {self._folder}; {PLAYER} holds how they were found.")
        say("The player, for a tournament of `arena run`:")
        for line in player_lines(self._tuner.config, options):
            say(f"    {line}")

    def _progress(self) -> Progress:
        tuner = self._tuner
        games = sum(games for games, _ in self._speeds)
        seconds = sum(seconds for _, seconds in self._speeds)
        rate = games / seconds if seconds else None
        return Progress(tuner.counts["games"], rate, tuner.points, tuner.comparisons)

    def _save(self) -> None:
        self._tuner.save()
        self._saved_at = time.monotonic()


def plan_of(tuner: Tuner) -> Plan:
    """What is tuned, and how far it is to go."""
    config, space = tuner.config, tuner.space
    bounds = (tuple(space.low.tolist()), tuple(space.high.tolist()))
    return Plan(config.name, about(config), config.games, space.names, *bounds)
