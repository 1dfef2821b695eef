"""`arena tune`: from a tuning file to a player's values, pictures of them, and what they gain."""

import math
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

from arena.errors import Exit, UserError
from arena.files.stop_signals import Stop, apart
from arena.reports.screen import Lines, again
from arena.sandbox.bwrap import reserve_fds
from arena.tournament.site import HERE, Site
from arena.training import tune_view, tuned_player
from arena.training.kinds import learns_by_td
from arena.training.matches import RefereeMatchRunner
from arena.training.run_folder import TUNED, TUNING, Work, held, stoppable, test_command
from arena.training.train import train
from arena.training.verify import play_budget, refuse_damaged, tests_of
from arena.training.verify_config import Verification, load_both
from players.learning.tuning import result
from players.learning.tuning.config import TuneConfig
from players.learning.tuning.matches import Aborted
from players.learning.tuning.tuner import CHECKPOINT, MEASURE, MakeRunner, Tuner, kernel_runner

_SAVE_S = 2.0
"""A checkpoint is written after the first batch, then at most this often."""
_RATE_BATCHES = 50
"""The last batches, which give the speed."""


def tune(
    file: Path, out: Path | None, console: Console, *, verify: bool, site: Site = HERE
) -> Exit:
    """Play the games of a tuning, or what is left of them, and with `verify` the tests of what came
    of it; that under the referee is played here. Raises UserError and FileError.
    """
    if learns_by_td(file):
        if not site.here:
            raise UserError(f'{file}: method = "td" learns in one process; leave out --on')
        return train(file, out, console, verify=verify)
    config, verification = load_both(file)
    folder = out or Path("runs") / f"{config.name}{TUNED}"
    work = Work(TUNING, CHECKPOINT, result.FILES)
    test = test_command(file, out)
    to_verify, target = verification if verify else None, verification.target
    gained = partial(tuned_player.gain_words, config, folder / result.PLAYER, target, test)
    with reserve_fds(), held(folder, work):  # what draws comes before what plays under the referee
        try:
            return _Tuning(config, folder, console, gained, site).run(file, to_verify)
        except KeyboardInterrupt:
            stopped = "Stopped at once; what was not saved is played again. Continue with"
            Lines(console).say(f"{stopped}: {again()}")
            return Exit.INTERRUPTED


def _runner_of(config: TuneConfig, folder: Path, site: Site) -> MakeRunner:
    if config.referee:
        files = () if site.here else (str(folder.resolve() / CHECKPOINT),)
        return partial(RefereeMatchRunner, site=site, files=files)
    if site.here:
        return kernel_runner
    from arena.training.spread import SpreadMatchRunner

    return partial(SpreadMatchRunner, site.client)


