"""Weighted UCT: during selection the UCB value is multiplied by a weight of the move's square."""

from collections.abc import Mapping
from typing import Annotated, Any

from players.games.registry import Board, unsupported
from players.option_files import judge_tables
from players.options import WEIGHT_TABLES, TunableTable, named_or_file, or_exit
from players.sdk import Start
from players.uct import Uct, UctOptions


class WeightedUctOptions(UctOptions):
    """UCT whose values are multiplied by a weight for each move during selection."""

    weights: Annotated[
        str,
        named_or_file(*WEIGHT_TABLES, judge=judge_tables),
        TunableTable(low=0.9, high=1.1, step=0.02),
    ] = "tuned"
    """"tuned", "hand", "league", or the path of a JSON file, relative to the tournament file: for
    Othello `{"black": rows, "white": rows}`, each 8 rows of 8 weights or, where the board is
    symmetric, its upper left quarter, 4 rows of 4; for dots `{"first": {"a1b1": 1.05, …}, "second":
    {…}}`, with 1 for every edge left out. The named tables are made for cornerless Othello: "tuned"
    by `arena tune`, the others by the sources. Over no weights, at 100 iterations a move, "tuned"
    is +264 ± 22 Elo, "hand" +7 ± 20 and "league" −42 ± 19. For dots there is none, and there they
    stand for 1 everywhere."""


class WeightedUct(Uct):
    """UCT with a table of weights for each colour."""

    name = "weighted-uct"
    summary = "UCT with a weight for each square, by colour"
    options = WeightedUctOptions

    @classmethod
    def refusal(cls, rules: str, variant: Mapping[str, Any]) -> str | None:
        size = variant.get("size", 8)
        if rules == "othello" and size != 8:
            reason = "it plays Othello on 8×8 boards, for which its weights are made"
            return f"{reason}, not {size}×{size}"
        return unsupported(rules, variant)

    @classmethod
    def weights(cls, options: Any, start: Start, board: Board) -> Any:
        """The table the options ask for. A mistake in it ends the process with a sentence."""
        from players.weights import load_weights

        with or_exit():
            return load_weights(options.weights, start.rules, board.moves)


if __name__ == "__main__":
    WeightedUct.run()
