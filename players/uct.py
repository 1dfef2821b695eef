"""UCT: Monte Carlo tree search with UCB1 and random playouts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from players.options import UctOptions, read_options
from players.sdk import Answer, Start, Turn, play
from players.thinking import board_of, seconds_since, think_until

if TYPE_CHECKING:
    from players.kernels.boards import Board


class Uct:
    """The player. Its tree lives through a game and follows the moves that are played."""

    name = "uct"
    options_model: type[UctOptions] = UctOptions

    def weights(self, options: Any, start: Start, board: Board) -> Any:
        """Weights by colour and move for the search; None for 1 everywhere."""
        return None

    def start(self, start: Start) -> None:
        """Read the options, and load or compile every kernel before the clock runs."""
        self._options = read_options(self.options_model, start)
        self._board = board_of(self.name, start)
        from players.search.uct import UctSearch, load_kernels

        load_kernels(self._board.position(start.state))
        self._search = UctSearch(
            self._board,
            c=self._options.c,
            memory_mb=self._options.memory_mb,
            seed=start.seed,
            weights=self.weights(self._options, start, self._board),
        )

    def choose(self, turn: Turn) -> Answer:
        """Think until the time is nearly over, or for the iterations asked for."""
        from players.search.stop import stop_at

        options, search = self._options, self._search
        search.follow([move for _, move in turn.moves], turn.legal, reuse=options.reuse)
        if len(turn.legal) == 1:
            return turn.legal[0]
        position = self._board.position(turn.state)
        with stop_at(think_until(turn, options.margin_ms)) as stop:
            iterations = search.think(position, stop, len(turn.legal), options.iterations)
        choice = search.choose(options.final)
        seconds = seconds_since(turn)
        return choice.move, {
            "score": round(choice.value, 4),
            "depth": len(choice.pv),
            "nodes": search.visits,
            "pv": choice.pv,
            "text": f"{iterations} iterations, {iterations / seconds:.0f}/s; "
            f"{choice.visits} of {search.visits} visits",
        }


def main(player: Uct) -> None:
    """Play games as `player`."""
    play(player.choose, start=player.start, name=player.name)


if __name__ == "__main__":
    main(Uct())
