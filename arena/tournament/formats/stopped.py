"""A schedule that ends before its last round: by games, by hours of play, or once the first of the
field are separated.

Each end follows from the games that have results, so a resumed run ends where it would have ended:

- `games`: that many from the beginning of the schedule, to the end of a pair.
- `hours`: what all its games took, added up and divided by the games played at a time. Games and
  pairs in play are played to their end.
- `separated`: looked at after whole rounds. No round begins before the look at those before it.
"""

import math
from collections.abc import Iterator
from itertools import takewhile

from pydantic import Field

from arena.files.toml_tables import TomlTable
from arena.model.protocol import Termination
from arena.ratings.rankings import Ranking
from arena.ratings.results import GameDigest, results_of
from arena.ratings.scale import ERROR_RATE
from arena.tournament.formats.base import Pairing, Plan, Schedule


class StopTable(TomlTable):
    """`[stop]`: what ends a tournament before its last round, the first that comes."""

    games: int | None = Field(default=None, ge=1)
    hours: float | None = Field(default=None, gt=0)
    separated: int | None = Field(default=None, ge=1)
    """How many players from the top are to be separated; see `arena.ratings.separation`."""

    def __bool__(self) -> bool:
        return self != StopTable()

    def __str__(self) -> str:
        ends = [] if self.games is None else [f"after {self.games:,} games"]
        ends += [] if self.hours is None else [f"after {self.hours:g} hours of play"]
        if self.separated is not None:
            first = "is" if self.separated == 1 else f"{self.separated} are"
            ends.append(f"once the first {first} separated")
        return " or ".join(ends)


class StoppedSchedule(Schedule):
    """The first games of another schedule."""

    def __init__(self, schedule: Schedule, plan: Plan, stop: StopTable, concurrency: int) -> None:
        self._inner, self._plan, self._stop = schedule, plan, stop
        self._unit = 2 if plan.game.seats == 2 else len(plan.players) - len(plan.out)
        self._most = -(-stop.games // self._unit) * self._unit if stop.games else math.inf
        self._on_top = 0  # games of players that are out
        self._ms_an_hour = 3_600_000 * concurrency
        self._used_ms = 0.0
        self._finished: dict[str, GameDigest] = {}
        self._playing: dict[str, Pairing] = {}
        self._pairs: set[str] = set()
        self._round = 0  # the last that has begun
        self._drawn: list[Pairing] = []  # from the schedule, and not handed out yet
        self._look = (0, 0)  # rounds looked at, and how many were separated after them
        self._peeked: tuple[Pairing | None] | None = None  # until a game is begun or added

    @property
    def total(self) -> int:  # type: ignore[override] # it follows that of the schedule
        most = self._most
        # Pairs beyond the end have begun where it is lowered, and lack games where players join.
        if len(self._pairs) * self._unit + self._on_top > most:
            most = max(most, len(self._finished) + len(self._playing) + len([*self._owed()]))
        return int(min(self._inner.total, most))

    @property
    def over(self) -> bool:
        following = self._peek()
        return not self._playing and (following is None or self._is_enough(following))

    def next(self) -> Pairing | None:
        game = self._peek()
        if game is None or self._waits(game) or self._is_enough(game):
            return None
        self._peeked = None
        self._playing[game.game] = game
        self._begun(game)
        return game

    def add(self, game: GameDigest) -> None:
        """Take note of a result, and of the time of any attempt."""
        self._peeked = None
        self._inner.add(game)
        self._used_ms += game.duration_ms
        if game.termination is not Termination.VOID:
            self._finished[game.game] = game
            self._playing.pop(game.game, None)
            if not self._plan.out.isdisjoint(game.players):
                self._most += 1
                self._on_top += 1
            self._begun(game)

    def _begun(self, game: Pairing | GameDigest) -> None:
        self._pairs.add(game.pair)
        self._round = max(self._round, game.round)

    def ranking(self) -> Ranking | None:
        return self._inner.ranking()

    @property
    def hours_left(self) -> float | None:
        hours = self._stop.hours
        return None if hours is None else max(0.0, hours - self._used_ms / self._ms_an_hour)

    def ending(self, *, over: bool) -> str:
        following, stop = next(self._ahead(), None), self._stop
        parts = []
        if stop.games is not None:
            played, most = len(self._finished), self._most
            lowered = f"{played:,} games, more than the {most:,} it asks for"
            parts.append(f"{played:,} of {most:,} games" if played <= most else lowered)
        if stop.hours is not None:
            done = self._used_ms / self._ms_an_hour / stop.hours
            parts.append(f"{done:.0%} of {stop.hours:g} hours of play")
        biased = ""
        if stop.separated is not None:
            rounds, found = self._looked(following)
            parts.append(
                f"{found} of the first {stop.separated} separated (error rate "
                f"{ERROR_RATE:.0%} over all looks) after {rounds} rounds"
            )
            if found >= stop.separated:
                biased = (
                    " Such an end is likelier when luck adds to these leads: on average they are "
                    "smaller than the Elo shows."
                )
        by_stop = following is not None or len(self._finished) >= self._most
        by_stop |= self.hours_left == 0
        ended = "Ended by" if by_stop else "Ended by its last round, before"
        return f"{ended if over else 'Ends by'} [stop]: {'; '.join(parts)}.{biased}"

    def _peek(self) -> Pairing | None:
        """The game that follows: once an end is reached, the other half of a pair, if any lacks."""
        if self._peeked is None:
            self._peeked = (self._following(),)
        return self._peeked[0]

    def _following(self) -> Pairing | None:
        first = next(self._ahead(), None)
        if first is None or self._waits(first) or not self._is_enough(first):
            return first
        return next(self._owed(), first)

    def _owed(self) -> Iterator[Pairing]:
        """The games not handed out yet of pairs that have begun."""
        begun = takewhile(lambda game: game.round <= self._round, self._ahead())
        return (game for game in begun if game.pair in self._pairs)

    def _ahead(self) -> Iterator[Pairing]:
        """The games not handed out yet, in their order."""
        left = (game for game in self._drawn if game.game not in self._finished)
        self._drawn = [game for game in left if game.game not in self._playing]
        yield from self._drawn
        while (game := self._inner.next()) is not None:
            self._drawn.append(game)
            yield game

    def _waits(self, game: Pairing) -> bool:
        """Whether a look comes before this game, and games of the rounds before are in play."""
        before = any(each.round < game.round for each in self._playing.values())
        return self._stop.separated is not None and before

    def _is_enough(self, game: Pairing) -> bool:
        """Whether it is not to be begun."""
        if game.pair in self._pairs:
            return False
        if len(self._finished) + len(self._playing) >= min(self._inner.total, self._most):
            return True
        if self.hours_left == 0:
            return True
        enough = self._stop.separated
        return enough is not None and self._looked(game)[1] >= enough

    def _looked(self, following: Pairing | None) -> tuple[int, int]:
        """The complete rounds, and how many players are separated after them."""
        rounds = following.round - 1 if following else max(self._round, self._plan.rounds)
        if rounds != self._look[0]:
            games = [game for game in self._finished.values() if game.round <= rounds]
            from arena.ratings.separation import separated  # here: it imports numpy

            field = {*self._plan.players} - self._plan.out
            results = results_of(game for game in games if field.issuperset(game.players))
            moves_first = not self._plan.game.decided_by_seed
            first = self._stop.separated or 0
            self._look = rounds, separated(results, field, first, first_mover=moves_first)
        return self._look
