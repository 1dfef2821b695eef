"""uct, weighted-uct and alphabeta as real processes: dialogues, clocks, options."""

import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

import rules
from players.alphabeta import AlphaBeta
from players.builtin import per_second, think_until
from players.catalogue import BUILTINS
from players.options import SearchOptions
from players.sdk import Clock, Start, Turn
from tests.players.conftest import (
    play_with,
    random_position,
    refusal,
    start_message,
    turn_message,
)

NAMES = ["uct", "weighted-uct", "alphabeta"]
GAMES = [
    rules.load("othello"),
    rules.load("othello", preset="cornerless"),
    rules.load("dots"),
    rules.load("dots", rows=7, cols=7, stop_at_majority=True),
]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_plays_whole_games_from_both_seats_on_one_process(
    name: str, start_player: Callable[..., Any]
) -> None:
    player = start_player(BUILTINS[name].module)
    rng = Random(4)
    for game in GAMES:
        for seat in (0, 1):
            answers = play_with(player, game, seat, rng)
            assert answers
            for answer in answers:
                if "info" in answer:
                    assert answer["info"]["pv"][0] == answer["move"]
                    assert answer["info"]["nodes"] >= 0  # 0: solved on the turn before
                    assert answer["info"]["depth"] > 0
    assert player.close() == (0, b"")
    assert player.stderr() == ""


@pytest.mark.parametrize("name", NAMES)
def test_thinks_nearly_all_its_time_and_not_more(
    name: str, running_player: Callable[..., Any]
) -> None:
    """The upper bound is generous, as the machine may be busy."""
    position = rules.load("dots").start()
    player = running_player(BUILTINS[name].module)
    player.ask(start_message(position))
    began = time.monotonic()
    answer = player.ask(turn_message(position, 0, time_ms=400))
    assert 0.35 < time.monotonic() - began < 2
    assert answer["move"] in position.legal_moves()


@pytest.mark.parametrize("name", NAMES)
def test_an_only_move_is_played_at_once(name: str, running_player: Callable[..., Any]) -> None:
    position = rules.load("dots", rows=1, cols=1).start()
    for move in ("a1b1", "a1a2", "b1b2"):
        position = position.play(move)
    player = running_player(BUILTINS[name].module)
    player.ask(start_message(position, 1))
    began = time.monotonic()
    assert player.ask(turn_message(position, 3, time_ms=60_000)) == {
        "type": "move",
        "ply": 3,
        "move": "a2b2",
    }
    assert time.monotonic() - began < 10


def test_iterations_make_uct_reproducible(running_player: Callable[..., Any]) -> None:
    position = rules.load("othello", preset="cornerless").start()
    player = running_player("players.uct")
    answers = []
    for seed in (5, 5, 6):
        options = {"iterations": 3000, "c": 0.5, "final": "value", "memory_mb": 16}
        player.ask(start_message(position, seed=seed, options=options))
        answer = player.ask(turn_message(position, 0, time_ms=60_000))
        assert answer["info"].pop("text").startswith("3,000 iterations, ")
        answers.append(answer)
    assert answers[0] == answers[1]
    assert answers[0]["info"]["nodes"] == 8 * 3000
    assert answers[0] != answers[2]


def test_reuse_is_an_option_and_shows_in_the_visits(running_player: Callable[..., Any]) -> None:
    game = rules.load("dots", rows=2, cols=2)
    visits = {}
    for reuse in (True, False):
        player = running_player("players.uct")
        options = {"iterations": 20_000, "reuse": reuse, "solver": False, "playouts": 1}
        player.ask(start_message(game.start(), options=options))
        first = player.ask(turn_message(game.start(), 0, time_ms=60_000))["move"]
        between = game.start().play(first)
        reply = between.legal_moves()[0]
        after = between.play(reply)
        moves = [[0, first], [1, reply]]
        answer = player.ask(turn_message(after, 2, moves, time_ms=60_000))
        visits[reuse] = answer["info"]["nodes"]
    assert visits[False] == 20_000 < visits[True]


