"""What the items about time, memory and network say of answers that a test makes up."""

import subprocess
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

import rules
from arena.checks import limits
from arena.checks.dialogue import Belated, Offence
from arena.checks.positions import PracticeGame
from arena.checks.subject import Subject
from arena.model.containment import Guarantee, Held
from arena.model.game_spec import Terms
from arena.model.protocol import Clock, Termination
from arena.referee.requests import Requests, StartRequest, TurnRequest
from arena.sandbox.processes import tree

from .scripted import offence, scripted

LONG, SHORT = 800, 300
"""The limits of a quick check."""
_ASKED = Requests("g1", 0, Clock(), 1000, 7, {})
START = _ASKED.start(rules.load("dots").start(), [])
TURN = _ASKED.turn(rules.load("dots").start(), [])


class Timed:
    """A process that answers in these times, a move after the other; or commits an offence."""

    def __init__(self, *answers: float | Offence, again: Offence | None = None) -> None:
        self.answers, self.again = answers, again

    def start(self, practice: PracticeGame, clock: Clock | None = None) -> None:
        self.began, self.clock = practice, clock

    def turns(self, practice: PracticeGame, moves: int) -> Iterator[Any]:
        for answer in self.answers:
            if isinstance(answer, Offence):
                raise answer
            yield SimpleNamespace(used_ms=answer)

    def ask(self, practice: PracticeGame) -> None:
        assert len(practice.moves) > 0, "asked for its second move"
        if self.again is not None:
            raise self.again


def late(request: StartRequest | TurnRequest = TURN, closed: bool = False) -> Offence:
    belated = Belated(b"", 200, closed)
    return offence(Termination.TIMEOUT, request=request, belated=belated, waited_ms=800)


def timed(subject: Subject, *processes: Timed) -> list[Timed]:
    """Have these processes be started, the last one again and again; those that were."""
    started: list[Timed] = []

    def start() -> Timed:
        process = processes[min(len(started), len(processes) - 1)]
        started.append(Timed(*process.answers, again=process.again))
        return started[-1]

    vars(subject)["process"] = scripted(start).process
    return started


def test_the_longest_time_at_each_limit_is_shown() -> None:
    subject = scripted(Timed, "dots", "othello")
    times = Timed(70, 20), Timed(10), Timed(5), Timed(60, 9), Timed(8), Timed(7)
    started = timed(subject, *times)
    assert limits.near_the_clock(subject).detail == "70 ms of 800, 60 ms of 300"
    asked = [(15 < len(at.began.moves) < 45, at.clock.limit_ms(None)) for at in started if at.clock]
    assert asked == [(middle, ms) for ms in (LONG, SHORT, SHORT) for middle in (False, True)]
    assert [at.began.position.game.name for at in started] == ["dots"] * 4 + ["othello"] * 2
    assert subject.slowest_ms == 0, "its games have another clock"


def test_the_games_for_a_tournament_are_as_slow_as_its_clock_allows() -> None:
    terms = Terms(rules="dots", variant=rules.load("dots").variant)
    subject = scripted(Timed, "dots", terms=terms)
    timed(subject, Timed(70), Timed(10))
    assert limits.near_the_clock(subject).passed
    assert subject.slowest_ms == 70


def test_what_is_wrong_but_in_time_is_judged_by_other_items() -> None:
    subject = scripted(Timed, "dots")
    wrong = Timed(offence(Termination.ILLEGAL_MOVE))
    for answers in ([wrong], [Timed(5), Timed(5), wrong]):
        timed(subject, *answers)
        found = limits.near_the_clock(subject)
        assert found.passed is None and "no valid answer" in found.detail


@pytest.mark.parametrize(
    ("process", "only_first"),
    [
        (Timed(late()), True),
        (Timed(late(), again=offence(Termination.ILLEGAL_MOVE)), True),
        (Timed(late(), again=late()), False),
        (Timed(late(closed=True)), False),
        (Timed(late(START)), False),
        (Timed(5.0, late()), False),
        (Timed(offence(Termination.TIMEOUT)), False),
    ],
)
def test_loading_earlier_is_advised_where_the_first_move_alone_is_late(
    process: Timed, only_first: bool
) -> None:
    subject = scripted(Timed, "dots")
    timed(subject, process)
    found = limits.near_the_clock(subject)
    assert found.verdict is Termination.TIMEOUT
    assert ("Load and prepare when `start` comes" in str(found.fix)) is only_first


