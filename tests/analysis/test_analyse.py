"""`arena analyse`: positions in every form, what is shown of them, and what is refused."""

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from rich.console import Console

import rules
from arena.analysis import analyse as analysis
from arena.analysis.analyse import find_position, read_position, read_text
from arena.errors import ReplayError, UserError
from arena.tournament.run_view import recorded_game
from rules.position import PASS, Position
from rules.transcript import read_transcript
from tests.command import arena
from tests.players.conftest import true_net


def after(game: rules.Game, transcript: str) -> Position:
    position = game.start()
    for move in read_transcript(position, transcript):
        position = position.play(move)
    return position


def obf(position: Position) -> str:
    """A board and who moves, as OBF writes them."""
    board = "".join(position.state()["board"]).replace(".", "-")
    return f"{board} {'XO'[position.to_move or 0]};"


OTHELLO = rules.load("othello")
CORNERLESS = rules.load("othello", preset="cornerless", size=6)


# The position


@pytest.mark.parametrize("game", [OTHELLO, CORNERLESS], ids=["standard", "cornerless"])
def test_a_position_reads_the_same_in_every_form(game: rules.Game) -> None:
    transcript = "f5 d6, c3 D3 c4" if game is OTHELLO else "c3 d3 b4 e5"
    position = after(game, transcript)
    board, to_move = obf(position).rstrip(";").split()
    for text in (
        transcript,
        obf(position),
        obf(position) + " D3:+2; C4:-1",
        f"{board.replace('X', '*').replace('O', 'o')}\n{to_move}",
        f"{board.replace('#', '-')} {to_move}",  # elsewhere a closed corner is an empty square
        "\n".join([*position.state()["board"], to_move]),
        json.dumps(position.state()),
    ):
        assert read_position(game, text) == position, text


