"""Two games of an owner's bot against another, now: a run of its own, for that owner alone.

COURSE/challenges/ada/20261101-120000-1f2e3d4c/         the job
COURSE/challenges/ada/20261101-120000-1f2e3d4c.sqlite   its run
"""

import shutil
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import AwareDatetime, Field

import rules
from arena.bots import course
from arena.bots.course_file import CHALLENGES, TOURNAMENTS, Course, tournament_files
from arena.bots.versions import Receipt
from arena.checks.events import Refused
from arena.errors import ArenaError, StoreError, SubmissionError
from arena.files.imports import module_command
from arena.files.toml_tables import few_of
from arena.files.whole_file import make_private
from arena.model import Frozen
from arena.ratings.results import results_of
from arena.reports.html.folders import without_folders
from arena.tournament.catalogue import CatalogueEntry
from arena.tournament.conditions import load_conditions
from arena.tournament.run_view import RunView
from arena.web.boards import TIMES_MS
from arena.web.jobs import DamagedJob, Jobs, about_of, asked_at, events_of
from arena.web.last_good import LastGood
from players.catalogue import BUILTINS
from rules.position import Game

MOST_MS = 3000
"""For a move: matches of all owners wait for one another."""
OFFERED_MS = tuple(each for each in TIMES_MS if each <= MOST_MS)


class TooMany(SubmissionError):
    """More than the quota, or one after the other too soon."""


class GameOffer(NamedTuple):
    title: str
    game: Game
    move_ms: int = 1000
    """The time of a move that is chosen at first: the tournament's own, where it is offered."""


class ChallengeWanted(Frozen):
    """A match that an owner asks for."""

    bot: str
    """The owner's, by its name; the version plays that plays now, or as `fox@2` another."""
    against: str
    """A built-in player, or a bot of the course that plays now; as `fox@2` a version of the owner's
    own."""
    rules: str
    """A game of two players, or `tournaments/NAME` for the game and the board of a tournament."""
    move_ms: int = Field(default=1000, ge=10, le=MOST_MS)
    """The limit of a move."""


class About(ChallengeWanted):
    """A match that is to be played."""

    owner: str
    asked_at: AwareDatetime


class Challenge(About):
    """A match as it stands."""

    id: str
    state: Literal["waiting", "playing", "played", "not played", "broken off", "damaged"]
    result: str = ""
    """The results of its games."""
    sentence: str = ""
    """Why it was not played, or cannot be shown."""

    @property
    def is_unfinished(self) -> bool:
        return self.state in ("waiting", "playing")


class Challenges:
    """The matches of a course, one at a time."""

    def __init__(self, course: Path, rules: LastGood[Course]) -> None:
        self._course, self._rules = course.absolute(), rules
        self._adding = threading.Lock()
        command = module_command("arena.web.challenger")
        self.jobs = Jobs(self._course / CHALLENGES, command, lambda: 1)

    def ask(self, owner: str, wanted: ChallengeWanted) -> Challenge:
        """Play a match. Raises SubmissionError."""
        now = datetime.now(UTC)
        offers = game_offers(self._course)
        own, others = choices(course.bots(self._course), owner, offers)
        _refuse_unknown(wanted, own, others, offers)
        builtin, game = others.get(wanted.against), offers[wanted.rules].game
        # Whether a bot of the course can play the game shows when it does.
        if builtin and (why := builtin.unsupported(game.name, game.variant)):
            raise SubmissionError(f"{why}; choose another player or another game")
        with self._adding:
            self._refuse_beyond(owner, now)
            folder = self.jobs.place(owner, now)
            make_private(self.jobs.root)  # it has the stderr of all
            folder.mkdir(parents=True)
            about = About(**wanted.model_dump(), owner=owner, asked_at=now)
            try:
                self.jobs.order(folder, about)
            except BaseException:  # as a full disk: nothing would remove it later
                shutil.rmtree(folder, ignore_errors=True)
                raise
        return self.read(folder)

    def of(self, owner: str, most: int) -> list[Challenge]:
        """The last matches of an owner, the newest first."""
        return [self.read(folder) for folder in self.jobs.newest(owner, most)]

    def again(self, challenges: Sequence[Challenge]) -> list[Challenge]:
        """The same matches as they stand now; those that were over stay so."""
        root = self.jobs.root
        return [
            self.read(root / one.owner / one.id) if one.is_unfinished else one for one in challenges
        ]

    def left(self, owner: str, now: datetime) -> int:
        """How many an owner may ask for today. A match that could not be played does not count."""
        today = f"{now:%Y%m%d}-"  # later names came today too if the clock was set back
        last = [self.read(each) for each in self.jobs.folders(owner) if each.name >= today]
        todays = [each for each in last if each.asked_at.date() == now.date()]
        counted = sum(each.state != "not played" for each in todays)
        return max(0, self._rules.now().quota.challenges - counted)

    def read(self, folder: Path) -> Challenge:
        try:
            return self._read(folder)
        except DamagedJob as damaged:
            why = without_folders(str(damaged), self._course)
            return Challenge(
                bot="?",
                against="?",
                rules="?",
                owner=folder.parent.name,
                asked_at=asked_at(folder),
                id=folder.name,
                state="damaged",
                sentence=f"This match cannot be shown: {why}",
            )

    def _read(self, folder: Path) -> Challenge:
        over = self.jobs.is_over(folder)  # asked first: what it wrote last is read then
        about = about_of(folder, About)
        one = Challenge(**about.model_dump(), id=folder.name, state="waiting")
        events = list(events_of(folder))
        if events and isinstance(events[-1], Refused):
            return one.model_copy(update={"state": "not played", "sentence": events[-1].sentence})
        played, result = _result(folder.with_name(f"{folder.name}.sqlite"), one.bot)
        if not over:
            state = "playing" if result else "waiting"
        else:
            state = "played" if played else "broken off"
        return one.model_copy(update={"state": state, "result": result})

    def _refuse_beyond(self, owner: str, now: datetime) -> None:
        if any(not self.jobs.is_over(each) for each in self.jobs.folders(owner)):
            raise TooMany("A match of yours is being played; wait until it is over.")
        if not self.left(owner, now):
            raise TooMany("You have used all your matches of today; ask again tomorrow (UTC).")


