"""Expectimax: looks slides ahead in 2048 and 2584, and values boards by an n-tuple network."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, ValidationInfo, field_validator

from players.builtin import Builtin, per_second, slides_and_places, think_until, tile_board
from players.greedy import SLIDER
from players.option_files import judge_network
from players.options import (
    DEEPEST_NETWORK,
    SearchOptions,
    TileMethod,
    Tunable,
    named_or_file,
    or_exit,
    read_options,
)
from players.sdk import Answer, Start, Turn

if TYPE_CHECKING:
    from players.games.tiles.boards import TileBoard
    from players.ntuple.network import Network
    from players.search.expectimax.driver import TileSearch


LEAST_DOWNGRADED = 16


class NetworkOptions(SearchOptions):
    """The options of every player that values boards by a network."""

    weights: Annotated[str, named_or_file("default", judge=judge_network)] = "default"
    """The n-tuple network: "default" or the path of a file, as `arena train` writes them."""
    depth: int = Field(default=3, ge=1, le=DEEPEST_NETWORK)
    """How many slides are looked ahead, if the clock allows it; with 1 each slide is judged by
    its reward and the network alone."""
    memory_mb: int = Field(default=16, ge=0, le=16_384)
    """The size of the transposition table; 0 for none. From 3 slides on it saves half of the
    work."""


class ExpectimaxOptions(NetworkOptions):
    """Looks further and further ahead, valuing boards by a network. As the player who places tiles
    it leaves the slider the least, as `placer` does.
    """

    method: TileMethod | None = None
    """What a board is worth before a tile is placed: the mean over what chance may place, or the
    least over all placements, as if an adversary placed. Where a player places the cell alone,
    "minimax" takes the least over cells of the mean over tiles. Left out, it is "minimax" where a
    player places, unless `star` is given, and else "expectimax"."""
    popup: Annotated[int | None, Tunable(low=1, high=16, step=1)] = Field(default=None, ge=1, le=16)
    """Limit-popup: look at no more than that many empty cells of a board, drawn at random, and take
    them for all. The seed draws the same ones whenever the board comes up."""
    star: Annotated[float, Tunable(low=0.0, high=0.95, step=0.05)] = Field(default=0.0, ge=0, lt=1)
    """Star pruning's worst rate: skip a slide whose reward and network value are below the best
    slide times this, and stop looking at placements once their mean so far is; the last slides
    ahead are all looked at. 0 for no pruning."""
    downgrade: int = Field(default=16_384, ge=0, le=32_768)
    """Tile-downgrading, of 2048: with this tile or a larger one on the board the network is shown
    all tiles above the largest one that is missing as half of what they are, as it has met such
    boards more often. What is to come after the last slide ahead is then that of the smaller board.
    0 for never. 2584 has no such boards."""

    @field_validator("star")
    @classmethod
    def _prunes_means(cls, star: float, info: ValidationInfo) -> float:
        if star and info.data.get("method") == "minimax":
            raise ValueError(
                "it prunes means; minimax prunes by itself, and loses nothing: leave star or "
                "method out"
            )
        return star

    @field_validator("downgrade")
    @classmethod
    def _is_tile(cls, tile: int) -> int:
        if tile and (tile.bit_count() != 1 or tile < LEAST_DOWNGRADED):
            raise ValueError(
                f"must be 0 or a tile of 2048 from {LEAST_DOWNGRADED} on, such as 8192, not {tile}"
            )
        return tile

    def method_against(self, placer: str) -> TileMethod:
        """The method of a game where `placer`, "chance" or "player", places."""
        if self.method is not None:
            return self.method
        return "minimax" if placer == "player" and not self.star else "expectimax"


class Expectimax(Builtin):
    """The player. Its transposition table lives through a game."""

    name = "expectimax"
    summary = "2048 and 2584 by an n-tuple network, looking ahead by expectimax or minimax"
    kernels = "expectimax"
    options = ExpectimaxOptions
    uses_clock = None
    refusal = staticmethod(slides_and_places)

    def __init__(self, start: Start) -> None:
        self._options = options = read_options(ExpectimaxOptions, start)
        self._board = tile_board(start.rules, start.variant["spawn"])
        self._search = search_of(
            start,
            self._board,
            options,
            method=options.method_against(start.variant["placer"]),
            popup=options.popup,
            rate=options.star,
            ceiling=options.downgrade,
        )

    def choose(self, turn: Turn) -> Answer:
        return think(self._search, self._board, turn, self._options, self._options.depth)


def search_of(
    start: Start, board: TileBoard, options: NetworkOptions, **settings: Any
) -> TileSearch:
    """A search for one game with every kernel loaded; `settings` are the slider's, the placer's is
    minimax. A network that cannot be read ends the process with a sentence.
    """
    from players.search.expectimax.driver import TileSearch, load_kernels
    from players.search.expectimax.settings import make_settings

    if start.seat != SLIDER:
        settings = {"method": "minimax"}
    variant = start.variant
    made = make_settings(
        board.laws,
        network_of(options.weights, start.rules),
        draws_tile=variant["placer"] == "player" and variant["placer_chooses"] == "cell",
        memory_mb=options.memory_mb,
        seed=start.seed,
        **settings,
    )
    load_kernels(board, made)
    return TileSearch(board, made)


@cache
def network_of(name: str, rules: str) -> Network:
    from players.weights.network_file import load_network

    with or_exit():
        return load_network(name, rules).network


def think(
    search: TileSearch, board: TileBoard, turn: Turn, options: NetworkOptions, depth: int
) -> Answer:
    """Search for the seat that is to move, `depth` slides ahead at most."""
    from players.search.stop import stop_at

    if len(turn.legal) == 1:
        return turn.legal[0]
    choose = search.slide if turn.seat == SLIDER else search.place
    with stop_at(think_until(turn, options)) as stop:
        found = choose(board.position(turn.state), turn.legal, depth, stop)
    return found.move, {  # the score is what the slider has still to expect, and the placer loses
        "score": round(found.worth if turn.seat == SLIDER else 0.0 - found.worth, 2),
        "depth": found.depth,
        "nodes": found.nodes,
        "pv": [found.move],
        "text": f"{per_second(found.nodes, turn)} nodes/s",
    }


if __name__ == "__main__":
    Expectimax.run()
