"""A second game in the same process, as a tournament that keeps processes plays it."""

from __future__ import annotations

import time

from arena.checks.dialogue import Dialogue, Offence
from arena.checks.positions import Golden, golden
from arena.checks.result import Finding, not_judged, passed
from arena.checks.subject import Subject
from arena.checks.table import Table
from arena.model.protocol import Clock, Termination

_MOVES, _GAME_S = 40, 10.0
"""The first game is no longer than this, in moves of the program and in time."""


def second_game(subject: Subject) -> Finding:
    """Whether a process that has played a game to its end plays others, on other boards and seats.

    The golden positions were asked in one process where that went well: what did not is told here.
    """
    if subject.again is not None:
        return _failed(subject, subject.again)
    with subject.process() as dialogue:
        try:
            _first(subject, dialogue)
        except Offence as offence:
            return not_judged(f"it did not play on in its first game ({offence.termination})")
        at = _other(subject)
        try:
            _move(subject, dialogue, at)
        except Offence as offence:
            later = offence
        else:
            return passed(f"{dialogue.games} games in one process")
    try:
        with subject.process() as dialogue:
            _move(subject, dialogue, at)
    except Offence:
        return not_judged("what it failed at in a second game, it fails at in a first one too")
    subject.note_later(later)
    return _failed(subject, later)


def _first(subject: Subject, dialogue: Dialogue) -> None:
    """A whole game. Raises Offence."""
    table = Table(next(iter(subject.boards.values())).start(1), (), seat=0, seed=1)
    dialogue.start(table, _clock(subject))
    deadline = time.monotonic() + _GAME_S
    for _ in range(_MOVES):
        if not table.is_over and time.monotonic() < deadline:
            dialogue.go_on(table)
    dialogue.end(table)


def _other(subject: Subject) -> Golden:
    """Where the second game begins: on the last board, at the last seat."""
    return next(at for at in reversed(golden(list(subject.boards.values())[-1])) if len(at.moves))


def _move(subject: Subject, dialogue: Dialogue, at: Golden) -> None:
    """A start and a move. Raises Offence."""
    dialogue.listen()
    table = Table(at.position, at.moves, at.seat, seed=1)
    dialogue.start(table, _clock(subject))
    dialogue.ask(table)
    dialogue.end(table)


def _clock(subject: Subject) -> Clock:
    return Clock(move_ms=subject.limits.hurry_ms)


def _failed(subject: Subject, offence: Offence) -> Finding:
    where = "in a later game of the same process, and not in a fresh one"
    if offence.termination is Termination.EXITED and "Traceback" not in offence.stderr:
        fix = "Stay alive after `end`: another `start` may come, and only `quit` ends the program."
    elif offence.termination is Termination.TIMEOUT:
        fix = "Answer every `start` with `ready` and every `turn` with `move`, not the first alone."
    else:
        fix = (
            "Forget the last game when `start` comes: set up board, seat, size and tables anew "
            "from what it says."
        )
    return subject.failed(offence, where, fix)
