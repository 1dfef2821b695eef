"""Pages, errors and the headers of every answer."""

import asyncio
import errno
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fastapi import Depends, FastAPI, Request
from starlette.types import Message

from arena.bots import course
from arena.bots.submissions import submissions
from arena.checks.result import CheckResult
from arena.errors import StoreError
from arena.web.app import ServerSettings, make_app
from arena.web.checks import Check
from arena.web.pages import environment
from arena.web.rights import Role, Visitor, may, own_form
from arena.web.safe import HEADERS
from arena.web.sentences import CLOSED
from tests.files.users import as_nobody
from tests.web.conftest import TestClient


def test_an_error_is_a_page_in_the_same_look(client: TestClient) -> None:
    answer = client.get("/nothing/here")
    assert answer.status_code == 404
    assert "<nav" in answer.text
    assert "There is no such page here" in answer.text


def test_an_error_of_the_api_is_json(client: TestClient) -> None:
    answer = client.get("/api/nothing")
    assert (answer.status_code, list(answer.json())) == (404, ["detail"])


@pytest.fixture
def odd(app: FastAPI) -> TestClient:
    """An application with routes that go wrong."""

    @app.get("/broken")
    async def broken() -> None:
        raise ZeroDivisionError

    @app.get("/damaged")
    async def damaged(request: Request) -> None:
        raise StoreError(f"{request.app.state.settings.runs}/cup.sqlite: <b>damaged</b>\u202e")

    @app.get("/api/closed")
    async def closed(request: Request, folder: Path) -> None:
        request.state.visitor = Visitor(role=Role(request.headers["role"]))
        submissions(folder)

    @app.get("/unkept/{name}")
    async def unkept(name: str) -> None:
        number = getattr(errno, name)
        raise OSError(number, os.strerror(number), "/srv/course/keeper.json")

    @app.get("/staff", dependencies=[may(Role.STAFF)])
    async def staff() -> None: ...

    @app.post("/change", dependencies=[Depends(own_form)])
    async def change() -> str:
        return "done"

    return TestClient(app, raise_server_exceptions=False)


def test_advice_on_the_rights_of_a_course_is_for_its_staff(
    odd: TestClient, for_all: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (for_all / "ada").mkdir(0o700)
    advice = f"nobody may not enter {for_all}/ada"
    for role, told in ((Role.OWNER, CLOSED), (Role.STAFF, advice)):
        with as_nobody():
            answer = odd.get(f"/api/closed?folder={for_all}", headers={"role": str(role)})
        assert answer.json()["detail"].startswith(told)
    assert capfd.readouterr().err.count(advice) == 1


@pytest.mark.parametrize("path", ["/", "/nothing", "/api/nothing", "/broken", "/damaged", "/staff"])
def test_every_answer_binds_the_browser(odd: TestClient, path: str) -> None:
    answer = odd.get(path)
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS


def test_the_head_of_a_page_may_be_asked_for_alone(client: TestClient) -> None:
    page, head = client.get("/"), client.head("/")
    assert head.status_code == 200
    assert head.headers == page.headers


def test_a_mistake_of_ours_shows_no_traceback(odd: TestClient) -> None:
    answer = odd.get("/broken")
    assert answer.status_code == 500
    assert "ZeroDivision" not in answer.text
    assert "its log has the cause" in answer.text


@pytest.mark.parametrize(("name", "status"), [("ENOSPC", 507), ("EACCES", 500)])
def test_a_full_disk_is_a_sentence_and_a_line_of_the_log(
    odd: TestClient, capfd: pytest.CaptureFixture[str], name: str, status: int
) -> None:
    answer = odd.get(f"/unkept/{name}")
    assert answer.status_code == status
    assert "Tell the staff" in answer.text
    assert "/srv" not in answer.text
    assert capfd.readouterr().err.endswith("'/srv/course/keeper.json'\n")
    odd.app.state.identify = lambda _: Visitor(role=Role.STAFF)
    assert "Put that right, and try again." in odd.get(f"/unkept/{name}").text


def test_a_store_that_cannot_be_read_gives_a_sentence(odd: TestClient) -> None:
    answer = odd.get("/damaged")
    assert answer.status_code == 500
    assert "<p>cup.sqlite: &lt;b&gt;damaged&lt;/b&gt;\\u202e</p>" in answer.text
    assert "runs" not in answer.text


def test_too_few_rights(odd: TestClient) -> None:
    assert odd.get("/staff").status_code == 401
    odd.app.state.identify = lambda _: Visitor(role=Role.OWNER, owner="ann")
    assert odd.get("/staff").status_code == 403


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Origin": "http://testserver"}, 200),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://["}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
    ],
)
def test_a_change_that_another_site_asks_for(
    odd: TestClient, headers: dict[str, str], status: int
) -> None:
    assert odd.post("/change", headers=headers).status_code == status


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ({"headers": {"X-Form-Token": "secret"}}, 200),
        ({"data": {"form_token": "secret"}}, 200),
        ({"data": {"form_token": "sécret"}}, 403),
        ({}, 403),
    ],
)
def test_a_session_changes_nothing_without_its_form(
    odd: TestClient, sent: dict[str, object], status: int
) -> None:
    def identify(request: Request) -> Visitor:
        request.state.form_token = "secret"
        return Visitor(role=Role.OWNER, owner="ann")

    odd.app.state.identify = identify
    assert odd.post("/change", **sent).status_code == status


_PART = b'--x\r\nContent-Disposition: form-data; name="a"; filename="b"\r\n\r\n'


@pytest.mark.parametrize("length", [None, 20_000_000])
@pytest.mark.parametrize(
    ("path", "kind", "most"),
    [
        ("/in", "application/x-www-form-urlencoded", 64_000),
        ("/in", "multipart/form-data; boundary=x", 64_000),
        ("/api/challenges", "application/json", 64_000),
    ],
)
def test_no_body_is_read_without_end(
    tmp_path: Path, path: str, kind: str, most: int, length: int | None
) -> None:
    """Not even before the rights of who sends it are known."""
    course.init(tmp_path / "course")
    app = make_app(ServerSettings(course=tmp_path / "course", runs=tmp_path))
    headers = [(b"content-type", kind.encode())]
    headers += [(b"content-length", b"%d" % length)] if length else []
    scope = {"type": "http", "method": "POST", "path": path, "query_string": b""}
    sent, answered = 0, list[Message]()

    async def receive() -> Message:
        nonlocal sent
        sent += 16_000
        assert sent < 20_000_000
        body = _PART if sent == 16_000 else b"x" * 16_000
        return {"type": "http.request", "body": body, "more_body": True}

    async def send(message: Message) -> None:
        answered.append(message)

    asyncio.run(app(scope | {"headers": headers}, receive, send))
    assert answered[0]["status"] == 413
    assert b"This is more than 64 kB." in answered[1]["body"]
    assert sent <= (0 if length else most + 16_000)


@pytest.mark.parametrize(("number", "said"), [(1, "1 more item was "), (2, "2 more items were ")])
def test_one_skipped_item_is_one(number: int, said: str) -> None:
    detail = "skipped until item 13 is fixed"
    skipped = CheckResult(number=14, title="", seconds=0, passed=None, detail=detail, needs=13)
    now, all_skipped = datetime.now(UTC), (skipped,) * number
    check = Check(
        owner="ada", file="a.py", sent_at=now, id="", state="refused", results=all_skipped
    )
    shown = environment().get_template("me/check.html").render(check=check)
    assert f"{said}skipped until item 13 is fixed." in shown
