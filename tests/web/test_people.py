"""Signing in: links with tokens, sessions, forms, and how often."""

import os
import re
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fastapi import Depends, FastAPI, HTTPException, Request

from arena.bots import course
from arena.errors import UserError
from arena.web import rates, sessions
from arena.web.app import ServerSettings, make_app
from arena.web.people import COOKIE
from arena.web.rates import Rate
from arena.web.rights import (
    Asking,
    Role,
    Visitor,
    is_still_visitor,
    may,
    own_form,
    visitor_of,
)
from arena.web.sessions import FOLDER, SignedSession, Signer
from tests.web.conftest import TestClient

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    course.init(tmp_path / "course")
    return tmp_path / "course"


@pytest.fixture
def tokens(folder: Path) -> dict[str, str]:
    return course.add_owners(folder, ["ada", "bob"], NOW)


@pytest.fixture
def app(folder: Path) -> FastAPI:
    """The server of the course with two routes that show whose a request is."""
    app = make_app(ServerSettings(course=folder, runs=folder / "runs"))
    rights = [may(Role.ANYONE)]

    @app.get("/api/who", dependencies=rights)
    @app.get("/who", dependencies=rights)
    async def who(asking: Asking) -> Visitor:
        return asking

    @app.post("/change", dependencies=[Depends(own_form), may(Role.OWNER)])
    async def change() -> str:
        return "changed"

    return app


@pytest.fixture
def client(app: FastAPI) -> TestClient:
    return TestClient(app, follow_redirects=False)


def who(client: TestClient, at: str = "/who", **headers: str) -> tuple[str, str | None]:
    said = client.get(at, headers=headers).json()
    return said["role"], said["owner"]


@pytest.mark.parametrize(("name", "text"), [("secret", ""), ("secret", "x"), ("ended.json", "x")])
def test_a_damaged_file_of_sessions_is_refused(folder: Path, name: str, text: str) -> None:
    Signer(folder)
    file = folder / FOLDER / name
    file.write_text(text)
    with pytest.raises(UserError, match=f"{name} is damaged"):
        Signer(folder)


def test_a_link_begins_a_session(client: TestClient, tokens: dict[str, str]) -> None:
    assert who(client) == ("anyone", None)
    came = client.get(f"/in/{tokens['ada']}")
    assert (came.status_code, came.headers["location"]) == (303, "/me")
    cookie = came.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=lax" in cookie and "secure" not in cookie
    assert f"max-age={60 * 24 * 3600}" in cookie, "it outlives the browser"
    assert tokens["ada"] not in cookie
    assert who(client) == ("owner", "ada")


def test_a_session_that_was_ended_is_over_for_a_copy_too(
    client: TestClient, folder: Path, tokens: dict[str, str]
) -> None:
    client.get(f"/in/{tokens['ada']}")
    copy = client.cookies[COOKIE]
    form = {"X-Form-Token": Signer(folder).form_token(copy)}
    assert client.post("/out", headers=form).headers["location"] == "/"
    assert COOKIE not in client.cookies
    for _ in ("now", "after a restart"):
        client.cookies.set(COOKIE, copy)
        assert who(client) == ("anyone", None)
        assert isinstance(client.app, FastAPI)
        client.app.state.course.people.__init__(folder)  # a restart
    client.cookies.clear()
    client.get(f"/in/{tokens['ada']}")
    assert who(client) == ("owner", "ada"), "by the link again"


@pytest.mark.parametrize("came", ["by the link", "by the page"])
def test_nobody_becomes_another_without_wanting_it(
    came: str, client: TestClient, app: FastAPI, tokens: dict[str, str]
) -> None:
    client.get(f"/in/{tokens['bob']}")
    asked = client.get(f"/in/{tokens['ada']}")
    assert "Sign in as ada instead of bob" in asked.text
    assert asked.headers["Referrer-Policy"] == "strict-origin", "logs would have the link"
    assert who(client) == ("owner", "bob")
    assert client.post("/in", data={"token": tokens["ada"]}).status_code == 403
    found = asked if came == "by the link" else client.get("/in")
    ((form),) = re.findall('name="form_token" value="(.*?)"', found.text)
    sent = {"form_token": form, "token": tokens["ada"]}
    assert client.post("/in", data=sent).status_code == 303
    assert who(client) == ("owner", "ada")
    assert client.get(f"/in/{tokens['ada']}").status_code == 303, "is ada already"
    staffs = client.get(f"/in/{app.state.course.people.staff_token}").text
    assert "Sign in as the staff instead of ada" in staffs


