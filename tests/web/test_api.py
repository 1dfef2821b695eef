"""/api: what its description allows, and what not."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from hypothesis import HealthCheck, given, settings

from arena.bots import course
from arena.web.app import ServerSettings, make_app
from arena.web.runs import ShownRun
from tests.web.conftest import TestClient


@pytest.mark.parametrize(
    ("query", "games"),
    [
        ({}, 6),
        ({"player": "ant"}, 4),
        ({"player": "ant", "against": "bee"}, 2),
        ({"player": "ant", "side": "first"}, 2),
        ({"ending": "forfeit"}, 1),
        ({"ending": "timeout", "player": "bee", "result": "lost"}, 1),
        ({"ending": "timeout", "player": "ant", "result": ["drawn", "lost"]}, 0),
        ({"player": "nobody"}, 0),
    ],
)
def test_games_are_filtered(
    cup: Path, client: TestClient, query: dict[str, Any], games: int
) -> None:
    assert len(client.get("/api/runs/cup/games", params=query).json()) == games


def test_what_is_no_side_is_explained(cup: Path, client: TestClient) -> None:
    answer = client.get("/api/runs/cup/games", params={"side": "left"})
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith("side: ")


def test_standings_and_players(cup: Path, client: TestClient) -> None:
    standings = client.get("/api/runs/cup/standings").json()
    assert {row["name"] for row in standings["players"]} == {"ant", "bee", "cat"}
    players = client.get("/api/runs/cup/players").json()
    assert [(player["name"], player["games"]) for player in players] == [
        ("ant", 4), ("bee", 4), ("cat", 4),
    ]  # fmt: skip
    assert client.get("/api/runs/cup").json()["planned"] == 6


@pytest.mark.parametrize("what", ["standings", "games", "players"])
def test_what_did_not_change_is_not_made_again(
    cup: Path, client: TestClient, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    first = client.get(f"/api/runs/cup/{what}")
    monkeypatch.delattr(ShownRun, "_look")
    assert client.get(f"/api/runs/cup/{what}").json() == first.json()


def test_every_refusal_is_described_as_it_is(runs: Path) -> None:
    paths = make_app(ServerSettings(runs=runs)).openapi()["paths"]
    problem = {"application/json": {"schema": {"$ref": "#/components/schemas/ApiProblem"}}}
    for path, operations in paths.items():
        for operation in operations.values():
            refused = {code: said for code, said in operation["responses"].items() if code >= "400"}
            assert all(said["content"] == problem for said in refused.values()), path
            takes_token = path.startswith(("/api/submissions", "/api/bots", "/api/challenges"))
            assert ("security" in operation) == takes_token, path


@pytest.mark.slow
def test_it_answers_as_described(cup: Path, runs: Path) -> None:
    _ask(make_app(ServerSettings(runs=runs)))


@pytest.mark.slow
def test_it_answers_owners_as_described(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    course.init(tmp_path / "course")
    token = course.add_owners(tmp_path / "course", ["ada"], datetime.now(UTC))["ada"]
    app = make_app(ServerSettings(course=tmp_path / "course", runs=tmp_path / "course" / "runs"))
    monkeypatch.setattr(app.state.course.checks.jobs, "add", lambda folder: None)
    paths = ("/api/submissions", "/api/bots", "/api/challenges")
    _ask(app, paths, {"Authorization": f"Bearer {token}"})


def _ask(
    app: FastAPI, paths: tuple[str, ...] = ("/",), headers: dict[str, str] | None = None
) -> None:
    """Ask each operation below these paths, and check its answers."""
    # Not at the top: each process that collects tests would import it, for half a second.
    from schemathesis import openapi
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi import checks

    checked = [
        not_a_server_error,
        checks.content_type_conformance,
        checks.response_headers_conformance,
        checks.response_schema_conformance,
        checks.status_code_conformance,
    ]

    def ask(case: Any) -> None:
        if "name" in case.path_parameters:
            case.path_parameters["name"] = "cup"
        case.call_and_validate(checks=checked, headers=headers)

    asked = 0
    for found in openapi.from_asgi("/api/openapi.json", app).get_all_operations():
        if (operation := found.ok()).path.startswith(paths):
            few = settings(
                max_examples=3, derandomize=True, suppress_health_check=list(HealthCheck)
            )
            few(given(case=operation.as_strategy())(ask))()
            asked += 1
    assert asked
