"""A bracket: the matches of a knockout while it is played, for every format that ends in one."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import cast

from arena.ratings.rankings import BracketMatch, BracketRound, Placing
from arena.tournament.formats.base import Plan
from arena.tournament.formats.meetings import Pair
from arena.tournament.formats.staged import Rounds

COLUMNS = ("Matches won", "Points")
"""The columns of a placing in a bracket."""
_NAMES = {1: "Final", 2: "Semi-finals", 4: "Quarter-finals"}


@dataclass
class _Match:
    """Two players in the order of the bracket; the second is missing in a bye."""

    players: tuple[str, str | None]
    points: dict[str, float] = field(default_factory=dict)
    left: set[str] = field(default_factory=set)
    """Those that left while it was played."""
    winner: str | None = None

    @property
    def loser(self) -> str | None:
        """Once there is a winner; None in a bye."""
        return next((name for name in self.players if name != self.winner), None)

    @property
    def is_tied(self) -> bool:
        return len(set(map(self.standing, self.points))) == 1

    def standing(self, player: str) -> tuple[bool, float]:
        """The deciding score: a player that left loses, even if it was ahead."""
        return player not in self.left, self.points[player]

    def shown(self) -> BracketMatch:
        points = tuple(self.points.get(name, 0.0) for name in filter(None, self.players))
        return BracketMatch(players=self.players, points=points, winner=self.winner)


class Bracket:
    def __init__(self, seeds: Sequence[str], plan: Plan, has_left: Callable[[str], bool]) -> None:
        """`has_left` says whether a player left before the end of the round that is played."""
        self._seed = {player: place for place, player in enumerate(seeds)}
        self._pairs = plan.rounds
        self._extra: int = plan.keys["extra"]
        self._third: bool = plan.keys["third_place"]
        self._has_left = has_left
        self._rounds: list[list[_Match]] = []
        self._consolation: _Match | None = None

    @property
    def most(self) -> int:
        """Games, if every match is tied to the end."""
        matches = len(self._seed) - 1 + int(self._third and len(self._seed) > 3)
        return 2 * matches * (self._pairs + self._extra)

    def play(self) -> Rounds:
        seeds, size = list(self._seed), 1 << (len(self._seed) - 1).bit_length()
        left = [seeds[place] if place < len(seeds) else None for place in places(size)]
        while len(left) > 1:
            upper, lower = cast(list[str], left[::2]), left[1::2]
            matches = [_Match(pair) for pair in zip(upper, lower, strict=True)]
            out = [match.loser for match in self._rounds[-1]] if self._rounds else []
            self._rounds.append(matches)
            going = [*matches]
            if self._third and len(out) == 2 and out[0] and out[1]:
                self._consolation = _Match((out[0], out[1]))
                going.append(self._consolation)
            yield from self._decide(going)
            left = [match.winner for match in matches]

    def _decide(self, matches: Sequence[_Match]) -> Rounds:
        pairs: dict[Pair, _Match] = {}
        for match in matches:
            one, *other = sorted(filter(None, match.players), key=self._seed.__getitem__)
            if other:
                pairs[one, other[0]] = match
                match.points = {one: 0.0, other[0]: 0.0}
            else:
                match.winner = one
        for number in range(self._pairs + self._extra):
            going = [pair for pair in pairs if number < self._pairs or pairs[pair].is_tied]
            if not going:
                break
            taken = yield going
            for pair in going:
                pairs[pair].left.update(filter(self._has_left, pair))
                for player, points in zip(pair, taken[pair], strict=True):
                    pairs[pair].points[player] += points
        for pair, match in pairs.items():  # of equals, max takes the first: the better seed
            match.winner = max(pair, key=match.standing)

    def shown(self) -> tuple[BracketRound, ...]:
        rounds = [
            (_NAMES.get(len(matches), f"Round of {2 * len(matches)}"), matches)
            for matches in self._rounds
        ]
        if self._consolation is not None:
            rounds.append(("Third place", [self._consolation]))
        return tuple(
            BracketRound(name=name, matches=tuple(match.shown() for match in matches))
            for name, matches in rounds
        )

    def placings(self) -> tuple[Placing, ...]:
        """The players by the round they reached; those of one round share the rank."""
        far = dict.fromkeys(self._seed, 0.0)
        won, points = dict.fromkeys(self._seed, 0), dict.fromkeys(self._seed, 0.0)
        for match, step in self._matches():
            for player, taken in match.points.items():
                points[player] += taken
                won[player] += player == match.winner
            if match.winner is not None:
                far[match.winner] += step
        return tuple(
            Placing(
                rank=1 + sum(other > far[player] for other in far.values()),
                player=player,
                figures=(won[player], points[player]),
            )
            for player in sorted(far, key=lambda player: -far[player])
        )

    def notes(self) -> Iterator[str]:
        for match, _ in self._matches():
            if match.winner is not None and match.is_tied:
                winner, loser = match.winner, match.loser
                yield f"{winner} and {loser} stayed tied: {winner} wins as the better seed."

    def _matches(self) -> Iterator[tuple[_Match, float]]:
        """All matches, and the step that a winner takes."""
        yield from ((match, 1.0) for matches in self._rounds for match in matches)
        if self._consolation is not None:
            yield self._consolation, 0.1


def places(size: int) -> list[int]:
    """The seeds from 0 in the order of the bracket, so that the best meet as late as possible."""
    order = [0]
    while len(order) < size:
        last = 2 * len(order) - 1
        order = [seed for better in order for seed in (better, last - better)]
    return order
