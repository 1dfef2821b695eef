"""What is printed in a pipe and on a terminal."""

import errno
import io
import termios
from typing import Any
from unittest.mock import Mock

import pytest
from rich.console import Group
from rich.padding import Padding
from rich.table import Table

from arena.files.console import PlainConsole, unread


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


def test_a_table_in_a_layout_on_a_terminal_has_its_part_of_it() -> None:
    layout, table = Table.grid(), Table("moves", box=None)
    table.add_row("m" * 90)
    layout.add_row(Padding(table, (0, 20)))
    out = io.StringIO()
    PlainConsole(file=out, force_terminal=True, width=60).print(layout)
    assert "…" in out.getvalue(), "cut where it does not fit, with a mark"


def test_a_text_has_no_words_for_rich() -> None:
    table = Table("[red]first", box=None)
    table.add_row("ann:cat:2.1")
    out = io.StringIO()
    PlainConsole(file=out).print(table)
    assert out.getvalue().split() == ["[red]first", "ann:cat:2.1"]


@pytest.mark.parametrize(
    ("error", "answer", "is_unread"),
    [
        (BrokenPipeError(), None, True),
        (OSError(errno.EIO, "Input/output error"), termios.error(errno.EIO), True),
        (OSError(errno.EIO, "Input/output error"), termios.error(errno.ENOTTY), False),
        (OSError(errno.EIO, "Input/output error"), None, False),
        (OSError(errno.EIO, "Input/output error", "run.sqlite"), termios.error(errno.EIO), False),
        (OSError(errno.ENOSPC, "No space left on device"), termios.error(errno.EIO), False),
    ],
)
def test_a_closed_pipe_or_terminal_is_told_from_a_disk_that_fails(
    monkeypatch: pytest.MonkeyPatch,
    error: OSError,
    answer: termios.error | None,
    is_unread: bool,
) -> None:
    monkeypatch.setattr(termios, "tcgetattr", Mock(side_effect=answer))
    assert unread(error) == is_unread


def test_force_color_gives_a_log_colours_and_no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "")
    monkeypatch.delenv("NO_COLOR", raising=False)
    table = Table("moves", box=None)
    table.add_row("m" * 90)
    out = io.StringIO()
    console = PlainConsole(file=out)
    console.print(table)
    assert not console.is_terminal, "else games are drawn over each other, again and again"
    assert "\x1b[1m" in out.getvalue()
    assert "m" * 90 in out.getvalue()


def test_a_stdout_of_a_program_may_only_write(monkeypatch: pytest.MonkeyPatch) -> None:
    class Log:
        def write(self, text: str) -> None:
            lines.append(text)

    lines = list[str]()
    out: Any = Log()
    for asked in ("", "1"):
        monkeypatch.setenv("FORCE_COLOR", asked)
        assert not PlainConsole(file=out).is_terminal