def game_offers(course: Path) -> dict[str, GameOffer]:
    """Those of the course's tournaments, and all others of two players on their own boards, each by
    what a match calls it: `tournaments/NAME`, or the name of its rules.
    """
    all_rules = {name: rules.load(name) for name in rules.usable()}
    return dict(_of_tournaments(course)) | {
        name: GameOffer(name, game) for name, game in all_rules.items() if game.seats == 2
    }


def _of_tournaments(course: Path) -> Iterator[tuple[str, GameOffer]]:
    for file in tournament_files(course):
        with suppress(ArenaError):  # the staff sees what is wrong with the file
            terms = load_conditions(file).terms
            if terms is not None and terms.game.seats == 2:
                title = f"{terms.game.title}, as in {file.stem}"
                ms = next((each for each in OFFERED_MS if each == terms.clock.move_ms), 1000)
                yield f"{TOURNAMENTS}/{file.stem}", GameOffer(title, terms.game, ms)


def choices(
    bots: Iterable[course.Entry], owner: str, offers: Mapping[str, GameOffer]
) -> tuple[dict[str, course.Entry], dict[str, CatalogueEntry | None]]:
    """An owner's bots that play, of those of the course, and what can play against them at one of
    these games: built-in players, and the names alone of the bots of the course.
    """
    playing = [entry for entry in bots if entry.state == "plays"]
    own = {entry.name: entry for entry in playing if entry.owner == owner}
    games = [offer.game for offer in offers.values()]
    others: dict[str, CatalogueEntry | None] = {
        name: player
        for name, player in BUILTINS.items()
        if not player.runs_programs
        and not all(player.unsupported(each.name, each.variant) for each in games)
    }
    others |= {entry.name: None for entry in playing}
    return own, {name: others[name] for name in sorted(others)}


def _refuse_unknown(
    wanted: ChallengeWanted,
    own: Mapping[str, course.Entry],
    others: Iterable[str],
    games: Iterable[str],
) -> None:
    version, other = (_own_version(each, own) for each in (wanted.bot, wanted.against))
    for name, is_there, known, what in (
        (wanted.bot, version, own, "a bot of yours that plays"),
        (
            wanted.against,
            other or wanted.against in others,
            others,
            "a player or a bot of the course that plays",
        ),
        (
            wanted.rules,
            wanted.rules in games,
            games,
            "a game of two players, or a tournament of the course",
        ),
    ):
        if not is_there:
            there = f"choose one of: {few_of(list(known), name)}" if known else "there is none"
            raise SubmissionError(f'"{name[:80]}" is not {what}; {there}')
    if version == other:
        raise SubmissionError(f"{wanted.against} cannot play against itself; choose another")


def _own_version(named: str, own: Mapping[str, course.Entry]) -> Receipt | None:
    """The version that `fox@2` names, or `fox` the one that plays; None where fox is none of these
    bots. Raises SubmissionError.
    """
    name, at, which = named.partition("@")
    entry = own.get(name)
    return course.version(entry, which) if entry and at else entry and entry.plays


def _result(file: Path, bot: str) -> tuple[bool, str]:
    """Whether all games were played, and what came of those that were."""
    if not file.exists():
        return False, ""
    try:
        with RunView(file) as view:
            results = results_of(view.games)
            points = [each.score if each.first == bot else 1 - each.score for each in results]
            over = view.schedule.over
    except (StoreError, ValueError):
        return False, ""
    won, lost = points.count(1.0), points.count(0.0)
    return over, f"{won} won, {len(points) - won - lost} drawn, {lost} lost"
