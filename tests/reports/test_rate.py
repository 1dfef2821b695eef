"""Lists of results from elsewhere: forms that are read, and messages on bad lines."""

from pathlib import Path

import pytest

from arena.errors import RateError, UserError
from arena.ratings.results import Result, Results
from arena.reports.csv_report import read_results
from arena.reports.results_file import results_in
from arena.reports.words import about_list
from tests.command import arena


@pytest.mark.parametrize(
    "text",
    [
        "a,b,1\nb,a,0.5\n",
        "first,second,score,Result\na,b,1,1-0\nb,a,0.5,\n",
        "first,second,score\na,b,1\n\nb,a,1/2\n",
        "\ufeffScore, Second ,FIRST,note\r\n1-0,b,a,x\r\n1/2-1/2,a,b,\r\n",
        'a,"b",1.0\n  b , a , ½ \n',
        "a,b,1,,\n,,\nb,a,0.5,,\n",
        "first,second,score,a;b\na,b,1,x\nb,a,0.5,\n",
    ],
)
def test_forms_that_are_read(text: str) -> None:
    assert read_results(text, "x.csv").results == (Result("a", "b", 1.0), Result("b", "a", 0.5))


def test_a_player_may_have_the_name_of_a_column() -> None:
    results = (Result("black", "white", 1.0), Result("white", "black", 0.5))
    assert read_results("black,white,1\nwhite,black,½\n", "x.csv").results == results


def test_the_pair_column_and_names_with_commas() -> None:
    text = 'first,second,score,pair\n"x, y",b,0,p1\nb,"x, y",0-1,p1\n'
    assert read_results(text, "x.csv").results == (
        Result("x, y", "b", 0.0, "p1"),
        Result("b", "x, y", 0.0, "p1"),
    )
    assert read_results("a,b,1,7\n", "x.csv").results == (Result("a", "b", 1.0, "7"),)
    numbered = read_results("a,b,1,1\nb,a,0,5\n", "x.csv").results
    assert numbered == (Result("a", "b", 1.0, "1"), Result("b", "a", 0.0, "5"))
    named = read_results("first,second,score,pair\na,b,0,5\n", "x.csv").results
    assert named == (Result("a", "b", 0.0, "5"),)


