"""The evaluations' files: which belongs to a game, their provenance, and mistakes in anyone's."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rules
from players.games.othello import patterns as othello_patterns
from players.games.othello.evaluation import CLASSIC, PATTERNS
from players.weights import evaluations as terms
from players.weights.evaluations import load_terms

STANDARD = rules.load("othello").variant
DOTS = rules.load("dots", rows=5, cols=5).variant
FILES = sorted(terms.FOLDER.glob("evaluation-*"))


def about(path: Path) -> dict[str, Any]:
    if path.suffix == ".npz":
        with np.load(path) as file:
            text = str(file["about"])
    else:
        text = path.read_text(encoding="utf-8")
    content = json.loads(text)
    assert isinstance(content, dict)
    return content


def test_every_file_is_small_and_tells_where_it_comes_from() -> None:
    assert [path.name for path in FILES] == [
        "evaluation-dots.json",
        "evaluation-othello-cornerless.json",
        "evaluation-othello-cornerless.npz",
        "evaluation-othello-standard.json",
        "evaluation-othello-standard.npz",
    ]
    for path in FILES:
        content = about(path)
        assert len(content["about"]) > 40, path
        assert len(content["source"]) > 40, path
        assert path.stat().st_size <= 2_000_000, path


@pytest.mark.parametrize(
    ("settings", "kind"),
    [
        ({}, PATTERNS),
        ({"preset": "cornerless"}, PATTERNS),
        ({"preset": "cornerless", "start": "centre"}, PATTERNS),
        ({"corners": False}, CLASSIC),
        ({"free_centre": True}, CLASSIC),
        ({"size": 6}, CLASSIC),
        ({"preset": "cornerless", "size": 4}, CLASSIC),
    ],
    ids=str,
)
def test_patterns_serve_the_settings_they_were_learned_for(
    settings: dict[str, Any], kind: int
) -> None:
    variant = rules.load("othello", **settings).variant
    assert load_terms("othello", variant)[0] == kind
    assert load_terms("othello", variant, "classic")[0] == CLASSIC


@pytest.mark.parametrize(
    ("rule_set", "variant", "file"),
    [
        ("othello", STANDARD, "evaluation-othello-standard.npz"),
        ("dots", DOTS, "evaluation-dots.json"),
    ],
)
def test_a_file_is_named_by_its_path(rule_set: str, variant: dict[str, Any], file: str) -> None:
    of_path = load_terms(rule_set, variant, str(terms.FOLDER / file))
    assert of_path.dtype == np.int32
    assert (of_path == load_terms(rule_set, variant)).all()


def test_a_file_that_was_written_again_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "e.json"
    first, second = sorted(terms.FOLDER.glob("evaluation-othello-*.json"))
    path.write_bytes(first.read_bytes())
    before = load_terms("othello", STANDARD, str(path))
    load_terms("othello", STANDARD, str(path))[:] = 0  # whose it is
    assert (load_terms("othello", STANDARD, str(path)) == before).all()
    path.write_bytes(second.read_bytes())
    after = load_terms("othello", STANDARD, str(path))
    assert (after != before).any()
    assert (after == load_terms("othello", STANDARD, str(second))).all()


def features(**changes: Any) -> dict[str, Any]:
    stage = {"stable": 1, "mobility": 2, "frontier": 3, "parity": 4, "squares": [[5] * 4] * 4}
    return {"features": {"opening": {**stage, **changes}, "end": stage}}


@pytest.mark.parametrize(
    ("rule_set", "content", "words"),
    [
        ("othello", None, "expected default, classic, learned or the path of a file"),
        ("othello", "{", "not a JSON file"),
        ("othello", [], "must be a JSON object"),
        ("othello", {"features": 3}, "features must be an object of opening, end"),
        ("othello", {"features": {"opening": {}}}, "'end' is missing; expected opening, end"),
        ("othello", features(discs=1), "opening: 'discs' is unknown; expected stable"),
        ("othello", features(parity=0.5), "opening: parity: a number must be whole"),
        ("othello", features(parity=True), "opening: parity: a number must be whole"),
        ("othello", features(parity=50_001), "at most 50000 from 0: 50001"),
        ("othello", features(squares=[[1] * 4] * 3), "squares must be a list of 4: 3 entries"),
        ("othello", features(squares=[[1] * 4] * 3 + [7]), "squares must be a list of 4: 7"),
        ("dots", {"features": [1]}, "features must be a list of 23: 1 entries"),
        ("dots", {"features": [[[0] * 5]] * 23}, "0 safe edges must be a list of 2: 1 entries"),
        ("dots", {"features": [[[0] * 5, ["1"] * 5]] * 23}, "a number must be whole"),
    ],
)
def test_a_mistake_in_a_file_is_named(
    rule_set: str, content: Any, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "e.json"
    if content is not None:
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    with pytest.raises(ValueError, match=r"e\.json") as problem:
        load_terms(rule_set, STANDARD if rule_set == "othello" else DOTS, str(path))
    assert words in str(problem.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"scalars": None}, "expected a NumPy archive of the arrays scalars and patterns"),
        ({"scalars": np.zeros((12, 4), np.int16)}, "scalars must be integers of the shape (12, 6)"),
        ({"patterns": np.zeros((12, 9), np.int16)}, "patterns must be integers of the shape (12, "),
        ({"scalars": np.zeros((12, 6))}, "float64 of the shape (12, 6)"),
        (
            {"patterns": np.full((12, othello_patterns.ENTRIES), -32_769)},
            "patterns must be from -32768 to 32767, got -32769",
        ),
    ],
)
def test_a_mistake_in_an_archive_is_named(
    change: dict[str, Any], words: str, tmp_path: Path
) -> None:
    arrays = {
        "scalars": np.zeros((12, 6), np.int16),
        "patterns": np.zeros((12, othello_patterns.ENTRIES), np.int16),
        **change,
    }
    path = tmp_path / "e.npz"
    np.savez_compressed(
        path, **{name: array for name, array in arrays.items() if array is not None}
    )
    with pytest.raises(ValueError, match=r"e\.npz") as problem:
        load_terms("othello", STANDARD, str(path))
    assert words in str(problem.value)


@pytest.mark.parametrize("damage", ["cut", "overwritten", "empty", "text"])
def test_a_damaged_archive_is_refused(damage: str, tmp_path: Path) -> None:
    content = bytearray((terms.FOLDER / "evaluation-othello-standard.npz").read_bytes())
    if damage == "cut":
        content = content[: len(content) // 2]
    elif damage == "overwritten":
        content[len(content) // 2 : len(content) // 2 + 1000] = bytes(1000)
    else:
        content = bytearray(b"" if damage == "empty" else b"no archive")
    path = tmp_path / "e.npz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"e\.npz: expected a NumPy archive"):
        load_terms("othello", STANDARD, str(path))


def test_patterns_are_refused_for_other_boards() -> None:
    path = str(terms.FOLDER / "evaluation-othello-standard.npz")
    for rule_set, variant in (("othello", rules.load("othello", size=6).variant), ("dots", DOTS)):
        with pytest.raises(ValueError, match="patterns are for Othello on 8×8"):
            load_terms(rule_set, variant, path)
