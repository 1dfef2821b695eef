"""Whose a file is, and which right is missing, in a sentence."""

import errno
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from arena.errors import UserError
from arena.files.rights import missing, unreadable, unwritable, user_name
from tests.files.users import NOBODY, as_nobody


def sentence(path: Path, mode: str = "r") -> str | None:
    """What is said of an attempt to open a file, in an error about it."""
    with as_nobody():
        try:
            try:
                path.open(mode).close()
            except OSError:
                raise UserError("it cannot be used") from None
        except UserError as error:
            return missing(error)
    return None


def test_a_folder_that_is_closed_is_named(for_all: Path) -> None:
    (for_all / "closed" / "deeper").mkdir(parents=True)
    (for_all / "closed").chmod(0o750)
    said = f"may not enter {for_all}/closed of the user root and the group root (drwxr-x---)"
    assert said in str(sentence(for_all / "closed" / "deeper" / "x"))


def test_the_outermost_of_closed_folders_is_named(for_all: Path) -> None:
    (for_all / "closed" / "too").mkdir(parents=True)
    (for_all / "closed" / "too").chmod(0o700)
    (for_all / "closed").chmod(0o700)
    assert f"may not enter {for_all}/closed of" in str(sentence(for_all / "closed" / "too" / "x"))


@pytest.mark.parametrize("number", [errno.EPERM, errno.EACCES])
def test_a_file_of_others_in_a_folder_for_all_is_a_matter_of_its_folder_or_of_no_right(
    for_all: Path, number: int
) -> None:
    """Where the system says EPERM, the folder lets each user remove files of its own alone."""
    (for_all / "x").touch(0o666)
    (for_all / "x").chmod(0o666)
    for name in (str(for_all / "x"), bytes(for_all / "x")):
        with as_nobody():
            said = missing(PermissionError(number, "no", name))
        if number == errno.EPERM:
            assert f"may not change {for_all} of the user root" in str(said)
        else:
            assert said is None


def test_what_cannot_be_read_is_said_with_the_right_or_as_the_system_says_it(
    for_all: Path,
) -> None:
    (for_all / "x").touch(0o600)
    refused = PermissionError(errno.EACCES, "Permission denied", str(for_all / "x"))
    with as_nobody():
        assert "may not read" in unreadable(for_all / "x", refused)
    refused.filename = None
    assert unreadable(for_all / "x", refused) == f"{for_all}/x cannot be read: Permission denied"


def test_a_user_without_a_name_is_a_number() -> None:
    assert user_name(0) == "root"
    assert user_name(4_000_000_000) == "number 4000000000"


@pytest.mark.parametrize(("mode", "what"), [("r", "read"), ("w", "write")])
def test_a_file_and_the_right_are_named(for_all: Path, mode: str, what: str) -> None:
    (for_all / "x").touch(0o600 if what == "read" else 0o644)
    assert f"may not {what} {for_all}/x of the user root" in str(sentence(for_all / "x", mode))
    assert str(sentence(for_all / "x", mode)).endswith(": ask root")


def test_a_folder_that_cannot_get_a_file_is_named(for_all: Path) -> None:
    for_all.chmod(0o755)
    assert f"may not change {for_all} of the user root" in str(sentence(for_all / "x", "w"))


def test_an_owner_is_told_how_to_get_the_right_back(for_all: Path) -> None:
    with as_nobody():
        (for_all / "x").touch(0o400)
    assert str(sentence(for_all / "x", "w")).endswith(f": chmod u+w {for_all}/x")


def test_of_other_errors_nothing_is_said(for_all: Path) -> None:
    assert sentence(for_all / "none") is None


def test_no_right_is_asked_for_that_is_there(for_all: Path) -> None:
    """A file with `chattr +i` is refused to its owner, and to root."""
    (for_all / "own").mkdir()
    os.chown(for_all / "own", NOBODY, NOBODY)
    refused = PermissionError(errno.EPERM, "Operation not permitted", str(for_all / "own" / "x"))
    assert missing(refused) is None
    with as_nobody():
        (for_all / "own" / "x").touch(0o644)
        assert missing(refused) is None


def test_a_folder_is_asked_of_its_owner_or_opened_by_it(for_all: Path) -> None:
    (for_all / "own").mkdir(0o555)
    for_all.chmod(0o755)
    assert unwritable(for_all) is None
    with as_nobody():
        assert unwritable(for_all) == f"{for_all} cannot be written by you; ask root, whose it is"
    os.chown(for_all / "own", NOBODY, NOBODY)
    with as_nobody():
        assert str(unwritable(for_all / "own")).endswith(f"by you; chmod u+wx {for_all}/own")


def test_nobody_is_asked_for_a_folder_of_a_read_only_file_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_, **__: False)
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_flag=os.ST_RDONLY))
    assert unwritable(tmp_path) == f"{tmp_path} cannot be written: its file system is read-only"
