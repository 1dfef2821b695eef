"""Two games that an owner asks for: played at once, for that owner and the staff alone."""

import errno
import json
import sys
import time
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from arena.bots import course
from arena.bots.versions import named
from arena.errors import UserError
from arena.tournament.run_view import RunView
from arena.web import mine
from arena.web.challenge import About, ChallengeWanted, TooMany, _result
from arena.web.challenger import _side
from arena.web.rates import Rate
from arena.web.sentences import MISTAKE
from tests.reports.conftest import play_record
from tests.reports.runs import keep_games
from tests.right_bot import RIGHT

from . import quick_challenger
from .conftest import TestClient, serving
from .test_mine import LOSES, Browser, app, browser, folder, hand_in, tokens

__all__ = ["app", "browser", "folder", "tokens"]
WANTED = {"bot": "ada", "against": "monkey", "rules": "tournaments/small", "move_ms": 100}


@pytest.fixture
def quick(app: FastAPI, folder: Path) -> FastAPI:
    small = '[game]\nrules = "dots"\nrows = 1\ncols = 1\n'
    (folder / "tournaments" / "small.toml").write_text(small)
    (folder / "tournaments" / "broken.toml").write_text(small + "rows = 2\n")
    app.state.course.entries = Rate(100, 1)
    app.state.course.challenges.jobs.command = (sys.executable, quick_challenger.__file__)
    return app


