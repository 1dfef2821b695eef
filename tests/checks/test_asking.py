"""How often a program is asked, and when it is asked no more or in a fresh process."""

from collections.abc import Iterator
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any

import pytest

import rules
from arena.checks import answers
from arena.checks.dialogue import Offence
from arena.checks.positions import PracticeGame, practice_positions
from arena.model.protocol import Termination

from .scripted import offence, scripted

DOTS = rules.load("dots")
POSITIONS = practice_positions(DOTS, 2048)
EXITED, LATE = offence(Termination.EXITED), offence(Termination.TIMEOUT)
ILLEGAL, WRONG_PLY = offence(Termination.ILLEGAL_MOVE), offence(Termination.WRONG_PLY)


class Process:
    """A process whose games have these outcomes; None for one that goes well."""

    def __init__(self, *outcomes: Offence | None) -> None:
        self.outcomes, self.games, self.ended = outcomes, 0, 0
        self.process = SimpleNamespace(lines_read=4)

    def start(self, practice: PracticeGame) -> None:
        self.games += 1

    def turns(self, practice: PracticeGame, moves: int) -> Iterator[Any]:
        yield SimpleNamespace(used_ms=100 - self.games)
        self.ask(practice)
        yield SimpleNamespace(used_ms=1)

    def ask(self, practice: PracticeGame) -> Any:
        wrong = self.outcomes[min(self.games, len(self.outcomes)) - 1]
        if wrong is not None:
            raise wrong
        return SimpleNamespace(move=SimpleNamespace(move=practice.position.legal_moves()[0]))

    def end(self, practice: PracticeGame) -> None:
        self.ended += 1

    def listen(self) -> None: ...


class Asked:
    """How positions were asked about in these processes, one after the other."""

    def __init__(self, *processes: Process) -> None:
        self.started = list[Process]()
        left = iter(processes)

        def start() -> Process:
            self.started.append(next(left))
            return self.started[-1]

        self.subject = scripted(start, "dots")
        self.asker = answers._Asker(self.subject, ExitStack())

    def ask(self, times: int) -> list[Offence | None]:
        """The offences in that many positions."""
        return [one.offence for one in answers._ask_board(self.asker, "dots", POSITIONS[:times])]


def test_a_process_that_does_it_right_is_asked_everything() -> None:
    asked = Asked(Process(None))
    assert asked.ask(5) == [None] * 5
    assert (len(asked.started), asked.started[0].ended) == (1, 5), "each game is ended"
    assert asked.subject.slowest_ms == 99, "of all its moves"


def test_a_failure_in_a_first_game_needs_no_second_process() -> None:
    asked = Asked(Process(EXITED), Process(None))
    assert asked.ask(3) == [EXITED, None, None]
    assert asked.subject.again is None


def test_what_a_fresh_process_does_right_is_kept_for_the_item_on_a_second_game() -> None:
    asked = Asked(Process(None, ILLEGAL), *(Process(None) for _ in range(5)))
    assert asked.ask(4) == [None] * 4
    assert asked.subject.again is ILLEGAL
    assert [each.games for each in asked.started] == [2, 1, 1, 1, 1, 1], "then each has a fresh one"


def test_a_failure_that_comes_in_one_of_three_fresh_processes_is_its_own() -> None:
    asked = Asked(Process(None, ILLEGAL), Process(None), Process(None), Process(ILLEGAL))
    assert asked.ask(2) == [None, ILLEGAL]
    assert asked.subject.again is None


def test_after_three_confirmed_failures_no_fresh_process_is_needed() -> None:
    wrong = [process for _ in range(3) for process in (Process(None, ILLEGAL), Process(ILLEGAL))]
    asked = Asked(*wrong, Process(None, ILLEGAL, None))
    assert asked.ask(9) == [*[None, ILLEGAL] * 4, None]
    assert len(asked.started) == 7


def test_a_death_needs_a_fresh_process_whatever_failed_before() -> None:
    wrong = [process for _ in range(3) for process in (Process(None, ILLEGAL), Process(ILLEGAL))]
    asked = Asked(*wrong, Process(None, EXITED), *(Process(None) for _ in range(4)))
    assert asked.ask(9) == [*[None, ILLEGAL] * 3, None, None, None]
    assert asked.subject.again is EXITED


def test_a_program_that_died_is_not_asked_again_in_the_same_process() -> None:
    dying = [process for _ in range(4) for process in (Process(None, EXITED), Process(EXITED))]
    asked = Asked(*dying)
    assert asked.ask(20) == [None, EXITED] * 3


@pytest.mark.parametrize(
    ("wrong", "asks"),
    [(EXITED, 3), (ILLEGAL, len(POSITIONS)), (WRONG_PLY, len(POSITIONS)), (LATE, 1)],
)
def test_deaths_and_a_hang_are_soon_enough_and_wrong_answers_are_not(
    wrong: Offence, asks: int
) -> None:
    asked = Asked(*(Process(wrong) for _ in POSITIONS))
    assert asked.ask(len(POSITIONS)) == [wrong] * asks


def test_no_more_boards_are_tried_after_a_hang() -> None:
    asked = Asked(Process(LATE))
    found = answers.legal_everywhere(asked.subject)
    assert found.verdict is Termination.TIMEOUT
    assert "1 of 1 positions failed; " in found.detail and "more were not asked" in found.detail


def test_a_hang_that_was_seen_is_not_waited_for_again() -> None:
    asked = Asked(Process(LATE))
    assert answers.clean_stdout(asked.subject).passed, "other items judge that"
    assert asked.subject.hang is LATE
    assert answers.ply_echo(asked.subject).passed is None
    found = answers.legal_everywhere(asked.subject)
    assert (found.verdict, len(asked.started)) == (Termination.TIMEOUT, 1)


@pytest.mark.parametrize(
    ("wrong", "stdout", "ply"),
    [
        (ILLEGAL, True, True),
        (WRONG_PLY, True, False),
        (offence(Termination.BAD_JSON), False, True),
        (EXITED, True, True),
    ],
)
def test_each_item_judges_its_own_faults(wrong: Offence, stdout: bool, ply: bool) -> None:
    asked = Asked(Process(wrong), Process(wrong))
    assert answers.clean_stdout(asked.subject).passed is stdout
    assert answers.ply_echo(asked.subject).passed is ply


def test_plies_are_judged_after_an_opening() -> None:
    began = list[int]()

    class Telling(Process):
        def start(self, practice: PracticeGame) -> None:
            super().start(practice)
            began.append(len(practice.moves))

    asked = Asked(Telling(None))
    assert answers.ply_echo(asked.subject).detail.startswith("4 turns")
    assert len(began) == 2 and min(began) > 0
