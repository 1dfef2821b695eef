"""From games played to results that count: the two players, which moved first, and the score."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from hashlib import blake2b
from itertools import combinations, repeat
from operator import attrgetter
from typing import NamedTuple

import rules
from arena.model.containment import Held
from arena.model.protocol import Termination
from arena.model.record import GameRecord
from rules import tiles


class Result(NamedTuple):
    """The result of one meeting of two players."""

    first: str
    """The player who moved first."""
    second: str
    score: float
    """Of `first`: 1, ½ or 0."""
    pair: str = ""
    """Results with the same label are one cluster, dependent on each other (colours swapped on one
    opening, or the same seed); an empty label makes the result a cluster of its own."""


class Results(NamedTuple):
    """A list of results from elsewhere."""

    results: Sequence[Result]
    first_mover: bool = True
    """Whether a player moved first; False where the order of the two means nothing."""
    damaged: Sequence[str] = ()
    """A sentence for each game without a result that can be read."""
    unfinished: int = 0
    """Games that are not over: they have no result."""
    repeated: int = 0
    """As `repeats` finds them; 0 where their moves are not known."""


def refuse_names(first: object, second: object) -> None:
    """Raise ValueError where these cannot name two players in a list from elsewhere."""
    for name in (first, second):
        if not isinstance(name, str) or not name.strip() or not name.isprintable():
            raise ValueError(f"{name!r} cannot be a player's name: give a text that can be printed")
    if first == second:
        raise ValueError(f"{first!r} plays against itself")


class GameDigest(NamedTuple):
    """The part of a game record that standings are made from, small enough to keep by thousands."""

    game: str
    round: int
    pair: str
    rules: str
    seed: int
    players: tuple[str, ...]
    """Names by seat."""
    scores: tuple[int, ...]
    points: tuple[float, ...]
    """1, ½ or 0 by seat; empty where one game alone decides nothing."""
    termination: Termination
    detail: str = ""
    """How it ended, a sentence."""
    offender: int | None = None
    """The seat that forfeited."""
    random_moves: tuple[int, ...] = ()
    """Moves the referee played for each seat after faults."""
    faults: tuple[tuple[int, Termination, str], ...] = ()
    """Seat, word and sentence of each fault, also where it cost a random move, or some `info`."""
    held: tuple[Held, ...] = ()
    """The sandbox of each seat's player."""
    used_ms: tuple[array[float], ...] = ()
    """Wall time of each move asked for, by seat."""
    best_tile: int = 0
    """The largest tile on the last board of 2048 and 2584; 0 in other games."""
    line: bytes = b""
    """A hash of its moves: games with the same one went move for move alike."""
    plies: int = 0
    """All its moves: opening, passes and chance included."""
    duration_ms: float = 0.0
    """Wall time, the start of the players included."""

    @property
    def moves(self) -> int:
        """Moves the players made or had made for them: no opening, no pass, no chance."""
        return sum(map(len, self.used_ms))


def digest(record: GameRecord) -> GameDigest:
    """Keep of `record` what standings need."""
    used_ms = tuple(array("f") for _ in record.seats)
    for move in record.moves:
        if move.used_ms is not None:
            used_ms[move.seat].append(move.used_ms)
    best_tile = 0
    if record.terms.rules in tiles.NAMES:
        best_tile = max(max(row) for row in record.final_state["board"])
    return GameDigest(
        game=record.game,
        round=record.round,
        pair=record.pair,
        rules=record.terms.rules,
        seed=record.seed,
        players=tuple(seat.player for seat in record.seats),
        scores=record.scores,
        points=record.points,
        termination=record.termination,
        detail=record.detail,
        offender=record.offender,
        random_moves=tuple(seat.random_moves for seat in record.seats),
        faults=tuple(_faults(record)),
        held=tuple(shared_held(seat.sandbox.model_dump_json()) for seat in record.seats),
        used_ms=used_ms,
        best_tile=best_tile,
        line=blake2b(" ".join(move.move for move in record.moves).encode(), digest_size=8).digest(),
        plies=len(record.moves),
        duration_ms=record.duration_ms,
    )


@cache
def shared_held(text: str) -> Held:
    """One value for all games that were held alike: digests are kept by thousands."""
    return Held.model_validate_json(text)


def _faults(record: GameRecord) -> Iterator[tuple[int, Termination, str]]:
    for move in record.moves:
        if move.fault is not None:
            yield move.fault.seat, move.fault.termination, move.fault.detail
    if record.offender is not None:
        yield record.offender, record.termination, record.detail


def repeats(games: Iterable[GameDigest]) -> int:
    """Games that went like an earlier one of the same players in the same seats."""
    lines = [(game.players, game.line) for game in games if game.line and game.offender is None]
    return len(lines) - len(set(lines))


def results_of(games: Iterable[GameDigest]) -> tuple[Result, ...]:
    """The results of `games`, in a fixed order. Void games give none.

    A game that decided points is a result as it stands, a forfeit included. Games of 2048 and 2584
    are compared, and the order of the names means nothing:

    - One seat: all players of the same seed are compared two by two, by their scores; a forfeited
      game loses, and two of them draw.
    - The placer is a player: the two games with the roles swapped make one result, by the sliders'
      scores. A forfeit as slider is a score below any other, as placer it gives the opponent one
      above any other.
    """
    results: list[Result] = []
    seeds: dict[tuple[str, int], list[GameDigest]] = defaultdict(list)
    roles: dict[tuple[str, frozenset[str]], list[GameDigest]] = defaultdict(list)
    for game in games:
        if game.termination is Termination.VOID:
            continue
        if not rules.default(game.rules).decided_by_seed:
            (first, second), (own, others) = game.players, game.points
            results.append(Result(first, second, _compare(own, others), game.pair))
        elif len(game.players) == 1:
            seeds[game.pair, game.seed].append(game)
        else:
            roles[game.pair, frozenset(game.players)].append(game)
    order = attrgetter("players", "game")
    for (label, seed), together in seeds.items():
        for one, other in combinations(sorted(together, key=order), 2):
            if one.players != other.players:
                results.append(_compared(one, other, label or f"seed {seed}"))
    for (label, _), together in roles.items():
        ordered = sorted(together, key=order)
        ones = [game for game in ordered if game.players == ordered[0].players]
        results += map(_compared, ones, ordered[len(ones) :], repeat(label))
    return tuple(results)


def _compared(one: GameDigest, other: GameDigest, label: str) -> Result:
    """The sliders of two games, by their scores."""
    score = _compare(slid(one), slid(other))
    return Result(one.players[0], other.players[0], score, label)


def slid(game: GameDigest) -> float:
    """The slider's score in 2048 or 2584, as far as it counts in a comparison."""
    if game.offender is None:
        return game.scores[0]
    return float("-inf") if game.offender == 0 else float("inf")


def _compare(one: float, other: float) -> float:
    return 0.5 if one == other else float(one > other)
