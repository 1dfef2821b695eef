"""Alpha-beta: iterative deepening principal variation search with a transposition table."""

from __future__ import annotations

from players.options import AlphaBetaOptions, read_options
from players.sdk import Answer, Start, Turn, play
from players.thinking import board_of, seconds_since, think_until


class AlphaBeta:
    """The player. Its transposition table lives through a game."""

    name = "alphabeta"

    def start(self, start: Start) -> None:
        """Read the options, and load or compile every kernel before the clock runs."""
        self._options = read_options(AlphaBetaOptions, start)
        self._board = board_of(self.name, start)
        from players.kernels.boards import load_terms
        from players.search.alphabeta import AlphaBetaSearch, load_kernels

        terms = load_terms(start.rules, start.variant)
        load_kernels(self._board.position(start.state), terms)
        self._search = AlphaBetaSearch(self._board, terms=terms, memory_mb=self._options.memory_mb)

    def choose(self, turn: Turn) -> Answer:
        """Search deeper until the time is nearly over or the game is seen to its end."""
        from players.search.stop import stop_at

        if len(turn.legal) == 1:
            return turn.legal[0]
        position = self._board.position(turn.state)
        with stop_at(think_until(turn, self._options.margin_ms)) as stop:
            found = self._search.think(position, stop, self._options.depth)
        kind = "exact" if found.exact else "estimated"
        seconds = seconds_since(turn)
        return found.move, {
            "score": found.score,
            "depth": found.depth,
            "nodes": found.nodes,
            "pv": found.pv,
            "text": f"{kind} value, {found.nodes / seconds:.0f} nodes/s",
        }


if __name__ == "__main__":
    player = AlphaBeta()
    play(player.choose, start=player.start, name=player.name)
