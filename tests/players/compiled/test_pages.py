"""Tables are in memory before a move is asked for."""

import os
from collections.abc import Callable

import pytest

from arena.sandbox.processes import resident_bytes
from players.compiled.pages import zeros
from players.games.dots import endgame_table
from players.games.othello.endgame import new_memory
from players.search.alphabeta import table


@pytest.mark.parametrize(
    ("make", "mb"),
    [
        (lambda: endgame_table.new_table(128), 67),  # a power of two of slots
        (lambda: new_memory(8, 64), 64),
        (lambda: table.new_table(64), 64),
        (lambda: zeros(2**26), 0),  # half a gigabyte, left to long searches
    ],
    ids=["dots", "othello", "alphabeta", "large"],
)
def test_the_pages_of_a_table_are_made_with_it(make: Callable[[], object], mb: int) -> None:
    before = resident_bytes(os.getpid())
    made = make()
    grown = (resident_bytes(os.getpid()) - before) / 1e6
    assert made is not None
    assert abs(grown - mb) <= 0.1 * mb + 5
