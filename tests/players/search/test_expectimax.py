"""Expectimax, minimax and their prunings against plain Python on the rules."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from random import Random
from typing import Any

import numpy as np
import pytest

import rules
from players.games.tiles.boards import TileBoard
from players.search.expectimax.driver import BestChoice, TileSearch
from players.search.expectimax.search import together
from players.search.expectimax.settings import make_settings, new_scratch
from players.search.sampling import play_games
from players.search.stop import NEVER, stop_at
from players.weights.network_header import Header, network_of
from rules.position import CHANCE, Game, Position, draw_chance
from rules.tiles import CELLS, SLIDES
from tests.players.conftest import random_position
from tests.players.tile_cases import NAMES

TUPLES = (("a1", "b1", "a2"), ("b2", "c2", "d2"))
GAME = rules.load("2048")
GAMES = [
    GAME,
    pytest.param(rules.load("2584"), marks=pytest.mark.slow),
    pytest.param(rules.load("2584", spawn="1/3"), marks=pytest.mark.slow),
]
PLACED = [
    rules.load("2048", placer="player"),
    rules.load("2048", placer="player", placer_chooses="cell"),
    pytest.param(rules.load("2584", placer="player", spawn="1/3"), marks=pytest.mark.slow),
    pytest.param(
        rules.load("2584", placer="player", placer_chooses="cell"), marks=pytest.mark.slow
    ),
]


@cache
def network(name: str) -> Any:
    """Random weights, large enough for slides to differ by more than their rewards."""
    made = network_of(
        Header.model_validate({"rules": name, "spawn": spawn(name), "tuples": TUPLES})
    )
    random = np.random.default_rng(1)
    return made._replace(weights=random.uniform(0, 30, len(made.weights)).astype(np.float32))


def spawn(name: str) -> str:
    return str(rules.load(name).variant["spawn"])


def search_of(game: Game, **settings: Any) -> TileSearch:
    board = TileBoard(game.name, game.variant["spawn"])
    settings = {"draws_tile": game.variant["placer_chooses"] == "cell", **settings}
    return TileSearch(board, make_settings(board.laws, network(game.name), **settings))


def slide(search: TileSearch, position: Position, depth: int, stop: Any = NEVER) -> BestChoice:
    board = TileBoard(position.game.name, position.game.variant["spawn"])
    return search.slide(board.position(position.state()), position.legal_moves(), depth, stop)


def place(search: TileSearch, position: Position, depth: int, stop: Any = NEVER) -> BestChoice:
    board = TileBoard(position.game.name, position.game.variant["spawn"])
    return search.place(board.position(position.state()), position.legal_moves(), depth, stop)


def images() -> Iterator[list[int]]:
    """The 16 cells as each of the 8 symmetries has them."""
    rows = [list(range(at, at + 4)) for at in range(0, 16, 4)]
    for _ in range(2):
        for _ in range(4):
            rows = [list(row) for row in zip(*rows[::-1], strict=True)]
            yield [cell for row in rows for cell in row]
        rows = [row[::-1] for row in rows]


IMAGES = list(images())


@dataclass
class Plain:
    """The definitions, on the rules."""

    game: Game
    worst: bool = False
    rate: float = 0.0

    def value(self, cells: tuple[int, ...]) -> float:
        """What the network says of an afterstate."""
        made, total = network(self.game.name), 0.0
        tiles = TileBoard(self.game.name, self.game.variant["spawn"]).values
        bits = 4 if self.game.name == "2048" else 5
        for number, names in enumerate(TUPLES):
            for image in IMAGES:
                at = sum(
                    tiles.index(cells[image[cell]]) << bits * place
                    for place, cell in enumerate(map(CELLS.index, names))
                )
                total += float(made.weights[made.offsets[number] + at])
        return total

    def root(self, position: Any, depth: int) -> dict[str, float]:
        """What each slide is worth, looking further and further ahead at the best ones first; what
        is skipped keeps what the network says.
        """
        order = position.legal_moves()
        for ahead in range(1, depth + 1):
            worths = {**self.seen(position), **self.slides(position, ahead, order)}
            order = sorted(order, key=lambda move: -worths[move])
        return worths

    def seen(self, position: Any) -> dict[str, float]:
        """What the network says of each slide, with its reward."""
        after = {move: position.play(move) for move in position.legal_moves()}
        return {
            move: child.score - position.score + self.value(child.cells)
            for move, child in after.items()
        }

    def slides(self, position: Any, left: int, order: Sequence[str] = ()) -> dict[str, float]:
        """What each slide is worth, `left` slides looked ahead, without those that are skipped; in
        this order, or in that of the network.
        """
        seen, worths = self.seen(position), dict[str, float]()
        for move in order or sorted(seen, key=lambda move: -seen[move]):
            best = max(worths.values(), default=0.0)
            least = best * self.rate if self.rate and best > 0 else float("-inf")
            if left == 1:
                worths[move] = seen[move]
            elif seen[move] >= least:
                child = position.play(move)
                gain = child.score - position.score
                worths[move] = gain + self.after(child, left - 1, least - gain)
        return worths

    def board(self, position: Position, left: int) -> float:
        return max(self.slides(position, left).values()) if not position.is_over else 0.0

    def after(self, position: Position, left: int, least: float = float("-inf")) -> float:
        """What an afterstate is worth: the mean, or the least, over its placements."""
        if position.to_move == 1 or self.worst:
            children = [position.play(move) for move in position.legal_moves()]
            return min(
                self.after(child, left) if child.to_move == CHANCE else self.board(child, left)
                for child in children
            )
        cells: dict[str, list[tuple[float, float]]] = {}
        for move, odds in position.chance():
            cells.setdefault(move[:2], []).append((odds, self.board(position.play(move), left)))
        means = [
            sum(odds * worth for odds, worth in both) / sum(odds for odds, _ in both)
            for both in cells.values()
        ]
        for count in range(1, len(means) if left > 1 else 0):
            if sum(means[:count]) / count <= least:
                return sum(means[:count]) / count
        return sum(means) / len(means)


@cache
def plain_root(
    game: Game, plain: tuple[tuple[str, Any], ...], position: Any, depth: int
) -> dict[str, float]:
    """The same for tests that share a definition: it is slow."""
    return Plain(game, **dict(plain)).root(position, depth)


def full_boards(game: Game, empty: int = 4, count: int = 3) -> list[Any]:
    """Positions of the slider with few empty cells, and more than one slide."""
    found: list[Any] = []
    rng = Random(3)
    while len(found) < count:
        position: Any = random_position(game, rng.randint(60, 130), rng)
        is_full = position.cells.count(0) <= empty
        if position.to_move == 0 and is_full and len(position.legal_moves()) > 1:
            found.append(position)
    return found


def test_the_worked_example_of_the_course_notes() -> None:
    """Three cells, either tile on each: the mean is 77.73, the least 40."""
    laws = TileBoard("2048", "2/4").laws
    for method, expected in (("expectimax", 77.73), ("minimax", 40.0)):
        settings = make_settings(laws, network("2048"), method=method)  # type: ignore[arg-type] # from a tuple
        worth = np.inf
        for count, (common, rare) in enumerate(((104.0, 68.0), (40.0, 120.0), (72.0, 200.0))):
            worth = together.py_func(common, rare, worth, count, settings)
        assert worth == pytest.approx(expected, abs=0.005)


@pytest.mark.parametrize("game", GAMES, ids=str)
@pytest.mark.parametrize(
    ("settings", "plain"),
    [
        ({}, {}),
        ({"memory_mb": 1}, {}),
        ({"popup": 16}, {}),
        ({"popup": 16, "rate": 0.0, "memory_mb": 1}, {}),
        ({"method": "minimax"}, {"worst": True}),
        ({"method": "minimax", "memory_mb": 1}, {"worst": True}),
        ({"rate": 0.97}, {"rate": 0.97}),
        ({"rate": 0.85}, {"rate": 0.85}),
    ],
    ids=str,
)
def test_slides_are_worth_what_the_definitions_say(
    game: Game, settings: dict[str, Any], plain: dict[str, Any]
) -> None:
    search = search_of(game, **settings)
    for position in full_boards(game):
        for depth in (1, 2, 3):
            expected = plain_root(game, tuple(plain.items()), position, depth)
            found = slide(search, position, depth)
            best = max(expected.values())
            where = f"{position}\n{expected}\n{found}"
            assert found.worth == pytest.approx(best, rel=1e-5), where
            assert expected[found.move] == pytest.approx(best, rel=1e-5), where
            assert found.depth == depth
            assert found.nodes >= 1


@pytest.mark.parametrize("game", PLACED, ids=str)
def test_placements_leave_the_least_and_slides_expect_them(game: Game) -> None:
    """A placer of cells alone leaves the tile to chance, and so its minimax does."""
    search, plain = search_of(game, method="minimax", memory_mb=1), Plain(game)
    for position in full_boards(game, empty=3, count=2):
        expected = plain.slides(position, 2)
        assert slide(search, position, 2).worth == pytest.approx(max(expected.values()), rel=1e-5)
        after: Any = position.play(position.legal_moves()[0])
        for depth in (1, 2):
            found = place(search, after, depth)
            assert found.worth == pytest.approx(plain.after(after, depth), rel=1e-5), after
            child = after.play(found.move)
            worth = (
                plain.after(child, depth) if child.to_move == CHANCE else plain.board(child, depth)
            )
            assert worth == pytest.approx(found.worth, rel=1e-5), after


def test_popped_cells_are_as_many_as_asked_for_and_the_same_with_a_table() -> None:
    """Two slides ahead a slide is worth the mean over some of its cells; which, the seed says."""
    game = GAME
    seen = set()
    for position in full_boards(game, empty=5, count=3):
        move = position.legal_moves()[0]
        after: Any = position.play(move)
        cells = {
            cell: sum(
                odds * Plain(game).board(after.play(f"{cell}={tile}"), 1)
                for tile, odds in ((2, 0.9), (4, 0.1))
            )
            for cell in {name[:2] for name in after.legal_moves()}
        }
        board = TileBoard("2048", "2/4")
        for seed in range(6):
            worths = {
                search_of(game, popup=2, seed=seed, memory_mb=memory_mb)
                .slide(board.position(position.state()), [move], 2, NEVER)
                .worth
                for memory_mb in (0, 1)
            }
            assert len(worths) == 1
            worth = worths.pop() - (after.score - position.score)
            chosen = combinations(cells, min(2, len(cells)))
            means = [sum(cells[cell] for cell in few) / len(few) for few in chosen]
            assert any(worth == pytest.approx(mean, rel=1e-5) for mean in means)
            seen.add((str(position), worth))
    assert len(seen) > 3


@pytest.mark.parametrize(
    "settings", [{}, {"rate": 0.9}, {"popup": 3}, {"method": "minimax"}], ids=str
)
def test_the_flag_stops_it_anywhere_with_the_depth_it_reached(settings: dict[str, Any]) -> None:
    game = GAME
    position = random_position(game, 6, Random(1))
    while position.to_move != 0:
        position = position.play(draw_chance(position, Random(1)))
    search = search_of(game, **settings)
    with stop_at(time.monotonic() - 1) as stop:
        at_once = slide(search, position, 64, stop)
    assert at_once == slide(search, position, 1)
    with stop_at(time.monotonic() + 0.02) as stop:
        found = slide(search, position, 64, stop)
        assert stop[0] == 1
    assert 1 <= found.depth < 64
    assert found.move in position.legal_moves()
    whole = slide(search_of(game, **settings), position, min(found.depth, 3))
    assert whole.depth == min(found.depth, 3)


def test_pruning_looks_at_less() -> None:
    game = GAME
    position = next(each for each in full_boards(game, empty=8, count=1))
    whole = slide(search_of(game), position, 4)
    for settings in (
        {"memory_mb": 4},
        {"method": "minimax"},
        {"popup": 2},
        {"rate": 0.97},
        {"popup": 3, "rate": 0.97},
    ):
        assert slide(search_of(game, **settings), position, 4).nodes < whole.nodes, settings


def test_a_slide_the_rules_allow_is_chosen_where_the_kernels_know_none() -> None:
    """Two tiles beyond the last one merge by the rules; the kernels take all for the last."""
    game = rules.load("2048")
    rows = [[65536, 65536, 2, 4], [4, 2, 4, 2], [2, 4, 2, 4], [4, 2, 4, 2]]
    position = game.position({"board": rows, "score": 0})
    assert position.legal_moves() == ("left", "right")
    for depth in (1, 3):
        assert slide(search_of(game), position, depth).move in ("left", "right")


@pytest.mark.parametrize("name", NAMES)
def test_whole_games_of_slides_are_those_of_the_search(name: str) -> None:
    """Looking ahead scores more than not, whatever the network is worth."""
    board = TileBoard(name, spawn(name))
    blank = network(name)._replace(weights=np.zeros_like(network(name).weights))
    means = []
    for depth in (1, 2):
        settings, state = make_settings(board.laws, blank), np.array([5], np.uint64)
        start, scratch = board.board([0] * 16), new_scratch()
        scores = np.zeros(60, np.uint64)
        slides = play_games(start, depth, settings, NEVER, scratch, state, scores)
        assert slides > len(scores)
        means.append(scores.mean())
    assert means[0] < means[1]


def test_slides_have_the_order_of_the_rules() -> None:
    assert SLIDES == ("up", "down", "left", "right")


def test_a_search_sees_a_downgraded_board_as_the_smaller_one() -> None:
    board = TileBoard("2048", "2/4")
    large, small = (board.board([0] * 12 + [top, 256, 4, 2]) for top in (2048, 512))
    moves = ["up", "left"]
    downgrading, plain = search_of(GAME, ceiling=1024), search_of(GAME)
    for depth in (1, 2):
        seen = plain.slide(small, moves, depth, NEVER)
        assert downgrading.slide(large, moves, depth, NEVER) == seen
        assert downgrading.slide(small, moves, depth, NEVER) == seen
        assert plain.slide(large, moves, depth, NEVER) != seen


def test_a_search_merges_no_tile_with_one_that_is_downgraded_to_it() -> None:
    board = TileBoard("2048", "2/4")
    row = board.board([0] * 12 + [1024, 256, 256, 2])  # 1024 is seen as the 512 that is missing
    found = search_of(GAME, ceiling=1024).slide(row, ["left"], 3, NEVER)
    assert 512 < found.worth < 1024
