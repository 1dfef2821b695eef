"""Random games of Othello: one on words, or a batch of eight in lanes (`players.compiled.lanes`),
each played uniformly or with some knowledge of the squares. The runs of discs found on the way to
the legal squares serve once more to turn them.
"""

from itertools import product
from typing import Any

from llvmlite import ir
from numba import types

from players.compiled import lanes
from players.compiled.bits import ONE, ZERO, below, draw, lowest, nth_bit, popcount
from players.compiled.cache import answers, instruction, part
from players.compiled.types import Array, Builder, Rng, Value, Word
from players.games import interface as game
from players.games.othello.board import OthelloBits, legal
from players.games.othello.lines import INNER_COLUMNS, STEPS, fill, flips, neighbours, unbracketable

RUNS = types.UniTuple(lanes.LANES, 2 * len(STEPS))  # type: ignore[no-untyped-call]  # numba ships no types
"""For each direction the discs of `other` that lie, one after the other, behind one of `own`."""


def _ways(*shifts: Any) -> Any:
    """(index, shift, the constants of one step and of two, step) of all eight directions."""
    for index, (shift, step) in enumerate(product(shifts, STEPS)):
        yield index, shift, lanes.constant(step), lanes.constant(2 * step), step


@instruction(RUNS, lanes.LANES, lanes.LANES)
def runs(builder: Builder, own: Value, other: Value) -> Value:
    inner = builder.and_(other, lanes.constant(INNER_COLUMNS))
    found = ir.Constant(ir.ArrayType(lanes.VECTOR, RUNS.count), ir.Undefined)
    for index, shift, once, twice, step in _ways(builder.shl, builder.lshr):
        run = fill(builder, shift, once, twice, own, other if step == 8 else inner)
        found = builder.insert_value(found, run, index)
    return found


@instruction(lanes.LANES, RUNS)
def ends(builder: Builder, runs: Value) -> Value:
    """The squares, empty or not, at the end of a run: a disc there brackets it."""
    found = lanes.constant(0)
    for index, shift, once, _, _ in _ways(builder.shl, builder.lshr):
        found = builder.or_(found, shift(builder.extract_value(runs, index), once))
    return found


@instruction(lanes.LANES, lanes.LANES, RUNS)
def turned_by(builder: Builder, disc: Value, runs: Value) -> Value:
    """The discs that a new `disc` turns: in each direction the run that leads back from it."""
    turned = lanes.constant(0)
    for index, shift, once, twice, _ in _ways(builder.lshr, builder.shl):
        run = builder.extract_value(runs, index)
        turned = builder.or_(turned, fill(builder, shift, once, twice, disc, run))
    return turned


@part
def preferred(squares: Word, own: Word, other: Word, anchors: Word) -> Any:
    """The candidates of a guided playout: anchors, else squares not next to one, else all."""
    risky = neighbours(anchors & ~(own | other))
    return lanes.either(squares & anchors, lanes.either(squares & ~risky, squares))


@part
def _game(position: OthelloBits, state: Rng, is_guided: bool) -> Any:
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
    return game.net(OthelloBits(own, other, seat, playable, free)), state


@answers(game.batch, OthelloBits)
def _batch(position: OthelloBits, state: Rng, is_guided: bool, record: Array | None) -> Any:
    """A lane without a legal square passes by picking nothing: all have one side to move."""
    playable, free, seat = position.playable, position.free, position.seat
    anchors = unbracketable(playable)
    own, other = lanes.spread(position.own), lanes.spread(position.other)
    states = lanes.streams(state)
    before, first, second = lanes.spread(ONE), lanes.spread(ZERO), lanes.spread(ZERO)
    while True:
        lines = runs(own, other)
        squares = (free | ends(lines)) & playable & ~(own | other)
        if not lanes.any_set(squares | before):
            break
        before = squares
        if is_guided:
            squares = preferred(squares, own, other, anchors)
        states, bits = draw(states)
        disc = lanes.nth_bits(squares, below(bits, lanes.popcounts(squares)))
        if record is not None:
            if seat == 0:
                first |= disc
            else:
                second |= disc
        turned = turned_by(disc, lines)
        own, other, seat = other ^ turned, own | turned | disc, 1 - seat
    margins = lanes.popcounts(own) - lanes.popcounts(other)
    if seat == 1:
        margins = ZERO - margins
    if record is not None:
        lanes.write(margins, record[0])
        lanes.write(first, record[1])
        lanes.write(lanes.spread(ZERO), record[2])
        lanes.write(second, record[3])
        lanes.write(lanes.spread(ZERO), record[4])
    wins, net = lanes.results(margins)
    return wins, net, lanes.lane(states, ZERO)


@answers(game.playout, OthelloBits)
def _playout(position: OthelloBits, state: Rng) -> Any:
    return _game(position, state, False)


@answers(game.guided, OthelloBits)
def _guided(position: OthelloBits, state: Rng) -> Any:
    return _game(position, state, True)
