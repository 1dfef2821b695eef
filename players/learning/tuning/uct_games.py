"""Whole games of UCT against UCT in one kernel, for players that think for a number of iterations.

Going back to Python after each move would take as long again, and hold back the other threads. A
game is the one that two players of `players.uct` with the same seeds play, move by move.
"""

from typing import NamedTuple

import numpy as np

import rules as rule_sets
from players.compiled.bits import is_set
from players.compiled.cache import bare_kernel, bare_part
from players.games import interface as game
from players.games.endgame import load_endgame
from players.games.registry import Board
from players.learning.tuning.matches import Aborted, Contestant, MatchTask, PlayedGame, start_of
from players.learning.tuning.openings import BalancedOpenings
from players.options import read_options
from players.search.tree import ENTRY_BYTES, NEAR_BYTES, Tree, clear, new_tree, reroot
from players.search.types import Array, Flag, Int, Position
from players.search.uct.driver import FINALS, best_child
from players.search.uct.search import iterate
from players.search.uct.settings import Memory, Settings, Worker, new_worker
from players.uct import Uct, UctOptions, search_settings

ABORTED = -1
"""The plies of a game that was not played to its end."""

ENTRIES_AN_ITERATION = 400
"""The size of a tree, of which a move fills a small part, as in the player's own."""


class UctSeat(NamedTuple):
    """One player as the kernel reads it."""

    settings: Settings
    iterations: int
    """For each move."""
    final: int
    """One of FINALS."""
    reuse: bool
    """Whether the tree is kept from move to move."""


def is_counted(options: UctOptions) -> bool:
    """Whether a player with these options thinks for a number of iterations and nothing else."""
    return (
        options.iterations is not None
        and options.think_ms is None
        and options.depth is None
        and options.c_schedule is None
        and not options.early_stop
        and options.direction == 0
        and options.threads == 1
        and not options.endgame
    )


def read_seat(
    rule_set: rule_sets.Game, board: Board, player: type[Uct], contestant: Contestant
) -> UctSeat:
    """A contestant as the kernel reads it. A mistake in its options exits with a sentence."""
    start = start_of(rule_set, rule_set.start().state(), 0, 0, contestant.options)
    options = read_options(player.options, start)
    endgame, weights = load_endgame(rule_set.name, board, 1), contestant.weights
    if weights is None:
        weights = player.weights(options, start, board)
    settings = search_settings(options, start, endgame, weights)  # which asks the reach alone
    assert options.iterations is not None  # as `is_counted` found
    return UctSeat(settings, options.iterations, FINALS[options.final], options.reuse)


class UctWorker:
    """Plays games in one kernel, with two trees and an endgame solver for all of them."""

    def __init__(
        self, rule_set: rule_sets.Game, board: Board, options: UctOptions, stop: Flag
    ) -> None:
        """`stop` is the int64[1] flag that ends all games."""
        self._board, self._openings = board, BalancedOpenings(rule_set, board)
        self._memory = load_endgame(rule_set.name, board, options.endgame_mb).memory
        assert options.iterations is not None  # as `is_counted` found
        entries = ENTRIES_AN_ITERATION * max(options.iterations, game.MOVES)
        entries = min(entries, options.memory_mb * 1_000_000 // (ENTRY_BYTES + NEAR_BYTES))
        self._trees = (new_tree(entries, rave=True), new_tree(entries, rave=True))
        self._stops = (np.zeros(1, np.int64), stop)

    def play(self, contestants: tuple[UctSeat, UctSeat], task: MatchTask) -> PlayedGame:
        """Play a game on from its opening. Raises Aborted once the flag is set."""
        (moves, movers, seeds), before = self._openings.draw(task), task.plies
        workers = (new_worker(seeds[0]), new_worker(seeds[1]))
        start, own = self._openings.start, (self._trees, workers, self._memory, self._stops)
        plies, net = play_game(start, np.int64(before), contestants, *own, moves, movers)
        if plies == ABORTED:
            raise Aborted
        names = self._board.names
        made = zip(movers[before:plies].tolist(), moves[before:plies].tolist(), strict=True)
        return PlayedGame(tuple((seat, names[move]) for seat, move in made), int(net))


@bare_kernel
def play_game(
    position: Position,
    ply: Int,
    seats: tuple[UctSeat, UctSeat],
    trees: tuple[Tree, Tree],
    workers: tuple[Worker, Worker],
    memory: Memory,
    stops: tuple[Flag, Flag],
    record: Array,
    movers: Array,
) -> tuple[Int, Int]:
    """Play from `position` the `ply` moves that `record` begins with, then on to the end: (the
    plies or ABORTED, `game.net` there). Moves and who made them are written to `record`,
    int16[PLIES], and `movers`, int8[PLIES], from `ply` on. `seats`, `trees` and `workers` are by
    seat; `stops` is (a flag that is never set, the flag that aborts the game).
    """
    never, stop = stops
    since0, since1 = ply, ply
    legal = workers[0].moves
    _clear(trees[0])
    _clear(trees[1])
    for index in range(ply):
        position = game.play(position, np.int64(record[index]))
    count = np.int64(game.moves(position, legal))
    while count > 0:
        seat = position.seat
        player, tree, worker = seats[seat], trees[seat], workers[seat]
        _follow(tree, record, since0 if seat == 0 else since1, ply, player.reuse)
        move = np.int64(legal[0])
        if count > 1:
            worker.deepest[0] = 0
            worker.moments[:] = 0.0
            least = min(int(count), player.iterations)
            settings = player.settings
            done = iterate(tree, position, settings, worker, memory, never, least)
            if done == least and least < player.iterations:
                left = player.iterations - least
                iterate(tree, position, settings, worker, memory, stop, left)
            if is_set(stop):
                return np.int64(ABORTED), np.int64(0)
            block = slice(tree.first[0], tree.first[0] + tree.count[0])
            known = tree.visits[block], tree.total[block], tree.proof[block]
            child, _ = _best_child(*known, seat, settings, player.final, settings.c)
            move = np.int64(tree.move[block][child])
        record[ply], movers[ply] = move, seat
        if seat == 0:
            since0 = ply
        else:
            since1 = ply
        position = game.play(position, move)
        ply += 1
        count = np.int64(game.moves(position, legal))
    return ply, np.int64(game.net(position))


_clear, _best_child = bare_part(clear), bare_part(best_child)


@bare_part
def _follow(tree: Tree, record: Array, since: Int, ply: Int, reuse: bool) -> None:
    """Make the node that the moves from ply `since` on lead to the root; an empty tree when there
    is none with children, or it is not to be reused.
    """
    node = np.int64(0 if reuse else -1)
    for index in range(since, ply):
        if node >= 0:
            first, count = np.int64(tree.first[node]), np.int64(tree.count[node])
            node = np.int64(-1)
            for child in range(first, first + count):
                if tree.move[child] == record[index]:
                    node = np.int64(child)
                    break
    if node < 0 or tree.count[node] <= 0:
        _clear(tree)
    elif node > 0:
        reroot(tree, node)
