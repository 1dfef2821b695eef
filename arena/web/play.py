"""/play: a person against a bot on the board. Each game is a process of its own (`tables`)."""

import secrets
from typing import Annotated

from fastapi import APIRouter, Depends, Form, HTTPException, Query, Request, Response
from fastapi.responses import RedirectResponse
from starlette.concurrency import run_in_threadpool

from arena.errors import UserError
from arena.web.boards import TIMES_MS, TableWish, boards, choices, setup_of
from arena.web.pages import page
from arena.web.rates import address_of
from arena.web.rights import Role, may, visitor_of
from arena.web.state import state_of
from arena.web.table_lines import Command, TableState
from arena.web.tables import IDLE_S, RunningTable

_PATIENCE_S = 25.0
"""How long a page waits for a change before it asks again: less than proxies wait."""


async def _may_play(request: Request) -> None:
    """Refuse strangers of a course, where its file lets only its own people play."""
    course = state_of(request).course
    if course is None or visitor_of(request).may(Role.OWNER):
        return
    if course.rules.now().play != "anyone":
        raise HTTPException(
            401, "Only people of the course play here. Open the link you were given."
        )


router = APIRouter(prefix="/play", dependencies=[may(Role.ANYONE), Depends(_may_play)])


@router.get("")
async def form(request: Request, wish: Annotated[TableWish, Query()]) -> Response:
    return await _form(request, wish)


async def _form(request: Request, wish: TableWish, problem: str = "") -> Response:
    return page(
        request,
        "play.html",
        status=422 if problem else 200,
        wish=wish,
        problem=problem,
        boards=boards(),
        choices=await run_in_threadpool(choices, state_of(request).settings.course),
        times=TIMES_MS,
        idle_min=round(IDLE_S / 60),
    )


@router.post("")
async def begin(request: Request, wish: Annotated[TableWish, Form()]) -> Response:
    try:
        state, visitor = state_of(request), visitor_of(request)
        person = f"{visitor.role} {visitor.owner or address_of(request)}"
        course, seed = state.settings.course, secrets.randbelow(2**31)
        setup = await run_in_threadpool(setup_of, wish, course, visitor, seed)
        state.tables.begun.take(person, "ten games begun in five minutes")
        name = await state.tables.open(person, wish, setup)
    except UserError as error:
        return await _form(request, wish, str(error))
    return RedirectResponse(f"/play/{name}", 303)


def _table(request: Request, name: str) -> RunningTable:
    table = state_of(request).tables.find(name)
    if table is None:
        raise HTTPException(404, "This game is not there any more. Begin another one at /play.")
    return table


At = Annotated[RunningTable, Depends(_table)]


@router.get("/{name}")
async def board_page(request: Request, name: str, table: At) -> Response:
    wish = table.wish
    return page(request, "table.html", wish=wish, board=boards()[wish.board], name=name)


@router.get("/{name}/state")
async def state(table: At, after: int = -1) -> TableState:
    """The game, once it has changed since state `after`."""
    return await table.newer(after, _PATIENCE_S)


@router.post("/{name}/do", status_code=204)
async def do(table: At, command: Command) -> None:
    table.send(command)
