"""Bots submitted on a page or by a script, and checked in a process of its own."""

import asyncio
import errno
import io
import json
import os
import shutil
import sys
import zipfile
from collections.abc import AsyncGenerator, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn

import psutil
import pytest
from fastapi import FastAPI
from starlette.types import Message

from arena.bots import course
from arena.bots.package import open_bot
from arena.checks.events import Event, Refused
from arena.errors import SandboxError, SubmissionError, UserError
from arena.files.lock import acquire, release
from arena.web import checker, checks, upload
from arena.web.app import make_app
from arena.web.checks import TOO_OFTEN, HandedIn, safe_name
from arena.web.jobs import ABOUT, ASIDE, EVENTS, UPLOAD, events_of
from arena.web.rates import Rate
from arena.web.safe import UPLOAD_BYTES
from arena.web.sentences import MISTAKE
from tests.pages import blocks_of
from tests.right_bot import RIGHT

from .conftest import TestClient, refuse_event_loop, wait_for
from .test_mine import NOW, app, folder, tokens
from .test_mine import hand_in as accepted
from .test_staff import Staff

__all__ = ["app", "folder", "tokens"]

BROKEN = RIGHT.replace("        reply =", '        print("thinking")\n        reply =')
QUICK = Path(__file__).with_name("quick_checker.py")


@pytest.fixture
def client(app: FastAPI, tokens: dict[str, str]) -> Iterator[TestClient]:
    """Ada's script."""
    with TestClient(app, headers={"Authorization": f"Bearer {tokens['ada']}"}) as client:
        yield client


def hand_in(client: TestClient, name: str, contents: str | bytes) -> dict[str, Any]:
    sent = client.post(f"/api/submissions?name={name}", content=contents)
    assert sent.status_code == 202, sent.text
    said: dict[str, Any] = sent.json()
    assert said["state"] in ("waiting", "checking")
    return said


def told(client: TestClient, id: str, after: str = "0") -> list[tuple[str, str, dict[str, Any]]]:
    """The events of a check to its end: id, name, what happened."""
    answer = client.get(f"/api/submissions/{id}/live", headers={"Last-Event-ID": after})
    assert answer.headers["content-type"].startswith("text/event-stream")
    found = []
    for block in answer.text.split("\n\n"):
        if "event: " in block:
            fields = dict(line.split(": ", 1) for line in block.splitlines())
            found.append((fields["id"], fields["event"], json.loads(fields["data"])))
    return found


def zipped(**files: str) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "."), text)
    return made.getvalue()


@pytest.mark.slow
def test_a_broken_bot_and_then_a_fixed_one(
    client: TestClient, folder: Path, tmp_path: Path
) -> None:
    script = tmp_path / "first.py"
    script.write_text(RIGHT.replace("legal[0]", "legal[-1]"))
    course.submit(folder, course.admitted(folder, open_bot(script), "ada", NOW), (), "ada", NOW)
    (plays,) = course.bots(folder)
    assert (plays.name, plays.owner, plays.state) == ("ada", "ada", "plays")

    refused = hand_in(client, "bot.py", BROKEN)
    assert told(client, refused["id"])[-1][2]["version"] is None
    check = client.get(f"/api/submissions/{refused['id']}").json()
    assert (check["state"], check["sentence"]) == ("refused", None)
    wrong = next(each for each in check["results"] if each["passed"] is False)
    assert "stderr" in wrong["fix"]
    assert course.bots(folder) == (plays,), "the old version plays on"

    fixed = hand_in(client, "again.py", RIGHT)
    listed = client.get("/api/submissions").json()
    assert listed[0]["id"] == fixed["id"]
    events = told(client, fixed["id"])
    assert [name for _, name, _ in events if name != "judging"] == [
        "checking", *["judged"] * 14, "checked", "entered",
    ]  # fmt: skip
    assert [int(id) for id, _, _ in events] == list(range(1, len(events) + 1))
    (plays,) = course.bots(folder)
    assert plays.plays is not None and plays.plays.number == 2
    states = [each["state"] for each in client.get("/api/submissions").json()]
    assert states == ["accepted", "refused"]
    assert not list((folder / ".web").rglob("upload")), "what was submitted is not kept twice"
    late = events[-2][0]
    assert [name for _, name, _ in told(client, fixed["id"], late)] == ["entered"]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
