"""How long a tournament takes, before it is played."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from arena.tournament.config import Player, TournamentConfig
from arena.tournament.formats.round_robin import Meeting

_START_S = 0.5
"""Starting the processes of a game and taking them down, about; next to nothing when they stay."""
_INSTANT_S = 0.001
"""A move of a player that does not think by the clock, about."""
_UNKNOWN_SHARE = 0.5
"""Part of its time that a player we know nothing of is taken to use."""


class Estimate(NamedTuple):
    """Wall time of some games, in seconds."""

    expected_s: float
    worst_s: float | None
    """If every move takes all the time it may (built-ins that answer at once never do), players
    start promptly and no game is replayed; None
    where a game has no known length (2048 and 2584 without `max_plies`)."""
    known: bool = True
    """False where options such as `depth` say how long a player thinks: `expected_s` is what the
    clock allows, which may be far more than it takes."""

    def __str__(self) -> str:
        if not self.known:
            return self._bound()
        about = f"about {rough_duration(self.expected_s)}"
        if self.worst_s is None:
            return f"{about}; no upper limit, a game lasts as long as it goes well"
        return f"{about}, at most {rough_duration(self.worst_s)}"

    def _bound(self) -> str:
        if self.worst_s is None:
            return (
                "time unknown: players think as far as their iterations, nodes or depth say, and a "
                "game lasts as long as it goes well"
            )
        most = rough_duration(self.worst_s)
        return f"at most {most}, less where iterations, nodes or depth end the thinking earlier"


def estimate(config: TournamentConfig, games: Iterable[Meeting]) -> Estimate:
    """The time `games` of the tournament take, played `config.concurrency` at a time."""
    game, max_plies = config.terms.game, config.terms.max_plies
    plies = game.typical_plies
    if max_plies is not None:
        plies = min(plies, max_plies)
    players = {player.name: player for player in config.players}
    start = 0.0 if config.keep_alive else _START_S
    alike = Counter(
        (_opening_plies(config, game.round), tuple(player.name for player in game.players))
        for game in games
    )
    expected, worst = _Times(), _Times()
    for (opening, names), count in alike.items():
        own = max(1, (plies - opening) // len(names))
        seats = [players[name] for name in names]
        expected.add(count, start + sum(_thinking(config, own, player) for player in seats))
        worst.add(count, start + sum(_at_most(config, own, player) for player in seats))
    side_by_side = min(config.concurrency, max(1, alike.total()))
    endless = game.is_endless and max_plies is None
    return Estimate(
        max(expected.longest, expected.total / side_by_side),
        None if endless else worst.total / side_by_side + worst.longest,
        known=not any(players[name].budgeted for _, names in alike for name in names),
    )


class _Times:
    """What games take, in seconds."""

    def __init__(self) -> None:
        self.total = self.longest = 0.0

    def add(self, games: int, each: float) -> None:
        self.total += games * each
        self.longest = max(self.longest, each)


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
