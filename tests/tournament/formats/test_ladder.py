"""Those meet whose games tell most."""

import math
from collections import Counter, defaultdict
from random import Random

from arena.ratings.elo import fit
from arena.ratings.results import results_of
from arena.ratings.scale import SCALE
from arena.tournament.estimate import imagine, imagined
from arena.tournament.formats.base import Pairing
from arena.tournament.formats.ladder import LADDER
from tests.tournament.helpers import opened, stronger_first


def judged(game: Pairing) -> float:
    """By strength, 60 Elo between neighbours, and by its lot."""
    one, other = (int(name[1:]) for name in game.players)
    return float(Random(game.lot).random() < 1 / (1 + 10 ** ((one - other) * 60 / 400)))


def test_each_round_everyone_plays_and_the_rest_goes_round() -> None:
    schedule = opened(LADDER, 5, rounds=10)
    games = list(imagine(schedule, "dots", judged))
    assert len(games) == schedule.total == 40 and schedule.over
    assert set(Counter(name for game in games for name in game.players).values()) == {16}


def test_neighbours_meet_more_often() -> None:
    apart = Counter[int]()
    for game in imagine(opened(LADDER, 12, rounds=20), "dots", judged):
        one, other = (int(name[1:]) for name in game.players)
        apart[abs(one - other)] += 1
    near, far = sum(apart[each] for each in (1, 2, 3)), sum(apart[each] for each in (8, 9, 10, 11))
    assert near > 3 * far  # by chance alone it would be 30 to 10


def test_the_meetings_are_those_of_ladders_played_so_far() -> None:
    games = imagine(opened(LADDER, 8, rounds=12), "dots", judged)
    met = {game.round: max(game.players) for game in games if "m0" in game.players}
    assert " ".join(met.values()) == "m2 m4 m6 m7 m3 m1 m4 m4 m3 m1 m1 m4"


def test_the_first_meetings_are_worth_the_information_of_two_games() -> None:
    unknown = 2 * (400 / SCALE) ** 2  # the variance of the difference of two ratings
    worth = opened(LADDER, 4).worth(1)
    assert worth("m0", "m3") == round(1e9 * math.log1p(unknown * 2 * 0.5 * 0.5))


def test_the_order_of_games_changes_nothing() -> None:
    schedule = opened(LADDER, 6, rounds=4)
    games = list(imagine(schedule, "dots", judged))
    rounds = defaultdict(list)
    for game in games:
        rounds[game.round].append(game)
    again, rng = opened(LADDER, 6, rounds=4), Random(1)
    for round_ in rounds.values():
        dealt = list(iter(again.next, None))
        assert dealt == round_
        for game in rng.sample(dealt, len(dealt)):
            again.add(imagined(game, "dots", judged(game)))
    digests = [imagined(game, "dots", judged(game)) for game in games]
    one, other = (fit(results_of(each)) for each in (digests, digests[::-1]))
    assert one.players == other.players and abs(one.elo - other.elo).max() < 1e-6


def test_a_player_that_joins_moves_no_game_and_is_met_first() -> None:
    before = opened(LADDER, 6, rounds=4)
    games = list(imagine(before, "dots", judged))
    after = opened(LADDER, 7, rounds=5)
    for game in games:
        after.add(imagined(game, "dots", judged(game)))
    more = list(imagine(after, "dots", stronger_first))
    assert not {game.game for game in more} & {game.game for game in games}
    assert [game.round for game in more] == [5] * 6
    assert any("m6" in game.players for game in more)
