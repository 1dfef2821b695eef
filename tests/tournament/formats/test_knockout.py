"""The loser of a match is out; groups before it."""

from collections.abc import Callable

import pytest

from arena.errors import ConfigError
from arena.reports.rankings import bracket
from arena.tournament.config import TournamentConfig, differences
from arena.tournament.estimate import estimate_left, imagine, imagined
from arena.tournament.formats.base import Pairing
from arena.tournament.formats.bracket import places
from arena.tournament.formats.groups import GROUPS, dealt, seeded
from arena.tournament.formats.knockout import KNOCKOUT
from tests.tournament.helpers import opened, stronger_first

Load = Callable[..., TournamentConfig]
DOTS = '[game]\nrules = "dots"\nrows = 2\ncols = 2\n[openings]\nplies = 0\n'


def test_the_standard_order() -> None:
    assert [place + 1 for place in places(8)] == [1, 8, 4, 5, 2, 7, 3, 6]


@pytest.mark.parametrize(("players", "matches"), [(2, 1), (3, 2), (4, 4), (5, 5), (8, 8), (13, 13)])
def test_the_better_seeds_come_through(players: int, matches: int) -> None:
    schedule = opened(KNOCKOUT, players)
    games = list(imagine(schedule, "dots", stronger_first))
    assert len(games) == 2 * matches and schedule.over
    assert schedule.total == 2 * matches * (1 + 3)
    order = [row.player for row in schedule.ranking().players[:3]]
    assert order == [f"m{place}" for place in range(min(3, players))]
    first = schedule.ranking().bracket[0].matches
    byes = [match.players[0] for match in first if match.players[1] is None]
    assert sorted(byes) == [f"m{place}" for place in range(2 * len(first) - players)]


def test_a_tied_match_goes_on_and_then_the_better_seed() -> None:
    schedule = opened(KNOCKOUT, 2, rounds=2, extra=3)
    games = list(imagine(schedule, "dots", lambda game: 0.5))
    assert [game.round for game in games] == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    assert schedule.total == len(games) and len({game.lot for game in games}) == 10
    assert schedule.ranking().notes == ("m0 and m1 stayed tied: m0 wins as the better seed.",)
    assert schedule.ranking().players[0].player == "m0"


def test_extra_pairs_end_once_there_is_a_winner() -> None:
    schedule = opened(KNOCKOUT, 2)
    games = list(
        imagine(schedule, "dots", lambda g: 0.5 if g.round < 3 else float(g.game[-1] == "2"))
    )
    assert len(games) == 6
    assert schedule.ranking().players[0].player == "m1"


def test_2048_played_alone_is_a_match_on_the_same_seeds() -> None:
    schedule = opened(KNOCKOUT, 4, rules_="2048")
    games = list(imagine(schedule, "2048", stronger_first))
    assert len(games) == 8 and all(len(game.players) == 1 for game in games)
    assert [game.game for game in games[:2]] == ["m0:m3:1.1", "m0:m3:1.2"]
    for one, other in zip(games[::2], games[1::2], strict=True):
        assert one.lot == other.lot and one.pair == other.pair and one.players != other.players
    assert [row.player for row in schedule.ranking().players] == ["m0", "m1", "m2", "m3"]


def test_without_a_match_for_the_third_place_it_is_shared() -> None:
    schedule = opened(KNOCKOUT, 4, third_place=False)
    assert len(list(imagine(schedule, "dots", stronger_first))) == 6
    assert [row.rank for row in schedule.ranking().players] == [1, 2, 3, 3]
    figures = [row.figures for row in schedule.ranking().players]
    assert figures == [(2, 4.0), (1, 2.0), (0, 0.0), (0, 0.0)]


@pytest.mark.parametrize(
    ("rules_", "left", "games", "order"),
    [
        ("dots", {"m0": 1}, 4, ["m1", "m3", "m2", "m0"]),
        ("dots", {"m0": 2}, 6, ["m1", "m0", "m2", "m3"]),
        ("dots", {"m0": 2, "m1": 2}, 6, ["m0", "m1", "m2", "m3"]),
        ("dots", dict.fromkeys(["m0", "m1", "m2", "m3"], 1), 0, ["m0", "m1", "m2", "m3"]),
        ("2048", {"m0": 2}, 6, ["m1", "m0", "m2", "m3"]),
    ],
)
def test_games_of_a_player_that_left_count_for_its_opponents(
    rules_: str, left: dict[str, int], games: int, order: list[str]
) -> None:
    schedule = opened(KNOCKOUT, 4, rules_=rules_, left=left, extra=0)
    assert len(list(imagine(schedule, rules_, stronger_first))) == games
    assert schedule.over
    ranking = schedule.ranking()
    assert [row.player for row in ranking.players] == order
    told = [note.partition(" has left: ")[0] for note in ranking.notes if " has left: " in note]
    assert told == list(left)
    best = {max(match.points) for each in ranking.bracket for match in each.matches}
    assert best == {1.0 if rules_ == "2048" else 2.0}, "a walkover is a match won"


