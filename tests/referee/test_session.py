"""Dialogues with a player that is a script: no process, and a clock that the script moves."""

import json

import msgspec
import pytest

import rules
from arena.model.game_spec import derive
from arena.model.protocol import Clock, End, Start, Termination, Turn
from arena.model.record import PlayerFault
from arena.referee import sentences
from arena.referee.head_tail import HeadTail
from arena.referee.lateness import HostDelay
from arena.referee.outcome import finished
from arena.referee.requests import (
    Requests,
    StartRequest,
    TurnRequest,
    end_request,
)
from arena.referee.session import Session
from arena.referee.transport import OutputLine

MS = 1_000_000
LIMIT_MS, GRACE_MS = 300, 100


class Script:
    """A transport that plays lines back, each `(after_ms, line)` or a fault to raise."""

    def __init__(
        self,
        *lines: tuple[float, bytes] | PlayerFault,
        write_ms: float = 0,
        missed_ms: float = 0,
        kept_ms: float = 0,
    ) -> None:
        self.stderr = HeadTail()
        self.now = 0
        self.lines = list(lines)
        self.write_ms = write_ms
        self.missed = int(missed_ms * MS)
        self.kept = HostDelay(int(kept_ms * MS), f"had waited {kept_ms} ms")
        self.written: list[bytes] = []
        self.deadlines: list[int] = []
        self.closed = False

    def clock(self) -> int:
        return self.now

    def expect_silence(self) -> None:
        self.written.append(b"(silence?)")

    def write(self, line: bytes, deadline: int) -> None:
        self.now += int(self.write_ms * MS)
        self.written.append(line)

    def read_line(self, deadline: int, *, metered: bool = False) -> OutputLine:
        self.deadlines.append(deadline)
        self.metered = metered
        step = self.lines.pop(0)
        if isinstance(step, PlayerFault):
            raise step
        self.now += int(step[0] * MS)
        return OutputLine(step[1], self.now, self.missed, self.kept)

    def close(self) -> None:
        self.closed = True

    def kill(self) -> None: ...


def turn() -> TurnRequest:
    return TurnRequest(b'{"type":"turn"}\n', 4, LIMIT_MS, ("c2", "d2"))


START = StartRequest(b'{"type":"start"}\n', LIMIT_MS)
MOVE = b'{"type":"move","ply":4,"move":"c2"}'
READY = b'{"type":"ready","name":"script"}'


def ask(script: Script) -> tuple[str, float]:
    answered = Session(script, script.clock).turn(turn(), GRACE_MS)
    return answered.move.move, answered.used_ms


def fault(script: Script) -> PlayerFault:
    with pytest.raises(PlayerFault) as caught:
        ask(script)
    return caught.value


def test_a_game_from_start_to_quit() -> None:
    script = Script((20, READY), (30, MOVE))
    session = Session(script, script.clock)
    ready, startup_ms = session.start(START, GRACE_MS)
    assert (ready.name, startup_ms) == ("script", 20)
    assert session.turn(turn(), GRACE_MS).used_ms == 30
    position = rules.load("dots").start()
    session.end("g1", finished(position), position)
    session.quit()
    asked = [line for line in script.written if line != b"(silence?)"]
    assert [json.loads(line)["type"] for line in asked] == ["start", "turn", "end", "quit"]
    assert all(line.endswith(b"\n") and line.count(b"\n") == 1 for line in asked)
    # before a question, and only then, the player must have been silent
    assert [n for n, line in enumerate(script.written) if line == b"(silence?)"] == [0, 2]
    assert script.closed


def test_the_clock_runs_from_the_last_byte_written() -> None:
    script = Script((300, MOVE), write_ms=90)
    assert ask(script) == ("c2", 300)
    assert script.deadlines == [(90 + LIMIT_MS + GRACE_MS) * MS]


@pytest.mark.parametrize(("banked", "used_ms"), [(False, 250), (True, 60)])
def test_what_the_host_takes_comes_off_no_bank(banked: bool, used_ms: float) -> None:
    script = Script((250, MOVE), kept_ms=190)
    request = turn() if not banked else msgspec.structs.replace(turn(), banked=True)
    assert Session(script, script.clock).turn(request, GRACE_MS).used_ms == used_ms
    assert script.metered == banked


def test_a_slow_reader_reads_on_its_own_time() -> None:
    script = Script((350, MOVE), write_ms=350)
    assert fault(script).termination is Termination.TIMEOUT
    assert script.deadlines == [(100 + LIMIT_MS + GRACE_MS) * MS]


@pytest.mark.parametrize("used_ms", [0, 299, 300, 301, 400])
def test_in_time_with_the_grace(used_ms: float) -> None:
    assert ask(Script((used_ms, MOVE))) == ("c2", used_ms)


@pytest.mark.parametrize("line", [MOVE, b"\xff", b"nonsense", b"[]"])
def test_late_is_judged_before_what_was_said(line: bytes) -> None:
    late = fault(Script((400.1, line)))
    assert late.termination is Termination.TIMEOUT
    assert late.detail == ("The reply came after 400 ms; the limit is 300 ms and 100 ms of grace.")


