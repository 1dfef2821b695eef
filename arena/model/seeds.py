"""Independent seeds from one: the same on every machine and in every version of Python."""

from __future__ import annotations

import hashlib

from rules.position import Game, Position


def derive(seed: int, purpose: str) -> int:
    """0 ≤ seed < 2³¹, as players in any language can take it; from SHA-256 of `seed:purpose`."""
    digest = hashlib.sha256(f"{seed}:{purpose}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1


def first_position(game: Game, seed: int) -> Position:
    """Where the game of this seed starts: the tiles that 2048 and 2584 begin with are drawn."""
    return game.start(derive(seed, "start"))
