"""The player behind GTP engines: whole games through the referee, and every fault of an engine."""

import shlex
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from pydantic import ValidationError

import rules
from arena.errors import ConfigError
from arena.model.contender import Prepared
from arena.model.protocol import Clock, Termination
from arena.model.record import GameRecord
from arena.referee import SessionPool, play_game
from arena.tournament.config_file import load_config
from arena.tournament.executors.local import fit
from players.catalogue import BUILTINS
from players.engines.process import find_engine
from players.gtp import FROM_GTP, TO_GTP, Gtp, GtpOptions, Refusal
from rules.position import PASS
from tests.players.conftest import play_with, refusal, start_message, turn_message
from tests.players.scripted_engines import adapter, game, lost_game, monkey, scripted, whole_games

engine = partial(scripted, "gtp_engine.py")
pytestmark = pytest.mark.usefixtures("importable_rules")


def gtp(command: list[str], **options: Any) -> Prepared:
    return adapter("gtp", command=command, **options)


def logged(record: GameRecord, seat: int) -> str:
    return record.seats[seat].stderr_head


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["none", "infers_passes", "has_one_game"])
def test_whole_games_from_both_seats(fault: str, pool: SessionPool, tmp_path: Path) -> None:
    log = tmp_path / "log"
    player = gtp(engine(fault, str(log)))
    passes = whole_games(player, range(6), pool)
    commands = log.read_text().splitlines()
    assert commands.count("set_game Othello") == 1, "one process serves all games"
    assert commands.count("clear_board") == 6, "each game begins with an empty board, and no other"
    told = sum(command.endswith("pass") for command in commands)
    if fault == "infers_passes":
        assert told == 1, "once is enough"
    else:
        assert 0 < told <= passes  # what comes after its last turn it is not told


def test_the_engine_is_asked_only_where_there_is_a_choice(
    start_player: Callable[..., Any], tmp_path: Path
) -> None:
    log = tmp_path / "log"
    player = start_player("players.gtp")
    answers = play_with(
        player, rules.load("othello"), 0, Random(2), options={"command": engine("none", str(log))}
    )
    player.close()
    asked = log.read_text().count("genmove black")
    assert 0 < asked <= len(answers)
    assert log.read_text().endswith("quit\n"), "the engine ends with the player"


@pytest.mark.slow
def test_another_engine_takes_over_when_the_options_change(
    start_player: Callable[..., Any], tmp_path: Path
) -> None:
    start = rules.load("othello").start()
    player = start_player("players.gtp")
    for level in (1, 1, 2):
        command = engine("none", str(tmp_path / f"log{level}"))
        player.ask(start_message(start, options={"command": command, "level": level}))
        assert player.ask(turn_message(start, 0))["move"] in start.legal_moves()
    player.close()
    assert (tmp_path / "log1").read_text().startswith("# --level=1\nname\n")
    assert (tmp_path / "log1").read_text().count("clear_board") == 2
    assert (tmp_path / "log2").read_text().startswith("# --level=2\nname\n")


@pytest.mark.slow
def test_levels_set_up_and_clocks_reach_the_engine(
    start_player: Callable[..., Any], tmp_path: Path
) -> None:
    log = tmp_path / "log"
    start = rules.load("othello").start()
    player = start_player("players.gtp")
    options = {
        "command": f"{shlex.join(engine('none', str(log)))} --two\\ words",
        "level": 7,
        "level_argument": "-level {level}",
        "setup": ["level 3"],
        "tell_clock": True,
    }
    clock = {"move_ms": 2500, "bank_ms": None, "increment_ms": 0}
    player.ask(start_message(start, options=options, clock=clock))
    player.ask(turn_message(start, 0, time_ms=2500))
    clock = {"move_ms": None, "bank_ms": 60_000, "increment_ms": 0}
    player.ask(start_message(start, options=options, clock=clock))
    player.ask(turn_message(start, 0, time_ms=59_001, bank_ms=59_001))
    player.close()
    assert log.read_text().splitlines() == [
        "# --two words -level 7",
        *("name", "version", "set_game Othello", "boardsize 8", "level 3"),
        *("time_settings 0 2 1", "clear_board", "time_left black 2 1", "genmove black"),
        *("time_settings 60 0 0", "clear_board", "time_left black 59 0", "genmove black"),
        "quit",
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "termination", "expected"),
    [
        ("crashes", "exited", "ended by SIGSEGV instead of answering `genmove black`"),
        ("exits", "exited", "ended with exit code 3 instead of answering `genmove black`"),
        ("closes_stdout", "exited", "closed its pipes instead of answering `genmove black`"),
        ("babbles", "exited", "answered `genmove black` with `I play f5!`, which is not a GTP"),
        ("never_ends", "exited", "answers `genmove black` without an end"),
        ("refuses_genmove", "exited", "refused `genmove black`: this engine would rather not"),
        ("refuses_play", "exited", "refused `play black f5`: this engine would rather not"),
        ("refuses_set_game", "exited", "refused `set_game Othello`: this engine would rather"),
        ("refuses_boardsize", "exited", "refused `boardsize 8`: this engine would rather not"),
        ("plays_corner", "illegal_move", "played 'A1': 'a1' is illegal: it turns no disc"),
        ("passes", "illegal_move", "played 'PASS': 'pass' is illegal: a player who can move must"),
        ("resigns", "illegal_move", "The engine resigned."),
        ("hangs", "timeout", "has not answered `genmove black` in time: give it a lower level"),
    ],
)
def test_an_engines_fault_is_reported_and_loses(
    fault: str, termination: str, expected: str, pool: SessionPool
) -> None:
    record = lost_game(gtp(engine(fault)), termination, pool)
    assert expected in logged(record, 0)
    if termination == "illegal_move":
        assert "The game so far: f5d6, black to move; legal: " in logged(record, 0)
    if termination == "exited":
        assert expected[:40] in record.detail


