"""Terminal, JSON and CSV: what people and programs read of standings."""

import csv
import io
import json
import math
import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest
from rich.console import Console
from rich.text import Text

from arena.files.console import PlainConsole
from arena.model.containment import Held
from arena.model.protocol import Termination
from arena.model.record import GameRecord
from arena.ratings.model import Standings, schema
from arena.ratings.pentanomial import figures
from arena.ratings.results import Result, Results, digest, results_of
from arena.ratings.standings import standings as standings_of_digests
from arena.ratings.standings import standings_of_results
from arena.reports import csv_report, terminal, words
from arena.reports.csv_report import TABLES, read_results
from arena.reports.terminal import _LOS_UNITS
from tests.command import arena
from tests.reports.runs import begun
from tests.time_zone import local_time

Golden = Callable[[str, str], None]
Play = Callable[..., GameRecord]


def printed(table: Standings, width: int) -> str:
    out = io.StringIO()
    terminal.show(table, Console(file=out, width=width))
    return out.getvalue()


def standings(records: Iterable[GameRecord], **more: Any) -> Standings:
    return standings_of_digests(map(digest, records), **more)


@pytest.fixture(scope="module")
def table(cup: list[GameRecord]) -> Standings:
    return standings(cup, name="cup", anchor="monkey", planned=len(cup) + 8)


@pytest.mark.parametrize("width", [80, 120])
def test_terminal_report(table: Standings, width: int, golden: Golden) -> None:
    text = printed(table, width)
    golden(f"cup-{width}.txt", text)
    assert max(map(len, text.splitlines())) <= width
    assert "\x1b" not in text, "plain when it is not a terminal"
    assert "[bold]greedy[/bold]" in text, "names are text, never markup"


def test_a_pipe_cuts_no_name_and_wraps_text(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"player-{index:x}-of-the-university-of-applied-sciences" for index in range(12)]
    table = standings_of_results([Result(a, b, 0.5) for a in names for b in names if a != b])
    for columns in ("", "80"):
        monkeypatch.setenv("COLUMNS", columns)
        out = io.StringIO()
        terminal.show(table, PlainConsole(file=out))
        text = out.getvalue()
        assert text.count("Won-drawn-lost against") == 3, "each as wide as a text, for a pager"
        assert ("…" in text) is (columns == "80")
        assert "mean \nof the pool" in text


def test_tile_report(tile_cup: list[GameRecord], golden: Golden) -> None:
    text = printed(standings(tile_cup, name="tiles"), 80)
    golden("tiles-80.txt", text)
    assert max(map(len, text.splitlines())) <= 80


def test_times_with_those_of_random_moves_say_so(play: Play) -> None:
    own, random = (
        printed(standings([play("dots", "a", "b", rows=2, cols=2, fault_at=at)]), 80)
        for at in (None, 3)
    )
    assert "\nTime used a move, late ones left out, and forfeits\n" in own
    assert "\nTime used a move, late and random ones included, and forfeits\n" in random


def test_a_rating_in_the_middle_is_not_minus_nothing() -> None:
    order = [Result(*pair, 1.0, "") for pair in (("a", "b"), ("b", "c"), ("a", "c"))]
    results = [*order, *(Result(second, first, 0.0, "") for first, second, *_ in order)]
    text = printed(standings_of_results(results), 80)
    assert re.search(r"2  b +\+0 ", text)


def test_match_report(golden: Golden) -> None:
    counts = {"00": 4, "0½": 18, "01": 12, "½½": 28, "½1": 28, "11": 10}
    value = {"0": 0.0, "½": 0.5, "1": 1.0}
    results = []
    for kind, count in counts.items():
        for number in range(count):
            results += [
                Result("new", "base", value[kind[0]], f"{kind}{number}"),
                Result("base", "new", 1 - value[kind[1]], f"{kind}{number}"),
            ]
    text = printed(standings_of_results(results, name="match.csv"), 80)
    golden("match-80.txt", text)
    for figure in ("38.37", "33.80", "34.09", "98.8%", "98.7%", "55.28", "54.83", "48.88"):
        assert figure in text