def test_dots_and_small_boards_are_read_by_their_own_settings() -> None:
    dots = rules.load("dots", rows=2, cols=3)
    position = after(dots, "a1b1 b1b2")
    assert read_position(dots, "a1b1 b1b2") == position
    assert read_position(dots, json.dumps(position.state())) == position
    large = rules.load("othello", size=16)
    assert read_position(large, "") == large.start()
    first = large.start().legal_moves()[0]
    assert read_position(large, first.upper()) == large.start().play(first)
    with pytest.raises(UserError, match="'o1' is illegal: it turns no disc"):
        read_position(large, "o1")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("othello", "f5d6k9", "move 3 of the transcript: 'k9' is not a square of the board"),
        ("othello", "f5a1", "move 2 of the transcript: 'a1' is illegal: it turns no disc"),
        ("othello", "f5!6", "character 3 of the transcript: '!6' is not a move"),
        ("othello", "-" * 27 + "OX---?", "character 33 of the board is '\\?': expected X or \\*"),
        ("othello", "-" * 63, "the board has 63 cells; 8×8 are 64"),
        ("othello", "-" * 64, "comes who moves, X or O, not nothing"),
        ("othello", "-" * 64 + " Z", 'comes who moves, X or O, not "Z"'),
        ("othello", '{"board": 3', "character 12: Expecting"),
        ("othello", '{"board": 3}', "not a state of othello: "),
        ("dots", "{}", "the position is not a state of dots: the state has no 'rows'"),
        ("dots", "a1b1 a1b1", "move 2 of the transcript: "),
        ("dots", "XO X", "character 1 of the transcript: 'xo x' is not a move"),
    ],
)
def test_what_is_no_position_is_reported_with_its_place(name: str, text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read_position(rules.load(name), text)


def test_a_position_comes_from_a_file_or_from_stdin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    position = after(OTHELLO, "f5d6")
    file = tmp_path / "state.json"
    file.write_text(json.dumps(position.state()))
    assert find_position(OTHELLO, read_text(f"@{file}"), None, None)[0] == position
    monkeypatch.setattr("sys.stdin", io.StringIO("f5d6\n"))
    assert find_position(OTHELLO, read_text("-"), None, None)[0] == position
    assert find_position(OTHELLO, read_text(""), None, None)[0] == OTHELLO.start()


# What is shown


class Value(NamedTuple):
    move: str
    score: float
    exact: bool
    depth: int
    pv: list[str]


class Found(NamedTuple):
    moves: list[Value]
    nodes: int
    seconds: float


FOUND = Found(
    [
        Value("c4", 2.345, False, 12, ["c4", "c3", "f3"]),
        Value("f5", 2.0, True, 60, ["f5"]),
        Value("d3", 0.0, True, 60, ["d3", "c3"]),
        Value("e6", -0.5, False, 12, ["e6"]),
    ],
    1234567,
    5.04,
)


@pytest.mark.slow
def test_each_move_has_a_line_best_first() -> None:
    out = io.StringIO()
    analysis.show(OTHELLO.start(), FOUND, Console(file=out, width=100))
    lines = [line.rstrip() for line in out.getvalue().splitlines()]
    assert lines[:5] == [
        "move  value  known     principal variation",
        "c4    +2.35  depth 12  c4 c3 f3",
        "f5       +2  exact     f5",
        "d3       +0  exact     d3 c3",
        "e6    -0.50  depth 12  e6",
    ]
    assert lines[5] == "value: the margin in discs that X ends with after the move, by best play"
    assert lines[6] == "5.0 s, 1,234,567 positions searched"
    dots = rules.load("dots", rows=1, cols=2).start()
    analysis.show(dots, FOUND, Console(file=out, width=100))
    assert "the margin in boxes that seat 0 ends with" in out.getvalue()


@pytest.mark.slow
def test_json_holds_the_position_and_every_value() -> None:
    document = json.loads(analysis.dumps(OTHELLO.start(), FOUND))
    assert rules.load(document["rules"], **document["variant"]) == OTHELLO
    assert OTHELLO.position(document["state"]) == OTHELLO.start()
    assert [Value(**each) for each in document["moves"]] == FOUND.moves
    assert (document["nodes"], document["seconds"]) == (1234567, 5.04)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "name", "transcript"),
    [(["size=4"], "othello", "b1a1"), (["rows=2", "cols=2"], "dots", "a1b1 b2c2 b2b3")],
)
def test_small_games_are_seen_to_their_end(settings: list[str], name: str, transcript: str) -> None:
    pairs = [f"--set={pair}" for pair in settings]
    result = arena("analyse", name, transcript, *pairs, "--json", "--seconds", "2")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    game = rules.load(name, **document["variant"])
    position = after(game, transcript)
    assert game.position(document["state"]) == position
    sign = 1 if position.to_move == 0 else -1
    values = {each["move"]: each for each in document["moves"]}
    assert set(values) == set(position.legal_moves())
    for move, each in values.items():
        assert each["exact"]
        assert each["score"] == sign * true_net(position.play(move)), move
        assert each["pv"][0] == move
    scores = [each["score"] for each in document["moves"]]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.slow
