"""Random openings that leave a game undecided."""

from random import Random

import numpy as np

import rules as rule_sets
from players.compiled.bits import below, draw
from players.compiled.cache import kernel
from players.games import interface as game
from players.games.registry import Board
from players.learning.tuning.matches import MatchTask
from players.search.types import Array, Int, Position

TRIES = 500
"""Openings drawn in search of a balanced one."""

SHARE, TOLERANCE = 64, 0.15
"""An opening is balanced where of that many random games the first seat takes half of the points,
give or take that much."""


class BalancedOpenings:
    """The random openings of a board game."""

    def __init__(self, rule_set: rule_sets.Game, board: Board) -> None:
        self.start: Position = board.position(rule_set.start().state())
        self._quiet = rule_set.quiet_openings

    def draw(self, task: MatchTask) -> tuple[Array, Array, tuple[int, int]]:
        """The balanced opening of a task: its moves, int16[PLIES], who made each, int8[PLIES], both
        with room for the game, and the seeds of the players. Raises ValueError where there is none.
        """
        rng = Random(task.seed)
        seeds = (rng.getrandbits(63), rng.getrandbits(63))
        moves, movers = np.zeros(game.PLIES, np.int16), np.zeros(game.PLIES, np.int8)
        state = np.array([Random(task.opening).getrandbits(64)], np.uint64)
        drawn = (self.start, task.plies, self._quiet, TRIES, state, moves, movers)
        if task.plies and random_opening(*drawn) < 0:
            raise ValueError(
                f"openings.plies: no opening of {task.plies} moves leaves a game undecided; give "
                "fewer"
            )
        return moves, movers, seeds


@kernel
def random_opening(
    position: Position,
    plies: int,
    quiet: bool,
    tries: int,
    random_state: Array,
    record: Array,
    movers: Array,
) -> int:
    """Write `plies` random moves to `record` and who made them to `movers`, such that a choice of
    moves remains and random games from there are balanced, or the most balanced of `tries`; the
    plies, or −1 where there is none. `quiet`: no move of the opening, nor the next one, lets a
    player move twice (in dots: no box is offered). `random_state` is uint64[1].
    """
    state = random_state[0]
    out, trial = np.empty(game.MOVES, np.int16), np.empty(game.PLIES, np.int16)
    closest = 2.0
    for _ in range(tries):
        here = position
        for ply in range(plies):
            count = np.int64(game.moves(here, out))
            if count == 0:
                break
            state, bits = draw(state)
            move = np.int64(out[np.int64(below(bits, np.uint64(count)))])
            trial[ply] = move
            after = game.play(here, move)
            if quiet and _offers_points(after, out):
                count = np.int64(0)
                break
            here = after
        else:
            count = np.int64(game.moves(here, out))
        if count < 2:
            continue
        points: Int = 0
        for _ in range(SHARE // game.BATCH):
            some, _net, state = game.batch(here, state, False, None)
            points += some
        bias = abs(points / (2.0 * SHARE) - 0.5)
        if bias < closest:
            closest = bias
            record[:plies] = trial[:plies]
        if bias <= TOLERANCE:
            break
    random_state[0] = state
    if closest > 1.0:
        return -1
    here = position
    for ply in range(plies):
        movers[ply] = here.seat
        here = game.play(here, np.int64(record[ply]))
    return plies


@kernel
def _offers_points(position: Position, out: Array) -> bool:
    """Whether a move now adds to a score for good: in dots, closes a box."""
    for index in range(game.moves(position, out)):
        if game.play(position, np.int64(out[index])).seat == position.seat:
            return True
    return False
