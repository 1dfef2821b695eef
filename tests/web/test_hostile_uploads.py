"""What students may send to break a server: the web end says what the command line says."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from arena.bots import course
from arena.checks.events import Entered, Event, PointJudged
from arena.entering import enter
from arena.errors import ArenaError
from arena.web import checker
from arena.web.jobs import Jobs
from arena.web.rates import Rate
from tests.bots.bad_archives import BAD_ARCHIVES, packed
from tests.right_bot import RIGHT

from . import quick_checker
from .conftest import TestClient, course_app

pytestmark = pytest.mark.slow

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)
MANIFEST = b'name = "fox"\nrules = ["dots"]\ncommand = ["python3", "bot.py"]\n'


MINE = {
    "runs.zip": {"bot.toml": MANIFEST.replace(b"fox", b"runs"), "bot.py": b""},
    "bob.zip": {"bot.toml": MANIFEST.replace(b"fox", b"bob"), "bot.py": b""},
    "markup.zip": {"bot.toml": MANIFEST, "a\u202eb": b"x", "<b>": b""},
}
"""What a course refuses besides."""
FLOOD = RIGHT.replace("        move =", '        print("x" * 70_000, flush=True)\n        move =')
GONE = RIGHT.replace("        move =", "        import os; os.kill(os.getppid(), 0); os._exit(3)\n")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ARENA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(enter, "conditions_of", quick_checker.quick)
    course.init(tmp_path / "course")
    course.init(tmp_path / "here")
    course.add_owners(tmp_path / "here", ["ada", "bob"], NOW)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "course"


_CALL = " while calling a Python object"


@pytest.fixture
def by_web(folder: Path) -> Iterator[Callable[[str, bytes], list[str]]]:
    """What a server says to a file of ada's, as `by_command` does."""
    token = course.add_owners(folder, ["ada", "bob"], NOW)["ada"]
    app = course_app(folder)
    app.state.course.uploads = Rate(1000, 1)
    with TestClient(app, headers={"Authorization": f"Bearer {token}"}) as client:

        def hand_in(name: str, contents: bytes) -> list[str]:
            sent = client.post(f"/api/submissions?name={name}", content=contents)
            stream = client.get(f"/api/submissions/{sent.json()['id']}/live").text
            events = [json.loads(line[6:]) for line in stream.splitlines() if line[:5] == "data:"]
            judged = [each["result"] for each in events if each["event"] == "judged"]
            sentences = [f"{each['passed']} {each['verdict']} {each['fix']}" for each in judged]
            return [*sentences, events[-1].get("sentence") or str(events[-1]["version"])]

        yield hand_in


def by_command(name: str, contents: bytes) -> list[str]:
    """What `arena submit` says."""
    Path(name).write_bytes(contents)
    sentences = list[str]()

    def tell(event: Event) -> None:
        if isinstance(event, PointJudged):
            result = event.result
            sentences.append(f"{result.passed} {result.verdict} {result.fix}")

    try:
        entered: Entered = enter.enter(Path(name), Path("here"), "ada", tell)
    except ArenaError as error:
        return [*sentences, str(error)]
    return [*sentences, str(entered.version)]


def test_archives(
    by_web: Callable[[str, bytes], list[str]], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Jobs, "_run", lambda _, job: checker.main(job))
    # Of those that are refused in the same words one is sent; test_archive.py unpacks all.
    bad = {each.words: each for each in BAD_ARCHIVES}.values()
    sent = [(f"b.{each.form}", each.make(), each.words) for each in bad]
    sent += [(name, packed("zip", files.items()), "") for name, files in MINE.items()]
    for name, contents, words in sent:
        monkeypatch.chdir(folder.parent)
        (here,) = by_command(name, contents)
        assert words in here and here != "None"
        (there,) = by_web(name, contents)
        # Python adds this where a call is too deep: here or there, by one frame.
        assert there.replace(_CALL, "") == here.replace(_CALL, "")
    assert course.bots(folder) == ()
    assert not list(folder.parent.rglob("evil"))


@pytest.mark.parametrize("text", [FLOOD, GONE], ids=["flood", "gone"])
def test_bots(by_web: Callable[[str, bytes], list[str]], folder: Path, text: str) -> None:
    here = by_command("bot.py", text.encode())
    assert here[-1] == "None"
    assert by_web("bot.py", text.encode()) == here
    assert course.bots(folder) == ()