def test_labels_that_make_no_pairs_are_no_independent_games() -> None:
    results = [Result("new", "base", 1.0, f"p{n // 3}") for n in range(12)]
    text = printed(standings_of_results(results), 120)
    assert "Results that share a label and are no colour-swapped pair: 12." in text
    assert "independent" not in text and "Counted by" not in text
    pair = [Result("new", "base", 0.5, "x"), Result("base", "new", 0.5, "x")]
    mixed = printed(standings_of_results(results + pair), 120)
    assert "colour-swapped pair: 12." in mixed and "\npairs" in mixed and "\ngames" not in mixed
    assert "each result counts as independent" in printed(
        standings_of_results([each._replace(pair="") for each in results]), 120
    )


def test_the_first_move_is_not_taken_for_strength() -> None:
    mostly = [Result("new", "base", 1.0)] * 60 + [Result("new", "base", 0.0)] * 40
    results = [*mostly, *(Result("base", "new", 1 - each.score) for each in mostly[::5])]
    text = printed(standings_of_results(results), 120)
    assert "moved first in 100 of 120 games" in text
    assert re.search(r"\ngames .* –\n", text)
    for fair in (
        standings_of_results([*mostly[:20], *results[100:]]),
        standings_of_results([*mostly[:21], *results[100:]]),  # stopped after the first of a pair
        standings_of_results(results, first_mover=False),
    ):
        text = printed(fair, 120)
        assert "moved first" not in text and re.search(r"\ngames .*%\n", text)


def test_equals_are_seldom_as_good_as_certain() -> None:
    """Of few games LOS is too sure: after 10 it is above 99% for one of two equals in 1 of 9."""
    for games, least, most in ((10, 0.1, 0.12), (_LOS_UNITS, 0.02, 0.05)):
        sure = [min(won, games - won) for won in range(games + 1)]
        chance = sum(
            math.comb(games, won) / 2**games
            for won, fewer in enumerate(sure)
            if figures((fewer, 0, games - fewer)).los > 0.99
        )
        assert least < chance < most


def test_a_few_games_are_not_certain() -> None:
    results = [Result("new", "base", 1.0), Result("base", "new", 0.0)] * 15
    few, enough = (printed(standings_of_results(results[:n]), 120) for n in (29, 30))
    assert "100.00%" not in few + enough
    assert re.search(r"games \(with prior\) .* –$", few, re.MULTILINE)
    assert re.search(r"games \(with prior\) .* >99\.9%$", enough, re.MULTILINE)


def test_a_terminal_of_many_players_splits_the_crosstable() -> None:
    names = [f"player-{index:02d}" for index in range(14)]
    results = [Result(a, b, 0.5) for a in names for b in names if a != b]
    text = printed(standings_of_results(results, name="many"), 80)
    assert max(map(len, text.splitlines())) <= 80
    assert text.count("Won-drawn-lost against") == 3
    assert text.count("0-2-0") == 14 * 13


def test_names_that_look_like_markup_print_as_they_are() -> None:
    names = ["[red]x[/red]", "[/]", "[link=http://a]b", ":smile:"]
    results = [Result(a, b, 1.0) for a in names for b in names if a < b]
    text = printed(standings_of_results(results, name="[blink]list"), 120)
    for name in (*names, "[blink]list"):
        assert name in text


def test_nothing_played_yet() -> None:
    text = printed(standings([], players=["a", "b"], name="empty", anchor="a", planned=6), 80)
    assert "0 of 6 games" in text and "until the anchor a has a result" in text


def test_words_say_who_is_not_separated(table: Standings) -> None:
    said = " ".join(words.about_separation(table))
    for pair in table.neighbours:
        assert (f"{pair.upper} and {pair.lower} (" in said) is not pair.separated
    results = [Result("a", "b", 1.0, str(n)) for n in range(100)]
    clear = standings_of_results(results)
    assert words.about_separation(clear) == ["All neighbours are separated at 95%."]
    apart = standings_of_results([*results, Result("c", "d", 1.0)])
    assert "cannot be compared: a, b; c, d" in words.about_separation(apart)[1]
    pair = table.neighbours[0].model_copy(update={"separated": False, "difference": -0.3})
    alike = table.model_copy(update={"neighbours": (pair,)})
    assert "(0 ± " in words.about_separation(alike)[0]


