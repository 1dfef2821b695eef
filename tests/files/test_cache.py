"""Where the cache is."""

from unittest.mock import Mock

import pytest

from arena.errors import UserError
from arena.files.cache import CACHE_VARIABLE, cache_root


def test_without_a_home_the_cache_must_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """As for the number of a user that the system does not know, in a container."""
    for name in ("HOME", "XDG_CACHE_HOME", CACHE_VARIABLE):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", Mock(side_effect=KeyError))
    with pytest.raises(UserError, match=f"name a folder in {CACHE_VARIABLE}"):
        cache_root()
    monkeypatch.setenv(CACHE_VARIABLE, "/somewhere")
    assert str(cache_root()) == "/somewhere"
