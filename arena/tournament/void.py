"""The record of a game whose worker left none."""

from __future__ import annotations

from datetime import UTC, datetime

import rules
from arena.model.game_spec import GameSpec
from arena.model.protocol import Termination
from arena.model.record import GameRecord, SeatRecord
from arena.model.seeds import first_position
from arena.sandbox.host import this_host


def void_record(spec: GameSpec, attempt: int, reason: str) -> GameRecord:
    """A void attempt without moves; `reason` becomes its detail."""
    start = first_position(rules.load(spec.rules, **spec.variant), spec.seed)
    return GameRecord(
        game=spec.game,
        attempt=attempt,
        round=spec.round,
        pair=spec.pair,
        rules=spec.rules,
        variant=spec.variant,
        seats=tuple(
            SeatRecord(player=player.name, command=player.command) for player in spec.players
        ),
        opening=spec.opening,
        seed=spec.seed,
        clock=spec.clock,
        startup_ms=spec.startup_ms,
        grace_ms=spec.grace_ms,
        on_fault=spec.on_fault,
        moves=(),
        final_state=start.state(),
        termination=Termination.VOID,
        detail=reason,
        offender=None,
        scores=start.scores(),
        points=(),
        started_at=datetime.now(UTC).isoformat(timespec="milliseconds"),
        duration_ms=0.0,
        host=this_host(),
    )
