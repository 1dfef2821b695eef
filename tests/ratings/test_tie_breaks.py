"""Tie-breaks: by hand, and as FIDE defines them."""

from arena.ratings.tie_breaks import Met, buchholz, sonneborn_berger, totals

MET = {
    "a": [Met("b", 2), Met("c", 1)],
    "b": [Met("a", 0), Met(None, 2)],
    "c": [Met(None, 2), Met("a", 1)],
}


def test_points_buchholz_and_sonneborn_berger() -> None:
    assert totals(MET) == {"a": 3, "b": 2, "c": 3}
    assert buchholz(MET) == {"a": 2 + 3, "b": 3 + 2, "c": 3 + 3}
    assert sonneborn_berger(MET) == {"a": 2 * 2 + 3 * 1, "b": 0 + 2 * 2, "c": 3 * 2 + 3 * 1}
