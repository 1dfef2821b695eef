"""The settings of a search, as the kernels read them."""

import math
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from players.compiled import atomics
from players.compiled.cache import bare_part
from players.games import interface as game
from players.options import Backup, Opponent
from players.search.types import Array, Int, Real

Memory: TypeAlias = Any
"""The NamedTuple of arrays that a game's endgame solver works with."""


class Settings(NamedTuple):
    """One search's settings: plain numbers, so that one compiled kernel serves them all.

    Results are kept in [0, 1]; a child's value is lift + slope·(its mean result).
    """

    weights: Array
    """float32[2, MOVES]: what the UCB value of a move is multiplied by, by seat."""
    weighted: bool
    """Whether any weight is not 1."""
    lift: float
    slope: float
    c: float
    """The weight of exploration; without effect where `spread_factor` sets it."""
    spread_factor: float
    """c is this times the standard deviation of the results so far; 0 for a fixed c."""
    least: bool
    """Whether the opponent chooses the child of least UCB value to the player."""
    margins: bool
    """Whether results are margins, else who wins."""
    worth: float
    """A sign or margin of x for seat 0 is a result of 0.5 + worth·x."""
    highest: int
    """No sign or margin is higher."""
    evaluated: float
    """The share of the evaluation in a leaf's worth; the rest is a playout's."""
    terms: Array
    """int32[:]: the evaluation's numbers."""
    samples: int
    """Playouts a leaf: 1 or BATCH."""
    plies: int
    """The tree goes so deep; a position there is worth its evaluation."""
    exact: int
    """Leaves with that many moves remaining are solved; −1 for none."""
    rave: float
    """The k of √(k/(3·n + k)), the weight of a move's results later in games; 0 to go without."""
    prior: int = 0
    """A new node's children begin with that many visits, at what the evaluation expects of them."""
    guided: bool = False
    """Whether playouts use some knowledge of the game."""
    expand_after: int = 1
    """Visits before a node is given children, in an empty tree."""
    prune: bool = True
    """Whether moves are left out that the game's laws rule out."""
    solver: bool = True
    """Whether proofs are backed up."""
    shared: bool = False
    """Whether several threads work on one tree."""


class Worker(NamedTuple):
    """The memory of one thread next to the tree."""

    random_state: Array
    moments: Array
    """float64[3]: how many results there were for seat 0, their sum, the sum of their squares."""
    deepest: Array
    """int64[1]: plies from the root to the deepest leaf."""
    room: Array
    """int64[2]: the next of the tree's entries set aside for the thread, and where they end."""
    moves: Array
    """int16[MOVES]: room for a node's moves."""
    values: Array
    """float32[MOVES]: room for the UCB values of its children."""
    record: Array
    """uint64[5, BATCH]: the moves of a leaf's playouts, as the games write them."""
    near: Array
    """float32[2, 2, MOVES]: by seat and move, playouts with it and the sum of seat 0's results."""
    near_above: Array
    """The same over the iterations that a thread stays below a node, for what is above it."""
    path: Array
    """int32[PLIES + 1]: the nodes of a descent, the root first."""
    chooser: Array
    """int8[PLIES + 1]: the seat that chose each of them."""


def new_worker(seed: int) -> Worker:
    return Worker(
        random_state=np.array([seed], np.uint64),
        moments=np.zeros(3),
        deepest=np.zeros(1, np.int64),
        room=np.zeros(2, np.int64),
        moves=np.zeros(game.MOVES, np.int16),
        values=np.zeros(game.MOVES, np.float32),
        record=np.zeros((5, game.BATCH), np.uint64),
        near=np.zeros((2, 2, game.MOVES), np.float32),
        near_above=np.zeros((2, 2, game.MOVES), np.float32),
        path=np.zeros(game.PLIES + 1, np.int32),
        chooser=np.zeros(game.PLIES + 1, np.int8),
    )


@bare_part
def add(array: Array, index: Int, amount: Real, settings: Settings) -> None:
    """Add to an entry that other threads may add to."""
    if settings.shared:
        atomics.add(array, index, amount)
    else:
        array[index] += amount


@bare_part
def sign_or_margin(net: Int, settings: Settings) -> Int:
    """The objective of the search, from a final margin."""
    return np.int64(net) if settings.margins else np.int64(np.sign(net))


def make_settings(
    most: int,
    *,
    c: float = 1.0,
    spread_factor: float = 0.0,
    backup: Backup = "win",
    opponent: Opponent = "own",
    weights: Array | None = None,
    evaluated: float = 0.0,
    terms: Array | None = None,
    plies: int | None = None,
    samples: int = 1,
    exact: int = 0,
    rave: float = 0.0,
    **others: Any,
) -> Settings:
    """The settings for games on a board where no game is won by more than `most`.

    By `backup` a win counts 1, a draw 1/2, a loss 0; with "zero-sum" 1, 0, −1, so that the same c
    explores half as much; with "score" a game 1/2 + margin/(2·most). `spread_factor`, in place of
    c, is what c is times the standard deviation of a playout's value. None stands for `weights` of
    1, no `terms`, `plies` as deep as the tree grows, 0 for no `exact`.
    """
    margins, zero_sum = backup == "score", backup == "zero-sum"
    highest = most if margins else 1
    slope = 2.0 if zero_sum else 1.0
    plain = np.ones((2, game.MOVES), np.float32)
    return Settings(
        weights=plain if weights is None else weights,
        weighted=weights is not None,
        lift=-1.0 if zero_sum else 0.0,
        slope=slope,
        c=float(c),
        spread_factor=spread_factor * slope * math.sqrt(samples),
        least=opponent == "least",
        margins=margins,
        worth=0.5 / highest,
        highest=highest,
        evaluated=float(evaluated),
        terms=np.zeros(1, np.int32) if terms is None else terms,
        samples=samples,
        plies=game.PLIES if plies is None else plies,
        exact=exact or -1,
        rave=float(rave),
        **others,
    )
