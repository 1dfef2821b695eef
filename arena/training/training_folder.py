"""A training's folder: whose it is, and what lies in it for people beside the checkpoint.

log.txt         the lines a training has shown, of all its runs
curve.csv       a line a block, as the checkpoint and the blocks since have it
curve.png .svg  the learning curve
network.ntuple  what was learned
verify.json     what tests of it came to, beside the runs of those under the referee
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Generic, Literal, Self, TextIO, TypeVar

from arena.training import run_folder
from arena.training.run_folder import Work
from arena.training.train_view import Look, Timed

NETWORK, LOG, TABLE, EVIDENCE = "network.ntuple", "log.txt", "curve.csv", "verify.json"
PICTURES = ("curve.png", "curve.svg")


def held(folder: Path, checkpoint: str) -> AbstractContextManager[None]:
    """Make the folder, and keep other trainings out of it; `checkpoint` is the name of its file.

    Raises UserError when another has it, it has other files, or it cannot be written.
    """
    files = frozenset({NETWORK, LOG, TABLE, EVIDENCE, *PICTURES})
    return run_folder.held(folder, Work("arena train", "training", checkpoint, files))


_Block = TypeVar("_Block", bound=Timed)


class Notes(Generic[_Block]):
    """The log and the table of an open training. A context manager.

    The table is written anew from the blocks that the checkpoint has: those after it are played
    again. The log keeps all.
    """

    def __init__(self, folder: Path, look: Look[_Block], blocks: Sequence[_Block]) -> None:
        self._look = look
        self._log, self._table = _lines(folder / LOG, "a"), _lines(folder / TABLE, "w")
        lines = (look.csv_line(block) for block in blocks)
        self._table.write("".join((look.csv_header(), *lines)))
        self._table.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._log.close()
        self._table.close()

    def log(self, line: str) -> None:
        """Keep a line that was shown."""
        self._log.write(f"{line}\n")

    def add(self, block: _Block) -> None:
        """Keep a block in the table."""
        self._table.write(self._look.csv_line(block))


def _lines(path: Path, mode: Literal["a", "w"]) -> TextIO:
    return path.open(mode, encoding="utf-8", newline="\n", buffering=1)
