"""Some against all."""

import tracemalloc
from collections import Counter
from collections.abc import Callable
from itertools import islice

import pytest

from arena.errors import ConfigError
from arena.tournament.config import TournamentConfig
from arena.tournament.estimate import imagined
from tests.tournament.helpers import pairings

Load = Callable[..., TournamentConfig]
DOTS = '[game]\nrules = "dots"\nrows = 2\ncols = 2\n[openings]\nplies = 0\n'


def test_the_first_player_meets_all(load: Load) -> None:
    config = load('[tournament]\nformat = "gauntlet"\nrounds = 2\n' + DOTS, players=4)
    games = pairings(config)
    assert config.schedule().total == len(games) == 2 * 3 * 2
    assert [game.game for game in games[:3]] == ["m0:m1:1.1", "m0:m1:1.2", "m0:m2:1.1"]
    assert [game.players for game in games[:2]] == [("m0", "m1"), ("m1", "m0")]
    assert len({game.lot for game in games}) == len(games)


def test_those_named_meet_all_and_each_other_once_a_round(load: Load) -> None:
    config = load('[gauntlet]\nplayers = ["m3", "m1"]\n' + DOTS, players=4)
    met = Counter(frozenset(game.players) for game in pairings(config))
    assert set(met.values()) == {2}
    assert {frozenset(pair) for pair in met} == {
        frozenset(pair)
        for pair in [("m3", "m0"), ("m3", "m1"), ("m3", "m2"), ("m1", "m0"), ("m1", "m2")]
    }


def test_a_long_schedule_keeps_no_game_that_has_a_result(load: Load) -> None:
    schedule = load('[tournament]\nformat = "gauntlet"\nrounds = 2000\n' + DOTS).schedule()
    games = iter(schedule.next, None)
    for game in islice(games, 1000):
        schedule.add(imagined(game, "dots", 1))
    tracemalloc.start()
    for game in games:
        schedule.add(imagined(game, "dots", 1))
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert schedule.over
    assert kept < 120_000, "bytes; the ids of all its games take 370,000"


def test_names_that_are_hard_to_write_stay_apart(load: Load) -> None:
    names = ("a b", "a", "b:c", "a:b", "c")
    players = "".join(f'[[player]]\nbot = "monkey"\nname = "{name}"\n' for name in names)
    every = '[gauntlet]\nplayers = ["a b", "a", "b:c", "a:b", "c"]\n'
    games = pairings(load(every + DOTS + players, players=0))
    assert len({game.game for game in games}) == len(games) == 20
    assert games[0].game == "a%20b:a:1.1"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            '[gauntlet]\nplayers = ["m4"]\n' + DOTS,
            'gauntlet.players: no player is named "m4"; players: m0, m1, m2',
        ),
        ('[gauntlet]\nplayers = ["m1", "m1"]\n' + DOTS, 'names "m1" twice; leave one of them out'),
        (
            '[tournament]\nformat = "gauntlet"\n[game]\nrules = "2048"\n',
            "tournament.format: gauntlet does not fit 2048 played alone: each player plays each",
        ),
        (
            '[tournament]\nformat = "round-robin"\n[gauntlet]\n' + DOTS,
            'gauntlet: belongs to another format than "round-robin"; leave one of them out',
        ),
    ],
)
def test_refusals(load: Load, text: str, expected: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(text, players=3)
    assert expected in str(caught.value)
