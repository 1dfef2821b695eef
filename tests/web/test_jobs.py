"""The places of jobs: one that cannot start gives its own back."""

import math
import shutil
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

from arena.bots.submissions import submissions
from arena.checks.events import Refused
from arena.errors import SubmissionError
from arena.files.lock import acquire, release
from arena.files.whole_file import write_whole
from arena.model import Frozen
from arena.web import jobs as jobs_module
from arena.web.jobs import ABOUT, EVENTS, ID, Jobs, asked_at, events_of, new_id, working
from arena.web.sentences import CLOSED
from tests.files.users import as_nobody
from tests.web.conftest import fill_log, wait_for

STUBBORN = """
import signal, sys, time
from pathlib import Path
from arena.files.lock import acquire
signal.signal(signal.SIGTERM, signal.SIG_IGN)
acquire(Path(sys.argv[1], "events.jsonl"))
Path(sys.argv[1], "begun").touch()
time.sleep(60)
"""


def test_names_sort_by_time_also_within_a_second() -> None:
    begin = datetime(2026, 11, 27, 15, 51, 18, tzinfo=UTC)
    times = [begin + timedelta(microseconds=at) for at in (0, 1, 9, 4_096, 999_999, 1_000_000)]
    names = [new_id(at) for at in times]
    assert names == sorted(names)
    assert all(ID.fullmatch(name) for name in names)
    assert asked_at(Path(names[-1])) == times[-1]


def test_a_job_comes_after_all_others_though_the_clock_was_set_back(tmp_path: Path) -> None:
    now, came = datetime(2026, 11, 27, 15, 51, 18, tzinfo=UTC), []
    for jobs in (Jobs(tmp_path, [], lambda: 0), Jobs(tmp_path, [], lambda: 0)):
        for owner, days in (("ada", 0), ("bob", 9), ("ada", 0), ("ada", 0), ("ada", 10)):
            folder = jobs.place(owner, now + timedelta(days=days))
            folder.mkdir(parents=True)
            (folder / ABOUT).touch()
            came.append(folder)
    assert jobs.newest("*") == came[::-1]
    assert asked_at(came[4]) == now + timedelta(days=10)


