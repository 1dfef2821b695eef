"""Runs on pages: the list of them, the document of each, its data, and what happens in it."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Depends, Header, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from arena.records.dialogue import dialogue
from arena.reports.html.audience import PUBLIC, STAFF, Audience, Seen
from arena.reports.html.data import game_data, run_data
from arena.reports.html.folders import bot_folders, without_folders
from arena.reports.html.pages import run_page
from arena.reports.submissions import owners
from arena.tournament.config import TournamentConfig
from arena.tournament.run_view import RunView
from arena.web import assets
from arena.web.cached_answers import CachedAnswer, answer, cached
from arena.web.pages import page, rendered
from arena.web.rights import Asking, Role, Visitor, may
from arena.web.runs import ShownRun
from arena.web.state import state_of
from arena.web.streams import EventStream, as_long, refuse_beyond
from arena.web.summary import summaries
from arena.web.tournaments import frozen_since, runs_of, shown_until, still_to_come

router = APIRouter(dependencies=[may(Role.ANYONE)])

_FOR_GOOD = "public, max-age=31536000, immutable"
HTML, JSON, TEXT = "text/html; charset=utf-8", "application/json", "text/plain; charset=utf-8"


def audience(visitor: Visitor, config: TournamentConfig) -> Audience:
    """Whose words a visitor may read: an owner those of its own bots."""
    if visitor.may(Role.STAFF):
        return STAFF
    if visitor.owner is None:
        return PUBLIC
    own = (name for name, owner in owners(config).items() if owner == visitor.owner)
    return Audience(reads=frozenset(own))


def hidden(visitor: Visitor, config: TournamentConfig) -> list[Path]:
    """The folders that a visitor does not read: those of all bots, where it is not the staff. What
    a bot writes may name its own, and the referee's sentences quote it.
    """
    return [] if visitor.may(Role.STAFF) else bot_folders(config)


def find(request: Request, name: str) -> ShownRun:
    """A run by its name, as the visitor may see it. Raises HTTPException and StoreError."""
    try:
        return runs_of(request)[name]
    except HTTPException:
        if name in still_to_come(request):
            later = f"{name} has not begun yet. Load this page again once it is played."
            raise HTTPException(404, later) from None
        raise


async def _find(request: Request, name: str) -> ShownRun:  # in this thread: another costs 0.2 ms
    return find(request, name)


@router.get("/")
async def tournaments(request: Request, visitor: Asking) -> Response:
    course = state_of(request).course
    rules, owner = course.rules.now() if course else None, visitor.owner or ""
    shown = runs_of(request)
    found = await summaries(shown)
    ahead = await run_in_threadpool(still_to_come, request)
    readable = [each.name for each in found if each.problem is None]
    frozen = {name: frozen_since(request, shown[name]) for name in readable}
    return page(
        request,
        "index.html",
        runs=found,
        notice=rules.notice if rules else "",
        deadline=rules and rules.deadline_of(owner),
        is_over=rules and rules.is_over(owner, datetime.now(UTC)),
        ahead=ahead,
        frozen=frozen,
    )


def add_run(router: APIRouter, address: str, find: Callable[..., Awaitable[ShownRun]]) -> None:
    """Add the page of a run that `find` finds, and below it what its scripts ask for."""
    found = Annotated[ShownRun, Depends(find)]

    @router.get(address)
    async def document(request: Request, run: found, visitor: Asking) -> Response:
        hubs = state_of(request).hubs
        mark = await hubs[run].mark() if run.is_played or not await run.is_over() else None
        frozen = frozen_since(request, run)
        key = ("page", visitor, getattr(request.state, "form_token", None), mark, frozen)
        make = partial(_document, request, visitor, mark, frozen)
        return answer(request, await run.made(key, make))

    @router.get(f"{address}/data")
    async def data(request: Request, run: found, visitor: Asking) -> Response:
        make = partial(_data, visitor)
        return answer(request, await run.made(("data", visitor), make, moves=True))

    @router.get(f"{address}/game/{{game}}")
    async def one_game(request: Request, run: found, game: str, visitor: Asking) -> Response:
        return answer(request, await game_of(run, game, visitor))

    @router.get(f"{address}/game/{{game}}/dialogue/{{seat}}")
    async def what_was_sent(
        request: Request, run: found, game: str, seat: int, visitor: Asking
    ) -> Response:
        """The lines sent to a bot in a game that has ended, for those who may read its stderr."""

        def make(view: RunView) -> CachedAnswer | None:
            record = view.record(game)
            if record is None or not 0 <= seat < len(record.seats):
                return None
            if not audience(visitor, view.config).may_read(record.seats[seat].player):
                return None
            sent = dialogue(view.config, record, seat)
            return cached(without_folders(sent, *hidden(visitor, view.config)), TEXT)

        return answer(request, await _of_game(run, make))

    @router.get(f"{address}/live")
    async def live(
        request: Request,
        run: found,
        after: int | None = None,
        last_event_id: Annotated[int | None, Header()] = None,
    ) -> Response:
        """The events of a run from now on, or after the last that the page knows; a browser that
        comes back sends it in a header.
        """
        refuse_beyond(request)
        known = after if last_event_id is None else last_event_id
        events = state_of(request).hubs[run].listen(known)
        first = await anext(events)
        return EventStream(request, as_long(first, events, shown_until(request, run)))


add_run(router, "/t/{name}", _find)


def _document(
    request: Request, visitor: Visitor, mark: int | None, frozen: str | None, view: RunView
) -> CachedAnswer:
    values = run_page(view, audience(visitor, view.config))
    live = mark if view.is_played or not view.schedule.over else None
    if frozen is not None:
        values["note"] = f"This table is frozen as of {frozen}; games in play are not shown."
    url = quote(request.scope["path"])  # what the scripts ask for is below it
    text = rendered(request, "run.html", **values, run_url=url, live=live)
    return cached(without_folders(text, *hidden(visitor, view.config)), HTML)


def _data(visitor: Visitor, view: RunView) -> CachedAnswer:
    text = run_data(view, audience(visitor, view.config)).model_dump_json()
    return cached(without_folders(text, *hidden(visitor, view.config)), JSON)


async def game_of(run: ShownRun, game: str, visitor: Visitor) -> CachedAnswer:
    """A game as this visitor may see it. Raises HTTPException and StoreError."""

    def make(view: RunView) -> CachedAnswer | None:
        record = view.record(game)
        if record is None:
            return None
        found = game_data(record, Seen(view.config, audience(visitor, view.config)))
        return cached(found.model_dump_json(), JSON)

    return await _of_game(run, make)


async def _of_game(run: ShownRun, make: Callable[[RunView], CachedAnswer | None]) -> CachedAnswer:
    found = await run.look(make)
    if found is None:
        raise HTTPException(404, "There is no such game here, or it has not ended.")
    return found


@router.get("/static/{name}")
async def static(request: Request, name: str) -> Response:
    found = assets.by_address().get(request.url.path)
    if found is None:
        raise HTTPException(404)
    return answer(request, found, _FOR_GOOD)
