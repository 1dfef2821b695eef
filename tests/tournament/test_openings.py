"""Openings: legal, even, different, and without a gift."""

from itertools import islice
from random import Random

import pytest

import rules
from arena.tournament.openings import (
    OpeningError,
    random_line,
    random_opening,
    random_openings,
    read_openings,
    spare_seed,
)
from rules import PASS, Game, Position

GAMES = [
    rules.load("othello"),
    rules.load("othello", preset="cornerless"),
    rules.load("othello", size=4),
    rules.load("othello", size=6, preset="cornerless"),
    rules.load("dots"),
    rules.load("dots", rows=2, cols=2),
    rules.load("dots", rows=2, cols=4, stop_at_majority=True),
]


def after(game: Game, line: tuple[str, ...]) -> Position:
    position = game.start()
    for move in line:
        position = position.play(move)
    return position


def share(position: Position, playouts: int, rng: Random) -> float:
    points = 0.0
    for _ in range(playouts):
        end = position
        while not end.is_over:
            end = end.play(rng.choice(end.legal_moves()))
        first, second = end.scores()
        points += (first > second) + (first == second) / 2
    return points / playouts


def test_chance_is_drawn_as_in_a_game() -> None:
    rng = Random(1)
    lines = [random_line(rules.load("2048"), 2, rng) for _ in range(200)]
    fours = sum(found[0][1].endswith("=4") for found in lines if found)
    assert 5 < fours < 40  # a tenth, not half


def test_an_opening_leaves_no_move_to_chance() -> None:
    found = random_line(rules.load("2048"), 1, Random(1))
    assert found
    assert len(found[0]) == 2
    assert found[1].to_move == 0


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game.name} {game.variant}")
def test_openings_leave_an_undecided_game(game: Game) -> None:
    plies = game.opening_plies
    assert plies % 2 == 0
    for line in islice(random_openings(game, plies, 1), 20):
        position = after(game, line)
        assert len(line) == plies
        assert position.to_move in (0, 1)
        assert position.legal_moves() != (PASS,)
        if game.name == "dots":
            assert position.scores() == (0, 0)
            assert all(position.play(m).scores() == (0, 0) for m in position.legal_moves())


@pytest.mark.slow
def test_openings_are_more_even_than_random_moves() -> None:
    """Judged by playouts of another seed than those that chose them."""
    game, rng = rules.load("othello", size=6), Random(99)

    def unevenness(lines: list[tuple[str, ...]]) -> float:
        return sum(abs(share(after(game, line), 60, rng) - 0.5) for line in lines) / len(lines)

    def any_line() -> tuple[str, ...]:
        line: list[str] = []
        while len(line) < 10:
            line.append(rng.choice(after(game, tuple(line)).legal_moves()))
        return tuple(line)

    balanced = unevenness(list(islice(random_openings(game, 10, 3), 30)))
    assert balanced < 0.8 * unevenness([any_line() for _ in range(30)])


@pytest.mark.slow
def test_openings_differ_as_far_as_the_game_allows() -> None:
    for plies, all_there_are in ((1, 4), (2, 12)):  # four first moves, and three answers to each
        lines = islice(random_openings(rules.load("othello", size=4), plies, 5), all_there_are + 2)
        assert len(set(lines)) == all_there_are


def test_seeds_and_lengths_give_other_openings() -> None:
    game = rules.load("othello")
    first = [next(random_openings(game, 8, seed)) for seed in range(6)]
    assert len(set(first)) > 4
    assert next(random_openings(game, 8, 3)) == first[3]
    assert next(random_openings(game, 0, 3)) == ()


def test_impossible_lengths_are_refused() -> None:
    with pytest.raises(OpeningError, match="no opening of 3 plies leaves a game undecided"):
        next(random_openings(rules.load("dots", rows=1, cols=1), 3, 1))
    with pytest.raises(OpeningError, match="no opening of 70 plies leaves a game undecided"):
        next(random_openings(rules.load("othello"), 70, 1))


def test_a_length_that_few_games_have_has_an_opening_for_every_round() -> None:
    game = rules.load("othello", size=4)
    there = random_opening(game, 15, seed=spare_seed(3))  # few games have 16 plies
    with pytest.raises(OpeningError):
        random_opening(game, 15, seed="3:opening:1")
    assert next(random_openings(game, 15, 3)) == there


def test_a_pass_left_out_in_a_file_is_put_in() -> None:
    """Find a game with a pass, write it without, and read it back."""
    game = rules.load("othello", size=6)
    rng = Random(4)
    while True:
        position, line = game.start(), list[str]()
        while not position.is_over and PASS not in line[:-1]:
            line.append(rng.choice(position.legal_moves()))
            position = position.play(line[-1])
        if PASS in line[:-1] and not position.is_over:
            break
    written = "".join(move for move in line if move != PASS)
    assert read_openings(written, game) == (tuple(line),)
    with pytest.raises(OpeningError, match="line 1: the game is over after these moves"):
        read_openings("a1b1a1a2b1b2a2b2", rules.load("dots", rows=1, cols=1))