class Playing:
    """A process that plays a whole game, or commits an offence."""

    def __init__(self, wrong: Offence | None = None) -> None:
        self.wrong, self.process = wrong, SimpleNamespace(pid=0)
        self.seats: list[int] = []

    def start(self, practice: PracticeGame) -> None:
        self.seats.append(practice.seat)

    def play_on(self, practice: PracticeGame, moves: int, seconds: float = 0) -> None:
        if self.wrong is not None:
            raise self.wrong


def test_memory_is_judged_in_the_last_seat_of_each_game_and_nothing_else_is() -> None:
    playing = Playing(offence(Termination.ILLEGAL_MOVE))
    subject = scripted(lambda: playing, "dots", "othello", memory_mb=64)
    subject.peak_memory_bytes = 64 << 20
    assert limits.memory(subject).detail == "at most 64 MB of 64"
    assert playing.seats == [1, 1]
    subject.peak_memory_bytes = 65 << 20
    assert "files that it maps do not count" in limits.memory(subject).detail


def test_going_beyond_the_memory_limit_fails_also_where_an_earlier_item_saw_it() -> None:
    beyond = offence(Termination.OUT_OF_MEMORY)
    subject = scripted(lambda: Playing(beyond), "dots")
    assert limits.memory(subject).verdict is Termination.OUT_OF_MEMORY
    subject = scripted(Playing, "dots")
    subject.out_of_memory = beyond
    assert limits.memory(subject).verdict is Termination.OUT_OF_MEMORY


@pytest.mark.parametrize(
    ("seen", "by", "passed", "words"),
    [
        ([[], [], []], {}, True, "its sandbox does not cut the network off"),
        ([[], None, None], {}, True, "its sandbox does not cut the network off"),
        ([None, None, None], {}, None, "may not be looked into"),
        ([None, None, None], {Guarantee.NETWORK: "seccomp"}, True, "cut off (seccomp)"),
        ([[], [], ["udp6"]], {Guarantee.NETWORK: "seccomp"}, False, "while it plays: udp6"),
    ],
)
def test_a_socket_fails_whenever_it_is_seen_and_a_look_that_fails_proves_nothing(
    seen: list[list[str] | None],
    by: dict[Guarantee, str],
    passed: bool | None,
    words: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    subject = scripted(Playing, "dots")
    vars(subject)["spec"] = subject.spec.model_copy(update={"held": Held(by=by)})
    looks = iter(seen)
    monkeypatch.setattr(limits, "_sockets", lambda pid: next(looks))
    found = limits.no_network(subject)
    assert (found.passed, words in found.detail) == (passed, True), found


WITHIN = "socketpair(), socket(AF_UNIX), bound(AF_NETLINK, SOCK_RAW, (0, 0))"
WITHOUT = "socket(), create_server(HERE), bound(AF_INET, SOCK_DGRAM, HERE)"


@pytest.mark.parametrize("opens", [WITHIN, WITHOUT])
def test_sockets_to_the_internet_are_found_and_those_within_the_machine_are_not(opens: str) -> None:
    """Those of a program that another one started, next to others without any."""
    text = f"""
import sys
from socket import *
HERE = ("127.0.0.1", 0)
def bound(family, kind, address):
    made = socket(family, kind)
    made.bind(address)
    return made
kept = {opens}
print(flush=True)
sys.stdin.read()
"""
    command = ["sh", "-c", 'cat | "$@" | cat', "sh", sys.executable, "-I", "-S", "-c", text]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        assert program.stdout is not None
        program.stdout.readline()
        assert len([*tree(program.pid)]) == 4
        seen = limits._sockets(program.pid)
        program.communicate()
    outside = ["one that is not connected", "tcp", "udp"] if opens == WITHOUT else []
    assert sorted(seen or ()) == outside and seen is not None
