"""Pages from templates: those of the report and of the server, in one look."""

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment

from arena.files.moments import moment
from arena.reports.html import pages as report_pages
from arena.web import assets
from arena.web.rights import Role, Visitor, visitor_of
from arena.web.state import state_of


class NavLink(NamedTuple):
    href: str
    text: str
    in_course: Role = Role.ANYONE
    """The roles that see it where there is a course."""
    alone: bool = True
    """Whether all see it where there is none."""


NAVIGATION: list[NavLink] = [
    NavLink("/", "Tournaments"),
    NavLink("/me", "My bots", Role.OWNER, alone=False),
    NavLink("/play", "Play", Role.OWNER),
    NavLink("/lab", "Lab", Role.STAFF),
    NavLink("/doc", "Docs"),
    NavLink("/staff", "Staff", Role.STAFF, alone=False),
]
"""On every page, in this order."""


def page(request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """A page. Templates also have `visitor`, `site`, `here`, `form_token` and `settings`."""
    return HTMLResponse(rendered(request, template, **values), status)


def rendered(request: Request, template: str, **values: Any) -> str:
    visitor = visitor_of(request)
    settings = state_of(request).settings
    shown = {
        "visitor": visitor,
        "site": _links(visitor, is_course=settings.course is not None),
        "here": request.url.path,
        "form_token": getattr(request.state, "form_token", None),
        "settings": settings,
    }
    return environment().get_template(template).render(shown | values)


@cache
def environment() -> Environment:
    """The templates of the report, and those of the server."""
    templates = report_pages.environment(Path(__file__).parent / "templates")
    templates.filters["moment"] = moment
    templates.globals |= {
        "style_href": assets.address("arena.css"),
        "script_srcs": [assets.address(name) for name in ("arena.js", "forms.js")],
        "asset": assets.address,
    }
    return templates


def _links(visitor: Visitor, *, is_course: bool) -> list[tuple[str, str]]:
    shown = [
        (link.href, link.text)
        for link in NAVIGATION
        if (visitor.may(link.in_course) if is_course else link.alone)
        if link.href != "/me" or visitor.owner  # the staff has no page of an owner
    ]
    return [*shown, ("/in", "Sign in")] if is_course and visitor.role is Role.ANYONE else shown
