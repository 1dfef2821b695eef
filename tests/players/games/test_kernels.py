"""The compiled games against `rules/`, move by move, and against published counts."""

from random import Random
from typing import Any

import numpy as np
import pytest

import rules
from players.compiled import bits
from players.compiled.cache import kernel
from players.games import interface as game
from players.games.registry import load_board, unsupported
from players.search.sampling import total_net
from rules.position import PASS, Position
from tests.players.lines_of_play import perft
from tests.rules.test_perft import perft as count

OTHELLO = [
    {"preset": preset, "size": size} for preset in ("standard", "cornerless") for size in (4, 6)
] + [
    {"corners": False},
    {"free_centre": True, "size": 6},
    {"preset": "cornerless", "corners": True},
    {"preset": "cornerless", "start": "centre"},
]
DOTS = [
    {"rows": rows, "cols": cols, "stop_at_majority": majority}
    for rows, cols in ((1, 1), (1, 5), (4, 3), (5, 5), (7, 7), (3, 15), (1, 15))
    for majority in (False, True)
    if (rows, cols, majority) != (5, 5, False)  # of the checks
]
OF_CHECKS = [
    (name, dict(settings))
    for name in rules.GAMES
    if not unsupported(name, rules.default(name).variant)
    for settings in rules.default(name).check_boards.values()
]
SETTINGS = OF_CHECKS + [("othello", each) for each in OTHELLO] + [("dots", each) for each in DOTS]


@kernel
def legal_moves(position: Any, out: Any) -> Any:
    """`game.moves` for Python."""
    return game.moves(position, out)


@kernel
def step(position: Any, move: Any) -> Any:
    """`game.play` for Python, with the new position's margin and key."""
    after = game.play(position, move)
    return after, game.net(after), game.key(after)


@kernel
def pick_bits(mask: Any) -> Any:
    """Every bit of `mask` twice: stepping through it, and as players pick it."""
    count = bits.popcount(mask)
    picked = np.zeros((2, 64), np.uint64)
    for index in range(count):
        picked[0, index] = bits.nth_bit_by_steps(mask, np.uint64(index))
        picked[1, index] = bits.nth_bit(mask, np.uint64(index))
    return picked[:, :count]


def typed(position: Any, like: Any) -> Any:
    """`position` with the words of `like`: kernels return plain integers."""
    return type(like)(*(type(old)(new) for old, new in zip(like, position, strict=True)))


def numbers(position: Any) -> tuple[int, ...]:
    return tuple(int(field) for field in position)


def after_passes(position: Position) -> Position:
    """The rules' position once forced passes are played, as kernels have it."""
    while position.legal_moves() == (PASS,):
        position = position.play(PASS)
    return position


@pytest.mark.parametrize(("name", "settings"), SETTINGS, ids=str)
def test_random_games_agree_with_the_rules(name: str, settings: dict[str, Any]) -> None:
    rule_set = rules.load(name, **settings)
    board = load_board(name, rule_set.variant)
    out = np.zeros(game.MOVES, np.int16)
    keys: dict[int, tuple[int, ...]] = {}
    for seed in range(25):
        rng = Random(seed)
        truth = after_passes(rule_set.start())
        position = board.position(truth.state())
        while not truth.is_over:
            where = f"seed {seed}\n{truth}"
            moves = out[: legal_moves(position, out)]
            names = [board.names[move] for move in moves]
            assert len(names) == len(set(names)), where
            assert set(names) == set(truth.legal_moves()), where
            assert position.seat == truth.to_move, where
            move = rng.choice(truth.legal_moves())
            truth = after_passes(truth.play(move))
            after, net, key = step(position, board.moves[move])
            position = typed(after, position)
            where = f"seed {seed}, after {move}\n{truth}"
            first, second = truth.scores()
            assert net == first - second, where
            if not truth.is_over:
                assert numbers(position) == numbers(board.position(truth.state())), where
                assert keys.setdefault(int(key), numbers(position)) == numbers(position), where
        assert legal_moves(position, out) == 0, f"seed {seed}: not over\n{truth}"


def start_of(name: str, **settings: Any) -> Any:
    rule_set = rules.load(name, **settings)
    return load_board(name, rule_set.variant).position(rule_set.start().state())


@pytest.mark.parametrize(
    ("preset", "counts"),
    [
        ("standard", [1, 4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288]),
        ("cornerless", [1, 36, 1260, 42896, 1419432, 45679608]),
    ],
)
def test_perft_as_published(preset: str, counts: list[int]) -> None:
    position = start_of("othello", preset=preset)
    assert [perft(position, depth, True) for depth in range(len(counts))] == counts


def test_perft_counts_passes_as_the_rules_do() -> None:
    rule_set = rules.load("othello", size=4)
    truth = rule_set.start()
    position = start_of("othello", size=4)
    assert [perft(position, depth, True) for depth in range(1, 10)] == [
        count(truth, depth) for depth in range(1, 10)
    ]


def test_dots_lines_are_the_orders_of_the_edges() -> None:
    assert perft(start_of("dots", rows=1, cols=2), 7, False) == 5040


@pytest.mark.parametrize(("preset", "mean"), [("standard", -0.87), ("cornerless", -0.94)])
def test_random_playouts_have_the_known_mean_margin(preset: str, mean: float) -> None:
    """Over 200,000 games the mean's standard error is about 0.04."""
    games = 200_000
    assert total_net(start_of("othello", preset=preset), games, np.uint64(1)) / games == (
        pytest.approx(mean, abs=0.16)
    )


def test_a_playout_from_a_decided_position_keeps_its_result() -> None:
    rule_set = rules.load("dots", rows=3, cols=3, stop_at_majority=True)
    truth = rule_set.start()
    rng = Random(5)
    while not truth.is_over:
        last, move = truth, rng.choice(truth.legal_moves())
        truth = truth.play(move)
    board = load_board("dots", rule_set.variant)
    before = board.position(last.state())
    after, net, _ = step(before, board.moves[move])
    position = typed(after, before)
    assert truth.is_adjudicated
    assert total_net(position, 10, np.uint64(1)) == 10 * net


def test_bits_are_picked_in_order_with_or_without_the_instruction() -> None:
    rng = Random(1)
    for mask in [0, 1, 1 << 63, (1 << 64) - 1, *(rng.getrandbits(64) for _ in range(200))]:
        expected = [1 << index for index in range(64) if mask >> index & 1]
        picked = pick_bits(np.uint64(mask))
        assert picked.tolist() == [expected, expected]


@pytest.mark.parametrize(
    ("processor", "features", "expected"),
    [
        ("znver3", "+bmi,+bmi2,+avx2", True),
        ("znver2", "+bmi,+bmi2,+avx2", False),
        ("generic", "", False),
        ("sandybridge", "+avx,-bmi2", False),
    ],
)
def test_bits_are_deposited_by_the_processors_that_do_so_in_hardware(
    processor: str, features: str, expected: bool
) -> None:
    assert bits.has_deposit(processor, features) == expected