def test_threads_of_alphabeta_search_and_solve(running_player: Callable[..., Any]) -> None:
    player = running_player("players.alphabeta")
    middle, late = (random_position(rules.load("othello"), plies, Random(3)) for plies in (10, 44))
    player.ask(start_message(middle, options={"threads": 2, "depth": 12}))
    answer = player.ask(turn_message(middle, 0, time_ms=60_000))
    assert answer["move"] in middle.legal_moves()
    assert answer["info"]["nodes"] > 1000
    scores = []
    for threads in (1, 2):
        player.ask(start_message(late, options={"threads": threads}))
        info = player.ask(turn_message(late, 0, time_ms=60_000))["info"]
        assert info["text"].startswith("exact value")
        scores.append(info["score"])
    assert scores[0] == scores[1]


def test_alphabeta_stops_at_its_depth_and_sees_a_small_game_to_the_end(
    running_player: Callable[..., Any],
) -> None:
    position = rules.load("dots").start()
    player = running_player("players.alphabeta")
    player.ask(start_message(position, options={"depth": 2}))
    info = player.ask(turn_message(position, 0, time_ms=60_000))["info"]
    assert info["depth"] == 2
    small = rules.load("dots", rows=2, cols=2).start()
    player.ask(start_message(small))
    info = player.ask(turn_message(small, 0, time_ms=60_000))["info"]
    assert info["score"] == 2
    assert info["text"].startswith("exact value")


