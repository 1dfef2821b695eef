"""Its beginning and its end: package, build, start, exit on `quit`, processes left behind."""

import os
import re
import signal
import time
from contextlib import suppress
from pathlib import Path

from arena.bots.entries import files_of, opened
from arena.bots.package import Bot, open_bot
from arena.checks.advice import launch_fix
from arena.checks.dialogue import Dialogue, Offence
from arena.checks.modules import PythonFound, ask_python
from arena.checks.result import CheckFinding, did_not_play_on, failed, passed
from arena.checks.subject import ANSWERED, Subject
from arena.errors import ArchiveError, BuildError, ManifestError, PackageError, ProgramError
from arena.files.plain_text import printable
from arena.model.protocol import Termination
from arena.referee.failures import place_in
from arena.referee.pool import QUIT_S
from arena.sandbox.processes import children, tree
from rules import unusable, usable

_LFS = b"version https://git-lfs.github.com/spec/"
_SETTLE_S = 0.2
"""How long helpers may take to end after the program."""

_PACKAGE_FIXES: tuple[tuple[type[PackageError], str], ...] = (
    (ManifestError, "Correct what is named in bot.toml; `arena new` writes one to compare with."),
    (
        ArchiveError,
        "Correct what is named and pack the bot's folder again, with plain files only: "
        "zip -r my-bot.zip my-bot, or tar czf my-bot.tar.gz my-bot",
    ),
    (
        BuildError,
        "Make `build` in bot.toml work in a fresh copy of the folder, without a network and "
        "with the compilers of this machine, and make what `command` names; or submit what it "
        "makes and leave `build` out.",
    ),
    (
        PackageError,
        "Correct what is named. A bot is a script or a source file, or a folder (or a zip or tar "
        "of it) with a bot.toml that starts a program of that folder.",
    ),
)
"""The advice by the error, whose own sentences name the place."""


def package_safety(subject: Subject) -> CheckFinding:
    """Judge whether the script, folder or archive can be taken."""
    try:
        bot = subject.opened = open_bot(subject.path)
    except PackageError as error:
        about = "" if isinstance(error, ManifestError) else f"{subject.path.absolute().name}: "
        return _refused(error, about)
    terms = subject.conditions.terms
    if terms and bot.rules and terms.rules not in bot.rules:
        return failed(
            f"{bot.name} plays {', '.join(bot.rules)}; the tournament plays {terms.rules}",
            f'Add "{terms.rules}" to `rules` in bot.toml if it plays that.',
        )
    for rule_set in subject.claims or ():
        if why := unusable(rule_set):
            return failed(why, "Repair the package of that game, or take it out of `rules`.")
    kind = "a source file" if bot.build else "a script"
    claims = f"claims {', '.join(bot.rules)}" if bot.rules else f"{kind}, which claims no rules"
    return passed(f"{bot.name}: {claims}")


def builds(subject: Subject) -> CheckFinding:
    """Judge whether its build command makes a program of it, in the sandbox and in time."""
    bot = subject.bot
    try:
        _ = subject.spec
    except PackageError as error:
        return _refused(error, alone=bot.rules is None)
    except ProgramError as error:
        return failed(str(error), "Name a Python that is installed here, or none: arena doctor.")
    return passed(" ".join(bot.build) if bot.build else "nothing to build")


_ALONE = (
    "A source file is submitted alone. If it needs other files, submit a folder with all of them "
    "and a bot.toml (`arena new` writes one)."
)
_LACKS = re.compile(r"no such file|not found", re.IGNORECASE)
"""A compiler's words for a file that is not there."""


def _refused(error: PackageError, about: str = "", *, alone: bool = False) -> CheckFinding:
    fix = next(fix for kind, fix in _PACKAGE_FIXES if isinstance(error, kind))
    if isinstance(error, BuildError):
        place = place_in(error.reasons[0])
        fixes = [f"Fix the error in {printable(place.file)}, line {place.line}."] if place else []
        if alone and (not place or _LACKS.search(error.reasons[0])):
            fixes.append(_ALONE)
        fix = " ".join(fixes) or fix
    return failed("\n".join(about + reason for reason in error.reasons), fix)


def start_time(subject: Subject) -> CheckFinding:
    """Judge whether `start` is answered in time, in a fresh process for each rule set. A script
    that claims none is asked in all: where it exits at `start` it does not play.
    """
    python = ask_python(subject.spec)
    if python and python.lacks:
        return _without_modules(python, script=subject.bot.rules is None)
    about = f"\n{python}" if python else ""
    answers: dict[str, str] = {}
    declined: Offence | None = None
    for rule_set in subject.claims or usable():
        try:
            answers[rule_set] = _start(subject, rule_set)
        except Offence as offence:
            if subject.claims is not None or offence.termination is not Termination.EXITED:
                return _not_started(subject, offence, f"start of {rule_set}", about)
            declined = declined or offence
    if not answers:
        assert declined is not None, "nothing was started, so everything was declined"
        return _not_started(subject, declined, "start of every rule set", about)
    subject.rules = tuple(answers)
    times = ", ".join(f"{rule_set} {times}" for rule_set, times in answers.items())
    return passed(times + about)


