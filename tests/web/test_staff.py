"""What the staff does by forms: owners, bots, tournaments, a frozen table, all of it as a ZIP."""

import asyncio
import csv
import io
import os
import re
import tempfile
import threading
import zipfile
from collections.abc import AsyncGenerator
from contextlib import suppress
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import islice
from pathlib import Path
from typing import Any
from unittest.mock import Mock
from urllib.parse import quote

import httpx
import pytest
from fastapi import FastAPI, Request
from starlette.requests import ClientDisconnect

from arena.bots import course
from arena.bots.package import open_bot
from arena.bots.versions import CheckedItem
from arena.checks.events import Refused
from arena.errors import UserError
from arena.tournament.store_copy import copy_run
from arena.web import freeze, live
from arena.web.app import ServerSettings, make_app
from arena.web.checks import HandedIn
from arena.web.downloads import Download
from arena.web.export import export
from arena.web.rights import Role, Visitor
from arena.web.runs import ShownRun
from arena.web.scheduler import Scheduler
from arena.web.staff_log import add_line, last_lines
from arena.web.streams import SIGN_OF_LIFE, as_long
from arena.web.tournaments import runs_of, shown_until, still_to_come
from tests.files.users import as_nobody
from tests.reports.conftest import play_record
from tests.reports.runs import begun
from tests.right_bot import RIGHT
from tests.time_zone import local_time
from tests.web.conftest import TestClient, serving, wait_for
from tests.web.test_mine import hand_in

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)
CHECKED = (CheckedItem(title="answers", passed=True, detail="in 3 ms"),)
NAMES = ("ant", "bee", "cat")


def write_course(folder: Path) -> Path:
    """A course of three bots and one run, `cup`, of six games an hour apart; the last is lost by a
    forfeit.
    """
    made = folder / "course"
    course.init(made)
    course.add_owners(made, NAMES, NOW)
    for name in NAMES:
        for text in ("print(1)", "print(2)"):
            script = folder / "bot.py"
            script.write_text(f"{text} # {name}")
            bot = course.admitted(made, open_bot(script), name, NOW)
            course.submit(made, bot, CHECKED, name, NOW)
    (made / "tournaments" / "cup.toml").write_text("[tournament]\nrounds = 1\n")
    (made / "runs").mkdir(exist_ok=True)
    pairs = [(one, other) for one in NAMES for other in NAMES if one != other]
    games = [
        play_record("dots", *pair, seed=n, game=f"g{n:04d}", rows=2, cols=2,
                    forfeit=0 if n == 6 else None, stderr="secret words" if n == 6 else "")
        for n, pair in enumerate(pairs, 1)
    ]  # fmt: skip
    with begun(made / "runs" / "cup.sqlite", games) as store:
        for hour, game in enumerate(games):
            began = (NOW + timedelta(hours=hour)).isoformat(timespec="milliseconds")
            store.add(game.model_copy(update={"started_at": began}))
    return made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_course(tmp_path)


@pytest.fixture
def app(folder: Path) -> FastAPI:
    return make_app(ServerSettings(course=folder, runs=folder / "runs"))


class Staff:
    """A browser of the staff."""

    def __init__(self, app: FastAPI) -> None:
        self.client = TestClient(app)
        assert self.client.get(f"/in/{app.state.course.people.staff_token}").status_code == 200

    def page(self, at: str = "/staff") -> str:
        answer = self.client.get(at)
        assert answer.status_code == 200, answer.text
        return answer.text

    def does(self, what: str, **fields: str) -> str:
        """The page after a form, as it is sent without JavaScript."""
        token = re.findall(r'name="form_token" value="(\w+)"', self.page())[0]
        answer = self.client.post(f"/staff/{what}", data={"form_token": token, **fields})
        assert answer.status_code == 200, answer.text
        return answer.text


@pytest.fixture
def staff(app: FastAPI) -> Staff:
    return Staff(app)


def test_owners_are_listed_with_their_bots(staff: Staff, folder: Path) -> None:
    course.add_owners(folder, ["dee"], NOW)
    course.exclude(folder, "bee")
    bots = re.findall(r">bots: </span>(.*?)</td>", staff.page())
    assert bots == ["ant", "bee excluded", "cat", "none"]
    hand_in(folder, "cat", RIGHT)
    (folder / "cat" / "active").resolve().joinpath("receipt.json").unlink()
    assert ">bots: </span>cat no version</td>" in staff.page()