def test_a_source_file_is_compiled_and_taken(
    client: TestClient, folder: Path, tmp_path: Path
) -> None:
    said = told(client, hand_in(client, "solo.cpp", "int main() { return x; }")["id"])
    assert "solo.cpp:1:21: error: " in str(said) and str(folder.parent) not in str(said)
    (block,) = (each for each in blocks_of("arena/bots/README.md") if each.name == "solo.cpp")
    assert told(client, hand_in(client, "solo.cpp", block.text)["id"])[-1][2]["version"]
    (plays,) = course.bots(folder)
    (tmp_path / "solo.cpp").write_text(block.text)
    assert plays.plays is not None
    assert (plays.name, plays.plays.digest) == ("ada", open_bot(tmp_path / "solo.cpp").digest)


def test_what_cannot_be_taken_is_refused_in_a_sentence_while_others_are_answered(
    client: TestClient, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def noted(folder: Path) -> Iterator[Event]:
        refuse_event_loop()
        return events_of(folder)

    for module in (upload, checks):
        monkeypatch.setattr(module, "events_of", noted)
    sent = hand_in(client, "fox.zip", zipped(readme="nothing"))
    ((_, name, said),) = told(client, sent["id"])
    assert (name, "has no bot.toml" in said["sentence"]) == ("refused", True)
    assert said["sentence"].startswith("fox.zip: ") and str(folder) not in said["sentence"]


@pytest.mark.slow
def test_a_finding_names_no_folder_of_the_server(client: TestClient, folder: Path) -> None:
    crashes = RIGHT.replace("        move =", "        1 / 0\n        move =")
    manifest = 'name = "fox"\nrules = ["dots"]\ncommand = ["python3", "bot.py"]\nbuild = ["true"]\n'
    for name, file in (
        ("bot.py", crashes),
        ("fox.zip", zipped(bot__toml=manifest, bot__py=crashes)),
    ):
        said = str(told(client, hand_in(client, name, file)["id"]))
        assert 'File "bot.py", line 9' in said and str(folder.parent) not in said


def test_after_the_deadline_nothing_is_taken(client: TestClient, folder: Path) -> None:
    (folder / "course.toml").write_text("deadline = 2026-01-01T00:00:00\n")
    refused = client.post("/api/submissions?name=bot.py", content=RIGHT)
    assert refused.status_code == 422, "at once: checks of those in time may wait for long"
    assert "the deadline was 2026-01-01 00:00" in refused.json()["detail"]
    assert client.get("/api/submissions").json() == []
    with (folder / "course.toml").open("a") as rules:
        rules.write("[extensions]\nada = 2126-01-01T00:00:00\n")
    hand_in(client, "bot.py", "")


@pytest.mark.slow
def test_a_mistake_of_the_staff_is_not_the_owners(client: TestClient, folder: Path) -> None:
    (folder / "course.toml").write_text('standing = ["gone"]\n')
    sent = hand_in(client, "bot.py", RIGHT)
    assert told(client, sent["id"])[-1][2]["sentence"] == MISTAKE
    (log,) = (folder / ".web").rglob("errors.log")
    assert 'course.toml:1: standing: no tournament "gone"' in log.read_text()


def test_a_machine_without_a_sandbox_is_not_the_owners(
    client: TestClient,
    app: FastAPI,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    def enter(*_: Any, **__: Any) -> NoReturn:
        raise SandboxError('No player can be started here. Use sandbox = "none".')

    app.state.course.checks.jobs._places = lambda: 0
    at = app.state.course.checks.jobs.folder("ada", hand_in(client, "bot.py", RIGHT)["id"])
    monkeypatch.setattr(checker, "enter", enter)
    monkeypatch.setattr(os, "nice", lambda _: 0)
    monkeypatch.chdir(folder)
    checker.main(at)
    assert "The machine failed" in (at / EVENTS).read_text()
    assert 'Use sandbox = "none"' in capfd.readouterr().err, "for the staff"


def test_a_form_sends_the_same(
    app: FastAPI, client: TestClient, tokens: dict[str, str], folder: Path
) -> None:
    browser = TestClient(app, follow_redirects=False)
    browser.get(f"/in/{tokens['bob']}")
    form = app.state.course.people.signer.form_token(browser.cookies["arena_session"])
    files = {"bot": ("C:\\bots\\fox.zip", zipped(readme="nothing"))}
    assert browser.post("/me/upload", files=files).status_code == 403
    sent = browser.post("/me/upload", data={"form_token": form}, files=files)
    assert (sent.status_code, sent.headers["location"]) == (303, "/me#checks")
    (check,) = app.state.course.checks.of("bob")
    assert check.file == "fox.zip"
    assert browser.get(f"/me/check/{check.id}/live").status_code == 200
    assert client.get(f"/api/submissions/{check.id}").status_code == 404, "ada sees none of bob's"
    assert client.get(f"/api/submissions/{check.id}/live").status_code == 404
    assert client.get("/api/submissions").json() == []


def test_what_is_too_large_is_refused_early(client: TestClient) -> None:
    much = b"\0" * (UPLOAD_BYTES + 20_000)
    for sent in (
        client.post("/api/submissions?name=fox.zip", content=much),
        client.post("/api/submissions?name=fox.zip", content=iter([much[:6_000_000]] * 2)),
        client.post("/api/submissions?name=fox.zip", content=much[:10_005_000]),
        client.post("/api/submissions", files={"bot": ("fox.zip", much)}),
        client.post("/api/submissions", files={"bot": ("fox.zip", much[:10_005_000])}),
    ):
        assert sent.status_code == 413 and "more than 10 MB" in sent.text


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ({"Content-Type": "multipart/form-data"}, b"x"),
        ({"Content-Type": "multipart/form-data; boundary=x"}, b"--y--"),
        ({"Content-Type": "multipart/form-data; boundary=x"}, b""),
    ],
)
def test_a_damaged_form_is_refused(
    client: TestClient, headers: dict[str, str], body: bytes
) -> None:
    assert client.post("/api/submissions", headers=headers, content=body).status_code == 400


