"""The compiled boards of 2048 and 2584 against `rules/`, and networks against plain sums."""

from collections.abc import Iterable
from random import Random
from typing import Any

import numpy as np
import pytest

import rules
from players.compiled import bits
from players.compiled.cache import kernel
from players.games.tiles import interface as tiles
from players.games.tiles.boards import TileBoard
from players.ntuple import board as grid
from players.ntuple import network
from players.weights.board_tuples import BoardCells
from rules.position import draw_chance
from rules.tiles import CELLS, SLIDES, SPAWNS
from tests.players.tile_cases import GAMES, NAMES, cells_of

Cells = tuple[int, ...]


@kernel
def slide_once(board: Any, slide: Any, laws: Any) -> Any:
    """`slid` for Python."""
    return tiles.slid(board, slide, laws)


@kernel
def views(board: Any) -> Any:
    """(the transposed, the mirrored, the flipped board, and the board by way of its words; the
    empty cells; the largest tile).
    """
    first, second = grid.words(board)
    turned = grid.transposed(board), grid.mirrored(board), grid.flipped(board)
    copy = grid.of_words(board, first, second)
    return (*turned, copy), tiles.empty(board), tiles.largest(board)


@kernel
def place(board: Any, cell: Any, tile: Any) -> Any:
    """(the board with the tile; the tile that it has there)."""
    after = tiles.placed(board, cell, tile)
    return after, tiles.tile_at(after, cell)


@kernel
def downgrade(board: Any, ceiling: Any) -> Any:
    """`downgraded` by its own `gaps`."""
    return tiles.downgraded(board, tiles.gaps(board, ceiling))


@kernel
def spawn_often(board: Any, laws: Any, random: Any, counts: Any) -> None:
    """Count in `counts`, int64[16, 2], on which cell `spawned` puts a common and a rare tile, each
    time on the same board, 100 times its empty cells.
    """
    state, cells = random[0], tiles.empty(board)
    for _ in range(100 * np.int64(bits.popcount(cells))):
        after, state = tiles.spawned(board, laws, state)
        cell = bits.lowest(cells ^ tiles.empty(after))
        tile = tiles.tile_at(after, cell)
        counts[cell, 0] += tile == laws.common
        counts[cell, 1] += tile == laws.rare
    random[0] = state


@kernel
def value_of(board: Any, weighted: Any, out: Any) -> Any:
    """(`value`; how many `entries` there are, in `out`; `entry` of the first tuple)."""
    network.entries(board, weighted, out, np.uint64(0))
    first = grid.entry(board, weighted.masks[0])
    return network.value(board, weighted), network.breadth(weighted), first


@kernel
def pack_both_ways(word: Any, mask: Any) -> Any:
    """The same by steps, and as networks do it; and bits exchanged there and back."""
    once = bits.swapped(word, mask, np.uint64(16))
    back = bits.swapped(once, mask, np.uint64(16))
    return bits.packed_by_steps(word, mask), bits.packed(word, mask), once, back


def random_boards(board: TileBoard, count: int, seed: int) -> Iterable[Cells]:
    """Boards of any tiles but the last, at least one cell empty; many with tiles that merge."""
    rng, last = Random(seed), len(board.values) - 2
    for _ in range(count):
        low, filled = rng.randint(1, last), rng.random()
        high = min(low + rng.randint(0, 3), last)
        cells = [rng.randint(low, high) if rng.random() < filled else 0 for _ in CELLS]
        cells[rng.randrange(16)] = 0
        yield tuple(board.values[index] for index in cells)


def rows_of(cells: Cells) -> list[list[int]]:
    return [list(cells[at : at + 4]) for at in (0, 4, 8, 12)]


def agrees(board: TileBoard, position: Any) -> None:
    """Assert that every slide of `position` does what the rules say."""
    start = board.position(position.state())
    assert cells_of(board, start) == position.cells
    legal = position.legal_moves()
    for number, slide in enumerate(SLIDES):
        after, changed, reward = slide_once(start, number, board.laws)
        assert changed == (slide in legal), (position, slide)
        expected = position.play(slide) if changed else position
        assert cells_of(board, after) == expected.cells, (position, slide)
        assert reward == expected.score - position.score, (position, slide)


@pytest.mark.parametrize(("name", "spawn"), GAMES)
def test_random_games_slide_as_the_rules_do(name: str, spawn: str) -> None:
    board, game = TileBoard(name, spawn), rules.load(name, spawn=spawn)
    for seed in range(8):
        rng, position = Random(seed), game.start(seed)
        while not position.is_over:
            agrees(board, position)
            after = position.play(rng.choice(position.legal_moves()))
            position = after.play(draw_chance(after, rng))
        agrees(board, position)


@pytest.mark.parametrize(("name", "spawn"), GAMES)
def test_any_tiles_slide_as_the_rules_do(name: str, spawn: str) -> None:
    board, game = TileBoard(name, spawn), rules.load(name, spawn=spawn)
    for cells in random_boards(board, 400, seed=1):
        agrees(board, game.position({"board": rows_of(cells), "score": 5}))


