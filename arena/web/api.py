"""Runs as JSON, for programs; described at /api/openapi.json."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import Response
from pydantic_core import to_json

from arena.model import Frozen
from arena.ratings.model import Standings
from arena.reports.games import GameFilter, GameRow, ResultWord, Sort, rows
from arena.reports.html.audience import Seen
from arena.reports.html.data import run_data
from arena.reports.html.folders import without_folders
from arena.reports.html.model import GameData, PlayerData
from arena.tournament.run_view import RunView
from arena.web.cached_answers import CachedAnswer, answer, cached
from arena.web.rights import Asking, Role, Visitor, may
from arena.web.run_pages import JSON, audience, find, game_of, hidden
from arena.web.summary import RunSummary, summaries, summary
from arena.web.tournaments import runs_of


class ApiProblem(Frozen):
    """Why there is no answer."""

    detail: str


def refusals(why: Mapping[int, str]) -> dict[int | str, dict[str, Any]]:
    """The description of answers that are an ApiProblem, by their status."""
    return {code: {"model": ApiProblem, "description": said} for code, said in why.items()}


INVALID = refusals({422: "A parameter has a value that is not allowed."})
REFUSALS = refusals({404: "There is no such run, player or game."}) | INVALID
router = APIRouter(
    prefix="/api", tags=["runs"], dependencies=[may(Role.ANYONE)], responses=REFUSALS
)
Name = Annotated[str, Path(description="The run's name, as /api/runs lists it.")]


class NamedPlayer(PlayerData):
    """A player of a run."""

    name: str


@router.get("/runs")
async def list_runs(request: Request) -> list[RunSummary]:
    """The runs: those that are played now, then those that changed last."""
    return await summaries(runs_of(request))


@router.get("/runs/{name}")
async def one_run(request: Request, name: Name) -> RunSummary:
    """One run."""
    return await summary(find(request, name))


@router.get("/runs/{name}/standings", response_model=Standings)
async def standings(request: Request, name: Name, visitor: Asking) -> Response:
    """The standings, as `arena report --json` has them, without the covariance."""

    def read(view: RunView) -> CachedAnswer:
        return _json(_seen(view, visitor).standings(view.standings), view, visitor)

    return answer(request, await find(request, name).made(("standings", visitor), read))


@router.get("/runs/{name}/games", response_model=list[GameRow])
async def games(
    request: Request,
    name: Name,
    visitor: Asking,
    player: Annotated[str | None, Query(description="Games of this player.")] = None,
    against: Annotated[str | None, Query(description="Games against this opponent.")] = None,
    side: Annotated[Literal["first", "second"] | None, Query()] = None,
    result: Annotated[list[ResultWord], Query(description="Games with any of these results.")] = [],  # noqa: B006 - FastAPI copies it
    ending: Annotated[
        str | None, Query(description="The ending, such as `timeout`; `forfeit` is any fault.")
    ] = None,
    sort: Annotated[Sort | None, Query(description="The order: which games come first.")] = None,
) -> Response:
    """Its games in the order they ended, each as one of its players saw it."""
    run, filter_ = find(request, name), GameFilter(player, against, side, tuple(result), ending)

    def read(view: RunView) -> CachedAnswer:
        seen = _seen(view, visitor)
        return _json([_shown(row, seen) for row in rows(view, filter_, sort)], view, visitor)

    if (filter_, sort) != (GameFilter(), None):  # there are too many choices to keep
        return answer(request, await run.look(read))
    return answer(request, await run.made(("games", visitor), read))


@router.get("/runs/{name}/games/{game}", response_model=GameData)
async def game(request: Request, name: Name, game: str, visitor: Asking) -> Response:
    """One game that has ended."""
    return answer(request, await game_of(find(request, name), game, visitor))


@router.get("/runs/{name}/players", response_model=list[NamedPlayer])
async def players(request: Request, name: Name, visitor: Asking) -> Response:
    """Its players, with their figures and faults."""

    def read(view: RunView) -> CachedAnswer:
        found = run_data(view, audience(visitor, view.config))
        named = zip(found.players, found.figures, strict=True)
        shown = [NamedPlayer(name=name, **dict(each)) for name, each in named]
        return _json(shown, view, visitor)

    return answer(request, await find(request, name).made(("players", visitor), read))


def _json(value: object, view: RunView, visitor: Visitor) -> CachedAnswer:
    return cached(without_folders(to_json(value).decode(), *hidden(visitor, view.config)), JSON)


def _seen(view: RunView, visitor: Visitor) -> Seen:
    return Seen(view.config, audience(visitor, view.config))


def _shown(row: GameRow, seen: Seen) -> GameRow:
    """The row with the part of its ending that this visitor may read."""
    return row.model_copy(update={"detail": seen.detail(row.detail, row.ending, row.forfeited_by)})