def test_owners_come_and_their_links_are_shown_once(staff: Staff, folder: Path) -> None:
    page = staff.does("owners/add", names="owner\ndee\nant\n")
    assert "1 owner is new" in page
    assert "On the roster already: ant." in page
    (link,) = re.findall(r"http://testserver(/in/[0-9a-f]{32})", page)
    assert link not in staff.page()
    other = TestClient(staff.client.app)
    assert other.get(link).status_code == 200
    assert other.get("/staff").status_code == 403
    assert "The link of dee is no longer valid" in staff.does("owners/revoke", owner="dee")
    assert other.get("/me").status_code == 401
    (again,) = re.findall(r"testserver(/in/\w+)", staff.does("owners/renew", owner="dee"))
    assert other.get(again).status_code == 200
    assert "On the roster already: dee." in staff.does("owners/add", names="dee")
    log = (folder / "staff.log").read_text()
    assert [line.split("\t")[2] for line in log.splitlines()] == [
        "added owners: dee",
        "revoked dee",
        "renewed dee",
    ]
    assert not re.search("[0-9a-f]{32}", log)


def test_links_have_the_address_that_browsers_know(folder: Path) -> None:
    public = "https://arena.example.org/"
    settings = ServerSettings(course=folder, runs=folder / "runs", public_url=public)
    page = Staff(make_app(settings)).does("owners/add", names="dee")
    assert len(re.findall(f"{public}in/[0-9a-f]{{32}}", page)) == 1


def test_a_form_is_answered_on_its_page_whatever_the_name(staff: Staff, folder: Path) -> None:
    (folder / "tournaments" / "50%25.toml").touch()
    token = re.findall(r'name="form_token" value="(\w+)"', staff.page())[0]
    twice = quote(quote("50%25"))  # the client of tests decodes twice
    form = {"form_token": token}
    answer = staff.client.post(f"/staff/t/{twice}/unfreeze", data=form, follow_redirects=False)
    assert answer.headers["location"].startswith("/staff/t/50%2525?answer=")


def test_the_staff_signs_out(staff: Staff) -> None:
    out = r'action="/out"><input type="hidden" name="form_token" value="(\w+)"'
    (token,) = re.findall(out, staff.page())
    assert staff.client.post("/out", data={"form_token": token}).status_code == 200
    assert staff.client.get("/staff").status_code == 401


def test_a_deadline_that_has_passed_is_told_as_past(staff: Staff, folder: Path) -> None:
    (folder / "course.toml").write_text("deadline = 2126-01-01T00:00:00Z\n")
    assert "Bots are taken until <b>2126-01-01" in staff.page()
    (folder / "course.toml").write_text("deadline = 2026-01-01T00:00:00Z\n")
    assert "Bots were taken until <b>2026-01-01" in staff.page()


def test_a_bot_is_excluded_and_rolled_back(staff: Staff, folder: Path) -> None:
    page = staff.page("/staff/bot/ant")
    assert "✓ answers: in 3 ms" in page
    assert "version 2 plays" in page
    assert "a knockout once you leave it out there" in staff.does("bot/ant/exclude")
    assert course.bot(folder, "ant").state == "excluded"
    assert "ant is excluded already" in staff.does("bot/ant/exclude")
    assert "plays from now on" in staff.does("bot/ant/rollback", version="1")
    assert course.field(folder)["ant"] == course.bot(folder, "ant").versions[0].version


@pytest.mark.parametrize(
    ("name", "mistake"),
    [("course.toml", "course.toml:1: not valid TOML"), ("roster.json", "not a")],
)
def test_a_mistake_of_the_staff_closes_no_page(
    staff: Staff, folder: Path, capfd: pytest.CaptureFixture[str], name: str, mistake: str
) -> None:
    owner = TestClient(staff.client.app)
    owner.get(f"/in/{course.renew(folder, 'ant')}")
    good = (folder / name).read_text()
    (folder / name).write_text("deadline = \n")
    for page in ("/", "/me", "/play", "/api/submissions", "/api/challenges"):
        answer = owner.get(page)
        assert (answer.status_code, mistake in answer.text) == (200, False)
    for page in ("/staff", "/staff/t/cup"):
        assert mistake in staff.page(page)
        assert "no bot is taken" in staff.page(page)
    assert staff.page("/staff/checks?owner=ant")
    assert name in staff.does("owners/add", names="zoe")
    assert capfd.readouterr().err.count("Until it is fixed") == 1
    (folder / name).write_text(good)
    assert mistake not in staff.page()