@pytest.mark.parametrize("name", NAMES)
def test_the_last_tiles_do_not_merge(name: str) -> None:
    """In 2048 two of the last, in 2584 the last and the one before."""
    board = TileBoard(name, next(iter(SPAWNS[name])))
    last = board.values[-1]
    other = last if name == "2048" else board.values[-2]
    start = board.board([last, other, 0, 0] + [0] * 12)
    after, changed, reward = slide_once(start, SLIDES.index("left"), board.laws)
    assert (cells_of(board, after), changed, reward) == (cells_of(board, start), False, 0)


@pytest.mark.parametrize("name", NAMES)
def test_tiles_beyond_the_last_count_as_the_last(name: str) -> None:
    board = TileBoard(name, next(iter(SPAWNS[name])))
    beyond = board.values[-1] + board.values[-1 if name == "2048" else -2]
    assert cells_of(board, board.board([beyond] + [0] * 15)) == (board.values[-1], *[0] * 15)


@pytest.mark.parametrize("name", NAMES)
def test_boards_turn_and_tell_what_is_on_them(name: str) -> None:
    board = TileBoard(name, next(iter(SPAWNS[name])))
    for cells in random_boards(board, 300, seed=2):
        turned, empty, largest = views(board.board(cells))
        rows = rows_of(cells)
        columns = [list(column) for column in zip(*rows, strict=True)]
        plain = columns, [row[::-1] for row in rows], rows[::-1], rows
        assert tuple(rows_of(cells_of(board, each)) for each in turned) == plain
        assert empty == sum(1 << at for at, tile in enumerate(cells) if not tile)
        assert board.values[largest] == max(cells)


@pytest.mark.parametrize("name", NAMES)
def test_tiles_are_placed_where_they_belong(name: str) -> None:
    board, rng = TileBoard(name, next(iter(SPAWNS[name]))), Random(3)
    for cells in random_boards(board, 100, seed=4):
        cell = rng.choice([at for at, tile in enumerate(cells) if not tile])
        index = rng.randrange(1, len(board.values))
        after, tile = place(board.board(cells), np.uint64(cell), np.uint64(index))
        expected = (*cells[:cell], board.values[index], *cells[cell + 1 :])
        assert (cells_of(board, after), tile) == (expected, index)


@pytest.mark.parametrize(("name", "spawn"), GAMES)
def test_tiles_come_as_often_as_the_rules_say(name: str, spawn: str) -> None:
    """By Pearson's chi-square over cells and tiles, at most five standard deviations above its
    mean.
    """
    board = TileBoard(name, spawn)
    laws, tables = board.laws, SPAWNS[name][spawn]
    common, rare = board.values[int(laws.common)], board.values[int(laws.rare)]
    assert {common: float(laws.share), rare: pytest.approx(1 - float(laws.share))} == tables
    assert laws.share > 0.5
    for seed, cells in enumerate(random_boards(board, 12, seed=5)):
        counts, random = np.zeros((16, 2), np.int64), np.array([seed], np.uint64)
        for _ in range(50):
            spawn_often(board.board(cells), laws, random, counts)
        empty = np.array([tile == 0 for tile in cells])
        assert not counts[~empty].any(), f"seed {seed}: {cells}"
        expected = 50 * 100 * np.array([tables[common], tables[rare]])
        free = 2 * empty.sum() - 1
        squares = ((counts[empty] - expected) ** 2 / expected).sum()
        assert squares < free + 5 * np.sqrt(2 * free), f"seed {seed}: {counts[empty]}"
        assert squares > 0 or free == 1, f"seed {seed}: not random"


def test_the_same_state_spawns_the_same() -> None:
    board = TileBoard("2048", "2/4")
    states = []
    for _ in range(2):
        counts, random = np.zeros((16, 2), np.int64), np.array([7], np.uint64)
        spawn_often(board.board([0] * 16), board.laws, random, counts)
        states.append((random[0], counts.tolist()))
    assert states[0] == states[1]
    assert states[0][0] != 7


def make_network(name: str, rng: Random, floors: tuple[int, ...] = ()) -> tuple[Any, Any]:
    """(a network of four random tuples with small whole numbers as weights, of which every sum is
    exact; the tuples). A fifth of the weights is 0.
    """
    cell_bits = TileBoard(name, next(iter(SPAWNS[name]))).cell_bits
    tuples = [sorted(rng.sample(range(16), rng.randint(1, 3))) for _ in range(4)]
    sizes = [1 << cell_bits * len(cells) for cells in tuples]
    drawn = np.random.default_rng(rng.getrandbits(30))
    count = sum(sizes) * (len(floors) + 1)
    weights = drawn.integers(-50, 50, count) * (drawn.random(count) > 0.2)
    return network.Network(
        weights=weights.astype(np.float32),
        masks=BoardCells(name, {}).masks([[CELLS[cell] for cell in cells] for cells in tuples]),
        offsets=np.array([sum(sizes[:at]) for at in range(len(sizes) + 1)], np.int64),
        floors=np.array(floors, np.uint64),
        initial=np.float64(3.25),
    ), tuples


