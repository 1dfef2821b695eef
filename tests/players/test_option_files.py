"""Files that options name are judged before a run, without compiled code."""

import hashlib
import json
from pathlib import Path
from shutil import copyfile
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

import rules
from players.alphabeta import AlphaBetaOptions
from players.expectimax import ExpectimaxOptions
from players.option_files import first_line
from players.options import Options
from players.weighted_uct import WeightedUctOptions
from players.weights.evaluations import FOLDER
from players.weights.network_file import default_network

OTHELLO = rules.load("othello")


def test_a_whole_number_may_be_written_with_an_exponent() -> None:
    assert AlphaBetaOptions.model_validate({"nodes": 1e4, "probcut": 2.0}).nodes == 10_000


def why_not(model: type[Options], key: str, file: Path, game: Any) -> str:
    """Why an option of a player cannot be the file; "" where it can."""
    files: list[Path] = []
    context = {"folder": file.parent, "game": game, "files": files}
    try:
        model.model_validate({key: file.name}, context=context)
    except ValidationError as error:
        (found,) = error.errors()
        return found["msg"].removeprefix(f"Value error, {file}: ")
    assert files == [file]
    return ""


def sealed(path: Path, header: object) -> Path:
    """A network file, whole but for what it holds."""
    rest = json.dumps(header).encode() + b"\n"
    path.write_bytes(first_line(hashlib.sha256(rest).hexdigest()) + rest)
    return path


def test_what_comes_along_can_be_named_as_a_file() -> None:
    game = rules.load("2048")
    assert not why_not(ExpectimaxOptions, "weights", default_network("2048"), game)
    for name in ("network-othello-standard.ntuple", "evaluation-othello-standard.npz",
                 "evaluation-othello-standard.json"):  # fmt: skip
        assert not why_not(AlphaBetaOptions, "evaluation", FOLDER / name, OTHELLO)
    table = FOLDER / "othello-tuned.json"
    assert not why_not(WeightedUctOptions, "weights", table, OTHELLO)


def test_a_damaged_network_is_refused(tmp_path: Path) -> None:
    path, game = tmp_path / "x.ntuple", rules.load("2584")
    copyfile(default_network("2584"), path)
    with path.open("r+b") as file:
        file.seek(100_000)
        file.write(b"damaged")
    damaged = "is damaged: cut short, or changed since it was written; copy it again"
    assert why_not(ExpectimaxOptions, "weights", path, game) == damaged
    assert why_not(AlphaBetaOptions, "evaluation", path, OTHELLO) == damaged
    path.write_bytes(b"")
    assert why_not(ExpectimaxOptions, "weights", path, game).startswith("is not a network file")


def test_a_network_for_another_game_is_refused(tmp_path: Path) -> None:
    path, game = sealed(tmp_path / "x.ntuple", {"rules": "2584"}), rules.load("2048")
    said = "is a network for 2584, not for 2048"
    assert why_not(ExpectimaxOptions, "weights", path, game) == said
    sealed(path, {"rules": "othello", "variant": {**OTHELLO.variant, "size": 6}})
    said = "is a network for othello with size = 6, not 8"
    assert why_not(AlphaBetaOptions, "evaluation", path, OTHELLO) == said
    sealed(path, [])
    said = "its second line is not a header in JSON: it is not an object"
    assert why_not(ExpectimaxOptions, "weights", path, game) == said


def test_a_damaged_archive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    copyfile(FOLDER / "evaluation-othello-standard.npz", path)
    with path.open("r+b") as file:
        file.seek(1000)
        file.write(b"damaged")
    expected = "expected a NumPy archive of the arrays scalars and patterns: "
    assert why_not(AlphaBetaOptions, "evaluation", path, OTHELLO).startswith(expected)
    path.write_bytes(b"PK")
    assert why_not(AlphaBetaOptions, "evaluation", path, OTHELLO).startswith(expected)
    np.savez(path, other=np.zeros(1))
    assert why_not(AlphaBetaOptions, "evaluation", path, OTHELLO) == f"{expected}['other.npy']"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not a JSON file in UTF-8: "),
        ("[]", "must be a JSON object"),
        ('{"black": []}', "'white' is missing; expected black and white"),
    ],
)
def test_a_table_that_is_not_whole_is_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    assert why_not(WeightedUctOptions, "weights", path, OTHELLO).startswith(message)
