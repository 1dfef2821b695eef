"""What is printed in a pipe and on a terminal."""

import io

import pytest
from rich.console import Group
from rich.table import Table

from arena.files.console import PlainConsole


@pytest.mark.parametrize(("columns", "lines"), [("", 2), ("80", 4)])
def test_a_pipe_has_room_for_any_table(
    columns: str, lines: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    table = Table("moves", box=None)
    table.add_row(" ".join(["move"] * 40))
    out = io.StringIO()
    PlainConsole(file=out).print(Group(table))
    assert len(out.getvalue().splitlines()) == lines
