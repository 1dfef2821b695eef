"""Every mistake fails its item, and what follows from it, with a sentence and what to change.

The output is in `golden`, one file a mistake, to be read in review: the change of the program,
then the check. ARENA_WRITE_GOLDEN=1 writes them again.
"""

import difflib
import os
import re
from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from pathlib import Path

import pytest

from arena.checks.checklist import ITEMS
from arena.checks.result import CheckResult
from tests.right_bot import RIGHT

from .conftest import Check
from .mistakes import MISTAKES

GOLDEN = Path(__file__).parent / "golden"
MEMORY_MB = 64
PATIENCE = 4
"""A check on a busy machine judges no clock and asks to be run again: at most that often."""


def told(results: Iterable[CheckResult], folder: Path) -> Iterator[str]:
    """The results as lines; what was not judged for the same reason is one line."""
    for (passed, detail), group in groupby(results, lambda it: (it.passed, it.detail)):
        same = list(group)
        result = same[0]
        mark = {True: "✓", False: "✗", None: "–"}[passed]
        if len(same) > 1:
            yield f"{result.number}–{same[-1].number} {mark} {steady(detail, folder)}"
        elif passed:
            yield f"{result.number:2} {mark} {result.title}"
        else:
            yield f"{result.number:2} {mark} {result.title}: {steady(detail, folder)}"
        if result.line is not None:
            yield f"     line {result.line_number}: {result.line}"
        if result.fix is not None:
            yield f"     Fix: {steady(result.fix, folder)}"


def steady(text: str, folder: Path) -> str:
    """Figures that differ from run to run are `N`."""
    text = re.sub(r"\d+(?= ms late| MB;)", "N", text)
    text = re.sub(r"Python \S+ \(.*?\)", "Python N (PROGRAM)", text)
    return text.replace(str(folder), "FOLDER")


def changed(text: str) -> Iterator[str]:
    """What is other than in the program that is right."""
    lines = difflib.ndiff(RIGHT.splitlines(), text.splitlines())
    return (line for line in lines if line[0] in "+-")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if mistake.quick else pytest.mark.slow)
        for name, mistake in MISTAKES.items()
    ],
)
def test_a_mistake_is_reported_with_its_fix(name: str, check: Check, tmp_path: Path) -> None:
    text = MISTAKES[name].made_in(RIGHT)
    for _ in range(PATIENCE):
        results = list(islice(check(text, memory_mb=MEMORY_MB), MISTAKES[name].last))
        if not any("the machine was too busy" in result.detail for result in results):
            break
    shown = "\n".join([*changed(text), "", *told(results, tmp_path), ""])
    path = GOLDEN / f"{name.replace(' ', '-')}.txt"
    if os.environ.get("ARENA_WRITE_GOLDEN"):
        path.write_text(shown)
    assert shown == path.read_text()
    failed = [result for result in results if result.passed is False]
    assert failed
    assert all(result.fix for result in failed)


def test_every_item_has_a_mistake_that_fails_it_first() -> None:
    first = set()
    for path in GOLDEN.iterdir():
        match = re.search(r"^ *(\d+) ✗", path.read_text(), re.MULTILINE)
        assert match is not None, path
        first.add(int(match[1]))
    by_packages = {1, 2}  # tests of packages
    after_others = {14}  # who fails against itself has failed against another
    lacking = set(range(1, len(ITEMS) + 1)) - first - by_packages - after_others
    assert not lacking, f"items {lacking}: add a mistake to mistakes.py, and write its golden file"
