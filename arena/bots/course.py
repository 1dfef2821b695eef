"""A course: a folder of submissions whose bots have owners. Its files are those of any such folder,
and

    DIR/course.toml         the deadlines and the quota; the staff edits it
    DIR/tournaments/*.toml  what `arena serve` plays; the staff writes them
    DIR/runs/               their runs
    DIR/challenges/         matches that owners asked for
    DIR/roster.json         the owners
    DIR/fox/withdrawn       the link `active` of a bot that its owner withdrew, renamed
    DIR/fox/excluded        the same where the staff excluded it

Each change is one rename, made while the folder is locked: a kill at any moment leaves the state
before or after it. The functions here are all that a command or a page does to a course: `owner` is
whose request it is, None for the staff, and `now` when it came. They raise ArenaError.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Literal, NamedTuple

from arena.bots import course_file, roster, submissions
from arena.bots.course_file import (
    FILE,
    RUNS,
    TOURNAMENTS,
    Quota,
    is_course,
    refuse_no_course,
    rules_of,
)
from arena.bots.entries import files_of
from arena.bots.manifest import is_name
from arena.bots.package import ACTIVE, Bot, refuse_nameless
from arena.bots.programs import nearest_to, python
from arena.bots.trees import locked
from arena.bots.versions import CheckedItem, Receipt, active, chosen, history, named, playing
from arena.errors import ConfigError, Problem, ProgramError, SubmissionError
from arena.files.moments import moment
from arena.files.rights import unreadable
from arena.files.toml_tables import did_you_mean
from arena.files.whole_file import make_private, write_whole

WITHDRAWN, EXCLUDED = "withdrawn", "excluded"
BotState = Literal["plays", "withdrawn", "excluded", "none"]
_LINKS: tuple[tuple[BotState, str], ...] = (
    ("plays", ACTIVE),
    ("excluded", EXCLUDED),
    ("withdrawn", WITHDRAWN),
    ("plays", ACTIVE),  # it may have come back since it was looked for
)


class Entry(NamedTuple):
    """A bot of a folder of submissions."""

    name: str
    owner: str | None
    state: BotState
    plays: Receipt | None
    """The version that plays, or would if the bot was neither withdrawn nor excluded."""
    versions: tuple[Receipt, ...]
    damaged: tuple[str, ...]
    """The mistake in each of its versions that cannot be read, or in its folder."""


class Accepted(NamedTuple):
    """A bot that was accepted."""

    version: Receipt
    """Its version that plays from now on, numbered."""
    before: Receipt | None
    """The one that played until now, perhaps of another submission that came meanwhile."""


class Listing(NamedTuple):
    """What is read of a folder of submissions."""

    bots: tuple[Entry, ...]
    """Those that have a version, by name."""
    damaged: tuple[str, ...]
    """Problems of versions, which do not play."""


def init(folder: Path) -> None:
    """Make a folder a course; a folder of submissions keeps what it has."""
    if is_course(folder):
        raise SubmissionError(f"{folder} is a course already; its rules are in {folder / FILE}")
    if folder.is_file():
        raise SubmissionError(f"{folder} is a file; name a folder")
    is_new = not folder.exists()
    with _changing(folder, make=True):
        if is_new and os.geteuid():  # players have users of their own under root, who look in
            folder.chmod(0o700)
        make_private(folder / RUNS)  # they have the stderr of all
        write_whole(folder / FILE, course_file.NEW)
        if not (folder / TOURNAMENTS).exists():
            (folder / TOURNAMENTS).mkdir()
            write_whole(folder / TOURNAMENTS / "ladder.toml", course_file.LADDER)


def python_of(folder: Path) -> str | None:
    """The Python that a course names for scripts; None where it names none, or is no course."""
    written = rules_of(folder).python if is_course(folder) else None
    try:
        return python(written, folder) if written else None
    except ProgramError as error:
        raise ConfigError(folder / FILE, (Problem("python", None, str(error)),)) from None


def add_owners(folder: Path, names: Sequence[str], now: datetime) -> dict[str, str]:
    """Put owners on the roster; the tokens of those that were not there."""
    refuse_no_course(folder)
    for name in names:
        _refuse_folder(name, "; choose another")
    with _changing(folder):
        more, tokens = roster.read_roster(folder).added(names, now)
        roster.write_roster(folder, more)
    return tokens


def revoke(folder: Path, owner: str, now: datetime) -> None:
    """Let an owner's token open nothing any more."""
    refuse_no_course(folder)
    with _changing(folder):
        roster.write_roster(folder, roster.read_roster(folder).changed(owner, revoked_at=now))


