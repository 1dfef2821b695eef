"""A line for each run: those played now first, then the last changed."""

from datetime import datetime
from functools import partial

from starlette.concurrency import run_in_threadpool

from arena.errors import StoreError
from arena.files.plain_text import printable
from arena.model import Frozen
from arena.reports.html.folders import without_folders
from arena.tournament.config import TournamentConfig
from arena.tournament.formats.base import Schedule
from arena.tournament.run_view import RunView
from arena.tournament.store import Store
from arena.web.runs import Runs, ShownRun


class RunSummary(Frozen):
    """A run."""

    name: str
    """Of its file, and in its addresses."""
    title: str
    """The tournament's own name."""
    game: str = ""
    """In words, as `cornerless Othello`; this and what follows is empty where `problem` is not."""
    format: str = ""
    bots: int = 0
    played: int
    """Games that have a result."""
    planned: int = 0
    """Games in the whole schedule."""
    at_most: bool = False
    """Whether results decide how many of them are played."""
    is_played: bool = False
    """Whether a process plays it now."""
    in_play: tuple[tuple[str, ...], ...] = ()
    """The players of each game that is being played, by seat."""
    changed_at: datetime
    problem: str | None = None
    """Why the run cannot be read; null where it can."""


async def summaries(runs: Runs) -> list[RunSummary]:
    """The runs that are played now, then the others, what changed last first."""
    named = [await _named(runs, name) for name in runs.names()]
    return sorted(named, key=lambda each: (each.is_played, each.changed_at), reverse=True)


async def _named(runs: Runs, name: str) -> RunSummary:
    try:
        return await summary(runs[name])
    except StoreError as error:  # it is frozen, and cannot be copied
        return _unreadable(ShownRun(runs.folder / f"{name}.sqlite"), error)


async def summary(run: ShownRun) -> RunSummary:
    return await run.once("summary", run.state(), partial(_make, run))


async def _make(run: ShownRun) -> RunSummary:
    try:
        if run.is_played:
            return await run.look(partial(_in_play, run))
        return await run_in_threadpool(_at_rest, run)
    except StoreError as error:
        return _unreadable(run, error)


def _unreadable(run: ShownRun, error: StoreError) -> RunSummary:
    why, changed = without_folders(str(error), run.path.parent), run.changed_at
    return RunSummary(name=run.name, title=run.name, played=0, changed_at=changed, problem=why)


def _in_play(run: ShownRun, view: RunView) -> RunSummary:
    games = tuple(game.started.players for game in view.playing.values())
    of_its_games = _of_games(run, view.config, view.schedule, len(view.games))
    return of_its_games.model_copy(update={"is_played": True, "in_play": games})


def _at_rest(run: ShownRun) -> RunSummary:
    """Without reading its games; where results decide how many there are, by their digests."""
    with Store.open(run.path) as store:
        return _of_games(run, store.config, store.schedule(), len(store.finished()))


def _of_games(
    run: ShownRun, config: TournamentConfig, schedule: Schedule, played: int
) -> RunSummary:
    over = not config.is_fixed and schedule.over
    return RunSummary(
        name=run.name,
        title=printable(config.name),
        game=config.terms.game.title,
        format=config.format,
        bots=sum(player.name not in config.unrated for player in config.players),
        played=played,
        planned=played if over else max(schedule.total, played),  # some may be of bots that left
        at_most=not config.is_fixed and not over,
        changed_at=run.changed_at,
    )
