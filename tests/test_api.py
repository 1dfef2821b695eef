"""The Python API: what it returns, and the errors of its callers."""

import json
import math
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from textwrap import dedent
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

import arena
import rules
from arena import api
from arena.errors import (
    ArenaError,
    ConfigError,
    ManifestError,
    PackageError,
    Problem,
    RateError,
    StoreError,
    UserError,
)
from arena.model.contender import Module
from arena.model.protocol import Clock, Termination
from players.catalogue import BUILTINS
from tests.command import arena as command

TWO = ["monkey", "monkey"]
NUMBER: Any = 3
"""No player, no settings, no clock, and whatever else is asked for."""
NOTHING: Any = ""
LIST: Any = [NUMBER]
"""The same, and no key of a dict."""
OTHELLO = rules.load("othello").start()
CUP = {
    "tournament": {"rounds": 2, "concurrency": 1, "sandbox": "none"},
    "game": {"rules": "dots", "rows": 2, "cols": 2},
    "openings": {"plies": 2},
    "player": [{"bot": "greedy"}, {"bot": "monkey"}],
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> arena.Run:
    return arena.run(CUP, store=tmp_path_factory.mktemp("run") / "cup.sqlite")


def test_import_is_light() -> None:
    code = "import arena, sys; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert {"numpy", "pydantic", "rich", "players"}.isdisjoint(loaded.stdout.split())


def test_a_seed_of_the_caller_stays() -> None:
    code = (
        "import arena, random; was = random.getstate(); arena.play; print(random.getstate() == was)"
        "; random.setstate = None; arena.play"  # only at the first use: other threads may draw
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


def test_it_names_what_it_offers() -> None:
    assert {"load_run", "play", "rate", "run"} <= set(dir(arena))
    with pytest.raises(AttributeError, match="no attribute 'rat'"):
        getattr(arena, "rat")  # noqa: B009 # mypy refuses the plain form, as it should


def test_no_room_has_the_name_of_a_function() -> None:
    rooms = {room.name for room in Path(arena.__file__).parent.iterdir()}
    assert rooms.isdisjoint(arena.__all__), "importing the room would hide the function"


def test_a_run_is_loaded_again(run: arena.Run) -> None:
    for again in (arena.load_run(str(run.path)), arena.Run(str(run.path))):
        assert (again.path, again.config) == (run.path, run.config)
        assert again.games() == run.games()


def test_a_run_is_found_from_another_folder(
    run: arena.Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(run.path.parent)
    named = arena.load_run(run.path.name)
    monkeypatch.chdir(tmp_path)
    assert named.games() == run.games()


def test_what_is_shown_can_be_pickled(run: arena.Run) -> None:
    shown: list[Any] = [
        run.standings(), run.crosstable(), run.game(1, 2), run.board(1), arena.board(OTHELLO)
    ]  # fmt: skip
    for each in shown:
        again = pickle.loads(pickle.dumps(each))
        assert again._repr_html_() == each._repr_html_() and repr(again) == repr(each)


def test_games_have_a_row_each(run: arena.Run) -> None:
    games = run.games()
    assert sorted(games["game"]) == ["g0001", "g0002", "g0003", "g0004"]
    assert {len(column) for column in games.values()} == {4}
    assert set(games["termination"]) == {"natural"}
    for first, second in zip(games["score0"], games["score1"], strict=True):
        assert first + second == 4
    assert set(zip(games["player0"], games["player1"], strict=True)) == {
        ("greedy", "monkey"),
        ("monkey", "greedy"),
    }


def test_moves_have_a_row_a_ply(run: arena.Run) -> None:
    moves = run.moves()
    assert {len(column) for column in moves.values()} == {4 * 12}, "a 2×2 board has 12 edges"
    one = run.moves("g0002")
    assert one["ply"] == list(range(12))
    played = run.record("g0002").moves
    assert one["move"] == [move.move for move in played]
    assert one["used_ms"] == [move.used_ms for move in played]
    assert one["used_ms"][:2] == [None, None], "the opening"
    assert None not in one["used_ms"][2:]
    assert sum(one["used_ms"][2:]) > 0, "of one move it may be 0, where the machine was late"


def test_no_integer_of_a_bot_is_too_long_for_a_frame(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(
        "from players.sdk import play\n"
        "play(lambda turn: (turn.legal[0], {'nodes': 2**63 - turn.ply % 2, 'depth': -(10**99)}))\n"
    )
    cup = {**CUP, "player": [{"bot": "monkey"}, {"command": [sys.executable, str(bot)]}]}
    moves = arena.run(cup, store=tmp_path / "cup.sqlite").moves()
    assert set(moves["nodes"]) == {None, 2**63 - 1} and set(moves["depth"]) == {None}


def test_standings_are_those_of_the_report(run: arena.Run) -> None:
    standings = run.standings()
    assert sorted(standings["name"]) == ["greedy", "monkey"]
    assert standings["rank"] == [1, 2]
    assert standings["games"] == [4, 4]


def test_a_ranking_is_that_of_the_format(run: arena.Run, tmp_path: Path) -> None:
    assert run.ranking()["player"] == run.standings()["name"], "by Elo, as no other is defined"
    cup = {**CUP, "tournament": {**CUP["tournament"], "format": "knockout"}}
    found = arena.run(cup, store=tmp_path / "knockout.sqlite").ranking()
    assert found["rank"] == [1, 2] and sorted(found["player"]) == ["greedy", "monkey"]
    assert list(found)[:2] == ["rank", "player"]


def test_a_report_is_that_of_the_command(run: arena.Run) -> None:
    report = run.report()
    assert json.loads(command("report", str(run.path), "--json").output) == report
    (neighbours,) = report["neighbours"]
    assert (neighbours["upper"], neighbours["lower"]) == tuple(run.standings()["name"])
    variances = np.diag(np.array(report["covariance"]))
    assert run.standings()["elo_error"] == pytest.approx(1.959964 * np.sqrt(variances))
    assert report["first_mover"].keys() == {"elo", "error"} and report["sprt"] is None


def test_a_report_has_the_state_of_a_sequential_test(tmp_path: Path) -> None:
    test = {**CUP, "sprt": {"elo1": 50}}
    found = arena.run(test, store=tmp_path / "test.sqlite").report()
    assert sum(found["sprt"]["counts"].values()) == 2 and not found["neighbours"]


def test_results_have_the_report_of_the_command(tmp_path: Path) -> None:
    rows = [("a", "b", 1, "p1"), ("b", "a", 0.5, "p1"), ("b", "a", 1, "p2")]
    (tmp_path / "results.csv").write_text("".join(f"{a},{b},{s},{p}\n" for a, b, s, p in rows))
    told = json.loads(command("rate", str(tmp_path / "results.csv"), "--json").output)
    assert arena.rate_report(rows) == told | {"name": ""}


def test_a_run_goes_on(run: arena.Run) -> None:
    more = arena.run({**CUP, "tournament": {**CUP["tournament"], "rounds": 3}}, store=run.path)
    assert len(more.games()["game"]) == 6


def test_a_run_that_is_over_needs_no_kernels(
    run: arena.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its machine may not keep those that the run was played with."""
    monkeypatch.setattr("arena.api.warm_players", Mock(side_effect=AssertionError))
    config = arena.Run(run.path).config
    assert len(arena.run(config, store=run.path).games()["game"]) == len(run.games()["game"])


def test_players_of_a_run_of_another_version_read_the_kernels_of_this_one(
    run: arena.Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """In a sandbox that shows them others, they compiled their own before each first move."""
    warm = Mock(side_effect=UserError("asked for"))
    monkeypatch.setattr("arena.api.warm_players", warm)
    one, other = run.config.players
    was = one.contender.model_copy(update={"program": Module(module="players.uct")})
    earlier = one.model_copy(update={"bot": "uct", "builtin": "uct", "contender": was})
    config = run.config.model_copy(update={"players": (earlier, other)})
    with pytest.raises(UserError, match="asked for"):
        arena.run(config, store=tmp_path / "earlier.sqlite")
    now, same = (each.contender.program for each in warm.call_args.args[0].players)
    assert (now, same) == (
        Module(module="players.uct", caches=BUILTINS["uct"].readable()),
        other.contender.program,
    )


def test_play_returns_the_record() -> None:
    record = arena.play(
        "othello", ["greedy", "monkey"], settings={"size": 4}, clock={"move_ms": 900}, seed=5,
        sandbox="none",
    )  # fmt: skip
    assert record.termination is Termination.NATURAL
    assert [seat.player for seat in record.seats] == ["greedy", "monkey"]
    assert record.terms.clock.move_ms == 900


def test_the_seed_of_a_record_plays_its_game_again(run: arena.Run) -> None:
    first = run.record("g0001")
    again = arena.play(
        "dots", CUP["player"], settings={"rows": 2, "cols": 2}, opening=first.opening,
        seed=first.seed, sandbox="none",
    )  # fmt: skip
    assert [made.move for made in again.moves] == [made.move for made in first.moves]


def test_a_player_may_have_a_clock_of_its_own() -> None:
    players: list[Any] = ["greedy", {"bot": "monkey", "clock": {"bank_ms": 9000}}]
    record = arena.play("dots", players, settings={"rows": 1, "cols": 1}, sandbox="none")
    assert [seat.clock for seat in record.seats] == [None, Clock(move_ms=None, bank_ms=9000)]


def test_a_player_meets_itself() -> None:
    record = arena.play("dots", ["monkey", "monkey"], settings={"rows": 1, "cols": 1})
    assert [seat.player for seat in record.seats] == ["seat 0", "seat 1"]


@pytest.mark.slow
def test_several_threads_may_play() -> None:
    play = partial(arena.play, "dots", TWO, settings={"rows": 2, "cols": 2})
    with ThreadPoolExecutor() as threads:
        games = [threads.submit(play, seed=seed) for seed in range(4)]
        assert [game.result().seed for game in games] == [0, 1, 2, 3]


def test_orphans_go_to_init_again_once_a_game_is_over() -> None:
    code = """
        import subprocess, arena
        arena.play("dots", ["monkey", "monkey"], settings={"rows": 1, "cols": 1}, sandbox="none")
        orphan = "sleep 3 > /dev/null 2> /dev/null & echo $!"
        pid = subprocess.run(orphan, shell=True, capture_output=True, check=True).stdout
        from arena.sandbox.processes import children
        print(int(pid) in children())
    """
    done = subprocess.run(
        [sys.executable, "-c", dedent(code)], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False"]


def test_a_process_forked_while_a_thread_plays_may_play_too() -> None:
    with api._PLAYING_HERE:
        if (child := os.fork()) == 0:
            os._exit(not api._PLAYING_HERE.acquire(blocking=False))
    assert os.waitpid(child, 0)[1] == 0


def test_a_program_plays_alone(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("from players.sdk import play\nplay(lambda turn: turn.legal[0])\n")
    record = arena.play("2048", [[sys.executable, str(bot)]], seed=3, sandbox="none")
    assert record.termination is Termination.NATURAL
    assert record.scores[0] > 0


def test_numbers_of_numpy_are_numbers() -> None:
    seed, two = np.arange(3, 4)[0], np.int64(2)
    settings: dict[str, Any] = {"rows": two, "cols": two, "stop_at_majority": np.bool_(True)}
    record = arena.play("dots", TWO, settings=settings, clock={"move_ms": two * 500}, seed=seed)
    assert (record.seed, record.terms.clock.move_ms) == (3, 1000)
    assert record.terms.variant == {"rows": 2, "cols": 2, "stop_at_majority": True}


def test_rate_takes_rows() -> None:
    rated = arena.rate([("a", "b", 1), ("b", "a", 0, "p1")], anchor="b", anchor_elo=100)
    assert rated["name"] == ["a", "b"]
    assert rated["elo"][1] == pytest.approx(100)
    assert rated["elo"][0] > 100


def test_rate_takes_lists_with_the_winner_in_front() -> None:
    rows = [("a", "b", 1)] * 3 + [("b", "a", 1)]
    other_way_round = [("a", "b", 1)] * 3 + [("a", "b", 0)]
    figures = [arena.rate(each, first_mover=False)["elo"] for each in (rows, other_way_round)]
    assert figures[0] == pytest.approx(figures[1])
    assert arena.rate(rows)["elo"] != pytest.approx(figures[0])


class Unknown:
    """As pandas.NA: compared with anything, it is neither true nor false."""

    def __ne__(self, other: object) -> Any:
        return self

    def __bool__(self) -> bool:
        raise TypeError("boolean value of NA is ambiguous")


def test_a_missing_label_is_no_pair() -> None:
    rows = [("a", "b", 1), ("b", "a", 1), ("a", "b", 0.5)]
    alone = arena.rate(rows)
    for missing in ("", None, math.nan, np.float64("nan"), Unknown()):
        assert arena.rate([(*row, missing) for row in rows]) == alone
    assert arena.rate([(*row, "p1") for row in rows]) != alone


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: arena.load_run("none.sqlite"), StoreError, "no such run"),
        (lambda: arena.load_run(NUMBER), UserError, "a run is a file's path, not 3"),
        (lambda: arena.load_run("x" * 300), UserError, "File name too long"),
        (lambda: arena.run("none.toml"), ConfigError, "none.toml"),
        (lambda: arena.run("a\0b"), UserError, "a tournament is a file's path, not 'a\\x00"),
        (lambda: arena.run(CUP, store="a\0b"), UserError, "store is a file's path, not 'a\\x00b'"),
        (lambda: arena.run(CUP, store="x" * 300), UserError, "File name too long"),
        (lambda: arena.run({**CUP, NUMBER: {}}), ConfigError, "tournament: 3: unknown key"),
        (
            lambda: arena.run({**CUP, "player": (each for each in [NUMBER, {"bot": "monkey"}])}),
            ConfigError,
            "player[1]: must be a table",
        ),
        (lambda: arena.env(LIST), UserError, "[3] has no environment"),
        (lambda: arena.run(NUMBER), UserError, "a tournament is a file's path, not 3"),
        (
            lambda: arena.run({"game": {"rules": "dots"}, "player": ["monkey"]}),
            ConfigError,
            'player[1]: must be a table: write [[player]], got "monkey"',
        ),
        (lambda: arena.run({"game": {"rule": "dots"}}), ConfigError, "rules"),
        (lambda: arena.play("othelo", ["monkey"] * 2), ConfigError, "did you mean 'othello'"),
        (lambda: arena.play("dots", ["monky", "monkey"]), ConfigError, 'did you mean "monkey"'),
        (lambda: arena.play("2048", ["monkey", "greedy"]), UserError, "takes 1, and 2 were given"),
        (
            lambda: arena.play("dots", ["monkey", NUMBER]),
            UserError,
            "a list of words or a dict, not 3",
        ),
        (lambda: arena.play("dots", ["monkey", b"monkey"]), UserError, "not b'monkey'"),
        (lambda: arena.play("dots", [Path("no.py"), "monkey"]), ConfigError, "no such file"),
        (lambda: arena.play("dots", ["x" * 300, "monkey"]), ConfigError, "x: File name too long"),
        (lambda: arena.run(CUP, insecure=NUMBER), UserError, "insecure must be True or False, got"),
        (lambda: arena.run(CUP, take_new=NUMBER), UserError, "take_new must be True or False, got"),
        (lambda: arena.run(CUP, on=NUMBER), UserError, "on: must be an address, local:N or a"),
        (lambda: arena.run(CUP, on=""), UserError, "'' is not a cluster; give tls://HOST:PORT"),
        (lambda: arena.run(CUP, without="monkey"), UserError, "without: must be a list of names"),
        (lambda: arena.run(CUP, without=[NUMBER]), UserError, "without: must be a list of names"),
        (lambda: arena.run(CUP, without=["monky"]), UserError, "without: no player is named"),
        (lambda: arena.play("dots", TWO, settings=NOTHING), UserError, "settings: must be a dict"),
        (lambda: arena.play("dots", TWO, clock=NOTHING), ConfigError, "clock: must be a table"),
        (lambda: arena.play("dots", TWO, settings=NUMBER), UserError, "settings: must be a dict"),
        (
            lambda: arena.play("dots", TWO, settings={"rules": "othello"}),
            UserError,
            "settings: must not have rules",
        ),
        (lambda: arena.play("dots", TWO, clock=NUMBER), ConfigError, "clock: must be a table"),
        (lambda: arena.play("dots", TWO, opening="a1b1"), UserError, "opening: must be a list"),
        (lambda: arena.play("dots", TWO, opening=["a1b1", "zz"]), UserError, "move 2: 'zz' is not"),
        (lambda: arena.play("dots", "monkey"), UserError, "players: must be a list of players"),
        (lambda: arena.board(NUMBER), UserError, "needs a position, such as rules.load"),
        (lambda: arena.board(OTHELLO, "d3"), UserError, "moves: must be a list of moves"),
        (lambda: arena.board(OTHELLO, [NUMBER]), UserError, "moves: must be a list of moves"),
        (lambda: arena.board(OTHELLO, ["d3", "zz"]), UserError, "move 2: 'zz' is not a square"),
        (lambda: arena.rate(NUMBER), RateError, "first, second, score[, pair], got 3"),
        (lambda: arena.rate([("a", "b", 1)], anchor_elo=math.nan), RateError, "10000, got nan"),
        (lambda: arena.rate([("a", "b", 1)], anchor_elo=10**400), RateError, "a number from -10"),
        (lambda: arena.rate([("a", "b", 1)], anchor=LIST), RateError, "name, got [3]"),
        (lambda: arena.rate([("a", "b", 1)], first_mover=NUMBER), RateError, "True or False, got"),
        (lambda: arena.rate([("a", "b", 1)], matched=NUMBER), RateError, "matched must be True or"),
        (lambda: arena.rate_report([("a", "b", 3)]), RateError, "score 3"),
        (lambda: arena.rate([]), RateError, "no results"),
        (lambda: arena.rate({"first": ["a"], "second": ["b"]}), RateError, "rows of first, second"),
        (lambda: arena.rate([("a", "b")]), RateError, "result 1"),
        (lambda: arena.rate([("a", "b", 0, 5, 1)]), RateError, "result 1"),
        *(
            (partial(arena.rate, [("a", "b", 1), ("a", name, 1)]), RateError, "result 2: ")
            for name in (None, math.nan, 7, "", " ", "b\x1b[2J")
        ),
        (lambda: arena.rate([("a", "b", 10**400)]), RateError, "result 1"),
        (lambda: arena.rate([("a", "b", 1), ("a", "a", 1)]), RateError, "result 2"),
        (lambda: arena.rate([("a", "b", 3)]), RateError, "score 3"),
        (lambda: arena.rate([("a", "b", 1)], anchor="c"), RateError, 'no player "c"'),
    ],
)
def test_errors_say_what_is_wrong(
    call: Callable[[], object], error: type[ArenaError], says: str
) -> None:
    with pytest.raises(error) as raised:
        call()
    assert says in str(raised.value)


@pytest.mark.parametrize(
    "error",
    [
        ConfigError(Path("cup.toml"), (Problem("game", 1, "is missing"),)),
        ManifestError(Path("bot.toml"), (Problem("command", None, "is missing"),)),
        PackageError(Path("bot"), ["is missing"]),
        RateError("result 1"),
    ],
)
def test_errors_come_from_pools_of_processes(error: ArenaError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


def test_a_ply_is_a_whole_number_of_any_type(run: arena.Run) -> None:
    assert repr(run.board(1, np.int64(2))) == repr(run.board(1, 2))
    for wrong in (1.5, "2", 1000):
        with pytest.raises(UserError, match="has 12 moves"):
            run.board(1, wrong)  # as a user may


def test_a_number_names_a_game(run: arena.Run) -> None:
    assert run.record(1) == run.record("g0001")
    assert run.moves(1) == run.moves("g0001")


def test_there_is_no_such_game(run: arena.Run) -> None:
    with pytest.raises(UserError, match='no game "g9999"'):
        run.moves("g9999")