def twins(cells: Cells) -> list[Cells]:
    """The 8 boards that differ by symmetry alone."""
    found = []
    for _ in range(4):
        cells = tuple(cells[12 - 4 * column + row] for row in range(4) for column in range(4))
        found += [cells, tuple(cells[row + 3 - at] for row in (0, 4, 8, 12) for at in range(4))]
    return found


def plain_entry(board: TileBoard, cells: Cells, chosen: Iterable[int]) -> int:
    indices = [board.values.index(cells[cell]) for cell in chosen]
    return sum(index << board.cell_bits * place for place, index in enumerate(indices))


def plain_entries(board: TileBoard, cells: Cells, weighted: Any, tuples: Any) -> list[int]:
    """Where each twin's tuples have their weights, in the first stage."""
    return [
        int(weighted.offsets[number]) + plain_entry(board, twin, chosen)
        for number, chosen in enumerate(tuples)
        for twin in twins(cells)
    ]


@pytest.mark.parametrize("name", NAMES)
def test_a_value_is_the_sum_over_the_symmetric_boards(name: str) -> None:
    board, rng = TileBoard(name, next(iter(SPAWNS[name]))), Random(6)
    out = np.zeros(32, np.uint64)
    for _ in range(5):
        weighted, tuples = make_network(name, rng)
        for cells in random_boards(board, 15, rng.getrandbits(30)):
            value, count, entry = value_of(board.board(cells), weighted, out)
            assert entry == plain_entry(board, cells, tuples[0])
            places = plain_entries(board, cells, weighted, tuples)
            assert sorted(out[:count].tolist()) == sorted(places)
            assert value == 3.25 + sum(float(weighted.weights[at]) for at in places)
            for twin in twins(cells):
                assert value_of(board.board(twin), weighted, out)[0] == value


@pytest.mark.parametrize("name", NAMES)
def test_later_stages_inherit_what_they_have_not_learned(name: str) -> None:
    board, rng = TileBoard(name, next(iter(SPAWNS[name]))), Random(7)
    floors = (5, 9)
    out, met = np.zeros(32, np.uint64), set()
    for _ in range(3):
        weighted, tuples = make_network(name, rng, floors)
        size = int(weighted.offsets[-1])
        for cells in random_boards(board, 40, rng.getrandbits(30)):
            stage = sum(board.values.index(max(cells)) >= floor for floor in floors)
            value, count, _ = value_of(board.board(cells), weighted, out)
            expected = 3.25
            places = plain_entries(board, cells, weighted, tuples)
            for place in places:
                learned = (weighted.weights[place + size * at] for at in range(stage, -1, -1))
                expected += float(next((weight for weight in learned if weight), 0))
            assert value == expected
            assert sorted(out[:count].tolist()) == sorted(at + stage * size for at in places)
            met.add(stage)
    assert met == {0, 1, 2}


def test_bits_move_together_and_change_places() -> None:
    rng = Random(8)
    for _ in range(500):
        word, mask = rng.getrandbits(64), rng.getrandbits(64) & rng.getrandbits(64)
        picked = [word >> at & 1 for at in range(64) if mask >> at & 1]
        packed = sum(bit << place for place, bit in enumerate(picked))
        lower = mask & 0x0000_FFFF_0000_FFFF
        by_steps, as_used, _, _ = pack_both_ways(np.uint64(word), np.uint64(mask))
        assert by_steps == as_used == packed
        _, _, once, back = pack_both_ways(np.uint64(word), np.uint64(lower))
        moved = word & ~(lower | lower << 16)
        assert once == moved | (word & lower) << 16 | word >> 16 & lower
        assert back == word


@pytest.mark.parametrize(
    ("ceiling", "before", "after"),
    [
        (64, [32, 16, 4, 2], [32, 16, 4, 2]),
        (64, [64, 16, 4, 2], [32, 16, 4, 2]),
        (64, [64, 64, 32, 8, 4], [32, 32, 16, 8, 4]),
        (64, [256, 128, 8, 0, 8], [32, 16, 8, 0, 8]),
        (64, [64, 32, 16, 8, 2], [64, 32, 16, 8, 2]),  # nothing but tiles of chance is missing
        (64, [128, 32, 16, 8], [64, 32, 16, 8]),
        (32768, [32768, 16384, 16384, 4], [16384, 8192, 8192, 4]),
    ],
)
def test_a_downgraded_board_has_smaller_tiles_and_plays_alike(
    ceiling: int, before: list[int], after: list[int]
) -> None:
    board = TileBoard("2048", "2/4")
    given = board.board([0] * (16 - len(before)) + before)
    found = downgrade(given, np.uint64(ceiling.bit_length() - 1))
    assert cells_of(board, found) == (*[0] * (16 - len(after)), *after)
    for slide in range(len(SLIDES)):
        assert slide_once(given, slide, board.laws)[1] == slide_once(found, slide, board.laws)[1]


@pytest.mark.slow
def test_boards_of_2584_stay_as_they_are() -> None:
    given = TileBoard("2584", "1/2").board([0] * 14 + [2584, 987])
    assert downgrade(given, np.uint64(5)) == given
