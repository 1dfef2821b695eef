"""Rounds that a generator makes: it yields meetings, and is sent the results of each.

All games of a round are played before the next one is made, so that the generator depends on the
set of results alone. Two players meet once a round at most; a round may have no meetings. From the
round in which a player leaves on, its meetings are walkovers: they are not played, and their points
are its opponents'.
"""

from abc import abstractmethod
from collections.abc import Generator, Iterator, Mapping, Sequence

from arena.model.protocol import Termination
from arena.ratings.results import GameDigest, results_of
from arena.tournament.formats.base import Pairing, Plan, Schedule
from arena.tournament.formats.meetings import Pair, meeting

Taken = Mapping[Pair, tuple[float, float]]
"""The points that the two of each meeting took."""
Rounds = Generator[Sequence[Pair], Taken, None]


class StagedSchedule(Schedule):
    def __init__(self, plan: Plan, most: int) -> None:
        """`most` games, if results ask for as many as they can."""
        self.plan, self.total = plan, most
        self._results: dict[str, GameDigest] = {}
        self._rounds = self.rounds()
        self._round = 0
        self._deal(next(self._rounds, None))
        self._advance()

    @abstractmethod
    def rounds(self) -> Rounds:
        """The rounds from the first to the last."""

    @property
    def over(self) -> bool:
        return self._pairs is None

    @property
    def reached(self) -> int | None:
        """The round that is reached, even where an earlier game is damaged; None after the end."""
        rounds = [self._round, *(game.round for game in self._results.values())]
        return None if self.over else max(rounds)

    def next(self) -> Pairing | None:
        return next((game for game in self._left if game.game not in self._results), None)

    def add(self, game: GameDigest) -> None:
        """Take note of a result, and make the next round once all of this one are there."""
        if game.termination is Termination.VOID:
            return
        self._results[game.game] = game
        self._open.discard(game.game)
        self._advance()

    def walkovers(self) -> Iterator[str]:
        for name, round_ in self.plan.left.items():
            if round_ <= self._round:
                yield f"{name} has left: its games from then on count for its opponents."

    def _advance(self) -> None:
        while self._pairs is not None and not self._open:
            try:
                pairs = self._rounds.send(self.taken())
            except StopIteration:
                pairs = None
            self._deal(pairs)

    def _deal(self, pairs: Sequence[Pair] | None) -> None:
        """Begin a round of these meetings; None after the last one."""
        self._round += 1
        self._pairs = pairs
        self._games = [
            game
            for pair in pairs or ()
            if not any(map(self.has_left, pair))
            for game in meeting(self.plan.game, self._round, *pair)
        ]
        self._left = iter(self._games)
        self._open = {game.game for game in self._games} - self._results.keys()

    def has_left(self, player: str) -> bool:
        """Whether its games of this round are walkovers."""
        return player in self.plan.left and self.plan.left[player] <= self._round

    def taken(self) -> Taken:
        """The points in this round so far."""
        most = 1.0 if self.plan.game.decided_by_seed else 2.0
        taken = {
            (one, other): (most * self.has_left(other), most * self.has_left(one))
            for one, other in self._pairs or ()
        }
        known = [self._results[each.game] for each in self._games if each.game in self._results]
        for first, second, score, _ in results_of(known):
            pair = (first, second) if (first, second) in taken else (second, first)
            own = score if pair[0] == first else 1 - score
            taken[pair] = (taken[pair][0] + own, taken[pair][1] + 1 - own)
        return taken
