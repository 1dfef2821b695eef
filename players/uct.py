"""UCT: Monte Carlo tree search with UCB1, by default with random playouts."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, ValidationInfo, field_validator

from players.builtin import SOME_PLACES, Builtin, open_places, per_second, think_until
from players.games.registry import Board, compiled_game, load_board, unsupported
from players.option_files import judge_evaluation
from players.options import (
    EVALUATIONS,
    LARGEST,
    Backup,
    Final,
    Opponent,
    SearchOptions,
    Tunable,
    named_or_file,
    or_exit,
    read_options,
)
from players.sdk import Answer, Start, Turn

if TYPE_CHECKING:
    from players.games.endgame import Endgame, Solution
    from players.search.uct.settings import Settings

PLAIN_C = 1.0

SHARE_TO_SOLVE = 0.5
"""The part of the time after which the solver gives up."""

LEAF_SECONDS = 2e-4
"""The time of solving a leaf, with all of the window; with an empty one it takes much less."""

AUTO_C = 2.0
"""c = "auto" is that many standard deviations of the results."""

_Need = tuple[Callable[[Mapping[str, Any]], Any], str]
_PLAYS_OUT: _Need = (
    lambda options: options.get("leaf") != "evaluation",
    'with leaf = "evaluation"',
)
_NEEDS: dict[str, _Need] = {
    "mix": (lambda options: options.get("leaf") == "mixed", 'without leaf = "mixed"'),
    "playout": _PLAYS_OUT,
    "playouts": _PLAYS_OUT,
    "rave": (
        lambda options: options.get("leaf") != "evaluation" and options.get("playouts") != 1,
        'without playouts = 8, and with leaf = "evaluation"',
    ),
    "evaluation": (
        lambda options: (
            options.get("leaf") != "playout" or options.get("leaf_plies") or options.get("prior")
        ),
        'without leaf = "evaluation" or "mixed", leaf_plies or prior',
    ),
    "endgame_leaves": (lambda options: options.get("solver"), "without solver = true"),
    "early_stop": (lambda options: options.get("final") == "visits", 'without final = "visits"'),
    "direction_after": (lambda options: options.get("direction"), "without direction"),
    "parallel": (lambda options: options.get("threads") != 1, "without threads = 2 or more"),
}
"""The requirement of an option on those before it, and when the option must be left out."""


class UctOptions(SearchOptions):
    """UCB1 applied to trees, with random playouts, proofs and solved endgames."""

    c: Annotated[float | Literal["auto"], Tunable(low=0.05, high=3.0, step=0.1)] = PLAIN_C
    """The weight of exploration in value + c·sqrt(2·ln N/n). "auto" makes it twice the standard
    deviation of a leaf's results so far, seen from the root, in the scale of the values, times the
    root of `playouts`, as N and n count playouts. With playouts and `backup = "win"` it is about 1
    where wins and losses are equally many, less where one side wins nearly always."""
    c_by: Literal["share", "ply"] = "share"
    """What the steps of `c_schedule` go by: the share of the board filled, 0 to 1, or the ply."""
    c_schedule: list[Annotated[tuple[float, float], Field(strict=False)]] | None = None
    """Steps `[[from, c], …]` in place of `c`, the first from 0: `[[0.0, 1.4], [0.3, 0.7]]`. The
    step of the position to move from counts for a whole search."""
    backup: Backup = "win"
    """What a result is worth to a player. "win": 1 for a win, 0 for a loss, 1/2 for a draw;
    "zero-sum": 1, −1 and 0, twice as far apart, so that the same c explores half as much; "score":
    1/2 + margin/(2·all squares or boxes), from 0 to 1, mostly close to 1/2, so that c must be
    smaller for the same exploration."""
    opponent: Opponent = "own"
    """What the opponent is taken to choose in the tree: the child with the highest UCB value as it
    sees it, or the one with the least UCB value as this player sees it, exploration added."""
    leaf: Literal["playout", "evaluation", "mixed"] = "playout"
    """What a new node is worth: the result of a playout, the result its evaluation lets expect, or
    a mixture. A finished game always counts as it ended."""
    mix: Annotated[float, Tunable(low=0.05, high=0.95, step=0.05)] = Field(default=0.5, gt=0, lt=1)
    """The share of the evaluation in a "mixed" leaf."""
    leaf_plies: int | None = Field(default=None, gt=0)
    """Descend no deeper than that many plies; a node there is evaluated, not played out."""
    prior: Annotated[int, Tunable(low=0, high=400, step=16)] = Field(default=0, ge=0, le=10_000)
    """Let new nodes begin with that many visits, at the result that their evaluation expects; moves
    not yet tried are then compared too, not tried first. 0 to go without."""
    evaluation: Annotated[str, named_or_file(*EVALUATIONS, judge=judge_evaluation)] = "default"
    """The evaluation of leaves and of new nodes: "default"; "classic", without patterns; "learned",
    the networks for 8×8 Othello that are included; or the path of a file, such as a network of
    `arena train`."""
    playout: Literal["random", "guided"] = "random"
    """Random moves, or random among those that some knowledge leaves: in dots boxes are taken and
    third sides avoided, in Othello squares next to an empty corner are."""
    playouts: Literal[1, 8] = 8
    """Playouts a leaf; 8 are played at once, in little more time than one."""
    rave: Annotated[float, Tunable(low=0.0, high=10_000.0, step=300.0)] = Field(
        default=0.0, ge=0, le=LARGEST
    )
    """RAVE: mix a move's mean with that of the games in which the same player makes the move later,
    at a weight of sqrt(k/(3n + k)) after n playouts, k being this; moves not yet tried are then
    compared too, not tried first. 0 to go without. In dots with guided playouts 3000, with
    `c = 0.1`, is far stronger."""
    solver: bool = True
    """Back up proven results (MCTS-solver): a move that wins is enough, a node whose moves are all
    proven is worth the best of them, and neither is searched on."""
    prune: bool = True
    """Leave out of the tree moves that are certain to be no better than another: in dots a capture
    that costs nothing is the only move, and one edge stands for a chain and for a corner; where
    the game stops at a majority, for a corner alone. Othello has no such laws."""
    endgame: int | None = Field(default=None, ge=0)
    """Try to solve the position exactly once that many moves remain, for up to half of the time,
    and then play the move with the best margin; 0 for never. Left out: as many as are, typically,
    solved in that time, and none when `iterations` or `depth` is given."""
    endgame_leaves: int | None = Field(default=None, ge=0)
    """Solve leaves of the tree exactly where that many moves remain; 0 for never. Left out: as many
    as are, typically, solved in a fifth of a millisecond; without `solver`, none."""
    endgame_mb: int = Field(default=64, ge=1, le=16_384)
    """The size of the exact endgame's table."""
    iterations: int | None = Field(default=None, gt=0)
    """Think for that many iterations instead of by the clock; with one thread the choice then
    depends on the seed alone. The clock still ends the thinking when it runs out first."""
    depth: int | None = Field(default=None, gt=0)
    """Stop thinking once the tree is that many plies deep."""
    final: Final = "visits"
    """Play the move with the most visits, the highest mean value, the highest lower confidence
    bound, value − c·sqrt(2·ln N/n), or the highest upper one, as in the selection."""
    early_stop: bool = False
    """Stop thinking once no other move can still have as many visits as the first."""
    direction: float = Field(default=0.0, ge=0, le=1)
    """Stop thinking once one move has this share of the visits; 0 to think on."""
    direction_after: int = Field(default=1000, gt=0)
    """How many iterations `direction` waits for."""
    memory_mb: int = Field(default=1024, ge=1, le=65_536)
    """The size of the tree. The fuller it is the more iterations it takes for a node to be given
    children; it never stops growing."""
    expand_after: Annotated[int, Tunable(low=1, high=40, step=1)] = Field(
        default=2, ge=1, le=LARGEST
    )
    """Iterations through a node before it is given children, while the tree is empty."""
    reuse: bool = True
    """Keep the part of the tree below the moves played for the next move."""
    threads: int = Field(default=1, ge=1, le=64)
    """How many threads search at once, each on a core: give as many in `resources`."""
    parallel: Literal["tree", "root"] = "tree"
    """Several threads share one tree, or have one each and add up their visits at the root."""

    @field_validator("c", mode="before")
    @classmethod
    def _explores(cls, c: Any) -> Any:
        """One sentence in place of one for each kind of value."""
        is_number = isinstance(c, (int, float)) and not isinstance(c, bool)
        if c != "auto" and not (is_number and 0 <= c <= LARGEST):
            raise ValueError(f'must be a valid number, 0 to {LARGEST}, or "auto"')
        return c

    @field_validator("c_schedule")
    @classmethod
    def _is_schedule(
        cls, steps: list[tuple[float, float]] | None, info: ValidationInfo
    ) -> list[tuple[float, float]] | None:
        if steps is None:
            return None
        if info.data.get("c", PLAIN_C) != PLAIN_C:  # a wrong c is missing here, and reported
            raise ValueError("c_schedule takes the place of c; give one of them")
        starts = [start for start, _ in steps]
        if not steps or starts[0] != 0 or starts != sorted(set(starts)):
            raise ValueError("the steps must begin at 0 and go up, as in [[0.0, 1.4], [0.3, 0.7]]")
        if info.data.get("c_by") == "share" and starts[-1] > 1:
            raise ValueError('a share of the board is at most 1; c_by = "ply" takes plies')
        if any(c < 0 for _, c in steps):
            raise ValueError("no c may be below 0")
        if any(c > LARGEST for _, c in steps):
            raise ValueError(f"no c may be above {LARGEST}")
        return steps

    @field_validator(*_NEEDS)
    @classmethod
    def _has_what_it_needs(cls, value: Any, info: ValidationInfo) -> Any:
        needed, sentence = _NEEDS[str(info.field_name)]
        if value and not needed(info.data):
            raise ValueError(f"must be left out {sentence}")
        return value


