"""/play over requests: the form, a game to its end, and what is refused."""

import re
import time
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

import rules
from arena.bots import course
from arena.web import boards as offers
from arena.web import tables
from arena.web.app import ServerSettings, make_app
from arena.web.boards import boards
from arena.web.rights import Role, Visitor
from arena.web.tables import Tables

from .conftest import TestClient, refuse_event_loop

SMALL = {"board": "dots-3", "opponent": "greedy"}


def begun(client: TestClient, **chosen: Any) -> str:
    """The address of a new table."""
    answer = client.post("/play", data=SMALL | chosen, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


def another(client: TestClient) -> TestClient:
    """A client of another address, of the same running application."""
    made = TestClient(client.app, client=("192.0.2.1", 50_000))
    made.portal = client.portal  # one event loop
    return made


def when(client: TestClient, table: str, phase: str, after: int = -1) -> dict[str, Any]:
    """The state of a table once it is in this phase."""
    while True:
        state: dict[str, Any] = client.get(f"{table}/state", params={"after": after}).json()
        if state["phase"] in (phase, "over"):
            return state
        after = state["number"]


def do(client: TestClient, table: str, state: dict[str, Any], what: str, move: str = "") -> None:
    sent = {"do": what, "ply": state["ply"], "move": move}
    assert client.post(f"{table}/do", json=sent).status_code == 204


def test_a_game_is_played_to_its_end(client: TestClient) -> None:
    table = begun(client)
    assert "Dots and boxes 3×3" in client.get(table).text
    state = when(client, table, "yours")
    while state["phase"] != "over":
        do(client, table, state, "move", state["legal"][-1])
        state = when(client, table, "yours", state["number"])
    assert re.search(r"Game over.* You (win|lose)\.", state["ending"])
    assert len(state["transcript"].split()) == state["ply"] == 24


def test_undo_and_resign(client: TestClient) -> None:
    table = begun(client, seat=1)
    state = when(client, table, "yours")
    assert (state["ply"], state["can_undo"]) == (1, False)
    do(client, table, state, "move", state["legal"][0])
    state = when(client, table, "yours", state["number"])
    do(client, table, state, "undo")
    state = when(client, table, "yours", state["number"])
    assert state["ply"] == 1
    do(client, table, state, "resign")
    assert when(client, table, "over", state["number"])["ending"] == "You resigned. greedy wins."


def test_the_form_offers_boards_and_opponents_that_can_play_them(client: TestClient) -> None:
    text = client.get("/play?board=2048-two&opponent=placer&seat=1").text
    assert all(f'<option value="{name}"' in text for name in boards())
    assert '<option value="2048-two" data-seats="2" selected>' in text
    placer = re.search(r'<option value="placer" data-boards="([^"]*)" selected>', text)
    assert placer is not None
    assert placer[1] == "2048-two 2584-two"
    assert "nobody moves for 15 minutes" in text


def test_each_game_has_a_board(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offers, "_OWN", {})
    assert list(offers.boards.__wrapped__()) == list(rules.names())


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ({"board": "chess"}, "There is no such board. Choose one of: othello, "),
        ({"opponent": "placer"}, "placer cannot play this"),
        ({"opponent": "/etc/passwd"}, "There is no such opponent here."),
        ({"opponent": "bot/fox"}, "There is no such opponent here."),
        ({"move_ms": 7}, "The time of a move is one of 100, "),
        ({"seat": 2}, "The seat is 0, which moves first, or 1."),
    ],
)
def test_what_cannot_be_played_is_reported_on_the_form(
    client: TestClient, chosen: dict[str, Any], expected: str
) -> None:
    answer = client.post("/play", data=SMALL | chosen)
    assert answer.status_code == 422
    assert expected in answer.text


def test_a_game_that_is_not_there(client: TestClient) -> None:
    for answer in (client.get("/play/none"), client.get("/play/none/state")):
        assert answer.status_code == 404
        assert "Begin another one at /play" in answer.text


def test_at_most_a_few_games_at_a_time(app: FastAPI, client: TestClient) -> None:
    app.state.tables = Tables(most=1)
    other = another(client)
    table = begun(client)
    answer = other.post("/play", data=SMALL)
    assert (answer.status_code, "All 1 tables are taken" in answer.text) == (422, True)
    do(client, table, when(client, table, "yours"), "resign")
    when(client, table, "over")
    begun(other)


