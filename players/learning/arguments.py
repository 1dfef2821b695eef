"""Arguments of the tools that fit evaluations, refused before work that may take hours, and the
files of their results.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arena.files.whole_file import writing
from players.weights.evaluations import load_terms
from rules.position import Game


def out_file(end: str = "") -> Callable[[str], Path]:
    """Reads the path of a result, which ends with `end` where players know the file by it."""

    def path_of(text: str) -> Path:
        path = Path(text)
        if not path.parent.is_dir():
            raise argparse.ArgumentTypeError(f"{path}: there is no folder {path.parent}; make it")
        if path.is_dir():
            raise argparse.ArgumentTypeError(f"{path}: is a folder; name a file")
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            raise argparse.ArgumentTypeError(f"{path}: may not be written; name another file")
        if not path.name.endswith(end):
            raise argparse.ArgumentTypeError(f"{path}: must end with {end}, as players expect")
        return path

    return path_of


@contextmanager
def result_file(path: Path, mode: str) -> Iterator[Any]:
    """The file `path`, whole or as it was; where it cannot be, a sentence and exit code 2."""
    try:
        with writing(path, mode) as file:
            yield file
    except OSError as error:
        print(f"{path} cannot be written: {error.strerror}", file=sys.stderr)  # noqa: T201 - a tool's answer
        sys.exit(2)


def count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be 1 or more, got {text!r}")
    return int(text)


def evaluation(parser: argparse.ArgumentParser, game: Game, name: str) -> Any:
    """int32[:]: the evaluation `name`; of a wrong or damaged file a sentence, and exit code 2."""
    try:
        return load_terms(game.name, game.variant, name)
    except ValueError as error:
        parser.error(str(error))
