"""Whether compiled code agrees with the rules: in random games it answers the questions of
`players.games.interface` next to them.
"""

from random import Random
from typing import Any

import numpy as np

from players.compiled.cache import is_answered, kernel
from players.compiled.types import Array, Int, Move, Word
from players.games import interface
from players.games.interface import Position
from players.games.registry import Board, compiled_game
from rules.package_errors import BrokenPromise, require
from rules.position import CHANCE, PASS, Game
from rules.position import Position as RulesPosition
from rules.rehearsal import place

_GAMES = 5


@kernel
def _answers(position: Position, terms: Array, out: Array) -> tuple[Int, Int, Int, float, Int]:
    """Write the moves to `out`; how many they are, `remaining`, `evaluate` with what it lets
    expect, and `net` after a playout.
    """
    number = interface.moves(position, out)
    value = np.int64(interface.evaluate(position, terms))
    share = interface.expectation(position, value)
    played, _ = interface.playout(position, np.uint64(1))
    return number, interface.remaining(position), value, share, played


@kernel
def _key(position: Position) -> Word:
    return interface.key(position)


@kernel
def _after(position: Position, move: Move) -> tuple[Int, Word, Int, Int, Int]:
    """The priority of a move; after it the key, who moves, how many moves there are, and `net`."""
    child, priority = interface.play(position, move), interface.priority(position, move)
    number = interface.count_moves(child)
    return priority, interface.key(child), child.seat, number, interface.net(child)


def refuse_unanswered(position: Any) -> None:
    """Raise BrokenPromise where compiled code does not answer a question that has no default."""
    kind = type(position)
    missing = [each.__name__ for each in interface.NEEDED if not is_answered(each, kind)]
    why = f"{kind.__name__} has no answer to {', '.join(missing)} of players.games.interface"
    require(not missing, why)


def refuse_disagreement(game: Game, board: Board, terms: Any) -> None:
    """Raise BrokenPromise where the compiled code of a `board` is of another game."""
    most = compiled_game(game.name).most_margin(game.variant)
    for seed in range(_GAMES):
        moves = list[str]()
        try:
            _compare(game, board, terms, most, Random(seed), moves)
        except BrokenPromise as error:
            raise BrokenPromise(f"{game.title}, {place(moves)}: {error}") from None


def _compare(
    game: Game, board: Board, terms: Any, most: int, random: Random, moves: list[str]
) -> None:
    """Compare along a random game, whose `moves` are written."""
    position: RulesPosition = game.start(0)
    left = list[int]()
    while not position.is_over:
        require(len(moves) < interface.PLIES, f"it is longer than {interface.PLIES} plies")
        here = board.position(position.state())
        left.append(_compare_here(position, here, board, terms, most))
        move = random.choice(position.legal_moves())
        priority, key, seat, number, net = _after(here, board.moves[move])
        moves.append(move)
        require(-100 <= priority <= 100, f"`priority` is {priority}, not from −100 to 100")
        position = position.play(move)
        while position.must_pass:
            position = position.play(PASS)
        if position.is_over:
            first, second = position.scores()
            require(net == first - second, f"`net` is {net}, by the rules {first - second}")
            require(number == 0, "`moves` has some, by the rules the game is over")
        else:
            there = board.position(position.state())
            require(key == _key(there), "`play` has another `key` than `position` of the state")
            require(seat == position.to_move, f"`play` lets seat {seat} move")
    plies = len(moves)
    while moves:
        moves.pop()
        remaining, follow = left[len(moves)], plies - len(moves)
        require(remaining >= follow, f"`remaining` is {remaining}, and {follow} moves were to come")


def _compare_here(position: RulesPosition, here: Any, board: Board, terms: Any, most: int) -> int:
    """Compare in a position; how many moves compiled code sees to come."""
    require(position.to_move != CHANCE, "compiled code knows no moves of chance")
    out = np.zeros(interface.MOVES, np.int16)
    number, remaining, value, share, played = _answers(here, terms, out)
    found = {board.names[move] for move in out[:number]}
    legal = set(position.legal_moves())
    wrong, missing = sorted(found - legal), sorted(legal - found)
    require(not wrong, f"`moves` has {' '.join(wrong)}, not legal by the rules")
    require(not missing, f"`moves` lacks {' '.join(missing)}")
    require(number == len(found), "`moves` has a move twice")
    require(here.seat == position.to_move, f"`seat` is {here.seat}, not {position.to_move}")
    require(abs(played) <= most, f"a `playout` ends at {played}, `most_margin` is {most}")
    require(abs(value) <= interface.LIMIT, f"`evaluate` gives {value}")
    require(0 <= share <= 1, f"`expectation` of {value} is {share}, not from 0 to 1")
    return int(remaining)
