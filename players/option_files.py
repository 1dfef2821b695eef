"""Files that options name, as far as they are read without compiled code: what is no such file, or
is damaged, is refused before a run begins. The readers in `players.weights` begin with the same.

Each function raises OSError, and ValueError without the name of the file, which `naming` adds.
"""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import Any

from arena.files import json_text
from arena.files.toml_tables import shown
from rules.position import Game

FORMAT = "n-tuple network"
VERSION = 1
_FIRST_LINE_MOST, _HEADER_MOST = 256, 1 << 24
_INDIFFERENT = ("start", "stop_at_majority")
"""Settings that a network does not depend on."""
NO_ARCHIVE = "expected a NumPy archive of the arrays scalars and patterns"


def first_line(digest: str) -> bytes:
    """The first line of a network file; `digest` is that of all that follows."""
    return f"{FORMAT} {VERSION} sha256 {digest}\n".encode()


def network_header(file: BufferedReader) -> bytes:
    """The header of a network file, which is whole; the file stands at the payload then."""
    first = file.readline(_FIRST_LINE_MOST)
    if not first.startswith(f"{FORMAT} ".encode()):
        raise ValueError(f"is not a network file: its first line does not begin with {FORMAT!r}")
    if not first.startswith(f"{FORMAT} {VERSION} ".encode()):
        raise ValueError(f"is of another version of the format; this arena reads version {VERSION}")
    begin = file.tell()
    if first != first_line(hashlib.file_digest(file, "sha256").hexdigest()):
        raise ValueError("is damaged: cut short, or changed since it was written; copy it again")
    file.seek(begin)
    return file.readline(_HEADER_MOST)


def header_object(line: bytes) -> dict[str, Any]:
    """The keys and values of a network's header."""
    try:
        found = json_text.parse(line)
        if not isinstance(found, dict):
            raise ValueError("it is not an object")
    except ValueError as error:
        raise ValueError(f"its second line is not a header in JSON: {error}") from error
    return found


def refuse_other_rules(known: str, rules: str) -> None:
    """Refuse a network of other rules."""
    if known != rules:
        raise ValueError(f"is a network for {known}, not for {rules}")


def refuse_other_settings(rules: str, known: Mapping[str, Any], variant: Mapping[str, Any]) -> None:
    """Refuse a network that learned a board game with the settings `known`."""
    differences = [
        f"{key} = {shown(known.get(key))}, not {shown(value)}"
        for key, value in variant.items()
        if known.get(key) != value and key not in _INDIFFERENT
    ]
    if differences:
        raise ValueError(f"is a network for {rules} with {' and '.join(differences)}")


@contextmanager
def naming(path: Path, what: str, expected: str) -> Iterator[None]:
    """Raise ValueError with the name of a file where something is wrong with it: where it cannot be
    read also `what` it is to be, and what is `expected`.
    """
    try:
        yield
    except OSError as error:
        raise ValueError(
            f"{what} {str(path)!r} cannot be read ({error.strerror}); expected {expected}"
        ) from error
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def json_object(path: Path) -> dict[str, Any]:
    try:
        content = json_text.parse(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"not a JSON file in UTF-8: {error}") from error
    if not isinstance(content, dict):
        raise ValueError("must be a JSON object")
    return content


def features_in(path: Path) -> Any:
    """The features of an evaluation in a JSON file."""
    content = json_object(path)
    if "features" not in content:
        raise ValueError("must be a JSON object with the member 'features'")
    return content["features"]


def seat_names(rules: str) -> tuple[str, str]:
    """The names of the seats in a file of weights of moves."""
    return ("black", "white") if rules == "othello" else ("first", "second")


def tables_in(path: Path, rules: str) -> list[Any]:
    """The table of each seat in a file of weights of moves."""
    content, names = json_object(path), seat_names(rules)
    for side in names:
        if side not in content:
            raise ValueError(f"{side!r} is missing; expected {' and '.join(names)}")
    return [content[side] for side in names]


def judge_network(path: Path, game: Game) -> dict[str, Any]:
    """Refuse a file that is no whole network for the rules of a game; its header."""
    with path.open("rb") as file:
        header = header_object(network_header(file))
    refuse_other_rules(str(header.get("rules")), game.name)
    return header


def judge_evaluation(path: Path, game: Game) -> None:
    """Refuse a file that is no whole evaluation for a game."""
    if path.suffix == ".ntuple":
        refuse_other_settings(game.name, judge_network(path, game).get("variant", {}), game.variant)
    elif path.suffix == ".npz":
        _judge_archive(path)
    else:
        features_in(path)


def _judge_archive(path: Path) -> None:
    from zipfile import ZipFile

    try:
        with ZipFile(path) as archive:
            names = archive.namelist()
            broken = archive.testzip()
    except OSError:
        raise
    except Exception as error:  # of the archive or what unpacks it: any
        raise ValueError(f"{NO_ARCHIVE}: {error}") from error
    if broken or not {"scalars.npy", "patterns.npy"}.issubset(names):
        raise ValueError(f"{NO_ARCHIVE}: {f'{broken} is damaged' if broken else names}")


def judge_tables(path: Path, game: Game) -> None:
    """Refuse a file without weights for the moves of both seats."""
    tables_in(path, game.name)