@pytest.mark.parametrize("name", ["", ".", "..", "a/..", "a\\", "fox\n.zip", "fox\u202e.zip"])
def test_names_of_files_are_names(client: TestClient, name: str) -> None:
    sent = client.post("/api/submissions", params={"name": name}, content=b"x")
    assert sent.status_code == 422 and "cannot name a file" in sent.text


def test_a_name_that_is_too_long_is_reported(client: TestClient) -> None:
    said = client.post("/api/submissions", params={"name": "ä" * 150}, content=b"x").json()[
        "detail"
    ]
    assert "is too long: it has 300 bytes, and 200 are the most; rename the file" in said


def test_folders_of_a_name_are_left_out() -> None:
    assert safe_name("../../etc/fox.zip") == safe_name("C:\\fox.zip") == "fox.zip"


@pytest.mark.parametrize("kind", ["application/octet-stream", "multipart/form-data; boundary=x"])
def test_a_connection_that_ends_in_the_middle_is_no_mistake_of_ours(
    app: FastAPI, tokens: dict[str, str], folder: Path, kind: str
) -> None:
    token = f"Bearer {tokens['ada']}".encode()
    headers = [(b"content-type", kind.encode()), (b"authorization", token)]
    scope = {"type": "http", "method": "POST", "path": "/api/submissions", "query_string": b""}
    come = iter([{"type": "http.request", "body": b"--x\r\n", "more_body": True}])

    async def receive() -> Message:
        return next(come, {"type": "http.disconnect"})

    async def send(message: Message) -> None: ...

    asyncio.run(app(scope | {"headers": headers}, receive, send))
    assert not list((folder / ".web").rglob("upload"))


