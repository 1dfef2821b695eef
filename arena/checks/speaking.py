"""What it writes: nothing but replies on stdout, each with the `ply` that was asked."""

from __future__ import annotations

from arena.checks.dialogue import Dialogue, Offence
from arena.checks.positions import golden
from arena.checks.result import Finding, not_judged, passed
from arena.checks.subject import UNCLEAN, Subject
from arena.checks.table import Table
from arena.model.protocol import Clock, Termination
from rules.position import Game

_TURNS = 3


def clean_stdout(subject: Subject) -> Finding:
    """Whether stdout holds replies and nothing else, also when nobody has asked."""
    lines = 0
    for rule_set, game in subject.first_boards.items():
        if subject.hangs:
            break
        try:
            with subject.process() as dialogue:
                lines += _attended(subject, dialogue, game)
        except Offence as offence:
            return subject.failed(offence, rule_set)
    return passed(f"{lines} lines, all of them replies")


def _attended(subject: Subject, dialogue: Dialogue, game: Game) -> int:
    """A few turns, listened to after each; how many lines it wrote. Raises Offence (unclean)."""
    table = Table(game.start(1), (), seat=0, seed=1)
    try:
        dialogue.start(table, Clock(move_ms=subject.limits.move_ms))
        for _ in range(_TURNS):
            dialogue.listen()
            if not table.is_over:
                table.play(dialogue.ask(table).move.move)
        dialogue.end(table)
        dialogue.listen()
    except Offence as offence:
        if offence.termination in UNCLEAN:
            raise  # all else is the matter of other items
        subject.hangs = offence.termination is Termination.TIMEOUT
    return dialogue.lines


def ply_echo(subject: Subject) -> Finding:
    """Whether each answer has the `ply` of its turn, in games that begin after an opening."""
    asked = 0
    for rule_set, game in subject.first_boards.items():
        if subject.hangs:
            break
        try:
            with subject.process() as dialogue:
                asked += _echoed(subject, dialogue, game)
        except Offence as offence:
            return subject.failed(offence, rule_set)
    if not asked:
        return not_judged("it gave no answer whose ply could be looked at; the next item says why")
    return passed(f"{asked} turns, each answered with its own ply")


def _echoed(subject: Subject, dialogue: Dialogue, game: Game) -> int:
    """How many turns were answered with their ply. Raises Offence (wrong ply)."""
    answers = 0
    try:
        for at in golden(game)[1:3]:
            table = Table(at.position, at.moves, at.seat, seed=1)
            dialogue.start(table, Clock(move_ms=subject.limits.move_ms))
            for _ in range(_TURNS):
                if not table.is_over:
                    table.play(dialogue.ask(table).move.move)
                    answers += 1
            dialogue.end(table)
    except Offence as offence:
        if offence.termination is Termination.WRONG_PLY:
            raise
    return answers
