"""The moves of the Python starter, without a process."""

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from rules.position import Position

PROGRAM = Path(__file__).parents[2] / "arena" / "bots" / "starters" / "python" / "bot.py"


@cache
def _choose() -> Callable[[Any], str]:
    """Its `choose`, which it gives to `play` of the sdk."""
    given: list[Callable[[Any], str]] = []
    sdk = ModuleType("sdk")
    sdk.__dict__.update(Start=object, Turn=object, play=lambda choose, **_: given.append(choose))
    before = sys.modules.get("sdk")
    sys.modules["sdk"] = sdk
    try:
        exec(compile(PROGRAM.read_text(), str(PROGRAM), "exec"), {"__name__": "bot"})
    finally:
        del sys.modules["sdk"]
        if before is not None:
            sys.modules["sdk"] = before
    return given[0]


def starter_move(position: Position) -> str:
    """Its move in a position."""
    start = SimpleNamespace(rules=position.game.name)
    legal = list(position.legal_moves())
    return _choose()(SimpleNamespace(start=start, state=position.state(), legal=legal))
