"""A search of each reader, and what was found before."""

from pathlib import Path
from random import Random

import pytest

from tests.fuzz.readers import READERS
from tests.fuzz.search import CASES, check, search

SEARCH_S = 1.0
FOUND = sorted(CASES.glob("*/*"))


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Archives are unpacked into it."""
    monkeypatch.setenv("ARENA_CACHE_DIR", str(tmp_path / "cache"))


@pytest.mark.parametrize("case", FOUND, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_what_was_found_is_read_or_refused(case: Path, tmp_path: Path) -> None:
    reader = READERS[case.parent.name]
    check(reader, reader.prepare(tmp_path), case.read_bytes())


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_a_search(name: str, tmp_path: Path) -> None:
    search(READERS[name], SEARCH_S, tmp_path, Random(2))
