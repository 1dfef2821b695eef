"""An owner's page: bots, checks and losses, for that owner alone."""

import asyncio
import csv
import errno
import io
import json
import os
import re
import shutil
import sqlite3
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fastapi import FastAPI

from arena.bots import course
from arena.bots.package import open_bot
from arena.bots.versions import History, history
from arena.checks.events import Entered
from arena.records.dialogue import dialogue
from arena.reports import csv_report
from arena.tournament.field import Wanted
from arena.tournament.played_store import PlayedStore
from arena.tournament.ready import load_to_play
from arena.tournament.run import run
from arena.tournament.run_view import RunView
from arena.web.app import ServerSettings, make_app
from arena.web.checks import HandedIn
from arena.web.losses import losses
from arena.web.runs import Runs
from players.catalogue import BUILTINS
from tests.right_bot import RIGHT
from tests.time_zone import local_time

from .conftest import TestClient, course_app

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)
LOSES = RIGHT.replace(
    "        move =",
    '        print("<b>my secret</b> \\u202e thought", file=sys.stderr)\n        move =',
).replace('request["legal"][0]', '"nonsense"')
CUP = """
[tournament]
sandbox = "none"
concurrency = 1
[game]
rules = "dots"
rows = 1
cols = 1
[openings]
plies = 0
[[player]]
from = "course"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ARENA_CACHE_DIR", str(tmp_path / "cache"))
    course.init(tmp_path / "course")
    return tmp_path / "course"


@pytest.fixture
def tokens(folder: Path) -> dict[str, str]:
    return course.add_owners(folder, ["ada", "bob"], NOW)


@pytest.fixture
def app(folder: Path, tokens: dict[str, str]) -> FastAPI:
    return course_app(folder)


Browser = Callable[[str], TestClient]


@pytest.fixture
def browser(app: FastAPI, tokens: dict[str, str]) -> Browser:
    """The browser of an owner, which sends the token of its forms."""

    def make(owner: str) -> TestClient:
        client = TestClient(app)
        client.get(f"/in/{tokens[owner]}", follow_redirects=False)
        form = app.state.course.people.signer.form_token(client.cookies["arena_session"])
        client.headers["X-Form-Token"] = form
        return client

    return make


def hand_in(folder: Path, owner: str, text: str) -> None:
    """What a check does to the course that was passed."""
    script = folder.parent / "bot.py"
    script.write_text(text)
    bot = course.admitted(folder, open_bot(script), owner, NOW)
    course.submit(folder, bot, (), owner, NOW)


def play(folder: Path) -> None:
    """A tournament of the course."""
    file = folder.parent / "cup.toml"
    file.write_text(CUP)
    (folder / "runs").mkdir(exist_ok=True)
    config = load_to_play(file, BUILTINS, None, Wanted())
    with PlayedStore.open_run(folder / "runs" / "cup.sqlite", config) as store:
        run(config, store)


def test_a_new_owner_reads_what_to_do(browser: Browser) -> None:
    text = browser("ada").get("/me").text
    assert "No bots yet" in text and "Download a starter" in text.replace("download", "Download")
    assert (
        "<b>0</b> of 50 versions" in text and "No game of the last 7 tournaments was lost" in text
    )
    assert "Nothing was checked yet" in text


def test_the_bots_of_the_course_are_read_once_for_the_page(
    browser: Browser, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(folder, "ada", RIGHT)
    read, looks = course.entries, list[Path]()
    monkeypatch.setattr(course, "entries", lambda at: looks.append(at) or read(at))
    assert browser("ada").get("/me").status_code == 200
    assert looks == [folder]


@pytest.mark.parametrize(("quota", "shown"), [(0.5, "0.5"), (99, "10")])
def test_the_smaller_limit_of_a_file_is_reported(
    browser: Browser, folder: Path, quota: float, shown: str
) -> None:
    (folder / "course.toml").write_text(f"[quota]\nsize_mb = {quota}\n")
    text = browser("ada").get("/me").text
    assert text.count(" MB at most") == 1
    assert f"files of {shown} MB at most" in text


def test_how_many_bots_may_play_is_reported_where_the_course_says_it(
    browser: Browser, folder: Path
) -> None:
    assert "2 bots play" not in browser("ada").get("/me").text
    (folder / "course.toml").write_text("[quota]\nbots = 2\n")
    hand_in(folder, "ada", RIGHT)
    assert "<b>1</b> of 2 bots play" in browser("ada").get("/me").text


def test_the_bots_of_others_are_on_no_page_of_an_owner(browser: Browser, folder: Path) -> None:
    hand_in(folder, "ada", RIGHT)
    for text in (RIGHT, RIGHT + "\n"):
        hand_in(folder, "bob", text)
    text = browser("ada").get("/me").text
    assert "<b>1</b> of 50 versions" in text
    assert "/me/bots/ada/withdraw" in text and "/me/bots/bob/" not in text


def test_losses_and_stderr_are_for_their_owner(browser: Browser, folder: Path) -> None:
    hand_in(folder, "ada", LOSES)
    hand_in(folder, "bob", RIGHT)
    play(folder)
    mine = browser("ada").get("/me").text
    assert mine.count('href="/t/cup#game/g') == 2
    assert "&lt;b&gt;my secret&lt;/b&gt; \\u202e thought" in mine and "illegal move" in mine
    assert mine.count("2 games alike") == 1, "though each had another choice of moves"
    others = browser("bob").get("/me").text
    assert "secret" not in others and "No game of the last 7 tournaments was lost" in others
    game = json.loads(browser("ada").get("/t/cup/data").text)["games"]["id"][0]
    assert "my secret" in browser("ada").get(f"/t/cup/game/{game}").text
    assert "my secret" not in browser("bob").get(f"/t/cup/game/{game}").text


def test_what_a_bot_was_sent_is_for_its_owner(browser: Browser, folder: Path) -> None:
    hand_in(folder, "ada", LOSES)
    hand_in(folder, "bob", RIGHT)
    play(folder)
    with RunView(folder / "runs/cup.sqlite") as view:
        record = view.record("g0001")
        assert record is not None
        sent = {
            each.player: dialogue(view.config, record, seat)
            for seat, each in enumerate(record.seats)
        }
    assert '"turn"' in sent["ada"]
    for seat, owner in enumerate(sent):
        address = f"/t/cup/game/g0001/dialogue/{seat}"
        assert browser(owner).get(address).text == sent[owner]
        assert browser("ada" if owner == "bob" else "bob").get(address).status_code == 404
    for nothing in ("g0001/dialogue/2", "g0001/dialogue/-1", "g9/dialogue/0"):
        assert browser("ada").get(f"/t/cup/game/{nothing}").status_code == 404


def test_a_course_at_another_path_knows_whose_bots_lost(
    folder: Path, tokens: dict[str, str], tmp_path: Path
) -> None:
    hand_in(folder, "ada", LOSES)
    hand_in(folder, "bob", RIGHT)
    play(folder)
    moved = folder.rename(tmp_path / "restored")
    with RunView(moved / "runs" / "cup.sqlite") as view:
        marks = csv.DictReader(io.StringIO(csv_report.table(*csv_report.owners(view))))
        shown = [(row["rank"], row["owner"], row["bot"], row["version"]) for row in marks]
    assert shown == [("1", "bob", "bob", "1"), ("2", "ada", "ada", "1")]
    app = make_app(ServerSettings(course=moved, runs=moved / "runs"))
    with TestClient(app) as ada:
        ada.get(f"/in/{tokens['ada']}")
        assert ada.get("/me").text.count('href="/t/cup#game/g') == 2


def test_games_lost_by_the_same_fault_are_one_entry(browser: Browser, folder: Path) -> None:
    fails = "        import time; {}[str(time.time_ns())]\n        move ="
    hand_in(folder, "ada", RIGHT.replace("        move =", fails))
    hand_in(folder, "bob", RIGHT)
    play(folder)
    mine = browser("ada").get("/me").text
    assert mine.count('href="/t/cup#game/g') == 2 and mine.count("2 games alike") == 1
    assert mine.count("before `quit` was sent.<br>") == 1
    assert mine.count("KeyError: ") == 1
    assert "Traceback" not in mine and str(folder) not in mine


@pytest.mark.parametrize("loser", ["ada", "bob"])
def test_faults_come_before_other_losses(browser: Browser, folder: Path, loser: str) -> None:
    """It loses as the first by the rules, as the second by a fault; one of them comes later."""
    says = '        print("at ply", request["ply"], file=sys.stderr)\n'
    fails = f'{says}        assert request["ply"] != 1\n        move ='
    for owner in ("ada", "bob"):
        hand_in(folder, owner, RIGHT.replace("        move =", fails) if owner == loser else RIGHT)
    play(folder)
    mine = browser(loser).get("/me").text
    assert mine.count('href="/t/cup#game/g') == 2
    assert mine.index("<td>exited</td>") < mine.index("<td>natural</td>")
    assert "<code>at ply 2</code>" in mine and "at ply 0" not in mine
    found = asyncio.run(losses(Runs(folder / "runs"), loser))
    assert [(each.side, each.detail == "") for each in found] == [
        ("second", False),
        ("first", True),
    ]


def test_losses_are_those_of_the_runs_that_changed_last(
    browser: Browser, folder: Path, app: FastAPI
) -> None:
    """However many nights a term has, a visit reads a few."""
    for owner in ("ada", "bob"):
        hand_in(folder, owner, RIGHT)
    play(folder)
    cup = folder / "runs" / "cup.sqlite"
    for night in range(1, 10):
        copy = folder / "runs" / f"night{night}.sqlite"
        shutil.copy(cup, copy)
        os.utime(copy, (night * 1000, night * 1000))
    mine = browser("ada").get("/me").text
    found = set(re.findall(r'href="/t/(\w+)#game', mine))
    assert found == {"cup", *(f"night{night}" for night in range(4, 10))}
    assert app.state.public_runs["night3"]._view is None


def test_a_loss_with_a_damaged_record_is_shown_without_it(browser: Browser, folder: Path) -> None:
    hand_in(folder, "ada", LOSES)
    hand_in(folder, "bob", RIGHT)
    play(folder)
    with sqlite3.connect(folder / "runs/cup.sqlite") as database:
        database.execute("UPDATE records SET record = substr(record, 9) WHERE id = 2")
    database.close()
    mine = browser("ada").get("/me").text
    assert mine.count('href="/t/cup#game/g') == 2
    assert "illegal move" in mine and "my secret" not in mine


def test_the_score_of_a_loss_is_seen_from_its_side(browser: Browser, folder: Path) -> None:
    hand_in(folder, "ada", RIGHT)
    hand_in(folder, "bob", RIGHT)
    play(folder)
    pages = [browser(owner).get("/me").text for owner in ("ada", "bob")]
    assert sum(page.count("<td>0–1</td>") for page in pages) == 2
    assert not any("1–0" in page for page in pages)


def test_withdrawn_and_rolled_back(browser: Browser, folder: Path) -> None:
    hand_in(folder, "ada", RIGHT)
    hand_in(folder, "ada", RIGHT + "\n")
    ada, bob = browser("ada"), browser("bob")
    assert "Version 2 plays." in ada.get("/me").text
    assert bob.post("/me/bots/ada/withdraw").status_code == 422
    assert course.bot(folder, "ada").state == "plays"
    assert "Withdrawn." in ada.post("/me/bots/ada/withdraw").text
    assert "Version 1 plays." in ada.post("/me/bots/ada/rollback", data={"version": "1"}).text
    for _ in range(3):
        ada.post("/me/bots/ada/rollback", data={"version": "1"})
    refused = ada.post("/me/bots/ada/rollback", data={"version": "7"})
    assert refused.status_code == 422 and "name a version of ada" in refused.text
    course.exclude(folder, "ada")
    assert "Excluded by the staff" in ada.get("/me").text
    refused = ada.post("/me/bots/ada/rollback", data={"version": "1"})
    assert "was excluded by the staff" in refused.text
    refused = ada.post("/me/bots/ada/rollback", data={"version": "1"})
    assert refused.status_code == 429, "each takes a game in play out of a standing tournament"
    for name in ("%2e%2e", "x" * 300, "%00"):
        assert ada.post(f"/me/bots/{name}/withdraw").status_code == 404


def test_a_check_is_shown_as_it_goes(browser: Browser) -> None:
    ada = browser("ada")
    ada.get("/me")  # the first page takes longer than the check
    spoilt = "import time\ntime.sleep(1)  # so that it is seen while it goes\n" + RIGHT.replace(
        "        reply =", '        print("<i>think\\u202e</i>")\n        reply ='
    )
    id = ada.post("/api/submissions?name=bot.py", content=spoilt).json()["id"]
    assert f'data-live="/me/check/{id}/live"' in ada.get("/me").text
    told = ada.get(f"/me/check/{id}/live").text
    cards = [json.loads(line[6:])[f"check-{id}"] for line in told.splitlines() if "check-" in line]
    assert len(cards) > 1 and told.endswith("event: over\ndata: {}\n\n")
    assert ">refused<" in cards[-1] and "✗ failed" in cards[-1] and "Fix:" in cards[-1]
    assert '"bots": ' in told and '"facts": ' in told and '"versions-against": ' in told
    assert "<i>think" not in told and "\u202e" not in told
    after = ada.get("/me").text
    assert "data-live" not in after and ">refused<" in after
    assert browser("bob").get(f"/me/check/{id}/live").status_code == 404


def test_a_version_that_is_damaged_is_reported(
    app: FastAPI, browser: Browser, folder: Path
) -> None:
    hand_in(folder, "ada", RIGHT)
    hand_in(folder, "ada", RIGHT + "\n")
    (folder / "ada/active").resolve().joinpath("receipt.json").write_text("{")
    page = browser("ada").get("/me").text
    assert "No version plays." in page and "A version is damaged on the server" in page
    staff = TestClient(app)
    staff.get(f"/in/{app.state.course.people.staff_token}")
    assert "receipt.json is not a receipt of the arena" in staff.get("/staff").text


def test_a_closed_folder_of_a_bot_is_for_its_owner_and_the_staff(
    app: FastAPI, browser: Browser, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It came back from a backup as root's, for example."""
    for owner in ("ada", "bob"):
        hand_in(folder, owner, RIGHT)

    def closed(home: Path) -> History:
        if home == folder / "ada":
            raise PermissionError(errno.EACCES, "Permission denied", str(home))
        return history(home)

    monkeypatch.setattr(course, "history", closed)
    ada, bob = (browser(owner).get("/me").text for owner in ("ada", "bob"))
    assert "The server cannot read this bot" in ada and "No bots" not in ada
    assert "Version 1 plays" in bob and "cannot read" not in bob
    staff = TestClient(app)
    staff.get(f"/in/{app.state.course.people.staff_token}")
    assert "ada cannot be read: Permission denied" in staff.get("/staff").text
    with zipfile.ZipFile(io.BytesIO(staff.get("/staff/export").content)) as sent:
        assert sent.read("submissions/ada.txt") == b"ada cannot be read: Permission denied\n"


