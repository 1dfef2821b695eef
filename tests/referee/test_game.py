"""Whole games between processes: every rule set, what players are told, faults, records."""

import errno
import json
import os
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import rules
from arena.model.contender import Prepared
from arena.model.protocol import REQUESTS, Clock, Termination, schema
from arena.model.record import GameRecord
from arena.referee import SessionPool, play_game
from arena.sandbox.container import Container
from arena.sandbox.spawn import not_started
from tests.conftest import BOTS, PYTHON, Bots, Match, Spec, match

T = Termination
MONKEY = Prepared(name="monkey", command=(sys.executable, "-m", "players.monkey"))
MODELS = {model.model_fields["type"].default: model for model in REQUESTS}
SLOW = Clock(move_ms=3000)

VARIANTS: list[tuple[str, dict[str, Any]]] = [
    ("othello", {"size": 6}),
    ("othello", {"preset": "cornerless", "size": 6}),
    ("othello", {"size": 4, "start": "empty", "free_centre": True}),
    ("dots", {"rows": 2, "cols": 3}),
    ("dots", {"rows": 3, "cols": 3, "stop_at_majority": True}),
    ("2048", {}),
    ("2584", {"spawn": "1/3"}),
    ("2048", {"placer": "player"}),
    ("2584", {"placer": "player", "placer_chooses": "cell"}),
]


def spec_of(name: str, settings: dict[str, Any], bot: Prepared, **more: Any) -> Match:
    seats = rules.load(name, **settings).seats
    fields = {"clock": SLOW, "startup_ms": 5000, "seed": 7, **more}
    return match(*(bot,) * seats, rules=name, variant=settings, **fields)


def replayed(record: GameRecord, start: dict[str, Any]) -> rules.Position:
    """The last position of a record, from the first and its moves alone."""
    position = record.terms.game.position(start)
    for played in record.moves:
        assert played.seat == position.to_move
        position = position.play(played.move)
    assert position.state() == record.final_state
    assert position.scores() == record.scores
    return position


def requests(path: Path) -> list[dict[str, Any]]:
    """What a recorder was sent; every line is valid to the models and to the schema."""
    judge = Draft202012Validator({**schema(), "oneOf": [{"$ref": "#/$defs/Request"}]})
    found = [json.loads(line) for line in path.read_text().splitlines()]
    for request in found:
        MODELS[request["type"]].model_validate_json(json.dumps(request))
        judge.validate(request)
    return found


def recorder(path: Path, **more: Any) -> Prepared:
    command = (*PYTHON, str(BOTS / "recorder.py"), str(path))
    return Prepared(**{"name": path.name, "command": command, **more})


@pytest.fixture(scope="module")
def kept() -> Iterator[SessionPool]:
    """Its two monkeys play all games."""
    with SessionPool(keep_alive=True) as pool:
        yield pool


@pytest.mark.slow
@pytest.mark.parametrize(("name", "settings"), VARIANTS, ids=str)
def test_the_monkey_plays_everything(
    name: str, settings: dict[str, Any], kept: SessionPool
) -> None:
    spec = spec_of(name, settings, MONKEY)
    record, again = (play_game(*spec, kept) for _ in range(2))
    assert record.termination in (T.NATURAL, T.ADJUDICATED), record.detail
    assert record.offender is None
    moves = [(move.seat, move.move) for move in record.moves]
    assert moves == [(move.seat, move.move) for move in again.moves]
    other = play_game(*spec.but(seed=8), kept)
    assert moves != [(move.seat, move.move) for move in other.moves]
    if name in ("2048", "2584"):
        assert record.points == ()
    else:
        first, second = record.scores
        assert record.points[0] == (0.5 if first == second else float(first > second))
        assert sum(record.points) == 1
        empty = rules.load(name, **settings).start().state()
        assert replayed(record, empty).is_over


def test_players_are_sent_openings_and_the_moves_since_their_turn(
    tmp_path: Path, pool: SessionPool, bots: Bots
) -> None:
    logs = [tmp_path / "0", tmp_path / "1"]
    players = tuple(recorder(log, options={"level": [1, {"é": None}]}) for log in logs)
    opening = ("a1b1", "b1c1", "a2b2")
    spec = spec_of("dots", {"rows": 2, "cols": 2}, players[0])
    record = play_game(*spec._replace(players=players).but(opening=opening), pool)
    assert record.termination is T.NATURAL
    told = [[seat, move.move] for seat, move in ((m.seat, m) for m in record.moves)]
    assert [move[1] for move in told[:3]] == list(opening)
    for seat, log in enumerate(logs):
        start, *turns, end, last = requests(log)
        assert (start["seat"], start["seats"], start["moves"]) == (seat, 2, told[:3])
        assert start["options"] == {"level": [1, {"é": None}]}
        known = list(start["moves"])
        for turn in turns:
            known += turn["moves"]
            assert known == told[: turn["ply"]]
            assert told[turn["ply"]] == [seat, turn["legal"][0]]
        for turn, after in pairwise(turns):
            assert after["moves"][0] == [seat, turn["legal"][0]]
        assert (end["type"], end["termination"], last) == ("end", "natural", {"type": "quit"})
        assert (end["scores"], end["points"]) == (list(record.scores), list(record.points))
    seeds = [requests(log)[0]["seed"] for log in logs]
    assert seeds[0] != seeds[1]
    assert all(0 <= seed < 2**31 for seed in seeds)


def test_passes_are_played_and_reported(tmp_path: Path, pool: SessionPool) -> None:
    log = tmp_path / "log"
    record = play_game(*spec_of("othello", {"size": 8}, recorder(log)), pool)
    passes = [ply for ply, move in enumerate(record.moves) if move.move == "pass"]
    assert passes
    assert all(record.moves[ply].used_ms is None for ply in passes)
    turns = [request for request in requests(log) if request["type"] == "turn"]
    assert any(move == "pass" for turn in turns for _, move in turn["moves"])
    assert all("pass" not in turn["legal"] for turn in turns)
    assert {turn["ply"] for turn in turns} == set(range(len(record.moves))) - set(passes)


