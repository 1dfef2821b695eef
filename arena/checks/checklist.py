"""The items of a check in order, and the walk through them."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from arena.checks.answers import clean_stdout, legal_everywhere, ply_echo
from arena.checks.conditions import Conditions
from arena.checks.dialogue import Offence, Overloaded
from arena.checks.games import against_itself, against_opponent, second_game
from arena.checks.limits import memory, near_the_clock, no_network
from arena.checks.result import CheckFinding, CheckResult, not_judged
from arena.checks.start_stop import builds, exit_on_quit, no_strays, package_safety, start_time
from arena.checks.subject import Subject
from arena.model.containment import Held
from arena.model.contender import Prepared
from arena.model.protocol import Termination

_TRIES = 3
"""How often an item is tried on an overloaded host, as the games of a tournament are."""


class Item(NamedTuple):
    title: str
    judge: Callable[[Subject], CheckFinding]
    needed: bool = False
    """Whether nothing after it can be judged when it fails."""


ITEMS = (
    Item("package safety", package_safety, needed=True),
    Item("build", builds, needed=True),
    Item("start time", start_time, needed=True),
    Item("clean stdout", clean_stdout, needed=True),
    Item("ply echo", ply_echo, needed=True),
    Item("legal moves", legal_everywhere),
    Item("near the clock", near_the_clock),
    Item("a second game", second_game),
    Item("memory", memory),
    Item("no network", no_network),
    Item("no stray processes", no_strays),
    Item("exit on quit", exit_on_quit),
    Item("games against another", against_opponent),
    Item("games against itself", against_itself),
)
"""The list. Students know its numbers, so a new item goes to its end."""


def run_checks(
    path: Path,
    opponent: Prepared,
    held: Held,
    conditions: Conditions,
    report: Callable[[str], None],
) -> Iterator[CheckResult]:
    """Judge the script, folder or archive at `path`; each result as soon as it is known. `opponent`
    plays against it, `held` is the sandbox of this machine (the bot gets one of its mode), `report`
    takes the item being judged. OSError: the host failed.
    """
    title = ""

    def report_progress(how_far: str) -> None:
        report(f"{title}: {how_far}")

    subject = Subject(path, opponent, held, conditions, report_progress)
    failed, until = 0, "fixed"
    for number, item in enumerate(ITEMS, 1):
        began, title = time.monotonic(), f"{number:2} {item.title}"
        report(title)
        if failed:
            skipped = f"skipped until item {failed} is {until}"
            finding = CheckFinding(passed=None, detail=skipped, needs=failed)
        else:
            finding = _judge(item, subject)
        seconds = time.monotonic() - began
        yield CheckResult(**finding.model_dump(), number=number, title=item.title, seconds=seconds)
        hangs = finding.verdict is Termination.TIMEOUT and item.judge is legal_everywhere
        if finding.passed is False and (item.needed or hangs):
            failed = number
        elif item.judge is start_time and not subject.rules:  # the host was overloaded
            failed, until = number, "judged"


def _judge(item: Item, subject: Subject) -> CheckFinding:
    """The finding of an item, tried again while the host was overloaded."""
    for _ in range(_TRIES):
        try:
            finding = item.judge(subject)
        except Overloaded as error:
            why = f"not your fault: the machine was too busy ({error}). Run the check again."
            finding = not_judged(why)
            continue
        except Offence as offence:  # a start that failed now, and not in the item about starts
            finding = subject.failed(offence)
        break
    judged_later = item.judge is not memory and bool(subject.rules)  # if it has started at all
    if finding.verdict is Termination.OUT_OF_MEMORY and judged_later:
        return not_judged("it went beyond its memory limit (see item 9)")
    return finding
