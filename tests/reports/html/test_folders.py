"""What visitors read names no folder of the server, whatever its name and wherever it stands."""

import html
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from markupsafe import escape
from pydantic_core import to_json

from arena.bots.package import package_store
from arena.files.cache import cache_root
from arena.model.record import SeatRecord
from arena.referee.head_tail import KEPT_BYTES, HeadTail
from arena.reports.html import data
from arena.reports.html.folders import stderr_without_folders, without_folders
from arena.reports.html.model import SeatStderr

FOLDER = Path("/srv/course/ada")


@pytest.mark.parametrize("name", ["fox", "O'Brien", "R&D", 'the "best"', "Müller"])
def test_no_folder_is_named_in_a_sentence_a_page_or_json(name: str) -> None:
    folder = Path("/srv/course", name)
    said, left = f"{folder}/bot.py is in {folder}", f"bot.py is in {name}"
    assert without_folders(said, folder) == without_folders(said, None, folder) == left
    assert html.unescape(without_folders(str(escape(said)), folder)) == left
    assert json.loads(without_folders(to_json(said).decode(), folder)) == left


def test_a_folder_of_the_cache_is_named_neither_with_its_files_nor_alone() -> None:
    folder = package_store() / "1f2e3d-built"
    said = f"in {folder}: {folder}/bot.py; {FOLDER} and {FOLDER}/bot.py"
    assert without_folders(said) == f"in .: bot.py; {FOLDER} and {FOLDER}/bot.py"
    assert without_folders(said, FOLDER) == "in .: bot.py; ada and bot.py"
    part = f"{package_store()}/.making-x1_y2/src/bot.c"
    assert without_folders(part) == "src/bot.c"


def test_the_cache_is_not_named_in_a_sentence_about_it() -> None:
    full, root = "fox.zip: the cache {} cannot be used: No space left on device", cache_root()
    assert without_folders(full.format(package_store())) == full.format("bots")
    assert without_folders(full.format(root)) == full.format(".")
    assert without_folders(f"{root}-2/x and {root}/x") == f"{root}-2/x and x"


@pytest.mark.parametrize("at", range(len(f"{FOLDER}/bot.py")))
def test_no_mark_and_no_end_of_the_head_hides_a_folder(at: int) -> None:
    said = f"one\n{FOLDER}/bot.py\nlast\n"
    for cut in (4 + at, len(said)):
        found = SeatStderr(head=said[:cut], tail=said[cut:], bytes=len(said), marks=[4, 4 + at])
        left = stderr_without_folders(found, FOLDER)
        assert left.head + left.tail == "one\nbot.py\nlast\n"
        assert left.bytes == len("one\nbot.py\nlast\n")
        assert left.marks == [4, 4 + max(0, at - len(f"{FOLDER}/"))]


def test_a_mark_before_a_folder_stays_before_its_name() -> None:
    said = f"in {FOLDER}: no\n"
    found = SeatStderr(head=said, tail="", bytes=len(said), marks=[0, 3, len(said)])
    left = stderr_without_folders(found, FOLDER)
    assert (left.head, left.marks) == ("in ada: no\n", [0, 3, len("in ada: no\n")])


def test_characters_of_several_bytes_are_no_lines_that_are_not_kept() -> None:
    said = f"Zürich\nKöln {FOLDER}/bot.py\nÖ\n"
    found = SeatStderr(head=said[:9], tail=said[9:], bytes=len(said.encode()), marks=[])
    left = stderr_without_folders(found, FOLDER)
    assert left.head + left.tail == "Zürich\nKöln bot.py\nÖ\n"
    assert left.bytes == len((left.head + left.tail).encode())


@pytest.mark.parametrize("at", range(len(f"{FOLDER}/bot.py")))
def test_where_lines_are_not_kept_no_part_of_a_folder_is_left(at: int) -> None:
    said = f"first\nin {FOLDER}/bot.py, line 7\nlast\n"
    cut = said.index("/") + at
    found = SeatStderr(head=said[:cut], tail=said[cut:], bytes=10**6, marks=[6, cut - 1, cut + 2])
    left = stderr_without_folders(found, FOLDER)
    assert (left.head, left.tail, left.marks) == ("first\n", "\nlast\n", [6, 6, 6])
    assert left.bytes > len(left.head + left.tail)


@pytest.mark.parametrize("at", range(0, len(f"{FOLDER}/bot.py"), 3))
@pytest.mark.parametrize("line", ["\x1b[1m", "\r", "a long line " * 500])
def test_escapes_and_long_lines_hide_no_part_of_a_folder(line: str, at: int) -> None:
    path = f"{FOLDER}/bot.py"
    kept = HeadTail()
    kept.feed((line * KEPT_BYTES)[: KEPT_BYTES - at].encode() + path.encode())
    kept.feed((path * 5000).encode())
    kept.feed(path[at:].encode() + (line * KEPT_BYTES)[: KEPT_BYTES - len(path) + at].encode())
    seat = SeatRecord(
        player="fox", stderr_head=kept.head, stderr_tail=kept.tail, stderr_bytes=kept.total
    )
    anybody: Any = SimpleNamespace(
        audience=SimpleNamespace(may_read=lambda player: True), stderr=lambda stderr: stderr
    )
    said = data._stderr_of(seat, anybody)
    assert said is not None
    assert said.bytes > len((said.head + said.tail).encode())
    left = stderr_without_folders(said, FOLDER)
    assert "/" not in left.head + left.tail
    assert "ada" not in left.head + left.tail


def cut(head: str, tail: str, *folders: Path) -> tuple[str, str]:
    """What is left of a player's stderr whose middle is not kept."""
    found = SeatStderr(head=head, tail=tail, bytes=10**6, marks=[])
    left = stderr_without_folders(found, *folders)
    return left.head, left.tail


def test_where_lines_are_not_kept_others_stay() -> None:
    head, tail = f"in {FOLDER}/a.py\npart of /s", f"da/a.py\nin {FOLDER}/b.py\n"
    assert cut(head, tail, FOLDER) == ("in a.py\n", "\nin b.py\n")
    assert cut(head, tail) == (head, tail), "of those who may read all"


def test_of_a_long_line_as_much_is_left_out_as_a_path_may_have() -> None:
    line = "x" * 5000
    assert cut(line, line, FOLDER) == ("x" * (5000 - 4096), "x" * (5000 - 4096))
    near = "y" * 4090
    assert cut(f"is {FOLDER}{near}", f"{near}{FOLDER}/bot.py", FOLDER) == ("is ", "bot.py")
