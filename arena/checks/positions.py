"""Practice positions, where a program is asked for a move. They come from random games, which each
check draws for itself, and each has a trait that programs often get wrong.
"""

import json
from collections.abc import Callable, Mapping
from functools import cache
from random import Random
from typing import NamedTuple

import rules
from arena.model.game_spec import derive, first_position
from rules.position import Game, Landmark, Position, forced_move

Moves = tuple[tuple[int, str], ...]
"""Seat and move of each ply; seat −1 is chance."""

_PLAYOUTS = 60
_COPIES = 2
"""Moments of each trait, out of different games."""


class PracticePosition(NamedTuple):
    """A position where a seat has a choice, and how it came about."""

    position: Position
    moves: Moves
    trait: str
    """Why it is asked about."""

    @property
    def seat(self) -> int:
        assert self.position.to_move is not None, "practice positions are not over"
        return self.position.to_move


class _Moment(NamedTuple):
    position: Position
    before: str | None
    """The move that led here."""
    again: bool
    """Whether the same seat made it."""
    seat: int
    turn: int
    """Moves this seat made before."""
    turns: int
    """Moves it makes in the whole game."""

    @property
    def progress(self) -> float:
        """0 at the seat's first move, 1 at its last."""
        return self.turn / max(1, self.turns - 1)


_Trait = Callable[[_Moment], bool]
_MOMENTS: Mapping[str, _Trait] = {
    "the first move": lambda at: at.turn == 0,
    "the opening": lambda at: at.turn == 3,
    "the middle of the game": lambda at: at.progress >= 0.5,
    "late in the game": lambda at: at.progress >= 0.85,
    "the last move": lambda at: at.progress == 1,
    "one legal move": lambda at: len(at.position.legal_moves()) == 1 and at.progress < 1,
}
"""Of any game, next to its own landmarks. Each picks the first moments of the playouts."""


def boards_of(rule_set: str) -> dict[str, Game]:
    """The boards asked about in a rule set, by name; other sizes are the tournament's matter."""
    boards = rules.default(rule_set).check_boards
    return {name: rules.load(rule_set, **settings) for name, settings in boards.items()}


def name_of(game: Game) -> str:
    """The name of any board: that of the list, or its settings that are not the default."""
    known = {board: name for name, board in boards_of(game.name).items()}
    usual = rules.default(game.name).variant
    settings = (f"{k}={json.dumps(v)}" for k, v in game.variant.items() if v != usual[k])
    return known.get(game) or " ".join([game.name, *settings])


def _trait_of(mark: Landmark) -> _Trait:
    return lambda at: mark(at.position, at.before, at.again)


@cache
def practice_positions(game: Game, seed: int) -> tuple[PracticePosition, ...]:
    """The practice positions of a game, drawn by `seed`: seat by seat, early before late."""
    traits = {**_MOMENTS, **{name: _trait_of(mark) for name, mark in game.landmarks.items()}}
    practice: dict[tuple[int, str, int], PracticePosition] = {}
    for number in range(_PLAYOUTS):
        copy = number % _COPIES
        if len(practice) == len(traits) * game.seats * _COPIES:
            break
        moves, moments = _playout(game, derive(seed, f"{game.name} {number}"))
        for ply, at in moments:
            for trait, has in traits.items():
                if (at.seat, trait, copy) not in practice and has(at):
                    practice[at.seat, trait, copy] = PracticePosition(
                        at.position, moves[:ply], trait
                    )
    chosen = {(one.seat, one.moves): one for one in practice.values()}  # some have several traits
    return tuple(sorted(chosen.values(), key=lambda one: (one.seat, len(one.moves))))


def _playout(game: Game, seed: int) -> tuple[Moves, list[tuple[int, _Moment]]]:
    """The moves of a random game, and by its ply each moment with a choice."""
    random, position = Random(seed), first_position(game, seed)
    moves: list[tuple[int, str]] = []
    reached: list[tuple[int, Position]] = []
    while position.to_move is not None:
        seat = position.to_move
        move = forced_move(position, random)
        if move is None:
            reached.append((len(moves), position))
            move = random.choice(position.legal_moves())
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


class PracticeGame:
    """A game in which the program plays one seat: chance is drawn, the other seat moves at random.
    Forced passes are played, as the referee does, so the program is asked only where it can choose.
    """

    def __init__(self, position: Position, moves: Moves = (), *, seat: int, seed: int) -> None:
        self.position = position
        self.moves = list(moves)
        self.seat = seat  # the program's
        self._random = Random(seed)
        self._play_others()

    @property
    def is_over(self) -> bool:
        """Whether the program will not be asked again."""
        return self.position.is_over

    def play(self, move: str) -> None:
        """The program's move, and all until it is asked again."""
        self._apply(move)
        self._play_others()

    def _play_others(self) -> None:
        while not self.is_over:
            move = forced_move(self.position, self._random)
            if move is None and self.position.to_move == self.seat:
                return
            self._apply(move or self._random.choice(self.position.legal_moves()))

    def _apply(self, move: str) -> None:
        assert self.position.to_move is not None, "no move is played in a game that is over"
        self.moves.append((self.position.to_move, move))
        self.position = self.position.play(move)