def test_after_an_illegal_move_it_plays_on_where_the_tournament_says_so(pool: SessionPool) -> None:
    record = play_game(
        *game(gtp(engine("plays_corner_once")), monkey(), on_fault="random_move"), pool
    )
    assert record.termination is Termination.NATURAL
    assert record.seats[0].random_moves == 1


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"command": "no-such-engine"}, 'there is no engine "no-such-engine" on the PATH or in'),
        ({"command": "./none"}, "/none does not exist"),
        ({"command": ""}, "options.command: must name a program"),
        ({"command": [3]}, "options.command: must be a command line or a list of words"),
    ],
)
def test_what_cannot_be_an_engine_is_reported(
    options: dict[str, Any], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = rules.load("othello").start()
    assert expected in refusal(Gtp, start, monkeypatch, options=options)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"command": ["sleep", "30"]}, "sleep has not answered `name` in time"),
        ({"command": ["cat"]}, "answered `name` with `name`, which is not a GTP response"),
        ({"tell_clock": True}, "GTP counts whole seconds and cannot tell 300 ms a move"),
    ],
)
def test_what_keeps_an_engine_from_starting(
    options: dict[str, Any], expected: str, pool: SessionPool
) -> None:
    player = adapter("gtp", **{"command": engine(), **options})
    clock = Clock(move_ms=300)
    record = play_game(*game(player, monkey(), clock=clock, startup_ms=2500), pool)
    assert record.offender == 0
    assert expected in logged(record, 0)


def test_a_tournament_file_names_the_key_that_is_wrong(tmp_path: Path) -> None:
    file = tmp_path / "t.toml"

    def refusal(options: str, game: str = 'rules = "othello"') -> str:
        players = f'[[player]]\nbot = "gtp"\noptions = {options}\n[[player]]\nbot = "monkey"\n'
        file.write_text(f"[game]\n{game}\n{players}")
        with pytest.raises(ConfigError) as caught:
            load_config(file, BUILTINS, fit=partial(fit, cores=2))
        return str(caught.value)

    (tmp_path / "engine").write_text("")
    missing = refusal('{ command = "no-such-engine" }')
    assert 't.toml:5: player[1].options.command: there is no engine "no-such-engine"' in missing
    assert f"the engine {tmp_path}/engine is not an executable file" in refusal(
        '{ command = ["./engine"] }'
    )
    assert "options.command: No closing quotation" in refusal('{ command = "a \'b" }')
    ours = f"command = [{sys.executable!r}]"
    assert "options.level: must be a valid integer" in refusal(f'{{ {ours}, level = "hard" }}')
    assert 'as "--level={level}" does' in refusal(f'{{ {ours}, level_argument = "-l" }}')
    assert "one GTP command on one line" in refusal(f'{{ {ours}, setup = ["a\\nb"] }}')
    assert 'unknown key; did you mean "level"?' in refusal(f"{{ {ours}, levels = 3 }}")
    assert "gtp cannot play this: it plays standard Othello, corners True and not False" in refusal(
        f"{{ {ours} }}", 'rules = "othello"\ncorners = false'
    )
    assert "options.folder: there is no folder" in refusal(f'{{ {ours}, folder = "none" }}')


