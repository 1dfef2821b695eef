"""A worker process: plays one game after the other for the run that started it.

    python -m arena.tournament.executors.worker SOCKET PARENT CORES

Over the socket come a WorkerSetup and then tasks (JSON); back go messages, whose first byte is
their kind. When the socket closes the worker ends, when the run dies it is sent SIGTERM by the
system, and its players end with it.
"""

import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from multiprocessing.connection import Connection
from types import FrameType

from pydantic import Field

from arena.bots.prepare import prepare
from arena.errors import ArenaError
from arena.files.parent import die_with_parent
from arena.model import Frozen
from arena.model.contender import Contender, Home, Prepared
from arena.referee import SessionPool, play_game
from arena.sandbox.processes import become_subreaper, kill_children
from arena.tournament.executors.base import Task
from rules import blame

READY, MOVES, RECORD, FAILED = b"+", b"m", b"r", b"x"
"""The worker is up · a ply and the moves from it on · the game's record · why there is none."""

_MOVES_S = 0.25
"""Moves are sent at most that often."""
_KEPT = 64
"""Contenders that stay prepared; a tuning has ever new ones."""
_LULL_S = 0.2
"""Without a game for that long, the players that are kept are stopped."""


class WorkerSetup(Frozen):
    """The setup of a worker before its first task: facts of its machine, which are in no task."""

    keep_alive: bool | None = False
    """Whether further games are played on the same player process; null: on those of built-ins."""
    idle_bytes: int | None = None
    """The memory that processes kept for further games may hold; null for half of what is free."""
    homes: dict[str, Home] = Field(default_factory=dict)
    """Those of contenders, by name; of the others it knows nothing but what travels."""
    masked: tuple[str, ...] = ()
    """Files that no player may read."""


def main(arguments: list[str]) -> None:
    """Serve until the socket closes."""
    descriptor, parent, cores = arguments
    signal.signal(signal.SIGTERM, _end)
    # A handler, not SIG_IGN: what is ignored here would be ignored by the players too. Ctrl-C goes
    # to the run, which ends us.
    signal.signal(signal.SIGINT, lambda number, frame: None)
    become_subreaper()
    die_with_parent(int(parent))
    ours = tuple(int(core) for core in cores.split(","))
    os.sched_setaffinity(0, ours)
    os.set_inheritable(int(descriptor), False)
    connection = Connection(int(descriptor))
    connection.send_bytes(READY)
    with suppress(EOFError):
        setup = WorkerSetup.model_validate_json(connection.recv_bytes())
        prepared = lru_cache(_KEPT)(partial(_prepared, setup))
        kept = setup.model_dump(include={"keep_alive", "idle_bytes"})
        with SessionPool(**kept, cores=ours) as pool, suppress(EOFError):
            while True:
                if not connection.poll(_LULL_S):
                    pool.rest()
                task = Task.model_validate_json(connection.recv_bytes())
                connection.send_bytes(_play(task, prepared, pool, connection))
    kill_children()


def _prepared(setup: WorkerSetup, contender: str, rule_set: str) -> Prepared:
    """A contender, as JSON, prepared for games of a rule set."""
    one = Contender.model_validate_json(contender)
    return prepare(one, rule_set, setup.homes.get(one.name), masked=setup.masked)


def _play(
    task: Task, prepared: Callable[[str, str], Prepared], pool: SessionPool, connection: Connection
) -> bytes:
    last, sent = time.monotonic(), 0

    def on_move(moves: Sequence[tuple[int, str]]) -> None:
        nonlocal last, sent
        now = time.monotonic()
        if now - last >= _MOVES_S:
            lines = (str(sent), *(move for _, move in moves[sent:]))
            connection.send_bytes(MOVES + "\n".join(lines).encode())
            last, sent = now, len(moves)

    try:
        spec = task.spec
        players = [prepared(each.model_dump_json(), spec.terms.rules) for each in spec.players]
        record = play_game(spec, players, pool, attempt=task.attempt, on_move=on_move)
    except ArenaError as error:  # a contender cannot be prepared here
        return FAILED + f"a player cannot be started: {error}".encode()
    except Exception as error:  # the referee's fault: this game is void, the next may go well
        reason = blame(error) or f"the referee failed: {traceback.format_exc().strip()}"
        return FAILED + reason.encode()
    return RECORD + record.model_dump_json().encode("utf-8")


def _end(number: int, frame: FrameType | None) -> None:
    """Runs in the thread that also starts players, so that none is started meanwhile."""
    kill_children()
    os._exit(128 + number)


if __name__ == "__main__":
    main(sys.argv[1:])
