"""Alpha-beta: iterative deepening with a transposition table, and exact endgames."""

from typing import Annotated

from pydantic import Field

from players.builtin import Builtin, moves_to_come, per_second, think_until
from players.games.registry import load_board, unsupported
from players.option_files import judge_evaluation
from players.options import (
    EVALUATIONS,
    LARGEST,
    AlphaBetaMethod,
    SearchOptions,
    Tunable,
    named_or_file,
    or_exit,
    read_options,
)
from players.sdk import Answer, Start, Turn

HARD_SHARES = 2.5
"""Of a bank's equal shares: what a move may take when those that are easy stop early."""


class AlphaBetaOptions(SearchOptions):
    """Iterative deepening with a transposition table, and exact endgames."""

    method: AlphaBetaMethod = "pvs"
    """How the tree is searched; without `probcut` all give the same value at equal depth. "pvs"
    looks whether a move is better than the best so far before it asks by how much; "mtdf" finds
    the value only by such questions; "minimax" prunes nothing."""
    depth: int | None = Field(default=None, gt=0)
    """Search no deeper than that many moves; the clock still ends the thinking. Boxes taken as
    a matter of course are not counted."""
    nodes: int | None = Field(default=None, gt=0)
    """Search about that many positions at most, those the exact endgame looks at not counted; the
    clock still ends the thinking."""
    evaluation: Annotated[str, named_or_file(*EVALUATIONS, judge=judge_evaluation)] = "default"
    """What positions are valued by: "default"; "classic", without patterns; "learned", the networks
    for 8×8 Othello that are included; or the path of a file, such as a network of `arena train`."""
    memory_mb: int = Field(default=64, ge=0, le=16_384)
    """The size of the transposition table; 0 for none."""
    probcut: Annotated[float, Tunable(low=0.0, high=3.0, step=0.25)] = Field(
        default=1.0, ge=0, le=100
    )
    """Leave a line of play at the value of a shallower search that misses what is looked for by
    that many times its typical error (multi-ProbCut): fewer cut more, 0 nothing. Only Othello has
    such errors fitted."""
    aspiration: Annotated[float, Tunable(low=0.0, high=20.0, step=1.0)] = Field(
        default=3, ge=0, le=LARGEST
    )
    """Expect the value of a deeper search within that many discs or boxes of the last one, and
    search again where it is not; 0 for no expectation. "minimax" and "mtdf" have no use for it."""
    endgame: int | None = Field(default=None, ge=0)
    """Solve the position exactly once that many moves remain, after a first search of a quarter of
    the time; 0 for never. Left out: as many as are, typically, solved in the time there is, and
    more where a search with cuts (`probcut`) reaches the end before the time is over, without
    `early_stop`; none when `depth` or `nodes` is given."""
    endgame_leaves: int | None = Field(default=None, ge=0)
    """End the search's lines with exact values where that many moves remain; 0 for never. Left out:
    as many as are, typically, solved in a tenth of a millisecond."""
    endgame_mb: int = Field(default=64, ge=1, le=16_384)
    """The size of the exact endgame's table."""
    early_stop: bool | None = None
    """Stop thinking when the time left is too short for a deeper search or the move found has stood
    for some searches, and let hard moves take more of a bank; otherwise a deeper search is begun
    for what its first moves show. Left out: at Othello (dots gain nothing) with a bank of less than
    all moves may take, without `depth` and `nodes`."""
    threads: int = Field(default=1, ge=1, le=64)
    """How many threads search at once, each on a core: give as many in `resources`. What several
    find is not repeatable. Dots' exact endgame has one."""


class AlphaBeta(Builtin):
    """The player. Its transposition table lives through a game."""

    name = "alphabeta"
    summary = "iterative deepening principal variation search with a transposition table"
    kernels = "alphabeta"
    options = AlphaBetaOptions
    refusal = staticmethod(unsupported)

    def __init__(self, start: Start) -> None:
        self._options = options = read_options(AlphaBetaOptions, start)
        self._board = load_board(start.rules, start.variant)
        from players.games.endgame import load_endgame
        from players.search.alphabeta.cuts import new_margins
        from players.search.alphabeta.driver import AlphaBetaSearch, load_kernels
        from players.weights.evaluations import load_spread, load_terms

        with or_exit():
            terms = load_terms(start.rules, start.variant, options.evaluation)
        self._endgame = endgame = load_endgame(start.rules, self._board, options.endgame_mb)
        endgame.guide(terms)
        position = self._board.position(start.state)
        load_kernels(position, terms, endgame)
        endgame.load_kernels(position)
        spread = load_spread(start.rules, start.variant)
        is_free = options.depth is None and options.nodes is None
        pays_off = is_free and spread is not None and _is_bank_short(start)
        self._stops_early = pays_off if options.early_stop is None else options.early_stop
        self._search = AlphaBetaSearch(
            self._board,
            terms=terms,
            endgame=endgame,
            memory_mb=options.memory_mb,
            method=options.method,
            aspiration=round(100 * options.aspiration),
            margins=new_margins(spread, options.probcut),
            endgame_from=options.endgame,
            leaves_from=options.endgame_leaves,
            early_stop=self._stops_early,
            threads=options.threads,
        )

    def choose(self, turn: Turn) -> Answer:
        from players.search.alphabeta.driver import DepthLimits
        from players.search.stop import stop_at

        if len(turn.legal) == 1:
            return turn.legal[0]
        position = self._board.position(turn.state)
        until = self._think_until(turn)
        limits = DepthLimits(self._options.depth, self._options.nodes, until)
        with stop_at(until) as stop:
            best = self._search.think(position, stop, limits)
        kind = "exact" if best.exact else "estimated"
        return best.move, {
            "score": best.score,
            "depth": best.depth,
            "nodes": best.nodes,
            "pv": best.pv,
            "text": f"{kind} value, {per_second(best.nodes, turn)} nodes/s",
        }

    def _think_until(self, turn: Turn) -> float:
        """When to stop thinking. Where easy moves save time on a bank, hard ones may take
        `HARD_SHARES`, and what is solved at once takes none.
        """
        from players.games.endgame import reach_in

        if turn.bank_ms is None or not self._stops_early:
            return think_until(turn, self._options)
        share_s = turn.bank_ms / 1000 / moves_to_come(turn.state)
        solved = reach_in(self._endgame, share_s) if self._options.endgame is None else 0
        return think_until(turn, self._options, shares=HARD_SHARES, solved=solved)


def _is_bank_short(start: Start) -> bool:
    """Whether equal shares of a bank are less than a move may take; else none has to be saved."""
    clock = start.clock
    if clock.bank_ms is None:
        return False
    share_ms = clock.bank_ms / moves_to_come(start.state)
    return clock.move_ms is None or share_ms + clock.increment_ms < clock.move_ms


if __name__ == "__main__":
    AlphaBeta.run()
