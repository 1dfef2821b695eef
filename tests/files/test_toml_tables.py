"""What is said about values that a model refuses."""

from copy import deepcopy
from typing import ClassVar, Literal

import pytest
from pydantic import BaseModel, Field, ValidationError

from arena.files.toml import parse
from arena.files.toml_tables import (
    Finding,
    TomlTable,
    explain,
    few_of,
    nearest,
    problems,
    read_tables,
    reporter,
    shown,
    written,
    wrong_name,
)


class Steps(BaseModel):
    steps: list[tuple[float, float]] = Field(min_length=1)
    range: list[float] = Field(default=[0, 1], min_length=2, max_length=2)
    name: str = Field(default="", max_length=3)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"steps": [[0.0, 1.4], [0.3]]}, "steps[2][2]: is missing"),
        ({"steps": [[]]}, "steps[1][1]: is missing"),
        ({"steps": [[1, 2, 3]]}, "steps[1]: must have at most 2 items, got [1, 2, 3]"),
        ({}, "steps: is missing"),
        ({"steps": []}, "steps: must not be empty, got []"),
        ({"steps": [[0, 1]], "range": [1]}, "range: must have at least 2 items, got [1]"),
        ({"steps": [[0, 1]], "name": "four"}, 'name: must have at most 3 characters, got "four"'),
    ],
)
def test_items_and_characters_are_counted(data: dict[str, object], expected: str) -> None:
    with pytest.raises(ValidationError) as refusal:
        Steps.model_validate(data)
    found = [f"{written(path)}: {message}" for path, message in explain(refusal.value, Steps, data)]
    assert expected in found


class Options(TomlTable):
    depth: int = 1
    python: str = ""


class Player(TomlTable):
    synonyms: ClassVar[dict[str, str]] = {"name": "label"}
    label: str = ""
    from_: str = Field("", alias="from")
    kind: Literal["ant", "bee", "wasp"] = "ant"
    options: Options = Options()
    sandbox: Literal["none"] | None = None


class File(TomlTable):
    title: str = ""
    words: list[str] = Field(default_factory=list)
    player: list[Player] = Field(default_factory=list)
    round_robin: Options | None = Field(None, alias="round-robin")


def said(text: str) -> list[str]:
    """The sentences on a file, in their order, with lines."""
    data = parse(text)
    given = deepcopy(data)
    _, findings = read_tables(File, data)
    assert data == given, "what was read stays as it was"
    return [f"{each.line}: {each.key}: {each.message}" for each in problems(text, findings)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("title = 7", "1: title: must be a valid string, got 7"),
        ("titel = 7", '1: titel: unknown key; did you mean "title"? (known: title, words, player, '
         'round-robin)'),
        ("words = 'a b'", '1: words: must be a list: write ["a", "b"], got "a b"'),
        ("words = 3", "1: words: must be a list: write [3], got 3"),
        ("player = 3", "1: player: must be a list of tables: write [[player]], got 3"),
        ("player = [3]", "1: player[1]: must be a table: write [[player]], got 3"),
        ("[[player]]\noptions = 3", "2: player[1].options: must be a table: write "
         "[player.options], got 3"),
        ("[[player]]\nname = 'a'", '2: player[1].name: unknown key; did you mean "label"? '
         "(known: label, from, kind, options, sandbox)"),
        ("[[player]]\nform = 'a'", '2: player[1].form: unknown key; did you mean "from"? '
         "(known: label, from, kind, options, sandbox)"),
        ("[[player]]\nkind = 'wsap'", "2: player[1].kind: must be one of 'ant', 'bee', 'wasp', got "
         '"wsap"; did you mean "wasp"?'),
        ("[[player]]\nkind = 7", "2: player[1].kind: must be one of 'ant', 'bee', 'wasp', got 7"),
        ("[round-robin]\ndept = 1", '2: round-robin.dept: unknown key; did you mean "depth"? '
         "(known: depth, python)"),
        ("[[player]]\nsandbox = 'zz'", "2: player[1].sandbox: must be 'none', got \"zz\""),
        ("[[player]]\noptions.zz = 1", "2: player[1].options.zz: unknown key; "
         "known: depth, python"),
    ],
)  # fmt: skip
def test_a_mistake_names_its_key_what_it_must_be_and_what_it_is(text: str, expected: str) -> None:
    assert said(text) == [expected]


def test_mistakes_are_in_the_order_of_the_file_and_the_rest_is_taken() -> None:
    text = "[[player]]\nkind = 7\nlabel = 'a'\n[[player]]\noptions = {depth = 'b'}\nlabel = 3\n"
    assert [line.partition(": must")[0] for line in said(text)] == [
        "2: player[1].kind", "5: player[2].options.depth", "6: player[2].label",
    ]  # fmt: skip
    file, _ = read_tables(File, parse(text))
    first, second = file.player
    assert (first.label, first.kind, second.label, second.options.depth) == ("a", "ant", "", 1)


def test_a_key_that_is_wrong_in_itself_is_reported_once() -> None:
    findings = [Finding(("player", 0), "is wrong")]
    report = reporter(findings)
    report(("player", 0, "label"), "is wrong too")
    report(("player", 1), "is another")
    assert [found.path for found in findings] == [("player", 0), ("player", 1)]


def test_a_name_is_near_only_where_it_may_be_meant() -> None:
    assert nearest("pyton", ["python"]) == '; did you mean "python"?'
    assert nearest("path", ["python"]) == ""


def test_a_large_field_without_anything_near_shows_its_first_names() -> None:
    names = [f"{number:02}" for number in range(41)]
    assert few_of(names, "zzz") == "00, 01, 02, 03, 04 and 36 more"
    assert few_of(names[:40], "zzz") == ", ".join(names[:40])


@pytest.mark.parametrize("name", ["a b", "Ä", "x.y", "é" * 100, "9" * 200])
def test_a_file_may_have_this_name(name: str) -> None:
    assert wrong_name(name, "a file") is None


@pytest.mark.parametrize("name", ["", ".hidden", "a/b", "a\nb", "\x1b", "é" * 101, "9" * 201])
def test_a_file_may_not_have_this_name(name: str) -> None:
    assert "names a file: no slash" in str(wrong_name(name, "a file"))


def test_values_and_keys_of_others_are_shown_in_plain_text_and_short() -> None:
    assert shown("Jürgen") == '"Jürgen"'
    assert shown("\u202egnp") == '"\\u202egnp"'
    assert shown("x" * 78) == f'"{"x" * 78}"'
    assert len(shown("x" * 79)) == 78 and shown("x" * 79).endswith("…")
    assert written(("player", 1, "\u202ea")) == "player[2].\\u202ea"
