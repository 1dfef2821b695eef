"""`arena train`: from a training's file to a network, its learning curve and its log."""

from __future__ import annotations

import shlex
import time
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from arena.errors import Exit, UserError
from arena.files.background import apart
from arena.files.stop_signals import Stop, stop_signals
from arena.reports.screen import Lines
from arena.reports.words import duration
from arena.sandbox.bwrap import reserve_fds
from arena.tournament.warming import load_kernels
from arena.training import run_folder
from arena.training.kinds import TrainingKind, learns_by_td, load_training
from arena.training.run_folder import NETWORK, PICTURES, TABLE, TrainingLog
from arena.training.train_view import LiveTraining, PlainTraining, TrainingPlan
from players.learning.trainer import CHECKPOINT, BlockTrainer

if TYPE_CHECKING:
    from arena.training.verify_learned import NetworkTrial

_DRAW_S = 30.0
"""The curve is drawn at most this often, and at the end."""


def train(file: Path, out: Path | None, console: Console, *, verify: bool = False) -> Exit:
    """Play the games of a training, or what is left of them, and with `verify` the tests of what
    was learned. Raises UserError and FileError.
    """
    kind = load_training(file)
    folder = out or Path("runs") / f"{kind.config.name}.train"
    elsewhere = () if out is None else ("--out", str(out))
    test = shlex.join(["arena", "tune", str(file), *elsewhere, "--verify"])
    if not learns_by_td(file):
        test = f'write [tuning] with method = "td" in place of [training], then {test}'
    work = run_folder.Work("arena train", "training", CHECKPOINT, run_folder.TRAINING_FILES)
    with reserve_fds() if verify else nullcontext(), run_folder.held(folder, work):
        try:
            return _train(file, kind, folder, console, test, verify=verify)
        except KeyboardInterrupt:
            again = run_folder.again()
            Lines(console).say(f"Stopped at once, with what was saved. Go on with: {again}")
            return Exit.INTERRUPTED


def _train(
    file: Path, kind: TrainingKind[Any], folder: Path, console: Console, test: str, *, verify: bool
) -> Exit:
    """Train in a folder that is held. Raises UserError and OSError."""
    with console.status("reading the checkpoint"):
        trainer = _opened(kind, folder)
    before = trainer.blocks
    plan = TrainingPlan(kind.config.name, kind.about, kind.config.games)
    view: LiveTraining[Any] | PlainTraining[Any] = (
        LiveTraining(console, plan, kind.view, before, time.monotonic)
        if console.is_terminal
        else PlainTraining(console, kind.view)
    )
    with TrainingLog(folder, kind.view, before) as log:
        training = _Training(kind, trainer, folder, view, log)
        training.say(f"{plan.name}: {plan.about}")
        if trainer.finished:
            training.say("It is finished: all games are played. More games in the file go on.")
        elif before:
            training.say(f"{before[-1].games:,} of {plan.games:,} games were played before.")
        with view:
            training.run(test)
        if not trainer.finished:
            training.say(f"Stopped. Go on with: {run_folder.again()}")
            return Exit.INTERRUPTED
        training.conclude()
        trial = training.trial
        if trial is None:
            return Exit.DONE
        code = trial.play(file, console, training.say) if verify else Exit.DONE
        training.write()
        if code is not Exit.INTERRUPTED:
            training.say(trial.said)
    return code


def _opened(kind: TrainingKind[Any], folder: Path) -> BlockTrainer[Any, Any]:
    try:
        return apart(partial(kind.open, folder))
    except ValueError as error:
        raise UserError(str(error)) from None
    except MemoryError as error:
        raise UserError(
            f"{kind.config.name}: {error}. The network needs more memory than is free: end other "
            "programs, or take fewer or shorter tuples"
        ) from None


class _Training:
    """A training that goes on: played by `trainer`, shown by `view`, kept in `folder`."""

    def __init__(
        self,
        kind: TrainingKind[Any],
        trainer: BlockTrainer[Any, Any],
        folder: Path,
        view: LiveTraining[Any] | PlainTraining[Any],
        log: TrainingLog[Any],
    ) -> None:
        self._kind, self._trainer, self._folder = kind, trainer, folder
        self._view, self._log = view, log
        self.trial: NetworkTrial | None = None
        """The tests of what was learned, once all is played; None where there are none."""
        self._drawn_at = time.monotonic()

    def say(self, line: str) -> None:
        """Show a line and keep it in the log."""
        self._view.say(line)
        self._log.say(line)

    def run(self, test: str) -> None:
        """Play what is left until a signal stops it; draw the curve, and write the network if all
        is played. The second signal raises KeyboardInterrupt, and the first where nothing is lost.
        `test` is how to have the network tested.
        """
        if not self._trainer.finished:
            load_kernels(self._trainer.load_kernels, self._view.doing, self.say)
            with stop_signals(self._trainer.interrupt, then_at_once=True) as stop:
                try:
                    self._play(stop)
                except (OSError, SystemExit):  # the reader of stdout is gone, most likely
                    self._trainer.save()
                    raise
        self._draw()
        if self._trainer.finished:
            if self._kind.trial is not None:
                self.trial = self._kind.trial(self._folder, self._trainer.network, test)
            self._view.doing("writing the network")
            self.write()

    def write(self) -> None:
        """Write the network with the results of its tests."""
        known = {} if self.trial is None else self.trial.known
        self._trainer.write_network(self._folder / NETWORK, known)

    def conclude(self) -> None:
        """Say what came out, and where everything is."""
        blocks = self._trainer.blocks
        seconds = duration(sum(block.seconds for block in blocks))
        self.say(
            f"{blocks[-1].games:,} games in {seconds}; the last {self._trainer.config.block:,} "
            f"{self._kind.outcome(blocks[-1])}."
        )
        self.say(f"The curve is in {self._folder / PICTURES[0]}, each block in {TABLE} next to it.")
        self.say("The player, for a tournament of `arena run`:")
        for line in self._kind.players(str((self._folder / NETWORK).resolve())):
            self.say(f"    {line}".rstrip())

    def _play(self, stop: Stop) -> None:
        """Play block after block until all are played or a signal stops it; save what there is."""
        every = self._kind.config.checkpoint_every
        while not stop.asked:
            self._view.doing(f"playing block {len(self._trainer.blocks) + 1:,}")
            block = apart(self._trainer.run_block)
            if block is None:
                break
            self._log.add(block)
            self._view.show(block)
            if block.number % every == 0 and not self._trainer.finished:
                self._save()
                if time.monotonic() - self._drawn_at > _DRAW_S:
                    self._draw()
        if stop.asked:
            self.say("Stopping: a checkpoint is saved first.")
        self._save()

    def _save(self) -> None:
        self._view.doing("saving a checkpoint")
        self._trainer.save()

    def _draw(self) -> None:
        """Draw the learning curve, of at least one block."""
        if self._trainer.blocks:
            self._view.doing("drawing the curve")
            self._kind.draw(self._folder, self._trainer.blocks)
        self._drawn_at = time.monotonic()