@pytest.mark.parametrize(
    ("left", "extra", "order"),
    [
        (3, 3, ["m1", "m3", "m2", "m0"]),  # after two of three pairs, ahead by 4–0
        (3, 0, ["m1", "m3", "m2", "m0"]),
        (6, 3, ["m1", "m0", "m2", "m3"]),
        (7, 3, ["m0", "m1", "m2", "m3"]),  # after the final
    ],
)
def test_a_player_that_left_loses_its_match_even_if_it_was_ahead(
    left: int, extra: int, order: list[str]
) -> None:
    schedule = opened(KNOCKOUT, 4, rounds=3, left={"m0": left}, extra=extra)
    list(imagine(schedule, "dots", stronger_first))
    assert [row.player for row in schedule.ranking().players] == order


def test_a_match_that_was_tied_when_a_player_left_is_none_for_the_better_seed() -> None:
    schedule = opened(KNOCKOUT, 2, rounds=2, left={"m0": 2}, extra=0)
    list(imagine(schedule, "dots", stronger_first))
    assert schedule.ranking().players[0].player == "m1"
    assert not [note for note in schedule.ranking().notes if "stayed tied" in note]


def test_a_round_is_reached_though_an_earlier_game_is_lost() -> None:
    games = list(imagine(opened(KNOCKOUT, 4, rounds=2), "dots", stronger_first))
    schedule = opened(KNOCKOUT, 4, rounds=2)
    assert schedule.reached == 1
    for game in games[1:]:
        schedule.add(imagined(game, "dots", stronger_first(game)))
    assert (schedule.next(), schedule.reached) == (games[0], 4)
    schedule.add(imagined(games[0], "dots", 1.0))
    assert schedule.over and schedule.reached is None


def test_a_match_that_was_over_when_its_winner_left_stays_won() -> None:
    schedule = opened(KNOCKOUT, 4, left={"m0": 2})
    games = list(
        imagine(schedule, "dots", lambda g: 0.5 if "m1" in g.players else stronger_first(g))
    )
    assert max(game.round for game in games) > 2  # m1 and m2 went on in extra pairs
    assert [row.player for row in schedule.ranking().players[:2]] == ["m1", "m0"]


def test_the_bracket_as_text() -> None:
    schedule = opened(KNOCKOUT, 3)
    list(imagine(schedule, "dots", stronger_first))
    assert bracket(schedule.ranking().bracket, 48) == (
        "Semi-finals     Final\n"
        "                 m0 2 ─────────┐\n"
        "                               │\n"
        "                               ├ m0\n"
        " m1 2 ─────────┐               │\n"
        "               ├ m1 0 ─────────┘\n"
        " m2 0 ─────────┘"
    )
    assert bracket(schedule.ranking().bracket, 20).splitlines() == [
        "Semi-finals: m0 has a bye",
        "Semi-finals: m1 2 – 0 m2",
        "Final: m0 2 – 0 m1",
    ]


@pytest.mark.parametrize("players", [7, 16, 33, 64])
@pytest.mark.parametrize("width", [40, 80])
def test_the_bracket_fits(players: int, width: int) -> None:
    schedule = opened(KNOCKOUT, players)
    list(imagine(schedule, "dots", stronger_first))
    assert max(map(len, bracket(schedule.ranking().bracket, width).splitlines())) <= width


def test_groups_are_spread_to_and_fro() -> None:
    assert dealt("12345678", 3) == [["1", "6", "7"], ["2", "5", "8"], ["3", "4"]]


@pytest.mark.parametrize("groups", [2, 3, 4, 5, 6, 8])
@pytest.mark.parametrize("advance", [1, 2, 3])
def test_two_of_a_group_do_not_meet_at_once(groups: int, advance: int) -> None:
    best = [[f"{group}.{place}" for place in range(advance)] for group in range(groups)]
    seeds = seeded(best)
    assert sorted(seeds) == sorted(name for players in best for name in players)
    assert seeds[:groups] == [players[0] for players in best]
    order = places(1 << (len(seeds) - 1).bit_length())
    met = [
        (seeds[one][0], seeds[other][0])
        for one, other in zip(order[::2], order[1::2], strict=True)
        if max(one, other) < len(seeds)
    ]
    assert all(one != other for one, other in met) or advance == 3


def test_a_player_that_left_its_group_goes_on_no_more() -> None:
    schedule = opened(GROUPS, 8, rounds=2, left={"m0": 2})
    played = list(imagine(schedule, "dots", stronger_first))
    assert sum("m0" in game.players for game in played) == 2 * 3
    best, *_ = schedule.ranking().groups
    assert [(row.player, row.figures[0]) for row in best.players] == [
        ("m3", 10.0), ("m4", 6.0), ("m7", 2.0), ("m0", 6.0)
    ]  # fmt: skip
    assert schedule.ranking().players[0].player == "m1"
    assert [row.player for row in schedule.ranking().players].index("m0") > 3


def test_a_player_that_leaves_after_the_groups_keeps_its_place_there() -> None:
    schedule = opened(GROUPS, 8, left={"m0": 2})
    list(imagine(schedule, "dots", stronger_first))
    best, *_ = schedule.ranking().groups
    assert best.players[0].player == "m0"


