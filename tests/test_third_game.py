"""A game of another package: one file of rules and one folder of compiled code, found by an entry
point, take part in everything without a change in the arena.
"""

import contextlib
import csv
import os
import random
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import rules
from arena.checks.checklist import ITEMS
from arena.errors import ReplayError
from arena.model.protocol import Termination
from arena.model.record import GameRecord
from arena.reports.html.audience import STAFF
from arena.reports.html.overview import Look
from arena.reports.html.pages import sections
from arena.reports.replay import positions
from arena.tournament.run_view import RunView
from arena.tournament.store import Store
from rules import registry, rehearsal
from rules.package_errors import BrokenPromise
from rules.transcript import read_transcript, write_transcript
from tests import command
from tests.reports.conftest import play_record
from tests.reports.runs import keep_games
from tests.rules.test_perft import perft as count

PACKAGE = Path(__file__).parents[1] / "tournaments" / "connect4"
TOURNAMENT = """
[tournament]
name = "four"
rounds = 1
concurrency = 1
[game]
rules = "connect4"
rows = 5
[clock]
move_ms = 20_000
[[player]]
bot = "monkey"
[[player]]
bot = "greedy"
[[player]]
bot = "uct"
options = {iterations = 200, memory_mb = 16, endgame_mb = 1}
[[player]]
bot = "alphabeta"
options = {depth = 3, memory_mb = 4, endgame_mb = 1}
"""
PERFT = (7, 49, 343, 2401, 16807, 117_649, 823_536)
"""Games of one to seven plies on 6×7 cells: only in the seventh is a column full."""
BOT = """
import json, sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        reply = {"type": "ready", "protocol": 1, "name": "dropper"}
    elif message["type"] == "turn":
        reply = {"type": "move", "ply": message["ply"], "move": message["legal"][0]}
    elif message["type"] == "quit":
        break
    else:
        continue
    print(json.dumps(reply), flush=True)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where the game is installed: this process and those it starts find it there."""
    folder = tmp_path_factory.mktemp("course")
    shutil.copytree(PACKAGE / "connect4", folder / "connect4")
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    describe(folder, project["name"], project["entry-points"]["arena.games"]["connect4"])
    for path in (folder, *folder.parents[:2]):
        path.chmod(0o755)  # for players who become another user
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        patch.setenv("PYTHONPATH", os.pathsep.join((str(folder), *filter(None, [_path()]))))
        _forget()
        yield folder
    _forget()


def _path() -> str:
    return os.environ.get("PYTHONPATH", "")


def _forget() -> None:
    """Look for entry points again."""
    registry._registered.cache_clear()
    registry.registration.cache_clear()
    registry.default.cache_clear()
    registry.unusable.cache_clear()


def describe(folder: Path, name: str, value: str, package: str = "") -> None:
    """Say of a package in `folder`, called as the game, that it registers the game `name`."""
    package = package or name
    description = folder / f"{package}-1.0.dist-info"
    description.mkdir(exist_ok=True)
    metadata = f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n"
    (description / "METADATA").write_text(metadata)
    (description / "entry_points.txt").write_text(f"[arena.games]\n{name} = {value}\n")


@pytest.fixture(scope="module")
def run(folder: Path) -> Path:
    """A finished tournament of four built-in players."""
    (folder / "four.toml").write_text(TOURNAMENT)
    fresh_arena(folder, "run", "four.toml")
    return folder / "runs" / "four.sqlite"


@pytest.fixture(scope="module")
def records(run: Path) -> list[GameRecord]:
    with Store.open(run) as store:
        return list(store.records())


def arena(folder: Path, *arguments: object, code: int = 0) -> str:
    """What a command says, in this process."""
    with contextlib.chdir(folder):
        done = command.arena(*arguments)
    assert done.exit_code == code, done.output
    return done.stdout + (done.stderr if code else "")


