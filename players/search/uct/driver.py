"""A search that goes along with a game: its trees, its threads, when they end, what to play."""

import math
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import NamedTuple

import numpy as np

from players.games import interface as game
from players.games.endgame import Endgame
from players.games.registry import Board
from players.options import Final
from players.search import tree as nodes
from players.search.stop import NEVER
from players.search.tree import Tree
from players.search.types import Array, Flag, Int, Position, Real, Seat
from players.search.uct.search import iterate
from players.search.uct.settings import Settings, new_worker

MOST_VISITS = 2**31 - 2**20
"""A root is not visited more often, as its counter has 31 bits."""

MOST_ENTRIES = 2**31 - 1
"""A tree has no more, as numbers of entries have 31 bits, whatever the memory."""

FIRST_ROUND, ROUND_SECONDS = 256, 0.01
"""Where the tree is watched, or several threads work, each runs its iterations in rounds: the first
of that many, then as many as take about so long."""

ROUNDS = 64
"""A search of a fixed number of iterations is looked at that often, whatever the clock says."""

FINALS: dict[Final, int] = {"visits": 0, "value": 1, "bound": 2, "ucb": 3}
BY_VALUE, BY_BOUND, BY_UCB = FINALS["value"], FINALS["bound"], FINALS["ucb"]


class ThinkingLimits(NamedTuple):
    """Each ends the thinking by itself."""

    iterations: int | None = None
    """At most that many."""
    depth: int | None = None
    """Once the tree is that many plies deep."""
    early_stop: bool = False
    """Once no other move can still have as many visits as the most visited one."""
    direction: float = 0.0
    """Once one move has this share of the root's visits; 0 to think on."""
    direction_after: int = 0
    """But not before that many iterations."""

    @property
    def watch(self) -> bool:
        """Whether the tree must be looked at while it grows."""
        return self.depth is not None or self.early_stop or self.direction > 0

    def met(self, visits: Sequence[int], done: int, left: float, depth: int) -> str:
        """The limit that is met, in words; "" for none. `visits` are those of the root's moves,
        `done` the iterations so far, `left` the visits still to come, `depth` the plies to the
        deepest leaf.
        """
        first, second = sorted([*visits, 0, 0], reverse=True)[:2]
        if self.depth is not None and depth >= self.depth:
            return "depth"
        if self.early_stop and first - second > left:
            return "early stop"
        enough = done >= self.direction_after
        if self.direction > 0 and enough and first >= self.direction * sum(visits):
            return "direction"
        return ""


class UctChoice(NamedTuple):
    move: str
    value: float
    """The result expected for the mover, in [0, 1]."""
    visits: int
    """Playouts through the move."""
    proven: bool
    """Whether the value is certain."""
    pv: list[str]
    """The most visited line, the move first."""


class Thought(NamedTuple):
    iterations: int
    depth: int
    """Plies from the root to the deepest leaf."""
    ended: str
    """"proof", "depth", "early stop", "direction", or "" for the clock or the iterations."""


