"""`arena games` and `arena replay` as students type them, on a run that was made up."""

import json
import re
from pathlib import Path

import pytest

from arena.cli.options import one_of
from tests.command import arena
from tests.reports.conftest import play_record
from tests.reports.runs import begun, keep_games


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Two games of gnu and ant: ant is late in the second."""
    path = tmp_path_factory.mktemp("games") / "cup.sqlite"
    won = play_record("dots", "gnu", "ant", game="g0001", winner=0, rows=2, cols=2)
    late = play_record("dots", "ant", "gnu", game="g0002", forfeit=0, rows=2, cols=2)
    with begun(path, [won, late]) as store:
        store.add(won)
        store.add(late)
    return str(path)


def test_a_student_finds_the_lost_game(run: str) -> None:
    found = arena("games", run, "--player", "ant", "--lost", "--ending", "timeout")
    assert found.exit_code == 0
    assert "g0002" in found.output and "g0001" not in found.output
    assert "timeout by ant" in found.output and "1 game\n" in found.output


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        (
            ("--player", "ants"),
            '--player: must be one of gnu, ant, got "ants"; did you mean "ant"?',
        ),
        (("--against", "gun"), "--against: must be one of gnu, ant, got"),
        (("--ending", "time-out"), 'got "time-out"; did you mean "timeout"?'),
        (("--side", "frist"), '--side: must be one of first, second, got "frist"'),
        (("--csv", "--json"), "--json and --csv exclude each other"),
    ],
)
def test_typos_are_reported(run: str, wrong: tuple[str, ...], expected: str) -> None:
    refused = arena("games", run, *wrong)
    assert refused.exit_code == 2 and expected in refused.stderr


def test_of_very_many_players_those_most_like_the_name_are_listed() -> None:
    sentence = one_of([f"bot-{number}" for number in range(400)], "bot7")
    assert re.match(r"must be one of bot-7\d?, .* and 395 more, got", sentence), sentence


def test_games_for_other_programs(run: str) -> None:
    (row,) = json.loads(
        arena("games", run, "--player", "ant", "--lost", "--json", "--side", "first").output
    )
    assert (row["game"], row["opponents"], row["ending"]) == ("g0002", ["gnu"], "timeout")
    lines = arena("games", run, "--csv").output.splitlines()
    assert lines[0].startswith("game,round,pair,player,opponents") and len(lines) == 3
    assert len(arena("report", run, "--csv", "games").output.splitlines()) == 5


@pytest.fixture
def others(tmp_path: Path) -> str:
    """A run whose games have other ids."""
    path = tmp_path / "t.sqlite"
    games = [
        play_record("dots", "a", "b", game=name, rows=1, cols=1) for name in ("r1g01", "w2", "l02")
    ]
    keep_games(path, games)
    return str(path)


def test_a_number_is_the_game_that_has_it(run: str, others: str) -> None:
    assert arena("replay", run, "2").output == arena("replay", run, "g0002").output
    assert "Game r1g01" in arena("replay", others, "r1g01").output
    many = arena("replay", others, "2")
    assert many.exit_code == 2 and "game 2 may be l02, w2; give one of them" in many.stderr
    for missing in ("3", "g0009"):
        refused = arena("replay", run, missing)
        assert refused.exit_code == 2 and f'there is no game "{missing}"' in refused.stderr


def test_a_dialogue_is_that_of_the_loser(run: str) -> None:
    sent = arena("replay", run, "2", "--as", "dialogue").output
    assert sent == arena("replay", run, "2", "--as", "dialogue", "--seat", "0").output
    assert json.loads(sent.splitlines()[0])["type"] == "start"
    other = arena("replay", run, "2", "--as", "dialogue", "--seat", "1").output
    assert json.loads(other.splitlines()[-1])["type"] == "end"
    for wrong, said in (
        (("--as", "dialogue", "--seat", "2"), "game g0002 has no seat 2; they are 0 to 1"),
        (("--seat", "0"), "--seat is for --as dialogue; give both"),
        (("--as", "dialog"), 'did you mean "dialogue"?'),
    ):
        refused = arena("replay", run, "2", *wrong)
        assert refused.exit_code == 2 and said in refused.stderr
