"""A dialogue built from a record is what the bot was sent, line by line."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from arena.errors import RecordError
from arena.model.contender import CommandLine, Contender, Prepared
from arena.model.protocol import Clock, Termination
from arena.model.record import GameRecord
from arena.records.dialogue import dialogue
from arena.referee import SessionPool, play_game
from arena.tournament.config import Player, TournamentConfig
from tests.conftest import PYTHON, Bots, Match, match
from tests.reports.conftest import play_record

BOT = """
import json, sys
log, fault, turns = open(sys.argv[1], "a"), sys.argv[2], 0
for line in sys.stdin:
    request = json.loads(line)
    log.write(line)
    log.flush()
    if request["type"] == "start":
        if fault == "asleep":
            sys.exit("tired")
        print('{"type":"ready"}', flush=True)
    elif request["type"] == "turn":
        turns += 1
        sys.stderr.write(f"ply {request['ply']}\\n")
        sys.stderr.flush()
        if fault == "exits" and turns == 3:
            sys.exit("tired")
        wrong = fault == "illegal" and turns == 3
        move = "a9a9" if wrong else request["legal"][0]
        print(json.dumps({"type": "move", "ply": request["ply"], "move": move}), flush=True)
    elif request["type"] == "quit":
        break
"""
OPTIONS: dict[str, Any] = {"level": [1, {"é": None}]}


def config_of(record: GameRecord) -> TournamentConfig:
    """A tournament of the players of a record, all with OPTIONS."""
    players = tuple(
        Player(
            bot=seat.player, builtin=None, uses_clock=None,
            contender=Contender(
                name=seat.player, program=CommandLine(words=("x",)), options=OPTIONS
            ),
        )
        for seat in record.seats
    )  # fmt: skip
    return TournamentConfig(name="cup", concurrency=1, terms=record.terms, players=players)


def recorded(tmp_path: Path, fault: str = "none") -> Prepared:
    """A bot that keeps what it is sent."""
    (tmp_path / "bot.py").write_text(BOT)
    command = (*PYTHON, str(tmp_path / "bot.py"), str(tmp_path / "log"), fault)
    return Prepared(name="recorded", command=command, options=OPTIONS)


def but_for_quit(text: str) -> list[Any]:
    return [line for line in map(json.loads, text.splitlines()) if line["type"] != "quit"]


@pytest.mark.parametrize("fault", ["none", "illegal", "exits"])
@pytest.mark.parametrize("on_fault", ["forfeit", "random_move"])
def test_it_is_what_the_bot_was_sent(
    fault: str, on_fault: str, tmp_path: Path, bots: Bots, pool: SessionPool
) -> None:
    clock = Clock(move_ms=4000, bank_ms=60_000, increment_ms=7)
    game = match(
        recorded(tmp_path, fault), bots.hostile(), rules="dots", variant={"rows": 2, "cols": 2},
        clock=clock, on_fault=on_fault, opening=("a1a2", "b1c1"), seed=5,
    )  # fmt: skip
    record = play_game(*game, pool)
    assert (record.offender == 0) == (fault != "none" and on_fault == "forfeit")
    sent = but_for_quit((tmp_path / "log").read_text())
    assert but_for_quit(dialogue(config_of(record), record, 0)) == sent
    assert dialogue(config_of(record), record) == dialogue(config_of(record), record, 0)


def test_what_was_not_sent_is_not_there(tmp_path: Path, bots: Bots, pool: SessionPool) -> None:
    """A turn of a player that never started, the end of its game and of a void one."""
    variant = {"rows": 2, "cols": 2}
    for on_fault in ("forfeit", "random_move"):
        (tmp_path / "log").unlink(missing_ok=True)
        asleep = match(
            recorded(tmp_path, "asleep"), bots.hostile(), rules="dots", variant=variant,
            on_fault=on_fault,
        )  # fmt: skip
        record = play_game(*asleep, pool)
        sent = but_for_quit((tmp_path / "log").read_text())
        assert [each["type"] for each in sent] == ["start"]
        assert but_for_quit(dialogue(config_of(record), record, 0)) == sent
    whole = play_game(*match(recorded(tmp_path), bots.hostile(), rules="dots", variant={}), pool)
    void = whole.model_copy(update={"termination": Termination.VOID, "moves": whole.moves[:2]})
    for seat in (0, 1):
        *_, last = but_for_quit(dialogue(config_of(void), void, seat))
        assert last["type"] == "turn"


def test_no_player_is_sent_what_another_wrote_to_stderr(tmp_path: Path, pool: SessionPool) -> None:
    dies = Prepared(name="dies", command=(*PYTHON, "-c", "import sys; sys.exit('secret')"))
    record = play_game(*match(recorded(tmp_path), dies, rules="dots", variant={}), pool)
    assert record.offender == 1 and "secret" in record.detail
    sent = (tmp_path / "log").read_text()
    assert '"exited"' in sent and "secret" not in sent
    assert but_for_quit(dialogue(config_of(record), record, 0)) == but_for_quit(sent)
    assert dialogue(config_of(record), record) == dialogue(config_of(record), record, 1)


def test_a_clock_of_its_own_is_sent_to_its_player_alone(
    tmp_path: Path, bots: Bots, pool: SessionPool
) -> None:
    own = Clock(move_ms=None, bank_ms=60_000, increment_ms=7)
    odd = recorded(tmp_path).model_copy(update={"clock": own})
    game = match(odd, bots.hostile(), rules="dots", variant={"rows": 2, "cols": 2})
    record = play_game(*game, pool)
    sent = but_for_quit((tmp_path / "log").read_text())
    assert sent[0]["clock"] == own.model_dump() and sent[1]["bank_ms"] == 60_000
    assert sent[2]["bank_ms"] <= 60_007
    assert but_for_quit(dialogue(config_of(record), record, 0)) == sent
    other = but_for_quit(dialogue(config_of(record), record, 1))
    assert other[0]["clock"] == Clock().model_dump() and other[1]["time_ms"] == 5000


def test_a_move_that_does_not_fit_is_an_error_of_the_record() -> None:
    record = play_record("dots", "one", "other", seed=3, rows=2, cols=2)
    changed = record.model_copy(update={"moves": (record.moves[1], *record.moves[1:])})
    with pytest.raises(RecordError, match=r"game g1: .*; the record is damaged or was made by"):
        dialogue(config_of(record), changed)


def test_of_a_lone_slider_and_chance(tmp_path: Path, pool: SessionPool) -> None:
    game = match(recorded(tmp_path), rules="2048", variant={}, max_plies=30, seed=3)
    record = play_game(*game, pool)
    text = dialogue(config_of(record), record, 0)
    assert but_for_quit(text) == but_for_quit((tmp_path / "log").read_text())
    with pytest.raises(RecordError, match="game g1 has no seat 1; they are 0 to 0"):
        dialogue(config_of(record), record, 1)
    with pytest.raises(RecordError, match="game g1 has no seat -1"):
        dialogue(config_of(record), record, -1)


def test_the_record_tells_with_which_move_stderr_came(
    tmp_path: Path, dots: Any, bots: Bots, pool: SessionPool
) -> None:
    game: Match = dots(recorded(tmp_path), bots.hostile(), clock=Clock(move_ms=4000))
    record = play_game(*game, pool)
    talker, quiet = record.seats
    asked = [ply for ply, move in enumerate(record.moves) if move.seat == 0]
    marks = (0, *talker.stderr_marks)
    said = [talker.stderr_head[low:high] for low, high in pairwise(marks)]
    assert said == [f"ply {ply}\n" for ply in asked]
    assert quiet.stderr_marks == ()
