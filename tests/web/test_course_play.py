"""/play in a course: against bots of others, which the sandbox holds."""

from pathlib import Path

from fastapi import FastAPI

from arena.bots import course
from tests.right_bot import RIGHT

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
