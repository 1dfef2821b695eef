"""The games of a run, each as one of its players sees it: selecting and showing them."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeVar

from arena.model import Frozen
from arena.model.protocol import Termination
from arena.ratings.results import GameDigest
from arena.tournament.run_view import RunView

FORFEIT = "forfeit"
"""The word for every ending by a player's fault."""
SIDES = ("first", "second")
"""The words for seats 0 and 1."""
ENDINGS = (*map(str, Termination), FORFEIT)
ResultWord = Literal["won", "drawn", "lost"]
Sort = Literal["slowest", "longest"]
_Each = TypeVar("_Each")
_RESULTS: dict[float, ResultWord] = {1.0: "won", 0.5: "drawn", 0.0: "lost"}


class GameRow(Frozen):
    """A game as one of its players sees it."""

    game: str
    round: int
    pair: str
    player: str
    opponents: tuple[str, ...]
    seat: int
    """From 0, which moves first."""
    result: ResultWord | None
    """Null where one game alone decides nothing."""
    score: int
    """Discs, boxes, the slider's score."""
    opponent_scores: tuple[int, ...]
    ending: Termination
    forfeited_by: str | None
    """The player whose fault ended it."""
    detail: str
    """How it ended, a sentence."""
    plies: int
    """All moves: opening, passes and chance included."""
    moves: int
    """Moves that this player was asked for."""
    slowest_ms: float | None
    """The longest time it took for one of them; null where there were none."""
    total_ms: float
    """The time it took for all of them."""


class GameFilter(NamedTuple):
    """Which games: None takes all."""

    player: str | None = None
    against: str | None = None
    side: str | None = None
    """One of SIDES."""
    results: Sequence[str] = ()
    """The results for this player; empty takes all."""
    ending: str | None = None
    """One of ENDINGS."""

    def takes(self, row: GameRow) -> bool:
        """Whether it is one of them, as this player sees it."""
        endings = {row.ending, FORFEIT} if row.ending.is_forfeit else {row.ending}
        return (
            self.player in (None, row.player)
            and (self.against is None or self.against in row.opponents)
            and (self.side is None or SIDES.index(self.side) == row.seat)
            and (not self.results or row.result in self.results)
            and (self.ending is None or self.ending in endings)
        )


def rows(view: RunView, filter_: GameFilter, sort: Sort | None = None) -> list[GameRow]:
    """The wanted games, each once, as its first player that fits sees it. In the order they ended,
    unless `sort` puts others first. Void attempts are there where void is the wanted ending.
    """
    games = view.void if filter_.ending == Termination.VOID else view.games
    fitting = (next(filter(filter_.takes, seen_by_each(game)), None) for game in games)
    found = [row for row in fitting if row is not None]
    if sort == "slowest":
        found.sort(key=lambda row: -(row.slowest_ms or 0))
    elif sort == "longest":
        found.sort(key=lambda row: -row.plies)
    return found


def seen_by_each(game: GameDigest) -> Iterator[GameRow]:
    """The game as each of its players has it, a row each."""
    for seat, player in enumerate(game.players):
        times = game.used_ms[seat]
        yield GameRow(
            **{name: getattr(game, name) for name in ("game", "round", "pair", "detail", "plies")},
            player=player,
            opponents=_others(game.players, seat),
            seat=seat,
            result=_result(game, seat),
            score=game.scores[seat],
            opponent_scores=_others(game.scores, seat),
            ending=game.termination,
            forfeited_by=None if game.offender is None else game.players[game.offender],
            moves=len(times),
            slowest_ms=round(max(times), 3) if times else None,
            total_ms=round(sum(times), 3),
        )


def _others(by_seat: tuple[_Each, ...], seat: int) -> tuple[_Each, ...]:
    return by_seat[:seat] + by_seat[seat + 1 :]


def _result(game: GameDigest, seat: int) -> ResultWord | None:
    if game.points:
        return _RESULTS.get(game.points[seat])
    return "lost" if game.offender == seat else None