def test_words_say_where_results_bound_no_elo() -> None:
    def said(*won: str) -> str:
        table = standings_of_results([Result(*pair, 1.0) for pair in won], first_mover=False)
        return " ".join(words.about_rating(table))

    field = "ab", "bc", "ca", "ad", "bd", "cd"
    assert "against the players above: d. Results" in said(*field)
    assert "the players above" not in said(*field, "dc")
    assert "the players above" not in said("ab", "cd"), "the groups are not linked at all"
    assert "against the players above: b; c. Results" in said("ab", "bc", "ac")


def test_probabilities_are_never_rounded_to_certainty() -> None:
    assert words.probability(0.99999) == ">99.9%"
    assert words.probability(1e-9) == "<0.1%"
    assert words.probability(0.5) == "50.0%"


def test_json_round_trip_and_schema(table: Standings, tile_cup: list[GameRecord]) -> None:
    for value in (table, standings(tile_cup, name="tiles"), standings([], players=["a"])):
        text = value.model_dump_json()
        assert Standings.model_validate_json(text) == value
        jsonschema.validate(json.loads(text), schema())
        assert "NaN" not in text and "Infinity" not in text


def test_csv_holds_the_same_figures(table: Standings, tile_cup: list[GameRecord]) -> None:
    for value in (table, standings(tile_cup), standings([], players=["a"])):
        lines = list(csv.DictReader(io.StringIO(csv_report.table(*csv_report.players(value)))))
        assert len(lines) == len(value.players)
        for line, row in zip(lines, value.players, strict=True):
            assert None not in line and None not in line.values()
            assert line["name"] == row.name and int(line["wins"]) == row.wins
            assert line["elo"] == ("" if row.elo is None else str(round(row.elo, 4)))
            assert int(line["forfeits"]) == sum(row.forfeits.values())
            assert int(line["forfeit_timeout"]) == row.forfeits.get("timeout", 0)
            for key in ("moves", "mean_ms", "p99_ms", "max_ms"):
                figure = row.times and getattr(row.times, key)
                assert line[key] == ("" if figure is None else str(round(figure, 4)))
            reached = [each.tile for each in row.tiles.reach] if row.tiles else []
            assert line["best_tile"] == (str(max(reached)) if reached else "")
            for side, share in (("as_first", row.as_first), ("as_second", row.as_second)):
                told = (share.score, share.error, share.low, share.high) if share else ("",) * 4
                columns = [line[side + end] for end in ("", "_error", "_low", "_high")]
                assert columns == [str(each and round(each, 4)) for each in told]
    cells = list(
        csv.DictReader(io.StringIO(csv_report.table(*csv_report.crosstable(table.crosstable))))
    )
    assert len(cells) == 12 and list(cells[0]) == ["player", "opponent", "wins", "draws", "losses"]


def test_marks_follow_the_format_and_are_for_bots_that_play(
    table: Standings,
) -> None:
    first, second, replaced, nobodys = (row.name for row in table.players)
    ranked = [SimpleNamespace(player=row.name, rank=5 - row.rank) for row in table.players]
    players = [
        SimpleNamespace(
            name=name, owner=None if name == nobodys else f"{name}'s", plays=name != replaced,
            left=None, name_in_file=name, number=2, home=SimpleNamespace(package=None),
        )
        for name in (first, second, replaced, nobodys)
    ]  # fmt: skip
    for ranking, expected in (
        (None, [first, second]),
        (SimpleNamespace(players=ranked), [second, first]),
    ):
        rows = SimpleNamespace(players=table.players, ranking=ranking)
        view: Any = SimpleNamespace(standings=rows, config=SimpleNamespace(players=players))
        columns, lines = csv_report.owners(view)
        assert [dict(zip(columns, line, strict=True))["owner"] for line in lines] == [
            f"{name}'s" for name in expected
        ]


