"""Where the cache is."""

import os
from pathlib import Path
from unittest.mock import Mock

import pytest

from arena.errors import UserError
from arena.files.cache import CACHE_VARIABLE, cache_root
from tests.files.users import as_nobody


def test_without_a_home_the_cache_must_be_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As for the number of a user that the system does not know, in a container."""
    for name in ("HOME", "XDG_CACHE_HOME", CACHE_VARIABLE):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", Mock(side_effect=KeyError))
    with pytest.raises(UserError, match=f"name a folder in {CACHE_VARIABLE}"):
        cache_root()
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    assert cache_root() == tmp_path / "cache"


def test_a_cache_may_be_named_from_the_current_folder_on_and_an_empty_name_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(CACHE_VARIABLE, "mine")
    assert cache_root() == tmp_path / "mine"
    monkeypatch.setenv(CACHE_VARIABLE, "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "usual"))
    assert cache_root() == tmp_path / "usual" / "arena"


def test_a_cache_that_everybody_may_write_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kernels are code: what others put there we would run."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir()
    for mode in (0o777, 0o1777):
        (tmp_path / "cache").chmod(mode)
        with pytest.raises(UserError, match="very user of this machine may write"):
            cache_root()
    (tmp_path / "cache").chmod(0o2775)
    assert cache_root() == tmp_path / "cache"
    monkeypatch.setenv(CACHE_VARIABLE, "/dev/null")  # which nobody is told to close
    assert cache_root() == Path("/dev/null")


def test_a_cache_made_here_is_not_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In some containers new folders are for all to write."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "new" / "cache"))
    before = os.umask(0)
    try:
        (cache_root() / "bots").mkdir(parents=True)
        assert cache_root().is_dir()
    finally:
        os.umask(before)


def test_a_cache_is_made_where_a_link_leads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "link").symlink_to("disk/cache")
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "link"))
    assert cache_root() == tmp_path / "link"
    assert (tmp_path / "disk" / "cache").is_dir()
    (tmp_path / "round").symlink_to("round")
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "round"))
    assert cache_root() == tmp_path / "round"


def test_a_cache_that_another_made_where_everybody_may_is_refused(
    for_all: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(for_all / "cache"))
    with as_nobody():
        (for_all / "cache").mkdir()
        assert cache_root() == for_all / "cache"
    with pytest.raises(UserError, match=r"belongs to nobody, .* name a folder of your own"):
        cache_root()
    for_all.chmod(0o755)  # a folder of ours, where a colleague has the cache
    assert cache_root() == for_all / "cache"


def test_a_cache_that_root_made_where_everybody_may_is_taken(
    for_all: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(for_all / "cache"))
    (for_all / "cache").mkdir()
    with as_nobody():
        assert cache_root() == for_all / "cache"