def test_a_token_may_be_typed(client: TestClient, tokens: dict[str, str]) -> None:
    assert "Your token" in client.get("/in").text
    assert client.post("/in", data={"token": f" {tokens['bob']} "}).status_code == 303
    assert who(client) == ("owner", "bob")


def test_a_wrong_token_opens_nothing(client: TestClient, tokens: dict[str, str]) -> None:
    refused = client.get("/in/0123", headers={"Accept": "application/json"})
    assert refused.status_code == 401 and "no owner has this token" in refused.text
    assert 'href="/in"' in refused.text
    typed = client.post("/in", data={"token": "0123"})
    assert typed.status_code == 401 and "no owner has this token" in typed.text
    assert 'aria-describedby="refusal"' in typed.text and 'id="refusal"' in typed.text
    assert "Your token" in typed.text, "it is asked for again"
    assert COOKIE not in client.cookies
    unknown = client.get("/api/who", headers={"Authorization": "Bearer 0123"})
    assert (unknown.status_code, unknown.headers["WWW-Authenticate"]) == (401, "Bearer")


def test_a_script_sends_the_token_itself(client: TestClient, tokens: dict[str, str]) -> None:
    sent = {"Authorization": f"Bearer {tokens['ada']}"}
    assert who(client, "/api/who", **sent) == ("owner", "ada")
    assert who(client, "/who", **sent) == ("anyone", None), "pages take sessions alone"


def test_a_request_is_of_the_same_visitor_until_its_token_opens_nothing(
    app: FastAPI, folder: Path, tokens: dict[str, str]
) -> None:
    def sent(**headers: str) -> Request:
        encoded = [(name.encode(), value.encode()) for name, value in headers.items()]
        scope = {"type": "http", "app": app, "path": "/api/who", "headers": encoded}
        return Request(scope | {"client": ("ada", 1)})

    mine, anyones = sent(authorization=f"Bearer {tokens['ada']}"), sent()
    assert visitor_of(mine) == Visitor(role=Role.OWNER, owner="ada")
    assert visitor_of(anyones) == Visitor()
    assert is_still_visitor(mine) and is_still_visitor(anyones)
    course.renew(folder, "ada")
    assert not is_still_visitor(mine) and is_still_visitor(anyones)


def test_the_staff_comes_in_by_the_token_of_the_console(client: TestClient, app: FastAPI) -> None:
    came = client.get(f"/in/{app.state.course.people.staff_token}")
    assert came.headers["location"] == "/staff"
    assert f"max-age={12 * 3600}" in came.headers["set-cookie"].lower()
    assert who(client) == ("staff", None)
    app.state.course.people.__init__(app.state.settings.course)
    assert who(client) == ("anyone", None), "the token of another start"


def test_a_restart_logs_no_owner_out(
    client: TestClient, folder: Path, tokens: dict[str, str]
) -> None:
    client.get(f"/in/{tokens['ada']}")
    assert isinstance(client.app, FastAPI)
    client.app.state.course.people.__init__(folder)  # a restart
    assert who(client) == ("owner", "ada")


@pytest.mark.parametrize("how", ["revoked", "renewed", "removed"])
def test_a_token_that_opens_nothing_ends_its_sessions(
    how: str, client: TestClient, folder: Path, tokens: dict[str, str]
) -> None:
    client.get(f"/in/{tokens['ada']}")
    if how == "revoked":
        course.revoke(folder, "ada", NOW)
    elif how == "renewed":
        course.renew(folder, "ada")
    else:
        (folder / "roster.json").write_text('{"owners": []}')
    assert who(client) == ("anyone", None)


def test_a_session_that_was_not_signed_here_is_none(
    client: TestClient, folder: Path, tmp_path: Path, tokens: dict[str, str]
) -> None:
    client.get(f"/in/{tokens['ada']}")
    mine = client.cookies[COOKIE]
    course.init(tmp_path / "other")
    assert isinstance(client.app, FastAPI)
    fingerprint = client.app.state.course.people._of_staff()
    staff = SignedSession(owner=None, fingerprint=fingerprint, ends_at=time.time() + 60)
    over = staff.model_copy(update={"ends_at": time.time() - 1})
    signer, earlier = Signer(folder), b"{}".hex()
    words = signer.cookie(staff).partition(".")[0]
    client.cookies.set(COOKIE, signer.cookie(staff))
    assert who(client) == ("staff", None)
    forged = [
        Signer(tmp_path / "other").cookie(staff),
        signer.cookie(over),
        f"{words}.{signer.form_token(words)}",
        f"{earlier}.{signer._signature('session', earlier)}",
        mine[:-1] + ("0" if mine[-1] != "0" else "1"),
        mine.partition(".")[0],
        f"{mine}.{mine}",
        "",
        ".",
        "\xff.\xff",
    ]
    for cookie in forged:
        sent = f"{COOKIE}={cookie}".encode("latin-1")
        client.cookies.clear()
        said = client.get("/who", headers={b"cookie": sent})
        assert said.json()["role"] == "anyone", cookie
    at = folder / FOLDER
    assert [each.stat().st_mode & 0o777 for each in (at, at / "secret")] == [0o700, 0o600]


