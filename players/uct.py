"""UCT: Monte Carlo tree search with UCB1, by default with random playouts."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from players.options import UctOptions, read_options
from players.sdk import Answer, Start, Turn, play
from players.thinking import board_of, open_places, seconds_since, think_until

if TYPE_CHECKING:
    from players.games.endgame import Solution
    from players.games.registry import Board
    from players.search.uct import Settings

SHARE_TO_SOLVE = 0.5
"""The part of the time after which the solver gives up."""

LEAF_SECONDS = 2e-4
"""What solving a leaf may take, with all of the window; with an empty one it takes much less."""

AUTO_C = 2.0
"""c = "auto" is so many standard deviations of the results."""


class Uct:
    """The player. Its tree lives through a game and follows the moves that are played."""

    name = "uct"
    options_model: type[UctOptions] = UctOptions

    def weights(self, options: Any, start: Start, board: Board) -> Any:
        """Weights by colour and move for the search; None for 1 everywhere."""
        return None

    def prepare(self, start: Start) -> Settings:
        """Read the options: what the search goes by. A mistake ends the process with a sentence."""
        self._options = options = read_options(self.options_model, start)
        self._board = board_of(self.name, start)
        from players.games.endgame import load_endgame

        self._endgame = load_endgame(start.rules, self._board, options.endgame_mb)
        return self._settings(start)

    def start(self, start: Start) -> None:
        """Read the options, and load or compile every kernel before the clock runs."""
        settings = self.prepare(start)
        from players.search.uct import Limits, UctSearch, load_kernels

        options = self._options
        position = self._board.position(start.state)
        load_kernels(position, settings, self._endgame)
        if options.endgame != 0:
            self._endgame.load_kernels(position)
        self._search = UctSearch(
            self._board,
            settings,
            self._endgame,
            memory_mb=options.memory_mb,
            seed=start.seed,
            threads=options.threads,
            parallel=options.parallel,
        )
        self._limits = Limits(
            options.iterations,
            options.depth,
            options.early_stop,
            options.direction,
            options.direction_after,
        )

    def _settings(self, start: Start) -> Settings:
        from players.games.endgame import reach_in
        from players.search.uct import make_settings, most_margin

        options = self._options
        shares = {"playout": 0.0, "evaluation": 1.0, "mixed": options.mix}
        leaves = options.endgame_leaves
        if leaves is None:
            leaves = reach_in(self._endgame, LEAF_SECONDS) if options.solver else 0
        return make_settings(
            most_margin(start.rules, start.variant),
            c=0.0 if options.c == "auto" else options.c,
            spread_factor=AUTO_C if options.c == "auto" else 0.0,
            backup=options.backup,
            opponent=options.opponent,
            weights=self.weights(options, start, self._board),
            evaluated=shares[options.leaf],
            terms=self._terms(start),
            plies=options.leaf_plies,
            prior=options.prior,
            guided=options.playout == "guided",
            samples=options.playouts,
            expand_after=options.expand_after,
            prune=options.prune,
            solver=options.solver,
            exact=leaves,
            rave=options.rave,
        )

    def _terms(self, start: Start) -> Any:
        """The evaluation's numbers; None where nothing is evaluated. A mistake in the file ends the
        process with a sentence.
        """
        from players.weights.evaluations import load_terms

        options = self._options
        if options.leaf == "playout" and options.leaf_plies is None and not options.prior:
            return None
        try:
            return load_terms(start.rules, start.variant, options.evaluation)
        except ValueError as error:
            sys.exit(str(error))

    def choose(self, turn: Turn) -> Answer:
        """Solve the position where that is within reach; else search until the time is nearly over
        or a limit is met.
        """
        from players.search.stop import stop_at

        options, search = self._options, self._search
        search.follow([move for _, move in turn.moves], turn.legal, reuse=options.reuse)
        if len(turn.legal) == 1:
            return turn.legal[0]
        position = self._board.position(turn.state)
        deadline = think_until(turn, options)
        solution = self._solve(turn, position, deadline)
        if solution is not None:
            return solution.move, self._exact_info(solution, turn)
        c = self._scheduled_c(turn)
        with stop_at(deadline) as stop:
            thought = search.think(
                position,
                stop,
                self._limits,
                least=len(turn.legal),
                c=c,
                seconds_left=lambda: deadline - time.monotonic(),
            )
        choice = search.choose(position, options.final, c)
        ended = f"; ended by {thought.ended}" if thought.ended else ""
        return choice.move, {
            "score": self._score(choice.value),
            "depth": max(thought.depth, len(choice.pv)),  # a tree kept may be proven already
            "nodes": search.visits,
            "pv": choice.pv,
            "text": f"{thought.iterations} iterations, "
            f"{thought.iterations / seconds_since(turn):.0f}/s; "
            f"{choice.visits} of {search.visits} visits{ended}",
        }

    def _solve(self, turn: Turn, position: Any, deadline: float) -> Solution | None:
        """The exact solution, if the solver may find it in its share of the time and does."""
        from players.games.endgame import reach_in
        from players.search.stop import stop_at

        options, reach = self._options, self._options.endgame
        seconds = (deadline - time.monotonic()) * SHARE_TO_SOLVE
        if reach is None:
            limited = options.iterations is not None or options.depth is not None
            reach = 0 if limited else reach_in(self._endgame, seconds)
        if open_places(turn.state) > reach:
            return None
        with stop_at(time.monotonic() + seconds) as stop:
            return self._endgame.best(position, stop)

    def _scheduled_c(self, turn: Turn) -> float | None:
        """The c of the schedule's step; None without a schedule."""
        options = self._options
        if options.c_schedule is None:
            return None
        reached = float(turn.ply) if options.c_by == "ply" else filled_share(turn.state)
        return float(max(step for step in options.c_schedule if step[0] <= reached)[1])

    def _score(self, value: float) -> float:
        """A value as the answer's score: the expected result, in [0, 1], or the expected margin."""
        if self._options.backup == "score":
            value = (value - 0.5) / self._search.worth
        return round(value, 4)

    def _exact_info(self, solution: Solution, turn: Turn) -> dict[str, Any]:
        result = 0.5 + 0.5 * ((solution.margin > 0) - (solution.margin < 0))
        seconds = seconds_since(turn)
        return {
            "score": solution.margin if self._options.backup == "score" else result,
            "depth": len(solution.pv),
            "nodes": solution.nodes,
            "pv": solution.pv,
            "text": f"exact margin {solution.margin:+d}; {solution.nodes / seconds:.0f} nodes/s",
        }


def filled_share(state: Mapping[str, Any]) -> float:
    """How much of the board is filled, 0 to 1: of the playable squares, or of the edges."""
    places: int
    if "board" in state:
        places = sum(len(row) - row.count("#") for row in state["board"])
    else:
        places = sum(len(row) for key in ("horizontal", "vertical") for row in state[key])
    return 1.0 - open_places(state) / places


def main(player: Uct) -> None:
    """Play games as `player`."""
    play(player.choose, start=player.start, name=player.name)


if __name__ == "__main__":
    main(Uct())
