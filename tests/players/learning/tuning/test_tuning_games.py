"""Games for tuning, next to those of the players themselves."""

import numpy as np
import pytest

import rules
from players.games.registry import load_board
from players.learning.tuning.matches import Aborted, MatchTask
from players.learning.tuning.openings import BalancedOpenings
from players.learning.tuning.runner import InProcessRunner, TurnWorker
from players.learning.tuning.space import Range, Space
from players.learning.tuning.uct_games import UctWorker
from tests.players.learning.tuning.spaces import CORNERLESS, PLAN

pytestmark = pytest.mark.slow

BUDGET = {"iterations": 24, "endgame_mb": 1, "memory_mb": 8}


class TestGames:
    @pytest.mark.parametrize(
        "options",
        [
            {},
            {"reuse": False, "playouts": 1, "c": "auto", "final": "value"},
            {"final": "bound", "expand_after": 5, "backup": "score"},
        ],
    )
    def test_a_game_in_one_kernel_is_the_players_own(self, options: dict[str, object]) -> None:
        space = Space(CORNERLESS, BUDGET | options, [], PLAN)
        first = space.contestant(space.start)
        second = space.contestant(np.linspace(0.9, 1.1, len(space.start)).tolist())
        runner = InProcessRunner(CORNERLESS, "weighted-uct", first, 1)
        runner.load(4)
        assert isinstance(runner.new_worker(), UctWorker)
        for number in range(2):
            task = MatchTask((first, second), f"opening {number}", 4, f"seed {number}")
            (played,) = runner.play([task])
            worker = TurnWorker(CORNERLESS, "weighted-uct", runner._stop)
            assert worker.play((first, second), task) == played
            assert len(played.moves) > 40
        runner.close()

    def test_neither_threads_nor_their_order_change_a_game(self) -> None:
        space = Space(CORNERLESS, BUDGET, [], PLAN)
        contestant = space.contestant(space.start)
        tasks = [MatchTask((contestant, contestant), f"{n}", 4, f"{n}") for n in range(12)]
        results = []
        for threads in (1, 3):
            runner = InProcessRunner(CORNERLESS, "weighted-uct", contestant, threads)
            runner.load(4)
            results.append(runner.play(tasks))
            runner.close()
        assert results[0] == results[1]
        assert len(set(results[0])) > 6

    def test_openings_end_even_and_are_those_of_their_seed(self) -> None:
        space, board = (
            Space(CORNERLESS, BUDGET, [], PLAN),
            load_board("othello", CORNERLESS.variant),
        )
        contestant = space.contestant(space.start)
        openings, lines = BalancedOpenings(CORNERLESS, board), set()
        for seed in ("a", "b", "c", "a"):
            moves, movers, _ = openings.draw(MatchTask((contestant, contestant), seed, 6, ""))
            position = CORNERLESS.start()
            for move, mover in zip(moves[:6], movers[:6], strict=True):
                assert position.to_move == mover
                position = position.play(board.names[move])
            lines.add(tuple(moves[:6].tolist()))
        assert len(lines) == 3
        with pytest.raises(ValueError, match="no opening of 60 moves"):
            openings.draw(MatchTask((contestant, contestant), "a", 60, ""))

    def test_other_players_are_asked_turn_by_turn(self) -> None:
        game = rules.load("othello", size=4)
        space = Space(
            game,
            {"nodes": 50, "endgame_mb": 1, "memory_mb": 1},
            [Range("aspiration", 0, 20, 1, 0, False)],
            None,
        )
        contestant = space.contestant(space.start)
        runner = InProcessRunner(game, "alphabeta", contestant, 2)
        runner.load(2)
        games = runner.play([MatchTask((contestant, contestant), "x", 2, "y")] * 2)
        assert games[0] == games[1]
        assert 0 < len(games[0].moves) <= 10
        runner.abort()
        with pytest.raises(Aborted):
            runner.play([MatchTask((contestant, contestant), "x", 2, "y")])
        runner.close()

    def test_players_may_think_for_milliseconds(self) -> None:
        """Also next to a number of iterations that they never reach."""
        space = Space(CORNERLESS, BUDGET | {"iterations": 10**8, "think_ms": 1}, [], PLAN)
        contestant = space.contestant(space.start)
        runner = InProcessRunner(CORNERLESS, "weighted-uct", contestant, 1)
        runner.load(4)
        (played,) = runner.play([MatchTask((contestant, contestant), "x", 4, "y")])
        assert len(played.moves) > 40
        runner.close()
