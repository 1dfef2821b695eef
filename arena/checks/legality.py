"""A legal move everywhere: the golden positions of every board, and the move after."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from arena.checks.dialogue import Dialogue, Offence
from arena.checks.positions import Golden, golden
from arena.checks.result import Finding, passed
from arena.checks.subject import ANSWERED, Subject
from arena.checks.table import Table
from arena.model.protocol import Clock, Termination
from arena.referee import SessionPool
from rules.position import Game

_BUDGET_S = 10.0
"""For one board: a program that takes a second for each `start` is asked in fewer positions."""
_TURNS = 2
"""Moves asked for from each position on."""
_ENOUGH = 3
"""So many deaths show where it dies, so many tries that it is the position; each costs a start."""


Value = TypeVar("Value", int, str)


class Asked(NamedTuple):
    """A position the program was asked about."""

    board: str
    at: Golden
    offence: Offence | None

    @property
    def where(self) -> str:
        """`othello cornerless, ply 56, seat 1 (one legal move)`."""
        return f"{self.board}, ply {len(self.at.moves)}, seat {self.at.seat} ({self.at.trait})"


def legal_everywhere(subject: Subject) -> Finding:
    """Whether it answers with a legal move in every golden position."""
    asked: list[Asked] = []
    with SessionPool() as pool:
        asker = _Asker(subject, pool)
        for board, game in subject.boards.items():
            asked += _ask_board(asker, board, game)
            last = asked[-1].offence
            if last is not None and last.termination is Termination.TIMEOUT:
                break
        asker.leave()
    wrong = [one for one in asked if one.offence is not None]
    if not wrong:
        return passed(f"{len(asked)} positions of {', '.join(subject.boards)}")
    first = wrong[0]
    assert first.offence is not None, "the wrong ones have one"
    count = f"{len(wrong)} of {len(asked)} positions failed; the first: {first.where}"
    hint = pattern(asked, subject)
    found = subject.failed(first.offence, count)
    return found.model_copy(update={"fix": f"{hint} {found.fix}"}) if hint else found


def _ask_board(asker: _Asker, board: str, game: Game) -> list[Asked]:
    """What came of each position of a board, as far as it is worth asking."""
    asked: list[Asked] = []
    deadline, deaths = time.monotonic() + _BUDGET_S, 0
    for at in golden(game):
        try:
            asker.ask(at)
            asked.append(Asked(board, at, None))
        except Offence as offence:
            asked.append(Asked(board, at, offence))
            deaths += offence.termination not in ANSWERED
            if deaths >= _ENOUGH or offence.termination is Termination.TIMEOUT:
                break
        if time.monotonic() > deadline:
            break
    return asked


class _Asker:
    """Asks in a living process while that works, so that slow starts are paid once.

    What goes wrong in a later game of a process is tried again in a fresh one: only what goes
    wrong there too is the position's. The rest is noted as a matter of the second game.
    """

    def __init__(self, subject: Subject, pool: SessionPool) -> None:
        self._subject = subject
        self._pool = pool
        self._dialogue: Dialogue | None = None
        self._confirmed = 0
        """How often what went wrong in a later game went wrong in a fresh process too."""

    def ask(self, at: Golden) -> None:
        """Moves from a position on. Raises Offence."""
        if self._dialogue is None or self._subject.again is not None:
            self._fresh()
        assert self._dialogue is not None, "just made"
        try:
            self._moves(self._dialogue, at)
        except Offence as offence:
            later = self._dialogue.games > 1
            if later and offence.termination in ANSWERED and self._confirmed >= _ENOUGH:
                raise  # it is wrong in a first game too, and can be asked again
            self.leave()
            if not later:
                raise
            try:
                self._moves(self._fresh(), at)
            except Offence:
                self._confirmed += 1
                self.leave()
                raise
            self._subject.note_later(offence)

    def _fresh(self) -> Dialogue:
        self.leave()
        self._dialogue = self._subject.open(self._pool)
        return self._dialogue

    def leave(self) -> None:
        """End the process."""
        if self._dialogue is not None:
            self._subject.close(self._dialogue)
        self._dialogue = None

    def _moves(self, dialogue: Dialogue, at: Golden) -> None:
        table = Table(at.position, at.moves, at.seat, seed=len(at.moves))
        dialogue.start(table, Clock(move_ms=self._subject.limits.hurry_ms))
        for _ in range(_TURNS):
            if not table.is_over:
                answered = dialogue.ask(table)
                self._subject.slowest_ms = max(self._subject.slowest_ms, answered.used_ms)
                table.play(answered.move.move)
        dialogue.end(table)


def pattern(asked: list[Asked], subject: Subject) -> str:
    """What the positions have in common in which it failed, and the others have not."""
    by_seat = _only(asked, lambda one: one.at.seat)
    if by_seat is not None:
        if not _answered(asked):
            return f"It fails only at seat {by_seat}."
        return (
            f"It fails only at seat {by_seat}: take the seat from each `start` "
            "(`seat`, 0 or 1) instead of always playing the same side."
        )
    rule_set = _only(asked, lambda one: one.at.position.game.name)
    if rule_set is not None and subject.claims is None:
        return (
            f"It fails only in {rule_set}: if it is not meant to play that, say what it plays "
            'in a bot.toml (rules = ["…"]), or check it with --rules.'
        )
    board = _only(asked, lambda one: one.board)
    if board is not None:
        return f"It fails only in {board}: read size and rules from `variant` in each `start`."
    return ""


def _answered(asked: list[Asked]) -> bool:
    """Whether all that was wrong are answers."""
    return all(one.offence is None or one.offence.termination in ANSWERED for one in asked)


def _only(asked: list[Asked], of: Callable[[Asked], Value]) -> Value | None:
    """The one value that all failures share, where there are several and others succeeded."""
    wrong = [of(one) for one in asked if one.offence is not None]
    right = {of(one) for one in asked if one.offence is None}
    return wrong[0] if len(wrong) > 1 and len(set(wrong)) == 1 and right - set(wrong) else None
