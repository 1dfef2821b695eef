"""The check of a bot, and its way into a folder of submissions on this machine."""

import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from arena.bots import course
from arena.bots.build import build
from arena.bots.package import Bot, take
from arena.bots.programs import module
from arena.bots.submissions import receipt_of
from arena.bots.versions import CheckedItem, Receipt, active
from arena.checks import Checklist, Conditions, run_checks
from arena.checks.conditions import draw_seed
from arena.checks.events import Checked, Checking, Entered, Event, Judged, Judging
from arena.model.containment import Asked
from arena.model.contender import Prepared
from arena.sandbox.probe import resolve
from arena.tournament.conditions import load_conditions
from players.catalogue import BUILTINS

Tell = Callable[[Event], None]


def enter(
    path: Path,
    to: Path,
    owner: str | None,
    tell: Tell,
    *,
    tournament: Path | None = None,
    sandbox: Asked | None = None,
) -> Entered:
    """Check the bot at `path`, and accept it into `to` if it passes. Files that were checked before
    are accepted as they are, unless they are for a tournament. Raises ArenaError.
    """
    now = datetime.now(UTC)
    bot = course.admitted(to, take(path), owner, now)  # refused before a check of half a minute
    before = active(to / bot.name)
    known = receipt_of(bot, to)
    if known is not None and tournament is None:
        bot = bot.model_copy(update={"build": None})
        return _entered(bot, course.submit(to, bot, known.checked, owner, now), before)
    conditions = conditions_of(path, tournament).with_python(course.python_of(to))
    script = () if bot.rules else (Path(bot.source).name,)
    checklist = check(path, conditions, sandbox, tell, opened=Path(bot.cwd, *script))
    if not checklist.passed:
        return _entered(bot, None, before)
    built = build(bot, checklist.sandbox.mode, conditions.python_for(bot))
    return _entered(bot, course.submit(to, built, _kept(checklist), owner, now), before)


def check(
    path: Path,
    conditions: Conditions,
    sandbox: Asked | None,
    tell: Tell,
    *,
    opened: Path | None = None,
) -> Checklist:
    """The whole list; `opened` is where the bot of `path` is now. Raises SandboxError."""
    held = resolve(sandbox or conditions.sandbox, Prepared(name="bot", command=(sys.executable,)))
    opponent = Prepared(name="monkey", command=module(BUILTINS["monkey"].module), builtin=True)
    tell(Checking(held=held, terms=conditions.terms))
    results = []

    def judging(what: str) -> None:
        tell(Judging(what=what))

    for result in run_checks(opened or path, opponent, held, conditions, judging):
        results.append(result)
        tell(Judged(result=result))
    checklist = Checklist.of(str(path), held, results, conditions.seed)
    tell(Checked(checklist=checklist))
    return checklist


def conditions_of(
    bot: Path,
    tournament: Path | None,
    rules: list[str] | None = None,
    seed: int | None = None,
) -> Conditions:
    """The conditions of a check: those of a tournament, if one is given. Raises ConfigError."""
    drawn = draw_seed() if seed is None else seed
    if tournament is not None:
        return load_conditions(tournament, bot, drawn)
    return Conditions(rules=tuple(rules or ()) or None, seed=drawn)


def _kept(checklist: Checklist) -> list[CheckedItem]:
    return [
        CheckedItem(title=result.title, passed=result.passed, detail=result.detail)
        for result in checklist.results
    ]


def _entered(bot: Bot, receipt: Receipt | None, before: str | None) -> Entered:
    version = receipt.version if receipt else None
    return Entered(name=bot.name, rules=bot.rules, version=version, before=before)
