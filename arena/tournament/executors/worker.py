"""A worker process: plays one game after the other for the run that started it.

    python -m arena.tournament.executors.worker SOCKET PARENT CORES KEEP_ALIVE

Over the socket come tasks (JSON); back go messages, told apart by their first byte (see the
constants). When the socket closes the worker ends; when the run dies it is sent SIGTERM by the
system. In either case its players end with it.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
from multiprocessing.connection import Connection
from types import FrameType

from arena.referee import SessionPool, play_game
from arena.sandbox.processes import become_subreaper, die_with_parent, kill_children
from arena.tournament.executors.base import Task

READY, PLIES, RECORD, FAILED = b"+", b"p", b"r", b"x"
"""The worker is up · plies played so far · the game's record · the referee failed: why."""

_PROGRESS_S = 0.25


def main(arguments: list[str]) -> None:
    """Serve until the socket closes."""
    descriptor, parent, cores, keep_alive = arguments
    signal.signal(signal.SIGTERM, _end)
    # A handler, not SIG_IGN: what is ignored here would be ignored by the players too.
    signal.signal(signal.SIGINT, _not_now)
    become_subreaper()
    die_with_parent(int(parent))
    ours = tuple(int(core) for core in cores.split(","))
    os.sched_setaffinity(0, ours)
    os.set_inheritable(int(descriptor), False)
    connection = Connection(int(descriptor))
    connection.send_bytes(READY)
    with SessionPool(keep_alive=keep_alive == "keep_alive", cores=ours) as pool:
        while True:
            try:
                task = Task.model_validate_json(connection.recv_bytes())
            except EOFError:
                break
            connection.send_bytes(_play(task, pool, connection))
    kill_children()


def _play(task: Task, pool: SessionPool, connection: Connection) -> bytes:
    last = time.monotonic()

    def on_ply(plies: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= _PROGRESS_S:
            last = now
            connection.send_bytes(PLIES + b"%d" % plies)

    try:
        record = play_game(task.spec, pool, attempt=task.attempt, on_ply=on_ply)
    except Exception:  # the referee's fault: this game is void, the next may go well
        return FAILED + traceback.format_exc().encode()
    return RECORD + record.model_dump_json().encode("utf-8")


def _end(number: int, frame: FrameType | None) -> None:
    """Runs in the thread that also starts players, so that none is started meanwhile."""
    kill_children()
    os._exit(128 + number)


def _not_now(number: int, frame: FrameType | None) -> None:
    """Ctrl-C goes to the run, which tells us."""


if __name__ == "__main__":
    main(sys.argv[1:])