def test_a_tournament_may_be_removed_while_its_page_is_made(
    staff: Staff, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = Mock(side_effect=[["cup"], ["cup"], []])
    monkeypatch.setattr(Scheduler, "names", names)
    answer = staff.client.get("/staff/t/cup")
    assert answer.status_code == 422, answer.text
    assert "tournaments has no &#34;cup.toml&#34;" in answer.text


def test_the_staff_reads_what_is_wrong_with_a_tournament(staff: Staff, folder: Path) -> None:
    file = folder / "tournaments" / "cup.toml"
    file.write_text('[game]\nrules = "dots"\n[clock]\nmove_mss = 100\n')
    mistake = "cup.toml:4: clock.move_mss: unknown key; did you mean"
    assert mistake in staff.page() and "no bot is taken" not in staff.page()
    (folder / "course.toml").write_text('check = "cup"\n')
    assert "cup cannot be started, and no bot is taken, as it is checked for it" in staff.page()
    file.write_text('[game]\nrules = "dots"\n[clock]\nmove_ms = 100\n')
    assert "cannot be started" not in staff.page()


def test_the_staff_reads_why_a_standing_tournament_takes_no_new_bots(
    staff: Staff, app: FastAPI, folder: Path
) -> None:
    (folder / "course.toml").write_text('standing = ["cup", "ladder"]\n')
    cup = folder / "tournaments" / "cup.toml"
    cup.with_name("ladder.toml").write_bytes(cup.read_bytes())
    scheduler: Scheduler = app.state.course.scheduler
    for name in ("cup", "ladder"):
        scheduler.change(name, wanted="playing", begun_at=NOW, field=course.field(folder))
    course.rollback(folder, "ant", "1", None)
    scheduler.pause("ladder")  # it goes on once it is started
    held = "cup takes no new bots and versions"
    assert held not in staff.page()
    script = next((folder / "bee").glob("active/tree/*.py"))
    script.chmod(0o644)
    script.write_text("print(3)")
    page = staff.page()
    assert held in page and "ladder takes no new bots and versions" in page
    assert page.count("was changed after it was accepted; remove that folder") == 1
    (script.parent.parent / "receipt.json").write_text("{")
    page = staff.page()
    assert held in page and page.count("is not a receipt of the arena; remove that folder") == 1


def test_new_bots_are_not_taken_while_one_is_damaged(
    staff: Staff, app: FastAPI, folder: Path
) -> None:
    """A run would be ended to take them, and then be refused."""
    scheduler: Scheduler = app.state.course.scheduler
    scheduler.change("cup", wanted="playing", begun_at=NOW)
    version = (folder / "bee/active").resolve()
    script = next(version.glob("tree/*.py"))
    script.chmod(0o644)
    script.write_text("print(3)")
    assert "cup takes the bots as they are now" in staff.does("t/cup/take"), "it takes none"
    scheduler.change("cup", take_new=False, asked_at=None)
    file = folder / "tournaments" / "cup.toml"
    file.write_text(file.read_text() + '[[player]]\nfrom = ".."\n')
    page = staff.does("t/cup/take")
    assert f"bee/{version.name} was changed after it was accepted" in page
    assert "Until it is fixed, cup takes no new bots and versions." in page
    assert not scheduler.wish("cup").is_asked
    scheduler.start("cup")
    assert not scheduler.wish("cup").take_new, "it plays on with those it has"
    course.exclude(folder, "bee")
    assert "cup takes the bots as they are now" in staff.does("t/cup/take")


def test_the_staff_reads_what_two_owners_have_in_common(staff: Staff, folder: Path) -> None:
    script = folder.parent / "bot.py"
    script.write_text(f"print({'a line that is long enough to be compared' * 3!r})\n")
    for owner in ("ant", "bee"):
        bot = course.admitted(folder, open_bot(script), owner, NOW)
        course.submit(folder, bot, CHECKED, owner, NOW)
    assert "Its bot.py is the same, except for blanks, as bot.py of bee@3" in staff.page(
        "/staff/bot/ant"
    )
    assert "except for blanks" not in staff.page("/staff/bot/cat")


def test_an_owner_reads_no_mistake_of_the_staff(app: FastAPI, folder: Path) -> None:
    owner = TestClient(app)
    owner.get(f"/in/{course.renew(folder, 'ant')}")
    form = app.state.course.people.signer.form_token(owner.cookies["arena_session"])
    (folder / "roster.json").write_text("{")
    answer = owner.post("/me/bots/ant/withdraw", headers={"X-Form-Token": form})
    assert (answer.status_code, "A file of the course has a mistake" in answer.text) == (503, True)
    assert "roster" not in answer.text


def test_what_the_course_does_not_have_is_not_found(staff: Staff, app: FastAPI) -> None:
    for at, what in (
        ("t/cap", "tournament &#34;cap&#34;; did you mean &#34;cup&#34;?"),
        ("bot/ent", "bot &#34;ent&#34;; did you mean &#34;ant&#34;?"),
    ):
        answer = staff.client.get(f"/staff/{at}")
        assert answer.status_code == 404
        assert f"The course has no {what}" in answer.text
    with pytest.raises(UserError, match=r"cap\.toml"):
        app.state.course.table_freeze.unfreeze("cap")


def test_mistakes_are_answered_by_sentences(staff: Staff) -> None:
    assert "Ada Lovelace" in staff.does("owners/add", names="dee\nAda Lovelace")
    again = staff.does("owners/add", names="dee\r\nAda Lovelace")
    assert "dee\nAda Lovelace</textarea>" in again
    assert "Lovelace" not in staff.page()
    assert "Write a name on each line first." in staff.does("owners/add", names="\n")
    assert "no owner is named" in staff.does("owners/renew", owner="zoe")
    for at in ("evening", "9999-12-31T23:59-05:00"):
        assert f"{at} is not a date" in staff.does("t/cup/freeze", at=at)
    assert staff.client.post("/staff/t/cup/start").status_code == 403, "without its form token"


def test_a_moment_without_a_local_time_freezes_nothing(staff: Staff, app: FastAPI) -> None:
    with local_time("IST-5:30"):
        assert "is not a date with a time" in staff.does("t/cup/freeze", at="9999-12-31T23:59Z")
    assert app.state.course.scheduler.frozen() == []


def test_a_tournament_is_left_by_its_players_alone(staff: Staff, app: FastAPI) -> None:
    refused = "&#34;zz&#34; does not play in cup; players: ant, bee, cat"
    assert refused in staff.does("t/cup/leave", player="zz")
    assert app.state.course.scheduler.wish("cup").without == ()
    assert "cup continues without ant" in staff.does("t/cup/leave", player="ant")
    assert "a game needs 2 players, and 1 would be left" in staff.does("t/cup/leave", player="bee")
    assert app.state.course.scheduler.wish("cup").without == ("ant",)
    assert "ladder has not begun" in staff.does("t/ladder/leave", player="ant")


def test_a_frozen_table_stands_for_all_but_the_staff(
    staff: Staff, app: FastAPI, folder: Path
) -> None:
    token = course.add_owners(folder, ["eve"], NOW)["eve"]
    owner, anyone = TestClient(app), TestClient(app)
    owner.get(f"/in/{token}")
    at = (NOW + timedelta(hours=3, minutes=30)).isoformat()

    def games(client: TestClient) -> tuple[int, ...]:
        data = client.get("/t/cup/data").json()
        index = re.findall(r"<b>(\d)</b> of", client.get("/").text)
        api = client.get("/api/runs/cup").json()["played"]
        listed = len(client.get("/api/runs/cup/games").json())
        return (len(data["games"]["id"]), *map(int, index), api, listed)

    assert games(anyone) == (6, 6, 6, 6)
    assert "as it was then" in staff.does("t/cup/freeze", at=at)
    assert games(anyone) == games(owner) == (4, 4, 4, 4)
    assert games(staff.client) == (6, 6, 6, 6)
    for client in (owner, anyone):
        assert client.get("/t/cup/game/g0006").status_code == 404
        assert client.get("/t/cup/game/g0004").status_code == 200
        assert re.search(
            r"This table is frozen as of 2026-11-01 \S+ \S+; games", client.get("/t/cup").text
        )
    assert staff.client.get("/t/cup/game/g0006").status_code == 200
    assert "is frozen" not in staff.client.get("/t/cup").text
    assert "frozen as of 2026" in anyone.get("/").text
    assert "frozen as of" not in staff.client.get("/").text
    again = make_app(ServerSettings(course=folder, runs=folder / "runs"))
    assert games(TestClient(again)) == (4, 4, 4, 4), "another server knows"
    assert "Everybody sees the current table of cup" in staff.does("t/cup/unfreeze")
    assert games(anyone) == (6, 6, 6, 6)
    assert list(folder.rglob("frozen/*")) == []


def test_a_table_that_cannot_be_frozen_hides_no_other(app: FastAPI, folder: Path) -> None:
    runs = folder / "runs"
    (runs / "bad.sqlite").write_bytes((runs / "cup.sqlite").read_bytes()[:5000])
    token = course.renew(folder, "ant")
    app.state.course.scheduler.change("bad", freeze_at=datetime.now(UTC))
    client = TestClient(app)
    assert client.get(f"/in/{token}").status_code == 200, "/me has the losses of runs"
    shown = client.get("/").text
    assert "<b>6</b> of 6 games" in shown
    assert "bad.sqlite: not a run, or damaged" in shown
    assert sorted(each["problem"] is None for each in client.get("/api/runs").json()) == [0, 1]


def test_a_frozen_table_that_is_damaged_names_no_folder(app: FastAPI, folder: Path) -> None:
    app.state.course.scheduler.change("cup", freeze_at=datetime.now(UTC))
    client = TestClient(app)
    assert "is frozen" in client.get("/t/cup").text
    (kept,) = folder.rglob("frozen/cup.sqlite")
    kept.write_bytes(kept.read_bytes()[:5000])
    for page in ("/", "/api/runs", "/api/runs/cup"):
        shown = client.get(page).text
        assert "cup.sqlite: not a run, or damaged" in shown and str(folder) not in shown
    app.state.course.scheduler.change("cup", freeze_at=None)
    assert "<b>6</b> of 6" in client.get("/").text, "a copy that was left is not shown"


def test_a_table_freezes_when_its_time_comes(staff: Staff, app: FastAPI) -> None:
    soon = datetime.now(UTC) + timedelta(hours=1)
    staff.does("t/cup/freeze", at=soon.isoformat())
    assert "is frozen" not in TestClient(app).get("/t/cup").text
    app.state.course.scheduler.change("cup", freeze_at=datetime.now(UTC))
    assert "is frozen" in TestClient(app).get("/t/cup").text
    staff.does("t/cup/freeze", at=soon.isoformat())
    assert "is frozen" not in TestClient(app).get("/t/cup").text, "put off"


def test_a_table_stays_frozen_though_the_clock_is_set_back(
    staff: Staff, app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    class EarlierClock(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> "EarlierClock":
            return super().now(tz) - timedelta(hours=1)

    staff.does("t/cup/freeze")
    monkeypatch.setattr(freeze, "datetime", EarlierClock)
    assert "is frozen" in TestClient(app).get("/t/cup").text
    staff.does("t/cup/unfreeze")
    assert "is frozen" not in TestClient(app).get("/t/cup").text


@pytest.mark.parametrize("page", ["/t/cup", "/", "/api/runs"])
def test_the_server_answers_others_while_it_freezes_a_table(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    threads: list[threading.Thread] = []

    def copy(*given: Any, **until: Any) -> None:
        threads.append(threading.current_thread())
        copy_run(*given, **until)

    monkeypatch.setattr(freeze, "copy_run", copy)
    with TestClient(app) as client:
        app.state.course.scheduler.change("cup", freeze_at=datetime.now(UTC))
        assert client.portal is not None
        loop = client.portal.call(threading.current_thread)
        assert client.get(page).status_code == 200
    assert len(threads) == 1
    assert loop not in threads


def test_a_table_is_copied_once_for_all_who_wait_for_it(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    table_freeze = app.state.course.table_freeze
    is_missing = table_freeze._is_missing
    asked, copied = list[bool](), list[Path]()

    def ask(name: str) -> bool:
        asked.append(is_missing(name))
        return asked[-1]

    def copy(run: Path, to: Path, **until: Any) -> None:
        copied.append(to)
        copy_run(run, to, **until)

    monkeypatch.setattr(table_freeze, "_is_missing", ask)
    monkeypatch.setattr(freeze, "copy_run", copy)
    app.state.course.scheduler.change("cup", freeze_at=datetime.now(UTC))
    visitors = [threading.Thread(target=table_freeze.public, args=("cup",)) for _ in range(2)]
    with table_freeze._copying:
        for each in visitors:
            each.start()
        wait_for(lambda: asked == [True, True])
    for each in visitors:
        each.join()
    assert len(copied) == 1


def test_pages_that_listen_are_loaded_again_once_the_table_is_frozen() -> None:
    async def events() -> AsyncGenerator[bytes]:
        yield b"moves"
        yield b"moves"

    async def told() -> list[bytes]:
        still = iter((True, False))
        return [text async for text in as_long(b"first", events(), lambda: next(still))]

    assert asyncio.run(told()) == [b"first", b"moves", b"event: reset\ndata: {}\n\n"]


def test_a_page_that_listens_is_of_what_its_visitor_sees_now(app: FastAPI, folder: Path) -> None:
    of_owner, of_staff = (Request({"type": "http", "app": app, "headers": []}) for _ in range(2))
    staff, owner = Visitor(role=Role.STAFF), Visitor(role=Role.OWNER, owner="ant")
    app.state.identify = Mock(return_value=owner)
    of_staff.state.visitor = staff
    run, change = app.state.runs["cup"], app.state.course.scheduler.change
    of_a_match = ShownRun(folder / "challenges" / "cup.sqlite")
    of_run, of_match = (shown_until(of_owner, each) for each in (run, of_a_match))
    assert of_run() and of_match()
    change("cup", freeze_at=NOW)
    of_copy = shown_until(of_owner, runs_of(of_owner)["cup"])
    assert not of_run() and of_match() and of_copy()
    app.state.course.table_freeze.unfreeze("cup")
    assert of_run() and not of_copy()
    staffs = shown_until(of_staff, run)
    assert not staffs(), "the session has ended"
    app.state.identify = Mock(return_value=staff)
    change("cup", freeze_at=NOW)
    assert staffs() and not of_match()


def test_a_page_that_listens_is_loaded_again_once_the_staff_has_signed_out(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "_ALIVE_S", 0)
    monkeypatch.setattr(live, "_IDLE_S", 0.02)
    people = app.state.course.people
    with serving(app) as address, httpx.Client(base_url=address, timeout=30) as client:
        client.get(f"/in/{people.staff_token}")
        form = people.signer.form_token(client.cookies["arena_session"])
        with client.stream("GET", "/t/cup/live") as answer:
            heard = answer.iter_text()
            assert [next(heard) for _ in range(3)][1:] == [SIGN_OF_LIFE.decode()] * 2
            client.post("/out", headers={"X-Form-Token": form})
            assert "".join(islice(heard, 500)).endswith("event: reset\ndata: {}\n\n")


def test_a_tournament_that_has_not_begun(app: FastAPI, folder: Path) -> None:
    (folder / "tournaments" / "final.toml").write_text("[tournament]\nrounds = 1\n")
    visitor = TestClient(app)
    early, other = visitor.get("/t/final"), visitor.get("/t/finale")
    assert (early.status_code, other.status_code) == (404, 404)
    assert "final has not begun yet." in early.text
    assert "There is no such tournament here." in other.text
    request = Request({"type": "http", "app": app})
    assert "final" in still_to_come(request) and "cup" not in still_to_come(request)


def test_a_table_may_be_frozen_before_the_first_game(
    staff: Staff, app: FastAPI, folder: Path
) -> None:
    (folder / "tournaments" / "final.toml").write_text("[tournament]\nrounds = 1\n")
    visitor = TestClient(app)
    assert "see final as it was then" in staff.does("t/final/freeze")
    assert "final has not begun yet." in visitor.get("/t/final").text
    now = datetime.now(UTC) + timedelta(seconds=1)
    game = play_record("dots", "ant", "bee", seed=1, game="g0001", rows=2, cols=2)
    with begun(folder / "runs" / "final.sqlite", [game]) as store:
        store.add(game.model_copy(update={"started_at": now.isoformat()}))
    played = [each.get("/api/runs/final").json()["played"] for each in (visitor, staff.client)]
    assert played == [0, 1]


def test_all_of_a_course_comes_as_a_zip(staff: Staff, folder: Path) -> None:
    (folder / "letters").mkdir()  # of the staff's own
    (folder / "letters" / "ada.txt").touch()
    answer = staff.client.get("/staff/export")
    assert answer.headers["content-type"] == "application/zip"
    archive = zipfile.ZipFile(io.BytesIO(answer.content))
    assert archive.testzip() is None
    names = archive.namelist()
    assert {"owners.csv", "bots.csv", "course.toml", "staff.log", "tournaments/cup.toml"} < set(
        names
    )
    assert sum(name.endswith("/tree/bot.py") for name in names) == 6
    assert not any("letters" in name for name in names)
    staffs, public = (archive.read(f"reports/cup.{who}.html") for who in ("staff", "public"))
    assert staffs.startswith(b"<!doctype html>")
    assert staffs != public
    (rows,) = [csv.DictReader(io.StringIO(archive.read("bots.csv").decode()))]
    assert [(row["bot"], row["version"], row["plays"]) for row in rows][:2] == [
        ("ant", "1", "False"),
        ("ant", "2", "True"),
    ]
    assert len(archive.read("tables/cup.results.csv").splitlines()) == 7
    everything = b"".join(archive.read(name) for name in names)
    for owner in course.owners(folder):
        assert owner.token_sha256.encode() not in everything


def test_the_zip_gives_no_frozen_table_away(staff: Staff) -> None:
    staff.does("t/cup/freeze", at=(NOW + timedelta(hours=3, minutes=30)).isoformat())
    archive = zipfile.ZipFile(io.BytesIO(staff.client.get("/staff/export").content))
    for who, games in (("staff", 6), ("public", 4)):
        assert f"<b>{games}</b> of 6 games" in archive.read(f"reports/cup.{who}.html").decode()
    assert len(archive.read("tables/cup.results.csv").splitlines()) == 7


def test_the_zip_is_whole_where_something_cannot_be_read(staff: Staff, folder: Path) -> None:
    (folder / "roster.json").write_text("{")
    (folder / "course.toml").write_text("deadline =")
    os.mkfifo(folder / "tournaments" / "pipe.toml")
    (folder / "tournaments" / "folder.toml").mkdir()
    (folder / "tournaments" / "no\udcff.toml").touch()
    (folder / "runs" / "folder.sqlite").mkdir()
    (folder / "runs" / "bad.sqlite").write_text("no run")
    sent = b"".join(export(folder, lambda name: None))
    archive = zipfile.ZipFile(io.BytesIO(sent))
    assert archive.testzip() is None
    said = {name: archive.read(name).decode() for name in archive.namelist() if ".txt" in name}
    assert said.keys() == {"owners.csv.txt", "runs/bad.sqlite.txt"}
    assert said["owners.csv.txt"].startswith("roster.json")
    assert said["runs/bad.sqlite.txt"].startswith("runs/bad.sqlite: not a run")
    listed = {name for name in archive.namelist() if name.startswith("tournaments/")}
    assert listed == {f"tournaments/{name}.toml" for name in ("cup", "ladder", "no\\udcff")}
    assert {"bots.csv", "course.toml", "runs/cup.sqlite"} < set(archive.namelist())


def test_what_is_closed_in_a_bots_folder_has_a_sentence_in_the_zip(for_all: Path) -> None:
    to = for_all / "course"
    course.init(to)
    course.add_owners(to, ["ada"], NOW)
    versions = list[Path]()
    for number in range(3):
        hand_in(to, "ada", f"{RIGHT}# {number}\n")
        versions.append(Path("submissions/ada") / (to / "ada/active").readlink().name)
    for path in (to, *to.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755)
    closed, tree, listed = (to / "ada" / version.name for version in versions)
    closed.chmod(0o700)
    (tree / "tree").chmod(0o700)
    (listed / "tree").chmod(0o744)
    with as_nobody():
        sent = b"".join(export(to, lambda name: None))
    archive = zipfile.ZipFile(io.BytesIO(sent))
    names = (versions[0], versions[1] / "tree", versions[2] / "tree" / "bot.py")
    for name in names:
        assert archive.read(f"{name}.txt").decode() == f"{name} cannot be read: Permission denied\n"


@pytest.mark.parametrize("version", ["2.3", "2.4"])
def test_a_zip_that_is_cut_leaves_no_files(
    staff: Staff, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    aside = tmp_path / "aside"
    aside.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(aside))
    pieces = export(folder, lambda name: None)
    sent = list[Any]()

    async def receive() -> dict[str, str]:
        while not any(aside.iterdir()):
            await asyncio.sleep(0.01)
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)
        if version == "2.4" and any(aside.iterdir()):
            raise OSError

    scope = {"type": "http", "asgi": {"spec_version": version}}
    with suppress(ClientDisconnect):
        asyncio.run(Download(pieces, "all.zip")(scope, receive, send))
    assert sent
    assert not any(aside.iterdir())
    assert next(pieces, None) is None


def test_a_folder_is_no_tournament_and_no_run(staff: Staff, folder: Path) -> None:
    (folder / "tournaments" / "odd.toml").mkdir()
    (folder / "runs" / "odder.sqlite").mkdir()
    for page in ("/", "/staff"):
        assert "odd" not in staff.page(page)


def test_the_zip_of_a_course_of_any_name(folder: Path) -> None:
    named = folder.rename(folder.with_name("Kurs α"))
    staff = Staff(make_app(ServerSettings(course=named, runs=named / "runs")))
    sent = staff.client.get("/staff/export").headers["content-disposition"]
    assert sent.startswith("attachment; filename*=UTF-8''Kurs%20%CE%B1-2")


def test_a_tournament_is_started_and_paused_by_forms(
    staff: Staff, app: FastAPI, folder: Path
) -> None:
    (folder / "tournaments" / "dots.toml").write_text(
        '[tournament]\nrounds = 4000\nsandbox = "none"\n[game]\nrules = "dots"\nrows = 2\n'
        'cols = 2\n[[player]]\nbot = "monkey"\n[[player]]\nbot = "monkey"\nname = "ape"\n'
    )
    assert "dots" in TestClient(app).get("/").text
    with staff.client:  # which also begins the scheduler
        assert "is played as soon as no other is" in staff.does("t/dots/start")
        wait_for(lambda: "being played</span>" in staff.page(), most_s=60)
        wait_for(lambda: "ape" in staff.page("/staff/t/dots"), most_s=60)
        assert "--store" in staff.page("/staff/t/dots")
        assert "dots is paused; its games are kept" in staff.does("t/dots/pause")
        wait_for(lambda: "<small>paused" in staff.page("/staff/t/dots"), most_s=60)


def test_a_line_of_the_log_is_one_line(tmp_path: Path) -> None:
    add_line(tmp_path, "ada\n2026\tstaff", "did\n2026\tbob\tnothing")
    ((_, who, what),) = last_lines(tmp_path)
    assert "ada" in who and "nothing" in what


@pytest.mark.parametrize(("name", "text"), [("about.json", '{"own'), ("events.jsonl", '{"ev\n')])
def test_a_damaged_check_or_match_hides_no_other(
    app: FastAPI, folder: Path, name: str, text: str
) -> None:
    about = HandedIn(owner="ant", file="ant.zip", sent_at=NOW).model_dump_json()
    for kept in (folder / ".web" / "checks", folder / "challenges"):
        for at in ("20261101-120000-01234567", "20261102-120000-01234567"):
            job = kept / "ant" / at
            job.mkdir(parents=True)
            (job / "about.json").write_text(about)
        (job / name).write_text(text)
    staff, owner = Staff(app), TestClient(app)
    owner.get(f"/in/{course.renew(folder, 'ant')}")
    damaged = f"20261102-120000-01234567/{name} is damaged. The staff can remove its folder."
    for page in (staff.page("/staff/checks"), owner.get("/me").text):
        assert "ant.zip" in page
        assert f"This check cannot be shown: .web/checks/ant/{damaged}" in page
    assert "This match cannot be shown: challenges/ant/2026" in page
    checks = owner.get("/api/submissions").json()
    assert [each["state"] for each in checks] == ["damaged", "broken off"]
    live = owner.get(f"/api/submissions/{checks[0]['id']}/live").text
    assert f"{damaged}" in live


def test_bots_that_wait_for_their_check_are_counted_where_a_tournament_is_begun(
    app: FastAPI, folder: Path
) -> None:
    (folder / "tournaments" / "final.toml").write_text("[knockout]\n")
    staff, checks = Staff(app), app.state.course.checks
    pages = ("/staff", "/staff/t/final")
    assert not any("to be checked" in staff.page(page) for page in pages)
    checks.jobs._places = lambda: 0
    for owner in ("ant", "bee"):
        checks.add(owner, "bot.py", io.BytesIO(b"print(1)"), NOW)
    said = "2 bots are still to be checked. What begins now begins without them"
    assert all(said in staff.page(page) for page in pages)
    checks.jobs.cancel(*checks.jobs.folders("ant"))
    assert "1 bot is still to be checked. What begins now" in staff.page("/staff")


def test_checks_of_all_owners(app: FastAPI, folder: Path) -> None:
    for owner, day, log in (("ant", 1, ""), ("bee", 2, "Traceback <b>"), ("ant", 3, "")):
        job = folder / ".web" / "checks" / owner / f"2026110{day}-120000-0123456{day}"
        job.mkdir(parents=True)
        about = HandedIn(owner=owner, file=f"{owner}{day}.zip", sent_at=NOW)
        (job / "about.json").write_text(about.model_dump_json())
        (job / "events.jsonl").write_text(Refused(sentence=f"no <i>{day}</i>").model_dump_json())
        (job / "errors.log").write_text(log)
    staff = TestClient(app)
    staff.get(f"/in/{app.state.course.people.staff_token}")
    shown = staff.get("/staff/checks").text
    assert shown.index("ant3.zip") < shown.index("bee2.zip") < shown.index("ant1.zip")
    assert "no &lt;i&gt;2&lt;/i&gt;" in shown and "<pre>Traceback &lt;b&gt;</pre>" in shown
    ants = staff.get("/staff/checks", params={"owner": "ant"}).text
    assert "ant3.zip" in ants and "bee2.zip" not in ants
    assert staff.get("/staff/checks", params={"owner": "../ant"}).status_code == 404
    assert 'href="/staff/checks?owner=ant"' in staff.get("/staff").text
