"""Symmetries rename the moves of a game into those of another game just like it."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rules

COUNTS = [
    ("othello", {}, 3),
    ("othello", {"size": 4}, 3),
    ("othello", {"preset": "cornerless"}, 7),
    ("dots", {"rows": 3, "cols": 3}, 7),
    ("dots", {"rows": 2, "cols": 3}, 3),
    ("2048", {}, 0),
]


@pytest.mark.parametrize(("name", "settings", "count"), COUNTS)
def test_there_are_as_many_as_the_start_allows(
    name: str, settings: dict[str, object], count: int
) -> None:
    found = rules.load(name, **settings).symmetries
    assert len(found) == count
    assert len({tuple(sorted(each.items())) for each in found}) == count, "all different"
    assert all(sorted(each) == sorted(each.values()) for each in found)


@given(which=st.sampled_from(COUNTS[:-1]), seed=st.integers(0, 2**32))
def test_a_renamed_game_is_the_same_game(
    which: tuple[str, dict[str, object], int], seed: int
) -> None:
    name, settings, _ = which
    game, rng = rules.load(name, **settings), Random(seed)
    renamed = rng.choice(game.symmetries)
    here = there = game.start()
    for _ in range(rng.randrange(30)):
        if here.is_over:
            break
        assert sorted(renamed.get(move, move) for move in here.legal_moves()) == sorted(
            there.legal_moves()
        )
        move = rng.choice(here.legal_moves())
        here, there = here.play(move), there.play(renamed.get(move, move))
        assert (here.scores(), here.to_move) == (there.scores(), there.to_move)
