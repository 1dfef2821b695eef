"""Its answers: only replies on stdout, each with its `ply`, and a legal move everywhere."""

from __future__ import annotations

import itertools
import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import NamedTuple, TypeVar

from arena.checks.dialogue import Dialogue, Offence
from arena.checks.positions import PracticePosition
from arena.checks.result import CheckFinding, not_judged, passed
from arena.checks.subject import ANSWERED, FRESH_TRIES, UNCLEAN, Subject
from arena.model.protocol import Termination
from rules.position import Game

_SPEECH_TURNS = 3
"""Moves asked for in a game whose lines are looked at."""
_TURNS = 2
"""Moves asked for from each position on."""
_BOARD_S = 10.0
"""Seconds for one board: a program with slow starts is asked in fewer positions."""
_ENOUGH = 3
"""Deaths that show where it dies, and tries that show that it is the position; each is a start."""

Value = TypeVar("Value", int, str)


def clean_stdout(subject: Subject) -> CheckFinding:
    """Judge whether stdout has replies and nothing else, also when nothing was asked."""
    lines = _in_each_rule_set(subject, _listened_to)
    return passed(f"only replies, {lines} in all") if isinstance(lines, int) else lines


def ply_echo(subject: Subject) -> CheckFinding:
    """Judge whether each answer has the `ply` of its turn, in games that begin after an opening
    where there is one.
    """
    answers = _in_each_rule_set(subject, _echoed)
    if answers == 0:
        return not_judged("skipped: no valid answer (see item 6)")
    if isinstance(answers, int):
        return passed(f"{answers} turns, each answered with its own ply")
    return answers


def _in_each_rule_set(
    subject: Subject, count: Callable[[Subject, Dialogue, Game], int]
) -> int | CheckFinding:
    """The sum of a count over a process for each rule set; or the finding of an offence."""
    total = 0
    for rule_set, game in subject.first_boards.items():
        if subject.hang is not None:
            break
        try:
            with subject.process() as dialogue:
                total += count(subject, dialogue, game)
        except Offence as offence:
            return subject.failed(offence, rule_set)
    return total


def _listened_to(subject: Subject, dialogue: Dialogue, game: Game) -> int:
    """The lines it wrote in a few turns, with a pause after each. Raises Offence (unclean)."""
    practice = subject.opening(game)
    try:
        dialogue.start(practice)
        for _ in range(_SPEECH_TURNS):
            dialogue.listen()
            if not practice.is_over:
                practice.play(dialogue.ask(practice).move.move)
        dialogue.end(practice)
        dialogue.listen()
    except Offence as offence:
        if offence.termination in UNCLEAN:
            raise  # other items judge the rest
        if offence.termination is Termination.TIMEOUT:
            subject.hang = offence
    return dialogue.process.lines_read


def _echoed(subject: Subject, dialogue: Dialogue, game: Game) -> int:
    """The turns that were answered with their ply. Raises Offence (wrong ply)."""
    answers = 0
    try:
        positions = subject.positions(game)
        for at in positions[1:3] or positions:
            practice = subject.at(at)
            dialogue.start(practice)
            for _ in dialogue.turns(practice, _SPEECH_TURNS):
                answers += 1
            dialogue.end(practice)
    except Offence as offence:
        if offence.termination is Termination.WRONG_PLY:
            raise
    return answers


class AskedPosition(NamedTuple):
    """A position the program was asked about, and its offence."""

    board: str
    at: PracticePosition
    offence: Offence | None

    @property
    def rule_set(self) -> str:
        return self.at.position.game.name


def legal_everywhere(subject: Subject) -> CheckFinding:
    """Judge whether it answers with a legal move in every practice position."""
    if subject.hang is not None:
        return subject.failed(subject.hang, "in the first turns of a game")
    asked: list[AskedPosition] = []
    with ExitStack() as living:
        asker = _Asker(subject, living)
        for board, game in subject.boards.items():
            asked += _ask_board(asker, board, _seats_in_turn(subject.positions(game)))
            last = asked[-1].offence
            if last is not None and last.termination is Termination.TIMEOUT:
                break
    wrong = [(one, one.offence) for one in asked if one.offence is not None]
    subject.wrong = frozenset(offence.termination for _, offence in wrong)
    left = sum(len(subject.positions(game)) for game in subject.boards.values()) - len(asked)
    unasked = f"; {left} more were not asked" if left else ""
    if not wrong:
        slow = f"{unasked}: its starts and answers took too long for all" if left else ""
        return passed(f"{len(asked)} positions of {', '.join(subject.boards)}{slow}")
    (board, at, _), offence = wrong[0]
    where = f"{board}, ply {len(at.moves)}, seat {at.seat} ({at.trait})"
    count = f"{len(wrong)} of {len(asked)} positions failed{unasked}; the first: {where}"
    hint = _pattern(asked, subject)
    finding = subject.failed(offence, count)
    return finding.model_copy(update={"fix": f"{hint} {finding.fix}"}) if hint else finding


