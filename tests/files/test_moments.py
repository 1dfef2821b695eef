"""Moments in words."""

from datetime import UTC, datetime

from arena.files.moments import moment
from tests.time_zone import local_time


def test_a_zone_without_a_name_is_shown_by_its_offset() -> None:
    with local_time(":/missing"):
        at = datetime(2026, 5, 4, 1, 2, tzinfo=UTC)
        assert moment(at) == "2026-05-04 01:02 +0000"


def test_moments_are_of_the_local_time() -> None:
    """Also the first and the last one, which are before the year 1 and after 9999 there."""
    with local_time("ABC5"):
        assert moment(datetime(2026, 5, 4, 1, 2, tzinfo=UTC)) == "2026-05-03 20:02 ABC"
        assert moment(datetime(2026, 5, 4, 1, 2)) == "2026-05-04"
        assert moment(datetime.min.replace(tzinfo=UTC)).endswith("1-01-01 00:00 UTC")
    with local_time("Asia/Tokyo"):
        far = datetime(9999, 12, 31, 23, 59, tzinfo=UTC)
        assert moment(far) == "9999-12-31 23:59 UTC", "there is no such time in Tokyo"