class Uct(Builtin):
    """The player. Its tree lives through a game and follows the moves that are played."""

    name = "uct"
    summary = "Monte Carlo tree search: UCB1 with random playouts, reusing its tree"
    kernels = "uct"
    options: ClassVar[type[UctOptions]] = UctOptions
    refusal = staticmethod(unsupported)

    def __init__(self, start: Start, weights: Any = None) -> None:
        """`weights` take the place of those that the options name."""
        from players.games.endgame import load_endgame
        from players.search.uct.driver import ThinkingLimits, UctSearch, load_kernels

        self._options = options = read_options(self.options, start)
        self._board = load_board(start.rules, start.variant)
        self._endgame = load_endgame(start.rules, self._board, options.endgame_mb)
        if options.threads > 1:
            self._endgame.share()
        if weights is None:
            weights = self.weights(options, start, self._board)
        settings = search_settings(options, start, self._endgame, weights)
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
        early = options.early_stop, options.direction, options.direction_after
        self._limits = ThinkingLimits(options.iterations, options.depth, *early)

    @classmethod
    def weights(cls, options: Any, start: Start, board: Board) -> Any:
        """Weights by colour and move for the search; None for 1 everywhere."""
        return None

    def choose(self, turn: Turn) -> Answer:
        """Solve the position within reach; else search until the time is over or a limit is met."""
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
            limits, least = self._limits, len(turn.legal)
            thought = search.think(position, stop, limits, least=least, c=c, until=deadline)
        choice = search.choose(position, options.final, c)
        value = choice.value
        if options.backup == "score":
            value = (value - 0.5) / search.worth
        ended = f"; ended by {thought.ended}" if thought.ended else ""
        return choice.move, {
            "score": round(value, 4),
            "depth": max(thought.depth, len(choice.pv)),  # a tree kept may be proven already
            "nodes": search.visits,
            "pv": choice.pv,
            "text": f"{thought.iterations:,} iterations, {per_second(thought.iterations, turn)}/s; "
            f"{choice.visits:,} of {search.visits:,} visits{ended}",
        }

    def _solve(self, turn: Turn, position: Any, deadline: float) -> Solution | None:
        """The exact solution, if it may be found in its share of the time and is."""
        from players.games.endgame import reach_in
        from players.search.stop import alongside, stop_at

        options, reach = self._options, self._options.endgame
        seconds = (deadline - time.monotonic()) * SHARE_TO_SOLVE
        if reach is None:
            limited = options.iterations is not None or options.depth is not None
            reach = 0 if limited else reach_in(self._endgame, seconds)
        if open_places(turn.state) > reach:
            return None
        helped: list[int] = []

        def helper(done: Any) -> None:
            helped.append(self._endgame.help(position, done))

        with (
            stop_at(time.monotonic() + seconds) as stop,
            alongside(self._search.pool, [helper] * (options.threads - 1)),
        ):
            found = self._endgame.best(position, stop)
        return found and found._replace(nodes=found.nodes + sum(helped))

    def _scheduled_c(self, turn: Turn) -> float | None:
        options = self._options
        if options.c_schedule is None:
            return None
        reached = float(turn.ply) if options.c_by == "ply" else filled_share(turn.state)
        return float(max(step for step in options.c_schedule if step[0] <= reached)[1])

    def _exact_info(self, solution: Solution, turn: Turn) -> dict[str, Any]:
        result = 0.5 + 0.5 * ((solution.margin > 0) - (solution.margin < 0))
        speed = f"{per_second(solution.nodes, turn)} nodes/s"
        return {
            "score": solution.margin if self._options.backup == "score" else result,
            "depth": len(solution.pv),
            "nodes": solution.nodes,
            "pv": solution.pv,
            "text": f"exact margin {solution.margin:+d}; {speed}",
        }


