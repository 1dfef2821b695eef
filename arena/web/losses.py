"""The games that an owner's bots lost, in the last runs of a course."""

import re
from collections import defaultdict
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from arena.errors import StoreError
from arena.model.protocol import Termination
from arena.model.record import STDERR_FOLLOWS
from arena.reports.games import GameRow, seen_by_each
from arena.reports.html.folders import bot_folders, without_folders
from arena.reports.html.wording import ending_word, line_of
from arena.reports.submissions import owners
from arena.tournament.run_view import RunView
from arena.web.runs import Runs, ShownRun

_EACH, _MOST, _LINKED = 25, 50, 3
"""Losses shown of a run, and of all; games of equal faults that are linked."""
LAST = 7
"""Runs that are looked at, which can all stay open: a term of nights is not read for each visit."""
_PLACE = re.compile(r"[\w-]+\.\w+(?:\", line |:)\d+")
"""A place in a program, as Python, JavaScript, Java or Rust name it in an error."""
_LONGEST = 200
"""Characters shown of a line of stderr."""


class Loss(NamedTuple):
    """A lost game, or all of a run that one bot lost by equal faults: then the last of them."""

    run: str
    """The run's name in addresses."""
    tournament: str
    many: int
    """How many games."""
    games: list[tuple[str, int]]
    """The last of them, with their plies: a page begins at the game's end."""
    is_fault: bool
    """Whether the bot broke the contract: then it has something to fix."""
    bot: str
    against: str
    side: str
    score: str
    """The bot's own first."""
    ending: str
    """In words."""
    detail: str
    """The referee's sentence on a fault; empty where the game was lost by its score."""
    stderr: str
    """The end of what it wrote there, where it exited; else the error or its last line."""
    started_at: str


async def losses(runs: Runs, owner: str) -> list[Loss]:
    """Faults first, then the newest; runs that cannot be read are left out."""
    losses, found = list[Loss](), list[ShownRun]()
    for name in runs.names():
        with suppress(StoreError):  # it is frozen, and cannot be copied
            found.append(runs[name])
    last = sorted(found, key=lambda run: (run.is_played, run.changed_at), reverse=True)[:LAST]
    for run in last:
        with suppress(StoreError):
            losses += await run.made(("losses", owner), partial(_of_run, run, owner))
    return sorted(losses, key=lambda loss: (loss.is_fault, loss.started_at), reverse=True)[:_MOST]


def _of_run(run: ShownRun, owner: str, view: RunView) -> list[Loss]:
    own = {name for name, whose in owners(view.config).items() if whose == owner}
    lost = defaultdict[tuple[str, ...], list[GameRow]](list)
    for game in reversed(view.games) if own else ():
        for row in seen_by_each(game) if own.intersection(game.players) else ():
            is_fault = row.forfeited_by == row.player
            if row.player in own and row.result == "lost":
                lost[row.player, row.ending, _place(row) if is_fault else row.game].append(row)
    faults_first = sorted(lost.values(), key=lambda rows: rows[0].forfeited_by != rows[0].player)
    return [_loss(run, view, rows) for rows in faults_first[:_EACH]]


def _place(row: GameRow) -> str:
    """The last place in its program that a fault's stderr names; empty where it names none."""
    places = _PLACE.findall(row.detail.partition(STDERR_FOLLOWS)[2])
    return places[-1] if places else ""


def _loss(run: ShownRun, view: RunView, rows: list[GameRow]) -> Loss:
    row, record = rows[0], view.intact_record(rows[0].game)
    detail, _, end = row.detail.partition(STDERR_FOLLOWS)
    seat = record and record.seats[row.seat]
    stderr = end or (line_of(seat.stderr, _LONGEST) if seat else "")
    folders = bot_folders(view.config)
    return Loss(
        run=run.name,
        tournament=view.config.name,
        many=len(rows),
        games=[(each.game, each.plies) for each in rows[:_LINKED]],
        is_fault=row.forfeited_by == row.player,
        bot=row.player,
        against=", ".join(row.opponents),
        side="first" if row.seat == 0 else "second",
        score="–".join(map(str, (row.score, *row.opponent_scores))),
        ending=ending_word(row.ending),
        detail="" if row.ending is Termination.NATURAL else without_folders(detail, *folders),
        stderr=without_folders(stderr, *folders)[:_LONGEST],
        started_at=record.started_at if record else "",
    )
