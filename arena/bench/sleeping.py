"""Machines that only sleep for the time of a game: what a cluster's head and scheduler cost is seen
with many of them in one process.

    python -m arena.bench.sleeping ADDRESS FOLDER WORKERS
"""

import asyncio
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from random import Random
from typing import Any

import dask
from distributed import Worker, get_worker

from arena.model.game_spec import GameSpec
from arena.model.protocol import Termination
from arena.model.record import GameRecord, Host, PlayedMove, SeatRecord
from arena.sandbox.features import this_host
from arena.tournament.executors.base import Task
from arena.tournament.executors.machine import Admission, AdmissionRequest

PLIES = 40
_SPREAD = 0.5
_MOVES = tuple(PlayedMove(seat=n % 2, move="d3", used_ms=1.0) for n in range(PLIES))
_QUIET = {
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "1h",
    "distributed.worker.profile.enabled": False,
}
"""Each machine would else look at this process many times a second."""


def time_of(spec: GameSpec) -> float:
    """How long a game takes, by its seed: about as long as the clock gives a move, in seconds."""
    about = (spec.terms.clock.move_ms or 0) / 1000
    return about * Random(spec.seed).lognormvariate(0.0, _SPREAD)


def admit(entry: str) -> str:
    """As `machine.admit`: ready for every tournament."""
    asked = AdmissionRequest.model_validate_json(entry)
    return Admission(host=_host(), games=asked.cores).model_dump_json()


async def answer(what: Callable[..., Any], label: str, key: str, *arguments: object) -> None:
    """As `machine.answer`, without a thread for each machine."""
    get_worker().log_event(label, {"asked": key, "said": what(*arguments)})


async def play(task: str, label: str, number: int, *, moves: bool) -> None:
    """As `machine.play`, by sleeping: with as many moves as a real game, and an end by the seed."""
    read = Task.model_validate_json(task)
    worker, spec, won = get_worker(), read.spec, float(read.spec.seed % 2)
    began = datetime.now(UTC)
    await asyncio.sleep(time_of(spec))
    took = datetime.now(UTC) - began
    record = GameRecord(
        **spec.model_dump(exclude={"players"}),
        attempt=read.attempt,
        seats=tuple(SeatRecord(player=player.name) for player in spec.players),
        moves=_MOVES,
        final_state={},
        termination=Termination.NATURAL,
        detail="",
        offender=None,
        scores=(int(won), int(1 - won)),
        points=(won, 1 - won),
        started_at=began.isoformat(),
        duration_ms=1000 * took.total_seconds(),
        host=_host(worker.address),
    )
    worker.log_event(label, {"number": number, "record": record.model_dump_json()})


async def leave(label: str) -> None:
    """As `machine.leave`."""


@cache
def _host(name: str = "") -> Host:
    return this_host().model_copy(update={"name": name})


async def _serve(address: str, folder: str, workers: int) -> None:
    """Be that many machines of one core until the scheduler is gone."""
    settings = {"nthreads": 1, "memory_limit": 0, "dashboard": False, "local_directory": folder}
    made = [Worker(address, **settings) for _ in range(workers)]
    await asyncio.gather(*made)
    await asyncio.gather(*(worker.finished() for worker in made))


if __name__ == "__main__":
    dask.config.set(_QUIET)
    asyncio.run(_serve(sys.argv[1], sys.argv[2], int(sys.argv[3])))
