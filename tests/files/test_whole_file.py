"""Files that cannot be written: the one that was asked for is named, and nothing is left."""

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from unittest.mock import Mock

import pytest

from arena.files.lock import acquire, is_held, name_of
from arena.files.whole_file import write_whole
from arena.tournament.events import begin_events


def test_a_full_disk_names_the_file_that_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.html"
    path.write_text("before")
    full = OSError(errno.ENOSPC, "No space left on device")
    monkeypatch.setattr("os.fsync", Mock(side_effect=full))
    with pytest.raises(OSError) as raised:
        write_whole(path, "text")
    error = raised.value
    assert (error.filename, error.errno) == (str(path), errno.ENOSPC)
    assert error.strerror == "No space left on device"
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("x.html", "before")]


def test_a_folder_that_cannot_be_written_names_it_too(tmp_path: Path) -> None:
    path = tmp_path / "none" / "x.html"
    with pytest.raises(FileNotFoundError) as raised:
        write_whole(path, "text")
    assert raised.value.filename == str(path)


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("x.html.part", lambda folder: write_whole(folder / "x.html", "ours")),
        ("x.jsonl.new", lambda folder: begin_events(folder / "x.jsonl").close()),
        ("x.lock", lambda folder: acquire(folder / "x")),
    ],
)
def test_no_link_is_followed_that_others_put_in_the_way(
    tmp_path: Path, name: str, write: Callable[[Path], object]
) -> None:
    """As in `/tmp`, by those who guess the name."""
    (tmp_path / "precious").write_text("precious")
    for target in ("precious", "missing"):
        (tmp_path / name).unlink(missing_ok=True)
        (tmp_path / name).symlink_to(target)
        with suppress(OSError):  # a lock is refused then
            write(tmp_path)
    assert (tmp_path / "precious").read_text() == "precious"
    assert not (tmp_path / "missing").exists()


def test_a_pipe_in_the_place_of_a_lock_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(name_of(tmp_path / "x"))
    assert not is_held(tmp_path / "x")


def test_the_part_that_a_killed_process_left_is_in_no_ones_way(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    (tmp_path / "x.toml.part").write_text("half")
    write_whole(path, "whole")
    assert (path.read_text(), [*tmp_path.iterdir()]) == ("whole", [path])