def renew(folder: Path, owner: str) -> str:
    """Another token for an owner, in place of the one before."""
    refuse_no_course(folder)
    with _changing(folder):
        changed, token = roster.read_roster(folder).renewed(owner)
        roster.write_roster(folder, changed)
    return token


def owners(folder: Path) -> tuple[roster.Owner, ...]:
    return _roster_of(folder).owners


def _roster_of(folder: Path) -> roster.Roster:
    """The roster of a folder that is a course."""
    refuse_no_course(folder)
    return roster.read_roster(folder)


def known(folder: Path, owner: str | None = None, token: str | None = None) -> str | None:
    """The owner of a request, by its name or its token; None where neither is given."""
    submissions.refuse_server(folder)
    if token is None:
        return None if owner is None else _roster_of(folder).owner(owner).name
    if not folder.exists():
        raise SubmissionError(f"there is no course {folder}{nearest_to(folder.absolute())}")
    if not is_course(folder):
        raise SubmissionError(f"{folder} is not a course, and takes no token; leave out --token")
    found = _roster_of(folder).with_token(token)
    if owner not in (None, found.name):
        raise SubmissionError(
            f"the token belongs to {found.name}, not to {owner}; leave out --as, or the token"
        )
    return found.name


def admitted(folder: Path, bot: Bot, owner: str | None, now: datetime) -> Bot:
    """The bot under the name that it has in the folder, where it may be submitted now: by its
    owner, before the deadline, within the quota. A script is named after its owner, as everybody
    has a `bot.py`. A folder that is no course takes every bot under its own name.
    """
    try:
        return _admitted(folder, bot, owner, now)
    except PermissionError as error:
        why = unreadable(folder, error)
        raise SubmissionError(f"{folder} cannot take the bot now: {why}") from None


def _admitted(folder: Path, bot: Bot, owner: str | None, now: datetime) -> Bot:
    if not is_course(folder) and owner is None:
        if bot.rules is None:
            refuse_nameless(Path(bot.source))
        _refuse_excluded(submissions.home_for(bot, folder))
        return bot
    course = rules_of(folder)
    if owner is None:
        raise SubmissionError(
            f"{folder} is a course: say whose bot it is, with --token TOKEN, or --as OWNER"
        )
    if bot.rules is None:
        bot = bot.model_copy(update={"name": owner})
    advice = "; choose another name, in bot.toml"
    _refuse_folder(bot.name, advice)
    home = submissions.home_for(bot, folder)
    _refuse_foreign(home, owner, advice)
    _refuse_excluded(home)
    refuse_late(course, owner, now)
    _refuse_one_more(course.quota, folder, bot.name, owner)
    if submissions.receipt_of(bot, folder) is None:
        _refuse_beyond(course.quota, folder, bot, owner)
    return bot


def refuse_late(rules: course_file.Course, owner: str, now: datetime) -> None:
    """Raise SubmissionError where the owner's deadline has passed."""
    if rules.is_over(owner, now):
        at = rules.deadline_of(owner)
        assert at is not None  # it has passed
        raise SubmissionError(f"the deadline was {moment(at)}; nothing is accepted after it")


def _refuse_excluded(home: Path) -> None:
    if _standing(home)[0] == "excluded":
        raise SubmissionError(f"{home.name} was excluded by the staff of the course; ask them")


def submit(
    folder: Path, bot: Bot, checked: Sequence[CheckedItem], owner: str | None, now: datetime
) -> Accepted:
    """Accept a bot that is built and was checked; it plays from now on."""
    with _changing(folder, make=True):
        bot = admitted(folder, bot, owner, now)
        home = folder / bot.name
        before = playing(home)
        submissions.keep(bot, checked, home, owner, now)
        _clear(home)
        version = playing(home)
        assert version is not None, "it was accepted"
    return Accepted(version, before)


