"""Every route says who may use it, and refuses the others."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from fastapi import FastAPI, Request
from fastapi.routing import APIRoute

from arena.bots import course as course_of
from arena.web.app import ROUTERS, ServerSettings, make_app
from arena.web.rights import RightsRule, Role, Visitor
from arena.web.safe import HEADERS, SAFE_METHODS
from tests.web.conftest import TestClient

ROUTES = [route for router in ROUTERS for route in router.routes]


def rules(route: APIRoute) -> list[RightsRule]:
    """What it says by `may(...)`."""
    calls = [each.call for each in route.dependant.dependencies]
    return [call for call in calls if isinstance(call, RightsRule)]


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> FastAPI:
    """The application of a course, without its other processes."""
    folder = tmp_path_factory.mktemp("course")
    course_of.init(folder)
    course_of.add_owners(folder, ["ann"], datetime.now(UTC))
    return make_app(ServerSettings(course=folder, runs=folder / "runs"))


def test_no_route_is_outside_the_routers(app: FastAPI) -> None:
    described, *included = app.routes
    assert described.path == "/api/openapi.json"  # type: ignore[attr-defined]
    assert len(included) == len(ROUTERS)
    assert all(isinstance(route, APIRoute) for route in ROUTES)


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.name)
def test_a_route_has_one_rule(route: APIRoute) -> None:
    assert len(rules(route)) == 1, "give its router, or the route, one `may(…)` of arena.web.rights"


def refused() -> Iterator[tuple[Role, APIRoute]]:
    """Each route with each role that may not use it in a course."""
    order = list(Role)
    for route in ROUTES:
        for rule in rules(route):
            for role in order[: order.index(rule.in_course)]:
                yield role, route


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.name)
def test_what_comes_before_every_answer(
    app: FastAPI, route: APIRoute, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[str]()
    table_freeze = app.state.course.table_freeze
    monkeypatch.setattr(table_freeze, "is_behind", lambda: bool(asked.append("due")))

    def identify(request: Request) -> Visitor:
        request.state.form_token = "secret"
        return Visitor(role=Role.STAFF)

    app.state.identify, path = identify, re.sub(r"{[^}]*}", "1", route.path)
    for method in route.methods.difference(SAFE_METHODS):
        answer = TestClient(app).request(method, path)
        assert answer.status_code == 403 and "The page is too old" in answer.text
    app.state.identify = lambda _: Visitor()
    for method in route.methods:
        asked.clear()
        TestClient(app, follow_redirects=False).request(method, path)
        assert asked == ["due"]


@pytest.mark.parametrize(
    ("role", "route"), list(refused()), ids=lambda each: getattr(each, "name", each)
)
def test_who_may_not_use_it_is_refused(app: FastAPI, role: Role, route: APIRoute) -> None:
    app.state.identify = lambda _: Visitor(role=role, owner="ann" if role is Role.OWNER else None)
    path = re.sub(r"{[^}]*}", "1", route.path)
    for method in route.methods:
        answer = TestClient(app).request(method, path)
        assert answer.status_code == (401 if role is Role.ANYONE else 403)
        assert answer.headers["Content-Security-Policy"] == HEADERS["Content-Security-Policy"]