class Sending:
    """A request whose body does not end."""

    def __init__(self, app: FastAPI, path: str, *headers: tuple[bytes, bytes]) -> None:
        self.status = 0
        self.is_read, self.ends = asyncio.Event(), asyncio.Event()
        self._come = [{"type": "http.request", "body": b"--x\r\n", "more_body": True}]
        scope = {"type": "http", "method": "POST", "path": path, "query_string": b""}
        asked = app(scope | {"headers": list(headers)}, self._receive, self._send)
        self.answer = asyncio.create_task(asked)

    async def _receive(self) -> Message:
        if self._come:
            return self._come.pop()
        self.is_read.set()
        await self.ends.wait()
        return {"type": "http.request", "body": b"", "more_body": False}

    async def _send(self, message: Message) -> None:
        self.status = message.get("status", self.status)


FORM = (b"content-type", b"multipart/form-data; boundary=x")


@pytest.mark.parametrize(("path", "form"), [("/api/submissions", []), ("/me/upload", [FORM])])
def test_an_owner_sends_few_files_at_once(
    app: FastAPI, tokens: dict[str, str], path: str, form: list[tuple[bytes, bytes]]
) -> None:
    """Each would be on the disk for as long as it takes."""
    with TestClient(app, follow_redirects=False) as browser:
        browser.get(f"/in/{tokens['ada']}")
    cookie = (b"cookie", f"arena_session={browser.cookies['arena_session']}".encode())
    token = (b"authorization", f"Bearer {tokens['ada']}".encode())
    theirs = (b"authorization", f"Bearer {tokens['bob']}".encode())

    async def play() -> None:
        by = [*form, cookie if form else token]
        asked = [Sending(app, path, *by) for _ in range(3)]
        for each in asked:
            await each.is_read.wait()
        more, others = Sending(app, path, *by), Sending(app, "/api/submissions", theirs)
        await more.answer
        assert more.status == 429 and not any(each.status for each in (*asked, others))
        leaving = Sending(
            app, "/out", (b"content-type", b"application/x-www-form-urlencoded"), cookie
        )
        leaving.ends.set()
        await leaving.answer
        assert leaving.status == 403, "no file, and no token of its form"
        for each in (*asked, others):
            each.ends.set()
            await each.answer
            assert each.status not in (0, 429)
        later = Sending(app, path, *by)
        later.ends.set()
        await later.answer
        assert later.status == asked[0].status

    asyncio.run(play())


def test_a_file_that_was_being_sent_when_its_token_was_revoked_is_not_taken(
    app: FastAPI, tokens: dict[str, str], folder: Path
) -> None:
    """A thief of a token could keep requests open until its owner had another."""

    async def play() -> None:
        token = (b"authorization", f"Bearer {tokens['ada']}".encode())
        sending = Sending(app, "/api/submissions", token)
        await sending.is_read.wait()
        course.renew(folder, "ada")
        sending.ends.set()
        await sending.answer
        assert sending.status == 401

    asyncio.run(play())
    assert not app.state.course.checks.of("ada")


def test_one_at_a_time_and_not_too_often(
    client: TestClient, app: FastAPI, tokens: dict[str, str]
) -> None:
    app.state.course.checks.jobs._places = lambda: 0
    app.state.course.uploads = Rate(6, 60, clock=lambda: 0.0)
    hand_in(client, "bot.py", RIGHT)
    codes = [client.post("/api/submissions?name=a.py", content=b"x").status_code for _ in range(6)]
    assert codes == [*[409] * 5, 429]
    app.state.course.uploads = Rate(6, 60)
    told_at_once = client.post("/api/submissions?name=a.py", content=b"x").json()["detail"]
    assert "or cancel it on /me" in told_at_once, "before the deadline passes"
    other = {"Authorization": f"Bearer {tokens['bob']}"}
    assert client.post("/api/submissions?name=a.py", content=b"", headers=other).status_code == 202


