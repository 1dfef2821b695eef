"""The options of `uct` and `weighted-uct`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, ValidationInfo, field_validator

from players.options.common import EVALUATIONS, SearchOptions, named_or_file
from players.options.tunable import Tunable, TunableTable

WEIGHT_TABLES = ("tuned", "hand", "league")
"""The weights that come with the package."""

PLAIN_C = 1.0


class UctOptions(SearchOptions):
    """UCB1 applied to trees, with random playouts, proofs and solved endgames."""

    c: Annotated[float | Literal["auto"], Tunable(low=0.05, high=3.0, step=0.1)] = PLAIN_C
    """The weight of exploration in value + c·sqrt(2·ln N/n). "auto" makes it twice the standard
    deviation of the results so far, seen from the root, in the scale of the values: 1 where wins
    and losses are equally many, less where one side wins nearly always or results lie close."""
    c_by: Literal["share", "ply"] = "share"
    """What the steps of `c_schedule` go by: the share of the board filled, 0 to 1, or the ply."""
    c_schedule: list[tuple[float, float]] | None = None
    """Steps `[[from, c], …]` in place of `c`, the first from 0: `[[0.0, 1.4], [0.3, 0.7]]`. The
    step of the position to move from counts for a whole search."""
    backup: Literal["win", "zero-sum", "score"] = "win"
    """What a result is worth to a player. "win": 1 for a win, 0 for a loss, 1/2 for a draw;
    "zero-sum": 1, −1 and 0, twice as far apart, so that the same c explores half as much; "score":
    1/2 + margin/(2·all squares or boxes), from 0 to 1, mostly close to 1/2, so that c must be
    smaller for the same exploration."""
    opponent: Literal["own", "least"] = "own"
    """What the opponent is taken to choose in the tree: the child with the highest UCB value as he
    sees it, or the one with the least UCB value as this player sees it, exploration added."""
    leaf: Literal["playout", "evaluation", "mixed"] = "playout"
    """What a new node is worth: the result of a playout, the result its evaluation lets expect, or
    a mixture. A finished game always counts as it ended."""
    mix: Annotated[float, Tunable(low=0.05, high=0.95, step=0.05)] = Field(default=0.5, gt=0, lt=1)
    """The share of the evaluation in a "mixed" leaf."""
    leaf_plies: int | None = Field(default=None, gt=0)
    """Descend no deeper than so many plies; a node there is evaluated, not played out."""
    prior: Annotated[int, Tunable(low=0, high=400, step=16)] = Field(default=0, ge=0, le=10_000)
    """Let new nodes begin with so many visits, at the result that their evaluation expects; moves
    not yet tried are then compared too, not tried first. 0 to go without."""
    evaluation: Annotated[str, named_or_file(*EVALUATIONS)] = "default"
    """The evaluation of leaves and of new nodes: "default"; "classic", without patterns; "learned",
    the networks for 8×8 Othello that come along; or the path of a file, such as a network of
    `arena train`."""
    playout: Literal["random", "guided"] = "random"
    """Random moves, or random among those that some knowledge leaves: in dots boxes are taken and
    third sides avoided, in Othello squares beside an empty corner are."""
    playouts: Literal[1, 8] = 8
    """Playouts a leaf; 8 are played at once, in little more time than one."""
    rave: Annotated[float, Tunable(low=0.0, high=10_000.0, step=300.0)] = Field(default=0.0, ge=0)
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
    """Try to solve the position exactly once so many moves remain, for up to half of the time, and
    then play the move with the best margin; 0 for never. Left out: as many as are, typically,
    solved in that time, and none when `iterations` or `depth` is given."""
    endgame_leaves: int | None = Field(default=None, ge=0)
    """Solve leaves of the tree exactly where so many moves remain; 0 for never. Left out: as many
    as are, typically, solved in a fifth of a millisecond; without `solver`, none."""
    endgame_mb: int = Field(default=64, ge=1, le=16_384)
    """The size of the exact endgame's table."""
    iterations: int | None = Field(default=None, gt=0)
    """Think for so many iterations instead of by the clock; with one thread the choice then depends
    on the seed alone. The clock still ends the thinking when it runs out first."""
    depth: int | None = Field(default=None, gt=0)
    """Stop thinking once the tree is so many plies deep."""
    final: Literal["visits", "value", "bound"] = "visits"
    """Play the move with the most visits, the highest mean value, or the highest lower confidence
    bound, value − c·sqrt(2·ln N/n)."""
    early_stop: bool = False
    """Stop thinking once no other move can still have as many visits as the first."""
    direction: float = Field(default=0.0, ge=0, le=1)
    """Stop thinking once one move has this share of the visits; 0 to think on."""
    direction_after: int = Field(default=1000, gt=0)
    """How many iterations `direction` waits for."""
    memory_mb: int = Field(default=1024, ge=1, le=65_536)
    """The size of the tree. The fuller it is the more visits it takes for a node to be given
    children; it never stops growing."""
    expand_after: Annotated[int, Tunable(low=1, high=40, step=1)] = Field(default=2, ge=1)
    """Visits before a node is given children, while the tree is empty."""
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
        if c != "auto" and (isinstance(c, bool) or not isinstance(c, (int, float)) or not c >= 0):
            raise ValueError('must be a valid number, 0 or more, or "auto"')
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
        return steps

    @field_validator("mix")
    @classmethod
    def _mixes(cls, mix: float, info: ValidationInfo) -> float:
        if info.data.get("leaf") != "mixed":
            raise ValueError('only leaf = "mixed" mixes')
        return mix

    @field_validator("playout", "playouts")
    @classmethod
    def _plays_out(cls, chosen: str | int, info: ValidationInfo) -> str | int:
        if info.data.get("leaf") == "evaluation":
            raise ValueError('leaf = "evaluation" plays nothing out')
        return chosen

    @field_validator("rave")
    @classmethod
    def _records(cls, rave: float, info: ValidationInfo) -> float:
        if rave and (info.data.get("leaf") == "evaluation" or info.data.get("playouts") == 1):
            raise ValueError("it learns from the moves of playouts; it needs playouts = 8")
        return rave

    @field_validator("evaluation")
    @classmethod
    def _evaluates(cls, name: str, info: ValidationInfo) -> str:
        data = info.data
        leaves = data.get("leaf") != "playout" or data.get("leaf_plies") is not None
        if not leaves and not data.get("prior"):
            raise ValueError("nothing is evaluated without leaf, leaf_plies or prior")
        return name

    @field_validator("endgame_leaves")
    @classmethod
    def _proves(cls, moves: int | None, info: ValidationInfo) -> int | None:
        if moves and not info.data.get("solver"):
            raise ValueError("solved leaves are proofs; they need solver = true")
        return moves

    @field_validator("early_stop")
    @classmethod
    def _by_visits(cls, early_stop: bool, info: ValidationInfo) -> bool:
        if early_stop and info.data.get("final") != "visits":
            raise ValueError('it foresees visits; it needs final = "visits"')
        return early_stop

    @field_validator("direction_after")
    @classmethod
    def _directed(cls, iterations: int, info: ValidationInfo) -> int:
        if not info.data.get("direction"):
            raise ValueError("it is for direction, which is not given")
        return iterations

    @field_validator("parallel")
    @classmethod
    def _is_parallel(cls, parallel: str, info: ValidationInfo) -> str:
        if info.data.get("threads") == 1:
            raise ValueError("it is for threads = 2 and more")
        return parallel


class WeightedUctOptions(UctOptions):
    """UCT whose values are multiplied by a weight for each move during selection."""

    weights: Annotated[
        str, named_or_file(*WEIGHT_TABLES), TunableTable(low=0.9, high=1.1, step=0.02)
    ] = "tuned"
    """"tuned", "hand", "league", or the path of a JSON file, relative to the tournament file: for
    Othello `{"black": rows, "white": rows}`, each 8 rows of 8 weights or, where the board is
    symmetric, its upper left quarter, 4 rows of 4; for dots `{"first": {"a1b1": 1.05, …}, "second":
    {…}}`, with 1 for every edge left out. The named tables are made for cornerless Othello: "tuned"
    by `arena tune`, the others by the sources, which help with few iterations alone. For dots there
    is none, and there they stand for 1 everywhere."""
