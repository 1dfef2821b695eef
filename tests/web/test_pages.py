"""Pages, errors and the headers of every answer."""

import pytest
from fastapi import FastAPI, Request

from arena.errors import StoreError
from arena.web.rights import Role, Visitor, may
from arena.web.safe import HEADERS
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

    @app.get("/staff", dependencies=[may(Role.STAFF)])
    async def staff() -> None: ...

    @app.post("/change")
    async def change() -> str:
        return "done"

    return TestClient(app, raise_server_exceptions=False)


@pytest.mark.parametrize("path", ["/", "/nothing", "/api/nothing", "/broken", "/damaged", "/staff"])
def test_every_answer_binds_the_browser(odd: TestClient, path: str) -> None:
    answer = odd.get(path)
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS


def test_a_mistake_of_ours_shows_no_traceback(odd: TestClient) -> None:
    answer = odd.get("/broken")
    assert answer.status_code == 500
    assert "ZeroDivision" not in answer.text
    assert "its log says which" in answer.text


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


def test_no_body_is_read_without_end(odd: TestClient) -> None:
    def identify(request: Request) -> Visitor:
        request.state.form_token = "secret"
        return Visitor(role=Role.OWNER, owner="ann")

    odd.app.state.identify = identify
    answer = odd.post("/change", data={"form_token": "secret", "x": "x" * 13_000_000})
    assert answer.status_code == 413
    assert "More than 12 MB are not taken" in answer.text
