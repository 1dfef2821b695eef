"""Compile the kernels ahead of time: `python -m players.warm --rules othello dots`.

Prints one JSON line a step: `{"step": 1, "steps": 4, "name": "…", "seconds": 0.5}`. A step whose
kernels are in the cache already only loads them. Several may run at once: numba replaces files of
the cache whole.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator

import rules as rule_sets

Step = tuple[str, Callable[[], None]]
"""Its name and its work."""


def _tile_steps(rules: str) -> Iterator[Step]:
    from players.games.tiles.boards import TileBoard
    from players.search.expectimax import driver as expectimax
    from players.search.expectimax.settings import make_settings
    from players.search.heuristic import driver as heuristic
    from players.weights.network_header import Header, network_of

    game = rule_sets.load(rules)
    board = TileBoard(rules, game.variant["spawn"])
    position = board.position(game.start().state())
    header = {"rules": rules, "spawn": game.variant["spawn"], "tuples": (("a1",),)}
    network = network_of(Header.model_validate(header))
    settings = make_settings(board.laws, network)
    yield f"{rules}: expectimax", lambda: expectimax.load_kernels(board, settings)
    yield f"{rules}: heuristic", lambda: heuristic.load_kernels(board, position)


def _board_steps(rules: str) -> Iterator[Step]:
    from players.games.endgame import load_endgame
    from players.games.registry import load_board
    from players.search.alphabeta import driver as alphabeta
    from players.search.uct import driver as uct
    from players.search.uct.settings import make_settings, most_margin
    from players.weights.evaluations import load_terms

    game = rule_sets.load(rules)
    board = load_board(rules, game.variant)
    position, endgame = board.position(game.start().state()), load_endgame(rules, board, 1)
    terms = load_terms(rules, game.variant)
    settings = make_settings(most_margin(rules, game.variant))
    yield f"{rules}: uct", lambda: uct.load_kernels(position, settings, endgame)
    yield f"{rules}: endgame", lambda: endgame.load_kernels(position)
    yield f"{rules}: alphabeta", lambda: alphabeta.load_kernels(position, terms, endgame)


def main() -> None:
    """Compile what the command line asks for, and say so line by line."""
    parser = argparse.ArgumentParser(prog="python -m players.warm", description=__doc__)
    parser.add_argument(
        "--rules",
        nargs="+",
        choices=rule_sets.names(),
        default=rule_sets.names(),
        help="rule sets whose players are to be ready (default: all)",
    )
    asked = parser.parse_args().rules
    work: list[Step] = []
    for rules in rule_sets.names():
        if rules in asked:
            work += (_tile_steps if rules in rule_sets.tiles.NAMES else _board_steps)(rules)
    for number, (name, load) in enumerate(work, start=1):
        began = time.monotonic()
        load()
        seconds = round(time.monotonic() - began, 3)
        line = {"step": number, "steps": len(work), "name": name, "seconds": seconds}
        try:
            sys.stdout.write(json.dumps(line) + "\n")
            sys.stdout.flush()
        except BrokenPipeError:  # no longer read
            with open(os.devnull, "w") as nowhere:  # noqa: PTH123  # no path: the null device
                os.dup2(nowhere.fileno(), sys.stdout.fileno())  # Python flushes again at its end
            sys.exit(1)


if __name__ == "__main__":
    main()
