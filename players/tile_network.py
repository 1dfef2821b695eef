"""What the players of 2048 and 2584 share that value boards by a network."""

from __future__ import annotations

import sys
from functools import cache
from typing import TYPE_CHECKING, Any

from players.greedy import SLIDER
from players.options.tiles import NetworkOptions
from players.sdk import Answer, Start, Turn
from players.thinking import seconds_since, think_until

if TYPE_CHECKING:
    from players.games.tiles.boards import TileBoard
    from players.ntuple.network import Network
    from players.search.expectimax import Found, TileSearch


def search_of(
    start: Start, board: TileBoard, options: NetworkOptions, **settings: Any
) -> TileSearch:
    """A search for one game with every kernel loaded. The placer's is minimax; `settings` are what
    the slider's has besides its table and the seed. A network that cannot be read ends the process
    with a sentence on stderr.
    """
    from players.search.expectimax import TileSearch, load_kernels, make_settings

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
    """A network, read once by a process."""
    from players.weights.network_file import load_network

    try:
        return load_network(name, rules).network
    except ValueError as error:
        sys.exit(str(error))


def think(search: TileSearch, board: TileBoard, turn: Turn, options: Any, depth: int) -> Answer:
    """Search for the seat that is to move, `depth` slides ahead at most."""
    from players.search.stop import stop_at

    if len(turn.legal) == 1:
        return turn.legal[0]
    choose = search.slide if turn.seat == SLIDER else search.place
    with stop_at(think_until(turn, options)) as stop:
        found = choose(board.position(turn.state), turn.legal, depth, stop)
    return found.move, _info(found, turn)


def _info(found: Found, turn: Turn) -> dict[str, Any]:
    """What the answer tells. The score is what the slider has still to expect; for the placer, who
    loses it, less than 0. The line told is the move alone.
    """
    return {
        "score": round(found.worth if turn.seat == SLIDER else 0.0 - found.worth, 2),
        "depth": found.depth,
        "nodes": found.nodes,
        "pv": [found.move],
        "text": f"{found.nodes / seconds_since(turn):.0f} nodes/s",
    }
