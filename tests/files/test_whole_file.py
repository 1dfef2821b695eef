"""Files that cannot be written: the one that was asked for is named, and nothing is left."""

import errno
import fcntl
import os
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from unittest.mock import Mock

import pytest

from arena.files import lock
from arena.files.lock import acquire, is_held, name_of
from arena.files.whole_file import (
    contents_digest,
    fresh,
    make_private,
    naming,
    replacing,
    stamp,
    write_whole,
    writing,
)
from arena.tournament.events import begin_events
from tests.files.users import NOBODY, as_nobody


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


@pytest.mark.parametrize("disk", ["local", "NFS"])
def test_two_that_write_the_same_file_write_it_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, disk: str
) -> None:
    """As two exports to one file: the second took the part of the first away, and the first put
    the half that the second had written in its place.
    """
    flock = fcntl.flock

    def of_nfs(file: int, how: int) -> None:
        """As flock(2) says of NFS: an exclusive lock is of a file that is open to write."""
        if how & fcntl.LOCK_EX and fcntl.fcntl(file, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        flock(file, how)

    if disk == "NFS":
        monkeypatch.setattr(fcntl, "flock", of_nfs)
    path = tmp_path / "x"
    with ThreadPoolExecutor() as threads:
        with replacing(path) as file:
            file.write("first")
            second = threads.submit(write_whole, path, "second")
            with pytest.raises(TimeoutError):
                second.result(0.1)
            assert not path.exists()
        second.result()
    assert (path.read_text(), [*tmp_path.iterdir()]) == ("second", [path])


def test_a_file_that_another_process_writes_for_long_is_left_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.files.whole_file._PATIENCE_S", 0.1)
    path = tmp_path / "x"
    with replacing(path) as file:
        with pytest.raises(OSError, match="another process has been writing it") as raised:
            write_whole(path, "second")
        file.write("first")
    assert raised.value.filename == str(path)
    assert (path.read_text(), [*tmp_path.iterdir()]) == ("first", [path])


@pytest.mark.parametrize("left", [True, False])
def test_a_part_that_goes_before_it_is_locked_is_none_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, left: bool
) -> None:
    path, part, wait = tmp_path / "x", tmp_path / "x.part", lock.waited_for
    if left:
        part.write_text("of another")

    def late(file: int, patience_s: float) -> bool:
        monkeypatch.setattr(lock, "waited_for", wait)
        part.replace(tmp_path / "moved")
        return wait(file, patience_s)

    monkeypatch.setattr(lock, "waited_for", late)
    write_whole(path, "ours")
    assert (path.read_text(), part.exists()) == ("ours", False)
    assert (tmp_path / "moved").read_text() == ("of another" if left else "")


def test_a_stamp_changes_with_a_file_of_the_same_size_or_of_the_same_time(tmp_path: Path) -> None:
    path, other = tmp_path / "x", tmp_path / "other"
    assert stamp(path) is None
    path.write_text("one")
    before, at = stamp(path), path.stat().st_mtime_ns
    other.write_text("two")
    os.utime(other, ns=(at, at))
    other.replace(path)
    replaced = stamp(path)
    path.write_text("longer")
    os.utime(path, ns=(at, at))
    assert len({before, replaced, stamp(path)}) == 3


def test_a_digest_is_of_the_contents_in_their_order(tmp_path: Path) -> None:
    one, other, same = (tmp_path / name for name in ("one", "other", "same"))
    for path in (one, other, same):
        path.write_text("other" if path == other else "one")
    assert contents_digest([one, other]) == contents_digest([same, other])
    assert contents_digest([one, other]) != contents_digest([other, one])
    assert contents_digest([]) is None


@pytest.mark.parametrize(("folder_mode", "mode"), [(0o755, 0o600), (0o775, 0o660)])
def test_what_is_private_is_for_those_who_may_write_its_folder(
    tmp_path: Path, folder_mode: int, mode: int
) -> None:
    before = os.umask(0)
    try:
        (tmp_path / "folder").mkdir(folder_mode)
        for name, private in (("secret", True), ("open", False)):
            write_whole(tmp_path / "folder" / name, "text", private=private)
        for _ in range(2):  # also where it is there
            make_private(tmp_path / "folder" / "inner")
    finally:
        os.umask(before)
    modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "folder").iterdir()}
    assert modes == {"secret": mode, "open": 0o666, "inner": mode | mode >> 2 & 0o110}


def test_a_private_file_in_a_folder_of_another_user_stays_its_writers(for_all: Path) -> None:
    with as_nobody():
        write_whole(for_all / "x", "text", private=True)
    found = (for_all / "x").stat()
    assert (found.st_uid, found.st_mode & 0o007) == (NOBODY, 0)


def test_an_error_without_a_number_keeps_its_words(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="the words") as raised, naming(tmp_path / "x"):
        raise OSError("the words")
    assert raised.value.filename == str(tmp_path / "x")


def test_a_file_that_comes_back_in_the_way_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "x").write_text("of another")
    monkeypatch.setattr(Path, "unlink", Mock())
    with pytest.raises(FileExistsError):
        fresh(tmp_path / "x", "w")
    assert (tmp_path / "x").read_text() == "of another"


def test_the_name_of_a_file_is_on_the_disk_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced = list[bool]()
    monkeypatch.setattr(
        "os.fsync", lambda file: synced.append(stat.S_ISDIR(os.fstat(file).st_mode))
    )
    write_whole(tmp_path / "x", "text")
    assert synced == [False, True], "the file, then its folder"


@pytest.mark.parametrize(("mode", "text"), [("w", "é"), ("wb", b"\xff")])
def test_a_link_stays_and_its_file_keeps_its_mode(
    tmp_path: Path, mode: str, text: str | bytes
) -> None:
    link, file, new = tmp_path / "link", tmp_path / "file", tmp_path / "new"
    file.touch(0o640)
    file.chmod(0o640)
    before = file.stat().st_ino
    link.symlink_to("file")
    for path in (link, new):
        with writing(path, mode) as opened:
            opened.write(text)
            assert not new.exists(), "it is there once it is whole"
    assert link.is_symlink() and file.stat().st_ino != before, "the file was replaced"
    assert file.stat().st_mode & 0o777 == 0o640
    assert file.read_bytes() == new.read_bytes() == (text.encode() if mode == "w" else text)


@pytest.mark.parametrize(("mode", "text"), [("w", "é"), ("wb", b"\xff")])
def test_a_pipe_and_a_file_in_a_closed_folder_are_written_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str, text: str | bytes
) -> None:
    pipe, file = tmp_path / "pipe", tmp_path / "file"
    os.mkfifo(pipe)
    file.touch()
    before = file.stat().st_ino
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with writing(pipe, mode) as opened:
        opened.write(text)
    monkeypatch.setattr("os.access", lambda path, right: path != tmp_path)
    with writing(file, mode) as opened:
        opened.write(text)
    assert pipe.is_fifo() and file.stat().st_ino == before
    expected = text.encode() if isinstance(text, str) else text
    assert os.read(reader, 10) == file.read_bytes() == expected
    os.close(reader)
