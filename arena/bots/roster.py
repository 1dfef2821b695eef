"""The owners of a course, each with a token that proves who it is. A token has 128 random bits; the
roster keeps its hash alone, so it is shown once, when it is made.
"""

import csv
import hashlib
import secrets
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

from pydantic import ValidationError

from arena.bots.manifest import NAME_RULE, is_name
from arena.errors import ConfigError, Problem, SubmissionError, first_few
from arena.files.toml_tables import no_such, shown
from arena.files.whole_file import write_whole
from arena.model import Frozen

FILE = "roster.json"
_TOKEN_BYTES = 16
_HEADINGS = ("owner", "name")
_HEADINGS_ALONE = (*_HEADINGS, "login", "user", "student", "mail", "id")
"""First lines of a single column that are no owner."""


class Owner(Frozen):
    """A submitter of bots."""

    name: str
    token_sha256: str
    added_at: datetime
    revoked_at: datetime | None = None
    """Since when the token opens nothing any more."""


class Roster(Frozen):
    """All owners of a course."""

    owners: tuple[Owner, ...] = ()

    def owner(self, name: str) -> Owner:
        """The owner of that name. Raises SubmissionError."""
        found = next((owner for owner in self.owners if owner.name == name), None)
        if found is None:
            raise SubmissionError(no_such("owner", name, [each.name for each in self.owners]))
        return found

    def with_token(self, token: str) -> Owner:
        """The owner of a token. Raises SubmissionError."""
        hashed = _hash(token)
        found = next((each for each in self.owners if each.token_sha256 == hashed), None)
        if found is None:
            raise SubmissionError("no owner has this token; ask the staff of the course for yours")
        if found.revoked_at is not None:
            raise SubmissionError(f"this token of {found.name} was revoked; ask the staff for one")
        return found

    def added(self, names: Sequence[str], now: datetime) -> tuple["Roster", dict[str, str]]:
        """The roster with those of `names` it lacks, and their tokens. Raises SubmissionError."""
        known = {owner.name for owner in self.owners}
        new = [name for name in names if name not in known]
        _refuse_alike(known, new)
        tokens = {name: secrets.token_hex(_TOKEN_BYTES) for name in new}
        more = (
            Owner(name=name, token_sha256=_hash(token), added_at=now)
            for name, token in tokens.items()
        )
        return Roster(owners=(*self.owners, *more)), tokens

    def changed(self, name: str, **to: object) -> "Roster":
        """The roster with something else of one owner. Raises SubmissionError."""
        one = self.owner(name)
        other = one.model_copy(update=to)
        return Roster(owners=tuple(other if each is one else each for each in self.owners))

    def renewed(self, name: str) -> tuple["Roster", str]:
        """The roster with another token of one owner, and that token. Raises SubmissionError."""
        token = secrets.token_hex(_TOKEN_BYTES)
        return self.changed(name, token_sha256=_hash(token), revoked_at=None), token


def read_roster(folder: Path) -> Roster:
    """The roster of a course. Raises ConfigError."""
    file = folder / FILE
    try:
        return Roster.model_validate_json(file.read_bytes()) if file.exists() else Roster()
    except ValidationError:
        why = "not a roster of the arena; restore it"
    except OSError as error:
        why = f"cannot be read: {error.strerror}"
    raise ConfigError(file, (Problem("", None, why),))


def write_roster(folder: Path, roster: Roster) -> None:
    write_whole(folder / FILE, roster.model_dump_json(indent=2) + "\n", private=True)


def names_in(file: Path) -> list[str]:
    """The owners that a CSV file names. Raises SubmissionError as `names_of` does."""
    try:
        text = file.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "not a CSV file in UTF-8"
        raise SubmissionError(f"{file} cannot be read: {why}") from None
    names = names_of(text, str(file))
    if not names:
        raise SubmissionError(f"{file} names no owner; write a name on each line")
    return names


def names_of(text: str, source: str) -> list[str]:
    """The owners that a CSV text names: in its column `owner` or `name`, or one on each line.
    Raises SubmissionError that names the first bad lines of the `source` and counts the others.
    """
    try:
        rows = list(csv.reader(text.splitlines()))
    except csv.Error:
        raise SubmissionError(f"{source} cannot be read: not a CSV file in UTF-8") from None
    if rows and len(rows[0]) == 1 and any(each in rows[0][0] for each in ";\t"):
        raise SubmissionError(f"{source}:1: separate the columns with commas: {shown(rows[0][0])}")
    header = [cell.strip().casefold() for cell in rows[0]] if rows else []
    several = any(cell.strip() for row in rows for cell in row[1:])
    headings = _HEADINGS if several else _HEADINGS_ALONE
    heading = next((each for each in headings if each in header), None)
    if heading is None and several:
        raise SubmissionError(
            f"{source} has several columns, and its first line names none of them owner: "
            f"{shown(', '.join(rows[0]))}; name the column with the login names owner"
        )
    column, first = (header.index(heading), 1) if heading else (0, 0)
    found = {
        line: row[column].strip() if len(row) > column else ""
        for line, row in enumerate(rows[first:], first + 1)
        if any(cell.strip() for cell in row)
    }
    wrong = [f"{source}:{line}: {shown(name)}" for line, name in found.items() if not is_name(name)]
    if wrong:
        listed = "\n".join(first_few(wrong))
        raise SubmissionError(
            f"{listed}\nFiles are named after owners, so {NAME_RULE}. Use login names; where there "
            'are several columns, name theirs "owner".'
        )
    return list(dict.fromkeys(found.values()))


def _refuse_alike(known: Iterable[str], names: Iterable[str]) -> None:
    """An owner's name is that of a folder, whatever its case."""
    taken = {name.casefold(): name for name in known}
    for name in names:
        other = taken.setdefault(name.casefold(), name)
        if other != name:
            raise SubmissionError(
                f'the owners "{other}" and "{name}" differ only in case; choose another name'
            )


def _hash(token: str) -> str:
    return hashlib.sha256(token.strip().encode("utf-8", "surrogatepass")).hexdigest()
