"""A student's bot that does everything right, ways to spoil it, and the check of what comes out."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.checks.checklist import run_checks
from arena.checks.conditions import CheckClocks, Conditions
from arena.checks.result import CheckResult
from arena.model.containment import Held
from arena.model.contender import Prepared
from arena.model.protocol import Clock
from tests.right_bot import RIGHT

QUICK = CheckClocks(
    startup_ms=1500, judged=(Clock(move_ms=800), Clock(move_ms=300)), patience_ms=800
)

Check = Callable[..., Iterator[CheckResult]]


@pytest.fixture
def check(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Check:
    """Checks a bot by its path or, as student.py, by its text; at quick clocks and in dots."""
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)  # without a sandbox it would be inherited

    def run(bot: str | Path, **more: Any) -> Iterator[CheckResult]:
        path = bot if isinstance(bot, Path) else tmp_path / "student.py"
        if isinstance(bot, str):
            path.write_text(bot)
        other = tmp_path / "other.txt"
        other.write_text(RIGHT)
        opponent = Prepared(name="other", command=(sys.executable, "-I", "-S", str(other)))
        held, given = more.pop("held", Held()), {"rules": ("dots",), "clocks": QUICK, "seed": 2048}
        tell = more.pop("tell", lambda _: None)
        return run_checks(path, opponent, held, Conditions(**given | more), tell)

    return run
