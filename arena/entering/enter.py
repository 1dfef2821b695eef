"""The check of a bot, and its way into a folder of submissions on this machine."""

import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from arena.bots import course
from arena.bots.archive import is_archive
from arena.bots.build import build
from arena.bots.course_file import check_file
from arena.bots.package import Bot, forget, refuse_missing, refuse_nameless, take
from arena.bots.submissions import receipt_of
from arena.bots.versions import CheckedItem, Receipt, named, place_of, playing, submitted
from arena.checks.checklist import run_checks
from arena.checks.conditions import Conditions, draw_seed
from arena.checks.events import Checked, Checking, Entered, Event, Judging, PointJudged
from arena.checks.result import Checklist
from arena.errors import PackageError, SubmissionError
from arena.files.imports import module_command
from arena.model.containment import SandboxChoice
from arena.model.contender import Prepared
from arena.sandbox.probe import resolve
from arena.tournament.conditions import load_conditions
from players.catalogue import BUILTINS

OnEvent = Callable[[Event], None]


def enter(
    path: Path,
    to: Path,
    owner: str | None,
    on_event: OnEvent,
    *,
    tournament: Path | None = None,
    sandbox: SandboxChoice | None = None,
    sent_at: datetime | None = None,
    returning: Callable[[], None] = lambda: None,
    accepting: Callable[[], None] = lambda: None,
) -> Entered:
    """Check the bot at `path`, and accept it into `to` if it passes. Files that were checked before
    are accepted as they are, unless they are for a `tournament`; others are checked for the one the
    course names, if they play its game. It was submitted at `sent_at`, else now, whenever its check
    ends. `returning` is called, and may refuse, where a version that was accepted before is to
    play again; `accepting` where nothing may end this any more. Raises ArenaError.
    """
    now = sent_at or datetime.now(UTC)
    bot = course.admitted(to, take(path), owner, now)  # refused before a check of half a minute
    home = to / bot.name
    if not home.exists():
        refuse_builtin(bot.name, ", in bot.toml" if bot.rules else " name for the file")
    known = receipt_of(bot, to)
    if known is not None and tournament is None:
        before = playing(home)
        if before is None or before.version != known.version:
            returning()
        bot = bot.model_copy(update={"build": None})
        accepting()
        return _entered(bot, *course.submit(to, bot, known.checked, owner, now))
    conditions = conditions_of(home, tournament or _tournament_of(bot, home, to))
    conditions = conditions.with_python(course.python_of(to))
    checklist = check(path, conditions, sandbox, on_event, _opened(bot))
    if not checklist.passed:
        forget(bot)
        return _entered(bot, None, playing(home))
    built = build(bot, checklist.sandbox.mode, conditions.python_for(bot))
    accepting()
    return _entered(bot, *course.submit(to, built, _checked_items(checklist), owner, now))


def refuse_builtin(name: str, where: str = "") -> None:
    """A new bot of that name would not take part next to the built-in player; `where` it has it."""
    if name in BUILTINS:
        raise SubmissionError(f"{name} is the name of a built-in player; choose another{where}")


def check_only(
    path: Path,
    on_event: OnEvent,
    *,
    tournament: Path | None = None,
    rules: list[str] | None = None,
    seed: int | None = None,
    sandbox: SandboxChoice | None = None,
) -> Checklist:
    """Check the bot that `path` names, perhaps a submitted version. Raises ArenaError."""
    submission = submitted(path)
    if submission is None:
        refuse_missing(path)
    conditions = conditions_of(path, tournament, rules, seed)
    note = ""
    if submission is not None:
        conditions = conditions.with_python(course.python_of(submission[0].parent))
        opened = place_of(path)
    else:
        opened, note = (path, "") if conditions.in_place else _as_handed_in(path)
    return check(path, conditions, sandbox, on_event, opened, note)


def _as_handed_in(path: Path) -> tuple[Path, str]:
    """A script without the files next to it, and a note on a name that only a course takes;
    anything else where it is.
    """
    if path.is_dir() or is_archive(path):
        return path, ""
    try:
        bot = take(path)
    except PackageError:  # the first item says why
        return path, ""
    try:
        refuse_nameless(path)
    except PackageError as error:
        only = "only a course takes a file of this name: folders and arena match refuse it"
        return _opened(bot), f"{only}: {error.reasons[0]}"
    return _opened(bot), ""


def _opened(bot: Bot) -> Path:
    return Path(bot.cwd, bot.opens)


def check(
    path: Path,
    conditions: Conditions,
    sandbox: SandboxChoice | None,
    on_event: OnEvent,
    opened: Path,
    note: str = "",
) -> Checklist:
    """The whole list; `opened` is where the bot of `path` is now, and the first item ends with the
    `note`. Raises SandboxError.
    """
    held = resolve(sandbox or conditions.sandbox, Prepared(name="bot", command=(sys.executable,)))
    monkey = module_command(BUILTINS["monkey"].module)
    opponent = Prepared(name="monkey", command=monkey, builtin=True)
    on_event(Checking(held=held, terms=conditions.terms))
    results = []

    def judging(what: str) -> None:
        on_event(Judging(what=what))

    for result in run_checks(opened, opponent, held, conditions, judging):
        if note and result.number == 1:
            result = result.model_copy(update={"detail": f"{result.detail}\n{note}"})
        results.append(result)
        on_event(PointJudged(result=result))
    given = os.fsencode(path).decode(errors="backslashreplace")
    checklist = Checklist.of(given, held, results, conditions.seed)
    on_event(Checked(checklist=checklist))
    return checklist


def conditions_of(
    bot: Path, tournament: Path | None, rules: list[str] | None = None, seed: int | None = None
) -> Conditions:
    """The conditions of a check: those of a tournament, if one is given. Raises ConfigError."""
    drawn = draw_seed() if seed is None else seed
    if tournament is not None:
        return load_conditions(tournament, bot, drawn)
    return Conditions(rules=tuple(rules or ()) or None, seed=drawn)


def _tournament_of(bot: Bot, home: Path, to: Path) -> Path | None:
    """The tournament that a course names for checks, if the bot plays its game."""
    file = check_file(to)
    if file is None:
        return None
    terms = conditions_of(home, file).terms
    plays = bot.rules is None or (terms is not None and terms.rules in bot.rules)
    return file if plays else None


def _checked_items(checklist: Checklist) -> list[CheckedItem]:
    return [
        CheckedItem(title=result.title, passed=result.passed, detail=result.detail)
        for result in checklist.results
    ]


def _entered(bot: Bot, version: Receipt | None, before: Receipt | None) -> Entered:
    now, earlier = (named(each) if each else None for each in (version, before))
    return Entered(name=bot.name, rules=bot.rules, version=now, before=earlier)