def _seats_in_turn(positions: Sequence[PracticePosition]) -> list[PracticePosition]:
    """The positions, seat by seat in turn: a slow program is asked for both before time is over."""
    turns = defaultdict[int, Iterator[int]](itertools.count)
    return sorted(positions, key=lambda at: next(turns[at.seat]))


def _ask_board(
    asker: _Asker, board: str, positions: Sequence[PracticePosition]
) -> list[AskedPosition]:
    """The positions of a board, until the time is over or the trouble is known."""
    asked: list[AskedPosition] = []
    deadline, deaths = time.monotonic() + _BOARD_S, 0
    for number, at in enumerate(positions, 1):
        asker.report(f"{board}, position {number} of {len(positions)}")
        try:
            asker.ask(at)
            asked.append(AskedPosition(board, at, None))
        except Offence as offence:
            asked.append(AskedPosition(board, at, offence))
            deaths += offence.termination not in ANSWERED
            if deaths >= _ENOUGH or offence.termination is Termination.TIMEOUT:
                break
        if time.monotonic() > deadline:
            break
    return asked


class _Asker:
    """Asks in a living process, so slow starts are paid once. A failure in a later game is tried
    again in a fresh process: unless it fails there too, it is for the item about a second game.
    """

    def __init__(self, subject: Subject, living: ExitStack) -> None:
        self._subject = subject
        self.report = subject.report
        self._living = living
        self._dialogue: Dialogue | None = None
        self._confirmed = 0  # failures in a later game that a fresh process had too

    def ask(self, at: PracticePosition) -> None:
        """Ask for moves from a position on. Raises Offence."""
        dialogue = self._dialogue
        if dialogue is None or self._subject.again is not None:
            dialogue = self._fresh()
        try:
            self._moves(dialogue, at)
        except Offence as offence:
            later = dialogue.games > 1
            if later and offence.termination in ANSWERED and self._confirmed >= _ENOUGH:
                raise  # it is wrong in a first game too, and can be asked again
            self._leave()
            if not later:
                raise
            try:
                for _ in range(FRESH_TRIES):
                    self._moves(self._fresh(), at)
            except Offence:
                self._confirmed += 1
                self._leave()
                raise
            self._subject.note_later(offence)

    def _fresh(self) -> Dialogue:
        self._leave()
        self._dialogue = self._living.enter_context(self._subject.process())
        return self._dialogue

    def _leave(self) -> None:
        self._dialogue = None
        self._living.close()

    def _moves(self, dialogue: Dialogue, at: PracticePosition) -> None:
        practice = self._subject.at(at)
        dialogue.start(practice)
        for answered in dialogue.turns(practice, _TURNS):
            self._subject.slowest_ms = max(self._subject.slowest_ms, answered.used_ms)
        dialogue.end(practice)


def _pattern(asked: list[AskedPosition], subject: Subject) -> str:
    """Advice by what the failures have in common; empty where that is nothing."""
    wrong = [one for one in asked if one.offence is not None]
    failing = dict.fromkeys(one.rule_set for one in wrong)
    fine = [name for name in dict.fromkeys(one.rule_set for one in asked) if name not in failing]
    other_games = ""
    if subject.claims is None and fine and len(wrong) > 1:
        other_games = (
            f"It fails only in {', '.join(failing)}: if it is not meant to play that, say what it "
            f"plays: `rules = {json.dumps(fine)}` in a bot.toml, or "
            f"{' '.join(f'--rules {name}' for name in fine)}."
        )
    boards = {one.board for one in wrong}
    there = [one for one in asked if one.board in boards]
    everywhere = boards == {one.board for one in asked if one.rule_set in failing}
    both_seats = len({(one.board, one.at.seat) for one in there}) == 2 * len(boards)
    by_seat = _only(there, lambda one: one.at.seat) if everywhere and both_seats else None
    if by_seat is not None and _are_half(wrong, [one for one in there if one.at.seat == by_seat]):
        if not subject.wrong <= ANSWERED:
            return f"It fails only at seat {by_seat}."
        return (
            f"It fails only at seat {by_seat}: take the seat from each `start` "
            "(`seat`, 0 or 1) instead of always playing the same side."
        )
    if other_games:
        return other_games
    board = _only(asked, lambda one: one.board)
    is_illegal = subject.wrong == {Termination.ILLEGAL_MOVE}
    if board is not None and (is_illegal or _are_half(wrong, there)):
        return (
            f"It fails only in {board}: read size and rules from `variant` in each `start`, or, if "
            "it is not meant to play that, check it with the file of its tournament "
            "(--tournament FILE, or `check` in course.toml)."
        )
    return ""


def _are_half(wrong: list[AskedPosition], there: list[AskedPosition]) -> bool:
    """Whether too many failed for it to be chance that all others did not."""
    return 2 * len(wrong) >= len(there)


def _only(asked: list[AskedPosition], of: Callable[[AskedPosition], Value]) -> Value | None:
    """The one value that all failures share, where there are several and others succeeded."""
    wrong = [of(one) for one in asked if one.offence is not None]
    right = {of(one) for one in asked if one.offence is None}
    return wrong[0] if len(wrong) > 1 and len(set(wrong)) == 1 and right - set(wrong) else None
