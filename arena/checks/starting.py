"""Start time: does it come up, how fast, and for which rule sets."""

from __future__ import annotations

from arena.checks.dialogue import Offence
from arena.checks.launching import launch_fix
from arena.checks.positions import games
from arena.checks.result import Finding, passed
from arena.checks.subject import ANSWERED, Subject
from arena.checks.table import Table
from arena.model.protocol import Clock, Termination
from rules import GAMES


def start_time(subject: Subject) -> Finding:
    """Whether `start` is answered in time, in a fresh process for each rule set.

    A script that claims none is asked in all: where it exits at `start` it does not play.
    """
    took: dict[str, str] = {}
    declined: Offence | None = None
    for rule_set in subject.claims or GAMES:
        try:
            took[rule_set] = _start(subject, rule_set)
        except Offence as offence:
            if subject.claims is not None or offence.termination is not Termination.EXITED:
                fix = launch_fix(subject.spec)
                return subject.failed(offence, f"start of {rule_set}", fix)
            declined = declined or offence
    if not took:
        assert declined is not None, "nothing was started, so everything was declined"
        fix = launch_fix(subject.spec)
        return subject.failed(declined, "start of every rule set", fix)
    subject.rules = tuple(took)
    return passed(", ".join(f"{rule_set} {said}" for rule_set, said in took.items()))


def _start(subject: Subject, rule_set: str) -> str:
    """How long it took, in words. Raises Offence."""
    game = next(iter(games(rule_set).values()))
    table = Table(game.start(1), (), seat=0, seed=1)
    with subject.process() as dialogue:
        try:
            used_ms = dialogue.start(table, Clock(move_ms=subject.limits.move_ms))
        except Offence as offence:
            if offence.termination in ANSWERED:  # in time; what it wrote is judged by the next item
                return "answered"
            raise
    return f"ready after {used_ms:.0f} ms"
