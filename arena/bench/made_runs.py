"""Runs that were never played: random games of dots and boxes, for what reads runs."""

from collections.abc import Iterator
from itertools import combinations, cycle
from pathlib import Path
from random import Random

from arena.model.contender import CommandLine, Contender
from arena.model.game_spec import Terms
from arena.model.protocol import Clock
from arena.model.record import GameRecord, SeatRecord
from arena.records.form import ParsedGame, record_of
from arena.tournament.config import Player, TournamentConfig
from arena.tournament.played_store import PlayedStore

_PLAYERS = tuple(f"bot-{number}" for number in range(1, 11))
_TERMS = Terms(rules="dots", variant={"rows": 5, "cols": 5}, clock=Clock(move_ms=100))
_DIFFERENT = 50
"""Games that differ in their moves; the others are these once more."""


def made_run(path: Path, games: int) -> None:
    """Write a finished run of ten players."""
    pairs = list(combinations(_PLAYERS, 2))
    config = TournamentConfig(
        name=path.stem,
        concurrency=1,
        rounds=-(-games // (2 * len(pairs))),
        terms=_TERMS,
        players=tuple(map(_player, _PLAYERS)),
    )
    some = [_game(Random(number)) for number in range(min(games, _DIFFERENT))]
    with PlayedStore.open_run(path, config) as store:
        for number, players, record in zip(range(games), _seats(pairs), cycle(some), strict=False):
            seats = tuple(SeatRecord(player=name) for name in players)
            named = {"game": f"g{number:05}", "pair": f"p{number // 2}", "seats": seats}
            store.add(record.model_copy(update=named))


def _seats(pairs: list[tuple[str, str]]) -> Iterator[tuple[str, ...]]:
    for one, other in cycle(pairs):
        yield one, other
        yield other, one


def _player(name: str) -> Player:
    contender = Contender(name=name, program=CommandLine(words=("none",)))
    return Player(bot=name, builtin=None, uses_clock=None, contender=contender)


def _game(random: Random) -> GameRecord:
    position, moves = _TERMS.game.start(), list[str]()
    while not position.is_over:
        moves.append(random.choice(position.legal_moves()))
        position = position.play(moves[-1])
    seconds = [random.uniform(0.001, 0.099) for _ in moves]
    parsed = ParsedGame(moves, seconds=seconds, date="2026-01-01T00:00:00Z")
    return record_of(parsed, _TERMS.game, 0).model_copy(update={"terms": _TERMS})
