"""The games that an owner's bots lost, over all runs of a course."""

from contextlib import suppress
from functools import partial
from typing import NamedTuple

from arena.errors import StoreError
from arena.model.protocol import Termination
from arena.reports.games import GameRow, seen_by_each
from arena.reports.html.wording import ending_word, line_of
from arena.reports.submissions import owners
from arena.tournament.run_view import RunView
from arena.web.runs import Runs, ShownRun

_EACH, _MOST = 25, 50
"""Losses shown of a run, and of all."""


class Loss(NamedTuple):
    """A lost game."""

    run: str
    """The run's name in addresses."""
    tournament: str
    game: str
    plies: int
    """Where the game's page begins: at its end."""
    bot: str
    against: str
    side: str
    score: str
    """The bot's own first."""
    ending: str
    """In words."""
    detail: str
    """The referee's sentence on a fault; empty where the score says it all."""
    stderr: str
    """The first line that the bot wrote there; empty without one."""
    started_at: str


async def losses(runs: Runs, owner: str) -> list[Loss]:
    """The newest first; runs that cannot be read are left out."""
    found = list[Loss]()
    for name in runs.names():
        try:
            run = runs[name]
            found += await run.made(("losses", owner), partial(_of_run, run, owner))
        except StoreError:
            continue
    return sorted(found, key=lambda loss: loss.started_at, reverse=True)[:_MOST]


def _of_run(run: ShownRun, owner: str, view: RunView) -> list[Loss]:
    own = {name for name, whose in owners(view.config).items() if whose == owner}
    lost = list[GameRow]()
    for game in reversed(view.games) if own else ():
        if own.intersection(game.players):
            seen = (row for row in seen_by_each(game) if row.player in own)
            lost += [row for row in seen if row.result == "lost" or row.forfeited_by == row.player]
        if len(lost) >= _EACH:
            break
    return [_loss(run, view, row) for row in lost]


def _loss(run: ShownRun, view: RunView, row: GameRow) -> Loss:
    record = None
    with suppress(StoreError):  # a damaged record; the row has the rest
        record = view.record(row.game)
    return Loss(
        run=run.name,
        tournament=view.config.name,
        game=row.game,
        plies=row.plies,
        bot=row.player,
        against=", ".join(row.opponents),
        side="first" if row.seat == 0 else "second",
        score="–".join(map(str, (row.score, *row.opponent_scores))),
        ending=ending_word(row.ending),
        detail="" if row.ending is Termination.NATURAL else row.detail,
        stderr=line_of(record.seats[row.seat].stderr_head, 200) if record else "",
        started_at=record.started_at if record else "",
    )
