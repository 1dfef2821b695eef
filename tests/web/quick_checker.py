"""The checker of a server under test: quick clocks, one small board, no sandbox."""

import sys
from pathlib import Path
from typing import Any

from arena.checks.conditions import CheckClocks, Conditions
from arena.entering import enter
from arena.model.game_spec import Terms
from arena.model.protocol import Clock
from arena.web import checker

QUICK = CheckClocks(startup_ms=3000, judged=(Clock(move_ms=300),), patience_ms=2000)
TERMS = Terms(rules="dots", variant={"rows": 1, "cols": 2}, clock=Clock(move_ms=300))


def quick(*_: Any) -> Conditions:
    return Conditions(terms=TERMS, clocks=QUICK, sandbox="none", seed=2048)


if __name__ == "__main__":
    enter.conditions_of = quick
    checker.main(Path(sys.argv[1]))
