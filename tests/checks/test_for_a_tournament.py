"""A check for a tournament has its game, its clock, and what it gives to its players."""

import json
import re
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from arena.checks import answers
from arena.checks.conditions import Conditions
from arena.checks.result import CheckResult
from arena.errors import ConfigError
from arena.model.protocol import Clock, Termination
from arena.tournament.conditions import load_conditions
from tests.right_bot import RIGHT

from .conftest import QUICK, Check

CUP = """
[tournament]
sandbox = "none"
ponder = true
[game]
rules = "dots"
rows = 2
cols = 2
[clock]
move_ms = 200
grace_ms = 50
startup_ms = 1500
[[player]]
from = "submissions/"
options = {level = 3}
resources = {memory_mb = 64, threads = 2}
[[player]]
bot = "mine.py"
resources = {memory_mb = 32}
sandbox = "limits"
"""
_START = '    if request["type"] == "start":\n'
_MOVE = '        move = request["legal"][0]\n'


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    path = tmp_path / "cup.toml"
    path.write_text(CUP)
    return path


def under(path: Path, bot: str = "student.py") -> dict[str, Any]:
    """The conditions in the file as the fixture `check` takes them."""
    return vars(load_conditions(path, path.parent / bot, seed=7)) | {"rules": None}


def failure(results: list[CheckResult]) -> CheckResult:
    return next(result for result in results if result.passed is False)


def test_what_a_file_says_is_taken(cup: Path) -> None:
    given = load_conditions(cup, cup.parent / "student.py", seed=7)
    assert given.terms is not None
    assert (given.terms.rules, given.terms.variant["rows"], given.terms.ponder) == ("dots", 2, True)
    assert given.clocks.judged == (Clock(move_ms=200),)
    assert given.clocks[:2] == (1500, 50)
    assert (given.memory_mb, given.threads, given.options) == (64, 2, {"level": 3})
    assert given.sandbox == "none"


def test_a_bot_that_is_named_has_its_own_table(cup: Path) -> None:
    given = load_conditions(cup, cup.parent / "mine.py", seed=7)
    assert (given.memory_mb, given.threads, given.options) == (32, 1, {})
    assert given.sandbox == "limits"


def test_a_submission_has_the_table_of_its_folder(cup: Path) -> None:
    """Of two that take submissions; another bot has the first."""
    cup.write_text(f'{CUP}[[player]]\nfrom = "others"\nresources = {{memory_mb = 96}}\n')
    memory = {"student.py": 64, "submissions/fox": 64, "others/fox": 96, "others/fox@2": 96}
    assert {bot: under(cup, bot)["memory_mb"] for bot in memory} == memory


def test_a_clock_of_its_own_is_what_it_is_checked_at(cup: Path) -> None:
    cup.write_text(CUP.replace("[[player]]\nfrom", "[[player]]\nclock.bank_ms = 700\nfrom"))
    given = load_conditions(cup)
    assert given.clocks.judged == (Clock(move_ms=None, bank_ms=700),)
    assert given.terms is not None and given.terms.clock == given.clocks.judged[0]
    assert given.terms.grace_ms == 50


@pytest.mark.parametrize(
    ("piece", "instead", "expected"),
    [
        ("rows = 2", "rows = 0", "cup.toml:7: game.rows: rows must be an integer from 1 to 15"),
        ("move_ms", "moves_ms", 'clock.moves_ms: unknown key; did you mean "move_ms"?'),
        ('rules = "dots"', "", "game.rules: is missing"),
        ("[[player]]\nfrom", "[[player]]\nclock.increment_ms = 7\nfrom", "player[1].clock.incr"),
        ("[[player]]\nfrom", '[[player]]\npython = "py9"\nfrom', "cup.toml:14: player[1].python: "),
    ],
)
def test_mistakes_of_a_file_are_reported(
    cup: Path, piece: str, instead: str, expected: str
) -> None:
    cup.write_text(CUP.replace(piece, instead))
    with pytest.raises(ConfigError) as error:
        load_conditions(cup)
    assert expected in str(error.value)


