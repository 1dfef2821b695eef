"""How long a tournament takes, before it is played."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from operator import mul

from arena.model import Frozen
from arena.model.protocol import Termination
from arena.ratings.results import GameDigest
from arena.tournament.config import Player, TournamentConfig
from arena.tournament.formats import FORMATS
from arena.tournament.formats.base import Pairing, Schedule

_START_S = 0.5
"""Starting the processes of a game and taking them down, about; next to nothing when they stay."""
_INSTANT_MS = 1
"""A move of a player that does not think by the clock, about."""
_UNKNOWN_SHARE = 0.5
"""Part of its time that a player we know nothing of is taken to use."""
_SHORT_S = 10
"""Of a shorter time most goes into starting the referees, as quick as the machine is free."""
_SAMPLE_GAMES = 300
"""The games from which the time of rounds is estimated that results will make."""


class Estimate(Frozen):
    """Wall time of some games, in seconds."""

    expected_s: float
    worst_s: float | None
    """If every move takes all the time it may (built-ins that answer at once never do), players
    start promptly and no game is replayed; null where a game has no known length."""
    known: bool = True
    """False where options such as `depth` say how long a player thinks: `expected_s` is what the
    clock allows, which may be far more than it takes."""
    games: int = 0
    """How many are expected."""

    def __str__(self) -> str:
        if self.worst_s is not None and self.worst_s < _SHORT_S:
            return "A few seconds"
        about = f"About {rough_duration(self.expected_s)}"
        if self.worst_s is None and self.known:
            return f"{about}; no upper limit, a game lasts as long as it goes well"
        if self.worst_s is None:
            return "Time unknown until the first games are played (players without a time limit)"
        most = f"t most {rough_duration(self.worst_s)}"
        return f"{about}, a{most}" if self.known else f"A{most}"


def estimate_left(config: TournamentConfig, schedule: Schedule, done: int = 0) -> Estimate:
    """The time of what a schedule has left, of which it is used up; `done` games are played. Where
    results decide who meets, the players listed first are imagined to win; where they decide how
    many games there are, that gives about the fewest.
    """
    left = schedule.total - done
    of = partial(estimate, config, at_most=left, hours_left=schedule.hours_left)
    format_, by_results = FORMATS[config.format], config.stop.separated is not None
    if format_.foreseen and not by_results:
        return of(iter(schedule.next, None))
    first = {player.name: place for place, player in enumerate(config.players)}

    def better(game: Pairing) -> float:
        own, *others = (first[player] for player in game.players)
        return float(own < others[0]) if others else 1 - own / len(first)

    ahead = imagine(schedule, config.terms.rules, better)
    if format_.fixed and not by_results:
        return of(islice(ahead, _SAMPLE_GAMES), left)
    return of(ahead)


Judge = Callable[[Pairing], float]
"""The share of the points, 0 to 1, that the first seat takes of a game."""


def imagine(schedule: Schedule, rules: str, judge: Judge) -> Iterator[Pairing]:
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


def estimate(
    config: TournamentConfig,
    games: Iterable[Pairing],
    total: int | None = None,
    *,
    at_most: int = 0,
    hours_left: float | None = None,
) -> Estimate:
    """The time `games` of the tournament take, played `config.concurrency` at a time; with `total`
    they are a sample of as many. There may be `at_most` of them, and no pair begins after the
    `hours_left`.
    """
    game, max_plies = config.terms.game, config.terms.max_plies
    plies = min(game.typical_plies, max_plies or game.typical_plies)
    players = {player.name: player for player in config.players}
    fresh = {name: _START_S for name, player in players.items() if not _stays_alive(config, player)}
    alike = Counter((_opening_plies(config, game.round), game.players) for game in games)
    expected, worst = [0.0], [0.0]  # seconds of a game, by kind
    for opening, names in alike:
        own = max(1, (plies - opening) // len(names))
        about, most = zip(*(_times(config, own, players[name]) for name in names), strict=True)
        start = max(fresh.get(name, 0.0) for name in names)
        expected.append(start + sum(about))
        worst.append(start + sum(most))
    known = alike.total()
    number = known if total is None else total
    counts = [0.0, *(count * number / known for count in alike.values())]
    side_by_side = min(config.concurrency, max(1, number))
    endless = game.is_endless and max_plies is None
    left_s = math.inf if hours_left is None else 3600 * hours_left
    about_s = max(*expected, sum(map(mul, counts, expected)) / side_by_side)
    more = max(1.0, at_most / (number or 1))
    most_s = more * sum(map(mul, counts, worst)) / side_by_side + max(worst)
    return Estimate(
        expected_s=min(about_s, left_s),
        worst_s=None if endless else min(most_s, left_s + 3 * max(worst)),
        known=not any(players[name].budgeted for _, names in alike for name in names),
        games=number,
    )


def _stays_alive(config: TournamentConfig, player: Player) -> bool:
    return player.builtin is not None if config.keep_alive is None else config.keep_alive


def _opening_plies(config: TournamentConfig, round_: int) -> int:
    lines = config.openings.lines
    return len(lines[(round_ - 1) % len(lines)]) if lines else config.openings.plies


def _times(config: TournamentConfig, moves: int, player: Player) -> tuple[float, float]:
    """The time of a player for its moves of a game, in seconds: about, and at most."""
    clock = player.contender.clock or config.terms.clock
    limits = [] if clock.move_ms is None else [moves * clock.move_ms]
    if clock.bank_ms is not None:
        limits.append(clock.bank_ms + moves * clock.increment_ms)
    about, most = float(min(limits)), float(min(limits) + moves * config.terms.grace_ms)
    if player.think_ms is not None:
        about = min(about, moves * player.think_ms)
    if player.uses_clock is None:
        about *= _UNKNOWN_SHARE
    elif not player.uses_clock:
        about = most = min(about, moves * _INSTANT_MS)
    return about / 1000, most / 1000


def rough_duration(seconds: float) -> str:
    """`42 s`, `20 min`, `5.2 h`, `3.4 days`."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 5400:
        return f"{round(seconds / 60)} min"
    if seconds < 48 * 3600:
        return f"{seconds / 3600:.1f} h"
    return f"{seconds / 86400:.1f} days"