def test_a_stream_ends_where_its_token_is_revoked(
    client: TestClient, app: FastAPI, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def events(*_: object) -> AsyncGenerator[bytes]:
        yield b"data: 1\n\n"
        course.revoke(folder, "ada", NOW)
        yield b"data: 2\n\n"

    app.state.course.checks.jobs._places = lambda: 0
    address = f"/api/submissions/{hand_in(client, 'bot.py', RIGHT)['id']}/live"
    monkeypatch.setattr(upload, "events", events)
    assert client.get(address).text == ":\n\ndata: 1\n\n:\n\n", "without an event of pages"
    refused = client.get(address)
    assert (refused.status_code, "was revoked" in refused.json()["detail"]) == (401, True)


def test_a_check_that_waits_long_says_that_it_is_alive(
    client: TestClient, app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = app.state.course.checks
    found.jobs._places = lambda: 0
    id = hand_in(client, "bot.py", RIGHT)["id"]
    folder = found.jobs.folder("ada", id)
    monkeypatch.setattr(upload, "_ALIVE_S", -1.0)

    async def first() -> bytes:
        return await asyncio.wait_for(anext(upload.events(found, folder)), 10)

    assert asyncio.run(first()) == b":\n\n", "else a proxy ends the stream"


def test_the_events_of_a_damaged_check_end_with_its_sentence(
    client: TestClient, app: FastAPI
) -> None:
    found = app.state.course.checks
    found.jobs._places = lambda: 0
    id = hand_in(client, "bot.py", RIGHT)["id"]
    folder = found.jobs.folder("ada", id)
    (folder / EVENTS).write_text("no event\n")

    async def all_of_them() -> list[bytes]:
        async with asyncio.timeout(10):
            return [text async for text in upload.events(found, folder)]

    (broken,) = asyncio.run(all_of_them())
    assert broken.startswith(b"id: 1\nevent: broken\n") and b"damaged" in broken


@pytest.mark.slow
def test_an_earlier_version_plays_again_by_an_upload_as_seldom_as_by_a_form(
    client: TestClient, app: FastAPI, folder: Path
) -> None:
    versions = [RIGHT, f"{RIGHT}\n"]
    for text in versions:
        accepted(folder, "ada", text)
    app.state.course.checks.returns = Rate(1, 3600, clock=lambda: 0.0)
    sent = (versions[1], versions[0], versions[1])  # what plays; back to the first; and again
    ends = [told(client, hand_in(client, "bot.py", text)["id"])[-1] for text in sent]
    assert [end[1] for end in ends] == ["entered", "entered", "refused"]
    assert TOO_OFTEN in ends[2][2]["sentence"]
    assert course.bot(folder, "ada").plays == course.bot(folder, "ada").versions[0]


def test_what_cannot_be_kept_takes_no_room(
    app: FastAPI, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(folder: Path, about: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(app.state.course.checks.jobs, "order", full)
    with pytest.raises(OSError, match="No space"):
        app.state.course.checks.add("ada", "fox.zip", io.BytesIO(b"x"), NOW)
    assert list((folder / ".web/checks/ada").iterdir()) == []


def test_ids_are_no_paths(client: TestClient, app: FastAPI, folder: Path) -> None:
    for id in ("..", "../ada", "%2e%2e", "20261101-120000-zzzzzzzz", "x" * 5000, "%00"):
        assert client.get(f"/api/submissions/{id}").status_code in (404, 307), id
        assert app.state.course.checks.jobs.folder("ada", id) is None


def process_of(folder: Path) -> psutil.Process | None:
    for each in psutil.process_iter(["cmdline"]):
        if each.info["cmdline"] and each.info["cmdline"][-1] == str(folder):
            return each
    return None


def test_a_check_gives_way_in_a_process_of_its_own_and_is_broken_off_when_that_is_killed(
    client: TestClient, app: FastAPI, folder: Path
) -> None:
    endless = RIGHT.replace("import sys", "import sys, time\ntime.sleep(100)")
    sent = hand_in(client, "bot.py", endless)
    at = app.state.course.checks.jobs.folder("ada", sent["id"])
    wait_for(lambda: (at / EVENTS).exists() and b"judging" in (at / EVENTS).read_bytes())
    process = process_of(at)
    assert process is not None
    assert process.nice() >= 10 and os.getsid(process.pid) != os.getsid(0)
    process.kill()
    name, said = told(client, sent["id"])[-1][1:]
    assert (at / ASIDE / "bot.py").read_text() == endless, "for another check by the staff"
    assert (name, "Submit the bot again" in said["sentence"]) == ("broken", True)
    assert "After the deadline, ask the staff" in said["sentence"]
    assert client.get(f"/api/submissions/{sent['id']}").json()["state"] == "broken off"
    assert course.bots(folder) == ()


def is_alive(process: psutil.Process) -> bool:
    """No zombie either, as a test before may have made this process the parent of orphans."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_a_check_that_is_cancelled_ends_at_once(
    client: TestClient, app: FastAPI, tokens: dict[str, str], folder: Path
) -> None:
    ada, bob = (TestClient(app, follow_redirects=False) for _ in range(2))
    for browser, owner in ((ada, "ada"), (bob, "bob")):
        browser.get(f"/in/{tokens[owner]}")
    sent = hand_in(client, "bot.py", RIGHT.replace("import sys", "import sys\nwhile True: pass"))
    at = app.state.course.checks.jobs.folder("ada", sent["id"])
    wait_for(lambda: (at / EVENTS).exists() and b"judging" in (at / EVENTS).read_bytes())
    process = process_of(at)
    assert process is not None
    wait_for(process.children)
    all_of_it = [process, *process.children(recursive=True)]
    cancel = f"/me/check/{sent['id']}/cancel"
    assert f'action="{cancel}"' in ada.get("/me").text
    assert ada.post(cancel).status_code == 403
    signer = app.state.course.people.signer
    for browser, code in ((bob, 404), (ada, 303), (ada, 303)):
        form = {"form_token": signer.form_token(browser.cookies["arena_session"])}
        assert browser.post(cancel, data=form).status_code == code
    wait_for(lambda: not any(map(is_alive, all_of_it)))
    page = ada.get("/me").text
    assert '<b class="error">cancelled</b>' in page and f'action="{cancel}"' not in page
    assert told(client, sent["id"])[-1][1] == "broken"
    assert not list((folder / ".web").rglob("upload"))
    told(client, hand_in(client, "bot.py", RIGHT)["id"])
    assert course.bots(folder)[0].state == "plays"


CANCELLED_LATE = """
import os, runpy, signal, sys
from pathlib import Path
from arena.bots import course

def submit(*given, accept=course.submit):
    Path(sys.argv[1], "cancelled").touch()
    os.kill(os.getpid(), signal.SIGTERM)
    return accept(*given)

course.submit = submit
"""


@pytest.mark.slow
def test_a_check_that_is_cancelled_while_it_is_accepted_says_that_it_is_too_late(
    client: TestClient, app: FastAPI, folder: Path, tmp_path: Path
) -> None:
    checker = tmp_path / "cancelled_late.py"
    checker.write_text(f"{CANCELLED_LATE}\nrunpy.run_path({str(QUICK)!r}, run_name='__main__')")
    app.state.course.checks.jobs.command = (sys.executable, str(checker))
    sent = hand_in(client, "bot.py", RIGHT)
    assert told(client, sent["id"])[-1][1] == "entered"
    check = client.get(f"/api/submissions/{sent['id']}").json()
    assert check["state"] == "accepted"
    assert check["sentence"].startswith("It was accepted before you cancelled it; withdraw it")
    assert course.bots(folder)[0].state == "plays"


def test_a_check_that_is_cancelled_while_it_waits_is_never_begun(
    client: TestClient, app: FastAPI
) -> None:
    jobs = app.state.course.checks.jobs
    jobs._places = lambda: 0
    sent = hand_in(client, "bot.py", RIGHT)
    at = jobs.folder("ada", sent["id"])
    jobs.cancel(at)
    assert client.get(f"/api/submissions/{sent['id']}").json()["state"] == "cancelled"
    jobs.resume()
    assert jobs.is_over(at)


@pytest.mark.slow
def test_a_killed_server_leaves_checks_whole_and_in_time(
    client: TestClient, app: FastAPI, folder: Path
) -> None:
    """One that works goes on by itself, one that waited is begun by the next server, also past the
    deadline.
    """
    app.state.course.checks.jobs._places = lambda: 0
    sent = hand_in(client, "bot.py", RIGHT)
    (folder / "course.toml").write_text(f"deadline = {datetime.now(UTC).isoformat()}\n")
    app.state.course.scheduler.end()  # a killed process lets go of the course
    again = make_app(app.state.settings)
    again.state.course.checks.jobs.command = (sys.executable, str(QUICK))
    with TestClient(again, headers=client.headers) as later:
        assert told(later, sent["id"])[-1][1] == "entered"
        late = later.post("/api/submissions?name=other.py", content=f"# other\n{RIGHT}")
        assert "the deadline was" in late.json()["detail"]
    (plays,) = course.bots(folder)
    assert plays.owner == "ada" and plays.plays is not None
    assert plays.plays.accepted_at.isoformat() == sent["sent_at"].replace("Z", "+00:00")


@pytest.mark.slow
def test_the_staff_checks_again_what_the_machine_failed_at_beyond_the_deadline(
    client: TestClient, app: FastAPI, tokens: dict[str, str], folder: Path
) -> None:
    (folder / "course.toml").write_text("deadline = \n")
    sent = hand_in(client, "bot.py", RIGHT)
    assert told(client, sent["id"])[-1][2]["sentence"] == MISTAKE
    (folder / "course.toml").write_text(f"deadline = {datetime.now(UTC).isoformat()}\n")
    late = client.post("/api/submissions?name=bot.py", content=RIGHT)
    assert "the deadline was" in late.json()["detail"]
    wait_for(lambda: (folder / ".web/checks/ada" / sent["id"] / ASIDE).exists())
    staff = Staff(app)
    assert staff.page("/staff/checks").count("Check bot.py of ada again") == 1
    assert "bot.py of ada is checked again, as submitted" in staff.does(
        "checks/again", id=sent["id"]
    )
    again = client.get("/api/submissions").json()[0]
    assert (again["id"] > sent["id"], again["sent_at"]) == (True, sent["sent_at"])
    assert told(client, again["id"])[-1][1] == "entered"
    checks = client.get("/api/submissions").json()
    assert [each["state"] for each in checks] == ["accepted", "refused"]
    assert [each["again"] for each in checks] == [True, False]
    (plays,) = course.bots(folder)
    assert plays.plays is not None
    assert plays.plays.accepted_at.isoformat() == sent["sent_at"].replace("Z", "+00:00")
    assert "checked bot.py of ada again" in (folder / "staff.log").read_text()
    client.get(f"/in/{tokens['ada']}")
    assert "checked again by the staff" in client.get("/me").text
    assert "of ada again<" not in staff.page("/staff/checks")
    for name in ("upload", ASIDE):
        assert not list((folder / ".web").rglob(name)), "what was taken is not kept twice"


def refused(folder: Path, second: int) -> Path:
    """A check of Ada's that was refused, a second after the one before."""
    at = folder / ".web/checks/ada" / f"20261101-1200{second:02}-01234567"
    (at / ASIDE).mkdir(parents=True)
    (at / ASIDE / "bot.py").write_text(RIGHT)
    about = HandedIn(owner="ada", file="bot.py", sent_at=NOW.replace(second=second))
    (at / ABOUT).write_text(about.model_dump_json())
    (at / EVENTS).write_text(f"{Refused(sentence='The machine failed.').model_dump_json()}\n")
    return at


def test_what_cannot_be_checked_again_is_reported(
    app: FastAPI, tokens: dict[str, str], folder: Path
) -> None:
    checks, now = app.state.course.checks, datetime.now(UTC)
    checks.jobs._places = lambda: 0
    early, other, late = (refused(folder, second) for second in (0, 1, 2))
    script = folder.parent / "bot.py"
    script.write_text(RIGHT)
    bot = course.admitted(folder, open_bot(script), "ada", NOW)
    course.submit(folder, bot, (), "ada", NOW.replace(second=1))
    staff = Staff(app)
    for id, said in (
        (early.name, "was submitted after this file, which may replace it; let ada submit"),
        ("../../x", "This check is not kept any more"),
    ):
        assert said in staff.does("checks/again", id=id)
    shutil.rmtree(other / ASIDE)  # as an earlier arena left it
    with pytest.raises(SubmissionError, match="not kept; ask ada to submit it again"):
        checks.again(other, now)
    again = checks.again(late, now)
    with pytest.raises(SubmissionError, match="A bot of ada is being checked; wait"):
        checks.again(early, now)
    new = checks.jobs.folder("ada", again.id)
    assert (new / "upload" / "bot.py").read_text() == RIGHT and not (late / ASIDE).exists()
    checks.jobs.cancel(new)
    assert checks.file_of(checks.read(new)) is None
    assert not (new / "upload").exists() and not (new / ASIDE).exists()


def test_the_files_of_few_checks_are_kept(app: FastAPI, folder: Path) -> None:
    every = [refused(folder, second) for second in range(12)]
    (every[0] / ASIDE).rename(every[0] / UPLOAD)
    app.state.course.checks.jobs._places = lambda: 0
    app.state.course.checks.add("ada", "bot.py", io.BytesIO(b"x"), datetime.now(UTC))
    assert [(each / ASIDE).exists() for each in every] == [*[False] * 10, *[True] * 2]
    assert not (every[0] / UPLOAD).exists()
    assert all((each / ABOUT).exists() for each in every)


def test_a_file_is_kept_whose_check_was_killed_after_its_server(app: FastAPI, folder: Path) -> None:
    checks, at = app.state.course.checks, refused(folder, 0)
    checks.jobs._places = lambda: 0
    (at / ASIDE).rename(at / UPLOAD)
    for said in (at / EVENTS).read_text(), "":
        (at / EVENTS).write_text(said)
        held = acquire(at / EVENTS)
        assert checks.file_of(checks.read(at)) is None
        release(at / EVENTS, held)
        assert checks.file_of(checks.read(at)) == at / UPLOAD / "bot.py"
    checks.again(at, datetime.now(UTC))
    assert not (at / UPLOAD).exists()


def test_a_check_by_the_staff_is_no_return_of_the_owner(app: FastAPI, folder: Path) -> None:
    returned = {"event": "entered", "name": "ada", "rules": ["dots"], "version": "a", "before": "b"}
    checks, at = app.state.course.checks, refused(folder, 0)
    (at / EVENTS).write_text(f"{json.dumps(returned)}\n")
    assert checks.read(at).is_return
    about = HandedIn(owner="ada", file="bot.py", sent_at=NOW, again=True)
    (at / ABOUT).write_text(about.model_dump_json())
    assert not checks.read(at).is_return


def test_a_bot_is_dated_by_the_moment_that_was_judged(
    client: TestClient, app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others submit at the deadline, too: a bot that was taken would be late for its check."""
    app.state.course.checks.jobs._places = lambda: 0
    judged = list[datetime]()
    monkeypatch.setattr(upload, "refuse_late", lambda _, __, now: judged.append(now))
    sent = hand_in(client, "bot.py", RIGHT)
    assert [datetime.fromisoformat(sent["sent_at"].replace("Z", "+00:00"))] == judged


def test_a_server_that_another_one_keeps_out_begins_no_check(
    client: TestClient, app: FastAPI
) -> None:
    app.state.course.checks.jobs._places = lambda: 0
    waits = app.state.course.checks.jobs.folder("ada", hand_in(client, "bot.py", RIGHT)["id"])
    second = make_app(app.state.settings)
    with pytest.raises(UserError, match="served by another process"), TestClient(second):
        pass
    assert second.state.course.checks.jobs.is_over(waits), "it knows nothing of it"