def fresh_arena(folder: Path, *arguments: str, code: int = 0) -> str:
    """The same in a process that has imported nothing yet."""
    done = subprocess.run(
        [sys.executable, "-m", "arena", *arguments],
        cwd=folder, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + (done.stderr if code else "")


def random_game(game: rules.Game, rng: random.Random) -> list[rules.Position]:
    """Every position of a random game."""
    positions = [game.start()]
    while not positions[-1].is_over:
        positions.append(positions[-1].play(rng.choice(positions[-1].legal_moves())))
    return positions


def test_the_rules_are_found_by_name(folder: Path) -> None:
    assert rules.names() == (*rules.GAMES, "connect4")
    game = rules.load("connect4", rows=4)
    assert rules.load(game.name, **game.variant) == game
    with pytest.raises(ValueError, match="no option 'columns'; known: rows"):
        rules.load("connect4", columns=8)
    with pytest.raises(ValueError, match="othello, dots, 2048, 2584, connect4, not 'chess'"):
        rules.load("chess")


def test_the_rules_count_as_they_should(folder: Path) -> None:
    start = rules.load("connect4").start()
    assert [count(start, depth) for depth in range(1, 5)] == list(PERFT[:4])


def test_a_game_goes_on_with_a_player_to_move(folder: Path) -> None:
    game = rules.load("connect4")
    with pytest.raises(ValueError, match="to_move is null, but the game is not over"):
        game.position({**game.start().state(), "to_move": None})


@pytest.mark.slow
def test_kernels_agree_with_the_rules_move_by_move(folder: Path) -> None:
    import numpy as np

    from players.games.agreement import refuse_disagreement, refuse_unanswered
    from players.games.registry import load_board
    from tests.players.lines_of_play import perft

    game = rules.load("connect4")
    board = load_board(game.name, game.variant)
    start = board.position(game.start().state())
    assert [perft(start, depth, False) for depth in range(1, 8)] == list(PERFT)
    refuse_unanswered(start)
    refuse_disagreement(game, board, np.zeros(1, np.int32))
    with pytest.raises(BrokenPromise, match="after g: `play` has another `key` than `position`"):
        refuse_disagreement(rules.load("connect4", rows=5), board, np.zeros(1, np.int32))


@pytest.mark.slow
def test_the_plain_solver_knows_every_last_move(folder: Path) -> None:
    import numpy as np

    from players.games.endgame import load_endgame
    from players.games.registry import load_board

    game, rng = rules.load("connect4", rows=4), random.Random(8)
    board, stop = load_board(game.name, game.variant), np.zeros(1, np.int64)
    solver = load_endgame(game.name, board, 1)
    seen = 0
    while seen < 10:
        positions = random_game(game, rng)
        if len(positions) < 24:
            continue
        seen += 1
        position = positions[-7]
        found = solver.margins(board.position(position.state()), stop)
        assert found == {move: -negamax(position.play(move)) for move in position.legal_moves()}
        best = solver.best(board.position(position.state()), stop)
        assert best is not None
        assert best.margin == max(found.values()) == found[best.move]


@cache
def negamax(position: rules.Position) -> int:
    """The mover's margin under best play."""
    if position.to_move is None:
        first, second = position.scores()
        return -abs(first - second)  # the last move won, if any did
    return max(-negamax(position.play(move)) for move in position.legal_moves())


@pytest.mark.slow
def test_built_in_players_play_a_tournament(records: list[GameRecord]) -> None:
    assert len(records) == 12
    assert {record.termination for record in records} == {Termination.NATURAL}
    points: dict[str, float] = {}
    for record in records:
        for seat, won in zip(record.seats, record.points, strict=True):
            points[seat.player] = points.get(seat.player, 0) + won
    assert min(points["uct"], points["alphabeta"]) > max(points["monkey"], points["greedy"])


@pytest.mark.slow
def test_a_game_is_drawn_and_written(folder: Path, run: Path, records: list[GameRecord]) -> None:
    record = records[0]
    assert record.host.package == "connect4 1.0"
    game = rules.load(record.terms.rules, **record.terms.variant)
    shown = arena(folder, "replay", run, record.game)
    assert f"X {record.seats[0].player}: {record.moves[0].move}" in shown
    assert str(game.position(record.final_state)) in shown
    moves = [played.move for played in record.moves]
    written = arena(folder, "replay", run, record.game, "--as", "transcript").strip()
    assert written == write_transcript(game.start(), moves) == "".join(moves)
    assert read_transcript(game.start(), written) == tuple(moves)


def test_a_game_that_other_rules_played_names_the_package(folder: Path) -> None:
    record = play_record("connect4", "ant", "bee", seed=1)
    first = record.moves[0].model_copy(update={"move": "swap"})
    host = record.host.model_copy(update={"package": "connect4 0.9"})
    changed = record.model_copy(update={"moves": (first, *record.moves[1:]), "host": host})
    why = (
        "ply 1: 'swap' is not a column from a to g; .*by other rules than those of the package "
        "connect4 1.0; it was played by connect4 0.9"
    )
    with pytest.raises(ReplayError, match=why):
        positions(changed)


@pytest.mark.slow
def test_a_position_is_analysed(folder: Path) -> None:
    # elsewhere: its kernels would be kept among those of an arena without this package
    said = fresh_arena(folder, "analyse", "connect4", "adadad", "--seconds", "0.1")
    assert "d" in said
    assert "margin in wins that X ends with" in said


@pytest.mark.slow
def test_a_bot_is_checked(folder: Path) -> None:
    bot = folder / "bot"
    bot.mkdir()
    command = 'name = "dropper"\nrules = ["connect4"]\ncommand = ["python3", "bot.py"]\n'
    (bot / "bot.toml").write_text(command)
    (bot / "bot.py").write_text(BOT)
    said = arena(folder, "check", bot)
    assert "claims connect4" in said
    (bot / "bot.toml").write_text(command.replace("connect4", "connect5"))
    said = arena(folder, "check", bot, code=1)
    assert 'did you mean "connect4"' in " ".join(said.split())


@pytest.mark.parametrize(
    "value",
    [
        "connect4.rules:NOTHING",
        "nowhere:REGISTRATION",
        "raising:REGISTRATION",
        "ending:REGISTRATION",
    ],
)
def test_a_registration_that_cannot_be_loaded_is_told(broken: Path, value: str) -> None:
    (broken / "raising.py").write_text("1 / 0\n")
    (broken / "ending.py").write_text("raise SystemExit\n")
    describe(broken, "broken", value)
    with pytest.raises(ValueError, match=f"'broken' cannot be loaded from {value}"):
        rules.load("broken")


@pytest.mark.parametrize(
    ("changed", "wrong"),
    [
        ("name = 'other'", "its `name` is 'other', and must be that of its entry point"),
        ("variant = None", "its `variant` is None, no dict of its settings"),
        ("variant = {}", "its `variant` {} makes another game: it must have every setting"),
        ("variant = {'row': 5}", "broken has no option 'row'; known: rows; did you mean 'rows'?"),
        ("seats = 3", "its `seats` are 3, and must be 1 or 2"),
        ("seats = 1", "one plays it alone, so `decided_by_seed` must be True"),
        ("seats, decided_by_seed = 1, True", "`marks` are 'XO', not one for each seat"),
        ("move_pattern = '[a-f]'", "its move 'g' must be lower case, and match `move_pattern`"),
        ("start = lambda self, seed: Upper(self, (), 0)", "its move 'A' must be lower case"),
    ],
)
def test_a_game_that_contradicts_itself_is_told(broken: Path, changed: str, wrong: str) -> None:
    write_broken(broken, changed, "load")
    game, found = rules.judge("broken", {"rows": 5, "columns": 7})
    assert found.pop("columns") == "broken has no option 'columns'; known: rows"
    assert (game is None) == bool(wrong)
    assert wrong in "".join(found.values())
    assert bool(found) == bool(wrong)


@pytest.mark.parametrize(
    ("name", "value", "wrong"),
    [
        ("broken", "another:REGISTRATION", "by another:REGISTRATION of the package other 1.0 and "),
        ("Big", "broken_game:REGISTRATION", "its name must be of small letters a to z"),
        ("dots", "broken_game:REGISTRATION", "'dots' of the package other 1.0 needs another name"),
    ],
)
def test_a_name_that_cannot_be_is_told(broken: Path, name: str, value: str, wrong: str) -> None:
    write_broken(broken, f"name = {name!r}", "load")
    describe(broken, name, value, package="other")
    _forget()
    assert wrong in " ".join((rules.unusable(name), *rules.misnamed()))
    assert "dots" in rules.usable()


def test_slow_rules_are_told(broken: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_broken(broken, "seats = 2", "load")
    rehearsal.rehearse.cache_clear()
    assert not list(rules.slow())
    rehearsal.rehearse.cache_clear()
    monkeypatch.setattr(rehearsal, "_SECONDS", 0.0)
    _, said = rules.slow()
    assert said.startswith("the game 'connect4' of the package connect4 1.0 will take long: its")
    assert said.endswith("0 s were enough for 1 of 200 positions of random games")
    rehearsal.rehearse.cache_clear()


@pytest.mark.slow
def test_a_check_tries_the_games_that_it_plays_alone(broken: Path) -> None:
    write_broken(broken, "1 / open('tried', 'w').write('')", "load")
    (broken / "bot.py").write_text(BOT)
    said = fresh_arena(broken, "check", "bot.py", "--rules", "dots")
    assert f"{len(ITEMS)} of {len(ITEMS)} passed" in said
    assert not (broken / "tried").exists()


def test_settings_that_a_game_stumbles_over_are_told(broken: Path) -> None:
    write_broken(broken, "seats = 2", "lambda rows=6: Broken(6 + int(str(rows)) // 7)")
    _, wrong = rules.judge("broken", {"rows": "six"})
    assert wrong[""].startswith("the game 'broken' refuses its settings: invalid literal")
    told = arena(broken, "play", "broken", "--set", "rows=six", code=2)
    assert "--set: the game 'broken' refuses its settings: invalid literal for int()" in told


FAILING = """
    title = 'Broken'
    def start(self, seed=None):
        import sys
        if 'arena.matches.play' in sys.modules: WRONG
        return super().start(seed)
"""


@pytest.mark.parametrize(
    ("wrong", "told"),
    [("1 / 0", "ZeroDivisionError: division by zero"), ("exit(1)", "SystemExit: 1")],
)
def test_a_game_that_fails_later_is_told(broken: Path, wrong: str, told: str) -> None:
    write_broken(broken, FAILING.replace("WRONG", wrong), "load")
    said = fresh_arena(broken, "match", "monkey", "greedy", "--rules", "broken", code=2)
    assert f"package broken 1.0 failed in `start`: {told} (br" in said


@pytest.mark.parametrize(
    ("registered", "wrong"),
    [
        ("None", "`load` of a Registration must be a function, not None (broken_game.py, line 8)"),
        ("load, None", "`kernels` of a Registration must be the name of a package, not None"),
        ("load, '', ''", "`unsupported` of a Registration must be a function, not ''"),
        ("load) and load(", "broken_game:REGISTRATION is a Broken, no rules.Registration"),
    ],
)
def test_a_registration_of_wrong_types_is_told(broken: Path, registered: str, wrong: str) -> None:
    write_broken(broken, "seats = 2", registered)
    assert wrong in rules.unusable("broken")


def write_broken(folder: Path, changed: str, registered: str) -> None:
    """A game like connect four, but for what is `changed`, `registered` by these arguments."""
    (folder / "broken_game.py").write_text(
        "from connect4.rules import Connect4, Connect4Position, Registration\n"
        "class Upper(Connect4Position):\n    def legal_moves(self): return ('A',)\n"
        f"class Broken(Connect4):\n    name = 'broken'\n    {changed}\n"
        f"def load(rows=6): return Broken(rows)\nREGISTRATION = Registration({registered})\n"
    )


@pytest.mark.parametrize(
    "changed", ["variant = None", "seats = 3", "1 / 0", "start = lambda *_: exit()"]
)
def test_a_game_that_cannot_begin_is_left_out(broken: Path, changed: str) -> None:
    write_broken(broken, changed, "load")
    assert rules.usable() == (*rules.GAMES, "connect4")


@pytest.mark.slow
def test_a_game_that_cannot_begin_costs_the_others_nothing(broken: Path) -> None:
    write_broken(broken, "variant = None", "load")
    import_pages = "from arena.web import app, boards; print(*boards.boards())"
    said = subprocess.run(
        [sys.executable, "-c", import_pages], capture_output=True, text=True, check=True
    ).stdout
    assert "connect4" in said
    assert "broken" not in said


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ("seats = 3", "contradicts itself"),
        ("typical_plies = property(lambda _: 1 / 0)", "cannot begin: ZeroDivisionError"),
        ("1 / 0", "cannot be loaded"),
    ],
)
def test_a_game_that_cannot_begin_is_told_where_it_is_named(
    broken: Path, changed: str, why: str
) -> None:
    write_broken(broken, changed, "load")
    (broken / "bot.py").write_text(BOT)
    told = f"--rules: the game 'broken' {why}"
    assert told in arena(broken, "check", broken / "bot.py", "--rules", "broken", code=2)
    assert told.replace("--rules", "rules") in arena(broken, "warm", "broken", code=2)
    (broken / "bot.toml").write_text(
        'name = "dropper"\nrules = ["dots", "broken"]\ncommand = ["python3", "bot.py"]'
    )
    told = told.removeprefix("--rules: ")
    assert told in arena(broken, "check", broken, code=1)
    (broken / "cup.toml").write_text(TOURNAMENT.replace("connect4", "broken"))
    assert told in arena(broken, "run", broken / "cup.toml", code=2)
    said = arena(broken, "doctor")
    assert f"cannot be played: {told}" in said
    assert "connect4    the package connect4 1.0, with compiled code" in said


