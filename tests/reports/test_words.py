"""Sentences on standings, lists, tests and sandboxes, at the ends of what they are said for."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from arena.files.moments import moment
from arena.model.containment import Guarantee, Held
from arena.model.protocol import Clock
from arena.ratings.conduct import Contained, Spoilt
from arena.ratings.matches import Verdict
from arena.ratings.results import Result, Results
from arena.ratings.sprt import Sprt
from arena.ratings.standings import standings_of_results
from arena.reports import words
from arena.tournament.store_faults import PLAY_AGAIN


@pytest.mark.parametrize(
    ("variant", "expected"),
    [
        ({}, "dots"),
        ({"rows": None}, "dots"),
        ({"rows": 5, "corners": False, "spawn": "1/3"}, "dots (rows 5, corners false, spawn 1/3)"),
        ({"c": 0.00003, "d": 2.0, "e": None}, "dots (c 0.00003, d 2)"),
    ],
)
def test_settings_are_written_as_in_a_file(variant: dict[str, Any], expected: str) -> None:
    assert words.with_settings("dots", variant) == expected


@pytest.mark.parametrize(
    ("say", "value", "expected"),
    [
        (words.probability, 0.9991, ">99.9%"),
        (words.probability, 0.999, "99.9%"),
        (words.probability, 0.001, "0.1%"),
        (words.probability, 0.0009, "<0.1%"),
        (words.rounded_ms, 9.96, 10.0),
        (words.rounded_ms, 9.94, 9.9),
        (words.rounded_ms, 10.4, 10),
        (words.duration, 59.4, "59 s"),
        (words.duration, 59.5, "1 min 0 s"),
        (words.duration, 3599, "59 min 59 s"),
        (words.duration, 3600, "1 h 0 min"),
        (words.duration, 90_000, "25 h 0 min"),
        (words.count_games, 1, "1 game"),
        (words.count_games, 0, "0 games"),
        (words.count_games, 1200, "1,200 games"),
    ],
)
def test_figures_in_words(say: Callable[[Any], Any], value: float, expected: object) -> None:
    assert say(value) == expected


def listed(*results: Result, **more: Any) -> list[str]:
    return list(words.about_list(Results(results, **more)))


def test_a_list_whose_pairs_come_twice_is_doubted() -> None:
    """A pair has two games, of which each player begins one."""
    pair = Result("a", "b", 1.0, "p"), Result("b", "a", 0.0, "p")
    alone = Result("a", "b", 0.0)
    other = Result("a", "c", 0.0, "p")
    assert listed(*pair, other, alone, alone) == []
    (said,) = listed(*pair, *pair, Result("c", "d", 0.5, "q"), Result("c", "d", 0.0, "q"))
    assert said.startswith("Pairs with the same players in the same order more than once: 2, the ")
    assert 'first is "p".' in said


def test_a_list_whose_first_players_never_lose_is_doubted_if_it_is_long() -> None:
    won = [Result("a", "b", 1.0), *[Result("b", "a", 0.5)] * 19]
    (said,) = listed(*won)
    assert said.startswith("The first player lost none of the 20 results.")
    assert listed(*won[:-1]) == []
    assert listed(*won, Result("a", "b", 0.0)) == []
    assert listed(*won, first_mover=False) == []
    assert listed(unfinished=1) == ["Left out, as they are not over: 1 game."]


def test_players_with_a_clock_of_their_own_are_named() -> None:
    own = Clock(move_ms=500)
    assert words.about_odds([("a", None), ("b", own), ("c", own)]) == [
        f"With a clock of its own: b ({own.words}); c ({own.words})."
    ]
    assert words.about_odds([("a", None)]) == []


TABLE = standings_of_results([Result("a", "b", 1.0), Result("b", "c", 0.5)])


def test_repeated_games_are_no_new_evidence() -> None:
    """A sequential test says so itself."""
    table = TABLE.model_copy(update={"repeats": 1200})
    assert any("the same players: 1,200. Unless" in line for line in words.about_rating(table))
    tested = table.model_copy(update={"sprt": Verdict.model_construct()})
    assert not any("1,200" in line for line in words.about_rating(tested))


def test_neighbours_that_are_not_separated_are_named_up_to_forty() -> None:
    pair = TABLE.neighbours[0].model_copy(update={"separated": False})

    def said(count: int) -> str:
        table = TABLE.model_copy(update={"neighbours": (pair,) * count, "groups": (("a",),)})
        (line,) = words.about_separation(table)
        return line

    assert said(40).count(f"{pair.upper} and {pair.lower} (") == 40
    assert said(41) == "Not separated at 95%: 41 of 41 neighbours."


def test_a_draw_is_a_point_against_a_player_above() -> None:
    won = [Result(*pair, 1.0) for pair in ("ab", "bc", "ac")]
    assert "against the players above: b; c. " in " ".join(unbounded(*won))
    assert unbounded(*won, Result("c", "a", 0.5)) == []
    assert unbounded(*won, crosstable=()) == [], "a large field has none"


def unbounded(*results: Result, **changes: Any) -> list[str]:
    table = standings_of_results(results, first_mover=False).model_copy(update=changes)
    return [line for line in words.about_rating(table) if "the players above" in line]


def test_players_that_nothing_links_are_named_up_to_forty() -> None:
    def said(*sizes: int) -> str:
        groups = tuple(("a",) * size for size in sizes)
        table = TABLE.model_copy(update={"neighbours": (), "groups": groups})
        (line,) = words.about_separation(table)
        return line.partition("compared: ")[2]

    assert said(39, 1).count("a") == 40
    assert said(40, 1) == "2 groups of 40, 1 players."
    assert said(40, 1, 1, 1, 2) == "5 groups of 40, 1, 1, 1, 2 players."
    assert said(40, 1, 1, 1, 1, 2) == "6 groups of 40, 1, 1, 1, 1, … players."


def test_void_and_forfeited_games_spoil_a_test_by_their_share_of_all() -> None:
    spoilt = Verdict.model_construct(counts={"ww": 40}, forfeits=1, void=5)
    said = words.not_usable(spoilt)
    assert said.startswith("Not usable: 1 forfeit and 5 void attempts in 80 games. That is 7.1% of")
    alone = words.not_usable(spoilt.model_copy(update={"forfeits": 0}))
    assert alone.startswith("Not usable: 5 void attempts in 80 games. That is 5.9% of")


def test_neighbours_are_those_that_results_link() -> None:
    pair = TABLE.neighbours[0].model_copy(update={"separated": True})
    table = TABLE.model_copy(
        update={"neighbours": (pair,), "groups": (("a", "b"), ("c",)), "ending": "Far from it."}
    )
    assert words.about_separation(table) == [
        "All neighbours that results link are separated at 95%.",
        "No result links these groups, so their ratings cannot be compared: a, b; c.",
        "Far from it.",
    ]


def test_games_that_are_lost_or_left_out_are_named() -> None:
    assert words.about_damage(()) == words.about_lost_records(()) == []
    assert words.about_those_out(TABLE) == []
    assert words.about_damage(("g1", "g2")) == [
        f"Damaged in the file and not counted: g1, g2. {PLAY_AGAIN}"
    ]
    assert words.about_lost_records(("g1",)) == [
        f"Damaged in the file, except the result, which counts: g1. {PLAY_AGAIN}"
    ]
    left = TABLE.model_copy(update={"left_out": ("c", "d")})
    assert words.about_those_out(left) == ["Left out, with games that stay in the record: c, d."]
    both = left.model_copy(update={"replaced": ("a@1",)})
    assert words.about_those_out(both)[1:] == ["Listed, but no longer playing: a@1."]


def test_a_tournament_was_played_on_a_minute_or_from_one_to_another() -> None:
    noon = datetime(2026, 5, 4, 12, 0, 1, tzinfo=UTC)
    assert words.about_time(TABLE) == []
    at = moment(noon)
    for more, said in ((0, f"Played on {at}."), (58, f"Played on {at}."), (59, f"from {at} to ")):
        ended = noon + timedelta(seconds=more)
        table = TABLE.model_copy(update={"began": noon, "ended": ended})
        (line,) = words.about_time(table)
        assert said in line


def endings(**terminations: int) -> list[str]:
    return words.about_endings(TABLE.model_copy(update={"terminations": terminations}))


def test_forfeits_and_adjudications_are_counted() -> None:
    assert endings() == []
    assert endings(natural=2) == ["No game was forfeited."]
    assert endings(natural=1, timeout=2, exited=1) == [
        f"Forfeits: 3 of {words.count_games(TABLE.games)} (timeout 2, exited 1)."
    ]
    assert endings(adjudicated=1)[1:] == ["Adjudicated, not played to the end: 1 game."]


def test_void_games_are_listed_up_to_five() -> None:
    games = [
        Spoilt(game=f"g{number}", attempts=number, replayed=number > 1, detail="A fault.")
        for number in range(1, 7)
    ]

    def said(*spoilt: Spoilt) -> list[str]:
        return words.about_endings(
            TABLE.model_copy(
                update={"void": sum(each.attempts for each in spoilt), "spoilt": spoilt}
            )
        )

    fault = "Void, not scored (the host's or the referee's fault)"
    assert said(games[0]) == [
        f"{fault}: 1 attempt at 1 game.",
        "  g1: no result after 1 void try. A fault.",
    ]
    assert said(games[1])[1:] == ["  g2: replayed after 2 void tries. A fault."]
    assert said(*games[:5])[5:] == ["  g5: replayed after 5 void tries. A fault."]
    many = said(*games)
    assert many[0] == f"{fault}: 21 attempts at 6 games."
    assert many[6:] == ["  and 1 more."]


def held(*guarantees: Guarantee, mode: str = "limits", how: str = "cgroup", **more: Any) -> Held:
    by = dict.fromkeys(guarantees, how)
    return Held.model_validate({"mode": mode, "by": by, **more})


def test_what_contains_the_players_is_said_once_for_all_that_have_it() -> None:
    whole = held(*Guarantee, mode="bwrap", how="bwrap")
    part = held(Guarantee.MEMORY, Guarantee.NETWORK)
    noted = held(Guarantee.CPU, mode="bwrap", how="bwrap", notes=("No memory.", "No pids."))
    nothing = Held(notes=("Asked for.",))
    every = ", ".join(Guarantee)
    lines = words.sandbox_lines
    assert list(lines([("a", whole), ("b", whole)])) == [(f"sandbox: bwrap holds {every}", False)]
    assert list(lines([("a", part)])) == [
        ("sandbox: limits holds memory (cgroup), network (cgroup)", False),
        (f"sandbox: limits does not hold {words.lacking(part)}", True),
    ]
    assert list(lines([("a", noted), ("b", nothing), ("c", noted)])) == [
        ("sandbox of a, c: bwrap holds cpu", False),
        ("sandbox of a, c: No memory", True),
        ("sandbox of a, c: No pids", True),
        ("sandbox of b: none, nothing is held. Asked for", True),
    ]
    assert words.lacking(whole) == words.holding(nothing) == ""
    assert words.lacking(nothing) == every


def test_what_a_sandbox_lacks_can_be_left_out() -> None:
    seen = Contained(player="a", games=1, held=held(Guarantee.MEMORY))
    table = TABLE.model_copy(update={"sandboxes": (seen,)})
    holds, lacks = words.about_sandbox(table)
    assert holds == "Sandbox: limits holds memory (cgroup)."
    assert lacks.startswith("Sandbox: limits does not hold ")
    assert words.about_sandbox(table, gaps=False) == [holds]


def test_how_long_a_test_takes_is_said_with_its_time_where_that_is_known() -> None:
    test = Sprt(elo0=0, elo1=50)
    ends, middle = words.expected_ends(test, paired=True)
    lengths = f"about {ends:,} games where the lead is 0 or 50, {middle:,} half way between"
    (line,) = words.expected_games(test, paired=True, planned=ends, game_s=None)
    assert lengths in line
    timed, more = words.expected_games(test, paired=True, planned=ends - 1, game_s=36.0)
    assert " games (" in timed
    assert more.startswith(f"With at most {ends - 1:,} games it may well end undecided")


def test_a_crosstable_without_games_orders_nobody() -> None:
    assert list(words.about_course(TABLE.model_copy(update={"results": 0}))) == []
    (said,) = words.about_course(TABLE)
    assert said.startswith("No course order: ") and said.endswith("these have 1 to 2.")
    circle = [Result(*pair, 1.0) for pair in ("ab", "bc", "ca")]
    (equal,) = words.about_course(standings_of_results(circle))
    assert equal.startswith("Course order: ")