class UctSearch:
    """One tree for all threads or, with `parallel` "root", one for each."""

    def __init__(
        self,
        board: Board,
        settings: Settings,
        endgame: Endgame,
        *,
        memory_mb: int,
        seed: int,
        threads: int = 1,
        parallel: str = "tree",
    ) -> None:
        """`memory_mb` is for all trees together; `endgame` solves leaves, shared by the threads."""
        count = threads if parallel == "root" else 1
        self._board = board
        self._settings = settings._replace(shared=threads > count)
        self._memory = endgame.memory
        rave = settings.rave > 0
        size = nodes.ENTRY_BYTES + nodes.NEAR_BYTES if rave else nodes.ENTRY_BYTES
        entries = min(memory_mb * 1_000_000 // size // count, MOST_ENTRIES)
        self._trees = [nodes.new_tree(entries, rave=rave) for _ in range(count)]
        self._workers = [new_worker(seed + thread) for thread in range(threads)]
        self.pool = ThreadPoolExecutor(threads) if threads > 1 else None
        """None for one thread."""

    @property
    def worth(self) -> float:
        """The weight of a point of margin, or of a sign, next to a result of 1/2."""
        return self._settings.worth

    @property
    def visits(self) -> int:
        """Playouts the trees hold."""
        return sum(int(tree.visits[0]) for tree in self._trees)

    @property
    def nodes(self) -> int:
        """Entries of the trees in use."""
        return sum(int(tree.used[0]) for tree in self._trees)

    def follow(self, moves: Sequence[str], legal: Sequence[str], *, reuse: bool) -> None:
        """Make the node that `moves` lead to, passes left out or not, the root; an empty tree when
        there is none, as after a pruned move, its moves are not `legal`, or it is not to be reused.
        """
        for worker in self._workers:
            worker.room[:] = 0
        for tree in self._trees:
            node: int | None = 0 if reuse else None
            for name in moves:
                if node is not None and name in self._board.moves:  # no forced pass
                    node = nodes.child_by_move(tree, node, self._board.moves[name])
            if node is None or not self._fits(tree, node, legal):
                nodes.clear(tree)
            elif node:
                nodes.reroot(tree, node)

    def _fits(self, tree: Tree, node: int, legal: Sequence[str]) -> bool:
        """Whether a node has children, and they are the `legal` moves but for those pruned; not
        when it is proven and none of them shows by which move, as where a thread solved it while
        another expanded it.
        """
        block = nodes.children(tree, node)
        proof = tree.proof[node]
        if proof > nodes.NEAR and proof not in tree.proof[block]:
            return False
        names = {self._board.names[tree.move[child]] for child in block}
        pruned = self._settings.prune and len(names) > 0
        return names <= set(legal) if pruned else names == set(legal)

    def think(
        self,
        position: Position,
        stop: Flag,
        limits: ThinkingLimits,
        *,
        least: int = 0,
        c: float | None = None,
        until: float | None = None,
    ) -> Thought:
        """Iterate from the root's `position` until a limit is met, the root is proven or `stop` is
        set; but do `least` iterations whatever the clock says.

        `c` takes the place of the settings' own. `until` is when `stop` will be set.
        """
        settings = self._settings if c is None else self._settings._replace(c=float(c))
        samples = settings.samples
        most = (MOST_VISITS - max(int(tree.visits[0]) for tree in self._trees)) // samples
        most = max(min(most, limits.iterations or most), 0)
        for worker in self._workers:
            worker.deepest[0] = 0
            worker.moments[:] = 0.0
        began = time.monotonic()
        # `allotted` counts the iterations that threads took up, `done` those of ended rounds
        allotted = done = self._round(0, position, settings, NEVER, min(least, most))
        first, ended, lock = most, "", Lock()
        if limits.watch or self.pool:
            first = max(FIRST_ROUND, (limits.iterations or 0) // ROUNDS // len(self._workers))

        def work(thread: int) -> None:
            """Do round after round until a limit is met; no thread waits for another."""
            nonlocal allotted, done, ended
            size = first
            while True:
                with lock:
                    share = min(size, most - allotted)
                    if share == 0 or stop[0] or ended:
                        return
                    allotted += share
                round_began = time.monotonic()
                count = self._round(thread, position, settings, stop, share)
                now = time.monotonic()
                with lock:
                    done += count
                    left = float(most - done)
                    if until is not None:
                        left = min(left, allotted / (now - began) * max(until - now, 0.0))
                    ended = ended or self._ended(limits, done, left * samples)
                if limits.iterations is None and now - round_began < ROUND_SECONDS / 2:
                    size *= 2

        if self.pool:
            list(self.pool.map(work, range(len(self._workers))))
        else:
            work(0)
        return Thought(done, self._depth(), ended)

    def _ended(self, limits: ThinkingLimits, done: int, left: float) -> str:
        if any(tree.proof[0] > nodes.NEAR for tree in self._trees):
            return "proof"
        if not limits.watch:
            return ""
        return limits.met(root_moves(self._trees)[1].tolist(), done, left, self._depth())

    def _depth(self) -> int:
        return max(int(worker.deepest[0]) for worker in self._workers)

    def _round(
        self, thread: int, position: Position, settings: Settings, stop: Flag, limit: int
    ) -> int:
        """Run `limit` iterations in one thread; how many were done."""
        tree, worker = self._trees[thread % len(self._trees)], self._workers[thread]
        return int(iterate(tree, position, settings, worker, self._memory, stop, limit))

    def choose(self, position: Position, final: Final, c: float | None = None) -> UctChoice:
        """The move to play at the root, which is `position` (`best_child`)."""
        settings, (moves, visits, total, proof) = self._settings, root_moves(self._trees)
        how = FINALS[final], settings.c if c is None else c
        best, value = best_child(visits, total, proof, position.seat, settings, *how)
        move = int(moves[best])

        def visited(tree: Tree) -> int:
            child = nodes.child_by_move(tree, 0, move)
            return 0 if child is None else int(tree.visits[child])

        line = most_visited_line(max(self._trees, key=visited), move, settings.prior)
        pv = [self._board.names[each] for each in line]
        return UctChoice(pv[0], float(value), int(visits[best]), bool(proof[best] > nodes.NEAR), pv)


def root_moves(trees: Sequence[Tree]) -> tuple[Array, Array, Array, Array]:
    """(the moves of the roots, their visits, the sums of their results, their proofs), over all."""
    visits, total = np.zeros(game.MOVES, np.int64), np.zeros(game.MOVES)
    proof, moves = np.full(game.MOVES, nodes.UNKNOWN, np.int8), np.zeros(0, np.int8)
    for tree in trees:
        count = max(int(tree.count[0]), 0)  # before `first`, which a thread writes first
        block = slice(tree.first[0], tree.first[0] + count)
        move = tree.move[block]
        visits[move] += tree.visits[block]
        total[move] += tree.total[block]
        proof[move] = np.maximum(proof[move], tree.proof[block])
        moves = moves if len(moves) >= len(move) else move
    return moves, visits[moves], total[moves], proof[moves]


def best_child(
    visits: Array, total: Array, proof: Array, seat: Seat, settings: Settings, final: int, c: Real
) -> tuple[Int, Real]:
    """(which of a root's moves `seat` is to play, the result expected of it in [0, 1]), for Python
    and for kernels.

    Of the moves that are not proven, the one with the most visits, the highest value or the highest
    lower or upper confidence bound, slope·value ∓ c·√(2·ln N/n), by `final`, one of FINALS; or the
    best of the proven ones, unless it is lost, when its value is as high.
    """
    exploration = c * math.sqrt(2.0 * math.log(max(visits.sum(), 1)))
    best, proven = -1, -1
    best_value: Real = 0.0
    best_rank: tuple[Real, Real] = (0.0, 0.0)
    proven_rank = best_rank
    for child in range(len(visits)):
        n, sign = float(visits[child]), np.int64(proof[child])
        if sign > nodes.NEAR:
            value: Real = 0.5 + settings.worth * (sign if seat == 0 else -sign)
            if proven < 0 or (value, n) > proven_rank:
                proven, proven_rank = child, (value, n)
            continue
        value = total[child] / n if n > 0.0 else 0.0
        rank: tuple[Real, Real] = (n, value)
        if final == BY_VALUE:
            rank = (value, n)
        elif final == BY_BOUND:
            rank = (settings.slope * value - exploration / math.sqrt(max(n, 1.0)), n)
        elif final == BY_UCB and n > 0.0:
            rank = (settings.slope * value + exploration / math.sqrt(n), n)
        if best < 0 or rank > best_rank:
            best, best_rank, best_value = child, rank, value
    value = proven_rank[0]
    lowest = 0.5 - settings.worth * settings.highest
    if best < 0 or (proven >= 0 and value > lowest and value >= best_value):
        return proven, value
    return best, best_value


def most_visited_line(tree: Tree, move: int, prior: int) -> list[int]:
    """`move` and what the tree visited most after it; nodes begin with `prior` visits."""
    line, node = [move], nodes.child_by_move(tree, 0, move)
    while node and (
        visited := [each for each in nodes.children(tree, node) if tree.visits[each] > prior]
    ):
        node = max(visited, key=lambda each: int(tree.visits[each]))
        line.append(int(tree.move[node]))
    return line


def load_kernels(position: Position, settings: Settings, endgame: Endgame) -> None:
    """Load from the cache, or compile, what searches positions of this type."""
    tree, stop = nodes.new_tree(2 * game.MOVES, rave=settings.rave > 0), np.zeros(1, np.int64)
    iterate(tree, position, settings, new_worker(0), endgame.memory, stop, 1)
    nodes.reroot(tree, 0)
