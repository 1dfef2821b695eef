"""Weighted UCT: during selection the UCB value is multiplied by a weight of the move's square."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from players.options import WeightedUctOptions
from players.sdk import Start
from players.uct import Uct, main

if TYPE_CHECKING:
    from players.games.registry import Board


class WeightedUct(Uct):
    """UCT with a table of weights for each colour."""

    name = "weighted-uct"
    options_model = WeightedUctOptions

    def weights(self, options: Any, start: Start, board: Board) -> Any:
        """The table the options ask for. A mistake in it ends the process with a sentence."""
        from players.weights import load_weights

        try:
            return load_weights(options.weights, start.rules, board.moves)
        except ValueError as error:
            sys.exit(str(error))


if __name__ == "__main__":
    main(WeightedUct())
