"""Runs that were never played: random games of dots and boxes, for what reads runs."""

from collections.abc import Iterator
from itertools import combinations, cycle
from pathlib import Path
from random import Random

from arena.model.contender import CommandLine, Contender
from arena.model.game_spec import Terms
from arena.model.protocol import Clock, Termination
from arena.model.record import GameRecord, Host, PlayedMove, SeatRecord
from arena.tournament.config import Player, TournamentConfig
from arena.tournament.played_store import PlayedStore

_PLAYERS = tuple(f"bot-{number}" for number in range(1, 11))
_TERMS = Terms(rules="dots", variant={"rows": 5, "cols": 5}, clock=Clock(move_ms=100))
_HOST = Host(name="none", system="none", cpu="none", cores=1, python="3.11", arena="0.1.0")
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
    position, moves = _TERMS.game.start(), list[PlayedMove]()
    while position.to_move is not None:
        seat, move = position.to_move, random.choice(position.legal_moves())
        moves.append(PlayedMove(seat=seat, move=move, used_ms=random.uniform(1, 99)))
        position = position.play(move)
    scores = position.scores()
    won = (scores[0] > scores[1]) + (scores[0] == scores[1]) / 2
    return GameRecord(
        game="",
        terms=_TERMS,
        seats=(),
        seed=0,
        moves=tuple(moves),
        final_state=position.state(),
        termination=Termination.NATURAL,
        detail="–".join(map(str, scores)),
        offender=None,
        scores=scores,
        points=(won, 1 - won),
        started_at="2026-01-01T00:00:00Z",
        duration_ms=6000.0,
        host=_HOST,
    )
