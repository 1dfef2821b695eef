"""/play in a course: against bots of others, which the sandbox holds."""

from pathlib import Path

from fastapi import FastAPI

from arena.bots import course
from tests.right_bot import RIGHT

from .conftest import TestClient
from .test_mine import Browser, app, browser, folder, hand_in, tokens
from .test_play import SMALL, do, when

__all__ = ["app", "browser", "folder", "tokens"]


def test_a_person_plays_a_submitted_bot(app: FastAPI, browser: Browser, folder: Path) -> None:
    hand_in(folder, "bob", RIGHT)
    hand_in(folder, "ada", RIGHT)
    course.exclude(folder, "ada")
    with browser("ada") as ada:
        text = ada.get("/play").text
        assert '<option value="bot/bob">bob</option>' in text
        assert "bot/ada" not in text
        form = SMALL | {"opponent": "bot/bob", "seat": "1"}
        assert ada.post("/play", data=form, headers={"X-Form-Token": ""}).status_code == 403
        with_token = form | {"form_token": ada.headers["X-Form-Token"]}
        answer = ada.post("/play", data=with_token, follow_redirects=False)
        table = answer.headers["location"]
        state = when(ada, table, "yours")
        assert state["names"] == ["bob", "you"]
        assert state["said"] == ["bob: a1b1"]
        do(ada, table, state, "resign")
        assert when(ada, table, "over")["ending"] == "You resigned. bob wins."


def test_stderr_is_for_the_owner_of_a_bot_and_the_staff(
    app: FastAPI, browser: Browser, folder: Path
) -> None:
    hand_in(folder, "bob", "raise ValueError('my secret')")
    endings = {}
    for who in ("ada", "bob", "staff"):
        with staff_browser(app) if who == "staff" else browser(who) as client:
            form = SMALL | {"opponent": "bot/bob", "seat": "1"}
            form["form_token"] = client.headers["X-Form-Token"]
            answer = client.post("/play", data=form, follow_redirects=False)
            endings[who] = when(client, answer.headers["location"], "over")["ending"]
    assert "ValueError: my secret" in endings["bob"]
    assert "ValueError: my secret" in endings["staff"]
    assert endings["ada"].endswith("The player exited with code 1 before `quit` was sent.")


def staff_browser(app: FastAPI) -> TestClient:
    people = app.state.course.people
    client = TestClient(app)
    client.get(f"/in/{people.staff_token}", follow_redirects=False)
    client.headers["X-Form-Token"] = people.signer.form_token(client.cookies["arena_session"])
    return client
