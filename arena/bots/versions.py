"""The versions of a submitted bot: each has a folder of its own, with its receipt and its files,
and never changes. A path names one of them as `DIR/fox`, `DIR/fox@2` or `DIR/fox@9c0c2c46`: the
version that plays, the second one, or that of a digest.
"""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

from pydantic import AwareDatetime, Field, ValidationError

from arena.bots.entries import files_in
from arena.bots.manifest import FILE_NAME, read_manifest
from arena.bots.package import ACTIVE, TREE, Bot, open_bot, startable
from arena.bots.trees import digest
from arena.errors import ManifestError, PackageError, SubmissionError
from arena.files.rights import unreadable
from arena.files.whole_file import stamp
from arena.model import Frozen

RECEIPT = "receipt.json"
SHOWN_DIGITS = 8
"""Of a digest, where a person reads it."""
_FOLDER_DIGITS, _LEAST_DIGITS = 12, 4
_MOST_KEPT = 10_000
"""Receipts in memory: 2 kB each."""
_SUBMIT_AGAIN = "remove that folder and submit the bot again"


class CheckedItem(Frozen):
    """An item of the checklist that a bot has passed."""

    title: str
    passed: bool | None  # null for an item that was skipped
    detail: str


class Receipt(Frozen):
    """The record of an accepted version."""

    name: str
    digest: str  # SHA-256, in hex, of the files as they were submitted
    contents: str  # the same of the files in `tree`, built
    opens: str  # the bot in `tree`: a script's name, or `.` for all of it
    source: str  # the name of the file or folder submitted
    accepted_at: AwareDatetime
    arena: str  # the version of the arena that accepted it
    checked: tuple[CheckedItem, ...]
    number: int | None = Field(default=None, ge=1)
    """From 1, in the order the bot's versions were accepted; null in receipts of earlier arenas."""
    owner: str | None = None
    """Whose it is; null outside of courses."""

    @property
    def version(self) -> str:
        return folder_of(self.digest)


def folder_of(digest: str) -> str:
    return digest[:_FOLDER_DIGITS]


class Numbered(Protocol):
    """Something that is a version of a bot."""

    @property
    def number(self) -> int | None:
        """From 1."""

    @property
    def digest(self) -> str | None:
        """Of its files."""


Version = TypeVar("Version", bound=Numbered)


def chosen(which: str, versions: Sequence[Version]) -> Version | None:
    """The version that `which` names, a number or the beginning of a digest; None for no one, and
    for several: folders that were merged may have two versions of one number.
    """
    numbered = [each for each in versions if str(each.number) == which]
    fitting = [each for each in versions if each.digest and each.digest.startswith(which)]
    found = numbered or (fitting if len(which) >= _LEAST_DIGITS else [])
    return found[0] if len(found) == 1 else None


class History(NamedTuple):
    """The versions of a bot."""

    versions: tuple[Receipt, ...] = ()
    """Numbered, in the order they were accepted."""
    damaged: tuple[str, ...] = ()
    """The mistake in each of the others."""


def history(home: Path) -> History:
    """The versions in a folder, none where it is no submitted bot's."""
    inside = sorted(home.iterdir()) if home.is_dir() else []
    if home / FILE_NAME in inside:
        return History()
    receipts, damaged = list[Receipt](), list[str]()
    for at in inside:
        if at.is_symlink() or at.name.startswith("."):
            continue
        try:
            receipts.append(_receipt(at))
        except SubmissionError as error:
            if _may_have_files(at):  # else it is none of ours
                damaged.append(str(error))
    receipts.sort(key=lambda receipt: (receipt.number or 0, receipt.accepted_at))
    numbered = tuple(
        receipt if receipt.number else receipt.model_copy(update={"number": number})
        for number, receipt in enumerate(receipts, 1)
    )
    return History(numbered, tuple(damaged))


def _may_have_files(at: Path) -> bool:
    try:
        (at / TREE).stat()
    except PermissionError:
        return True
    except OSError:
        return False
    return True


