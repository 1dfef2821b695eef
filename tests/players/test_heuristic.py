"""The heuristic player: its evaluation and its search against plain Python, and its process."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from math import log
from random import Random
from typing import Any

import numpy as np
import pytest

import rules
from players.kernels.cache import kernel
from players.kernels.tile_boards import TileBoard
from players.kernels.tile_heuristic import evaluate, make_heuristic, most_annoying
from players.options.heuristic import EMPTY, LARGEST, MONOTONICITY, SMOOTHNESS
from players.search.heuristic import NEVER, Found, HeuristicSearch, Limits
from rules.position import draw_chance
from rules.tiles import CELLS, SLIDES, SPAWNS, TilesPosition
from tests.players.conftest import play_with, start_message, turn_message

GAMES = [(name, spawn) for name, spawns in SPAWNS.items() for spawn in spawns]
WEIGHTS = (SMOOTHNESS, MONOTONICITY, EMPTY, LARGEST)
Cells = tuple[int, ...]
LOST = -1e9


@kernel
def evaluated(board: Any, heuristic: Any) -> Any:
    """`evaluate` for Python."""
    return evaluate(board, heuristic)


@kernel
def annoying(board: Any, heuristic: Any, out: Any) -> Any:
    """`most_annoying` for Python."""
    return most_annoying(board, heuristic, out)


class Plain:
    """The heuristic once more, in plain Python and as its definitions say."""

    def __init__(self, name: str, spawn: str, weights: Sequence[float] = WEIGHTS) -> None:
        self.game = rules.load(name, spawn=spawn)
        self.board = TileBoard(name, spawn)
        self.weights = weights
        self.tiles = tuple(SPAWNS[name][spawn])

    def lines(self, cells: Cells) -> tuple[list[list[int]], list[list[int]]]:
        """Rows and columns of indices."""
        indices = [self.board.values.index(tile) for tile in cells]
        return [indices[4 * r : 4 * r + 4] for r in range(4)], [indices[c::4] for c in range(4)]

    def smoothness(self, cells: Cells) -> int:
        rows, columns = self.lines(cells)
        kept = ([tile for tile in line if tile] for line in rows + columns)
        return -sum(abs(one - other) for line in kept for one, other in pairwise(line))

    def monotonicity(self, cells: Cells) -> int:
        total = 0
        for lines in self.lines(cells):
            up = down = 0
            for line in lines:
                kept = [tile for at, tile in enumerate(line) if tile or at in (0, 3)]
                up += sum(max(other - one, 0) for one, other in pairwise(kept))
                down += sum(max(one - other, 0) for one, other in pairwise(kept))
            total -= min(up, down)
        return total

    def islands(self, cells: Cells) -> int:
        left, count = {at for at, tile in enumerate(cells) if tile}, 0
        while left:
            count += 1
            group = [left.pop()]
            for at in group:
                for beside in (
                    at - 4,
                    at + 4,
                    *(at - 1,) * (at % 4 > 0),
                    *(at + 1,) * (at % 4 < 3),
                ):
                    if beside in left and cells[beside] == cells[at]:
                        left.remove(beside)
                        group.append(beside)
        return count

    def value(self, cells: Cells) -> float:
        smooth, monotone, empty, largest = self.weights
        return (
            smooth * self.smoothness(cells)
            + monotone * self.monotonicity(cells)
            + empty * log(cells.count(0) or 1)
            + largest * self.board.values.index(max(cells))
        )

    def annoying(self, cells: Cells) -> set[tuple[int, int]]:
        """The placements (cell, tile) that annoy most."""
        annoyance = {}
        for at in (at for at, tile in enumerate(cells) if not tile):
            for tile in self.tiles:
                after = (*cells[:at], tile, *cells[at + 1 :])
                annoyance[at, tile] = self.islands(after) - self.smoothness(after)
        return {each for each, much in annoyance.items() if much == max(annoyance.values())}

    def slider(self, cells: Cells, depth: int, ply: int = 0) -> float:
        """What the slider to move reaches, so many slides ahead."""
        afters = self.slides(cells)
        return max((self.placer(each, depth - 1, ply + 1) for each in afters), default=LOST + ply)

    def placer(self, cells: Cells, depth: int, ply: int = 0) -> float:
        """What the placer to move leaves the slider."""
        if depth == 0:
            return self.value(cells)
        return min(
            self.slider((*cells[:at], tile, *cells[at + 1 :]), depth, ply + 1)
            for at, tile in self.annoying(cells)
        )

    def slides(self, cells: Cells) -> list[Cells]:
        position = TilesPosition(self.game, cells, 0, 0)
        return [position.play(move).cells for move in position.legal_moves()]

    def heuristic(self) -> Any:
        return make_heuristic(self.board, *self.weights)


def random_boards(plain: Plain, count: int, seed: int) -> Iterable[Cells]:
    """Boards with an empty cell and any tiles; half of them with few kinds, for large islands."""
    rng = Random(seed)
    for number in range(count):
        kinds = rng.choice([2, 3, 5]) if number % 2 else len(plain.board.values) - 1
        share = rng.uniform(0.2, 1)
        cells = [rng.randint(1, kinds) if rng.random() < share else 0 for _ in range(16)]
        cells[rng.randrange(16)] = 0
        yield tuple(plain.board.values[index] for index in cells)


def of_rows(*rows: str) -> Cells:
    return tuple(int(tile) for row in rows for tile in row.replace(".", "0").split())


HAND_WORKED = [
    # nothing is nothing
    (of_rows(". . . .", ". . . .", ". . . .", ". . . ."), 0, 0, 0),
    # 8 in a corner falls away from both walls
    (of_rows("8 . . .", ". . . .", ". . . .", ". . . ."), 0, 0, 1),
    # 8 away from the walls: 3 steps go the wrong way in its row, and in its column
    (of_rows(". . . .", ". 8 . .", ". . . .", ". . . ."), 0, -3 - 3, 1),
    # across the gap 2 rises 3 steps to 16, which falls 4 to the wall
    (of_rows("2 . 16 .", ". . . .", ". . . .", ". . . ."), -3, -3 - 0, 2),
    # rows 3, 1 + 1, columns 1, 1, 0, 2; only 4 to 2 falls in the rows, 2 to 4 rises in the columns
    (of_rows("2 4 8 16", "4 2 . 4", ". . . .", ". . . ."), -3 - 2 - 1 - 1 - 2, -1 - 1, 7),
    # an angle of 2, one of 4, and a bar of 2
    (of_rows("2 2 4 2", "2 4 4 2", ". . . .", ". . . ."), -2 - 2 - 1, -2 - 1, 3),
]


@pytest.mark.parametrize(("cells", "smooth", "monotone", "islands"), HAND_WORKED)
def test_the_terms_on_boards_worked_by_hand(
    cells: Cells, smooth: int, monotone: int, islands: int
) -> None:
    plain = Plain("2048", "2/4")
    assert plain.smoothness(cells) == smooth
    assert plain.monotonicity(cells) == monotone
    assert plain.islands(cells) == islands
    board, index = plain.board.board(cells), plain.board.values.index(max(cells))
    expected = (smooth, monotone, log(cells.count(0)), index)
    for term in range(4):
        only = Plain("2048", "2/4", [float(term == each) for each in range(4)])
        assert evaluated(board, only.heuristic()) == pytest.approx(expected[term])


def random_weights(seed: int) -> list[float]:
    rng = Random(seed)
    return [rng.uniform(-3, 3) for _ in WEIGHTS]


@pytest.mark.parametrize(("name", "spawn"), GAMES)
def test_random_boards_are_valued_as_the_definitions_say(name: str, spawn: str) -> None:
    plain = Plain(name, spawn, random_weights(2))
    heuristic = plain.heuristic()
    for cells in random_boards(plain, 400, seed=3):
        found = evaluated(plain.board.board(cells), heuristic)
        assert found == pytest.approx(plain.value(cells), abs=1e-9), cells


def annoying_placements(plain: Plain, cells: Cells) -> set[tuple[int, int]]:
    out = np.zeros(32, np.int16)
    count = annoying(plain.board.board(cells), plain.heuristic(), out)
    codes = [int(code) - len(SLIDES) for code in out[:count]]
    assert len(set(codes)) == count
    return {(code // 2, plain.tiles[code % 2]) for code in codes}


@pytest.mark.parametrize(("name", "spawn"), GAMES)
def test_the_most_annoying_placements_are_those_of_the_definition(name: str, spawn: str) -> None:
    plain = Plain(name, spawn)
    for cells in random_boards(plain, 200, seed=4):
        assert annoying_placements(plain, cells) == plain.annoying(cells), cells
    assert annoying_placements(plain, (plain.tiles[0],) * 16) == set()


def test_a_tile_annoys_beside_what_it_is_far_from() -> None:
    """A 2 is three steps from 16 wherever it lies in its row or its column."""
    cells = of_rows("16 . . .", ". . . .", ". . . .", ". . . .")
    near = {(at, 2) for at in (1, 2, 3, 4, 8, 12)}
    assert annoying_placements(Plain("2048", "2/4"), cells) == near


def game_boards(plain: Plain, seed: int, every: int = 25) -> Iterable[TilesPosition]:
    """Positions of a game of random slides, the last one before the end among them."""
    rng, position, ply = Random(seed), plain.game.start(seed), 0
    while True:
        after = position.play(rng.choice(position.legal_moves()))
        after = after.play(draw_chance(after, rng))
        if after.is_over or ply % every == 0:
            yield position
        if after.is_over:
            return
        position, ply = after, ply + 1


def search_of(plain: Plain, memory_mb: int = 0) -> HeuristicSearch:
    return HeuristicSearch(plain.board, plain.heuristic(), memory_mb)


def found_at(plain: Plain, position: Any, depth: int, memory_mb: int = 0) -> Found:
    board = plain.board.position(position.state())
    limits = Limits(depth=depth)
    return search_of(plain, memory_mb).think(board, position.legal_moves(), NEVER, limits)


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
            with_table = search.think(board, legal, NEVER, Limits(depth=5))
            without = search_of(plain).think(board, legal, NEVER, Limits(depth=5))
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
        assert search.think(board, [move], NEVER, Limits(depth=3)).move == move


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
                limits = Limits(nodes=nodes)
                found = search_of(plain).think(board, legal, NEVER, limits)
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
                    move: search_of(plain).think(board, [move], NEVER, Limits(found.depth + 1))
                    for move in (found.move, whole.move)
                }
                assert found.score == deeper[found.move].score
                assert deeper[found.move].score >= deeper[whole.move].score
    assert inside > 20
    assert changed


def test_a_set_flag_leaves_the_first_slide() -> None:
    plain = Plain("2584", "1/2")
    position = plain.game.start(seed=1)
    board = plain.board.position(position.state())
    found = search_of(plain).think(board, position.legal_moves(), np.ones(1, np.int64))
    assert found.depth == 1


@pytest.mark.parametrize(("name", "tile"), [("2048", 1024), ("2584", 987)])
def test_it_slides_well(name: str, tile: int) -> None:
    plain = Plain(name, next(iter(SPAWNS[name])))
    rng, position, search = Random(8), plain.game.start(8), search_of(plain, 1)
    while not position.is_over and max(position.cells) < tile:
        board = plain.board.position(position.state())
        found = search.think(board, position.legal_moves(), NEVER, Limits(nodes=300))
        position = position.play(found.move)
        position = position.play(draw_chance(position, rng))
    assert max(position.cells) == tile


SETTINGS = [
    ("2048", {}),
    ("2584", {"spawn": "1/3"}),
    ("2048", {"placer": "player"}),
    ("2584", {"placer": "player", "placer_chooses": "cell"}),
]


def test_plays_whole_games_in_both_roles_on_one_process(
    start_player: Callable[..., Any],
) -> None:
    player, rng = start_player("players.heuristic"), Random(9)
    for name, settings in SETTINGS:
        game = rules.load(name, **settings)
        for seat in range(game.seats):
            answers = play_with(player, game, seat, rng, options={"depth": 1, "memory_mb": 1})
            infos = [answer["info"] for answer in answers if "info" in answer]
            assert infos
            for answer in answers:
                assert answer.get("info", {"pv": [answer["move"]]})["pv"][0] == answer["move"]
            assert all(info["depth"] == 1 for info in infos)
            assert all(info["nodes"] > 0 for info in infos)
            assert any(info["score"] is not None for info in infos)
    assert player.close() == (0, b"")
    assert player.stderr() == ""


def test_thinks_for_a_tenth_of_a_second_unless_told_otherwise(
    start_player: Callable[..., Any],
) -> None:
    """The upper bounds are generous, as the machine may be busy."""
    position = rules.load("2048").start(seed=1)
    player = start_player("players.heuristic")
    for options, seconds in (({}, 0.1), ({"think_ms": 300}, 0.3)):
        player.ask(start_message(position, options=options))
        began = time.monotonic()
        answer = player.ask(turn_message(position, 0, time_ms=60_000))
        assert 0.9 * seconds < time.monotonic() - began < seconds + 2
        assert answer["info"]["nodes"] > 0
        assert "nodes/s" in answer["info"]["text"]


def test_what_the_worst_placements_do_is_told(start_player: Callable[..., Any]) -> None:
    board = [[4, 8, 4, 8], [8, 4, 8, 4], [4, 8, 16, 8], [32, 64, 2, 2]]
    position = rules.load("2048").position({"board": board, "score": 0})
    player = start_player("players.heuristic")
    player.ask(start_message(position))
    info = player.ask(turn_message(position, 0))["info"]
    assert info["text"].endswith("; slides left under the worst placements: 1")
    assert (info["depth"], info["score"]) == (2, None)


def test_its_weights_are_options(start_player: Callable[..., Any]) -> None:
    """Left alone, the largest tile is to grow; with its weight turned, it is not."""
    board = [[64, 64, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 2]]
    position = rules.load("2048").position({"board": board, "score": 0})
    player = start_player("players.heuristic")
    only = {"smoothness": 0, "monotonicity": 0, "empty": 0, "depth": 1}
    scores = []
    for largest in (2.0, -2.0):
        player.ask(start_message(position, options={**only, "largest": largest}))
        scores.append(player.ask(turn_message(position, 0))["info"]["score"])
    assert scores == [2.0 * 7, -2.0 * 6]


def test_mistakes_end_it_with_a_sentence(start_player: Callable[..., Any]) -> None:
    tiles, dots = rules.load("2048").start(seed=1), rules.load("dots").start()
    for position, options, words in (
        (tiles, {"empty": 1000}, "options.empty: must be less than or equal to 100"),
        (tiles, {"deep": 3}, "options.deep: there is no such option. Known options: margin_ms"),
        (dots, {}, "heuristic cannot play this: it plays 2048 and 2584, not dots"),
    ):
        player = start_player("players.heuristic")
        player.tell(start_message(position, options=options))
        assert player.close() == (1, b"")
        assert words in player.stderr()
        assert "Traceback" not in player.stderr()