def test_a_mistake_is_reported_once(cup: Path) -> None:
    cup.write_text("game = 5\n")
    with pytest.raises(ConfigError) as error:
        load_conditions(cup)
    assert len(error.value.problems) == 1


@pytest.mark.slow
def test_a_good_bot_passes_and_hears_what_the_tournament_tells(check: Check, cup: Path) -> None:
    log = cup.parent / "log"
    heard = RIGHT.replace(_START, _START + f'        open("{log}", "a").write(line)\n')
    results = list(check(heard, **under(cup)))
    assert [result.passed for result in results] == [True] * 14, results
    assert " positions of dots rows=2 cols=2" in results[5].detail
    assert results[6].detail.endswith(" ms of 200")
    starts = [json.loads(line) for line in log.read_text().splitlines()]
    assert {start["clock"]["move_ms"] for start in starts} == {200}
    assert all(start["options"] == {"level": 3} for start in starts)
    assert {start["startup_ms"] for start in starts} == {1500}


def sleepy(when: str) -> str:
    """A bot that takes 0.4 s for a move `when` its request is so."""
    text = RIGHT.replace("import sys", "import sys\nimport time")
    return text.replace(_MOVE, f"{_MOVE}        time.sleep(0.4 if {when} else 0)\n")


@pytest.mark.slow
def test_a_bot_too_slow_for_the_clock_fails_the_item_about_it(check: Check, cup: Path) -> None:
    cup.write_text(CUP.replace("move_ms = 200", "move_ms = 260"))
    slow = sleepy('request["time_ms"] > 200')
    longer = QUICK._replace(judged=(Clock(move_ms=900), Clock(move_ms=800)))
    assert all(result.passed for result in islice(check(slow, clocks=longer), 7))
    wrong = failure(list(islice(check(slow, **under(cup)), 7)))
    assert (wrong.title, wrong.verdict) == ("near the clock", Termination.TIMEOUT)
    assert "at 0.26 s a move" in wrong.detail


@pytest.mark.slow
def test_a_bank_is_kept_over_whole_games(check: Check, cup: Path) -> None:
    cup.write_text(CUP.replace("move_ms = 200", "bank_ms = 1000"))
    slow = sleepy('request["bank_ms"] is not None')
    wrong = failure(list(check(slow, **under(cup))))
    assert (wrong.title, wrong.verdict) == ("games against another", Termination.TIMEOUT)


def test_a_bot_of_other_games_does_not_take_part(check: Check, cup: Path) -> None:
    folder = cup.parent / "mine"
    folder.mkdir()
    (folder / "bot.py").write_text(RIGHT)
    (folder / "bot.toml").write_text(
        'name = "mine"\nrules = ["othello"]\ncommand = ["python3", "bot.py"]\n'
    )
    wrong = failure(list(check(folder, **under(cup))))
    assert wrong.number == 1
    assert wrong.detail == "mine plays othello; the tournament plays dots"


@pytest.mark.slow
def test_the_same_seed_asks_the_same(check: Check, tmp_path: Path) -> None:
    def heard(seed: int) -> str:
        log = tmp_path / "log"
        log.unlink(missing_ok=True)
        loud = RIGHT.replace(_START, f'    open("{log}", "a").write(line)\n' + _START)
        for _ in islice(check(loud, seed=seed), 6):
            pass
        return "".join(line for line in log.read_text().splitlines() if '"start"' in line)

    assert heard(5) == heard(5) != heard(6)


def test_conditions_draw_a_seed() -> None:
    assert len({Conditions().seed for _ in range(3)}) > 1


@pytest.mark.slow
def test_positions_for_which_there_was_no_time_are_reported(
    check: Check, cup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "_BOARD_S", 0.0)
    *_, sixth = islice(check(RIGHT, **under(cup)), 6)
    assert sixth.passed
    assert re.match(r"1 positions of dots .*; \d+ more were not asked", sixth.detail), sixth.detail
