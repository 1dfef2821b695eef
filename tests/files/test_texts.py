"""Sentences on names that nothing has, the ends of logs, and the width of a console."""

import io
from pathlib import Path

import pytest

from arena.files.console import PlainConsole
from arena.files.plain_text import end_of
from arena.files.toml_tables import did_you_mean


def test_a_small_field_is_listed_whole_and_a_large_one_by_what_is_near() -> None:
    assert did_you_mean("uc", ["uct", "monkey"]) == 'did you mean "uct"? (known: uct, monkey)'
    assert did_you_mean("zzz", [], "bots") == "bots: none"
    field = [f"player-{number}" for number in range(1000)]
    said = did_you_mean("player-12", field[:12] + field[13:], "players")
    assert said.startswith('did you mean "player-')
    assert said.endswith(" and 994 more)") and said.count(",") == 4


def test_the_end_of_a_log_is_read_and_none_where_there_is_none(tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    assert end_of(log, 10) == ""
    log.write_bytes(b"a first line\nand \xff more\n")
    assert end_of(log, 7) == "\ufffd more\n"
    assert end_of(log, 1000) == "a first line\nand \ufffd more\n"


def test_a_console_without_columns_has_some(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "0")
    file = io.StringIO()
    PlainConsole(file=file).print("a line")
    assert file.getvalue() == "a line\n"
