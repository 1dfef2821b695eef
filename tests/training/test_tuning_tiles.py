"""`arena tune` for players of 2048: from a file to a verdict, in process and under the referee."""

import re
import tomllib
from pathlib import Path

import pytest

import rules
from arena.model.protocol import Termination
from arena.tournament.store import Store
from arena.training.matches import RefereeMatchRunner
from players.learning.tuning.config import load_config
from players.learning.tuning.matches import MatchTask
from players.learning.tuning.space import Space
from tests.command import arena

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("folder", "undrawn", "one_core")]

FILE = """
[tuning]
method = "spsa"
games = 16
compare_every = 16
compare_games = 4
measure_games = 8
threads = 2
[game]
rules = "2048"
[player]
bot = "heuristic"
options = { depth = 1, memory_mb = 0, smoothness = 0.0 }
[parameters.smoothness]
[spsa]
pairs = 2
[verify]
elo1 = 100
max_games = 4
depth = 1
"""


def test_from_a_file_to_a_verdict(folder: Path) -> None:
    (folder / "it.toml").write_text(FILE)
    result = arena("tune", "it.toml", "--verify")
    assert result.exit_code == 1, result.output  # so few games decide nothing
    assert "Not decided at depth 1, under the referee: no gain is shown." in result.output
    assert "2048" in result.output
    assert "think_ms" not in result.output
    assert "In 8 fresh games against the start:" in result.output
    assert "The tuned player against the start at depth 1, as tuned:" in result.output
    assert "The tuned player against the start at depth 1, under the referee:" in result.output
    assert re.search(r"Mean scores: tuned [\d,]+ ± [\d,]+, start [\d,]+ ± [\d,]+\.", result.output)
    run = folder / "runs" / "it.tune"
    assert '"mean_score_of_tuned": {' in (run / "player.toml").read_text()
    player = tomllib.loads((run / "player.toml").read_text())["player"][0]
    assert player["bot"] == "heuristic"
    assert 0 <= player["options"]["smoothness"] <= 5
    assert set(player["options"]) == {"memory_mb", "smoothness"}
    (path,) = run.glob("verify-*.sqlite")
    with Store.open(path) as store:
        games, players = list(store.records()), store.config.players
    assert len(games) == 2 * 4  # both on each of max_games seeds
    for each in players:  # no clock of its own cuts the counted thinking short
        assert (each.contender.options["depth"], each.contender.options["think_ms"]) == (1, None)
    slid = {(game.seed, game.seats[0].player) for game in games}
    assert len(slid) == 8  # each once on each
    assert len({seed for seed, _ in slid}) == 4
    assert all(game.termination is Termination.NATURAL for game in games)


@pytest.mark.parametrize("placer", ["chance", "player"])
def test_games_under_the_referee_are_those_asked_for(folder: Path, placer: str) -> None:
    text = FILE.replace("threads = 2", "threads = 2\nreferee = true")
    (folder / "it.toml").write_text(text.replace('"2048"', f'"2048"\nplacer = "{placer}"'))
    config = load_config(folder / "it.toml")
    space = Space(rules.load("2048", placer=placer), config.options, config.ranges, None)
    first, second = space.contestant((0.0,)), space.contestant((1.0,))
    runner = RefereeMatchRunner(config, space)
    runner.load(0)
    try:
        one, other = runner.play(
            [MatchTask((first, second), "", 0, "x"), MatchTask((second, first), "", 0, "x")]
        )
    finally:
        runner.close()
    assert one.slid is not None
    assert one.slid[::-1] == other.slid
    assert one.net == -other.net == (one.slid[0] > one.slid[1]) - (one.slid[0] < one.slid[1])