def test_a_late_blank_line_is_no_reply() -> None:
    late = fault(Script((100, b""), (300.1, b"\r")))
    assert late.termination is Termination.TIMEOUT
    assert late.detail == "No complete reply by the deadline; the player had written nothing."


def test_late_is_excused_while_its_own_time_is_within_limit_and_grace() -> None:
    excused = fault(Script((900, MOVE), kept_ms=500))
    assert (excused.termination, excused.detail) == (
        Termination.VOID,
        "was late, and had waited 500 ms",
    )
    assert fault(Script((900.1, MOVE), kept_ms=500)).termination is Termination.TIMEOUT
    assert fault(Script((400, b""), (500, MOVE), kept_ms=500)).termination is Termination.VOID
    assert fault(Script((901, b""), kept_ms=500)).termination is Termination.TIMEOUT


def test_in_time_is_in_time_whatever_the_host_does() -> None:
    assert ask(Script((400, MOVE), kept_ms=300)) == ("c2", 400)


def test_what_the_referee_missed_is_not_the_players_time() -> None:
    assert ask(Script((400, MOVE), missed_ms=350)) == ("c2", 50)
    # some of it before the last byte was written, from where the time counts
    assert ask(Script((30, MOVE), write_ms=120, missed_ms=120)) == ("c2", 0)


def test_blank_lines_share_one_deadline() -> None:
    script = Script((100, b""), (100, b"\r"), (100, b" \t"), (50, MOVE))
    assert ask(script) == ("c2", 350)
    assert set(script.deadlines) == {(LIMIT_MS + GRACE_MS) * MS}
    assert fault(Script(*[(100, b"")] * 4, (1, MOVE))).termination is Termination.TIMEOUT


def test_a_hundred_blank_lines_are_let_pass() -> None:
    assert ask(Script(*[(0, b"")] * 100, (0, MOVE)))[0] == "c2"
    assert fault(Script(*[(0, b"")] * 101, (0, MOVE))).termination is Termination.FLOOD


@pytest.mark.parametrize(
    ("line", "word"),
    [
        (b'\xff{"ply":1', Termination.BAD_UTF8),
        (b'{"ply":1,"ply":2', Termination.BAD_JSON),
        (b'{"type":"move","ply":1,"move":3}', Termination.BAD_SCHEMA),
        (b'{"type":"move","ply":true,"move":3}', Termination.BAD_SCHEMA),
        (b'{"type":"move","ply":1,"move":"z9"}', Termination.WRONG_PLY),
        (b'{"type":"move","ply":4,"move":"z9"}', Termination.ILLEGAL_MOVE),
    ],
)
def test_the_first_of_several_faults_is_reported(line: bytes, word: Termination) -> None:
    assert fault(Script((0, line))).termination is word


def test_faults_of_the_transport_come_through() -> None:
    dead = PlayerFault(Termination.EXITED, "gone")
    assert fault(Script((0, b""), dead)) is dead


def test_a_player_that_does_not_read_its_farewell_is_no_error() -> None:
    class Deaf(Script):
        def write(self, line: bytes, deadline: int) -> None:
            assert deadline <= 50 * MS
            raise PlayerFault(Termination.TIMEOUT, "deaf")

    script = Deaf()
    Session(script, script.clock).quit()
    assert script.closed


def test_a_start_and_an_end_are_written_as_their_schemas_say() -> None:
    options = {"weights": [1e16, 0.5], "big": 10**30, "name": "né", "none": None}
    for game in (rules.load("dots"), rules.load("othello"), rules.load("2048")):
        position, clock = game.start(7), Clock(bank_ms=5, increment_ms=1)
        request = Requests("g1", 0, clock, 9, 3, options).start(position, [(-1, "a")])
        start = Start.model_validate_json(request.line)
        assert start.model_dump_json().encode() + b"\n" == request.line
        assert (start.rules, start.variant, start.seats) == (game.name, game.variant, game.seats)
        assert (start.clock, start.startup_ms, start.seed) == (
            clock,
            request.startup_ms,
            derive(3, "player 0"),
        )
        assert (start.options, start.state) == (options, position.state())
        assert start.moves == [(-1, "a")]
        line = end_request("g1", finished(position), position)
        end = End.model_validate_json(line)
        assert end.model_dump_json().encode() + b"\n" == line
        assert (end.termination, tuple(end.scores)) == (Termination.NATURAL, position.scores())


def test_a_turn_is_written_as_its_schema_says() -> None:
    for game in (rules.load("dots"), rules.load("othello")):
        position = game.start()
        told = position.legal_moves()[0]
        requests = Requests("g1", 1, Clock(move_ms=9), 9, 3, {}, used_ms=3.4)
        request = requests.turn(position.play(told), [(0, told)])
        turn = Turn.model_validate_json(request.line)
        assert turn.model_dump_json().encode() + b"\n" == request.line
        assert turn.state == position.play(told).state()
        assert (request.ply, request.time_ms) == (turn.ply, turn.time_ms) == (1, 9)
        assert tuple(turn.legal) == request.legal and turn.moves == [(0, told)]


def test_a_reply_that_was_cut_short_is_reported_with_its_length() -> None:
    assert "x…` (5000 bytes)" in sentences.late(bytearray(b"x" * 5000)).detail
