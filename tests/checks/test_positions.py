"""The practice positions are positions of their games, of every sort, whatever the seed."""

from itertools import product

import pytest

import rules
from arena.checks.positions import PracticeGame, boards_of, name_of, practice_positions
from rules.position import PASS

SEEDS = (1, 2)
BOARDS = {name: game for rule_set in rules.GAMES for name, game in boards_of(rule_set).items()}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", BOARDS)
def test_positions_are_reached_by_their_moves_and_leave_a_choice(name: str, seed: int) -> None:
    game = BOARDS[name]
    positions = practice_positions(game, seed)
    assert len(positions) >= 13
    assert {at.seat for at in positions} == set(range(game.seats))
    for at in positions:
        assert at.position.legal_moves() != (PASS,)
        if at.trait == "a second move in a row":
            assert at.moves[-1][0] == at.seat
        if at.trait == "after the other's forced pass":
            assert at.moves[-1] == (1 - at.seat, PASS)
        if not game.decided_by_seed:  # whose start is drawn
            reached = game.start()
            for seat, move in at.moves:
                assert reached.to_move == seat
                reached = reached.play(move)
            assert reached == at.position


@pytest.mark.parametrize(
    ("name", "traits"),
    [
        ("othello", {"the first move", "late in the game", "after the other's forced pass"}),
        ("othello cornerless", {"the first move", "after the other's forced pass"}),
        ("dots 5×5", {"the last move", "boxes to take", "a second move in a row"}),
        ("dots 3×3", {"the last move", "boxes to take", "a second move in a row"}),
        ("2048", {"one legal move", "two legal moves", "a full board"}),
        ("2584", {"one legal move", "two legal moves", "a full board"}),
    ],
)
def test_what_programs_stumble_over_is_there_for_every_seat(name: str, traits: set[str]) -> None:
    game = BOARDS[name]
    for seed, seat in product(SEEDS, range(game.seats)):
        positions = practice_positions(game, seed)
        assert traits <= {at.trait for at in positions if at.seat == seat}


@pytest.mark.parametrize(
    ("settings", "name"), [({"rows": 3, "cols": 3}, "dots 3×3"), ({"rows": 2}, "dots rows=2")]
)
def test_a_board_has_the_name_of_the_list_or_of_its_settings(
    settings: dict[str, int], name: str
) -> None:
    assert name_of(rules.load("dots", **settings)) == name


def test_some_positions_have_one_legal_move() -> None:
    for game, seed in product(BOARDS.values(), SEEDS):
        positions = practice_positions(game, seed)
        assert any(len(at.position.legal_moves()) == 1 for at in positions)


def test_each_seed_has_positions_of_its_own() -> None:
    game = BOARDS["othello"]
    first, second = ({at.position for at in practice_positions(game, seed)} for seed in SEEDS[:2])
    assert len(first & second) <= 2, "the first move of either seat"


@pytest.mark.parametrize("name", BOARDS)
def test_a_practice_game_asks_its_seat_alone_and_goes_on_to_the_end(name: str) -> None:
    game = BOARDS[name]
    practice = PracticeGame(game.start(1), seat=game.seats - 1, seed=3)
    while not practice.is_over:
        assert practice.position.to_move == practice.seat
        assert practice.position.legal_moves() != (PASS,)
        practice.play(practice.position.legal_moves()[0])
    assert practice.position.is_over
