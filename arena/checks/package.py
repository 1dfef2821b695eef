"""Package safety and build: what is handed in can be taken, and becomes a program."""

from __future__ import annotations

from arena.bots.build import build
from arena.bots.package import open_bot
from arena.checks.result import Finding, failed, passed
from arena.checks.subject import Subject
from arena.errors import ArchiveError, BuildError, ManifestError, PackageError

_FIXES: tuple[tuple[type[PackageError], str], ...] = (
    (ManifestError, "Correct bot.toml at the lines named."),
    (
        ArchiveError,
        "Pack the bot's folder anew, plain files alone: zip -r my-bot.zip my-bot, "
        "or tar czf my-bot.tar.gz my-bot",
    ),
    (
        BuildError,
        "Make `build` in bot.toml work in a fresh copy of the folder, without a network and "
        "with the compilers of this machine; or hand in what it makes and leave `build` out.",
    ),
    (
        PackageError,
        "Hand in a script, or a folder (or a zip or tar of it) with a bot.toml that starts a "
        "program of that folder.",
    ),
)
"""What to change, by what was wrong; the sentences of the error name the place."""


def package_safety(subject: Subject) -> Finding:
    """Whether the script, folder or archive can be taken."""
    try:
        bot = subject.opened = open_bot(subject.path)
    except PackageError as error:
        return _refused(error)
    claims = f"claims {', '.join(bot.rules)}" if bot.rules else "a script, which claims no rules"
    return passed(f"{bot.name}: {claims}")


def builds(subject: Subject) -> Finding:
    """Whether its build command makes a program of it, in the sandbox and in time."""
    bot = subject.bot
    if bot.build is None:
        return passed("nothing to build")
    try:
        subject.opened = build(bot, subject.held.mode)
    except PackageError as error:
        return _refused(error)
    return passed(" ".join(bot.build))


def _refused(error: PackageError) -> Finding:
    fix = next(fix for kind, fix in _FIXES if isinstance(error, kind))
    return failed("\n".join(error.reasons), fix)
