"""A subject without a program: its processes answer as a test says, at once."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arena.checks.conditions import Conditions
from arena.checks.dialogue import Offence
from arena.checks.languages import ANY
from arena.checks.subject import Subject
from arena.model.containment import Held
from arena.model.contender import Prepared
from arena.model.protocol import Termination
from arena.model.record import PlayerFault

from .conftest import QUICK


def offence(termination: Termination, detail: str = "…", **more: Any) -> Offence:
    return Offence(PlayerFault(termination, detail), **more)


def scripted(answers: Callable[..., Any], *rules: str, **more: Any) -> Subject:
    """A subject whose processes are made by `answers`; it is judged in these rule sets."""
    conditions = Conditions(**{"rules": rules, "clocks": QUICK, "seed": 2048} | more)
    command = (sys.executable, "-c", "")
    other = Prepared(name="other", command=command)
    subject = Subject(Path("bot.py"), other, Held(), conditions, lambda _: None, rules=rules)

    @contextmanager
    def process() -> Iterator[Any]:
        yield answers()

    vars(subject).update(process=process, language=ANY, spec=Prepared(name="bot", command=command))
    return subject