def test_a_person_has_one_game_at_a_time(app: FastAPI, client: TestClient) -> None:
    app.state.tables = Tables(most=2)
    other = another(client)
    first, others = begun(client), begun(other)
    second = begun(client)
    assert when(client, first, "over")["ending"] == "Another game was begun. Begin another game."
    for whose, table in ((client, second), (other, others)):
        assert when(whose, table, "yours")["phase"] == "yours"


def test_few_games_that_are_over_are_remembered(
    app: FastAPI, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "KEPT_TABLES", 3)
    app.state.tables = Tables()
    played = [begun(another(client)), *(begun(client) for _ in range(3))]
    codes = [client.get(f"{table}/state").status_code for table in played]
    assert codes == [200, 404, 200, 200], "one that is played stays"


def test_commands_that_the_game_does_not_wait_for_are_refused(client: TestClient) -> None:
    table = begun(client)
    state = when(client, table, "yours")
    sent = {"do": "move", "ply": state["ply"], "move": state["legal"][0]}
    assert client.post(f"{table}/do", json=sent | {"ply": 7}).status_code == 409
    codes = [client.post(f"{table}/do", json=sent).status_code for _ in range(2)]
    assert codes == [204, 409], "one at a time"
    state = when(client, table, "yours", state["number"])
    do(client, table, state, "resign")
    when(client, table, "over")
    assert client.post(f"{table}/do", json=sent).status_code == 409


def test_a_game_whose_state_cannot_be_read_is_over(
    app: FastAPI, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "_LINE_BYTES", 100)
    app.state.tables = Tables(most=1)
    ending = "The process of this game ended. Begin another game."
    for whose in (client, another(client)):
        assert when(whose, begun(whose), "over")["ending"] == ending


def test_an_address_begins_ten_games_in_five_minutes(app: FastAPI, client: TestClient) -> None:
    app.state.tables = Tables(most=0)
    codes = [client.post("/play", data=SMALL).status_code for _ in range(11)]
    assert codes == [422] * 10 + [429]


def test_a_game_ends_with_the_server(app: FastAPI, client: TestClient) -> None:
    table = begun(client)
    when(client, table, "yours")
    app.state.tables.end()
    ending = when(client, table, "over")["ending"]
    assert ending == "The server was stopped. Begin another game."


def test_a_game_in_which_nobody_moves_ends(app: FastAPI, client: TestClient) -> None:
    app.state.tables = Tables(idle_s=0.3)
    state = when(client, begun(client), "over")
    assert state["ending"] == "Nobody moved for a while. Begin another game."
    assert state["legal"] == []


def test_commands_that_are_refused_keep_no_game(app: FastAPI, client: TestClient) -> None:
    app.state.tables = Tables(idle_s=0.3)
    table, give_up = begun(client), time.monotonic() + 20
    while client.get(f"{table}/state").json()["phase"] != "over":
        client.post(f"{table}/do", json={"do": "undo", "ply": 7})
        assert time.monotonic() < give_up


# In a course


@pytest.fixture
def of_course(tmp_path: Path) -> FastAPI:
    course.init(tmp_path)
    return make_app(ServerSettings(runs=tmp_path / "runs", course=tmp_path))


def test_of_a_course_its_people_play_alone(of_course: FastAPI) -> None:
    with TestClient(of_course) as client:
        assert client.get("/play").status_code == 401
        of_course.state.identify = lambda _: Visitor(role=Role.OWNER, owner="ann")
        assert client.get("/play").status_code == 200


def test_the_bots_of_a_course_are_read_while_others_are_answered(
    of_course: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = list[Path]()

    def noted(folder: Path) -> tuple[course.Entry, ...]:
        refuse_event_loop()
        read.append(folder)
        return course.bots(folder)

    monkeypatch.setattr(offers, "bots", noted)
    of_course.state.identify = lambda _: Visitor(role=Role.OWNER, owner="ann")
    of_course.state.tables = Tables(most=0)
    with TestClient(of_course) as client:
        client.get("/play")
        client.post("/play", data=SMALL)
    assert len(read) == 3, "for the form, the game, and the form again"


def test_owners_of_one_address_do_not_share_their_tries(of_course: FastAPI) -> None:
    with TestClient(of_course) as client:
        of_course.state.tables = Tables(most=0)
        codes = []
        for owner in ("ann", "bob"):
            visitor = Visitor(role=Role.OWNER, owner=owner)
            of_course.state.identify = lambda _, visitor=visitor: visitor
            codes += [client.post("/play", data=SMALL).status_code for _ in range(10)]
    assert codes == [422] * 20


def test_a_course_may_let_anyone_play(of_course: FastAPI, tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text('play = "anyone"\n')
    with TestClient(of_course) as client:
        assert client.get("/play").status_code == 200
