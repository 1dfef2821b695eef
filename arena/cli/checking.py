"""`arena check`: a bot goes through the list, and its author is told what to change."""

from __future__ import annotations

import sys
from pathlib import Path

import typer
from rich.console import Console

from arena.bots.programs import module
from arena.checks import Checklist, CheckResult, run_checks
from arena.errors import Exit, UserError
from arena.model.containment import Asked, Held
from arena.model.contender import Prepared
from arena.reports import checklist as report
from arena.sandbox.probe import resolve
from players.catalogue import BUILTINS

_OPPONENT = BUILTINS["monkey"]


def opponent() -> Prepared:
    """Who a bot meets in a check: the random player, as a process of its own."""
    return Prepared(name=_OPPONENT.name, command=module(_OPPONENT.module))


def hold(asked: Asked) -> Held:
    """What a sandbox for students' bots holds on this machine. Raises SandboxError."""
    return resolve(asked, Prepared(name="bot", command=(sys.executable,)))


def check(path: Path, asked: Asked, rules: tuple[str, ...] | None, *, as_json: bool) -> int:
    """Check a bot, for people or as JSON; the exit code. Raises UserError, SandboxError."""
    if not path.exists():
        raise UserError(f"no such script, folder or archive: {path}")
    held = hold(asked)
    console = Console()
    checklist = go_through(path, held, rules, None if as_json else console)
    if as_json:
        typer.echo(checklist.model_dump_json(indent=2))
    return Exit.DONE if checklist.passed else Exit.FAILED


def go_through(
    path: Path, held: Held, rules: tuple[str, ...] | None, console: Console | None
) -> Checklist:
    """The whole list, shown on a console as it goes."""
    if console is not None:
        report.show_start(str(path), held, console)
    results: list[CheckResult] = []
    for result in run_checks(path, opponent(), held, rules=rules):
        results.append(result)
        if console is not None:
            report.show_result(result, console)
    checklist = Checklist.of(str(path), held, results)
    if console is not None:
        report.show_end(checklist, console)
    return checklist
