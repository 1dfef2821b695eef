"""How long a tournament takes, before it is played."""

from collections import Counter
from collections.abc import Iterable
from operator import mul

from arena.model import Frozen
from arena.tournament.config import Player, TournamentConfig
from arena.tournament.formats.base import Pairing

_START_S = 0.5
"""Starting the processes of a game and taking them down, about; next to nothing when they stay."""
_INSTANT_S = 0.001
"""A move of a player that does not think by the clock, about."""
_UNKNOWN_SHARE = 0.5
"""Part of its time that a player we know nothing of is taken to use."""


class Estimate(Frozen):
    """Wall time of some games, in seconds."""

    expected_s: float
    worst_s: float | None
    """If every move takes all the time it may (built-ins that answer at once never do), players
    start promptly and no game is replayed; null where a game has no known length."""
    known: bool = True
    """False where options such as `depth` say how long a player thinks: `expected_s` is what the
    clock allows, which may be far more than it takes."""

    def __str__(self) -> str:
        about = f"About {rough_duration(self.expected_s)}"
        if self.worst_s is None and self.known:
            return f"{about}; no upper limit, a game lasts as long as it goes well"
        if self.worst_s is None:
            return "Time unknown until the first games are played (players without a time limit)"
        most = f"t most {rough_duration(self.worst_s)}"
        return f"{about}, a{most}" if self.known else f"A{most}"


def estimate(config: TournamentConfig, games: Iterable[Pairing]) -> Estimate:
    """The time `games` of the tournament take, played `config.concurrency` at a time."""
    game, max_plies = config.terms.game, config.terms.max_plies
    plies = min(game.typical_plies, max_plies or game.typical_plies)
    players = {player.name: player for player in config.players}
    start = 0.0 if config.keep_alive else _START_S
    alike = Counter((_opening_plies(config, game.round), game.players) for game in games)
    expected, worst = [0.0], [0.0]  # seconds of a game, by kind
    for opening, names in alike:
        own = max(1, (plies - opening) // len(names))
        seats = [players[name] for name in names]
        expected.append(start + sum(_thinking(config, own, player) for player in seats))
        worst.append(start + sum(_at_most(config, own, player) for player in seats))
    counts = [0, *alike.values()]
    side_by_side = min(config.concurrency, max(1, alike.total()))
    endless = game.is_endless and max_plies is None
    return Estimate(
        expected_s=max(*expected, sum(map(mul, counts, expected)) / side_by_side),
        worst_s=None if endless else sum(map(mul, counts, worst)) / side_by_side + max(worst),
        known=not any(players[name].budgeted for _, names in alike for name in names),
    )


def _opening_plies(config: TournamentConfig, round_: int) -> int:
    lines = config.openings.lines
    return len(lines[(round_ - 1) % len(lines)]) if lines else config.openings.plies


def _thinking(config: TournamentConfig, moves: int, player: Player) -> float:
    limit = _limit(config, moves, 0)
    if player.think_ms is not None:
        limit = min(limit, moves * player.think_ms / 1000)
    if player.uses_clock is None:
        return limit * _UNKNOWN_SHARE
    return limit if player.uses_clock else min(limit, moves * _INSTANT_S)


def _at_most(config: TournamentConfig, moves: int, player: Player) -> float:
    if player.uses_clock is False:
        return _thinking(config, moves, player)
    return _limit(config, moves, config.terms.grace_ms)


def _limit(config: TournamentConfig, moves: int, grace_ms: int) -> float:
    """All the time one player may take for its moves of a game, in seconds."""
    clock = config.terms.clock
    limits = []
    if clock.move_ms is not None:
        limits.append(moves * clock.move_ms)
    if clock.bank_ms is not None:
        limits.append(clock.bank_ms + moves * clock.increment_ms)
    return (min(limits) + moves * grace_ms) / 1000


def rough_duration(seconds: float) -> str:
    """`42 s`, `20 min`, `5.2 h`, `3.4 days`."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 5400:
        return f"{round(seconds / 60)} min"
    if seconds < 48 * 3600:
        return f"{seconds / 3600:.1f} h"
    return f"{seconds / 86400:.1f} days"
