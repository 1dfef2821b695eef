"""Real processes that misbehave: each end word, its sentence, and nothing left behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest

from arena.protocol import Clock, Termination
from arena.referee import SessionPool, play_game
from arena.referee.record import GameRecord
from arena.referee.spec import PlayerSpec
from tests.referee.conftest import Bots, Spec

T = Termination
MOVE_MS, GRACE_MS, STARTUP_MS = 300, 100, 1200


class Case(NamedTuple):
    fault: str
    ends: Termination
    says: str
    """A fragment of the sentence."""
    more: dict[str, Any] = {}  # noqa: RUF012 - never changed
    """Fields of the player."""
    move_ms: int = MOVE_MS


CASES = [
    Case("exits_at_start", T.EXITED, "exited with code 0 while it owed an answer"),
    Case("traceback_at_start", T.EXITED, r"ImportError: no module named \x1b[31mbrain"),
    Case("exit_0", T.EXITED, "exited with code 0 while it owed an answer"),
    Case("exit_3", T.EXITED, "exited with code 3 while it owed an answer. Its last words on stderr: giving up"),  # noqa: E501 - the sentence
    Case("segfault", T.EXITED, "was ended by SIGSEGV"),
    Case("traceback", T.EXITED, "KeyError: 'best move'"),
    Case("leaves_after_answering", T.EXITED, "exited with code 0"),
    Case("partial_then_exit", T.EXITED, "exited with code 1"),
    Case("parent_leaves", T.EXITED, "exited with code 5"),
    Case("hang_at_start", T.TIMEOUT, "had written nothing"),
    Case("never_reads", T.TIMEOUT, "did not read its stdin", {"options": {"x": "o" * 200_000}}),
    Case("hangs", T.TIMEOUT, "had written nothing"),
    Case("partial_then_hang", T.TIMEOUT, 'only «{"type": "move"'),
    Case("slow_drip", T.TIMEOUT, 'only «{"type"'),
    Case("blank_drip", T.TIMEOUT, "by the deadline"),
    Case("spins", T.TIMEOUT, "by the deadline"),
    Case("stops_itself", T.TIMEOUT, "by the deadline"),
    Case("late", T.TIMEOUT, "by the deadline"),
    Case("nonblocking_hang", T.TIMEOUT, "by the deadline"),
    Case("closes_stdin", T.STDIN_CLOSED, "closed its stdin and goes on running"),
    Case("closes_stdout", T.STDOUT_CLOSED, "closed its stdout and goes on running"),
    Case("endless_line", T.LINE_TOO_LONG, "more than 64 KiB, beginning «xxxx"),
    Case("ready_1_mb_name", T.LINE_TOO_LONG, "more than 64 KiB"),
    Case("line_70_kb", T.LINE_TOO_LONG, "more than 64 KiB"),
    Case("deep_100k", T.LINE_TOO_LONG, "more than 64 KiB"),
    Case("blank_flood", T.FLOOD, "More than 100 blank lines"),
    Case("endless_blank_lines", T.FLOOD, "More than 100 blank lines"),
    Case("line_flood", T.FLOOD, "Too much was waiting"),
    Case("endless_lines", T.FLOOD, "Too much was waiting"),
    Case("bad_utf8", T.BAD_UTF8, r"Byte 0xff at position 23 is not UTF-8: «{"),
    Case("utf16", T.BAD_UTF8, "Byte 0xff at position 0"),
    Case("utf16_no_bom", T.BAD_JSON, r"\x00"),
    Case("bom", T.BAD_JSON, r"«\ufeff{"),
    Case("nul", T.BAD_JSON, r"«\x00{"),
    Case("repr", T.BAD_JSON, "property name enclosed in double quotes"),
    Case("nan", T.BAD_JSON, "NaN is no JSON"),
    Case("infinity", T.BAD_JSON, "-Infinity is no JSON"),
    Case("overflow", T.BAD_JSON, "1e999 overflows"),
    Case("digits_60k", T.BAD_JSON, "an integer of 60000 digits"),
    Case("duplicate_key", T.BAD_JSON, "the key «ply» twice"),
    Case("deep_30k", T.BAD_JSON, "nested deeper than 64"),
    Case("debug_print", T.BAD_JSON, "«thinking about it»"),
    Case("trailing_text", T.BAD_JSON, "Extra data"),
    Case("banner", T.BAD_JSON, "«Welcome to SuperBot 3000»"),
    Case("ready_ansi", T.BAD_SCHEMA, "control character U+001B at position 0"),
    Case("ready_rtl", T.BAD_SCHEMA, "control character U+202E at position 0"),
    Case("ready_surrogate", T.BAD_SCHEMA, "lone surrogate U+D800"),
    Case("ready_wrong_kind", T.BAD_SCHEMA, "Not a `ready` message: `type` should be 'ready'"),
    Case("ready_array", T.BAD_SCHEMA, "this is list"),
    Case("ready_number_name", T.BAD_SCHEMA, "`name` should be a valid string, got «7»"),
    Case("array", T.BAD_SCHEMA, "this is list"),
    Case("missing_move", T.BAD_SCHEMA, "`move` is missing"),
    Case("missing_ply", T.BAD_SCHEMA, "`ply` is missing"),
    Case("move_is_number", T.BAD_SCHEMA, "`move` should be a valid string, got «12»"),
    Case("wrong_kind", T.BAD_SCHEMA, "`type` should be 'move', got «\"ready\"»"),
    Case("unknown_kind", T.BAD_SCHEMA, "`type` should be 'move', got «\"resign\"»"),
    Case("surrogate", T.BAD_SCHEMA, "`info.text` lone surrogate U+DC80"),
    Case("info_text_control", T.BAD_SCHEMA, "`info.text` control character U+0009 at position 1"),
    Case("ply_string", T.BAD_SCHEMA, "`ply` should be a valid integer"),
    Case("ply_float", T.BAD_SCHEMA, "`ply` should be a valid integer"),
    Case("stale_ply", T.WRONG_PLY, "but ply"),
    Case("boolean_ply", T.WRONG_PLY, "which is no integer"),
    Case("speaks_first", T.UNSOLICITED, 'wrote before it was asked: «{"type": "ready"'),
    Case("ready_twice", T.UNSOLICITED, 'wrote before it was asked: «{"type": "ready"'),
    Case("answers_twice", T.UNSOLICITED, 'wrote before it was asked: «{"type": "move"'),
    Case("answers_early", T.UNSOLICITED, 'wrote before it was asked: «{"type": "move"'),
    Case("illegal", T.ILLEGAL_MOVE, "«z9z8» is not legal at ply"),
    Case("illegal_case", T.ILLEGAL_MOVE, "C1» is not legal at ply 1. Legal: b1c1, "),
    Case("illegal_ansi_like", T.ILLEGAL_MOVE, "(1000 bytes) is not legal"),
    Case("memory_hog", T.OUT_OF_MEMORY, "80 MB are allowed", {"memory_mb": 80}, 5000),
    Case("memory_hog_in_forks", T.OUT_OF_MEMORY, "80 MB are allowed", {"memory_mb": 80}, 5000),
    Case("realtime_signal", T.EXITED, "was ended by signal 40"),
]  # fmt: skip


def forfeits(record: GameRecord, offender: int) -> None:
    """The one seat lost and the other has the point."""
    assert record.offender == offender
    assert record.points == ((0.0, 1.0) if offender == 0 else (1.0, 0.0))


def plays_on(pool: SessionPool, bots: Bots, dots: Spec) -> None:
    """The same pool can play a whole game, and nothing of any player is there after it."""
    assert bots.left() == []
    record = play_game(dots(bots.hostile(), bots.hostile(), clock=Clock(move_ms=3000)), pool)
    assert (record.termination, len(record.moves)) == (T.NATURAL, 12), record.detail
    assert bots.left() == []


def seated(offender: int, bad: PlayerSpec, good: PlayerSpec) -> tuple[PlayerSpec, PlayerSpec]:
    return (bad, good) if offender == 0 else (good, bad)


@pytest.mark.parametrize(
    ("number", "case"), list(enumerate(CASES)), ids=[case.fault for case in CASES]
)
def test_a_fault_forfeits(
    number: int, case: Case, bots: Bots, pool: SessionPool, dots: Spec
) -> None:
    offender = number % 2
    players = seated(offender, bots.hostile(case.fault, **case.more), bots.hostile())
    clock = Clock(move_ms=case.move_ms)
    spec = dots(*players, clock=clock, startup_ms=STARTUP_MS, grace_ms=GRACE_MS)
    record = play_game(spec, pool)
    assert record.termination is case.ends, record.detail
    assert case.says in record.detail
    assert record.detail.isprintable()
    forfeits(record, offender)
    plays_on(pool, bots, dots)


def test_every_end_of_a_player_is_among_the_cases() -> None:
    covered = {case.ends for case in CASES} | {T.START_FAILED}
    assert covered == {word for word in T if word.is_forfeit}


START_FAILURES = {
    "missing": "There is no program",
    "not_executable": "executable (chmod +x)",
    "no_interpreter": "The interpreter in the #! line of",
    "no_program": "is no program for this machine",
    "a_folder": "may not be run",
}


@pytest.mark.parametrize("kind", START_FAILURES)
def test_a_program_that_cannot_be_started(
    kind: str, tmp_path: Path, bots: Bots, pool: SessionPool, dots: Spec
) -> None:
    program = tmp_path / kind
    if kind == "a_folder":
        program.mkdir()
    elif kind != "missing":
        text = {"no_interpreter": "#!/no/such/interpreter\n", "no_program": "\x7fnot a program\n"}
        program.write_text(text.get(kind, "#!/bin/sh\n"))
        program.chmod(0o644 if kind == "not_executable" else 0o755)
    bad = PlayerSpec(name=kind, command=(str(program),))
    record = play_game(dots(bots.hostile(), bad), pool)
    assert record.termination is T.START_FAILED
    assert START_FAILURES[kind] in record.detail
    assert str(program) in record.detail
    forfeits(record, 1)
    plays_on(pool, bots, dots)


def test_a_command_no_system_takes(bots: Bots, pool: SessionPool, dots: Spec) -> None:
    bad = bots.hostile().model_copy(update={"command": ("bot\0",)})
    record = play_game(dots(bad, bots.hostile()), pool)
    assert (record.termination, record.offender) == (T.START_FAILED, 0)
    assert "NUL" in record.detail


def test_a_folder_to_start_in_that_does_not_exist(
    bots: Bots, pool: SessionPool, dots: Spec
) -> None:
    record = play_game(dots(bots.hostile(cwd="/no/such/folder"), bots.hostile()), pool)
    assert record.termination is T.START_FAILED
    assert "/no/such/folder" in record.detail
    forfeits(record, 0)


@pytest.mark.parametrize("fault", ["hangs", "stops_itself", "slow_drip", "spins"])
def test_a_hung_player_costs_its_limit_and_no_more(
    fault: str, bots: Bots, pool: SessionPool, dots: Spec
) -> None:
    record = play_game(dots(bots.hostile(), bots.hostile(fault)), pool)
    started = [seat.startup_ms or 0 for seat in record.seats]  # perhaps at the same time
    assert record.termination is T.TIMEOUT
    assert record.duration_ms - max(started) >= MOVE_MS + GRACE_MS
    assert record.duration_ms - sum(started) <= MOVE_MS + GRACE_MS + 500


def test_the_moves_before_a_fault_are_kept(bots: Bots, pool: SessionPool, dots: Spec) -> None:
    record = play_game(dots(bots.hostile(), bots.hostile("closes_stdin")), pool)
    assert record.termination is T.STDIN_CLOSED
    assert [(move.seat, move.move) for move in record.moves[:2]] == [(0, "a1b1"), (1, "b1c1")]
    assert record.final_state["horizontal"][0] == [1, 1]
