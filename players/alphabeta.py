"""Alpha-beta: iterative deepening with a transposition table, and exact endgames."""

from __future__ import annotations

import sys

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
        from players.games.endgame import load_endgame
        from players.search.alphabeta import AlphaBetaSearch, load_kernels
        from players.weights.evaluations import load_terms

        options = self._options
        try:
            terms = load_terms(start.rules, start.variant, options.evaluation)
        except ValueError as error:
            sys.exit(str(error))
        endgame = load_endgame(start.rules, self._board, options.endgame_mb)
        position = self._board.position(start.state)
        load_kernels(position, terms, endgame)
        endgame.load_kernels(position)
        self._search = AlphaBetaSearch(
            self._board,
            terms=terms,
            endgame=endgame,
            memory_mb=options.memory_mb,
            method=options.method,
            aspiration=round(100 * options.aspiration),
            endgame_from=options.endgame,
            leaves_from=options.endgame_leaves,
            early_stop=options.early_stop,
        )

    def choose(self, turn: Turn) -> Answer:
        """Search deeper until the time is nearly over or the game is seen to its end."""
        from players.search.alphabeta import Limits
        from players.search.stop import stop_at

        if len(turn.legal) == 1:
            return turn.legal[0]
        position = self._board.position(turn.state)
        until = think_until(turn, self._options)
        limits = Limits(self._options.depth, self._options.nodes, until)
        with stop_at(until) as stop:
            found = self._search.think(position, stop, limits)
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
