"""Arguments of the tools that fit evaluations, refused before work that may take hours."""

import argparse
import os
from pathlib import Path
from typing import Any

from players.weights.evaluations import load_terms
from rules.position import Game


def out_file(text: str) -> Path:
    path = Path(text)
    if not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"{path}: there is no folder {path.parent}; make it")
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"{path}: is a folder; name a file")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise argparse.ArgumentTypeError(f"{path}: may not be written; name another file")
    return path


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
