"""`arena worker`: a Dask worker that says what its machine is and holds, and then plays games."""

import os
import sys
from collections.abc import Sequence

from arena.errors import SandboxError, UserError
from arena.files.console import PlainConsole
from arena.model.contender import Prepared
from arena.reports.words import holding
from arena.sandbox.features import this_host, usable_cores
from arena.sandbox.probe import resolve
from arena.tournament.executors import cluster


def become_worker(
    address: str, cores: int | None, more: Sequence[str], *, insecure: bool, shared: bool
) -> None:
    """Be a worker of the scheduler at the address in place of this process; `more` is for Dask.
    Raises UserError, and ExecutorError where no scheduler takes it.
    """
    cluster.refuse_open(address, insecure=insecure)
    host, there = this_host(), len(usable_cores())
    if cores is not None and cores > there:
        raise UserError(f"--cores: {cores} were asked for, and {host.name} has {there}")
    say = PlainConsole(stderr=True).print
    say(f"{host.name}: {cores or there} cores of {host.cpu}, arena {host.arena}", soft_wrap=True)
    say(_held(), soft_wrap=True)
    say(f"Joining {address}", soft_wrap=True)
    cluster.await_scheduler(address, more)
    named = {word.partition("=")[0] for word in more}
    if cluster.is_loopback(address) and not named & {"--host", "--listen-address"}:
        more = ("--host", "127.0.0.1", *more)  # else others reach it by the network
    command = cluster.worker_command(address, cores or there, *more, shared=shared)
    os.execv(sys.executable, command)


def _held() -> str:
    try:
        held = resolve("auto", Prepared(name="worker", command=(sys.executable,)))
    except SandboxError as error:
        return f"No sandbox: {error}"
    notes = " ".join(held.notes)
    return f"Sandbox {held.mode}: holds {holding(held) or 'nothing'}. {notes}".rstrip()