def test_a_group_that_writes_the_course_shares_its_sessions(tmp_path: Path) -> None:
    """Another of the staff serves it next time."""
    before = os.umask(0o007)
    try:
        tmp_path.chmod(0o2770)
        Signer(tmp_path)
    finally:
        os.umask(before)
    at = tmp_path / FOLDER
    assert [each.stat().st_mode & 0o777 for each in (at, at / "secret")] == [0o770, 0o660]
    assert [each.name for each in at.iterdir()] == ["secret"]


def test_two_servers_that_begin_at_once_have_one_secret(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = os.link

    def late(part: Path, file: Path) -> None:
        file.write_bytes(b"of the other one".ljust(32))
        link(part, file)

    monkeypatch.setattr(os, "link", late)
    first, second = Signer(folder), Signer(folder)
    session = SignedSession(owner="ada", fingerprint="", ends_at=100.0)
    assert second.session(first.cookie(session), 50.0) == session
    assert [each.name for each in (folder / FOLDER).iterdir()] == ["secret"]


def test_a_change_comes_from_a_page_of_the_session(
    client: TestClient, folder: Path, tokens: dict[str, str]
) -> None:
    assert client.post("/change").status_code == 401
    client.get(f"/in/{tokens['bob']}")
    signer = Signer(folder)
    form = signer.form_token(client.cookies[COOKIE])
    assert client.post("/change").status_code == 403
    assert client.post("/change", data={"form_token": form[::-1]}).status_code == 403
    assert client.post("/change", data={"form_token": form}).json() == "changed"
    assert client.post("/change", headers={"X-Form-Token": form}).json() == "changed"
    assert client.post("/change", headers={"X-Form-Token": form[::-1]}).status_code == 403
    assert client.post(f"/change?form_token={form}").status_code == 403, "proxies log addresses"
    client.cookies.clear()
    client.get(f"/in/{tokens['ada']}")
    assert client.post("/change", data={"form_token": form}).status_code == 403, (
        "that of bob's session"
    )


def test_a_change_comes_from_no_other_site(client: TestClient, tokens: dict[str, str]) -> None:
    for origin in ("http://evil.example", "null", "https://testserver.evil.example"):
        sent = {"Origin": origin}
        refused = client.post("/in", data={"token": tokens["ada"]}, headers=sent)
        assert refused.status_code == 403
    ours = client.post(
        "/in", data={"token": tokens["ada"]}, headers={"Origin": "http://testserver"}
    )
    assert ours.status_code == 303


def test_a_link_on_another_site_opens_a_page(client: TestClient) -> None:
    for sent in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "http://evil.example"}):
        assert client.get("/in", headers=sent).status_code == 200


@pytest.mark.parametrize(
    ("public", "origin"),
    [
        ("https://arena.example.org", "https://arena.example.org"),
        ("https://Arena.Example.org", "https://arena.example.org"),
        ("https://arena.example.org:443", "https://arena.example.org"),
        ("http://arena.example.org:80", "http://arena.example.org"),
        ("https://arena.example.org:80", "https://arena.example.org:80"),
        ("https://spiele-köln.example", "https://xn--spiele-kln-lcb.example"),
    ],
)
def test_a_server_behind_tls_is_known_by_its_public_address(
    folder: Path, tokens: dict[str, str], public: str, origin: str
) -> None:
    settings = ServerSettings(course=folder, runs=folder / "runs", secure=True, public_url=public)
    client = TestClient(make_app(settings), follow_redirects=False)
    sent = {"data": {"token": tokens["ada"]}, "headers": {"Origin": origin}}
    came = client.post("/in", **sent)
    assert came.status_code == 303, "its proxy asks by another name"
    assert "secure" in came.headers["set-cookie"].lower()


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "evil.example"])
def test_behind_a_proxy_a_redirect_leads_to_the_public_address(tmp_path: Path, host: str) -> None:
    """As the one from `/play/` to `/play`."""
    public = "https://arena.example.org"
    settings = ServerSettings(runs=tmp_path, secure=True, public_url=public)
    client = TestClient(make_app(settings), follow_redirects=False)
    answer = client.get("/play/", headers={"Host": host})
    assert (answer.status_code, answer.headers["Location"]) == (307, f"{public}/play")