@pytest.mark.parametrize(
    ("name", "fields", "words"),
    [
        (
            "uct",
            {"options": {"c": -1}},
            "options.c: must be a valid number, 0 to 1000000000",
        ),
        ("alphabeta", {"options": {"depth": True}}, "options.depth: must be a valid integer"),
        ("alphabeta", {"options": {"depth": 5.5}}, "options.depth: must be a valid integer"),
        (
            "alphabeta",
            {"options": {"nodes": 10**19}},
            "options.nodes: must be a number within 64 bits",
        ),
        (
            "alphabeta",
            {"options": {"aspiration": 1e308}},
            "options.aspiration: must be less than or equal to 1000000000",
        ),
        (
            "alphabeta",
            {"options": {"deep": 3}},
            "Known options: margin_ms, think_ms, method",
        ),
        ("weighted-uct", {"options": {"weights": "none.json"}}, "'none.json' cannot be read"),
        ("alphabeta", {"rules": "2048", "variant": {}}, "it plays othello and dots, not 2048"),
    ],
)
def test_what_it_cannot_play_ends_it_with_a_sentence(
    name: str, fields: dict[str, Any], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    position = rules.load("othello").start()
    assert words in refusal(BUILTINS[name], position, monkeypatch, **fields)


def test_weights_are_read_next_to_the_tournament_file(
    tmp_path: Path, start_player: Callable[..., Any]
) -> None:
    game = rules.load("dots", rows=2, cols=2)
    (tmp_path / "mine.json").write_text('{"first": {"b2b3": 3.0}, "second": {}}')
    player = start_player("players.weighted_uct")
    options = {"weights": "mine.json", "iterations": 3000, "solver": False}
    player.ask(start_message(game.start(), options=options))
    assert player.ask(turn_message(game.start(), 0, time_ms=60_000))["move"] == "b2b3"


@pytest.mark.parametrize(
    ("time_ms", "bank_ms", "increment_ms", "think_ms", "thinks_ms"),
    [
        (5000, None, 0, None, 4990),
        (20, None, 0, None, 10),
        (12, None, 0, None, 6),
        (900_000, 900_000, 0, None, 900_000 / 32 - 10),
        (5000, 900_000, 0, None, 4990),
        (64_000, 64_000, 1000, None, 2990),
        (3, 3, 1000, None, 1.5),
        (5000, None, 0, 300, 300),
        (20, None, 0, 300, 10),
    ],
)
def test_a_bank_is_spread_over_the_moves_to_come(
    time_ms: int,
    bank_ms: int | None,
    increment_ms: int,
    think_ms: int | None,
    thinks_ms: float,
) -> None:
    """A 5×5 dots board at the start: 60 edges, 30 a player, and two more to be safe."""
    turn = dots_turn(time_ms, bank_ms, increment_ms)
    assert think_until(turn, SearchOptions(think_ms=think_ms)) == pytest.approx(
        turn.deadline - time_ms / 1000 + thinks_ms / 1000
    )


@pytest.mark.parametrize(
    ("shares", "solved", "thinks_ms"),
    [
        (1, 20, 900_000 / 22),
        (3, 20, 900_000 * 3 / 22),
        (3, 56, 900_000 / 2),
        (1, 70, 900_000 / 2),
    ],
)
def test_a_hard_move_takes_several_shares_and_solved_ones_none(
    shares: float, solved: int, thinks_ms: float
) -> None:
    turn = dots_turn(900_000, 900_000, 0)
    until = think_until(turn, SearchOptions(), shares=shares, solved=solved)
    assert until == pytest.approx(turn.deadline - 900 + thinks_ms / 1000 - 0.010)


def test_a_speed_has_its_thousands_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    turn = dots_turn(1000, None, 0)
    monkeypatch.setattr(time, "monotonic", lambda: turn.deadline - 0.5)
    assert per_second(617_283, turn) == "1,234,566"


def dots_turn(time_ms: int, bank_ms: int | None, increment_ms: int) -> Turn:
    """At the start of a 5×5 board."""
    position = rules.load("dots").start()
    fields = start_message(position)
    del fields["type"], fields["protocol"]
    start = Start(**{**fields, "clock": Clock(None, bank_ms, increment_ms)})
    received = 100.0
    return Turn(
        start=start,
        game="g1",
        ply=0,
        time_ms=time_ms,
        bank_ms=bank_ms,
        state=position.state(),
        moves=[],
        legal=list(position.legal_moves()),
        used_ms=0,
        deadline=received + time_ms / 1000,
    )


@pytest.mark.parametrize(
    ("clock", "options", "stops"),
    [
        (Clock(1000, None, 0), {}, False),
        (Clock(1000, None, 0), {"early_stop": True}, True),
        (Clock(None, 60_000, 0), {}, True),
        (Clock(None, 60_000, 0), {"early_stop": False}, False),
        (Clock(None, 60_000, 0), {"depth": 9}, False),
        (Clock(None, 60_000, 0), {"nodes": 9}, False),
        (Clock(None, 60_000, 0), {"nodes": 9, "early_stop": True}, True),
        (Clock(1000, 3_000, 0), {}, True),
        (Clock(100, 60_000, 0), {}, False),
        (Clock(1000, 3_000, 1000), {}, False),
    ],
)
def test_alphabeta_stops_early_at_othello_where_a_bank_is_short(
    clock: Clock, options: dict[str, Any], stops: bool
) -> None:
    """32 equal shares of a bank at the start of Othello; at dots it is off."""
    for game, expected in (("othello", stops), ("dots", options.get("early_stop", False))):
        fields = start_message(rules.load(game).start())
        del fields["type"], fields["protocol"]
        player = AlphaBeta(Start(**{**fields, "clock": clock, "options": options}))
        assert player._stops_early is expected


def test_the_clock_ends_the_solving_of_leaves(running_player: Callable[..., Any]) -> None:
    position = rules.load("othello", size=6).start()
    player = running_player("players.alphabeta")
    player.ask(start_message(position, options={"endgame": 0, "endgame_leaves": 40}))
    began = time.monotonic()
    player.ask(turn_message(position, 0, time_ms=300))
    assert time.monotonic() - began < 2