ALONE = """
from dataclasses import dataclass, replace
from rules import Game, IllegalMove, Position, Registration
@dataclass(frozen=True)
class Alone(Game):
    name, seats, variant, decided_by_seed = "broken", 1, {}, True
    def start(self, seed=None): return Throw(self, seed % 5, 0)
    def position(self, state): return Throw(self, state["points"], state["to_move"])
@dataclass(frozen=True)
class Throw(Position):
    game: Alone
    points: int
    to_move: int | None
    def legal_moves(self): return () if self.to_move is None else ("1", "2")
    def play(self, move):
        if move not in self.legal_moves(): raise IllegalMove(f"{move!r} is illegal")
        return Throw(self.game, self.points + int(move), None)
    def scores(self): return (self.points,)
    def state(self): return {"points": self.points, "to_move": self.to_move}
REGISTRATION = Registration(Alone)
"""


def test_a_game_that_one_plays_alone_has_scores(broken: Path) -> None:
    (broken / "broken_game.py").write_text(ALONE)
    assert not rules.unusable("broken")
    records = [
        play_record("broken", name, seed=seed, game=f"{name}{seed}", pair=str(seed))
        for seed in (1, 2)
        for name in ("ann", "bob")
    ]
    keep_games(broken / "cup.sqlite", records)
    mean = sum(record.scores[0] for record in records[::2]) / 2
    said = arena(broken, "report", broken / "cup.sqlite")
    assert "Player  Games  Mean score" in said
    assert "Moves a game" in said
    assert "tile" not in said
    (line,) = re.findall(r"^ann +2 +(\S+) .* 1\.0 ", said, re.MULTILINE)
    assert float(line) == mean
    table = arena(broken, "report", broken / "cup.sqlite", "--csv", "players")
    assert [row["mean_tile_score"] for row in csv.DictReader(table.splitlines())].count(str(mean))
    with RunView(broken / "cup.sqlite") as view:
        drawn = sections(Look.at(view, STAFF), ["reach"])["reach"]
    assert "<h2>Scores</h2>" in drawn
    assert "reached a tile" not in drawn