def test_the_board_is_shown_at_once_and_ctrl_c_need_not_wait_for_the_search() -> None:
    command = [sys.executable, "-m", "arena", "analyse", "othello", "f5d6", "--seconds", "600"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        shown = b""
        while not shown.endswith(b"X to move, X 3 O 3\n\n"):
            shown += os.read(process.stdout.fileno(), 4096)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130


# Runs


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The file of a run of one pairing on a 4×4 board."""
    folder = tmp_path_factory.mktemp("run")
    players = '[[player]]\nbot = "greedy"\n[[player]]\nbot = "monkey"\n'
    quick = '[tournament]\nconcurrency = 1\nsandbox = "none"\n'
    text = f'{quick}[openings]\nplies = 2\n[game]\nrules = "othello"\nsize = 4\n{players}'
    (folder / "t.toml").write_text(text)
    store = str(folder / "t.sqlite")
    assert arena("run", str(folder / "t.toml"), "--store", store).exit_code == 0
    return store


@pytest.mark.slow
def test_positions_of_a_run_are_those_of_its_replay(run: str) -> None:
    game = rules.load("othello", size=4)
    written = arena("replay", run, "g0001", "--as", "transcript").output
    moves = read_transcript(game.start(), written)
    position, choices = game.start(), []
    for ply, move in enumerate(moves):
        if not position.is_over and position.legal_moves() != (PASS,):
            assert find_position(Path(run), read_text(""), "g0001", ply)[0] == position
        if len(position.legal_moves()) > 1:
            choices.append(position)
        position = position.play(move)
    assert find_position(Path(run), read_text(""), "g0001", None)[0] == choices[-1]
    result = arena("analyse", run, "--game", "g0001", "--ply", "2", "--json")
    assert result.exit_code == 0, result.output
    assert f"{run} g0001 (" in result.stderr
    assert "after 2 of " in result.stderr
    assert len(json.loads(result.stdout)["moves"]) == len(after(game, written[:4]).legal_moves())


def test_a_game_that_could_not_be_played_is_named(
    run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = recorded_game(Path(run), "g0001")[1]
    first = record.moves[0].model_copy(update={"move": "a1"})
    wrong = record.model_copy(update={"moves": (first, *record.moves[1:])})
    monkeypatch.setattr(analysis, "recorded_game", lambda *_: (None, wrong))
    with pytest.raises(ReplayError, match="game g0001, ply 1: 'a1' is illegal"):
        find_position(Path(run), read_text(""), "g0001", None)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("othelo",), 'did you mean "othello"?'),
        (("none.sqlite", "--game", "g0001"), "no such run"),
        (("RUN", "--ply", "3"), "give --game too, such as "),
        (("RUN", "--seconds", "3"), "give --game too, such as "),
        (("RUN", "--game", "g0001", "--within", "9"), "--within is for a whole run"),
        (("othello", "--within", "9"), "--within is for a whole run"),
        (("RUN", "--game", "g0009"), "g0001 to g0002"),
        (("RUN", "--game", "g0001", "--ply", "99"), "--ply 99: game g0001 has 1"),
        (("RUN", "f5", "--game", "g0001"), "a run's file has its own settings"),
        (("othello", "-" * 62 + " X"), "the board has 63 cells; 8×8 are 64"),
        (("othello", "-O" * 32), "comes who moves, X or O, not nothing"),
        (("othello", "--game", "g0001"), "--game and --ply belong to a run's file"),
        (("othello", "@none.txt"), "none.txt: cannot be read"),
        (("othello", "@"), "@ must be followed by the name of a file"),
        (("othello", '{"a":' * 20_000), "the position is read as JSON: it is nested too deeply"),
        (("othello", "--set", "size=5"), "--set: size must be even"),
        (("2048",), "it plays othello and dots, not 2048"),
        (("othello", "--set", "size=10"), "it plays Othello on boards up to 8×8, not 10×10"),
        (("othello", "X" * 64 + " X"), "the game is over in this position, 64 to 0"),
    ],
)
def test_what_a_user_can_fix_is_a_sentence(
    run: str, arguments: tuple[str, ...], expected: str
) -> None:
    result = arena("analyse", *(run if word == "RUN" else word for word in arguments))
    assert result.exit_code == 2
    assert expected in result.stderr


def test_a_missing_run_names_the_nearest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("runs").mkdir()
    Path("runs/match-cup.sqlite").touch()
    with pytest.raises(UserError, match=r'run\'s file; did you mean "runs/match-cup\.sqlite"'):
        analysis.run_path("match-cup")


def test_the_file_of_a_position_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (file := tmp_path / "position.txt").write_text("f5e9")
    result = arena("analyse", "othello", f"@{file}")
    assert result.exit_code == 2
    assert f"{file}: the position cannot be read: " in result.stderr


@pytest.mark.slow
def test_a_mover_who_must_pass_is_passed_over() -> None:
    game = rules.load("othello", size=4)
    position = game.position({"board": ["XXXO", "XXXX", "XXXX", "XX.."], "to_move": 0})
    assert position.legal_moves() == (PASS,)
    text = json.dumps(position.state())
    result = arena("analyse", "othello", text, "--set", "size=4", "--json")
    assert "The mover has no legal move and passes." in result.stderr
    values = json.loads(result.stdout)["moves"]
    assert [each["move"] for each in values] == list(position.play(PASS).legal_moves())
