"""A Dask cluster to play on: found by its address, or started here; and its workers."""

import logging
import os
import re
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from tempfile import TemporaryDirectory

import dask
from distributed import Client, LocalCluster
from distributed.security import Security
from distributed.utils import silence_logging_cmgr

from arena.errors import ExecutorError, UserError
from arena.files.console import PlainConsole
from arena.files.imports import module_command
from arena.files.toml_tables import Finding
from arena.sandbox.features import usable_cores
from arena.tournament.config import TournamentConfig
from arena.tournament.config_tables import ClusterTable
from arena.tournament.executors import local
from arena.tournament.executors.base import Capacity, Demand, Executor, OpenExecutor
from arena.tournament.executors.dask import DaskExecutor
from arena.tournament.executors.places import cores_of, workers_of

_CONNECT_S = 15
_START_S = 120.0
_JOIN_S = 600.0
_FORMS = "tls://HOST:PORT, tcp://HOST:PORT, or local:N for N workers on this machine"
LOGS = {"distributed.admin.low-level-log-length": 20}
"""Messages kept of each connection: 1,000 by default, of 9 KB each where they are games."""
_PAGES = "127.0.0.1:0"
"""Where Dask's own pages are: they have no login, so this machine alone reaches them."""
_DEATH_S = 60
"""A worker that does not reach the scheduler for that long ends itself."""


@contextmanager
def cluster(
    on: str | Client, table: ClusterTable, folder: Path
) -> Iterator[tuple[Capacity, OpenExecutor, Client]]:
    """The capacity of a cluster, the function that opens it for a run, and its client. `on` is an
    address, `local:N`, or a client that is connected. Paths of the table are relative to `folder`.
    Raises UserError and ExecutorError.
    """
    with dask.config.set(LOGS), ExitStack() as stack:
        here = False
        if isinstance(on, Client):
            client = on
        elif not isinstance(on, str):
            raise UserError(f"on: must be an address, local:N or a distributed.Client, got {on!r}")
        elif started := re.fullmatch(r"local:([1-9]\d*)", on):
            here = True
            security = Security.temporary()
            address = stack.enter_context(_started(int(started[1]), security))
            client = stack.enter_context(Client(address, security=security, timeout=_CONNECT_S))
            client.wait_for_workers(int(started[1]), timeout=_START_S)
        else:
            # The run itself says in a sentence that the scheduler is lost.
            stack.enter_context(silence_logging_cmgr(logging.CRITICAL))
            client = stack.enter_context(_connected(on, table, folder))

        def open_executor(config: TournamentConfig, masked: tuple[str, ...]) -> Executor:
            files = masked if here else ()
            return DaskExecutor(client, config, files, same_kind=table.same_kind, here=here)

        yield partial(_fit, client), open_executor, client


def _connected(address: str, table: ClusterTable, folder: Path) -> Client:
    """Raises UserError and ExecutorError."""
    refuse_open(address, insecure=table.insecure)
    try:
        return Client(address, security=_security(table, folder), timeout=_CONNECT_S)
    except TypeError:  # of Dask, for tls:// without certificates
        raise UserError(
            f"{address} needs certificates: give ca_file, cert_file and key_file in [cluster], or "
            "set them in Dask's configuration"
        ) from None
    except (OSError, RuntimeError, ValueError) as error:
        raise _unreachable(address, error) from None


def _unreachable(address: str, error: Exception) -> ExecutorError:
    reason = str(error).partition("\n")[0] or type(error).__name__
    return ExecutorError(
        f"no scheduler can be reached at {address}: {reason}. Is `dask scheduler` running "
        "there, and is tcp:// or tls:// as it says itself?"
    )


def await_scheduler(address: str) -> None:
    """Return once something listens at the address. Raises ExecutorError."""
    host, _, port = address.partition("://")[2].rstrip("/").rpartition(":")
    give_up = time.monotonic() + _DEATH_S
    while True:
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=_CONNECT_S).close()
        except OSError as error:
            if time.monotonic() > give_up:
                raise _unreachable(address, error) from None
            time.sleep(0.2)
        else:
            return


