"""The news of a run since the last look, as messages for its pages.

    started   GameRunning: a game began
    moves     {game, ply, moves}: these moves in place of those from that ply on
    finished  {row, moves}: a game has its result; a value of each of GameColumns, and all its
              moves, unless there are very many
    void      {game, detail}
    sections  {id: HTML}: elements to put in place of those with the same ids
    over      the run has ended, or was stopped
    reset     load the page again: what it knows is too old

A game's moves are all that is sent of it before it ends: what players say of them is theirs.
"""

import json
import time
from collections.abc import Iterator
from typing import Any

from arena.model.protocol import Termination
from arena.ratings.results import GameDigest
from arena.reports.html.audience import PUBLIC, Seen
from arena.reports.html.data import columns, running
from arena.reports.html.model import GameColumns
from arena.reports.html.overview import Look
from arena.reports.html.pages import sections
from arena.tournament import events
from arena.tournament.run_view import RunView

Message = tuple[str, str]
"""The name of an event, and its data as JSON."""
RESET: Message = ("reset", "{}")
_SECTIONS = {("facts", "standings"): 0.3, ("rounds", "crosstable", "reach"): 2.0}
"""The sections of a page that change, and the least seconds before the next change: the second are
long where there are many players. Faults are not among them: who may read a player's stderr sees
more of them.
"""
_SHORT = 500
"""Plies of a game whose moves are sent again with its result: the last may not have been sent."""
_SHARE = 5
"""Sections take a fifth of the time at most."""


def _stops_or_begins(event: events.Event) -> bool:
    """Whether a run begins, or is paused: games in play are gone, and it may go on."""
    ended = isinstance(event, events.RunFinished) and event.outcome.interrupted
    return ended or isinstance(event, events.RunStarted)


class News:
    """The news of a run, as far as its pages have them."""

    def __init__(self) -> None:
        self._games: int | None = None
        self._label = ""
        self._stale = set[str]()
        self._not_before = dict.fromkeys(_SECTIONS, 0.0)
        self._last = dict[str, str]()

    def since(self, view: RunView, news: list[events.Event]) -> list[Message]:
        """The messages of these events, and of the games that have a result since the last call;
        none at the first.
        """
        known, self._games = self._games, len(view.games)
        label, self._label = self._label, view.label
        if known is None:
            return []
        replaced = label != view.label or known > self._games
        if replaced or any(map(_stops_or_begins, news)):
            return [RESET]
        seen = Seen(view.config, PUBLIC)
        messages = [_finished(view, game, seen) for game in view.games[known:]]
        messages += [_void(event, seen) for event in news if isinstance(event, events.GameVoid)]
        over = any(isinstance(event, events.RunFinished) for event in news)
        if messages or over:
            self._stale.update(*_SECTIONS)
        messages += _in_play(view, news, seen)
        messages += self._sections(view, at_once=over)
        return [*messages, ("over", "{}")] if over else messages

    def _sections(self, view: RunView, *, at_once: bool) -> Iterator[Message]:
        """The sections that have changed on the page, unless they were made just now."""
        if view.is_late:
            return
        for names, least_s in _SECTIONS.items():
            began = time.monotonic()
            if self._stale.isdisjoint(names) or (began < self._not_before[names] and not at_once):
                continue
            fresh = sections(Look.at(view, PUBLIC), names)
            changed = {name: html for name, html in fresh.items() if html != self._last.get(name)}
            self._last |= changed
            self._stale.difference_update(names)
            self._not_before[names] = began + max(least_s, _SHARE * (time.monotonic() - began))
            if changed:
                yield "sections", json.dumps(changed)


def _in_play(view: RunView, news: list[events.Event], seen: Seen) -> Iterator[Message]:
    """Games that began or went on, each once, and still are played."""
    changed = dict[str, int | None]()
    for event in news:
        if isinstance(event, events.GameStarted):
            changed[event.game] = None
        elif isinstance(event, events.MovesPlayed):
            ply = changed.get(event.game, event.ply)
            changed[event.game] = ply if ply is None else min(ply, event.ply)
    for game, ply in changed.items():
        playing = view.playing.get(game)
        if playing is None:
            continue
        if ply is None:
            yield "started", running(playing, view.config, seen).model_dump_json()
        else:
            yield "moves", json.dumps({"game": game, "ply": ply, "moves": playing.moves[ply:]})


def _finished(view: RunView, game: GameDigest, seen: Seen) -> Message:
    found: dict[str, Any] = columns([game], seen).model_dump()
    row = {name: found[name][0] for name in GameColumns.model_fields}
    return "finished", json.dumps({"row": row, "moves": _moves(view, game)})


def _moves(view: RunView, game: GameDigest) -> list[str]:
    """The moves of a game that ended, for its last board; none where there are very many."""
    record = view.intact_record(game.game) if game.plies <= _SHORT else None
    return [move.move for move in record.moves] if record else []


def _void(event: events.GameVoid, seen: Seen) -> Message:
    detail = seen.detail(event.detail, Termination.VOID, None)
    return "void", json.dumps({"game": event.game, "detail": detail})
