"""bot.toml: what it may say, and what is said of mistakes."""

import re
from pathlib import Path

import pytest

from arena.bots.manifest import is_name, read_manifest
from arena.errors import ManifestError

GOOD = 'name = "corner"\nrules = ["othello"]\ncommand = ["./bot"]\n'


def read(tmp_path: Path, text: str | bytes) -> list[str]:
    """What is said of a bot.toml, line by line, without its path."""
    path = tmp_path / "bot.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ManifestError) as caught:
        read_manifest(path)
    return [line.removeprefix(str(path)) for line in str(caught.value).splitlines()]


def test_all_keys(tmp_path: Path) -> None:
    path = tmp_path / "bot.toml"
    path.write_text(GOOD + 'build = ["make", "bot"]\nauthors = ["Ada", "Grace"]\n')
    manifest = read_manifest(path)
    assert manifest.name == "corner"
    assert manifest.rules == ["othello"]
    assert manifest.command == ["./bot"]
    assert manifest.build == ["make", "bot"]
    assert manifest.authors == ["Ada", "Grace"]


def test_an_unknown_key_is_reported_with_its_line_and_the_nearest_key(tmp_path: Path) -> None:
    (said,) = read(tmp_path, GOOD + '\nbiuld = ["make"]\n')
    assert said.startswith(':5: biuld: unknown key; did you mean "build"?')


def test_a_synonym_of_a_key_names_the_key(tmp_path: Path) -> None:
    (said,) = read(tmp_path, GOOD + '\ngame = "othello"\n')
    assert said.startswith(':5: game: unknown key; did you mean "rules"?')


def test_everything_that_is_missing_is_reported_at_once(tmp_path: Path) -> None:
    said = read(tmp_path, "")
    assert [line.split(":")[1].strip() for line in said] == ["name", "rules", "command"]
    assert all("is missing" in line for line in said)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('["othello"]', '["othelo"]', ':2: rules\\[1\\]: must be one of.*did you mean "othello"'),
        ('["othello"]', "[]", ":2: rules: must not be empty"),
        ('["othello"]', '"othello"', ":2: rules: must be a list"),
        ('["./bot"]', '"./bot"', ":3: command: must be a list"),
        ('["./bot"]', "[]", ":3: command: "),
        ('["./bot"]', '[" "]', ":3: command: .*its first word is empty"),
        ('["./bot"]', '["./bot", "a\\u0000"]', ":3: command: .*NUL"),
        ('["./bot"]', '["./bot", "\\u001b[31m"]', ":3: command: .*control characters"),
        ('["./bot"]', f'["./bot", "{"x" * 4092}"]', ":3: command: has more than 4,096 characters"),
        ('"corner"', '"../corner"', ":1: name: a name is letters"),
        ('"corner"', "7", ":1: name: "),
        ('"corner"', '"corner', ":1: not valid TOML: [^(]*, at column 15$"),
        ('"corner"', '"corner"\nname = "hunter"', ":2: name: is there twice; leave one"),
        ('["./bot"]', '["./bot"]\n[a]\nb = 1\n[a]\nb = 2', ":6: a: is there twice; leave one"),
    ],
)
def test_a_mistake_in_a_value(tmp_path: Path, old: str, new: str, words: str) -> None:
    (said,) = read(tmp_path, GOOD.replace(old, new))
    assert re.match(words, said), said


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("[" * 20000, "is nested more than 64 deep"),
        ("[" * 70 + "]" * 70, "is nested more than 64 deep"),
        ("0\n" + "a." * 900 + "b = 0", "is nested more than 64 deep"),
        ("1" * 10000, "a value cannot be read: "),
    ],
)
def test_values_beyond_what_a_parser_takes(tmp_path: Path, value: str, words: str) -> None:
    (said,) = read(tmp_path, f"name = {value}\n")
    assert said.startswith(f": {words}"), said


def test_the_reasons_alone_name_the_place_too(tmp_path: Path) -> None:
    path = tmp_path / "bot.toml"
    path.write_text(GOOD.replace('["./bot"]', "[]"))
    with pytest.raises(ManifestError) as caught:
        read_manifest(path)
    assert caught.value.reasons == ("bot.toml:3: command: must not be empty, got []",)


def test_the_mark_that_some_editors_begin_with_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_bytes(b"\xef\xbb\xbf" + GOOD.encode())
    assert read_manifest(tmp_path / "bot.toml").name == "corner"


def test_text_that_is_not_utf8(tmp_path: Path) -> None:
    assert read(tmp_path, b'name = "corner"\nauthors = ["\xe9"]\n') == [":2: not UTF-8 text"]


@pytest.mark.parametrize("name", ["a", "corner-hunter", "v1.2", "A_b", "x" * 64])
def test_names(name: str) -> None:
    assert is_name(name)


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", ".hidden", "-x", "a/b", "a\\b", "a b", "é", "a\n", "a\0", "a.", "x" * 65],
)
def test_names_that_could_harm_a_file_system(name: str) -> None:
    assert not is_name(name)
