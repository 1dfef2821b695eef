"""How far searches of two depths are apart in their values: the numbers of multi-ProbCut."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arena.files import json_text
from players.games.registry import compiled_game

FOLDER = Path(__file__).resolve().parent


def load_spread(rules: str, variant: Mapping[str, Any]) -> Mapping[str, float] | None:
    """The terms of `search.alphabeta.cuts.spread` for these settings; None where none are known."""
    spread = compiled_game(rules).spread
    if spread is None:
        return None
    content = json_text.parse((FOLDER / spread(variant)).read_text(encoding="utf-8"))
    terms: Mapping[str, float] = content["spread"]
    return terms
