"""/lab: sequential tests, trainings and tunings as they go on, and two of them compared."""

import json
from typing import Any

from fastapi import APIRouter, Request, Response
from markupsafe import Markup
from starlette.exceptions import HTTPException

from arena.files.toml_tables import shown
from arena.reports import words
from arena.reports.html.charts import Curve, curves, gauge, thinned
from arena.reports.html.pages import in_url
from arena.web.api import REFUSALS, refusals
from arena.web.cached_answers import answer, cached
from arena.web.lab_runs import LabRun
from arena.web.pages import environment, page
from arena.web.rights import Role, may
from arena.web.state import state_of

_MOST_ROWS = 100
"""The rows of a table; of more, as many are picked evenly."""
_MOST_CURVES = 8
"""The curves of one drawing: more cannot be distinguished."""
_TITLES = {"test": "Sequential tests", "training": "Trainings", "tuning": "Tunings"}


_LOOK = [may(Role.ANYONE, in_course=Role.STAFF)]
router = APIRouter(prefix="/lab", dependencies=_LOOK)
_ONLY_STAFF = "A course shows its lab only to the staff."
api = APIRouter(
    prefix="/api/lab",
    tags=["lab"],
    dependencies=_LOOK,
    responses=REFUSALS | refusals({401: _ONLY_STAFF, 403: _ONLY_STAFF}),
)


async def _found(request: Request, name: str) -> LabRun:
    try:
        run = await state_of(request).lab.find(name)
    except HTTPException:
        why = f"The lab has no test, training or tuning {shown(name)}. /lab lists what it has."
        raise HTTPException(404, why) from None
    if run is None:
        raise HTTPException(404, f"{name} is a tournament, not a test: see /t/{in_url(name)}.")
    return run


@router.get("")
async def contents(request: Request) -> Response:
    runs, problems = await state_of(request).lab.all()
    groups = {title: [run for run in runs if run.kind == kind] for kind, title in _TITLES.items()}
    return page(request, "lab.html", groups=groups, runs=runs, problems=problems)


@router.get("/run/{name}")
async def one(request: Request, name: str) -> Response:
    run = await _found(request, name)
    return page(request, "lab_run.html", run=run, parts=_parts(run))


@router.get("/run/{name}/parts")
async def parts(request: Request, name: str) -> Response:
    """The parts of a page that change while it goes on: HTML by the ids of elements."""
    found = _parts(await _found(request, name))
    return answer(request, cached(json.dumps(found), "application/json"))


@router.get("/compare")
async def compare(request: Request, a: str, b: str) -> Response:
    values = compared(await _found(request, a), await _found(request, b))
    return page(request, "lab_compare.html", **values)


@api.get("")
async def list_lab_runs(request: Request) -> list[LabRun]:
    """Sequential tests, trainings and tunings, without their curves."""
    runs, _ = await state_of(request).lab.all()
    return [run.model_copy(update={"curves": (), "rows": ()}) for run in runs]


@api.get("/{name}")
async def one_lab_run(request: Request, name: str) -> LabRun:
    """One of them, with its curves: games and a figure."""
    return await _found(request, name)


def compared(one: LabRun, other: LabRun) -> dict[str, Any]:
    keys = dict.fromkeys([*one.settings, *other.settings])
    settings = [(key, one.settings.get(key, "–"), other.settings.get(key, "–")) for key in keys]
    drawings = []
    ours, theirs = ({curve.name: curve for curve in run.curves} for run in (one, other))
    for name in ours:
        if name in theirs:
            pair = [ours[name]._replace(name=one.name), theirs[name]._replace(name=other.name)]
            label = f"{name} of {one.name} and {other.name}"
            drawings.append((name, (curves(pair, label), [one.name, other.name])))
    return {"one": one, "other": other, "settings": settings, "drawings": drawings}


def _parts(run: LabRun) -> dict[str, Markup]:
    """The sections of a page by their ids."""
    template = environment().get_template("lab_parts.html")
    tests = [
        (name, verdict, gauge(verdict.llr, verdict.lower, verdict.upper))
        for name, verdict in run.verdicts
    ]
    rows = thinned(run.rows, _MOST_ROWS)
    values = {
        "run": run,
        "tests": tests,
        "decision": words.decision,
        "about_test": words.about_sprt,
        "drawings": _drawings(run),
        "rows": rows,
    }
    return {
        name: Markup(template.render(values | {"part": name}))
        for name in ("stands", "tests", "curves", "figures", "log")
    }


def _drawings(run: LabRun) -> list[tuple[Markup, list[str]]]:
    """The first curve, and a tuning's parameters together; each with the names of its lines."""
    drawn = [curve for curve in run.curves if curve.points]
    first, more = drawn[:1], drawn[1 : _MOST_CURVES + 1]
    levels = []
    for _, verdict in run.verdicts if run.kind == "test" else ():
        levels = [("H1", verdict.upper), ("H0", verdict.lower)]
    return [
        (curves(group, _label(group), levels), [curve.name for curve in group])
        for group in (first, more)
        if group
    ]


def _label(drawn: list[Curve]) -> str:
    return "; ".join(f"{curve.name}, last {curve.points[-1][1]:.4g}" for curve in drawn)
