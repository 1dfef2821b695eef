"""A package's game, tried before it is played: random games, in which each promise of
`rules.position` is looked at.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import count
from math import isclose
from random import Random
from time import monotonic

from rules.package_errors import BrokenPromise, describe, require
from rules.position import CHANCE, PASS, Game, MoveError, Position, random_move
from rules.transcript import read_transcript, write_transcript

_POSITIONS = 200
"""Positions that are tried, in as many games as have them: the same ones on every machine."""
_SECONDS = 5.0
"""What is not tried by then is not tried: the rules are slow."""
_LENGTHS, _LEAST = 100, 60
"""A random game of more than that many times its typical plies, at least these, does not end."""
_SHOWN = 12
"""Moves that lead to a mistake, the last ones."""
_EXCERPT = 200
"""Characters of a state that are shown, the first ones."""
_WRITTEN = 40
"""Moves of a game that are written and read back, the first ones."""


@cache
def rehearse(game: Game) -> str:
    """Play random games, at least one. Raises BrokenPromise; says where the rules are slow."""
    left, until, asks = _POSITIONS, monotonic() + _SECONDS, False
    _try_traits(game)
    for seed in count():
        positions, asks_here = _play(game, seed, left, until)
        left, asks = left - positions, asks or asks_here
        if left <= 0 or monotonic() > until:
            break
    require(asks or left > 0, "no player is ever to move, but to pass")
    played = f"{_POSITIONS - left} of {_POSITIONS} positions of random games"
    return f"its rules are slow: {_SECONDS:g} s were enough for {played}" if left > 0 else ""


def _try_traits(game: Game) -> None:
    plies, marks = game.typical_plies, game.marks
    require(type(plies) is int and plies > 0, f"`typical_plies` is {plies!r}, no integer from 1 on")
    opening = game.opening_plies
    require(type(opening) is int and opening >= 0, f"`opening_plies` is {opening!r}, no integer")
    require(
        isinstance(marks, Sequence) and len(marks) in (0, game.seats),
        f"`marks` are {marks!r}, not one for each seat",
    )
    try:
        re.compile(game.move_pattern)
    except (re.error, TypeError) as error:
        raise BrokenPromise(
            f"`move_pattern` {game.move_pattern!r} cannot be read: {error}"
        ) from error
    for name in ("title", "unit", "move_gap"):
        found = getattr(game, name)
        require(isinstance(found, str), f"`{name}` is {found!r}, no text")
    start = game.start(1)
    require(
        start == game.start(1),
        "`start` gives another position for the same seed, or its positions are not equal by "
        "value, as those of a frozen dataclass are",
    )
    if not game.decided_by_seed:
        require(
            start == game.start(2),
            "`start` depends on its seed, and only a game with `decided_by_seed` may: let chance, "
            "seat −1, move first, or make it a setting",
        )
    legal = set(start.legal_moves())
    with _trying("symmetries"):
        for renamed in game.symmetries:
            require(
                {renamed.get(move, move) for move in legal} == legal,
                f"`symmetries`: {dict(renamed)} makes other moves of those at the start",
            )


@contextmanager
def _trying(trait: str) -> Iterator[None]:
    """An error is one of the trait, which may be of any type."""
    try:
        yield
    except BrokenPromise:
        raise
    except Exception as error:
        raise BrokenPromise(f"`{trait}`: {describe(error)}") from error


def _play(game: Game, seed: int, tried: int, until: float) -> tuple[int, bool]:
    """Play a random game, whose first positions are `tried`, and the last one; how many positions
    it has, and whether a player is asked for a move in it. It ends early at the time `until`.
    """
    random, moves, asks = Random(seed), list[str](), False
    most = _LENGTHS * max(game.typical_plies, _LEAST)
    try:
        position = start = game.start(seed)
        while not position.is_over and monotonic() < until:
            if len(moves) < tried:
                _try(position, moves)
            require(len(moves) < most, f"{most} random moves do not end it: end it by a rule")
            before = position.state()
            asks = asks or not (position.to_move == CHANCE or position.must_pass)
            moves.append(random_move(position, random))
            after = position.play(moves[-1])
            require(position.state() == before, f"`play` of {moves[-1]!r} changes the position")
            position = after
        if monotonic() < until:
            _try(position, moves)
            _try_transcript(start, moves[:_WRITTEN])
    except (Exception, SystemExit) as error:  # its code may do anything
        raise BrokenPromise(f"{place(moves)}: {describe(error)}") from error
    return len(moves) + 1, asks


def place(moves: Sequence[str]) -> str:
    """Where a game is after these moves, in words."""
    shown = ["…", *moves[-_SHOWN:]] if len(moves) > _SHOWN else moves
    return f"after {' '.join(map(str, shown))}" if moves else "at the start"


def _try(position: Position, moves: list[str]) -> None:
    """Try what a position says of itself, where `moves` led to it."""
    game, legal, scores = position.game, position.legal_moves(), position.scores()
    seat, seats = position.to_move, (None, CHANCE, *range(game.seats))
    require(seat in seats, f"`to_move` is {seat!r}, no seat, −1 for chance, or None")
    require(isinstance(legal, tuple), f"`legal_moves` gives a {type(legal).__name__}, no tuple")
    if seat is None:
        require(not legal, f"the game is over, but `legal_moves` gives {legal}")
    else:
        require(bool(legal), f"`legal_moves` is empty, but `to_move` is {seat}")
    for move in legal:
        require(isinstance(move, str), f"the move {move!r} is not a text")
        fits = move == PASS or re.fullmatch(game.move_pattern, move)
        require(
            move == move.lower() and bool(fits),
            f"its move {move!r} must be lower case, and match `move_pattern` as a whole",
        )
    require(len(set(legal)) == len(legal), f"`legal_moves` has a move twice: {legal}")
    require(
        isinstance(scores, tuple) and [type(each) for each in scores] == [int] * game.seats,
        f"`scores` are {scores!r}, no tuple of an integer for each seat",
    )
    chances = dict(position.chance())
    if seat == CHANCE:
        require(
            chances.keys() == set(legal) and isclose(sum(chances.values()), 1, abs_tol=1e-6),
            f"`chance` {chances} must give each legal move, with probabilities of the sum 1",
        )
    else:
        require(not chances, f"`chance` is {chances}, but chance is not to move")
    str(position)
    ended = position.is_adjudicated
    require(isinstance(ended, bool), f"`is_adjudicated` is {ended!r}, neither True nor False")
    with _trying("landmarks"):
        for found in game.landmarks.values():
            found(position, moves[-1] if moves else None, False)
    _try_state(position)
    for move in ("?", *moves[-1:]):
        if move not in legal:
            _try_refusal(position, move)


def _try_state(position: Position) -> None:
    state = position.state()
    try:
        text = json.dumps(state, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise BrokenPromise(f"`state` cannot be JSON: {error}") from error
    quick = position.state_json()
    require(
        quick in (None, text.encode()),
        f"`state_json` is not `state` as compact JSON: {_excerpt(text)}",
    )
    again = position.game.position(json.loads(text))
    require(
        again == position,
        "`position` makes another position of `state`, which must have all that a position "
        f"depends on: {_excerpt(text)}",
    )
    require(hash(again) == hash(position), "`hash` differs for equal positions")
    require(
        again.legal_moves() == position.legal_moves(),
        "`legal_moves` gives other moves, or another order of them, where the position is equal",
    )


def _excerpt(text: str) -> str:
    return text if len(text) <= _EXCERPT else f"{text[:_EXCERPT]}…"


def _try_refusal(position: Position, move: str) -> None:
    try:
        position.play(move)
    except MoveError:
        return
    except Exception as error:
        why = f"`play` raises no MalformedMove or IllegalMove for {move!r}, but {describe(error)}"
        raise BrokenPromise(why) from error
    raise BrokenPromise(f"`play` takes the move {move!r}, which `legal_moves` does not give")


def _try_transcript(start: Position, moves: list[str]) -> None:
    """Try whether moves can be told apart in a line of text."""
    text = write_transcript(start, moves)
    try:
        again = list(read_transcript(start, text))
    except ValueError as error:
        again = [str(error)]
    forced = [PASS] * (len(moves) - len(again))  # at the end, where nothing tells of them
    require(
        again + forced == moves,
        f"`move_pattern` and `move_gap` do not tell its moves apart in {text!r}",
    )