def test_a_closed_bot_of_another_name_is_of_the_owner_whose_check_accepted_it(
    browser: Browser, folder: Path
) -> None:
    (folder / "fox/1/tree").mkdir(parents=True)  # without a receipt
    check = folder / ".web/checks/bob/20261101-120000-1f2e3d4c"
    check.mkdir(parents=True)
    about = HandedIn(owner="bob", file="fox.zip", sent_at=NOW)
    (check / "about.json").write_text(about.model_dump_json())
    end = Entered(name="fox", rules=None, version="fox@1 (9c0c2c46)", before=None)
    (check / "events.jsonl").write_text(f"{end.model_dump_json()}\n")
    assert "The server cannot read this bot" in browser("bob").get("/me").text
    assert "fox" not in browser("ada").get("/me").text


def test_the_staff_has_a_page_of_its_own(app: FastAPI) -> None:
    client = TestClient(app, follow_redirects=False)
    client.get(f"/in/{app.state.course.people.staff_token}")
    assert client.get("/me").headers["location"] == "/staff"
    assert client.get("/api/submissions").status_code == 404, "it has no bots"


@pytest.fixture
def far_east() -> Iterator[None]:
    """A server nine hours from Greenwich."""
    with local_time("JST-9"):
        yield


@pytest.mark.usefixtures("far_east")
def test_all_times_of_a_page_are_local(browser: Browser, folder: Path) -> None:
    (folder / "course.toml").write_text("deadline = 2126-01-01T00:00:00Z\n")
    hand_in(folder, "ada", RIGHT)
    ada = browser("ada")
    id = ada.post("/api/submissions?name=fox.zip", content=b"x").json()["id"]
    ada.get(f"/me/check/{id}/live")
    text = ada.get("/me").text
    for shown in ("2126-01-01 09:00 JST", "2026-11-01 21:00 JST"):
        assert shown in text
    assert text.count(" JST") == 3 and "UTC" not in text