def test_no_other_host_of_a_domain_signs_anyone_in_by_tls(
    folder: Path, tokens: dict[str, str]
) -> None:
    """It can set cookies for the domain, but none with this prefix."""
    public = "https://arena.example.org"
    settings = ServerSettings(course=folder, runs=folder / "runs", secure=True, public_url=public)
    client = TestClient(make_app(settings), base_url=public, follow_redirects=False)
    client.get(f"/in/{tokens['ada']}")
    (name,) = client.cookies
    assert name == f"__Host-{COOKIE}" and client.get("/me").status_code == 200
    session = client.cookies[name]
    client.cookies.clear()
    client.cookies.set(COOKIE, session)
    assert client.get("/me").status_code == 401
    client.cookies.clear()
    client.get(f"/in/{tokens['ada']}")
    form = {"X-Form-Token": Signer(folder).form_token(client.cookies[name])}
    out = client.post("/out", headers=form).headers["set-cookie"]
    assert out.startswith(f'{name}="";') and "secure" in out.lower(), "else a browser keeps it"
    assert client.get("/me").status_code == 401


def test_tokens_are_not_guessed_at_will(client: TestClient, tokens: dict[str, str]) -> None:
    assert isinstance(client.app, FastAPI)
    client.app.state.course.people.wrong = Rate(60, 60, clock=lambda: 0.0)
    wrong = {"Authorization": "Bearer 0123"}
    for _ in range(30):
        assert client.get("/in/0123").status_code == 401
        assert client.get("/api/who", headers=wrong).status_code == 401
    assert client.get("/api/who", headers=wrong).status_code == 429
    refused = client.get("/in/0123")
    assert refused.status_code == 429 and int(refused.headers["retry-after"]) >= 1
    assert "too often" in refused.text
    for _ in range(70):
        assert client.get(f"/in/{tokens['ada']}").status_code == 303, "the others of that address"


def test_a_rate_has_tries_that_come_back() -> None:
    now = 100.0
    rate = Rate(3, 30, clock=lambda: now)
    assert [rate.wait("a") for _ in range(4)] == [0, 0, 0, 10]
    assert rate.wait("b") == 0
    assert [rate.has_try(who) for who in ("a", "b", "c")] == [False, True, True]
    now += 10
    assert rate.has_try("a")
    assert [rate.wait("a"), rate.wait("a")] == [0, 10]
    now += 1000
    assert [rate.wait("a") for _ in range(4)] == [0, 0, 0, 10], "no more than three are saved"
    fast = Rate(1, 0.1, clock=lambda: now)
    fast.take("a", "once")
    with pytest.raises(HTTPException) as refused:
        fast.take("a", "once")
    assert refused.value.headers == {"Retry-After": "1"}


def test_a_rate_forgets_those_alone_who_have_all_their_tries(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rates, "_KEPT", 2)
    now = 100.0
    rate = Rate(1, 30, clock=lambda: now)
    assert rate.wait("a") == 0
    now += 20
    assert rate.wait("b") == 0
    now += 20
    assert rate.wait("c") == 0
    assert rate._full_at.keys() == {"b", "c"} and rate.wait("b") == 10


def test_the_ended_sessions_that_would_last_are_remembered(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "_REMEMBERED", 2)
    signer = Signer(folder)
    cookies = [
        signer.cookie(SignedSession(owner="ada", fingerprint="", ends_at=ends_at))
        for ends_at in (300.0, 100.0, 200.0)
    ]
    for cookie in (*cookies, "", "not.ours"):
        signer.end(cookie, 50.0)
    assert [signer.session(cookie, 50.0) is None for cookie in cookies] == [True, False, True]


def test_an_ended_session_stays_ended_after_the_clock_was_set_back(folder: Path) -> None:
    signer = Signer(folder)
    first, second = (
        signer.cookie(SignedSession(owner="ada", fingerprint="", ends_at=ends_at))
        for ends_at in (100.0, 900.0)
    )
    signer.end(first, 50.0)
    signer.end(second, 500.0)
    assert [signer.session(cookie, 60.0) for cookie in (first, second)] == [None, None]


def test_a_server_of_runs_alone_has_no_people(tmp_path: Path) -> None:
    client = TestClient(make_app(ServerSettings(runs=tmp_path)))
    assert client.get("/in/0123").status_code == 404
