"""The bots and owners of a course as lines and a table, and whose the players of a run are."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from pydantic import ValidationError
from rich.table import Table

from arena.bots.copies import SharedFile
from arena.bots.course import Entry
from arena.bots.roster import Owner
from arena.bots.versions import RECEIPT, Receipt, named
from arena.files.moments import moment
from arena.tournament.config import Player, TournamentConfig

_MARKS = {True: "✓", False: "✗", None: "–"}


def owners(config: TournamentConfig) -> dict[str, str]:
    """The owner of each submitted player; in runs of earlier versions where receipts are there."""
    found = {player.name: player.owner or _on_receipt(player) for player in config.players}
    return {name: owner for name, owner in found.items() if owner is not None}


def _on_receipt(player: Player) -> str | None:
    with suppress(OSError, ValidationError):
        receipt = Path(player.home.package or "").parent / RECEIPT
        return Receipt.model_validate_json(receipt.read_bytes()).owner
    return None


def owner_line(owner: Owner, entries: Iterable[Entry]) -> str:
    """An owner with its bots of these, as `ada: added 2026-11-02; fox@2, wolf withdrawn`."""
    gone = f", revoked {_day(owner.revoked_at)}" if owner.revoked_at else ""
    bots = [
        _plays(entry) if entry.state == "plays" else f"{entry.name} {_plays(entry)}"
        for entry in entries
        if entry.owner == owner.name
    ]
    return f"{owner.name}: added {_day(owner.added_at)}{gone}; {', '.join(bots) or 'no bot'}"


def token_lines(tokens: dict[str, str]) -> str:
    """A table of owners and their tokens, as CSV."""
    return "\n".join(["owner,token", *map(",".join, tokens.items())])


def added_line(count: int, source: object) -> str:
    if not count:
        return f"No owner of {source} is new."
    if count == 1:
        return "1 owner is new. Its token is kept nowhere else."
    return f"{count} owners are new. Their tokens are kept nowhere else."


def table(entries: Sequence[Entry]) -> Table:
    bots = Table("Bot", "Owner", "Plays", "Versions", "Last", box=None)
    for entry in entries:
        last = _day(entry.versions[-1].accepted_at)
        bots.add_row(entry.name, entry.owner or "", _plays(entry), str(len(entry.versions)), last)
    return bots


def bot_lines(entry: Entry, shared: Sequence[SharedFile] = ()) -> Iterator[str]:
    """A bot, a line for each of its versions, and one for each file it shares with others."""
    yield f"{entry.name}{f', of {entry.owner}' if entry.owner else ''}: {_plays(entry)}"
    yield from (f"  {_in_a_line(receipt)}" for receipt in entry.versions)
    yield from map(about_shared, shared)


def about_shared(shared: SharedFile) -> str:
    other = shared.version
    return (
        f"Its {shared.file} is the same, except for blanks, as {shared.other} of {named(other)}, "
        f"which {other.owner} submitted on {moment(other.accepted_at)}."
    )


def out_line(entry: Entry) -> str:
    """The consequence of taking a bot out."""
    return (
        f"{entry.name} is {entry.state}. Its versions and its games stay; a run that has begun "
        "leaves it out with --take-new, or with --without."
    )


def version_lines(receipt: Receipt) -> Iterator[str]:
    yield _in_a_line(receipt)
    yield f"  {receipt.source}, SHA-256 {receipt.digest}"
    for item in receipt.checked:
        detail = item.detail.replace("\n", "\n    ")
        yield f"  {_MARKS[item.passed]} {item.title}: {detail}"


def _in_a_line(receipt: Receipt) -> str:
    passed = sum(item.passed is True for item in receipt.checked)
    checked = f"{passed} of {len(receipt.checked)} passed" if receipt.checked else "not checked"
    by = f", by {receipt.owner}" if receipt.owner else ""
    return f"{named(receipt)} {receipt.accepted_at:%Y-%m-%d %H:%M} UTC{by}, {checked}"


def _plays(entry: Entry) -> str:
    if entry.plays is None:
        return "no version"
    return named(entry.plays) if entry.state == "plays" else entry.state


def _day(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d}"
