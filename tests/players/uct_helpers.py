"""What the tests of UCT share: searches of small games, and the invariants of their trees."""

from typing import Any

import numpy as np

from players.games.endgame import load_endgame
from players.games.registry import compiled_game, load_board
from players.search.tree import NEAR, UNKNOWN, Tree
from players.search.uct.driver import ThinkingLimits, Thought, UctChoice, UctSearch
from players.search.uct.settings import make_settings
from rules.position import Game, Position

NEVER = np.zeros(1, np.int64)
"""A stop flag that is never set."""

OF_SEARCH = ("memory_mb", "seed", "threads", "parallel")


def search_of(game: Game, **options: Any) -> UctSearch:
    """A search of `game`; options go to `make_settings` or to the search itself."""
    board = load_board(game.name, game.variant)
    of_search = {"memory_mb": 8, "seed": 1}
    of_search |= {key: options.pop(key) for key in OF_SEARCH if key in options}
    settings = make_settings(compiled_game(game.name).most_margin(game.variant), **options)
    return UctSearch(board, settings, load_endgame(game.name, board, 1), **of_search)


def compiled(position: Position) -> Any:
    """The kernels' position."""
    board = load_board(position.game.name, position.game.variant)
    return board.position(position.state())


def think(search: UctSearch, position: Position, iterations: int, **options: Any) -> Thought:
    """Think for that many iterations."""
    limits = ThinkingLimits(iterations, **options)
    return search.think(compiled(position), NEVER, limits)


def choose(
    search: UctSearch, position: Position, final: Any = "visits", c: Any = None
) -> UctChoice:
    """What the search would play."""
    return search.choose(compiled(position), final, c)


def check_tree(tree: Tree, samples: int = 1) -> None:
    """The invariants that `search/tree.py` states."""
    used = int(tree.used[0])
    seen = 1
    for node in range(used):
        count, first = int(tree.count[node]), int(tree.first[node])
        if count < 0:
            assert tree.proof[node] != NEAR
            continue
        if count == 0:
            continue
        block = slice(first, first + count)
        assert node < first
        assert first + count <= used
        seen += count
        tried = int(tree.tried[node])
        visits = tree.visits[block]
        assert (visits[:tried] > 0).all()
        assert not visits[tried:].any()
        assert visits.sum() <= tree.visits[node]
        assert len(set(tree.move[block].tolist())) == count
        if (tree.proof[block] > NEAR).any():
            assert tree.proof[node] != UNKNOWN
    visited = slice(1, used)
    assert (tree.total[visited] <= tree.visits[visited] + 1e-9).all()
    assert (tree.total[visited] >= -1e-9).all()
    assert not (tree.visits[:used] % samples).any()
    assert seen == used
