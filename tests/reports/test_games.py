"""The games of a run as their players saw them: which ones are found, and how they are written."""

import csv
import io
from collections.abc import Iterator

import pytest
from rich.console import Console

from arena.model.record import GameRecord
from arena.ratings.results import digest
from arena.reports import csv_report, games_table
from arena.reports.games import GameFilter, GameRow, rows, seen_by_each
from arena.tournament.run_view import RunView
from tests.reports.conftest import play_record
from tests.reports.runs import begun, void


@pytest.fixture(scope="module")
def view(cup: list[GameRecord], tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunView]:
    path = tmp_path_factory.mktemp("games") / "t.sqlite"
    with begun(path, cup, rounds=6) as store:
        store.add(void(cup[3], "no memory"))
        for record in cup:
            store.add(record.model_copy(update={"attempt": 2}))
    with RunView(path) as view:
        yield view


def test_all_games_are_seen_by_their_first_player(view: RunView, cup: list[GameRecord]) -> None:
    found = rows(view, GameFilter())
    assert [row.game for row in found] == [record.game for record in cup]
    assert all(
        row.seat == 0 and row.player == cup[n].seats[0].player for n, row in enumerate(found)
    )


def test_a_player_sees_its_own_side(view: RunView, cup: list[GameRecord]) -> None:
    found = rows(view, GameFilter(player="uct", against="monkey", results=("lost",)))
    mine = [
        (record, seat)
        for record in cup
        for seat in (0, 1)
        if record.seats[seat].player == "uct" and record.seats[1 - seat].player == "monkey"
    ]
    lost = [(record, seat) for record, seat in mine if record.points[seat] == 0]
    assert [(row.game, row.seat) for row in found] == [(r.game, seat) for r, seat in lost] != []
    for row, (record, seat) in zip(found, lost, strict=True):
        times = [move.used_ms or 0 for move in record.moves if move.seat == seat]
        assert (row.score, *row.opponent_scores) == (record.scores[seat], record.scores[1 - seat])
        assert (row.plies, row.moves, row.result) == (len(record.moves), len(times), "lost")
        assert row.slowest_ms == pytest.approx(max(times), abs=0.01)
        assert row.total_ms == pytest.approx(sum(times), abs=0.01)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (GameFilter(ending="timeout"), {"g0011", "g0047"}),
        (GameFilter(ending="forfeit", player="monkey", results=("lost",)), {"g0011", "g0047"}),
        (GameFilter(ending="forfeit", player="monkey", results=("won",)), set()),
        (GameFilter(ending="illegal_move"), set()),
        (GameFilter(ending="void"), {"g0004"}),
        (GameFilter(player="uct", against="uct"), set()),
    ],
)
def test_games_by_their_ending(view: RunView, wanted: GameFilter, found: set[str]) -> None:
    assert {row.game for row in rows(view, wanted)} == found


def test_one_side_and_several_results(view: RunView) -> None:
    second = rows(view, GameFilter(player="uct", side="second"))
    assert {row.seat for row in second} == {1} and len(second) == 18
    either = rows(view, GameFilter(player="uct", results=("won", "lost")))
    parts = [rows(view, GameFilter(player="uct", results=(one,))) for one in ("won", "lost")]
    assert len(either) == sum(map(len, parts))


def test_the_slowest_and_the_longest_come_first(view: RunView) -> None:
    slowest = [row.slowest_ms or 0 for row in rows(view, GameFilter(), "slowest")]
    longest = [row.plies for row in rows(view, GameFilter(), "longest")]
    assert slowest == sorted(slowest, reverse=True) and longest == sorted(longest, reverse=True)


def shown(found: list[GameRow], width: int = 80) -> str:
    out = io.StringIO()
    games_table.show(found, Console(file=out, width=width))
    return out.getvalue()


def test_the_table_says_how_games_ended(view: RunView) -> None:
    text = shown(rows(view, GameFilter(player="monkey", ending="timeout")), 120)
    assert "timeout by monkey: no reply within 5100 ms" in text and "2 games" in text
    assert "[bold]greedy[/bold]" in shown(rows(view, GameFilter(player="[bold]greedy[/bold]")))
    assert shown([]) == "No game matches.\n"


def test_of_many_games_the_first_are_shown(view: RunView, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games_table, "_MOST", 5)
    text = shown(rows(view, GameFilter()))
    assert "g0005" in text and "g0006" not in text
    assert "72 games, the first 5 shown; --csv has all" in text


def test_csv_has_each_game_as_both_players_saw_it(view: RunView) -> None:
    both = [row for game in view.games for row in seen_by_each(game)]
    lines = list(csv.DictReader(io.StringIO(csv_report.table(*csv_report.games(both)))))
    assert len(lines) == 2 * len(view.games)
    first, second = lines[20:22]
    assert first["game"] == second["game"] == "g0011"
    assert (first["player"], first["opponents"]) == (second["opponents"], second["player"])
    assert (first["score"], first["opponent_scores"]) == (
        second["opponent_scores"],
        second["score"],
    )
    assert {first["ending"], second["ending"]} == {"timeout"}


def test_a_lone_player_has_no_opponent_and_no_result() -> None:
    (row,) = seen_by_each_of(play_record("2048", "left"))
    assert row.opponents == () and row.result is None and "–" in shown([row])
    (row,) = seen_by_each_of(play_record("2048", "left", forfeit=0))
    assert row.result == "lost" and row.forfeited_by == "left"


def seen_by_each_of(record: GameRecord) -> list[GameRow]:
    return list(seen_by_each(digest(record)))


@pytest.mark.parametrize("width", [60, 80, 140])
@pytest.mark.parametrize("number", [3, 300])
def test_ids_that_name_the_players_are_whole(view: RunView, width: int, number: int) -> None:
    id_ = "a-player-with-a-long-name:another-player-of-that-kind:1.1"
    one, other, _ = id_.split(":")
    row = rows(view, GameFilter())[0].model_copy(
        update={"game": id_, "player": one, "opponents": (other,)}
    )
    lines = shown([row] * number, width).splitlines()
    assert lines[0].split()[:2] == ["Game", "Player"] and "Score" in lines[0]
    assert "Opponent" not in lines[0]  # the id says who it is
    assert id_ in "".join(line.split("  ")[0] for line in lines[2:8])


@pytest.mark.parametrize("width", [40, 60, 72])
@pytest.mark.parametrize("number", [3, 300])
def test_names_give_way_to_ids(view: RunView, width: int, number: int) -> None:
    row = rows(view, GameFilter())[0].model_copy(
        update={"player": "a player with a long name", "opponents": ("another with a long name",)}
    )
    lines = shown([row] * number, width).splitlines()
    assert lines[0].split() == ["Game", "Player", "Opponent", "Score", "Ending"]
    assert row.game in lines[2] and max(map(len, lines)) <= width