def search_settings(options: UctOptions, start: Start, endgame: Endgame, weights: Any) -> Settings:
    """The search's settings. A mistake in the evaluation's file ends the process."""
    from players.games.endgame import reach_in
    from players.search.uct.settings import Settings, make_settings

    same = {"backup", "opponent", *Settings._fields} - {"c", "weights"}  # by their names
    shares = {"playout": 0.0, "evaluation": 1.0, "mixed": options.mix}
    leaves = options.endgame_leaves
    if leaves is None:
        leaves = reach_in(endgame, LEAF_SECONDS) if options.solver else 0
    return make_settings(
        compiled_game(start.rules).most_margin(start.variant),
        c=0.0 if options.c == "auto" else options.c,
        spread_factor=AUTO_C if options.c == "auto" else 0.0,
        weights=weights,
        evaluated=shares[options.leaf],
        terms=_terms(options, start),
        plies=options.leaf_plies,
        guided=options.playout == "guided",
        samples=options.playouts,
        exact=leaves,
        **options.model_dump(include=same),
    )


def _terms(options: UctOptions, start: Start) -> Any:
    from players.weights.evaluations import load_terms

    if options.leaf == "playout" and options.leaf_plies is None and not options.prior:
        return None
    with or_exit():
        return load_terms(start.rules, start.variant, options.evaluation)


def filled_share(state: Mapping[str, Any]) -> float:
    """How much of the board is filled, 0 to 1: of the playable squares, or of the edges."""
    places: int
    if "board" in state:
        places = sum(len(row) - row.count("#") for row in state["board"])
    else:
        edges = [row for key in ("horizontal", "vertical") for row in state.get(key, ())]
        places = sum(map(len, edges)) or SOME_PLACES
    return 1.0 - open_places(state) / places


if __name__ == "__main__":
    Uct.run()
