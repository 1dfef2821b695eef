"""A training's folder: whose it is, and what lies in it for people beside the checkpoint.

log.txt         the lines a training has shown, of all its runs
curve.csv       a line a block, as the checkpoint and the blocks since have it
curve.png .svg  the learning curve
network.ntuple  what was learned
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, Self, TextIO

from arena.cli.exits import UserError
from arena.reports.training import Block, csv_header, csv_line
from arena.tournament import lock_file

NETWORK, LOG, TABLE = "network.ntuple", "log.txt", "curve.csv"
PICTURES = ("curve.png", "curve.svg")
_LOCKED = "training"


@contextmanager
def held(folder: Path, checkpoint: str) -> Iterator[None]:
    """Make the folder, and keep other trainings out of it; `checkpoint` is the name of its file.

    Raises UserError when another has it, it has other files, or it cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = lock_file.acquire(folder / _LOCKED)
    except lock_file.Held as held:
        raise UserError(
            f"{folder}: being trained by another `arena train` ({held}); wait for it, stop it, or "
            "name another folder with --out"
        ) from None
    except FileExistsError:
        raise UserError(
            f"{folder}: not a folder; name one for what is learned with --out"
        ) from None
    except OSError as error:
        raise cannot_be_written(folder, error) from None
    try:
        _refuse_strangers(folder, checkpoint)
        yield
    finally:
        lock_file.release(folder / _LOCKED, lock)


def cannot_be_written(folder: Path, error: OSError) -> UserError:
    """The sentence for a disk that is full, or a folder that is another's."""
    return UserError(
        f"{folder}: cannot be written: {error.strerror}. The last checkpoint is as it was: mend "
        "that and go on, or name another folder with --out"
    )


def _refuse_strangers(folder: Path, checkpoint: str) -> None:
    """Raise UserError where nothing was trained, and something else lies."""
    ours = {NETWORK, LOG, TABLE, *PICTURES, checkpoint}
    names = sorted(
        path.name
        for path in folder.iterdir()
        if path.name not in ours and path.suffix != ".part" and path.stem != _LOCKED
    )
    if names and not (folder / checkpoint).exists():
        listed = ", ".join(names[:3]) + (", …" if names[3:] else "")
        raise UserError(
            f"{folder}: holds no training but other files ({listed}); name a folder of its own "
            "with --out"
        )


class Notes:
    """The log and the table of an open training. A context manager.

    The table is written anew from the blocks that the checkpoint has: those after it are played
    again. The log keeps all.
    """

    def __init__(self, folder: Path, tiles: Sequence[int], blocks: Sequence[Block]) -> None:
        self._tiles = tiles
        self._log, self._table = _lines(folder / LOG, "a"), _lines(folder / TABLE, "w")
        lines = (csv_line(block, tiles) for block in blocks)
        self._table.write("".join((csv_header(tiles), *lines)))
        self._table.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._log.close()
        self._table.close()

    def log(self, line: str) -> None:
        """Keep a line that was shown."""
        self._log.write(f"{line}\n")

    def add(self, block: Block) -> None:
        """Keep a block in the table."""
        self._table.write(csv_line(block, self._tiles))


def _lines(path: Path, mode: Literal["a", "w"]) -> TextIO:
    return path.open(mode, encoding="utf-8", newline="\n", buffering=1)