def test_advice_on_the_rights_of_a_course_is_for_the_log_of_its_staff(
    for_all: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (for_all / "ada").mkdir(0o700)
    with as_nobody():
        with working(for_all, for_all, failed="It failed."):
            submissions(for_all)
        (told,) = events_of(for_all)
        with working(for_all, for_all, failed="It failed."):
            raise SubmissionError("ada was excluded")
        _, other = events_of(for_all)
    assert isinstance(told, Refused) and told.sentence == CLOSED
    assert f"nobody may not enter {for_all}/ada" in capfd.readouterr().err
    assert isinstance(other, Refused) and other.sentence == "ada was excluded"


def test_the_jobs_before_are_looked_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs, now = Jobs(tmp_path, [], lambda: 0), datetime(2026, 11, 27, tzinfo=UTC)
    jobs.place("ada", now)
    monkeypatch.setattr(jobs, "folders", None)
    jobs.place("bob", now)


def test_a_job_is_not_over_before_it_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages that looked while its order was synced to the disk showed it as broken off."""
    jobs, folder, seen = Jobs(tmp_path, [], lambda: 0), tmp_path / "ada" / "new", list[bool]()
    folder.mkdir(parents=True)
    looking = threading.Thread(target=lambda: seen.append(jobs.is_over(folder)))

    def write(path: Path, text: str) -> None:
        write_whole(path, text)
        looking.start()
        looking.join(0.5)

    monkeypatch.setattr(jobs_module, "write_whole", write)
    jobs.order(folder, Frozen())
    looking.join()
    assert seen == [False]


def test_a_job_that_cannot_start_is_over_and_the_next_one_begins(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    jobs = Jobs(tmp_path, [str(tmp_path / "none")], lambda: 1)
    gone, there = tmp_path / "ada" / "gone", tmp_path / "ada" / "there"
    there.mkdir(parents=True)
    (there / ABOUT).touch()
    for folder in (gone, there):
        jobs.add(folder)
    wait_for(lambda: jobs.is_over(gone) and jobs.is_over(there))
    assert capfd.readouterr().err.count("could not be started") == 2
    later = Jobs(tmp_path, [], lambda: 0)
    later.resume()
    assert later.is_over(there), "it was told as broken off, and is not begun again"


def test_jobs_that_wait_begin_where_the_log_is_on_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill_log(monkeypatch)
    places = 0
    jobs = Jobs(tmp_path, [str(tmp_path / "none")], lambda: places)
    folders = [tmp_path / "ada" / name for name in ("first", "second")]
    for folder in folders:
        folder.mkdir(parents=True)
    jobs.add(folders[0])
    places = 1
    jobs.add(folders[1])
    wait_for(lambda: all(map(jobs.is_over, folders)))


def test_jobs_wait_while_the_disk_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    free = 0
    monkeypatch.setattr(jobs_module, "_ROOM_S", 0.01)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    begun = tmp_path / "begun"
    jobs = Jobs(tmp_path, ["/bin/sh", "-c", f'echo "$1" >> "{begun}"', "sh"], lambda: 1)
    folders = [tmp_path / "ada" / name for name in ("first", "second", "third")]
    for folder in folders:
        folder.mkdir(parents=True)
        jobs.add(folder)
    jobs.cancel(folders[1])
    assert [jobs.is_over(folder) for folder in folders] == [False, True, False]
    assert capfd.readouterr().err.count("wait: the disk is full") == 1
    free = 1 << 30
    wait_for(lambda: all(map(jobs.is_over, folders)))
    assert begun.read_text().split() == [str(folders[0]), str(folders[2])]


def test_jobs_begin_again_where_their_folder_was_removed_from_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs_module, "_ROOM_S", 0.01)
    jobs = Jobs(tmp_path / "jobs", [str(tmp_path / "none")], lambda: 1)
    removed, later = (jobs.root / "ada" / name for name in ("removed", "later"))
    removed.mkdir(parents=True)
    with monkeypatch.context() as full:
        full.setattr(jobs_module, "_ROOM_BYTES", math.inf)
        jobs.add(removed)
        shutil.rmtree(jobs.root)
        wait_for(lambda: jobs.is_over(removed))
    later.mkdir(parents=True)
    jobs.add(later)
    wait_for(lambda: jobs.is_over(later))


def test_a_job_killed_before_it_began_is_not_begun_by_a_later_server(tmp_path: Path) -> None:
    folder = tmp_path / "ada" / "killed"
    folder.mkdir(parents=True)
    (folder / ABOUT).touch()
    jobs = Jobs(tmp_path, ["/bin/sh", "-c", "kill -9 $$"], lambda: 1)
    jobs.add(folder)
    wait_for(lambda: jobs.is_over(folder))
    later = Jobs(tmp_path, [], lambda: 0)
    later.resume()
    assert later.is_over(folder)


def test_jobs_of_an_earlier_server_go_on_in_the_order_they_came(tmp_path: Path) -> None:
    begin = datetime(2026, 11, 27, tzinfo=UTC)
    owners, begun = ("zoe", "ada", "bob"), tmp_path / "begun"
    for at, owner in enumerate(owners):
        folder = tmp_path / "jobs" / owner / new_id(begin + timedelta(seconds=at))
        folder.mkdir(parents=True)
        (folder / ABOUT).touch()
    tell = f'echo "$1" >> {begun}'
    jobs = Jobs(tmp_path / "jobs", ["/bin/sh", "-c", tell, "sh"], lambda: 1)
    jobs.resume()
    wait_for(lambda: all(jobs.is_over(folder) for folder in jobs.folders()))
    assert [Path(line).parent.name for line in begun.read_text().split()] == list(owners)


def test_no_job_is_lost_where_no_thread_can_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    may_end, begun = tmp_path / "may end", tmp_path / "begun"
    tell = f'echo "$1" >> "{begun}"; until [ -e "{may_end}" ]; do sleep 0.01; done'
    jobs = Jobs(tmp_path, ["/bin/sh", "-c", tell, "sh"], lambda: 1)
    folders = [tmp_path / "ada" / name for name in ("first", "second", "third")]
    for folder in folders:
        folder.mkdir(parents=True)
    with monkeypatch.context() as limited:
        limited.setattr(threading.Thread, "start", refuse)
        jobs.add(folders[0])
    assert "The job first waits: can't start" in capfd.readouterr().err
    assert not jobs.is_over(folders[0])
    for folder in folders[1:]:
        jobs.add(folder)
    monkeypatch.setattr(threading.Thread, "start", refuse)
    may_end.touch()
    wait_for(lambda: all(map(jobs.is_over, folders)))
    assert begun.read_text().split() == list(map(str, folders))


def test_what_was_handed_in_goes_with_a_job_that_was_killed(tmp_path: Path) -> None:
    jobs = Jobs(tmp_path, ["/bin/sh", "-c", "kill -9 $$"], lambda: 1)
    folder = tmp_path / "ada" / "job"
    (folder / "upload").mkdir(parents=True)
    jobs.add(folder)
    wait_for(lambda: jobs.is_over(folder))
    assert not (folder / "upload").exists()


def test_what_was_handed_in_is_kept_where_the_machine_ended(tmp_path: Path) -> None:
    folder = tmp_path / "ada" / "20261101-120000-01234567"
    (folder / "upload").mkdir(parents=True)
    for name in (ABOUT, EVENTS):
        (folder / name).touch()
    held = acquire(folder / EVENTS)
    Jobs(tmp_path, ["/bin/false"], lambda: 1).resume()
    assert (folder / "upload").exists(), "its process works on"
    release(folder / EVENTS, held)
    Jobs(tmp_path, ["/bin/false"], lambda: 1).resume()
    assert (folder / "aside").exists() and not (folder / "upload").exists()


def test_a_job_that_ignores_its_end_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs_module, "_LEAVES_S", 0.2)
    jobs = Jobs(tmp_path, [sys.executable, "-c", STUBBORN], lambda: 1)
    folder = tmp_path / "ada" / "job"
    (folder / "upload").mkdir(parents=True)
    jobs.add(folder)
    wait_for(lambda: (folder / "begun").exists())
    jobs.cancel(folder)
    assert jobs.is_over(folder)
    assert (folder / EVENTS).exists() and not (folder / "upload").exists()