def field(folder: Path) -> dict[str, str]:
    """The version that plays of each bot, by name: what a tournament takes that begins now. One
    that meets a bot whose folder is closed is refused by itself; the others go on.
    """
    found = {}
    for home in submissions.homes(folder):
        with suppress(PermissionError):
            found[home.name] = active(home)
    return {name: version for name, version in found.items() if version}


def refusal(folder: Path) -> str | None:
    """Why a tournament of all bots is refused, as where one is damaged; None where it is not."""
    try:
        submissions.submissions(folder)
    except SubmissionError as error:
        return str(error)
    return None


def bots(folder: Path) -> tuple[Entry, ...]:
    """Every bot of a folder of submissions that has a version, by name."""
    return listing(folder).bots


def listing(folder: Path) -> Listing:
    """The bots of a folder of submissions, and the problems of what cannot be read."""
    found = entries(folder)
    return Listing(
        tuple(entry for entry in found if entry.versions),
        tuple(problem for entry in found for problem in entry.damaged),
    )


def entries(folder: Path) -> tuple[Entry, ...]:
    """The same bots, and those that have only damaged versions or whose folder is closed."""
    submissions.refuse_no_folder(folder)
    among = map(_entry_if_open, submissions.homes(folder))
    return tuple(entry for entry in among if entry.versions or entry.damaged)


def _entry_if_open(home: Path) -> Entry:
    try:
        return _entry(home)
    except PermissionError as error:
        return Entry(home.name, None, "none", None, (), (unreadable(home, error),))


def bot(folder: Path, name: str) -> Entry:
    """One bot of a folder of submissions, by its name alone."""
    home = folder / name
    if is_name(name):
        entry = _entry(home)
        if entry.versions:
            return entry
        if entry.damaged:
            raise SubmissionError("\n".join(entry.damaged))
        if home.is_dir() and (inside := bots(home)):
            one = home / inside[0].name
            raise SubmissionError(f"{home} is a folder of submissions; name a bot: {one}")
    alone, at, _ = name.partition("@")
    if at:
        raise SubmissionError(f"{name} is one version; name only the bot: {alone}")
    hint = did_you_mean(name, [each.name for each in bots(folder)], "bots")
    raise SubmissionError(f'{folder} has no bot "{name}"; {hint}')


def version(entry: Entry, which: str) -> Receipt:
    """The version of a bot that a number or digest names."""
    receipt = chosen(which, entry.versions)
    if receipt is None:
        there = ", ".join(named(each) for each in entry.versions)
        raise SubmissionError(f"name a version of {entry.name}: {there}")
    return receipt


def rollback(folder: Path, name: str, which: str, owner: str | None) -> Receipt:
    """Let another version of a bot play, named by its number or digest. It also brings back what
    was withdrawn, and the staff what was excluded.
    """
    with _changing(folder, name):
        entry = _allowed(folder, name, owner)
        if owner is not None:
            _refuse_excluded(folder / name)
            _refuse_one_more(rules_of(folder).quota, folder, name, owner)
        receipt = version(entry, which)
        submissions.activate(folder / name, receipt)
        _clear(folder / name)
    return receipt


def withdraw(folder: Path, name: str, owner: str | None) -> Entry:
    """Take a bot out of tournaments that begin from now on, until its owner submits it again."""
    if owner is None and is_course(folder):
        raise SubmissionError(
            f"{folder} is a course: a bot is withdrawn by its owner, with --token or --as; the "
            "staff excludes it"
        )
    return _take_out(folder, name, owner, WITHDRAWN)


def exclude(folder: Path, name: str) -> Entry:
    """Take a bot out, and accept nothing under its name; what the staff does."""
    return _take_out(folder, name, None, EXCLUDED)


@contextmanager
def _changing(folder: Path, bot: str = "", *, make: bool = False) -> Iterator[None]:
    """Hold the folder's lock to change it or that bot in it; with `make` have the folder."""
    try:
        if make:
            folder.mkdir(parents=True, exist_ok=True)
        with locked(folder):
            yield
    except OSError as error:
        place = error.filename if isinstance(error, BlockingIOError) else folder / bot
        raise SubmissionError(f"{place} cannot be changed: {error.strerror}") from None


