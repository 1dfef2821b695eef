"""Near the clock: answers within a long and a short limit, from the first move on."""

from __future__ import annotations

from arena.checks.dialogue import Dialogue, Offence
from arena.checks.positions import golden
from arena.checks.result import Finding, not_judged, passed
from arena.checks.subject import ANSWERED, Subject
from arena.checks.table import Table
from arena.model.protocol import Clock, Termination, Turn
from rules.position import Game

_TURNS = 2
_LOAD_EARLIER = (
    "Load and prepare when `start` comes, before `ready`, not at the first `turn`: "
    "only the first move was late, the next was in time."
)


def near_the_clock(subject: Subject) -> Finding:
    """Whether it answers in time: in its first rule set at the long limit, in all at the short."""
    boards = list(subject.first_boards.items())
    plan = [(*boards[0], subject.limits.move_ms)]
    plan += [(name, game, subject.limits.short_ms) for name, game in boards]
    slowest: dict[int, float] = {}
    for board, game, limit_ms in plan:
        middle = golden(game)[len(golden(game)) // 2]
        for table in (_opening(game), Table(middle.position, middle.moves, middle.seat, seed=1)):
            used: list[float] = []
            with subject.process() as dialogue:
                try:
                    _play(dialogue, table, limit_ms, used)
                except Offence as offence:
                    if offence.termination not in ANSWERED:
                        first = not used and _was_only_the_first(dialogue, game, offence, limit_ms)
                        where = f"{board} at {limit_ms} ms a move"
                        return subject.failed(offence, where, _LOAD_EARLIER if first else None)
            if used:
                slowest[limit_ms] = max(slowest.get(limit_ms, 0.0), *used)
    if len(slowest) < 2:
        return not_judged("it gave no answer whose time could be taken; item 6 says why")
    return passed(", ".join(f"{used:.0f} ms of {limit}" for limit, used in slowest.items()))


def _play(dialogue: Dialogue, table: Table, limit_ms: int, used: list[float]) -> None:
    """A start and some moves, whose times go into `used`. Raises Offence."""
    dialogue.start(table, Clock(move_ms=limit_ms))
    for _ in range(_TURNS):
        if not table.is_over:
            answered = dialogue.ask(table, limit_ms)
            used.append(answered.used_ms)
            table.play(answered.move.move)


def _was_only_the_first(dialogue: Dialogue, game: Game, offence: Offence, limit_ms: int) -> bool:
    """Whether a program whose first move came late is in time when asked once more."""
    if offence.belated is None or offence.belated.closed or not isinstance(offence.asked, Turn):
        return False
    table = _opening(game)
    table.play(table.position.legal_moves()[0])
    try:
        dialogue.ask(table, limit_ms)
    except Offence as again:
        return again.termination is not Termination.TIMEOUT
    return True


def _opening(game: Game) -> Table:
    return Table(game.start(1), (), seat=0, seed=1)
