"""A folder of submissions: every accepted version of every bot, never changed again.

    DIR/corner-hunter/active            a link to the version that plays
    DIR/corner-hunter/3f9a0c11d2e4/     a version, named by its content
        receipt.json                    its source, when it was accepted, its check
        tree/                           its files, built, read-only

A version appears at once and whole, and only then does `active` point to it: after a failure or a
kill before that, the earlier version stays active.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from pydantic import ValidationError

from arena.bots.entries import files_in
from arena.bots.manifest import FILE_NAME
from arena.bots.package import ACTIVE, TREE, Bot, open_bot, startable
from arena.bots.trees import copy, digest, made_aside, settle
from arena.errors import PackageError, SubmissionError
from arena.model import Frozen

RECEIPT = "receipt.json"
_VERSION_LENGTH = 12


class CheckedItem(Frozen):
    """An item of the checklist that a bot has passed."""

    title: str
    passed: bool | None  # null for an item that was skipped
    detail: str


class Receipt(Frozen):
    """The record of an accepted version."""

    name: str
    digest: str  # SHA-256, in hex, of the files as they were handed in
    contents: str  # the same of the files in `tree`, built
    opens: str  # the bot in `tree`: a script's name, or `.` for all of it
    source: str  # the name of the file or folder handed in
    accepted_at: datetime
    arena: str  # the version of the arena that accepted it
    checked: tuple[CheckedItem, ...]

    @property
    def version(self) -> str:
        """The name of this version's folder."""
        return self.digest[:_VERSION_LENGTH]


def accept(bot: Bot, checked: Sequence[CheckedItem], folder: Path) -> Receipt:
    """Take a bot that is built and was checked into `folder`, and make it the active version. A
    version that exists is kept as it is, receipt included. Raises SubmissionError.
    """
    assert bot.build is None, "build it first"
    home = home_for(bot, folder)
    try:
        known = receipt_of(bot, folder)
        if known is None:
            with made_aside(home) as aside:
                known = _make(bot, checked, aside)
                settle(aside, home / known.version)
        with made_aside(home) as aside:
            link = aside / ACTIVE
            link.symlink_to(known.version)
            link.replace(home / ACTIVE)
    except OSError as error:
        raise SubmissionError(
            f"{home} cannot be written: {error.strerror}; {bot.name} is not accepted, and what "
            "was active stays so"
        ) from None
    return known


def home_for(bot: Bot, folder: Path) -> Path:
    """The folder for all versions of the bot; nothing is written. Raises SubmissionError."""
    if folder.exists() and not folder.is_dir():
        raise SubmissionError(f"{folder} is a file; name a folder")
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
    if not os.access(there, os.W_OK | os.X_OK):
        raise SubmissionError(f"{there} cannot be written by you; ask the owner of the submissions")
    return home


def receipt_of(bot: Bot, folder: Path) -> Receipt | None:
    """The receipt for these contents, or None. Raises SubmissionError: they were changed."""
    at = folder / bot.name / bot.digest[:_VERSION_LENGTH]
    if not at.is_dir():
        return None
    receipt = _read(at)
    if receipt.digest != bot.digest:
        raise SubmissionError(f"{at}: the receipt is of other files; {_SUBMIT_AGAIN}")
    return receipt


def active_version(bot: Bot, folder: Path) -> str | None:
    """The version of the bot's name that plays now; None when there is none."""
    with suppress(OSError):
        return (folder / bot.name / ACTIVE).readlink().name
    return None


def submissions(folder: Path) -> tuple[Bot, ...]:
    """The active version of every bot, by name. Raises SubmissionError: one was changed."""
    if not folder.is_dir():
        raise SubmissionError(f"{folder} is not a folder of submissions; `arena submit` makes one")
    try:
        if (folder / ACTIVE).is_symlink():
            raise SubmissionError(f"{folder} has the versions of one bot; name {folder.parent}")
        homes = sorted(folder.iterdir(), key=lambda home: home.name)
        found = tuple(_open(home) for home in homes if (home / ACTIVE).is_symlink())
    except OSError as error:
        raise SubmissionError(f"{error.filename} cannot be read: {error.strerror}") from None
    if not found:
        raise SubmissionError(f"{folder} has no submission; `arena submit BOT --to {folder}`")
    return found


_SUBMIT_AGAIN = "remove that folder and submit the bot again"


def _make(bot: Bot, checked: Sequence[CheckedItem], aside: Path) -> Receipt:
    tree, here = aside / TREE, Path(bot.cwd)
    tree.mkdir()
    opens = "." if bot.rules is not None else Path(bot.source).name
    try:
        copy(here, files_in(here) if opens == "." else (opens,), tree)
        contents = digest(tree, files_in(tree))
    except PackageError as error:
        raise SubmissionError(str(error)) from None
    of_author = opens != "." or bot.source == bot.cwd  # else its files are in the cache
    if of_author and contents != bot.digest:
        raise SubmissionError(f"{bot.source} was changed while it was submitted; submit it again")
    receipt = Receipt(
        name=bot.name,
        digest=bot.digest,
        contents=contents,
        opens=opens,
        source=Path(bot.source).name,
        accepted_at=datetime.now(UTC),
        arena=version("bot-arena"),
        checked=tuple(checked),
    )
    (aside / RECEIPT).write_text(receipt.model_dump_json(indent=2) + "\n", "utf-8")
    return receipt


def _open(home: Path) -> Bot:
    at = home / (home / ACTIVE).readlink().name
    if not at.is_dir():
        raise SubmissionError(f"{home / ACTIVE} points to no version; submit the bot again")
    receipt = _read(at)
    try:
        bot = open_bot(at / TREE / receipt.opens)
        bot = startable(bot) if bot.build else bot
    except PackageError as error:
        raise SubmissionError(f"{error}; {_SUBMIT_AGAIN}") from None
    return bot.model_copy(update={"digest": receipt.digest, "source": str(at)})


def _read(at: Path) -> Receipt:
    try:
        receipt = Receipt.model_validate_json((at / RECEIPT).read_bytes())
        contents = digest(at / TREE, files_in(at / TREE))
    except ValidationError:
        why = f"{at / RECEIPT} is not a receipt of the arena; {_SUBMIT_AGAIN}"
        raise SubmissionError(why) from None
    except (OSError, PackageError) as error:
        raise SubmissionError(f"{at} is not as it was accepted: {error}; {_SUBMIT_AGAIN}") from None
    if contents != receipt.contents:
        raise SubmissionError(f"{at} was changed after it was accepted; {_SUBMIT_AGAIN}")
    return receipt
