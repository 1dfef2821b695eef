"""The places of jobs: one that cannot start gives its own back."""

import time
from pathlib import Path

import pytest

from arena.web.jobs import ABOUT, Jobs


def test_a_job_that_cannot_start_is_over_and_the_next_one_begins(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    jobs = Jobs(tmp_path, [str(tmp_path / "none")], lambda: 1)
    gone, there = tmp_path / "ada" / "gone", tmp_path / "ada" / "there"
    there.mkdir(parents=True)
    (there / ABOUT).touch()
    for folder in (gone, there):
        jobs.add(folder)
    give_up = time.monotonic() + 30
    while not (jobs.is_over(gone) and jobs.is_over(there)):
        assert time.monotonic() < give_up
        time.sleep(0.01)
    assert capfd.readouterr().err.count("could not be started") == 2
    later = Jobs(tmp_path, [], lambda: 0)
    later.go_on()
    assert later.is_over(there), "it was told as broken off, and is not begun again"