def test_csv_has_plain_decimals() -> None:
    line = (6.379e-15, -1e-9, 366.123456, 2 / 3, 1.0, 1e9, None, 7)
    (written,) = csv_report.table(("x",), [line]).splitlines()[1:]
    assert written == "0.0,0.0,366.1235,0.6667,1.0,1000000000.0,,7"


def test_written_results_rate_the_same(cup: list[GameRecord], table: Standings) -> None:
    text = csv_report.table(*csv_report.results(results_of(map(digest, cup)), "cup 1f"))
    again = standings_of_results(read_results(text, "cup.csv").results, name="cup", anchor="monkey")
    assert [(row.name, row.elo, row.elo_error) for row in again.players] == [
        (row.name, row.elo, row.elo_error) for row in table.players
    ]


def test_results_without_pairs_or_a_first_mover_are_read_as_they_were() -> None:
    played = (Result("a", "b", 1.0), Result("b", "a", 0.5))
    for first_mover in (True, False):
        text = csv_report.table(*csv_report.results(played, "cup", first_mover=first_mover))
        assert read_results(text, "cup.csv") == Results(played, first_mover)


def test_a_table_that_is_too_large_to_be_drawn_has_all_cells(
    cup: list[GameRecord], table: Standings
) -> None:
    large = table.model_copy(update={"crosstable": ()})
    view: Any = SimpleNamespace(standings=large, rated=[digest(each) for each in cup])
    assert {*csv_report.cells_of(view)} == {*table.crosstable}


