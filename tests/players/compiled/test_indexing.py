"""Indices of kernels: none counts from the end, and none is beyond its array."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

import rules
from arena.files.cache import CACHE_VARIABLE
from players.catalogue import BUILTINS
from tests.players.conftest import play_with

FROM_THE_END = """
import numpy as np
from players.compiled.cache import kernel

@kernel
def last(words):
    return words[-1]

@kernel
def one(words, index):
    return words[index]

words = np.arange(5)
print(last(words), one(words, 2))
one(words, -1)
"""


def checked(folder: Path) -> dict[str, str]:
    return {"NUMBA_BOUNDSCHECK": "1", "NUMBA_OPT": "1", CACHE_VARIABLE: str(folder)}


def test_only_an_index_that_is_written_so_counts_from_the_end(tmp_path: Path) -> None:
    """Kernels of others, which check none, are in the same cache."""
    (tmp_path / "kernels.py").write_text(FROM_THE_END)
    asked = checked(tmp_path / "cache")
    unchecked = asked | {"NUMBA_BOUNDSCHECK": "0"}
    others, done = (
        subprocess.run(
            [sys.executable, "kernels.py"],
            cwd=tmp_path,
            env={**os.environ, **settings},
            capture_output=True,
            text=True,
            check=False,
        )
        for settings in (unchecked, asked)
    )
    assert (others.returncode, others.stdout) == (0, "4 2\n")
    assert (done.returncode, done.stdout) == (1, "4 2\n")
    assert done.stderr.endswith("IndexError: index is out of bounds\n")


BESET = rules.load("2048").position(
    {
        "board": [[2, 32768, 0, 0], [8192, 0, 0, 16384], [0, 0, 2048, 0], [0, 4096, 0, 0]],
        "score": 0,
        "to_move": 0,
    }
)
"""All tiles, large and small, are met in a few hundred moves. A game takes thousands."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "begin"),
    [("uct", rules.load("dots")), ("alphabeta", rules.load("othello")), ("expectimax", BESET)],
    ids=["uct-dots", "alphabeta-othello", "expectimax-2048"],
)
def test_whole_games_are_within_their_arrays(
    name: str, begin: Any, start_player: Callable[..., Any], tmp_path: Path
) -> None:
    player = start_player(BUILTINS[name].module, **checked(tmp_path))
    assert play_with(player, begin, 0, Random(6))
    assert player.close() == (0, b"")
    assert player.stderr() == ""