@pytest.mark.slow
def test_a_bot_of_a_game_of_one_move_passes_its_check(broken: Path) -> None:
    (broken / "broken_game.py").write_text(ALONE)
    (broken / "bot.py").write_text(BOT)
    said = arena(broken, "check", broken / "bot.py", "--rules", "broken")
    assert "1 turns, each answered with its own ply" in said


def test_a_game_that_one_plays_alone_has_no_opponent(broken: Path) -> None:
    (broken / "broken_game.py").write_text(ALONE)
    said = arena(broken, "play", "broken", "--against", "greedy", code=2)
    assert "broken is played alone: leave out --against, --option and --seat." in said


def test_a_person_may_play_moves_that_are_called_as_commands(broken: Path) -> None:
    named = ALONE.replace('("1", "2")', '("quit", "resign", "undo", "help", "moves")')
    (broken / "broken_game.py").write_text(named.replace("int(move)", "len(move)"))
    for move in ("quit", "resign", "undo", "help", "moves"):
        shown = command.arena("play", "broken", typed=f"no\n{move}\n")
        assert f"1. you: {move}\n" in shown.output
        assert "Game over. you " in shown.output


def test_a_game_without_settings_is_named_alone(broken: Path) -> None:
    write_broken(broken, "variant = {}", "lambda: Broken(6)")
    players = "".join(f'[[player]]\nbot = "{bot}"\n' for bot in ("greedy", "monkey"))
    (broken / "cup.toml").write_text(f'[game]\nrules = "broken"\n{players}')
    assert "cup: broken\n" in arena(broken, "run", broken / "cup.toml", "--dry-run")


