"""Random games of Othello: one on words, or a batch of eight in lanes, each played uniformly or
with some knowledge of the squares.
"""

from __future__ import annotations

from typing import Any

from players.compiled.bits import ONE, ZERO, below, draw, lowest, nth_bit, popcount
from players.compiled.cache import answers, part
from players.compiled.lanes import (
    any_set,
    either,
    lane,
    nth_bits,
    popcounts,
    results,
    spread,
    streams,
    write,
)
from players.games import interface as game
from players.games.othello.board import OthelloPosition, legal
from players.games.othello.lanes import ends, runs, turned_by
from players.games.othello.lines import beside, flips, unbracketable


@part
def preferred(squares: Any, own: Any, other: Any, anchors: Any) -> Any:
    """The legal squares that a guided playout chooses from, in words or lanes: those of which no
    disc ever turns, else those that do not give such a one away, else all.
    """
    risky = beside(anchors & ~(own | other))
    return either(squares & anchors, either(squares & ~risky, squares))


@part
def _game(position: Any, state: Any, is_guided: Any) -> Any:
    own, other, seat, playable, free = position
    anchors = unbracketable(playable)
    while True:
        squares = legal(own, other, playable, free)
        if squares == ZERO:
            own, other, seat = other, own, 1 - seat
            squares = legal(own, other, playable, free)
            if squares == ZERO:
                break
        if is_guided:
            squares = preferred(squares, own, other, anchors)
        state, bits = draw(state)
        disc = nth_bit(squares, below(bits, popcount(squares)))
        turned = flips(lowest(disc), own, other)
        own, other, seat = other ^ turned, own | turned | disc, 1 - seat
    return game.net(OthelloPosition(own, other, seat, playable, free)), state


@part
def _games(position: Any, state: Any, is_guided: Any, record: Any) -> Any:
    """A lane without a legal square passes: picking nothing turns nothing, and the sides change all
    the same. So all lanes always have the same side to move.

    `record`, None for none, is as `game.recorded_batch` has it.
    """
    playable, free, seat = position.playable, position.free, position.seat
    anchors = unbracketable(playable)
    own, other, states = spread(position.own), spread(position.other), streams(state)
    before, first, second = spread(ONE), spread(ZERO), spread(ZERO)
    while True:
        lines = runs(own, other)
        squares = (free | ends(lines)) & playable & ~(own | other)
        if not any_set(squares | before):
            break
        before = squares
        if is_guided:
            squares = preferred(squares, own, other, anchors)
        states, bits = draw(states)
        disc = nth_bits(squares, below(bits, popcounts(squares)))
        if record is not None:
            if seat == 0:
                first |= disc
            else:
                second |= disc
        turned = turned_by(disc, lines)
        own, other, seat = other ^ turned, own | turned | disc, 1 - seat
    margins = popcounts(own) - popcounts(other)
    if seat == 1:
        margins = ZERO - margins
    if record is not None:
        write(margins, record[0])
        write(first, record[1])
        write(spread(ZERO), record[2])
        write(second, record[3])
        write(spread(ZERO), record[4])
    wins, net = results(margins)
    return wins, net, lane(states, ZERO)


@answers(game.playout, OthelloPosition)
def _playout(position: Any, state: Any) -> Any:
    return _game(position, state, False)


@answers(game.guided, OthelloPosition)
def _guided(position: Any, state: Any) -> Any:
    return _game(position, state, True)


@answers(game.batch, OthelloPosition)
def _batch(position: Any, state: Any) -> Any:
    return _games(position, state, False, None)


@answers(game.guided_batch, OthelloPosition)
def _guided_batch(position: Any, state: Any) -> Any:
    return _games(position, state, True, None)


@answers(game.recorded_batch, OthelloPosition)
def _recorded_batch(position: Any, state: Any, record: Any) -> Any:
    return _games(position, state, False, record)


@answers(game.recorded_guided_batch, OthelloPosition)
def _recorded_guided_batch(position: Any, state: Any, record: Any) -> Any:
    return _games(position, state, True, record)
