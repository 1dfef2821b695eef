"""`arena train`: from a training's file to a network, its learning curve and its log."""

from __future__ import annotations

import shlex
import sys
import time
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer
from rich.console import Console

from arena.errors import Exit, UserError
from arena.files.background import apart
from arena.files.stop_signals import Stop, stop_signals
from arena.reports.live import duration
from arena.sandbox.bwrap import reserve_fds
from arena.training.kinds import Course, learns_by_td, load_course
from arena.training.loading import load_kernels
from arena.training.run_folder import cannot_be_written
from arena.training.train_view import LiveTraining, PlainTraining, Plan
from arena.training.training_folder import NETWORK, PICTURES, TABLE, Notes, held
from players.learning.block_trainer import CHECKPOINT, BlockTrainer

if TYPE_CHECKING:
    from arena.training.verify_learned import NetworkTrial

_DRAW_S = 30.0
"""The curve is drawn at most so often, and at the end."""


class Words(NamedTuple):
    """What is told of what to do next."""

    again: str
    """The command that goes on."""
    test: str
    """How to have tested what was learned."""


def train(file: Path, out: Path | None, *, verify: bool = False) -> Exit:
    """Play the games of a training, or what is left of them, and with `verify` the tests of what
    was learned. Raises UserError and FileError.
    """
    course = load_course(file)
    folder = out or Path("runs") / f"{course.config.name}.train"
    elsewhere = () if out is None else ("--out", str(out))
    test = shlex.join(["arena", "tune", str(file), *elsewhere, "--verify"])
    if not learns_by_td(file):
        test = f'write [tuning] with method = "td" in place of [training], then {test}'
    told = Words(shlex.join(["arena", *sys.argv[1:]]), test)
    with reserve_fds() if verify else nullcontext(), held(folder, CHECKPOINT):
        try:
            return _train(file, course, folder, told, verify=verify)
        except KeyboardInterrupt:
            typer.echo(f"Stopped at once, with what was saved. Go on with: {told.again}")
            return Exit.INTERRUPTED
        except SystemExit as error:  # rich ends so where a pipe is read by nobody
            if isinstance(error.code, str):  # and players, with what is wrong
                raise
            return Exit.INTERRUPTED
        except BrokenPipeError:
            return Exit.INTERRUPTED
        except OSError as error:
            raise cannot_be_written(folder, error, CHECKPOINT) from None


def _train(file: Path, course: Course[Any], folder: Path, told: Words, *, verify: bool) -> Exit:
    """Train in a folder that is held; the exit code. Raises UserError and OSError."""
    console = Console()
    with console.status("reading the checkpoint"):
        trainer = _opened(course, folder)
    before = trainer.blocks
    plan = Plan(course.config.name, course.about, course.config.games)
    view: LiveTraining[Any] | PlainTraining[Any] = (
        LiveTraining(console, plan, course.look, before, time.monotonic)
        if console.is_terminal
        else PlainTraining(console, course.look)
    )
    with Notes(folder, course.look, before) as notes:
        training = _Training(course, trainer, plan, folder, view, notes, told.test)
        training.say(f"{plan.name}: {plan.about}")
        if trainer.finished:
            training.say("It is finished: all games are played. More games in the file go on.")
        elif before:
            training.say(f"{before[-1].games:,} of {plan.games:,} games were played before.")
        try:
            with view:
                training.run()
        except KeyboardInterrupt:
            training.say(f"Stopped at once, with what was saved. Go on with: {told.again}")
            return Exit.INTERRUPTED
        if not trainer.finished:
            training.say(f"Stopped. Go on with: {told.again}")
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


def _opened(course: Course[Any], folder: Path) -> BlockTrainer[Any, Any]:
    try:
        return apart(partial(course.open, folder))
    except ValueError as error:
        raise UserError(str(error)) from None
    except MemoryError as error:
        raise UserError(
            f"{course.config.name}: {error}. The network needs more memory than is free: end other "
            "programs, or take fewer or shorter tuples"
        ) from None


class _Training:
    """A training that goes on: played by `trainer`, shown by `view`, kept in `folder`."""

    def __init__(
        self,
        course: Course[Any],
        trainer: BlockTrainer[Any, Any],
        plan: Plan,
        folder: Path,
        view: LiveTraining[Any] | PlainTraining[Any],
        notes: Notes[Any],
        test: str,
    ) -> None:
        self._course, self._trainer, self._plan, self._folder = course, trainer, plan, folder
        self._view, self._notes, self._test = view, notes, test
        self.trial: NetworkTrial | None = None
        """The tests of what was learned, once all is played; None where there are none."""
        self._drawn_at = time.monotonic()

    def say(self, line: str) -> None:
        """Show a line and keep it in the log."""
        self._view.say(line)
        self._notes.log(line)

    def run(self) -> None:
        """Play what is left until somebody stops it; draw the curve, and write the network if all
        is played. The second signal raises KeyboardInterrupt, and the first where nothing is lost.
        """
        if not self._trainer.finished:
            load_kernels(self._trainer.load_kernels, self._view.doing, self.say)
            with stop_signals(self._trainer.interrupt, then_at_once=True) as stop:
                try:
                    self._play(stop)
                except (OSError, SystemExit):  # whoever watched is gone, most likely: see `train`
                    self._trainer.save()
                    raise
        self._draw()
        if self._trainer.finished:
            if self._course.trial is not None:
                network = self._trainer.network
                self.trial = self._course.trial(self._folder, network, self._test)
            self._view.doing("writing the network")
            self.write()

    def write(self) -> None:
        """Write the network with what tests said of it."""
        known = {} if self.trial is None else self.trial.known
        self._trainer.write_network(self._folder / NETWORK, known)

    def conclude(self) -> None:
        """Say what came out, and where everything is."""
        blocks = self._trainer.blocks
        seconds = duration(sum(block.seconds for block in blocks))
        self.say(
            f"{blocks[-1].games:,} games in {seconds}; the last {self._trainer.config.block:,} "
            f"{self._course.outcome(blocks[-1])}."
        )
        self.say(f"The curve is in {self._folder / PICTURES[0]}, each block in {TABLE} beside it.")
        self.say("The player, for a tournament of `arena run`:")
        for line in self._course.players(str((self._folder / NETWORK).resolve())):
            self.say(f"    {line}".rstrip())

    def _play(self, stop: Stop) -> None:
        """Play block after block until all are played or somebody stops it; save what there is."""
        every = self._course.config.checkpoint_every
        while not stop.asked:
            self._view.doing(f"playing block {len(self._trainer.blocks) + 1:,}")
            block = apart(self._trainer.run_block)
            if block is None:
                break
            self._add(block)
            if block.number % every == 0 and not self._trainer.finished:
                self._save()
                if time.monotonic() - self._drawn_at > _DRAW_S:
                    self._draw()
        if stop.asked:
            self.say("Stopping: a checkpoint is saved first.")
        self._save()

    def _add(self, block: Any) -> None:
        self._notes.add(block)
        for line in self._course.look.lines(block):
            self._notes.log(line)
        self._view.show(block)

    def _save(self) -> None:
        self._view.doing("saving a checkpoint")
        self._trainer.save()

    def _draw(self) -> None:
        """Draw the learning curve, of at least one block."""
        if self._trainer.blocks:
            self._view.doing("drawing the curve")
            draw = self._course.draw()
            draw(self._folder, self._trainer.blocks, self._plan.name, self._plan.about)
        self._drawn_at = time.monotonic()
