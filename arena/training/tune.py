"""`arena tune`: from a tuning file to a player's values, pictures of them, and what they gain."""

import math
import shlex
import time
from collections import deque
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

from arena.errors import Exit, UserError
from arena.files.background import apart
from arena.files.stop_signals import Stop, stop_signals
from arena.reports.screen import Lines
from arena.sandbox.bwrap import reserve_fds
from arena.tournament.warming import load_kernels
from arena.training.kinds import learns_by_td
from arena.training.matches import RefereeMatchRunner
from arena.training.run_folder import Work, again, held
from arena.training.train import train
from arena.training.tune_view import (
    LiveTuning,
    PlainTuning,
    TuningPlan,
    TuningProgress,
    comparison_line,
)
from arena.training.tuned_player import (
    about,
    budget_test,
    measured,
    measured_line,
    play_tuned,
    player_lines,
)
from arena.training.verify import gain, play_budget, refuse_damaged, tests_of
from arena.training.verify_config import Verification, load_both
from players.learning.tuning.config import TuneConfig
from players.learning.tuning.matches import Aborted
from players.learning.tuning.result import (
    BOARD,
    PARAMETERS,
    PICTURES,
    PLAYER,
    START,
    WEIGHTS,
    write_result,
)
from players.learning.tuning.tuner import CHECKPOINT, MEASURE, Tuner, kernel_runner

_SAVE_S = 2.0
"""A checkpoint is written after the first batch, then at most this often."""
_RATE_BATCHES = 50
"""The last batches, which give the speed."""


def tune(file: Path, out: Path | None, console: Console, *, verify: bool) -> Exit:
    """Play the games of a tuning, or what is left of them, and with `verify` the tests of what came
    of it. Raises UserError and FileError.
    """
    if learns_by_td(file):
        return train(file, out, console, verify=verify)
    config, verification = load_both(file)
    folder = out or Path("runs") / f"{config.name}.tune"
    work = Work("arena tune", "tuning", CHECKPOINT, frozenset((WEIGHTS, PLAYER, START, *PICTURES)))
    elsewhere = () if out is None else ("--out", str(out))
    test = shlex.join(["arena", "tune", str(file), *elsewhere, "--verify"])
    asked = verification if verify else None
    with reserve_fds(), held(folder, work):  # what draws comes before what plays under the referee
        try:
            return _tune(config, folder, console, file, asked, test)
        except KeyboardInterrupt:
            said = "Stopped at once; what was not saved is played again. Go on with"
            Lines(console).say(f"{said}: {again()}")
            return Exit.INTERRUPTED


def _tune(
    config: TuneConfig,
    folder: Path,
    console: Console,
    file: Path,
    verification: Verification | None,
    test: str,
) -> Exit:
    """Tune in a folder that is held; the command `test` tests what came of it."""
    try:
        make_runner = RefereeMatchRunner if config.referee else kernel_runner
        tuner = apart(partial(Tuner.open, config, folder, make_runner))
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
            view.say(f"Stopped; the best so far is in {folder / PLAYER}. Go on with: {again()}")
            return Exit.INTERRUPTED
        tuning.conclude(options)
    if verification is None:
        return Exit.DONE
    code = play_tuned(file, tuner, folder, options, verification, console)
    tuning.write()
    Lines(console).say(gain(tuner.verdicts, test))
    return code


class _Tuning:
    """A tuning that goes on: played by `tuner`, shown by `view`, kept in `folder`."""

    def __init__(
        self,
        tuner: Tuner,
        plan: TuningPlan,
        folder: Path,
        view: LiveTuning | PlainTuning,
        test: str,
    ) -> None:
        self._tuner, self._plan, self._folder, self._view = tuner, plan, folder, view
        self._test = test
        self._saved_at = -math.inf
        self._speeds: deque[tuple[int, float]] = deque(maxlen=_RATE_BATCHES)

    def play(self, verification: Verification | None) -> bool:
        """Play what is left, until a signal stops it; whether the test at the budget is over, or
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
        known = {
            "measured": measured(tuner.matches[MEASURE], tuner.slid),
            "tests": tests_of(tuner.verdicts),
            "gain": gain(tuner.verdicts, self._test),
        }
        return write_result(tuner, self._folder, known)

    def draw(self) -> None:
        """Draw how the values changed."""
        from players.learning import pictures  # matplotlib takes a second to load
        from players.learning.tuning.pictures import board_figure, parameter_figure

        tuner, plan = self._tuner, self._plan
        self._view.doing("drawing")
        words = plan.name, plan.about
        drawn = partial(parameter_figure, tuner.space, tuner.points, tuner.comparisons, *words)
        pictures.save_figure(self._folder, PARAMETERS, drawn)
        if tuner.space.plan is not None and tuner.config.rules == "othello":
            drawn = partial(board_figure, tuner.space, tuner.vector, *words)
            pictures.save_figure(self._folder, BOARD, drawn)

    def conclude(self, options: dict[str, Any]) -> None:
        """Say what came out, and where everything is."""
        say = self._view.say
        say(measured_line(self._tuner.matches[MEASURE], self._tuner.slid))
        say(gain(self._tuner.verdicts, self._test))
        say(f"Pictures and values are in {self._folder}; {PLAYER} says how they were found.")
        say("The player, for a tournament of `arena run`:")
        for line in player_lines(self._tuner.config, options):
            say(f"    {line}")

    def _progress(self) -> TuningProgress:
        tuner = self._tuner
        games = sum(games for games, _ in self._speeds)
        seconds = sum(seconds for _, seconds in self._speeds)
        rate = games / seconds if seconds else None
        return TuningProgress(tuner.counts["games"], rate, tuner.points, tuner.comparisons)

    def _save(self) -> None:
        self._tuner.save()
        self._saved_at = time.monotonic()


def plan_of(tuner: Tuner) -> TuningPlan:
    """What is tuned, and how far it is to go."""
    config, space = tuner.config, tuner.space
    bounds = (tuple(space.low.tolist()), tuple(space.high.tolist()))
    return TuningPlan(config.name, about(config), config.games, space.names, *bounds)