def test_the_results_of_two_runs_make_one_table(cup: list[GameRecord]) -> None:
    played = results_of(map(digest, cup))
    halves = played[: len(played) // 2], played[len(played) // 2 :]

    def rated(*runs: str) -> list[tuple[str, float | None, float | None]]:
        text = "".join(csv_report.table(*each) for each in map(csv_report.results, halves, runs))
        table = standings_of_results(read_results(text, "both.csv").results)
        return [(row.name, row.elo, row.elo_error) for row in table.players]

    renamed = [half._replace(pair=f"{half.pair} of the second") for half in halves[1]]
    apart = standings_of_results((*halves[0], *renamed)).players
    assert rated("cup 1f", "cup 2e") == [(row.name, row.elo, row.elo_error) for row in apart]
    same = [
        each._replace(pair=f"p{number // 2}") for half in halves for number, each in enumerate(half)
    ]
    halves = tuple(same[: len(halves[0])]), tuple(same[len(halves[0]) :])
    assert rated("cup 1f", "cup 2e") != rated("cup", "cup")


def test_headings_are_text_with_style_apart(table: Standings) -> None:
    assert isinstance(terminal.heading(table), Text)
    assert terminal.heading(table).plain == "cup · dots · 72 of 80 games"


def test_the_report_says_when_it_was_played(table: Standings) -> None:
    with local_time("Asia/Tokyo"):
        night = datetime(2026, 11, 26, 14, 30, tzinfo=UTC)
        played = table.model_copy(update={"began": night, "ended": night + timedelta(hours=8)})
        lines = printed(played, 80).splitlines()
        assert lines[-1] == "Played from 2026-11-26 23:30 JST to 2026-11-27 07:30 JST."
        assert Standings.model_validate_json(played.model_dump_json()) == played


@pytest.mark.parametrize("form", [[], ["--json"], *(["--csv", name] for name in TABLES)])
def test_a_bot_is_left_out_of_every_report(
    form: list[str], cup: list[GameRecord], tmp_path: Path
) -> None:
    path = tmp_path / "cup.sqlite"
    with begun(path, cup, rating={"anchor": "monkey"}) as store:
        for record in cup:
            store.add(record)
    left = [record for record in cup if "monkey" not in {seat.player for seat in record.seats}]
    whole, some = (arena("report", path, *form, *more) for more in ([], ["--without", "monkey"]))
    assert (some.exit_code, "monkey" in some.stdout) == (0, False)
    assert "monkey" in whole.stdout or form == ["--csv", "owners"]
    if form == ["--json"]:
        rated = Standings.model_validate_json(some.stdout)
        assert (rated.games, rated.players) == (len(left), standings(left).players)
    unknown = arena("report", path, *form, "--without", "monky")
    assert unknown.exit_code == 2
    assert '--without: no player is named "monky"; did you mean "monkey"?' in unknown.stderr


@pytest.mark.parametrize(("format_", "chose"), [("swiss", True), ("round-robin", False)])
def test_where_results_chose_the_opponents_the_prior_is_fitted(
    format_: str, chose: bool, cup: list[GameRecord], tmp_path: Path
) -> None:
    path = tmp_path / "cup.sqlite"
    with begun(path, cup, format=format_) as store:
        for number, record in enumerate(cup):
            pair = f"{number // 2}"
            store.add(record.model_copy(update={"round": 1, "pair": pair}))
    told = json.loads(arena("report", path, "--json").stdout)
    rated = [digest(each.model_copy(update={"pair": f"{n // 2}"})) for n, each in enumerate(cup)]
    fitted = standings_of_results(results_of(rated), matched=chose)
    assert (told["matched"], told["prior"]) == (chose, fitted.prior)
    assert [row["elo"] for row in told["players"]] == [row.elo for row in fitted.players]
    text = " ".join(arena("report", path).stdout.split())
    assert ("Elo: one Bayesian fit" in text) is chose and f"Prior: {fitted.prior}." in text


def test_versions_that_play_no_more_are_named(table: Standings) -> None:
    shown = printed(table.model_copy(update={"replaced": ("greedy",)}), 80)
    assert "Listed, but no longer playing: greedy." in shown


def test_those_that_never_moved_are_named(cup: list[GameRecord]) -> None:
    def forfeited(record: GameRecord) -> GameRecord:
        seat = next(n for n, seat in enumerate(record.seats) if seat.player == "monkey")
        fault = {"termination": Termination.START_FAILED, "offender": seat, "moves": ()}
        return record.model_copy(update=fault)

    there = [any(seat.player == "monkey" for seat in record.seats) for record in cup]
    games = [forfeited(each) if its else each for each, its in zip(cup, there, strict=True)]
    said = "Made no valid move in any game: monkey."
    assert said in words.about_endings(standings(games))
    first = there.index(True)
    assert said not in words.about_endings(
        standings([*games[:first], cup[first], *games[first + 1 :]])
    )
    assert "no valid move" not in " ".join(words.about_endings(standings(cup)))


def test_the_report_lists_void_games(cup: list[GameRecord]) -> None:
    spoilt = [
        record.model_copy(update={"termination": Termination.VOID, "detail": "overloaded"})
        for record in (*cup[:7], cup[0])
    ]
    said = words.about_endings(standings([*spoilt, *cup[:4]], planned=72))
    assert "Void, not scored (the host's or the referee's fault): 8 attempts at 7 games." in said
    assert "  g0001: replayed after 2 void tries. overloaded" in said
    assert "  g0005: no result after 1 void try. overloaded" in said
    assert said[-1] == "  and 2 more."


def test_players_contained_otherwise_are_named(cup: list[GameRecord]) -> None:
    free = Held(notes=("It was asked for.",))
    records = [
        record.model_copy(
            update={
                "seats": tuple(
                    seat.model_copy(update={"sandbox": free}) if seat.player == "monkey" else seat
                    for seat in record.seats
                )
            }
        )
        for record in cup[:12]
    ]
    said = words.about_sandbox(standings(records))
    assert len(said) == 3
    assert said[0].startswith("Sandbox of uct, alphabeta, [bold]greedy[/bold]: bwrap holds memory ")
    assert said[1].endswith(": cpu is not held: a player could move to other cores.")
    assert said[2] == "Sandbox of monkey: none, nothing is held. It was asked for."


def test_a_large_field_is_listed_without_a_crosstable() -> None:
    names = [f"p{number:03}" for number in range(250)]
    results = [Result(one, other, 0.5) for one, other in pairwise(names)]
    text = printed(standings_of_results([*results, Result("p000", "p009", 1.0)]), 100)
    lines = [line for line in text.splitlines() if "p123" in line.split()]
    assert len(lines) == 2, "by Elo and by course points"
    assert "No crosstable" in text and "Won-drawn-lost" not in text
    assert "Not separated at 95%: 249 of 249 neighbours." in text
