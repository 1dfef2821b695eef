"""Golden positions: where a program is asked for a move, the same at each check.

They come from seeded random games by the rules, and each is there for a trait that programs
stumble over. All were reached by play, so a program that follows `moves` can follow these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from random import Random
from typing import Any, NamedTuple

import rules
from arena.model.seeds import derive, first_position
from rules.position import CHANCE, PASS, Game, Position, draw_chance

PRESETS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "othello": {"othello": {}, "othello cornerless": {"preset": "cornerless"}},
    "dots": {"dots 5×5": {}, "dots 3×3": {"rows": 3, "cols": 3}},
    "2048": {"2048": {}},
    "2584": {"2584": {}},
}
"""For each rule set the boards a program that claims it must play, by their names: its settings.
Other sizes and rules are a matter of the tournament, and the protocol has no way to decline one."""

Moves = tuple[tuple[int, str], ...]
"""Seat and move of each ply; seat −1 is chance."""

_PLAYOUTS = 60
_COPIES = 2
"""So many moments of each trait, out of different games."""
_SEED = 2048


class Golden(NamedTuple):
    """A position where a seat is to move by a choice of its own, and how it came about."""

    position: Position
    moves: Moves
    trait: str
    """What it is there for."""

    @property
    def seat(self) -> int:
        """Who is to move."""
        assert self.position.to_move is not None, "golden positions are not over"
        return self.position.to_move


class _Moment(NamedTuple):
    """A position of a playout, with what the traits ask of it."""

    position: Position
    before: str | None
    """The move that led here."""
    again: bool
    """Whether the same seat made it."""
    seat: int
    turn: int
    """How many moves this seat made before."""
    turns: int
    """How many it makes in the whole game."""

    @property
    def progress(self) -> float:
        """0 at the seat's first move, 1 at its last."""
        return self.turn / max(1, self.turns - 1)


_Trait = Callable[[_Moment], bool]
_ANY: Mapping[str, _Trait] = {
    "the first move": lambda at: at.turn == 0,
    "the opening": lambda at: at.turn == 3,
    "the middle of the game": lambda at: at.progress >= 0.5,
    "late in the game": lambda at: at.progress >= 0.85,
    "the last move": lambda at: at.progress == 1,
}
_OTHELLO: Mapping[str, _Trait] = {
    "one legal move": lambda at: len(at.position.legal_moves()) == 1 and at.progress < 1,
    "after the other's forced pass": lambda at: at.before == PASS,
}
_DOTS: Mapping[str, _Trait] = {
    "boxes to take": lambda at: _scoring(at.position) > 1,
    "a second move in a row": lambda at: at.again,
}
_TILES: Mapping[str, _Trait] = {
    "one legal move": lambda at: len(at.position.legal_moves()) == 1 and at.progress < 1,
    "two legal moves": lambda at: len(at.position.legal_moves()) == 2,
    "a full board": lambda at: all(all(row) for row in at.position.state()["board"]),
}
_TRAITS: Mapping[str, Mapping[str, _Trait]] = {
    "othello": {**_ANY, **_OTHELLO},
    "dots": {**_ANY, **_DOTS},
    "2048": {**_ANY, **_TILES},
    "2584": {**_ANY, **_TILES},
}
"""For each rule set; each picks, for each seat, the first moments of the playouts that have it."""


def games(rule_set: str) -> dict[str, Game]:
    """The boards asked about in a rule set, by name."""
    return {name: rules.load(rule_set, **settings) for name, settings in PRESETS[rule_set].items()}


@cache
def golden(game: Game) -> tuple[Golden, ...]:
    """The golden positions of a game: seat by seat, early before late."""
    traits = _TRAITS[game.name]
    found: dict[tuple[int, str, int], Golden] = {}
    for number in range(_PLAYOUTS):
        copy = number % _COPIES
        if len(found) == len(traits) * game.seats * _COPIES:
            break
        moves, moments = _playout(game, derive(_SEED, f"{game.name} {number}"))
        for ply, at in moments:
            for trait, has in traits.items():
                if (at.seat, trait, copy) not in found and has(at):
                    found[at.seat, trait, copy] = Golden(at.position, moves[:ply], trait)
    chosen = {(one.seat, one.moves): one for one in found.values()}  # some have several traits
    return tuple(sorted(chosen.values(), key=lambda one: (one.seat, len(one.moves))))


def _playout(game: Game, seed: int) -> tuple[Moves, list[tuple[int, _Moment]]]:
    """The moves of a random game, and by its ply each moment in which somebody has a choice."""
    random, position = Random(seed), first_position(game, seed)
    moves: list[tuple[int, str]] = []
    reached: list[tuple[int, Position]] = []
    while position.to_move is not None:
        seat, legal = position.to_move, position.legal_moves()
        if seat != CHANCE and legal != (PASS,):
            reached.append((len(moves), position))
        move = draw_chance(position, random) if seat == CHANCE else random.choice(legal)
        position = position.play(move)
        moves.append((seat, move))
    movers = [moves[ply][0] for ply, _ in reached]
    moments = []
    for index, (ply, position) in enumerate(reached):
        seat, (last, before) = movers[index], moves[ply - 1] if ply else (None, None)
        turn = movers[:index].count(seat)
        moment = _Moment(position, before, last == seat, seat, turn, movers.count(seat))
        moments.append((ply, moment))
    return tuple(moves), moments


def _scoring(position: Position) -> int:
    """How many legal moves score at once."""
    before = sum(position.scores())
    return sum(sum(position.play(move).scores()) > before for move in position.legal_moves())