def active(home: Path, link: str = ACTIVE) -> str | None:
    """The folder's name of the version that plays, or that another link names; None when there is
    none.
    """
    try:
        return (home / link).readlink().name
    except PermissionError:  # there may be one
        raise
    except OSError:
        return None


def playing(home: Path) -> Receipt | None:
    """The version that plays, numbered; None when there is none."""
    plays = active(home)
    return next((each for each in history(home).versions if each.version == plays), None)


def submitted(path: Path) -> tuple[Path, Receipt] | None:
    """The home and version that a path names; None for anything else. Raises SubmissionError."""
    name, at, which = path.name.partition("@")
    home = path.with_name(name) if name else path
    versions = () if path.name in ("", "..") else history(home).versions
    if not versions:
        return None
    receipt = chosen(which, versions) if at else playing(home)
    if receipt is not None:
        return home, receipt
    there = ", ".join(named(each) for each in versions)
    if at:
        raise SubmissionError(f"{home.parent} has no single version {path.name}; choose: {there}")
    raise SubmissionError(f"no version of {name} plays now; name one: {there}")


def named(receipt: Receipt) -> str:
    """`fox@2 (9c0c2c46)`: both names of a version."""
    return f"{receipt.name}@{receipt.number} ({receipt.digest[:SHOWN_DIGITS]})"


def place_of(path: Path) -> Path:
    """Where the bot of a path is, perhaps in a submitted version. Raises SubmissionError."""
    found = submitted(path)
    if found is None:
        return path
    home, receipt = found
    return home / receipt.version / TREE / receipt.opens


def authors_of(path: Path) -> tuple[str, ...]:
    """The authors in the bot.toml of a version; a script has none. Raises SubmissionError."""
    try:
        return tuple(read_manifest(place_of(path) / FILE_NAME).authors)
    except ManifestError:
        return ()


def open_version(home: Path, receipt: Receipt) -> Bot:
    """A submitted bot, as it was accepted. Raises SubmissionError: it was changed."""
    at = home / receipt.version
    verified(at)
    try:
        bot = open_bot(at / TREE / receipt.opens, again=True)
        bot = startable(bot) if bot.build and bot.opens == "." else bot
    except PackageError as error:
        raise SubmissionError(f"{error}; {_SUBMIT_AGAIN}") from None
    own = receipt.model_dump(include={"name", "digest", "number", "owner"})
    return bot.model_copy(update={**own, "source": str(at)})


def verified(at: Path) -> Receipt:
    """The receipt of a version whose files are as they were accepted. Raises SubmissionError."""
    receipt = _receipt(at)
    try:
        contents = digest(at / TREE, files_in(at / TREE))
    except (OSError, PackageError) as error:
        raise _changed(at, error) from None
    if contents != receipt.contents:
        raise SubmissionError(f"{at} was changed after it was accepted; {_SUBMIT_AGAIN}")
    return receipt


def _receipt(at: Path) -> Receipt:
    file = at / RECEIPT
    try:
        receipt = _parsed(file, stamp(file))
    except ValidationError:
        why = f"{file} is not a receipt of the arena; {_SUBMIT_AGAIN}"
        raise SubmissionError(why) from None
    except OSError as error:
        raise _changed(at, error) from None
    if receipt.version != at.name:
        raise SubmissionError(f"{at}: the receipt is of other files; {_SUBMIT_AGAIN}")
    return receipt


@lru_cache(_MOST_KEPT)
def _parsed(file: Path, _stamp: object) -> Receipt:
    """A receipt, read again where its stamp is another: a course is looked at as a whole."""
    return Receipt.model_validate_json(file.read_bytes())


def _changed(at: Path, error: Exception) -> SubmissionError:
    if isinstance(error, PermissionError):
        return SubmissionError(unreadable(at, error))
    return SubmissionError(f"{at} is not as it was accepted: {error}; {_SUBMIT_AGAIN}")
