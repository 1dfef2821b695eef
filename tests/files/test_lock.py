"""Locks where a call of the system fails: none stays held, and none is taken for held."""

import errno
import fcntl
import os
from pathlib import Path
from unittest.mock import Mock

import pytest

from arena.files.lock import LockHeldError, acquire, holder, is_held, name_of, release
from tests.files.users import NOBODY, as_nobody


@pytest.mark.parametrize("call", ["os.ftruncate", "os.write", "fcntl.flock"])
def test_a_lock_that_cannot_be_taken_is_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    open_files = os.listdir("/proc/self/fd")  # noqa: PTH208 - names suffice
    with monkeypatch.context() as failing:
        failing.setattr(call, Mock(side_effect=OSError(errno.ENOSPC, "No space left on device")))
        with pytest.raises(OSError, match="No space"):
            acquire(tmp_path / "run")
    assert os.listdir("/proc/self/fd") == open_files  # noqa: PTH208 - names suffice
    release(tmp_path / "run", acquire(tmp_path / "run"))


def test_a_lock_whose_file_cannot_be_removed_is_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = acquire(tmp_path / "run")
    with monkeypatch.context() as failing:
        failing.setattr(Path, "unlink", Mock(side_effect=OSError(errno.EROFS, "Read-only")))
        with pytest.raises(OSError, match="Read-only"):
            release(tmp_path / "run", held)
    assert name_of(tmp_path / "run").exists() and not is_held(tmp_path / "run")


def test_the_lock_of_a_folder_that_was_moved_is_not_removed_for_the_one_there(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    held = acquire(folder / "run")
    folder.rename(tmp_path / "moved")
    folder.mkdir()
    other = acquire(folder / "run")
    release(folder / "run", held)
    assert holder(folder / "run") == os.getpid()
    release(folder / "run", other)
    assert not name_of(folder / "run").exists()


def test_without_locks_none_is_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held = acquire(tmp_path / "run")
    assert is_held(tmp_path / "run")
    none = OSError(errno.ENOLCK, "No locks available")
    monkeypatch.setattr("fcntl.flock", Mock(side_effect=none))
    assert not is_held(tmp_path / "run")
    release(tmp_path / "run", held)


def test_the_lock_of_a_dead_process_of_another_user_is_in_no_ones_way(for_all: Path) -> None:
    """Its file may be written by that user alone; the folder is of both."""
    run = for_all / "run"
    name_of(run).write_text('{"pid": 1}')
    name_of(run).chmod(0o644)
    with as_nobody():
        held = acquire(run)
    assert name_of(run).stat().st_uid == NOBODY
    release(run, held)


def test_the_lock_of_another_user_holds(for_all: Path) -> None:
    held = acquire(for_all / "run")
    name_of(for_all / "run").chmod(0o644)
    with as_nobody(), pytest.raises(LockHeldError, match=f"pid {os.getpid()}"):
        acquire(for_all / "run")
    release(for_all / "run", held)


def test_the_lock_of_another_user_may_be_released_meanwhile(
    for_all: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = name_of(for_all / "run")
    name.touch(0o644)
    opened = os.open

    def after_release(path: Path, flags: int, *mode: int) -> int:
        if not flags & os.O_CREAT:
            name.unlink()
        return opened(path, flags, *mode)

    with as_nobody(), monkeypatch.context() as patch:
        patch.setattr("os.open", after_release)
        held = acquire(for_all / "run")
    release(for_all / "run", held)


def test_a_folder_that_may_not_be_written_is_the_reason(for_all: Path) -> None:
    for_all.chmod(0o755)
    with as_nobody(), pytest.raises(PermissionError):
        acquire(for_all / "run")


def test_a_lock_file_that_was_replaced_meanwhile_guards_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, flock = tmp_path / "run", fcntl.flock
    name = name_of(run)

    def late(descriptor: int, how: int) -> None:
        monkeypatch.setattr(fcntl, "flock", flock)
        name.rename(tmp_path / "removed")  # its holder has ended, and the next one begins
        name.touch()
        flock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", late)
    held = acquire(run)
    assert os.fstat(held).st_ino == name.stat().st_ino
    assert is_held(run)
    release(run, held)


def test_a_lock_file_that_was_removed_meanwhile_guards_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, flock = tmp_path / "run", fcntl.flock

    def late(descriptor: int, how: int) -> None:
        monkeypatch.setattr(fcntl, "flock", flock)
        name_of(run).unlink()  # its holder has ended
        flock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", late)
    held = acquire(run)
    assert holder(run) == os.getpid()
    release(run, held)


def test_a_lock_of_another_program_is_shown_by_its_words(tmp_path: Path) -> None:
    name_of(tmp_path / "run").write_text("edited by hand")
    with name_of(tmp_path / "run").open() as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(LockHeldError, match=r"^edited by hand$"):
            acquire(tmp_path / "run")
        assert is_held(tmp_path / "run") and holder(tmp_path / "run") is None


def test_others_may_read_who_has_a_lock(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        held = acquire(tmp_path / "run")
    finally:
        os.umask(before)
    assert name_of(tmp_path / "run").stat().st_mode & 0o777 == 0o644
    release(tmp_path / "run", held)


def test_a_lock_that_is_looked_at_for_a_moment_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    name_of(run).touch()
    looking = os.open(name_of(run), os.O_RDONLY)
    fcntl.flock(looking, fcntl.LOCK_SH)
    assert not is_held(run), "two who look do not hinder each other"
    monkeypatch.setattr("time.sleep", lambda seconds: fcntl.flock(looking, fcntl.LOCK_UN))
    release(run, acquire(run))
    os.close(looking)


def test_the_holder_is_known_by_its_pid_whatever_link_leads_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("run")
    held = acquire(tmp_path / "run")
    open_files = os.listdir("/proc/self/fd")  # noqa: PTH208 - names suffice
    assert holder(tmp_path / "link") == os.getpid()
    with pytest.raises(LockHeldError, match=f"pid {os.getpid()}"):
        acquire(tmp_path / "link")
    assert os.listdir("/proc/self/fd") == open_files  # noqa: PTH208 - names suffice
    name_of(tmp_path / "run").rename(tmp_path / "old")
    release(tmp_path / "run", held)  # also where its file is gone
    (tmp_path / "old").rename(name_of(tmp_path / "run"))
    assert holder(tmp_path / "run") is None, "a file that nobody has locked names no holder"