def _take_out(folder: Path, name: str, owner: str | None, how: str) -> Entry:
    with _changing(folder, name):
        entry, home = _allowed(folder, name, owner), folder / name
        if entry.state == how == WITHDRAWN:
            return entry
        if entry.state == "excluded":
            raise SubmissionError(f"{name} is excluded already")
        if entry.state == "none":
            raise SubmissionError(f"no version of {name} plays")
        _clear(home)
        (home / (ACTIVE if entry.state == "plays" else entry.state)).rename(home / how)
    return bot(folder, name)


def _allowed(folder: Path, name: str, owner: str | None) -> Entry:
    entry = bot(folder, name)
    if owner is not None:
        _refuse_foreign(folder / name, owner)
    return entry


def _entry(home: Path) -> Entry:
    state, at = _standing(home)  # asked first: a version is there before a link leads to it
    versions, damaged = history(home)
    plays = next((each for each in versions if each.version == at), None)
    if state == "plays" and plays is None:  # its receipt is damaged
        state = "none"
    return Entry(home.name, _owner(versions), state, plays, versions, damaged)


def _standing(home: Path) -> tuple[BotState, str | None]:
    """The state of a bot, and the folder's name of the version that plays or would. A link `active`
    decides: one of the others next to it is left from an earlier state.
    """
    for state, link in _LINKS:
        if at := active(home, link):
            return state, at
    return "none", None


def _clear(home: Path) -> None:
    """Remove the links of earlier states, where the bot plays."""
    if active(home):
        for name in (WITHDRAWN, EXCLUDED):
            (home / name).unlink(missing_ok=True)


def _owner(versions: Sequence[Receipt]) -> str | None:
    return next((each.owner for each in versions if each.owner), None)


def _refuse_foreign(home: Path, owner: str, advice: str = "") -> None:
    """A name belongs to the owner who first used it, and an owner's own name to that owner."""
    versions, damaged = history(home)
    names = {each.name.casefold(): each.name for each in roster.read_roster(home.parent).owners}
    other = _owner(versions) or names.get(home.name.casefold())
    if other is None and damaged:
        raise SubmissionError(f'the owner of "{home.name}" cannot be read: {damaged[0]}')
    if other not in (None, owner):
        raise SubmissionError(f'the name "{home.name}" belongs to {other}{advice}')


def _refuse_folder(name: str, advice: str) -> None:
    if name.casefold() in course_file.FOLDERS:
        raise SubmissionError(f'the name "{name}" belongs to the course{advice}')


def _refuse_one_more(quota: Quota, folder: Path, name: str, owner: str) -> None:
    """A bot that is to play besides an owner's others, where those are as many as may."""
    if quota.bots is None:
        return
    play = [each.name for each in bots(folder) if each.owner == owner and each.state == "plays"]
    if name not in play and len(play) >= quota.bots:
        raise SubmissionError(
            f"{owner} has {', '.join(play)}, and the course lets {quota.bots} of each owner play; "
            "withdraw one first"
        )


def _refuse_beyond(quota: Quota, folder: Path, bot: Bot, owner: str) -> None:
    here = Path(bot.cwd)
    size = sum((here / file).stat().st_size for file in files_of(here, bot.opens)) / 1e6
    if bot.contents == bot.digest and size > quota.size_mb:  # else it was measured unbuilt
        raise SubmissionError(
            f"{bot.source} has {_size(size)}; the course takes {_size(quota.size_mb)} at most"
        )
    count = 0
    for entry in entries(folder):
        count += sum(each.owner == owner for each in entry.versions)
        if (entry.owner or entry.name) == owner:  # the receipts of these cannot be read
            count += len(entry.damaged)
    if count >= quota.submissions:
        many = "1 version" if count == 1 else f"{count} versions"
        raise SubmissionError(
            f"{owner} has submitted {many}, and the course takes {quota.submissions} of "
            "each owner; ask its staff"
        )


def _size(mb: float) -> str:
    return f"{mb:,.1f} MB" if mb >= 0.1 else f"{mb * 1000:.2f} kB"
