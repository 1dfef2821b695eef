"""How many colour-swapped pairs of games were decisive."""

from pathlib import Path

from arena.reports.pairs import OpeningPairs, pairs_of
from tests.command import arena
from tests.conftest import SMALL_TOURNAMENT
from tests.ratings.test_trial import game, pair

FILE = SMALL_TOURNAMENT.replace("[tournament]", "[tournament]\nrounds = 3")


def test_a_pair_is_decisive_where_one_player_took_more() -> None:
    games = [
        *pair(1, 1.0, 0.0),  # a wins both
        *pair(2, 1.0, 1.0),  # the first player does
        *pair(3, 0.5, 0.0),  # a wins and draws
        *pair(4, 0.5, 0.5),
        game(5, "a", "b"),  # the other one is still to come
    ]
    found = pairs_of(games)
    assert found == OpeningPairs(player=1, side=1, other=2, decisive=2)
    assert found.all == 4


def test_a_run_ends_with_how_many_there_were(tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text(FILE)
    ran = arena("run", f"{tmp_path}/cup.toml", "--store", f"{tmp_path}/cup.sqlite")
    assert ran.exit_code == 0, ran.output
    assert " of 3. One player won both games in " in ran.stdout