def _not_started(subject: Subject, offence: Offence, where: str, about: str) -> CheckFinding:
    finding = subject.failed(offence, where, launch_fix(subject.spec))
    if offence.termination is not Termination.EXITED:
        return finding
    pointers = "".join(_pointer_line(path) for path in _pointers(subject.bot))
    return finding.model_copy(update={"detail": finding.detail + about + pointers})


def _pointers(bot: Bot) -> list[str]:
    """Its files that are pointers of git-LFS, which stand for files that were not fetched."""
    found = []
    with suppress(PackageError, OSError):  # without a sandbox it may have changed its folder
        for path in files_of(Path(bot.cwd), bot.opens):
            with opened(Path(bot.cwd), path, follow=bot.opens != ".") as file:
                if file.read(len(_LFS)) == _LFS:
                    found.append(path)
    return found


def _pointer_line(path: str) -> str:
    return f"\n{path} is a git-LFS pointer, not the file: `git lfs pull`, then pack the bot again"


def _without_modules(python: PythonFound, *, script: bool) -> CheckFinding:
    missing = ", ".join(dict.fromkeys(each.module for each in python.lacks))
    bring = f"Put {missing} into the bot's folder, or do not use it."
    if script:
        bring = (
            f"A script is submitted alone. Submit a folder with {missing} and a bot.toml (`arena "
            "new` writes one), or do not use it."
        )
    lines = (f"{each.file}, line {each.line}, imports {each.module}" for each in python.lacks)
    return failed(
        "\n".join([f"Python {python.version} ({python.program}) has no {missing}", *lines]),
        f'{bring} If another Python here has it, name that one: python = "…" in bot.toml.',
    )


def _start(subject: Subject, rule_set: str) -> str:
    practice = subject.opening(subject.first_board(rule_set))
    try:
        with subject.process() as dialogue:
            used_ms = dialogue.start(practice, subject.conditions.clocks.judged[0])
    except Offence as offence:
        if offence.termination in ANSWERED:  # in time; the next item judges what it wrote
            return "answered"
        raise
    return f"ready after {used_ms:.0f} ms"


def no_strays(subject: Subject) -> CheckFinding:
    """Judge whether all its processes end with it, also those it sent away while it played."""
    before = children()
    with subject.process() as dialogue:
        try:
            _play(subject, dialogue)
            processes = _namespace(subject, dialogue.process.pid)
            if processes is None:
                return did_not_play_on(Termination.EXITED)
            first, program = processes
            dialogue.send_quit()
        except Offence as offence:
            return did_not_play_on(offence.termination)
        dialogue.close_stdin()
        _wait_for_end(program)
        orphans = children(first) - before - {program}
        left = [command for orphan in orphans for pid in tree(orphan) if (command := _command(pid))]
    if not left:
        return passed("no process is left behind")
    count = "a process" if len(left) == 1 else f"{len(left)} processes"
    return failed(
        f"it leaves {count} behind: {left[0]}",
        "End the programs and threads you start when `quit` comes, and wait for them; "
        "start none that continues by itself (daemon, setsid, nohup, &).",
    )


def _namespace(subject: Subject, pid: int) -> tuple[int | None, int] | None:
    """The first process of its own namespace, which gets its orphans, or None without one, and the
    program; None where they have ended. Stopped, the first cannot end with the program, and
    everything with it: the processes left can be seen.
    """
    if subject.held.mode != "bwrap":
        return None, pid
    with suppress(ValueError, ProcessLookupError):  # of none, of one that has just ended
        first = min(children(pid))  # of bubblewrap, whose own child is the program
        os.kill(first, signal.SIGSTOP)
        return first, min(children(first))
    return None


def _wait_for_end(pid: int) -> None:
    """Wait until a process has ended, but no longer than after `quit`; then for its helpers."""
    deadline = time.monotonic() + QUIT_S
    while _command(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(_SETTLE_S)


def exit_on_quit(subject: Subject) -> CheckFinding:
    """Judge whether it exits within a second of `quit`, and of the end of its stdin."""
    quit_fix = (
        'Leave the loop when a request has "type": "quit", let the program end, and end the '
        "threads it started (Python: daemon=True)."
    )
    end_fix = "Leave the loop when there is no more line to read: then the referee is gone."
    for leave, event, fix in (
        (Dialogue.send_quit, "`quit`", quit_fix),
        (Dialogue.close_stdin, "the end of its stdin", end_fix),
    ):
        with subject.process() as dialogue:
            try:
                _play(subject, dialogue)
                leave(dialogue)
            except Offence as offence:
                return did_not_play_on(offence.termination)
            if not dialogue.exits(QUIT_S):
                detail = f"it still runs {QUIT_S:.0f} s after {event}; the referee then kills it"
                return failed(detail, fix)
    return passed("it exits on `quit`, and at the end of its stdin")


def _play(subject: Subject, dialogue: Dialogue) -> None:
    practice = subject.opening(next(iter(subject.boards.values())))
    dialogue.start(practice)
    dialogue.play_on(practice, 2)
    dialogue.end(practice)


def _command(pid: int) -> str:
    with suppress(OSError):
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        return printable(b" ".join(words).decode(errors="replace").strip())[:200]
    return ""