def test_the_default_engine_is_looked_for_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("players.engines.process.DEBIAN_GAMES", str(tmp_path))
    (tmp_path / "t.toml").write_text(
        '[game]\nrules = "othello"\n[[player]]\nbot = "gtp"\n[[player]]\nbot = "monkey"\n'
    )
    with pytest.raises(ConfigError, match="apt-get install grhino"):
        load_config(tmp_path / "t.toml", BUILTINS, fit=partial(fit, cores=2))
    (tmp_path / "gtp-rhino").touch(0o755)
    assert load_config(tmp_path / "t.toml", BUILTINS, fit=partial(fit, cores=2)).players
    assert find_engine("gtp-rhino", tmp_path) == str(tmp_path / "gtp-rhino")


@pytest.mark.slow
def test_games_with_the_real_gtp_rhino(pool: SessionPool) -> None:
    try:
        find_engine("gtp-rhino", Path.cwd())
    except ValueError as error:
        pytest.skip(str(error))
    passes = 0
    for level in (None, 1, 2, 1, 2, 1):
        rhino = adapter("gtp", **({} if level is None else {"level": level}))
        for seed, seats in enumerate([(rhino, monkey()), (monkey(), rhino)]):
            record = play_game(*game(*seats, seed=10 * (level or 3) + seed), pool)
            assert record.termination is Termination.NATURAL, record.detail
            passes += sum(move.move == PASS for move in record.moves)
    assert passes, "these seeds test no pass"
    record = play_game(*game(adapter("gtp", level=9), monkey()), pool)
    assert (record.termination, record.offender) == (Termination.EXITED, 0)
    assert "invalid argument for option" in logged(record, 0)


def test_columns_of_gtp_skip_the_letter_i_which_is_one_of_no_board() -> None:
    for ours, theirs in (("a1", "a1"), ("h8", "h8"), ("i9", "j9"), ("p16", "q16")):
        assert (ours.translate(TO_GTP), theirs.translate(FROM_GTP)) == (theirs, ours)
    assert "i9".translate(FROM_GTP) == "I9"


def test_the_argument_of_a_level_may_be_several_words() -> None:
    options = GtpOptions(command="engine -x", level=3, level_argument="-l {level}")
    assert options.words == ["engine", "-x", "-l", "3"]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"level_argument": "--level"}, "must hold the place of the level"),
        ({"level_argument": "--level='{level}"}, "No closing quotation"),
        ({"setup": ["komi 6", " "]}, "each entry must be one GTP command on one line"),
        ({"setup": ["komi 6\nquit"]}, "each entry must be one GTP command on one line"),
    ],
)
def test_a_level_has_its_place_and_a_setup_one_command_a_line(
    options: dict[str, Any], why: str
) -> None:
    with pytest.raises(ValidationError, match=why):
        GtpOptions.model_validate({"command": "engine", **options})


def test_a_new_engine_is_asked_from_the_beginning_and_told_a_size_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sent = list[str]()

    def ask(engine: object, command: str, deadline: float) -> str:
        sent.append(command)
        if command.endswith(" pass"):
            raise Refusal("It refused.")
        return ""

    def said() -> list[str]:
        found = sent[:]
        sent.clear()
        return found

    monkeypatch.setattr("players.gtp._ask", ask)
    for kept in ("_takes_passes", "_size"):  # of the class: for the tests after this one
        monkeypatch.setattr(Gtp, kept, getattr(Gtp, kept))
    player: Any = object.__new__(Gtp)
    player.engine, player._options = None, GtpOptions(command="engine", setup=["komi 6"])
    player.start = SimpleNamespace(variant={"size": 8})
    for _ in range(2):  # as another engine takes over
        player.introduce(0.0)
        assert said() == ["name", "version", "set_game Othello", "boardsize 8", "komi 6"]
        for _ in range(2):
            player.send_move(0, PASS, 0.0)
        assert said() == ["play black pass"], "it sees passes for itself"
        player.begin(0.0)
        assert said() == ["clear_board"]
    player.start.variant["size"] = 10
    player.begin(0.0)
    assert said() == ["boardsize 10", "clear_board"]
    with pytest.raises(Refusal):
        monkeypatch.setattr("players.gtp._ask", Mock(side_effect=Refusal("It refused.")))
        player.send_move(1, "d3", 0.0)