def refuse_open(address: str, *, insecure: bool) -> None:
    """Raise UserError where it is no address, or anyone on the way could read and send."""
    match = re.fullmatch(r"(tcp|tls)://(.+):(\d+)/?", address)
    if not match:
        raise UserError(f"{address!r} is no cluster; give {_FORMS}")
    if match[1] == "tcp" and not insecure and not is_loopback(address):
        raise UserError(
            f"{address} is not encrypted: all who reach it can run programs on all machines. Use "
            "TLS (tls://), or say --insecure, or insecure = true in [cluster], for a network that "
            "nobody else is on"
        )


def is_loopback(address: str) -> bool:
    """Whether a scheduler's address is one of this machine alone."""
    host = address.partition("://")[2].rpartition(":")[0].strip("[]")
    try:
        return all(ip_address(found[4][0]).is_loopback for found in socket.getaddrinfo(host, None))
    except OSError:
        return False


def _security(table: ClusterTable, folder: Path) -> Security | None:
    """The certificates of the table; None leaves them to Dask's own settings."""
    files = {
        "tls_ca_file": table.ca_file,
        "tls_client_cert": table.cert_file,
        "tls_client_key": table.key_file,
    }
    paths = {name: str(folder / path) for name, path in files.items() if path is not None}
    for path in paths.values():
        if not os.access(path, os.R_OK):
            raise UserError(f"[cluster]: {path} cannot be read; it is needed for TLS")
    return Security(require_encryption=True, **paths) if paths else None


def _fit(client: Client, demand: Demand) -> tuple[int, Sequence[Finding]]:
    """The games that the present machines can play at a time; `concurrency` is for one machine."""
    cores = _cores_there(client)
    _, findings = local.fit(demand._replace(concurrency=None), max(cores))
    return max(1, sum(each // demand.a_game for each in cores)), findings


def _cores_there(client: Client) -> list[int]:
    """The cores of each worker, once there is one. Raises ExecutorError."""
    began, is_noted = time.monotonic(), False
    while time.monotonic() < began + _JOIN_S:
        if found := workers_of(client).values():
            return list(map(cores_of, found))
        if not is_noted and time.monotonic() > began + 2:
            address = client.scheduler.address
            how = f"start one with: arena worker {address}"
            say = PlainConsole(stderr=True).print
            say(f"No machine has joined {address}; {how}", soft_wrap=True)
            is_noted = True
        time.sleep(0.1)
    raise ExecutorError(f"no machine joined the cluster within {_JOIN_S / 60:.0f} minutes")


def worker_command(address: str, cores: int, *more: str, shared: bool = False) -> tuple[str, ...]:
    """The command line of a Dask worker that plays games on that many cores."""
    resources = f"cores={cores}" + (" shared=1" if shared else "")
    return module_command(
        "distributed.cli.dask_worker", address,
        "--nworkers", "1", "--nthreads", str(cores), "--resources", resources,
        "--no-dashboard", "--dashboard-address", _PAGES, "--death-timeout", str(_DEATH_S), *more,
    )  # fmt: skip


@contextmanager
def _started(workers: int, security: Security) -> Iterator[str]:
    """The address of a scheduler in this process, with workers on this machine. Their certificate
    keeps out others who can log in here, and would run programs as us.
    """
    there = len(usable_cores())
    cores, shared = max(1, there // workers), workers > there
    if shared:
        warning = (
            f"{workers} workers share {there} cores: players lack some of the time they are given."
        )
        PlainConsole(stderr=True).print(warning, soft_wrap=True)
    with ExitStack() as stack:
        cluster = LocalCluster(
            n_workers=0, host="127.0.0.1", protocol="tls://", security=security,
            dashboard_address=_PAGES, silence_logs=50,
        )  # fmt: skip
        head = stack.enter_context(cluster)
        folder = stack.enter_context(TemporaryDirectory(prefix="arena-cluster-"))
        place = (
            "--local-directory",
            folder,
            "--host",
            "127.0.0.1",
            *_tls_options(security, folder),
        )
        command = worker_command(head.scheduler_address, cores, *place, shared=shared)
        for _ in range(workers):
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                process_group=0,  # Ctrl-C in the terminal reaches the run alone
            )
            stack.callback(_end, process)
        yield str(head.scheduler_address)


def _tls_options(security: Security, folder: str) -> Iterator[str]:
    """Keep a worker's certificates in a folder of ours; the options that name them."""
    for option, name in (("ca-file", "ca_file"), ("cert", "worker_cert"), ("key", "worker_key")):
        file = Path(folder, f"{option}.pem")
        file.write_text(getattr(security, f"tls_{name}"))
        yield from (f"--tls-{option}", str(file))


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
