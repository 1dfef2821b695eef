"""A tournament format gives the next game, by the results so far.

A format is one file of this folder and one line in `arena.tournament.formats`. Its own keys are a
table of the tournament file named after it, which also selects it.

A schedule knows nothing but its plan and the games added to it: an interrupted run goes on by
adding the games its store has. It comes out as an undisturbed one by three rules:

- A pairing's game id, seed and opening follow from the pairing itself (its label, its round), never
  from the number of games handed out before it.
- The next pairing depends on which games have which results, not on the order they were added in.
- A pairing that depends on results is made once all of these results are there.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from arena.files.toml_tables import TomlTable
from arena.ratings.matches import Verdict
from arena.ratings.rankings import Ranking
from arena.ratings.results import GameDigest
from rules.position import Game


class Pairing(NamedTuple):
    """A game of the schedule, but for its opening, which may take long to draw."""

    game: str
    """Its id, unique in the tournament."""
    round: int
    """From 1; games of a round share an opening."""
    pair: str
    """The label shared by games that belong together: seats swapped, or the same seed."""
    players: tuple[str, ...]
    """Names by seat."""
    lot: str
    """The label that the game's seed is drawn for."""


class Plan(NamedTuple):
    """The input of a schedule."""

    players: tuple[str, ...]
    """Names: the first field in the order of the tournament file, then those that joined later, in
    the order they joined in. A name keeps its place for ever."""
    rounds: int
    game: Game
    keys: Mapping[str, Any]
    """The format's own keys, complete."""
    later: tuple[int, ...] = ()
    """For each group that joined together later, the number of players before it."""
    out: frozenset[str] = frozenset()
    """Players without further games; those that they have played stay."""
    left: Mapping[str, int] = MappingProxyType({})
    """Those that left a format with `walkovers` after it began, and the round of it from which on
    their games count for their opponents."""
    away: Mapping[str, frozenset[int]] = MappingProxyType({})
    """Of those that came back to a `MatchedSchedule`, the rounds that were played without them."""
    version_of: Mapping[str, str] = MappingProxyType({})
    """For each later version of a player, the name that the tournament file has for all of them."""


class Schedule(Protocol):
    """The games of a tournament, one after the other."""

    total: int
    """How many games there are, at most where results decide (`Format.fixed`)."""

    @property
    def over(self) -> bool:
        """Whether nothing is left to play."""

    def next(self) -> Pairing | None:
        """A game not yet handed out or added; None when nothing may begin before more results."""

    def add(self, game: GameDigest) -> None:
        """Take note of a result, or of a void attempt at a game, fresh or from the store."""

    def ranking(self) -> Ranking | None:
        """How the format ranks the players; None where they are ranked by Elo."""
        return None

    @property
    def verdict(self) -> Verdict | None:
        """The sequential test that the format plays; None without one."""
        return None

    def ending(self, *, over: bool) -> str | None:
        """How far the ends of `[stop]` are, a sentence; None without. `over`: none is in play."""
        return None

    @property
    def hours_left(self) -> float | None:
        """Hours of play until the schedule ends, whatever is left of it; None without an end."""
        return None


Problems = Iterable[tuple[str, str]]
"""A key of a table, or an empty text for all of it, and what is wrong with it, a sentence."""


class Format(NamedTuple):
    """A kind of tournament."""

    name: str
    """Its name in the tournament file, and that of the table with its keys."""
    open: Callable[[Plan], Schedule]
    """Makes the schedule before the first game."""
    keys: type[TomlTable] = TomlTable
    """The table of its own keys, by default without any."""
    rounds: int = 1
    """How many rounds are played where the file does not say."""
    problems: Callable[[Any, Sequence[str]], Problems] = lambda keys, players: ()
    """Problems of its table, given the names of the players."""
    fixed: bool = True
    """Whether as many games are played as its schedule has, whatever their results."""
    foreseen: bool = True
    """Whether all its games are known before the first."""
    matched: bool = False
    """Whether its results choose the meetings: close players, round after round."""
    alone: str = ""
    """Why it does not fit a game that one plays alone, and what does; empty where it fits."""
    unstopped: str = ""
    """Why `[stop]` does not fit it; empty where it fits."""
    grows: bool = True
    """Whether more rounds may be added to a run: those that are there stay as they are."""
    closed: bool = False
    """Whether no player joins once it began, nor leaves without `walkovers`: then a plan has no
    player `later` or `out`, and those who were left out before are none of its players.
    """
    walkovers: bool = False
    """Whether a player may leave a closed format, as a `StagedSchedule` allows."""