def test_a_game_without_kernels_is_left_out_when_kernels_are_compiled(broken: Path) -> None:
    write_broken(broken, "seats = 2", "load")
    said = arena(broken, "warm", "broken")
    assert said == "broken has no compiled code: greedy and monkey play it by its rules.\n"


def test_kernels_play_the_default_settings(broken: Path) -> None:
    too_high = "lambda variant: None if variant['rows'] == 5 else 'it plays 5 rows, not 6'"
    write_broken(broken, "seats = 2", f"load, 'connect4.kernels', {too_high}")
    said = arena(broken, "match", "uct", "monkey", "--rules", "broken", "--set", "rows=5", code=2)
    assert "default settings, with which kernels are compiled, must be played: it plays" in said
    assert "ready" in arena(broken, "warm", "broken")


@pytest.mark.slow
def test_kernels_are_compiled_where_a_game_prints(broken: Path) -> None:
    """As the author does who looks for a mistake."""
    write_broken(broken, "print('begun')", "load, 'connect4.kernels'")
    assert arena(broken, "warm", "broken").endswith("The kernels are ready.\n")


def test_a_module_is_found_as_a_folder_is(broken: Path) -> None:
    write_broken(broken, "seats = 2", "load, 'connect4.kernels'")
    assert broken / "broken_game.py" in rules.folders("broken")


