"""The heuristic player's search against plain minimax."""

from random import Random
from typing import Any

import numpy as np
import pytest

import rules
from players.search.heuristic.driver import BestTileMove, HeuristicSearch
from players.search.stop import NEVER
from rules.position import draw_chance
from rules.tiles import CELLS, SPAWNS
from tests.players.heuristic_helpers import LOST, Plain, game_boards, random_weights
from tests.players.tile_cases import GAMES, case


def search_of(plain: Plain, memory_mb: int = 0) -> HeuristicSearch:
    return HeuristicSearch(plain.board, plain.heuristic(), memory_mb)


def found_at(plain: Plain, position: Any, depth: int, memory_mb: int = 0) -> BestTileMove:
    board = plain.board.position(position.state())
    return search_of(plain, memory_mb).think(board, position.legal_moves(), NEVER, depth)


@pytest.mark.parametrize(("name", "spawn"), GAMES)
@pytest.mark.parametrize(("depth", "memory_mb"), [(1, 0), (2, 1), (3, 0)])
def test_the_slider_finds_what_plain_minimax_finds(
    name: str, spawn: str, depth: int, memory_mb: int
) -> None:
    """Thousandths are cut off on the way."""
    plain = Plain(name, spawn, random_weights(5))
    for position in game_boards(plain, seed=6, every=60):
        found = found_at(plain, position, depth, memory_mb)
        best = plain.slider(position.cells, found.depth)
        after = position.play(found.move).cells
        assert plain.placer(after, found.depth - 1, 1) == pytest.approx(best, abs=1e-3)
        if found.end is None:
            assert found.depth == depth
            assert found.score == pytest.approx(best, abs=2e-3)
            assert len(found.pv) == 2 * depth - 1
        else:
            assert found.depth <= depth
            assert best == LOST + 2 * found.end
            assert found.score is None


@pytest.mark.parametrize(("name", "spawn"), GAMES)
def test_the_table_changes_no_value(name: str, spawn: str) -> None:
    """Nor does what it holds from the turns before. The last turns lead to the end."""
    plain = Plain(name, spawn)
    search, visited, ends = search_of(plain, 1), [0, 0], 0
    for seed in range(12):
        for position in list(game_boards(plain, seed, every=1))[-6:]:
            board, legal = plain.board.position(position.state()), position.legal_moves()
            with_table = search.think(board, legal, NEVER, depth=5)
            without = search_of(plain).think(board, legal, NEVER, depth=5)
            assert with_table.score == without.score
            assert with_table.end == without.end
            visited[0] += with_table.nodes
            visited[1] += without.nodes
            ends += with_table.end is not None
    assert visited[0] < 0.9 * visited[1]
    assert ends


@pytest.mark.parametrize(("name", "spawn"), GAMES)
@pytest.mark.parametrize("choice", ["tile", "cell"])
def test_the_placer_leaves_least(name: str, spawn: str, choice: str) -> None:
    """All its moves are looked at, not only those that annoy most."""
    plain = Plain(name, spawn)
    game = rules.load(name, spawn=spawn, placer="player", placer_chooses=choice)
    outside = 0
    for earlier in game_boards(plain, seed=7, every=4):
        cells = earlier.play(earlier.legal_moves()[0]).cells
        rows = [list(cells[at : at + 4]) for at in (0, 4, 8, 12)]
        position = game.position({"board": rows, "score": 0, "to_move": 1})
        found = found_at(plain, position, 1)
        worth = {}
        for move in position.legal_moves():
            cell, _, tile = move.partition("=")
            at = CELLS.index(cell)
            shares = {int(tile): 1.0} if tile else SPAWNS[name][spawn]
            worth[move] = sum(
                share * plain.slider((*cells[:at], each, *cells[at + 1 :]), 1, 1)
                for each, share in shares.items()
            )
        assert worth[found.move] == pytest.approx(min(worth.values()), abs=2e-3)
        assert found.pv[0] == found.move
        if found.end is None:
            assert found.score == pytest.approx(-worth[found.move], abs=2e-3)
            assert len(found.pv) == 2 + (choice == "cell")
        outside += not any(CELLS[at] == found.move[:2] for at, _ in plain.annoying(cells))
    assert outside


def test_only_the_moves_offered_are_looked_at() -> None:
    plain = Plain("2048", "2/4")
    position = plain.game.start(seed=1)
    board, search = plain.board.position(position.state()), search_of(plain)
    for move in position.legal_moves():
        assert search.think(board, [move], NEVER, depth=3).move == move


def test_a_placer_ends_the_game_where_it_can() -> None:
    game = rules.load("2048", placer="player")
    board = [[4, 8, 4, 8], [8, 4, 8, 4], [4, 8, 4, 8], [8, 4, 8, 0]]
    position = game.position({"board": board, "score": 0, "to_move": 1})
    found = found_at(Plain("2048", "2/4"), position, 5)
    assert (found.move, found.score, found.end, found.pv) == ("d4=2", None, 0, ["d4=2"])


def test_a_search_stops_inside_a_depth_and_uses_what_it_saw() -> None:
    """Whatever the limit, the move is at least as good, one slide deeper than all moves were looked
    at, as the best move of that depth.
    """
    plain = Plain("2048", "2/4")
    inside = changed = 0
    for seed in range(3):
        for position in game_boards(plain, seed):
            board, legal = plain.board.position(position.state()), position.legal_moves()
            for nodes in range(100, 3000, 170):
                found = search_of(plain).think(board, legal, NEVER, nodes=nodes)
                if found.end is not None:
                    continue
                assert found.nodes <= nodes + 4**2
                whole = found_at(plain, position, found.depth)
                if len(found.pv) == 2 * found.depth - 1:
                    assert found.move == whole.move
                    continue
                inside += 1
                changed += found.move != whole.move
                deeper = {
                    move: search_of(plain).think(board, [move], NEVER, found.depth + 1)
                    for move in (found.move, whole.move)
                }
                assert found.score == deeper[found.move].score
                assert deeper[found.move].score >= deeper[whole.move].score
    assert inside > 20
    assert changed


def test_a_set_flag_leaves_the_first_slide() -> None:
    plain = Plain("2048", "2/4")
    position = plain.game.start(seed=1)
    board = plain.board.position(position.state())
    found = search_of(plain).think(board, position.legal_moves(), np.ones(1, np.int64))
    assert found.depth == 1


@pytest.mark.parametrize(("name", "tile"), [case("2048", 1024), case("2584", 987)])
def test_it_slides_well(name: str, tile: int) -> None:
    plain = Plain(name, next(iter(SPAWNS[name])))
    rng, position, search = Random(8), plain.game.start(8), search_of(plain, 1)
    while not position.is_over and max(position.cells) < tile:
        board = plain.board.position(position.state())
        found = search.think(board, position.legal_moves(), NEVER, nodes=300)
        position = position.play(found.move)
        position = position.play(draw_chance(position, rng))
    assert max(position.cells) == tile
