"""`arena analyse othello @FILE.obf`: collections of problems, solved and compared."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import Result

import rules
from arena.analysis.problems import listed
from tests.command import arena

pytestmark = pytest.mark.slow

SOLVED = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X;"
OVER = "X" * 64 + " O;"


def analyse(*arguments: str) -> Result:
    """With time enough to see each to its end, also where other tests run."""
    return arena("analyse", "othello", "--seconds", "60", *arguments)


def test_each_position_is_solved_next_to_what_is_stated(tmp_path: Path) -> None:
    file = tmp_path / "problems.obf"
    file.write_text(f"% FFO 1\n{SOLVED} G8:+18; H1:+12;\n{SOLVED} H1:+12\n{SOLVED}\n")
    answer = analyse(f"@{file}")
    assert answer.exit_code == 0, answer.output
    right, wrong, bare, total = answer.stdout.splitlines()
    assert right == "   1  14 empty  g8 +18 exact        as stated: g8 +18"
    assert wrong == "   2  14 empty  g8 +18 exact        stated: h1 +12"
    assert bare == "   3  14 empty  g8 +18 exact"
    assert total == "1 of 2 moves are those that are stated to be best"


def test_a_move_that_is_not_exact_is_not_held_against_what_is_stated(tmp_path: Path) -> None:
    deep = f"{'-' * 27}OX{'-' * 6}XO{'-' * 27} X; F5:+0"
    (tmp_path / "problems.obf").write_text(f"{deep}\n{deep}\n")
    answer = arena("analyse", "othello", "--seconds", "0.01", f"@{tmp_path}/problems.obf")
    assert answer.stdout.splitlines()[2:] == [
        "Not solved in time: 2 of 2; --seconds gives them more"
    ]


def test_damaged_positions_are_named_and_the_others_solved(tmp_path: Path) -> None:
    file = tmp_path / "problems.obf"
    file.write_text(f"{SOLVED}\nnonsense\n{OVER}\n")
    answer = analyse(f"@{file}")
    assert answer.exit_code == 1
    assert answer.stdout.splitlines() == [
        "   1  14 empty  g8 +18 exact",
        "position 2: 'nonsense' is not a board of 64 cells and the side to move",
        "position 3: its side to move has no legal move",
    ]
    answer = analyse(f"@{file}", "--json")
    assert answer.exit_code == 1
    found = json.loads(answer.stdout)
    assert [each["number"] for each in found["damaged"]] == [2, 3]
    assert found["positions"][0]["score"] == 18
    explained = arena("analyse", "--help").stdout
    keys = {*found, *found["positions"][0], *found["damaged"][0]}
    assert keys <= set(re.findall(r"\w+", explained))


def test_other_texts_are_one_position() -> None:
    othello, board = rules.load("othello"), SOLVED.partition(" ")[0]
    rows = "\n".join(board[at : at + 8] for at in range(0, 64, 8))
    assert listed(othello, f"{SOLVED} G8:+18;\n") == []
    assert listed(othello, f"{rows}\nX") == []
    assert listed(othello, "f5\nd6") == []
    assert listed(rules.load("othello", preset="cornerless"), f"{SOLVED}\n{SOLVED}") == []
