"""Which move alpha-beta tries first."""

import numpy as np

from players.compiled.cache import part
from players.compiled.prefetch import prefetch
from players.games import interface as game
from players.games.interface import NO_MOVE, canonical, count_moves, forced
from players.search.alphabeta import cuts
from players.search.alphabeta.table import bucket_of
from players.search.types import Array, Int, Move, Position, Record

NO_LIMIT = 1 << 62
"""More positions than anyone waits for."""

KILLER, LOOK = 1 << 48, 1 << 32
"""Ranks: killers before the rest; what one step of `priority` weighs next to history."""

LATER = -(1 << 62)
"""The rank of a move that was put off."""

SORTED_DEPTH = 3
"""From that many moves to go on, moves are sorted by the estimate of where they lead alone."""

MOBILITY = 60
"""The cost in that order of a move that the other has there, in hundredths."""

Scratch = np.dtype(
    [
        ("moves", np.int16, (game.PLIES, game.MOVES)),  # of each ply …
        ("order", np.int64, (game.PLIES, game.MOVES)),  # … and their ranks
        ("estimated", np.int64, (game.PLIES, game.MOVES)),  # what each leads to, from its mover on
        ("outlines", np.int16, (game.PLIES, game.OUTLINE)),  # once its moves are ranked
        ("line", np.int16, (game.PLIES + 1, game.PLIES + 1)),  # from each ply, ended by NO_MOVE
        ("killers", np.int16, (game.PLIES, 2)),  # the moves that last refuted others at a ply
        ("history", np.int64, (2, game.MOVES)),  # how much a move has refuted, by seat
        ("nodes", np.int64),  # positions visited
        ("estimates", np.int64),  # those of them that were estimated
        ("node_limit", np.int64),  # stop at that many nodes
        ("stopped", np.int64),  # not 0 once stopped: then the result of the search means nothing
        ("near", np.int64),  # the thread's first bucket of the table
        ("generation", np.int64),  # which of the table's entries are new
        ("method", np.int64),  # PVS, ALPHABETA or MINIMAX
        ("exact_from", np.int64),  # positions with that many moves remaining are solved
        ("cut_round", np.int64),  # which search to the end this is; 0 for the one without cuts
        ("widening", np.float64),  # what the margins are multiplied by in that round
        ("margins", np.int32, cuts.SHAPE),  # of multi-ProbCut, by depth and moves remaining
    ],
    align=True,
)
"""What one search writes as it goes, and its settings. A record, as it is one pointer to hand
down."""


@part
def bring_forward(ply: Int, count: Int, stored: Move, scratch: Record) -> Int:
    """Bring the move that a search of the position found best to the front; how many moves were.
    It mostly refutes what came before: the others are ranked when it did not.
    """
    moves = scratch.moves
    for index in range(count):
        if moves[ply, index] == stored:
            moves[ply, index], moves[ply, 0] = moves[ply, 0], stored
            return np.int64(1)
    return np.int64(0)


@part
def rank_moves(
    position: Position,
    ply: Int,
    first: Int,
    count: Int,
    depth: Int,
    terms: Array,
    table: Array,
    scratch: Record,
) -> None:
    """Rank the moves from `first` on, and draw the position's outline. Where they are estimated,
    the table's entries of the positions after them are fetched meanwhile.
    """
    drawn = scratch.outlines[ply]
    game.outline(position, terms, drawn)
    for index in range(first, count):
        move = np.int64(scratch.moves[ply, index])
        rank = scratch.history[position.seat, move]
        if depth >= SORTED_DEPTH:
            child = settle(game.play(position, move))
            if len(table):
                prefetch(table, bucket_of(table, game.key(child), depth - 1, scratch.near))
            value = np.int64(game.evaluate_after(position, move, child, drawn, terms))
            scratch.estimated[ply, move] = value
            value += MOBILITY * count_moves(child)
            rank += (value if child.seat == position.seat else -value) * LOOK
        else:
            rank += np.int64(game.priority(position, move)) * LOOK
            if move == scratch.killers[ply, 0] or move == scratch.killers[ply, 1]:
                rank += KILLER
        scratch.order[ply, index] = rank


@part
def settle(position: Position) -> Position:
    """The position after every forced move, in its canonical form; the same player is to move."""
    move = forced(position)
    while move >= 0:
        position = game.play(position, move)
        move = forced(position)
    return canonical(position)


@part
def bring_best(ply: Int, index: Int, count: Int, scratch: Record) -> None:
    """Bring the best-ranked of the moves from `index` on to `index`."""
    moves, order = scratch.moves, scratch.order
    best = index
    for other in range(index + 1, count):
        if order[ply, other] > order[ply, best]:
            best = other
    move, rank = moves[ply, best], order[ply, best]
    moves[ply, best], order[ply, best] = moves[ply, index], order[ply, index]
    moves[ply, index], order[ply, index] = move, rank


@part
def put_off(ply: Int, index: Int, scratch: Record) -> bool:
    """Rank the move at `index` last; False when it was put off before."""
    is_first = scratch.order[ply, index] != LATER
    scratch.order[ply, index] = LATER
    return bool(is_first)


@part
def extend_line(ply: Int, move: Move, scratch: Record) -> None:
    """The line from `ply` is `move` and the line from the next ply."""
    line = scratch.line
    line[ply, 0] = move
    index = 0
    while line[ply + 1, index] != NO_MOVE:
        line[ply, index + 1] = line[ply + 1, index]
        index += 1
    line[ply, index + 1] = NO_MOVE


def new_scratch() -> Record:
    """The record of a search that has no limit and has not begun."""
    scratch: Record = np.zeros(1, Scratch)[0]
    scratch["node_limit"] = NO_LIMIT
    scratch["killers"] = NO_MOVE
    return scratch
