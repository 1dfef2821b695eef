"""What is tuned: the parameters, and what a vector of their values makes of a player."""

import json
from pathlib import Path

import numpy as np
import pytest

import rules
from players.games.registry import load_board
from players.learning.tuning.space import Range, Space
from players.options import tunable_table, tunables
from players.uct import UctOptions
from players.weighted_uct import WeightedUctOptions
from players.weights import load_weights
from tests.players.learning.tuning.spaces import CORNERLESS, space_of


class TestSpace:
    def test_squares_that_mirror_each_other_share_a_weight(self) -> None:
        space = space_of()
        assert space.names[:9] == tuple(
            f"black {square}" for square in ("b1", "c1", "d1", "b2", "c2", "d2", "c3", "d3", "d4")
        )
        assert len(space.names) == 18
        weight = space.of_move()
        for image in ("c1", "f1", "a3", "h3", "a6", "h6", "c8", "f8"):
            assert weight[0, image] == weight[0, "c1"]
            assert weight[1, image] == weight[0, "c1"] + 9
        assert sum(index == weight[0, "c1"] for index in weight.values()) == 8

    def test_squares_never_played_have_no_weight(self) -> None:
        played = {move for _, move in space_of().of_move()}
        assert len(played) == 60
        assert not played & {"a1", "h1", "a8", "h8"}
        standard = {move for _, move in space_of(rules.load("othello")).of_move()}
        assert len(standard) == 60
        assert not standard & {"d4", "e4", "d5", "e5"}

    def test_fewer_symmetries_and_sides_together(self) -> None:
        assert len(space_of(symmetry="axes").names) == 2 * 15
        assert len(space_of(symmetry="none").names) == 2 * 60
        together = space_of(colours="together")
        assert together.names[0] == "b1"
        assert together.of_move()[0, "b1"] == together.of_move()[1, "b1"]

    def test_edges_of_a_rectangle_mirror_in_its_axes_alone(self) -> None:
        square = space_of(rules.load("dots", rows=2, cols=2)).of_move()
        assert square[0, "a1b1"] == square[0, "a1a2"]
        oblong = space_of(rules.load("dots", rows=1, cols=2)).of_move()
        assert oblong[0, "a1b1"] == oblong[0, "b2c2"]
        assert oblong[0, "a1b1"] != oblong[0, "a1a2"]

    def test_its_table_is_what_the_player_reads(self, tmp_path: Path) -> None:
        for game in (CORNERLESS, rules.load("dots", rows=2, cols=3)):
            space = space_of(game)
            vector = np.round(np.linspace(0.9, 1.1, len(space.names)), 4).tolist()
            (tmp_path / "w.json").write_text(json.dumps(space.table(vector)))
            moves = load_board(game.name, game.variant).moves
            read = load_weights(str(tmp_path / "w.json"), game.name, moves)
            assert np.array_equal(read, space.contestant(vector).weights)

    def test_a_start_outside_of_the_range_is_refused(self) -> None:
        with pytest.raises(ValueError, match=r"black b1 weighs 2\.5, outside of the range"):
            space_of(start="hand")
        assert space_of(start="hand", low=0.5, high=3.0).start[0] == 2.5

    def test_whole_options_are_whole(self) -> None:
        ranges = [Range("expand_after", 1, 40, 1, 2, True), Range("c", 0.1, 2, 0.1, 1, False)]
        space = Space(CORNERLESS, {"iterations": 9}, ranges, None)
        assert space.clipped([2.6, 7.0]) == (2.6, 2.0)
        assert space.contestant((2.6, 2.0)).options == {"iterations": 9, "expand_after": 3, "c": 2}

    def test_players_declare_what_may_be_tuned(self) -> None:
        assert {"c", "mix", "rave", "expand_after"} <= set(tunables(UctOptions))
        table = tunable_table(WeightedUctOptions)
        assert table is not None
        assert (table[0], table[1].low, table[1].high) == ("weights", 0.9, 1.1)