class _Tuning:
    """A tuning that goes on in a folder that is held; `gained` gives a sentence on verdicts, and on
    how many tests came before, what they show.
    """

    def __init__(
        self,
        config: TuneConfig,
        folder: Path,
        console: Console,
        gained: Callable[[Mapping[str, dict[str, Any]], int], str],
        site: Site,
    ) -> None:
        make_runner = _runner_of(config, folder, site)
        try:
            tuner = apart(partial(Tuner, config, folder, make_runner))
        except ValueError as error:
            raise UserError(str(error)) from None
        refuse_damaged(folder / CHECKPOINT, tuner.verdicts)
        space, bounds = tuner.space, (tuner.space.low.tolist(), tuner.space.high.tolist())
        self._plan = plan = tune_view.TuningPlan(
            config.name, tuned_player.about(config), config.games, space.names, *bounds
        )
        make_view = tune_view.LiveTuning if console.is_terminal else tune_view.PlainTuning
        self._view = make_view(console, time.monotonic, plan)
        self._tuner, self._folder, self._console, self._gained = tuner, folder, console, gained
        self._saved_at = -math.inf
        self._speeds: deque[tuple[int, float]] = deque(maxlen=_RATE_BATCHES)

    def run(self, file: Path, verification: Verification | None) -> Exit:
        """Play what is left, the tests of `verification` too, and write the result."""
        tuner, plan = self._tuner, self._plan
        with self._view as view:
            view.say(f"{plan.name}: {plan.about}")
            if tuner.finished:
                view.say("It is finished: all games are played. To continue, raise `games`.")
            elif tuner.counts["games"]:
                view.say(f"{tuner.counts['games']:,} of {plan.games:,} games were played before.")
            with closing(tuner):
                tested = self._play(verification)
            options = self._write()
            over = tuner.finished and tested
            if not over:
                view.say("Stopping: all is saved. Pictures are drawn last; Ctrl-C leaves them out.")
            self._draw()
            if not over:
                best = self._folder / result.PLAYER
                view.say(f"Stopped; the best so far is in {best}. Continue with: {again()}")
                return Exit.INTERRUPTED
            self._conclude(options)
        if verification is None or not tuned_player.changed(tuner):
            return Exit.DONE
        code = tuned_player.play_tuned(
            file, tuner, self._folder, options, verification, self._console
        )
        self._write()
        Lines(self._console).say(self._gain())
        return code

    def _play(self, verification: Verification | None) -> bool:
        """Play what is left, or until a signal; whether the test at the budget, if any, is over."""
        tuner, view = self._tuner, self._view
        if not tuner.finished:
            with stoppable(tuner.load, tuner.interrupt, view.doing, view.say) as stop:
                self._learn(stop)
                self._measure(stop)
        if verification is None or not tuner.finished or not tuned_player.changed(tuner):
            return True
        test = tuned_player.budget_test(tuner, verification)
        if not test.over:
            with stoppable(tuner.load, tuner.interrupt, view.doing, view.say) as stop:
                play_budget(test, view, stop, view.say)
        return test.over

    def _learn(self, stop: Stop) -> None:
        tuner = self._tuner
        while not stop.requested and (tuner.wants_comparison or not tuner.learned):
            try:
                if tuner.wants_comparison:
                    self._view.doing("comparing with the start")
                    self._view.say(tune_view.comparison_line(apart(tuner.compare)))
                else:
                    self._view.doing("playing")
                    before, began = tuner.counts["games"], time.monotonic()
                    apart(tuner.run_batch)
                    self._speeds.append((tuner.counts["games"] - before, time.monotonic() - began))
            except Aborted:
                break
            games = sum(games for games, _ in self._speeds)
            seconds = sum(seconds for _, seconds in self._speeds)
            rate = games / seconds if seconds else None
            played = tuner.counts["games"]
            self._view.show(tune_view.TuningProgress(played, rate, tuner.points, tuner.comparisons))
            if time.monotonic() - self._saved_at > _SAVE_S:
                self._save()
        self._save()

    def _measure(self, stop: Stop) -> None:
        """Play what the result is given with, on openings and seeds of its own."""
        tuner = self._tuner
        while not stop.requested and tuner.learned and not tuner.finished:
            played = 2 * len(tuner.matches[MEASURE])
            self._view.doing(f"measuring, {played:,} of {tuner.config.measure_games:,} games")
            try:
                apart(partial(tuner.extend, MEASURE, tuner.config.measure_games // 2))
            except Aborted:
                break
            self._save()

    def _write(self) -> dict[str, Any]:
        """Write the values with what is known about them; the tuned player's options."""
        tuner = self._tuner
        known = {
            "measured": tuned_player.measured(tuner.matches[MEASURE], tuner.slid),
            "tests": tests_of(tuner.verdicts),
            "gain": self._gain(),
        }
        return result.write_result(tuner, self._folder, known)

    def _gain(self) -> str:
        if not tuned_player.changed(self._tuner):
            return "The tuned player is the start, no value changed: there is nothing to test."
        return self._gained(self._tuner.verdicts, self._tuner.earlier_tests)

    def _draw(self) -> None:
        from players.learning import pictures  # matplotlib takes a second to load
        from players.learning.tuning.pictures import board_figure, parameter_figure

        tuner, plan = self._tuner, self._plan
        self._view.doing("drawing")
        words = plan.name, plan.about
        drawn = partial(parameter_figure, tuner.space, tuner.points, tuner.comparisons, *words)
        pictures.save_figure(self._folder, result.PARAMETERS, drawn)
        if tuner.space.plan is not None and tuner.config.rules == "othello":
            drawn = partial(board_figure, tuner.space, tuner.vector, *words)
            pictures.save_figure(self._folder, result.BOARD, drawn)

    def _conclude(self, options: dict[str, Any]) -> None:
        say = self._view.say
        say(tuned_player.measured_line(self._tuner.matches[MEASURE], self._tuner.slid))
        say(self._gain())
        say(f"Pictures and values are in {self._folder}; {result.PLAYER} says how they were found.")
        say("The player, for a tournament of `arena run`:")
        for line in result.player_entry(self._tuner.config.bot, options):
            say(f"    {line}")

    def _save(self) -> None:
        self._tuner.save()
        self._saved_at = time.monotonic()
