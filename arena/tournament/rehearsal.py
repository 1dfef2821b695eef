"""A schedule played with imagined results: the games that are ahead where results decide them."""

from collections.abc import Callable, Iterator

from arena.model.protocol import Termination
from arena.ratings.results import GameDigest
from arena.tournament.formats.base import Pairing, Schedule

Judge = Callable[[Pairing], float]
"""The share of the points, 0 to 1, that the first seat takes of a game."""


def rehearse(schedule: Schedule, rules: str, judge: Judge) -> Iterator[Pairing]:
    """The games still to play, each with the result that `judge` gives it."""
    while games := list(iter(schedule.next, None)):
        yield from games
        for game in games:
            schedule.add(imagined(game, rules, judge(game)))


def imagined(game: Pairing, rules: str, first: float) -> GameDigest:
    """A game as it might have ended, with `first` of the points for the first seat."""
    shares = (first, 1 - first)[: len(game.players)]
    return GameDigest(
        game=game.game,
        round=game.round,
        pair=game.pair,
        rules=rules,
        seed=0,
        players=game.players,
        scores=tuple(round(1000 * share) for share in shares),
        points=shares,
        termination=Termination.NATURAL,
    )
