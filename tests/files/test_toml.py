"""TOML files that cannot be read, and values that options give: what is said, and of which line."""

from pathlib import Path

import pytest

from arena.errors import FileError, UserError
from arena.files.toml import NotToml, parse, read_file, read_pairs
from tests.files.users import as_nobody


def refusal(path: Path) -> str:
    with pytest.raises(FileError) as error:
        read_file(path)
    return str(error.value)


def test_a_mark_that_editors_begin_a_file_with_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_bytes(b"\xef\xbb\xbfname = 'x'\n")
    assert read_file(tmp_path / "x.toml") == ("name = 'x'\n", {"name": "x"})


def test_a_missing_file_names_those_there_are(tmp_path: Path) -> None:
    folder = tmp_path / "cups"
    assert "no such file, and nothing like it" in refusal(folder / "cup.toml")
    folder.mkdir()
    (folder / "pyproject.toml").touch()
    assert "no such file, and nothing like it" in refusal(folder / "project.toml")
    (folder / "ladder.toml").touch()
    assert f'did you mean "{folder}/ladder.toml"?' in refusal(folder / "lader.toml")
    assert refusal(folder / "zzz.toml").endswith("no such file; there are: ladder.toml")
    assert refusal(folder).endswith("is a folder; name a file in it")


@pytest.mark.parametrize(
    ("contents", "expected"),
    [
        (b"a = '\xff'", "not UTF-8 text: byte 0xff at 5"),
        (b"SQLite format 3\0\xff", "is a file of SQLite, not text"),
        (b"a = 1\nb = \n", "x.toml:2: not valid TOML: Invalid value"),
        (b"a = 1\nb = '", "not valid TOML"),
    ],
)
def test_what_is_no_toml_says_where(tmp_path: Path, contents: bytes, expected: str) -> None:
    (tmp_path / "x.toml").write_bytes(contents)
    assert expected in refusal(tmp_path / "x.toml")


def test_a_file_that_may_not_be_read_names_the_right(for_all: Path) -> None:
    (for_all / "x.toml").touch(0o600)
    with as_nobody():
        said = refusal(for_all / "x.toml")
    assert f"Permission denied; nobody may not read {for_all}/x.toml of the user root" in said


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a = 1\nb = 2\na = 3\n", (3, "a")),
        ("[t]\na = 1\n[u]\na = 1\n[t]\n", (5, "t")),
        ("[[p]]\na = 1\n[[p]]\na = 2\na = 3\n", (5, "p.a")),
        ("[p.q]\n[[p.r]]\nb = 1\n[p.q]\n", (4, "p.q")),
        ("[t]\na = 1\na = 3\nb = = 2\n", (3, "t.a")),
    ],
)
def test_what_is_written_twice_is_named_at_its_second_place(
    text: str, place: tuple[int, str]
) -> None:
    with pytest.raises(NotToml) as error:
        parse(text)
    problem = error.value.problem
    assert (problem.line, problem.key) == place and "is there twice" in problem.message


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[[p]]\na = 1\n[[p]]\na = = 2\n", 4),  # in another table a key may be there again
        ("a = = 2\nb = 1\nb = 2\n", 1),  # the first mistake is told first
        ('a = """b', None),  # at the end
        ("a.b = 1\n[a]\n!! = 2\n", 2),  # what follows a mistake may be anything
    ],
)
def test_other_mistakes_are_told_as_they_are(text: str, line: int | None) -> None:
    with pytest.raises(NotToml, match="not valid TOML") as error:
        parse(text)
    assert error.value.problem.line == line


@pytest.mark.parametrize(("levels", "fits"), [(63, True), (64, False)])
def test_the_deepest_value_that_is_taken(levels: int, fits: bool) -> None:
    text = f"a = {'[' * levels}1{']' * levels}"
    if fits:
        assert parse(text)["a"]
    else:
        with pytest.raises(NotToml, match="nested more than 64 deep"):
            parse(text)


@pytest.mark.parametrize("number", ["9" * 5000, f"0x{'f' * 5000}"])
def test_an_integer_that_python_does_not_write_is_refused(number: str) -> None:
    with pytest.raises(NotToml, match="an integer of thousands of digits"):
        parse(f"a = {number}")


def test_options_are_values_of_toml_or_texts() -> None:
    given = ["depth = 3", "words=['a']", "name=fox", "x= ", "path=a=b"]
    assert read_pairs("--option", given) == {
        "depth": 3, "words": ["a"], "name": "fox", "x": "", "path": "a=b",
    }  # fmt: skip
    assert read_pairs("--option", None) == {}
    for wrong in ("depth", "=3", " = 3"):
        with pytest.raises(UserError, match="--option takes key=value"):
            read_pairs("--option", [wrong])