def test_a_group_that_plays_has_its_points_so_far() -> None:
    schedule = opened(GROUPS, 4, groups=1)
    for _ in range(5):
        game = schedule.next()
        schedule.add(imagined(game, "dots", float(game.players[0] > game.players[1])))
    (group,) = schedule.ranking().groups
    assert [(row.player, row.figures[0]) for row in group.players] == [
        ("m1", 2.0), ("m2", 2.0), ("m3", 1.0), ("m0", 0.0)
    ]  # fmt: skip


def test_of_equals_in_a_group_goes_on_who_took_its_points_from_the_better() -> None:
    won = {("m0", "m3"), ("m2", "m0"), ("m1", "m2"), ("m3", "m1"), ("m2", "m3")}

    def judge(game: Pairing) -> float:
        tied = {*game.players} == {"m0", "m1"}
        return 0.5 if tied else float(game.players in won)

    schedule = opened(GROUPS, 4, groups=1)
    games = list(imagine(schedule, "dots", judge))
    (group,) = schedule.ranking().groups
    assert [(row.player, row.figures) for row in group.players] == [
        ("m2", (4, 10)), ("m1", (3, 11)), ("m0", (3, 7)), ("m3", (2, 6))
    ]  # fmt: skip
    assert {*games[-1].players} == {"m1", "m2"}


def test_groups_then_a_knockout() -> None:
    schedule = opened(GROUPS, 8)
    games = list(imagine(schedule, "dots", stronger_first))
    assert len(games) == 2 * 12 + 2 * 4 and schedule.total == 2 * 12 + 2 * 4 * (1 + 3)
    ranking = schedule.ranking()
    assert [row.player for row in ranking.players] == [
        "m0",
        "m1",
        "m2",
        "m3",
        *("m4", "m5"),
        "m7",
        "m6",
    ]
    assert [row.rank for row in ranking.players] == [1, 2, 3, 4, 5, 5, 7, 7]
    assert {row.figures for row in ranking.players[4:]} == {(0, 0)}
    assert opened(GROUPS, 8, rounds=3).total == 3 * 2 * 12 + 2 * 4 * (3 + 3)
    assert [[row.player for row in group.players] for group in ranking.groups] == [
        ["m0", "m3", "m4", "m7"],
        ["m1", "m2", "m5", "m6"],
    ]


@pytest.mark.parametrize(
    ("text", "players", "expected"),
    [
        (
            "[groups]\ngroups = 3\n",
            5,
            "groups.groups: 3 groups of 2 at least need 6 players, got 5",
        ),
        (
            "[groups]\nadvance = 3\n",
            5,
            "advance: the smallest group has 2 players; give no more, got 3",
        ),
        ("[groups]\ngroups = 1\nadvance = 1\n", 3, "1 player of 1 group has no opponent"),
        ("[knockout]\nextra = -1\n", 3, "knockout.extra: must be greater than or equal to 0"),
        (
            "[knockout]\n[groups]\n",
            4,
            "groups: another format than [knockout]; leave one of them out",
        ),
    ],
)
def test_refusals(load: Load, text: str, players: int, expected: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(text + DOTS, players=players)
    assert expected in str(caught.value)


@pytest.mark.parametrize("text", ["[knockout]\n", "[groups]\n[stop]\nseparated = 2\n"])
def test_a_player_with_a_mistake_is_not_missed(load: Load, text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(f'{text}{DOTS}[[player]]\nbot = "monky"\n', players=1)
    (problem,) = caught.value.problems
    assert problem.key == "player[1].bot"


@pytest.mark.parametrize(
    ("name", "fits"), [("swiss", 0), ("ladder", 0), ("groups", 0), ("knockout", 1)]
)
def test_2048_alone_fits_a_knockout(load: Load, name: str, fits: int) -> None:
    text = f'[tournament]\nformat = "{name}"\n[game]\nrules = "2048"\n'
    if fits:
        assert load(text, players=4).format == name
        with pytest.raises(ConfigError, match="knockout: needs 2 players at least"):
            load(text, players=1)
        return
    with pytest.raises(ConfigError, match=f"format: {name} does not fit 2048 played alone: "):
        load(text, players=4)


@pytest.mark.parametrize("name", ["knockout", "groups"])
def test_more_rounds_are_another_tournament(load: Load, name: str) -> None:
    one, two = (load(f"[tournament]\nrounds = {n}\n{DOTS}[{name}]\n", players=4) for n in (1, 2))
    assert differences(one, two) == ("tournament.rounds: 1 → 2",)


def test_played_alone_the_fewest_games_are_foreseen(load: Load) -> None:
    config = load('[game]\nrules = "2048"\n[knockout]\n', players=8)
    assert estimate_left(config, config.schedule()).games == 16


def test_a_run_of_an_earlier_version_has_the_defaults_of_later_keys(load: Load) -> None:
    kept = load("[knockout]\nextra = 1\n" + DOTS).model_dump()
    kept["format_keys"] = {"extra": 1}
    keys = TournamentConfig.model_validate(kept).format_keys
    assert keys == {"extra": 1, "third_place": True}
