"""`arena train`: from a training's file to a network, its learning curve and its log."""

import csv
import time
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

from arena.errors import Exit, UserError
from arena.files.stop_signals import Stop, apart
from arena.reports.screen import Lines, again
from arena.reports.words import duration
from arena.sandbox.bwrap import reserve_fds
from arena.training import run_folder
from arena.training.kinds import TrainingKind, learns_by_td, load_training
from arena.training.train_view import LiveTraining, PlainTraining
from players.learning.trainer import AVERAGED, CHECKPOINT

_lines = partial(Path.open, encoding="utf-8", errors="backslashreplace", newline="\n", buffering=1)
_DRAW_S = 30.0
"""The curve is drawn at most this often, and at the end."""


def train(file: Path, out: Path | None, console: Console, *, verify: bool = False) -> Exit:
    """Play the games of a training, or what is left of them, and with `verify` the tests of what
    was learned. Raises UserError and FileError.
    """
    kind = load_training(file)
    folder = out or Path("runs") / f"{kind.config.name}{run_folder.TRAINED}"
    test = run_folder.test_command(file, out)
    if not learns_by_td(file):
        test = f'write [tuning] with method = "td" in place of [training], then {test}'
    files = run_folder.TRAINING_FILES | {AVERAGED}
    work = run_folder.Work(run_folder.TRAINING, CHECKPOINT, files)
    with reserve_fds() if verify else nullcontext(), run_folder.held(folder, work):
        try:
            return _Training(kind, folder, console, test).run(file, verify=verify)
        except KeyboardInterrupt:
            Lines(console).say(f"Stopped at once, with what was saved. Continue with: {again()}")
            return Exit.INTERRUPTED
        except MemoryError as error:
            raise UserError(
                f"{kind.config.name}: {str(error) or 'no memory is left'}. The network needs more "
                "memory than is free: end other programs, or take fewer or shorter tuples"
            ) from None


class _Training:
    """A training that goes on in a folder that is held. `test` is how to have the network tested.
    Raises UserError and OSError.
    """

    def __init__(self, kind: TrainingKind[Any], folder: Path, console: Console, test: str) -> None:
        self._kind, self._folder, self._console, self._test = kind, folder, console, test
        try:
            with console.status("reading the checkpoint"):
                self._trainer = apart(partial(kind.open, folder))
        except ValueError as error:
            raise UserError(str(error)) from None
        before = self._trainer.blocks
        config = kind.config
        self._view: LiveTraining[Any] | PlainTraining[Any] = (
            LiveTraining(console, config.name, config.games, kind.view, before, time.monotonic)
            if console.is_terminal
            else PlainTraining(console, kind.view)
        )
        self._drawn_at = time.monotonic()

    def run(self, file: Path, *, verify: bool) -> Exit:
        """Play what is left, with `verify` the tests too, and write the result."""
        trainer, config, shown = self._trainer, self._kind.config, self._kind.view
        log, table = self._folder / run_folder.LOG, self._folder / run_folder.TABLE
        with _lines(log, mode="a") as self._log, _lines(table, mode="w") as self._table:
            # The table is written again: blocks after the checkpoint are played again.
            self._rows = csv.writer(self._table, lineterminator="\n")
            self._rows.writerows((shown.columns, *map(shown.cells, trainer.blocks)))
            self._table.flush()
            self._say(f"{config.name}: {self._kind.about}")
            if trainer.finished:
                self._say("It is finished: all games are played. To continue, raise `games`.")
            elif trainer.blocks:
                played = trainer.blocks[-1].games
                self._say(f"{played:,} of {config.games:,} games were played before.")
            with self._view as view:
                if not trainer.finished:
                    self._play()
                self._draw()
                if trainer.finished:
                    view.doing("writing the network")
                    try:
                        network = trainer.result()
                    except ValueError as error:
                        without = "remove that file, and the mean of the others is taken"
                        raise UserError(f"{error}; {without}") from None
                    make_trial = self._kind.trial
                    trial = make_trial and make_trial(self._folder, network, self._test)
                    known = trial.known if trial else {}
                    trainer.write_network(self._folder / run_folder.NETWORK, network, known)
            if not trainer.finished:
                self._say(f"Stopped. Continue with: {again()}")
                return Exit.INTERRUPTED
            self._conclude()
            if trial is None:
                return Exit.DONE
            code = trial.play(file, self._console, self._say) if verify else Exit.DONE
            trainer.write_network(self._folder / run_folder.NETWORK, network, trial.known)
            if code is not Exit.INTERRUPTED:
                self._say(trial.gain)
        return code

    def _say(self, line: str) -> None:
        self._view.say(line)
        self._log.write(f"{line}\n")

    def _play(self) -> None:
        """Play what is left until a signal stops it. The second signal raises KeyboardInterrupt,
        and the first where nothing is lost.
        """
        trainer, load = self._trainer, self._trainer.load_kernels
        with run_folder.stoppable(load, trainer.interrupt, self._view.doing, self._say) as stop:
            try:
                self._play_blocks(stop)
            except (OSError, SystemExit):  # the reader of stdout is gone, most likely
                trainer.save()
                raise

    def _play_blocks(self, stop: Stop) -> None:
        """Play block after block until all are played or a signal stops it; save what there is."""
        every = self._kind.config.checkpoint_every
        while not stop.requested:
            self._view.doing(f"playing block {len(self._trainer.blocks) + 1:,}")
            block = apart(self._trainer.run_block)
            if block is None:
                break
            self._log.writelines(f"{line}\n" for line in self._kind.view.lines(block))
            self._rows.writerow(self._kind.view.cells(block))
            self._view.show(block)
            if block.number % every == 0 and not self._trainer.finished:
                self._save()
                if time.monotonic() - self._drawn_at > _DRAW_S:
                    self._draw()
        if stop.requested:
            self._say("Stopping: a checkpoint is saved first.")
        self._save()

    def _save(self) -> None:
        self._view.doing("saving a checkpoint")
        self._trainer.save()

    def _draw(self) -> None:
        from players.learning import pictures  # matplotlib takes a second to load

        blocks, kind = self._trainer.blocks, self._kind
        if blocks:
            self._view.doing("drawing the curve")
            curve: Any = pictures.game_curve if kind.against else pictures.tile_curve
            drawn = partial(curve, blocks, kind.config.name, kind.about, *kind.against)
            pictures.save_figure(self._folder, run_folder.CURVE, drawn)
        self._drawn_at = time.monotonic()

    def _conclude(self) -> None:
        blocks, network = self._trainer.blocks, self._folder / run_folder.NETWORK
        seconds = duration(sum(block.seconds for block in blocks))
        self._say(
            f"{blocks[-1].games:,} games in {seconds}; the last {self._trainer.config.block:,} "
            f"{self._kind.outcome(blocks[-1])}."
        )
        if mean := self._trainer.mean:
            self._say(mean)
        curve = self._folder / run_folder.PICTURES[0]
        self._say(f"The curve is in {curve}, each block in {run_folder.TABLE} next to it.")
        self._say("The player, for a tournament of `arena run`:")
        for line in self._kind.players(str(network.resolve())):
            self._say(f"    {line}".rstrip())
