"""The audience of a page: the texts in it, and the names of players."""

import re
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from arena.errors import UserError
from arena.files.plain_text import printable
from arena.files.toml_tables import shown
from arena.model import Frozen
from arena.model.protocol import Termination
from arena.model.record import STDERR_FOLLOWS
from arena.ratings.conduct import Broken, Spoilt
from arena.ratings.model import Standings
from arena.ratings.rankings import LEFT_OUT
from arena.reports.html.folders import bot_folders, stderr_without_folders, without_folders
from arena.reports.html.model import SeatStderr
from arena.reports.html.wording import ending_word
from arena.reports.submissions import owners
from arena.tournament.config import Player, TournamentConfig

_NAMES = {
    "player", "name", "upper", "lower", "opponent", "players", "groups", "left_out", "replaced",
    "winner",
}  # fmt: skip
_SENTENCES = {"detail", "notes", "ending", "title"}
_NUMBERED = re.compile(r"g\d+")
"""Games with numbers alone, as a round-robin has them."""
_ID_DIGITS = 12
"""Of a game without names: enough for no two among millions to be alike."""
_LONGEST = 72
"""Characters of a name; of a longer one the beginning is shown, and its place. A bot's has 64, and
its version."""


class Audience(Frozen):
    """The readers of a page. By default the staff: it has everything."""

    reads: frozenset[str] | None = None
    """Players whose stderr and stated words are in it; null for those of all."""
    texts: bool = True
    """Whether the `text` of those players' moves is in it too: a third of the weight of a file, and
    nothing to a server.
    """
    pseudonyms: str = ""
    """A secret of the run that orders the neutral names; empty shows the names as they are."""
    without: frozenset[str] = frozenset()
    """Players that are left out, with their games."""

    @property
    def reads_all(self) -> bool:
        """Whether it may read everything: on every player, and on the host."""
        return not self.pseudonyms and self.reads is None

    def may_read(self, player: str) -> bool:
        """Whether it may read the stderr of this player."""
        return not self.pseudonyms and (self.reads is None or player in self.reads)


STAFF = Audience()
PUBLIC = Audience(reads=frozenset())


def owned(config: TournamentConfig, owner: str) -> frozenset[str]:
    """The players of an owner. Raises UserError where there is none."""
    found = owners(config)
    if owner not in found.values():
        others = ", ".join(sorted(set(found.values())))
        there = f"their owners are: {others}" if others else "none was submitted to a course"
        if not others and any(player.number for player in config.players):
            there = "it names no owners, and the course is not where it was"
        raise UserError(f"--for: no player of this run belongs to {shown(owner)}; {there}")
    return frozenset(name for name, whose in found.items() if whose == owner)


class Seen:
    """A run's names and sentences, as an audience sees them."""

    def __init__(self, config: TournamentConfig, audience: Audience) -> None:
        self.audience = audience
        self._folders = bot_folders(config)
        there = [each for each in config.players if each.name not in audience.without]
        if audience.pseudonyms:
            there.sort(key=lambda each: (each.joined, self._hash(each.name)))
        self.players = tuple(each.name for each in there)
        """The players that are shown, in the order of their places."""
        self.place = {name: place for place, name in enumerate(self.players)}
        self.names = {each.name: self._shown(number, each) for number, each in enumerate(there, 1)}
        """Each of them as it is shown."""
        hides = audience.pseudonyms or audience.without
        shown = self.names if audience.pseudonyms else {name: name for name in self.players}
        self._replaced = shown | dict.fromkeys(audience.without, LEFT_OUT) if hides else {}
        longest = sorted(self._replaced, key=len, reverse=True)  # `fox-2` is not `fox`
        words = "|".join(map(re.escape, longest))
        self._found = re.compile(rf"(?<!\w)(?:{words})(?!\w)") if words else None

    def _hash(self, text: str) -> bytes:
        key = self.audience.pseudonyms.encode()
        return blake2b(text.encode(), key=blake2b(key).digest()).digest()

    def _shown(self, number: int, player: Player) -> str:
        if self.audience.pseudonyms:
            return f"player {number}"
        name = printable(player.name)
        return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 10]}… ({number})"

    def game(self, id_: str) -> str:
        """A game as it is called: in most formats with the players' names, which may be hidden."""
        if not self.audience.pseudonyms or _NUMBERED.fullmatch(id_):
            return id_
        return f"game-{self._hash(id_).hex()[:_ID_DIGITS]}"

    def sentence(self, text: str) -> str:
        """A sentence of the arena that may name players."""
        if self._found is not None:
            text = self._found.sub(lambda found: self._replaced[found[0]], text)
        return printable(text)

    def detail(self, text: str, termination: Termination, player: str | None) -> str:
        """The referee's sentence on an ending; it may quote the player, in a void game any."""
        if self.audience.pseudonyms and termination is not Termination.NATURAL:
            return ending_word(termination)
        if not self.audience.may_read(player or ""):
            text = text.partition(STDERR_FOLLOWS)[0]
        return self.sentence(self.written(text))

    def written(self, text: str) -> str:
        """What a bot may have written, which names its own folder to the staff alone."""
        return text if self.audience.reads_all else without_folders(text, *self._folders)

    def stderr(self, stderr: SeatStderr) -> SeatStderr:
        """The same of its stderr."""
        if self.audience.reads_all:
            return stderr
        return stderr_without_folders(stderr, *self._folders)

    def standings(self, standings: Standings) -> Standings:
        """The standings with names as they are shown. No page needs the covariance."""
        faults = (each for each in standings.faults if each.player in self.names)
        known = standings.model_copy(
            update={
                "covariance": (),
                "faults": tuple(map(self._fault, faults)),
                "spoilt": tuple(map(self._spoilt, standings.spoilt)),
            }
        )
        return Standings.model_validate(self._renamed(known.model_dump()))

    def _fault(self, fault: Broken) -> Broken:
        detail = self.detail(fault.detail, Termination(fault.termination), fault.player)
        return fault.model_copy(update={"detail": detail})

    def _spoilt(self, game: Spoilt) -> Spoilt:
        return game.model_copy(update={"detail": self.detail(game.detail, Termination.VOID, None)})

    def _renamed(self, value: Any, key: str = "") -> Any:
        if isinstance(value, Mapping):
            return {name: self._renamed(each, name) for name, each in value.items()}
        if isinstance(value, tuple | list):
            return tuple(self._renamed(each, key) for each in value if not self._is_out(each))
        if not isinstance(value, str):
            return value
        if key == "game":
            return self.game(value)
        if key in _NAMES and value in self.names:
            return self.names[value]
        return self.sentence(value) if key in _NAMES | _SENTENCES else value

    def _is_out(self, value: Any) -> bool:
        """Whether it is the line of a player that is left out."""
        return isinstance(value, Mapping) and value.get("player") in self.audience.without