def test_rules_alone_leave_compiled_code_as_it_is(broken: Path) -> None:
    from players.compiled.folder import cache_folder

    write_broken(broken, "seats = 2", "load")
    before = cache_folder()
    write_broken(broken, "seats = 1", "load")
    assert cache_folder() == before
    write_broken(broken, "import players.games.registry", "load")
    assert cache_folder() != before


def test_what_compiled_code_does_not_answer_is_told() -> None:
    from players.games.agreement import refuse_unanswered

    with pytest.raises(BrokenPromise, match="int has no answer to moves, play, net, playout, key"):
        refuse_unanswered(4)


@pytest.mark.slow
def test_compiled_code_that_cannot_be_loaded_is_told(broken: Path) -> None:
    write_broken(broken, "seats = 2", "load, 'broken_kernels'")
    (broken / "broken_kernels.py").write_text("GAMES = 1\n")
    said = fresh_arena(broken, "warm", "broken", code=2)
    assert "of the game 'broken': AttributeError: module 'broken_kernels' has no attribute" in said
    assert "Traceback" not in said


@pytest.mark.slow
def test_what_cannot_be_compiled_is_told_in_a_line(broken: Path) -> None:
    write_broken(broken, "seats = 2", "load, 'broken_kernels'")
    kernels = (PACKAGE / "connect4" / "kernels" / "__init__.py").read_text()
    line = "    found = ZERO\n"
    assert line in kernels
    (broken / "broken_kernels").mkdir()
    changed = kernels.replace(line, "    found = discs.none\n")
    (broken / "broken_kernels" / "__init__.py").write_text(changed)
    said = fresh_arena(broken, "warm", "broken", code=2)
    (told,) = (each for each in said.splitlines() if "The compiled code" in each)
    assert "of the game 'broken': numba cannot compile it: Unknown attribute 'none' of" in told
    assert "(broken_kernels/__init__.py, line 3" in told


@pytest.mark.slow
def test_compiled_code_that_lacks_a_board_is_told_with_its_settings(broken: Path) -> None:
    write_broken(broken, "check_boards = {'low': {'rows': 5}}", "load, 'broken_kernels'")
    (broken / "broken_kernels").mkdir()
    (broken / "broken_kernels" / "__init__.py").write_text(
        "from connect4.kernels import CompiledGame, Connect4Board\n"
        "class Board(Connect4Board):\n    def __init__(self, variant):\n"
        "        super().__init__(variant)\n        1 // (variant['rows'] - 5)\n"
        "GAME = CompiledGame(board=Board)\n"
    )
    said = fresh_arena(broken, "warm", "broken", code=2)
    assert "broken (rows 5): ZeroDivisionError: integer division or modulo by zero" in said
    assert "(broken_kernels/__init__.py, line 5)" in said


@pytest.mark.slow
def test_kernels_with_too_many_moves_are_told(broken: Path) -> None:
    (broken / "broken_kernels.py").write_text(
        "from connect4.kernels import CompiledGame, Connect4Board\n"
        "class Board(Connect4Board):\n    names = tuple(map(str, range(128)))\n"
        "GAME = CompiledGame(board=Board)\n"
    )
    write_broken(broken, "seats = 2", "load, 'broken_kernels'")
    said = fresh_arena(broken, "warm", "broken", code=2)
    assert "broken has 128 moves, 127 are the most" in said
    assert "Traceback" not in said


@pytest.fixture
def broken(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where the game "broken" is looked for, in the module `broken_game`."""
    describe(tmp_path, "broken", "broken_game:REGISTRATION")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(tmp_path), _path())))
    _forget()
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("broken_")]:
        del sys.modules[name]
    _forget()