def test_a_notice_of_the_staff_is_read_by_all(app: FastAPI, browser: Browser, folder: Path) -> None:
    visitor, ada = TestClient(app), browser("ada")
    (folder / "course.toml").write_text('notice = "It <rests> until 14:00.\\nThen on."\n')
    for text in (visitor.get("/").text, ada.get("/").text, ada.get("/me").text):
        assert '<p class="said">It &lt;rests&gt; until 14:00.</p>' in text
        assert '<p class="said">Then on.</p>' in text
    (folder / "course.toml").write_text("")
    assert "rests" not in visitor.get("/").text + ada.get("/me").text


def test_an_owner_reads_its_own_deadline(browser: Browser, folder: Path) -> None:
    ada = browser("ada")
    general = "deadline = 2026-01-01T00:00:00Z\n"
    (folder / "course.toml").write_text(general)
    over = ada.get("/me").text
    assert "The deadline was <b>2026-01-01" in over and "no bot is taken any more" in over
    assert "Check it" not in over and "Submit one above" not in over
    assert "The deadline was 2026-01-01" in ada.get("/").text
    (folder / "course.toml").write_text(f"{general}[extensions]\nada = 2126-01-02T12:00:00Z\n")
    taken = ada.get("/me").text
    assert "Bots are taken until <b>2126-01-02" in taken and "Check it" in taken
    assert "Bots are taken until 2126-01-02" in ada.get("/").text
    (folder / "course.toml").write_text(f"{general}[extensions]\nbob = 2126-01-02T12:00:00Z\n")
    shown = ada.get("/me").text
    assert "The deadline was <b>2026-01-01" in shown and "2126-" not in shown
