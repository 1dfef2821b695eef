"""A name that two players, formats or forms have is no silent choice of one of them."""

from typing import NamedTuple

import pytest

from arena.files.named import by_name


class Thing(NamedTuple):
    name: str
    size: int


def test_each_is_found_by_its_name() -> None:
    one, other = Thing("one", 1), Thing("other", 2)
    assert by_name([one, other]) == {"one": one, "other": other}


def test_two_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match=r"size=1\) and .*size=2\) have the same name 'one'"):
        by_name([Thing("one", 1), Thing("one", 2)])
