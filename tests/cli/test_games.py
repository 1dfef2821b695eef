"""`arena games` and `arena replay` as students type them, on a run that was made up."""

import json

import pytest
from typer.testing import CliRunner, Result

from arena.cli import app
from tests.reports.conftest import play_record
from tests.reports.runs import begun


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


def arena(*arguments: str) -> Result:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def test_a_student_finds_the_lost_game(run: str) -> None:
    found = arena("games", run, "--player", "ant", "--lost", "--ending", "timeout")
    assert found.exit_code == 0
    assert "g0002" in found.output and "g0001" not in found.output
    assert "timeout by ant" in found.output and "1 game\n" in found.output


@pytest.mark.parametrize(
    ("wrong", "said"),
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
def test_typos_are_told(run: str, wrong: tuple[str, ...], said: str) -> None:
    refused = arena("games", run, *wrong)
    assert refused.exit_code == 2 and said in refused.stderr


def test_games_for_other_programs(run: str) -> None:
    (row,) = json.loads(
        arena("games", run, "--player", "ant", "--lost", "--json", "--side", "first").output
    )
    assert (row["game"], row["opponents"], row["ending"]) == ("g0002", ["gnu"], "timeout")
    lines = arena("games", run, "--csv").output.splitlines()
    assert lines[0].startswith("game,round,pair,player,opponents") and len(lines) == 3
    assert len(arena("report", run, "--csv", "games").output.splitlines()) == 5
