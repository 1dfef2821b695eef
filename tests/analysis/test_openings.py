"""`arena openings make`: balanced openings, each once, that a tournament takes."""

from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

import rules
from arena.analysis.openings import Search, _likeness, balanced
from arena.tournament.openings import read_openings
from rules.position import Game, Position
from tests import command

SETS = Path(__file__).parents[2] / "tournaments" / "openings"
SHIPPED = {
    "othello-standard.txt": ("othello", {}),
    "othello-cornerless.txt": ("othello", {"preset": "cornerless"}),
    "dots-5x5.txt": ("dots", {}),
}


def arena(arguments: str) -> Result:
    return command.arena("openings", "make", *arguments.split())


def even(state: Mapping[str, Any]) -> float:
    return 0.0


def wanted(plies: int, within: float = 2.0) -> Search:
    return Search(plies=plies, within=within, number=1000, depth=1, seed=1)


def after(game: Game, moves: tuple[str, ...]) -> Position:
    position = game.start()
    for move in moves:
        position = position.play(move)
    return position


def best(position: Position) -> int:
    """What seat 0 wins by, by plain minimax."""
    if position.is_over:
        first, second = position.scores()
        return first - second
    values = [best(position.play(move)) for move in position.legal_moves()]
    return max(values) if position.to_move == 0 else min(values)


@pytest.mark.slow
def test_openings_that_a_turn_makes_alike_are_one() -> None:
    othello = rules.load("othello")
    assert len(list(balanced(othello, wanted(1), even))) == 1
    seconds = {opening.moves[1] for opening in balanced(othello, wanted(2), even)}
    assert len(seconds) == 3, "parallel, diagonal and perpendicular"


@pytest.mark.slow
def test_the_judge_decides() -> None:
    def first_ahead(state: Mapping[str, Any]) -> float:
        return 5.0 if "X" in state["board"][2] else -1.5

    game = rules.load("othello")
    found = list(islice(balanced(game, wanted(4), first_ahead), 20))
    assert found
    assert {opening.value for opening in found} == {-1.5}
    assert all("X" not in after(game, opening.moves).state()["board"][2] for opening in found)


@pytest.mark.slow
def test_a_made_file_has_exact_values_near_the_end(tmp_path: Path) -> None:
    game = rules.load("othello", size=4)
    made = arena("othello --set size=4 --plies 7 --within 1 --count 4 --depth 9")
    assert made.exit_code == 0, made.output
    lines = [line for line in made.stdout.splitlines() if not line.startswith("#")]
    openings = read_openings(made.stdout, game)
    assert len(openings) == len(lines) == 4
    for moves, line in zip(openings, lines, strict=True):
        assert best(after(game, moves)) == float(line.partition("# ")[2])


@pytest.mark.slow
def test_fewer_openings_are_reported() -> None:
    made = arena("othello --set size=4 --plies 1 --within 64 --count 2 --depth 1")
    assert made.exit_code == 1
    assert "Only 1 of 2 openings were found; raise --within or --plies." in made.stderr
    assert len(read_openings(made.stdout, rules.load("othello", size=4))) == 1


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("2048", "2048 has no openings: each seed is another game"),
        ("othello --set size=10", "boards up to 8×8, not 10×10"),
        ("othello --set preset=corner", "preset must be one of"),
        ("otello", "must be one of othello"),
    ],
)
def test_what_cannot_be_made_is_reported(arguments: str, expected: str) -> None:
    refused = arena(arguments)
    assert refused.exit_code == 2
    assert expected in refused.stderr


@pytest.mark.slow
def test_no_opening_is_longer_than_the_game() -> None:
    refused = arena("othello --set size=4 --plies 40")
    assert refused.exit_code == 2
    assert "no opening of 40 plies" in refused.stderr


@pytest.mark.slow
@pytest.mark.parametrize("file", SHIPPED)
def test_a_set_that_comes_along_is_balanced_and_has_no_two_alike(file: str) -> None:
    name, settings = SHIPPED[file]
    game, text = rules.load(name, **settings), (SETS / file).read_text("utf-8")
    openings = read_openings(text, game)
    values = [float(line.partition("# ")[2]) for line in text.splitlines() if line[:1] != "#"]
    assert len(openings) == len(values) == 500
    assert max(map(abs, values)) <= 2
    assert {len(moves) for moves in openings} == {8}
    assert len({_likeness(game, moves, after(game, moves)) for moves in openings}) == 500
