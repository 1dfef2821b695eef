"""A folder of submissions: every accepted version of every bot, never changed again.

    DIR/corner-hunter/active            a link to the version that plays
    DIR/corner-hunter/3f9a0c11d2e4/     a version, named by its content
        receipt.json                    its source, when it was accepted, its check
        tree/                           its files, built, read-only

A version appears at once and whole, and only then does `active` point to it: after a failure or a
kill before that, the earlier version stays active.
"""

import shlex
from collections.abc import Sequence
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

from arena.bots import versions
from arena.bots.course_file import FOLDERS, is_course
from arena.bots.entries import files_in, files_of
from arena.bots.manifest import FILE_NAME, is_name
from arena.bots.package import ACTIVE, TREE, Bot
from arena.bots.trees import copy, digest, made_aside, settle
from arena.bots.versions import CheckedItem, Receipt, active, history, verified
from arena.errors import PackageError, SubmissionError
from arena.files.rights import missing, unwritable


def keep(
    bot: Bot, checked: Sequence[CheckedItem], home: Path, owner: str | None, now: datetime
) -> None:
    """Take a bot that is built and was checked as the active version; the folder of `home` is
    locked. A version that exists is kept as it is, receipt included. Raises SubmissionError.
    """
    assert bot.build is None, "build it first"
    try:
        known = receipt_of(bot, home.parent)
        if known is None:
            with made_aside(home) as aside:
                known = _make(bot, checked, aside, owner, now)
                settle(aside, home / known.version)
        activate(home, known)
    except OSError as error:
        raise SubmissionError(
            f"{home} cannot be written: {error.strerror}; {bot.name} is not accepted, and the "
            "version that was active stays active"
        ) from None


def activate(home: Path, receipt: Receipt) -> None:
    """Let a version play from now on, instead of the one that does."""
    with made_aside(home) as aside:
        link = aside / ACTIVE
        link.symlink_to(receipt.version)
        link.replace(home / ACTIVE)


def home_for(bot: Bot, folder: Path) -> Path:
    """The folder for all versions of the bot; nothing is written. Raises SubmissionError."""
    if folder.exists() and not folder.is_dir():
        raise SubmissionError(f"{folder} is a file; name a folder")
    if (folder / FILE_NAME).exists():
        raise SubmissionError(
            f"{folder} is a bot: it has a {FILE_NAME}, and what is submitted into it would become "
            "part of it; name a folder that has only submissions"
        )
    home = folder / bot.name
    if (home / FILE_NAME).exists() or (home.exists() and not home.is_dir()):
        raise SubmissionError(
            f"{home} is a bot or a file, not a folder of versions; name a folder that has only "
            "submissions"
        )
    for other in folder.iterdir() if folder.exists() else ():
        if other.name != bot.name and other.name.casefold() == bot.name.casefold():
            raise SubmissionError(
                f'{folder} has a bot "{other.name}"; "{bot.name}" differs only in case: '
                "give it the same name or a different one"
            )
    there = next(parent for parent in (home, *home.absolute().parents) if parent.exists())
    if wrong := unwritable(there):
        raise SubmissionError(wrong)
    return home


def receipt_of(bot: Bot, folder: Path) -> Receipt | None:
    """The receipt for these contents, or None. Raises SubmissionError: they were changed."""
    at = folder / bot.name / versions.folder_of(bot.digest)
    return verified(at) if at.is_dir() else None


def submissions(folder: Path) -> tuple[Bot, ...]:
    """The active version of every bot, by name. Raises SubmissionError: one was changed."""
    refuse_no_folder(folder)
    try:
        if (folder / ACTIVE).is_symlink():
            raise SubmissionError(f"{folder} has the versions of one bot; name {folder.parent}")
        among = homes(folder)
        bots = tuple(_open(home, at) for home in among if (at := active(home)))
        idle = not bots and any(history(home).versions for home in among)
    except OSError as error:
        why = missing(error) or f"{error.filename} cannot be read: {error.strerror}"
        raise SubmissionError(why) from None
    if idle:
        raise SubmissionError(
            f"no bot in {folder} has a version that plays; `arena bots list {_typed(folder)}` "
            "shows them. If it is a copy, copy it again with its links, by `cp -a` or `rsync -a`"
        )
    if not bots:
        raise SubmissionError(no_submission(folder))
    return bots


def homes(folder: Path) -> list[Path]:
    """Where a folder of submissions may have bots. A course has other folders too, which may be
    closed to the reader, and whose names no bot of it may have.
    """
    others = FOLDERS if is_course(folder) else ()
    paths = (path for path in folder.iterdir() if path.name not in others)
    return sorted(path for path in paths if is_name(path.name))


def no_submission(folder: Path) -> str:
    return f"{folder} has no submission; arena submit BOT --to {_typed(folder)} adds one"


def _typed(folder: Path) -> str:
    return shlex.quote(str(folder))


def refuse_no_folder(folder: Path) -> None:
    refuse_server(folder)
    if not folder.is_dir():
        raise SubmissionError(f"{folder} is not a folder of submissions; `arena submit` makes one")


def refuse_server(folder: Path) -> None:
    """Raise SubmissionError where the address of a server was given for a folder."""
    kind, *rest = folder.parts or ("",)
    if kind in ("http:", "https:"):  # a path has lost one of its slashes
        url = "/".join((f"{kind}/", *rest))
        raise SubmissionError(
            f"{url} is a server, and this takes a folder; your bots there are on {url}/me"
        )


def _make(
    bot: Bot, checked: Sequence[CheckedItem], aside: Path, owner: str | None, now: datetime
) -> Receipt:
    tree, here = aside / TREE, Path(bot.cwd)
    tree.mkdir()
    try:
        copy(here, files_of(here, bot.opens), tree)
        contents = digest(tree, files_in(tree))
    except PackageError as error:
        raise SubmissionError(str(error)) from None
    of_author = bot.opens != "." or bot.source == bot.cwd  # else its files are in the cache
    if of_author and contents != bot.digest:
        raise SubmissionError(f"{bot.source} was changed while it was submitted; submit it again")
    receipt = Receipt(
        name=bot.name,
        digest=bot.digest,
        contents=contents,
        opens=bot.opens,
        source=Path(bot.source).name,
        accepted_at=now,
        arena=version("bot-arena"),
        checked=tuple(checked),
        number=max((each.number or 0 for each in history(aside.parent).versions), default=0) + 1,
        owner=owner,
    )
    (aside / versions.RECEIPT).write_text(receipt.model_dump_json(indent=2) + "\n", "utf-8")
    return receipt


def _open(home: Path, plays: str) -> Bot:
    at = home / plays
    if not at.is_dir():
        raise SubmissionError(f"{home / ACTIVE} points to no version; submit the bot again")
    return versions.open_version(home, versions.playing(home) or verified(at))
