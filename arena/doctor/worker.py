"""`arena worker`: a Dask worker that says what its machine is and holds, and then plays games."""

import os
import re
import sys
from collections.abc import Sequence

from distributed.utils import get_ip_interface

from arena.errors import SandboxError, UserError
from arena.files.console import PlainConsole
from arena.model.contender import Prepared
from arena.reports.words import holding
from arena.sandbox import leftovers
from arena.sandbox.features import this_host, usable_cores
from arena.sandbox.probe import resolve
from arena.tournament.executors import cluster

_ENCRYPTED = ("tls://", "wss://")


def become_worker(
    address: str, cores: int | None, more: Sequence[str], *, insecure: bool, shared: bool
) -> None:
    """Be a worker of the scheduler at the address in place of this process; `more` is for Dask.
    Raises UserError, and ExecutorError where no scheduler takes it.
    """
    cluster.refuse_open(address, insecure=insecure)
    listens = _listens(address, more)
    for option, at in listens.items():
        is_closed = at.startswith(_ENCRYPTED) or cluster.is_loopback(at)
        if not (is_closed or insecure):
            raise UserError(
                f"{option}: {at} is not encrypted: all who reach it can run programs on this "
                "machine. Use TLS (tls://), name 127.0.0.1 where a tunnel ends here, or say "
                "--insecure, for a network that nobody else is on"
            )
    host, there = this_host(), len(usable_cores())
    if cores is not None and cores > there:
        raise UserError(f"--cores: {host.name} has {there}, got {cores}; give fewer")
    say = PlainConsole(stderr=True).print
    say(f"{host.name}: {cores or there} cores of {host.cpu}, arena {host.arena}", soft_wrap=True)
    say(_held(), soft_wrap=True)
    say(f"Joining {address}", soft_wrap=True)
    cluster.await_scheduler(address, more)
    if cluster.is_loopback(address) and not listens:
        more = ("--host", "127.0.0.1", *more)  # else others reach it by the network
    if "--local-directory" not in cluster.values_of(more):
        # Dask's own is the same for all users, and modules are imported from there. A later arena
        # removes this one.
        more = ("--local-directory", leftovers.private_folder(), *more)
    command = cluster.worker_command(address, cores or there, *more, shared=shared)
    os.execv(sys.executable, command)


def _listens(address: str, more: Sequence[str]) -> dict[str, str]:
    """The addresses at which options of Dask have the worker of a scheduler listen."""
    named, found = cluster.values_of(more), dict[str, str]()
    protocol = named.get("--protocol", address).partition("://")[0]
    if card := named.get("--interface"):
        found["--interface"] = f"{protocol}://{_address_of(card)}:0"
    elif host := named.get("--host"):
        found["--host"] = f"{protocol}://{host.rpartition('://')[2]}:0"  # as Dask takes it
    elif "--protocol" in named and not cluster.is_loopback(address):
        found["--protocol"] = f"{protocol}://0.0.0.0:0"  # all addresses, where none is named
    if at := named.get("--listen-address"):
        whole = at if "://" in at else f"tcp://{at}"  # as Dask takes it
        found["--listen-address"] = whole if re.search(r":\d+$", whole) else f"{whole}:0"
    return found


def _address_of(card: str) -> str:
    """The address of this machine at a network interface."""
    try:
        return str(get_ip_interface(card))
    except ValueError as error:  # which lists those there are
        raise UserError(f"--interface: {error}") from None


def _held() -> str:
    try:
        held = resolve("auto", Prepared(name="worker", command=(sys.executable,)))
    except SandboxError as error:
        return f"No sandbox: {error}"
    notes = " ".join(held.notes)
    return f"Sandbox {held.mode}: holds {holding(held) or 'nothing'}. {notes}".rstrip()
