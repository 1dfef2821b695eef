"""The options of the players that know 2048 and 2584: `expectimax` and `placer`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationInfo, field_validator

from players.options.common import SearchOptions, named_or_file
from players.options.tunable import Tunable

Method = Literal["expectimax", "minimax"]

MOST_DEPTH = 64
"""Nobody looks further ahead."""


def default_network(rules: str) -> Path:
    """The file that weights = "default" means: the network that comes along for 2048 or 2584."""
    return Path(__file__).parents[1] / "weights" / f"network-{rules}.ntuple"


class NetworkOptions(SearchOptions):
    """What every player takes that values boards by a network."""

    weights: Annotated[str, named_or_file("default")] = "default"
    """The n-tuple network: "default" or the path of a file, as `arena train` writes them."""
    depth: int = Field(default=3, ge=1, le=MOST_DEPTH)
    """How many slides are looked ahead, should the clock allow it; with 1 each slide is judged by
    its reward and the network alone."""
    memory_mb: int = Field(default=16, ge=0, le=16_384)
    """The size of the transposition table; 0 for none. From 3 slides on it saves half of the
    work."""


class ExpectimaxOptions(NetworkOptions):
    """Looks further and further ahead, valuing boards by a network. As the player who places tiles
    it leaves the slider the least, as `placer` does.
    """

    method: Method | None = None
    """What a board is worth before a tile is placed: the mean over what chance may place, or the
    least over all placements, as if an adversary placed. Where a player places the cell alone,
    "minimax" takes the least over cells of the mean over tiles. Left out, it is "minimax" where a
    player places, unless `star` is given, and else "expectimax"."""
    popup: Annotated[int | None, Tunable(low=1, high=16, step=1)] = Field(default=None, ge=1, le=16)
    """Limit-popup: look at no more than so many empty cells of a board, drawn at random, and take
    them for all. The seed draws the same ones whenever the board comes up."""
    star: Annotated[float, Tunable(low=0.0, high=0.95, step=0.05)] = Field(default=0.0, ge=0, lt=1)
    """Star pruning's worst rate: skip a slide whose reward and network value are below the best
    slide times this, and stop looking at placements once their mean so far is; the last slides
    ahead are all looked at. 0 for no pruning."""

    @field_validator("star")
    @classmethod
    def _prunes_means(cls, star: float, info: ValidationInfo) -> float:
        if star and info.data.get("method") == "minimax":
            raise ValueError(
                "it prunes means; minimax prunes by itself, and loses nothing: leave star or "
                "method out"
            )
        return star

    def method_against(self, placer: str) -> Method:
        """The method of a game where `placer`, "chance" or "player", places."""
        if self.method is not None:
            return self.method
        return "minimax" if placer == "player" and not self.star else "expectimax"


class PlacerOptions(NetworkOptions):
    """Places tiles, for games in which a player does. As the slider it takes what its network
    values most, one slide ahead.
    """

    policy: Literal["random", "greedy", "minimax"] = "minimax"
    """What it places: what chance would, by the game's own odds; that which leaves the slider the
    smallest reward at once, ties broken at random; or that which leaves the least by `depth`."""