def test_a_column_says_that_the_order_of_the_players_means_nothing() -> None:
    text = "first,second,score,Ordered\na,b,1,no\nb,a,0,{}\n"
    listed = (Result("a", "b", 1.0), Result("b", "a", 0.0))
    assert read_results(text.format("no"), "x.csv") == Results(listed, False)
    assert read_results(text.format(""), "x.csv") == Results(listed, False)
    assert read_results(text.replace("no", "yes").format(""), "x.csv") == Results(listed, True)
    assert read_results(text.replace("no", "false").format("False"), "x.csv").first_mover is False
    assert read_results(text.replace("no", "true").format("yes"), "x.csv").first_mover is True
    assert read_results("a,b,1\nb,a,0\n", "x.csv") == Results(listed, True)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [([1.0] * 19 + [0.5], True), ([1.0] * 19, False), ([1.0] * 19 + [0], False)],
)
def test_a_list_that_never_names_the_loser_first_is_doubted(
    scores: list[float], expected: bool
) -> None:
    listed = [Result(*("ab" if n % 3 else "ba"), score) for n, score in enumerate(scores)]
    assert not list(about_list(Results(listed, first_mover=False)))
    assert [("ordered" in line) for line in about_list(Results(listed))] == [True] * expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "x.csv: no results; expected lines of first,second,score"),
        ("first,second,score\n", "x.csv: a header and no results"),
        ("first,score\na,1\n", "x.csv, line 1: the header lacks second"),
        ("first,second,points\na,b,1\n", "x.csv, line 1: the header lacks score;"),
        ("a;b;1\n", "x.csv, line 1: separate the columns with commas"),
        ("a\tb\t1\n", "x.csv, line 1: separate the columns with commas"),
        (
            "White,Black,Result\na,b,1-0\n",
            "x.csv, line 1: the header lacks first, second, score; expected first (the player who "
            "moved first: white in chess, black in Othello), second, score (of the first",
        ),
        ("player1,player2,result\na,b,1\n", "x.csv, line 1: the header lacks first, second, score"),
        (
            "first,second,score,First,x,x\na,b,1,c,,\n",
            "x.csv, line 1: the header has first more than once; rename",
        ),
        (
            "first,second,score,ordered,ordered\na,b,1,no,yes\n",
            "x.csv, line 1: the header has ordered more than once; rename",
        ),
        ("a,b,1\na,b,2\n", "x.csv, line 2: score '2' is not 1"),
        ("a,b,nan\n", "line 1: score 'nan' is not 1"),
        ("a,b\n", "line 1: no score; expected first, second, score"),
        (
            "first,second,score\na,b,1\nfirst,second,score,ordered\na,b,1,no\n",
            "x.csv, line 3: names other columns than the first line, as the list of another",
        ),
        ("first,second,score\na,b,1\nFirst,Second,Score\n", "x.csv, line 3: names other columns"),
        ("a,,1\n", "line 1: no second"),
        ("a,b\nb,a,2\n", "line 2: score '2' is not 1"),
        ("first,second,score\na,b,0,5\n", "line 2: 4 fields, expected 3; write a draw as 0.5"),
        ("a,b,1,p1,x\n", "line 1: 5 fields, expected 4"),
        ("a,b,1\nb,a,0,5\n", "line 2: 4 fields, expected 3; write a draw as 0.5"),
        ("b,a,0,5\na,b,1\n", "line 2: 3 fields, expected 4; write a draw as 0.5"),
        ("a,b,1,0\nb,a,0,5\n", "0,5 looks like a draw with a decimal comma; write 0.5"),
        ("first,second,score,ordered\na,b,1,maybe\n", "line 2: ordered 'maybe' is not yes"),
        ("a,a,1\n", "line 1: 'a' plays against itself"),
        ("a,b\x1b[2J,1\n", r"line 1: 'b\x1b[2J' cannot be a player's name"),
        ('a,b,1\n"a,b,1\n', "line 2: not CSV"),
    ],
)
def test_bad_files_are_refused_with_line_and_reason(text: str, message: str) -> None:
    with pytest.raises(RateError) as caught:
        read_results(text, "x.csv")
    assert message in str(caught.value)


def test_games_of_pgn_that_are_not_over_are_counted(tmp_path: Path) -> None:
    file = tmp_path / "two.pgn"
    heading = '[White "a"]\n[Black "b"]\n[Result "{0}"]\n\n{0}\n\n'
    file.write_text(heading.format("1-0") + heading.format("*"))
    found = results_in(file)
    assert found.results == [Result("a", "b", 1.0)]
    assert list(about_list(found)) == ["Left out, as they are not over: 1 game."]


def test_games_that_are_in_a_file_twice_are_counted(tmp_path: Path) -> None:
    games = (Path(__file__).parents[1] / "records/files/server.ggf").read_text()
    once, twice = tmp_path / "once.ggf", tmp_path / "twice.ggf"
    once.write_text(games)
    twice.write_text(games + games)
    assert results_in(once).repeated == 0
    said = arena("rate", twice).stdout
    assert "Games that went move for move like an earlier one of the same players: 2." in said


def test_games_that_name_no_players_are_not_rated(tmp_path: Path) -> None:
    file = tmp_path / "games.txt"
    file.write_text("f5d6c3d3c4f4\n")
    with pytest.raises(RateError, match="its games name no players; use a form that does"):
        results_in(file)


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_another_encoding_is_to_be_saved_again(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("first,second,score\né,b,1\n", encoding=encoding)
    with pytest.raises(UserError, match="not UTF-8 text; save a table as UTF-8"):
        results_in(tmp_path / "x.csv")


def test_many_bad_lines_are_listed_up_to_ten() -> None:
    with pytest.raises(RateError) as caught:
        read_results("a,b,x\n" * 25, "x.csv")
    lines = str(caught.value).splitlines()
    assert len(lines) == 11 and lines[-1] == "… and 15 more like these"


def test_a_list_with_results_twice_is_reported() -> None:
    run = [Result("a", "b", 1.0, "w: 1"), Result("b", "a", 0.0, "w: 1"), Result("a", "b", 0.5)]
    assert not list(about_list(Results(run)))
    (said,) = about_list(Results([*run, *run]))
    assert "more than once: 1, the first is" in said and "w: 1" in said