def test_chance_is_seen_and_drawn_from_the_seed(tmp_path: Path, pool: SessionPool) -> None:
    log = tmp_path / "log"
    record = play_game(*spec_of("2048", {}, recorder(log), max_plies=40), pool)
    assert (record.termination, len(record.moves)) == (T.ADJUDICATED, 40)
    start, *turns, _, _ = requests(log)
    for turn, after in pairwise(turns):
        assert [seat for seat, _ in after["moves"]] == [0, -1]
        assert after["moves"][0][1] == turn["legal"][0]
    final = replayed(record, start["state"])
    assert record.detail == f"{final.scores()[0]}, after 40 plies"
    assert record.points == ()


def test_a_bank_runs_down_and_ends_the_game(
    tmp_path: Path, bots: Bots, pool: SessionPool, dots: Spec
) -> None:
    log = tmp_path / "log"
    clock = Clock(move_ms=None, bank_ms=600, increment_ms=10)
    record = play_game(*dots(recorder(log), recorder(log), clock=clock), pool)
    turns = [request for request in requests(log) if request["type"] == "turn"]
    assert turns[0]["bank_ms"] == turns[0]["time_ms"] == 600
    assert all(turn["bank_ms"] == turn["time_ms"] for turn in turns)
    assert turns[2]["used_ms"] == round(record.moves[0].used_ms or -1)
    slow = play_game(*dots(bots.hostile("slow_drip"), bots.hostile(), clock=clock), pool)
    assert (slow.termination, slow.offender) == (T.TIMEOUT, 0)


def test_a_decided_game_is_adjudicated(pool: SessionPool) -> None:
    settings = {"rows": 2, "cols": 2, "stop_at_majority": True}
    for seed in range(8):
        record = play_game(*spec_of("dots", settings, MONKEY, seed=seed), pool)
        assert (record.termination is T.ADJUDICATED) == (len(record.moves) < 12)
        if record.termination is T.ADJUDICATED:
            assert max(record.scores) == 3
            assert record.detail.endswith("decided before the last move")
            return
    pytest.fail("no game of seeds 0 to 7 was decided early")


# Random moves instead of forfeits


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["illegal", "bad_utf8", "stale_ply", "debug_print", "exit_3",
                                   "leaves_after_answering", "line_70_kb", "exits_at_start",
                                   "ready_array"])  # fmt: skip
def test_faults_may_be_answered_with_random_moves(
    fault: str, bots: Bots, pool: SessionPool, dots: Spec
) -> None:
    spec = dots(bots.hostile(fault), bots.hostile(), on_fault="random_move", clock=SLOW)
    record = play_game(*spec, pool)
    assert (record.termination, record.offender) == (T.NATURAL, None), record.detail
    own = [move for move in record.moves if move.seat == 0]
    faults = [move.fault for move in own if move.fault is not None]
    assert record.seats[0].random_moves == len(faults) > 0
    assert record.seats[1].random_moves == 0
    if fault not in ("leaves_after_answering", "debug_print"):
        assert len(faults) == len(own)
    assert all(f.seat == 0 and record.moves[f.ply].fault == f for f in faults)
    if fault == "illegal":  # the moves are those of the game's seed
        again = play_game(*spec, pool)
        assert [m.move for m in record.moves] == [m.move for m in again.moves]
    assert bots.left() == []


# The host's faults, and the caller's


def test_no_process_to_be_had_is_the_hosts_fault(
    bots: Bots, pool: SessionPool, dots: Spec, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = dots(bots.hostile(), bots.hostile("exit_0"))
    start = Container.start

    def full(container: Container) -> Any:
        if container.spec.name == "exit_0":
            raise not_started(container.spec, OSError(errno.EAGAIN, os.strerror(errno.EAGAIN)))
        return start(container)

    with monkeypatch.context() as patch:
        patch.setattr(Container, "start", full)
        record = play_game(*spec, pool, attempt=2)
    assert (record.termination, record.offender, record.points) == (T.VOID, None, ())
    assert "no further process or thread can be started: end other programs" in record.detail
    assert record.detail.endswith("(`ulimit -u`, or `pids.max` of the control group).")
    assert record.attempt == 2
    assert bots.left() == []
    assert play_game(*spec, pool).termination is T.EXITED


def test_an_illegal_opening_is_named(bots: Bots, pool: SessionPool, dots: Spec) -> None:
    spec = dots(bots.hostile(), bots.hostile(), opening=("a1b1", "a1b1"))
    with pytest.raises(ValueError, match=r"g1: opening move 2: .*a1b1"):
        play_game(*spec, pool)
    with pytest.raises(ValueError, match="dots has 2 seats, not 1 players"):
        play_game(*dots(bots.hostile()), pool)
    assert bots.left() == []


def test_every_move_is_reported_to_the_caller(bots: Bots, pool: SessionPool, dots: Spec) -> None:
    plies: list[int] = []
    game = dots(bots.hostile(), bots.hostile())
    record = play_game(*game, pool, on_move=lambda moves: plies.append(len(moves)))
    assert plies == list(range(1, 13)) == list(range(1, len(record.moves) + 1))


def test_a_record_survives_json(bots: Bots, pool: SessionPool, dots: Spec) -> None:
    for fault in ("info_whole", "illegal"):
        record = play_game(*dots(bots.hostile(fault), bots.hostile()), pool)
        assert GameRecord.model_validate_json(record.model_dump_json()) == record