def over(client: TestClient) -> dict[str, Any]:
    """The last match, once it is over."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        found: dict[str, Any] = client.get("/api/challenges").json()[0]
        if found["state"] not in ("waiting", "playing"):
            return found
        time.sleep(0.05)
    raise AssertionError(found)


@pytest.mark.slow
def test_two_games_for_ones_own_eyes(quick: FastAPI, browser: Browser, folder: Path) -> None:
    hand_in(folder, "ada", LOSES)
    hand_in(folder, "bob", RIGHT)
    ada, bob = browser("ada"), browser("bob")
    me = ada.get("/me").text
    assert "You may ask for 20 more today" in me and "broken" not in me
    assert 'value="tournaments/small" data-ms="1000">dots and boxes 1×1, as in small<' in me
    assert 'value="tournaments/ladder" data-ms="1000">cornerless Othello, as in ladder<' in me
    form = {"form_token": ada.headers["X-Form-Token"]}
    shown = ada.post("/me/challenges", data=WANTED | {"against": "bob"} | form).text
    assert "ada against bob" in shown and "19 more today" in shown
    assert ada.post("/api/challenges", json=WANTED).status_code == 429, "one at a time"
    odd = '{"bot":"\\ud800","against":"b","rules":"dots"}'
    headers = {"Content-Type": "application/json"}
    refused = ada.post("/api/challenges", headers=headers, content=odd)
    assert refused.status_code == 422 and refused.json()["detail"].startswith('"\\ud800" is not')
    played = over(ada)
    assert (played["state"], played["result"]) == ("played", "0 won, 0 drawn, 2 lost")
    at = f"/me/challenge/{played['id']}"
    assert f'href="{at}"' in ada.get("/me").text
    assert f'data-run="{at}"' in ada.get(at).text
    assert "dots and boxes 1×1 · 0.1 s a move" in ada.get(at).text
    game = ada.get(f"{at}/data").json()["games"]["id"][0]
    assert "my secret" in ada.get(f"{at}/game/{game}").text
    staff = TestClient(quick)
    staff.get(f"/in/{quick.state.course.people.staff_token}", follow_redirects=False)
    assert staff.get(at).status_code == 200
    for path in (at, f"{at}/data", f"{at}/game/{game}", f"{at}/live"):
        assert bob.get(path).status_code == 404
    assert bob.get("/api/challenges").json() == []
    assert played["id"] not in bob.get("/").text
    assert "disabled" not in ada.get("/me").text
    (folder / "course.toml").write_text("[quota]\nchallenges = 1\n")
    refused = ada.post("/api/challenges", json=WANTED)
    assert refused.status_code == 429 and "ask again tomorrow" in refused.text
    assert "disabled" in ada.get("/me").text


def test_a_match_is_shown_as_it_goes(
    quick: FastAPI, browser: Browser, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mine, "_LOOK_S", 0.05)
    hand_in(folder, "ada", RIGHT)
    ada = browser("ada")
    assert "data-live" not in ada.get("/me").text
    ada.post("/api/challenges", json=WANTED)
    assert 'data-live="/me/challenges/live"' in ada.get("/me").text
    told = ada.get("/me/challenges/live").text
    lists = [json.loads(line[6:])["matches"] for line in told.splitlines() if "matches" in line]
    assert 'class="live"' in lists[0]  # it waits, or has begun
    assert told.endswith("event: over\ndata: {}\n\n")
    assert "/me/challenge/" in lists[-1] and 'class="live"' not in lists[-1]
    after = ada.get("/me").text
    assert "data-live" not in after and lists[-1] in after


@pytest.mark.slow
def test_in_a_sandbox(app: FastAPI, browser: Browser, folder: Path) -> None:
    small = '[game]\nrules = "dots"\nrows = 2\ncols = 2\n'
    (folder / "tournaments" / "small.toml").write_text(small)
    hand_in(folder, "ada", RIGHT)
    ada = browser("ada")
    ada.post("/api/challenges", json=WANTED)
    assert over(ada)["state"] == "played"


def test_games_with_the_roles_swapped_are_one_result(tmp_path: Path) -> None:
    games = [
        play_record("2048", *pair, game=game, pair="p", placer="player", forfeit=forfeit)
        for *pair, game, forfeit in (("ant", "bee", "g1", None), ("bee", "ant", "g2", 0))
    ]
    keep_games(tmp_path / "t.sqlite", games)
    assert _result(tmp_path / "t.sqlite", "ant")[1] == "1 won, 0 drawn, 0 lost"
    assert _result(tmp_path / "t.sqlite", "bee")[1] == "0 won, 0 drawn, 1 lost"


def test_the_time_of_a_tournament_is_chosen_at_first(browser: Browser, folder: Path) -> None:
    for name, ms in (("fast", 100), ("odd", 700)):
        text = f'[game]\nrules = "dots"\n[clock]\nmove_ms = {ms}\n'
        (folder / "tournaments" / f"{name}.toml").write_text(text)
    hand_in(folder, "ada", RIGHT)
    me = browser("ada").get("/me").text
    assert '<option value="100" selected>0.1 s</option>' in me and me.count(" selected>0.1") == 1
    assert 'value="tournaments/odd" data-ms="1000"' in me
    assert 'value="dots" data-ms="1000"' in me


def test_what_cannot_be_played_is_reported(quick: FastAPI, browser: Browser, folder: Path) -> None:
    hand_in(folder, "ada", RIGHT)
    ada = browser("ada")
    for changed, said in (
        ({"bot": "bob"}, '"bob" is not a bot of yours that plays; choose one of: ada'),
        ({"against": "../runs"}, "is not a player or a bot of the course that plays"),
        ({"against": "python3 -c 1"}, "is not a player or a bot of the course that plays"),
        ({"against": "ada"}, "ada cannot play against itself"),
        ({"rules": "tournaments/../course"}, "is not a game of two players"),
        ({"move_ms": 3001}, "move_ms"),
        (
            {"rules": "2048"},
            '"2048" is not a game of two players, or a tournament of the course; choose one of: ',
        ),
    ):
        refused = ada.post("/api/challenges", json=WANTED | changed)
        assert refused.status_code == 422 and said in refused.text.replace("\\", "")
    assert "<option>placer</option>" not in ada.get("/me").text
    assert "placer" in ada.post("/api/challenges", json=WANTED | {"against": "placer"}).text
    two = '[game]\nrules = "2048"\nplacer = "player"\n'
    (folder / "tournaments" / "two.toml").write_text(two)
    (folder / "tournaments" / "one.toml").write_text('[game]\nrules = "2048"\n')
    me = ada.get("/me").text
    assert "<option>placer</option>" in me and "tournaments/one" not in me
    refused = ada.post("/api/challenges", json=WANTED | {"against": "placer"})
    assert "placer cannot play this: it plays 2048 and 2584, not dots" in refused.text
    assert "20 more today" in ada.get("/me").text


@pytest.mark.slow
def test_a_bot_meets_its_own_earlier_versions(
    quick: FastAPI, browser: Browser, folder: Path
) -> None:
    hand_in(folder, "ada", LOSES)
    hand_in(folder, "ada", RIGHT)
    hand_in(folder, "bob", RIGHT)
    hand_in(folder, "bob", f"{RIGHT}\n")
    ada = browser("ada")
    me = ada.get("/me").text
    assert me.count("<option>ada@1</option>") == 2, "in both fields"
    assert "<option>ada@2</option>" not in me and "<option>bob@1</option>" not in me
    there = ", ".join(map(named, course.bot(folder, "ada").versions))
    for changed, said in (
        ({"bot": "ada@3"}, f"name a version of ada: {there}"),
        ({"against": "ada@"}, f"name a version of ada: {there}"),
        ({"against": "ada@2"}, "ada@2 cannot play against itself"),
        ({"bot": "ada@1", "against": "ada@1"}, "ada@1 cannot play against itself"),
        ({"bot": "bob@1"}, '"bob@1" is not a bot of yours that plays'),
        ({"against": "bob@1"}, '"bob@1" is not a player or a bot of the course that plays'),
        ({"rules": "ada@1"}, '"ada@1" is not a game of two players'),
    ):
        refused = ada.post("/api/challenges", json=WANTED | changed)
        assert refused.status_code == 422 and said in refused.json()["detail"]
    asked = ada.post("/api/challenges", json=WANTED | {"against": "ada@1"})
    assert (asked.json()["bot"], asked.json()["against"]) == ("ada", "ada@1")
    played = over(ada)
    assert (played["state"], played["result"]) == ("played", "2 won, 0 drawn, 0 lost")
    at = f"/me/challenge/{played['id']}"
    assert "ada against ada@1" in ada.get("/me").text
    game = ada.get(f"{at}/data").json()["games"]["id"][0]
    assert "my secret" in ada.get(f"{at}/game/{game}").text
    with RunView(next((folder / "challenges" / "ada").glob("*.sqlite"))) as view:
        assert {each.name: each.number for each in view.config.players} == {"ada": 2, "ada@1": 1}
    course.withdraw(folder, "ada", "ada")
    refused = ada.post("/api/challenges", json=WANTED | {"bot": "ada@1"})
    assert "is not a bot of yours that plays; there is none" in refused.text


def test_a_page_that_listens_is_loaded_again_once_its_owner_has_signed_out(
    quick: FastAPI, folder: Path, tokens: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mine, "_LOOK_S", 0.02)
    hand_in(folder, "ada", RIGHT)
    with serving(quick) as address, httpx.Client(base_url=address, timeout=30) as client:
        quick.state.course.challenges.jobs._places = lambda: 0  # it waits
        client.get(f"/in/{tokens['ada']}")
        form = quick.state.course.people.signer.form_token(client.cookies["arena_session"])
        client.headers["X-Form-Token"] = form
        client.post("/api/challenges", json=WANTED)
        with client.stream("GET", "/me/challenges/live") as answer:
            heard = answer.iter_text()
            assert "matches" in "".join(islice(heard, 2))
            client.post("/out")
            assert "".join(islice(heard, 500)).endswith("event: reset\ndata: {}\n\n")


@pytest.mark.slow
def test_a_bot_that_was_withdrawn_while_its_match_waited(
    quick: FastAPI, browser: Browser, folder: Path
) -> None:
    for owner, text in (("ada", LOSES), ("ada", RIGHT), ("bob", RIGHT)):
        hand_in(folder, owner, text)
    ada, jobs = browser("ada"), quick.state.course.challenges.jobs
    jobs._places = lambda: 0
    ada.post("/api/challenges", json=WANTED | {"bot": "ada@1"})
    assert ada.get("/api/challenges").json()[0]["state"] == "waiting"
    for owner in ("ada", "bob"):
        course.withdraw(folder, owner, owner)
    jobs._places = lambda: 1
    jobs._begin()
    assert over(ada)["sentence"] == "ada@1 does not play any more; choose another"
    with pytest.raises(UserError, match="bob does not play any more; choose another"):
        _side(folder, "B", "bob")


@pytest.mark.slow
def test_a_mistake_of_the_staff_is_not_the_owners(
    quick: FastAPI, browser: Browser, folder: Path
) -> None:
    hand_in(folder, "ada", RIGHT)
    ada = browser("ada")
    (folder / "course.toml").write_text('standing = ["gone"]\n')
    ada.post("/api/challenges", json=WANTED)
    assert "19 more today" in ada.get("/me").text
    told = ada.get("/me/challenges/live").text
    last = told.rpartition("event: sections")[2]
    assert "20 more today" in last, "it does not count, which its page is told"
    refused = over(ada)
    assert (refused["state"], refused["sentence"]) == ("not played", MISTAKE)
    assert (folder / "challenges").stat().st_mode & 0o077 == 0, "it has the stderr of all"
    (folder / "course.toml").unlink()
    assert "20 more today" in ada.get("/me").text


def test_what_cannot_be_kept_leaves_no_folder(
    quick: FastAPI, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(folder: Path, about: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    hand_in(folder, "ada", RIGHT)
    challenges = quick.state.course.challenges
    monkeypatch.setattr(challenges.jobs, "order", full)
    with pytest.raises(OSError, match="No space"):
        challenges.ask("ada", ChallengeWanted(**WANTED))
    assert list((folder / "challenges/ada").iterdir()) == []


def test_the_quota_is_of_a_day_though_the_clock_was_set_back(app: FastAPI, folder: Path) -> None:
    challenges, now = app.state.course.challenges, datetime(2026, 11, 27, 12, tzinfo=UTC)
    for days in (8, 0, 0):
        asked_at = now + timedelta(days=days)
        about = About(**WANTED, owner="ada", asked_at=asked_at)
        at = challenges.jobs.place("ada", asked_at)
        at.mkdir(parents=True)
        (at / "about.json").write_text(about.model_dump_json())
    left = [challenges.left("ada", now + timedelta(days=days)) for days in (-1, 0, 1, 8)]
    assert left == [20, 18, 20, 19]
    (at.parent / f"{at.name}.sqlite").write_text("damaged")
    one = challenges.read(at)
    assert one.state == "broken off", "a server that ended played no game of it"
    assert challenges.again([one])[0] is one
    (folder / "course.toml").write_text("[quota]\nchallenges = 1\n")
    assert challenges.left("ada", now) == 0
    with pytest.raises(TooMany, match="all your matches of today"):
        challenges._refuse_beyond("ada", now)


def test_the_folder_of_matches_is_no_bots(folder: Path) -> None:
    assert "challenges" not in [entry.name for entry in course.bots(folder)]
