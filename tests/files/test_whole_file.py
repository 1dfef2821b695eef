"""Files that cannot be written: the one that was asked for is named, and nothing is left."""

import errno
from pathlib import Path

import pytest

from arena.files.whole_file import write_whole


def test_a_full_disk_names_the_file_that_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "x.html"
    path.write_text("before")
    (tmp_path / "x.html.part").symlink_to("/dev/full")
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
