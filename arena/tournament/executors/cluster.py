"""A Dask cluster to play on: found by its address, or started here; and its workers."""

import asyncio
import logging
import os
import re
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from ipaddress import ip_address
from itertools import pairwise
from pathlib import Path
from ssl import SSLError
from tempfile import TemporaryDirectory
from threading import Event

import dask
from distributed import Client, LocalCluster
from distributed.comm import connect
from distributed.security import Security
from distributed.utils import silence_logging_cmgr

from arena.errors import ExecutorError, UserError
from arena.files.console import PlainConsole
from arena.files.imports import module_command
from arena.files.toml_tables import Finding
from arena.sandbox import leftovers
from arena.sandbox.features import usable_cores
from arena.tournament.config import TournamentConfig
from arena.tournament.config_tables import ClusterTable
from arena.tournament.executors import local
from arena.tournament.executors.base import Capacity, Demand, Executor, OpenExecutor
from arena.tournament.executors.dask import DaskExecutor
from arena.tournament.executors.places import cores_of, workers_of

_CONNECT_S = 15
_ANSWER_S = 20
"""To connect, and for the first words of the scheduler."""
_START_S = 120.0
_JOIN_S = 600.0
_FORMS = "tls://HOST:PORT, tcp://HOST:PORT, or local:N for N workers on this machine"
LOGS = {"distributed.admin.low-level-log-length": 20}
"""Messages kept of each connection: 1,000 by default, of 9 KB each where they are games."""
_PAGES = "127.0.0.1:0"
"""Where Dask's own pages are: they have no login, so this machine alone reaches them."""
_DEATH_S = 60
"""A worker that does not reach the scheduler for that long ends itself."""
_TLS_OPTIONS = {
    "--tls-ca-file": "tls_ca_file",
    "--tls-cert": "tls_worker_cert",
    "--tls-key": "tls_worker_key",
}
"""The certificates among the options of `dask worker`, by their names in Dask's settings."""


@contextmanager
def cluster(
    on: str | Client, table: ClusterTable, folder: Path
) -> Iterator[tuple[Capacity, OpenExecutor, Client, Callable[[], None]]]:
    """The capacity of a cluster, the function that opens it for a run, its client, and the function
    that has the opening given up. `on` is an address, `local:N`, or a client that is connected.
    Paths of the table are relative to `folder`. Raises UserError and ExecutorError.
    """
    given_up = Event()
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
            _await_workers(client, int(started[1]))
        else:
            # The run itself says in a sentence that the scheduler is lost.
            stack.enter_context(silence_logging_cmgr(logging.CRITICAL))
            client = stack.enter_context(connected(on, table, folder))

        def open_executor(config: TournamentConfig, masked: tuple[str, ...]) -> Executor:
            return DaskExecutor(
                client, config, masked,
                same_kind=table.same_kind, here=here, given_up=given_up.is_set,
            )  # fmt: skip

        yield partial(_fit, client), open_executor, client, given_up.set


def connected(address: str, table: ClusterTable, folder: Path) -> Client:
    """Raises UserError and ExecutorError."""
    refuse_open(address, insecure=table.insecure)
    files = {
        "tls_ca_file": table.ca_file,
        "tls_client_cert": table.cert_file,
        "tls_client_key": table.key_file,
    }
    security = _security({name: str(folder / path) for name, path in files.items() if path})
    try:
        # Client waits without end for a port that is open and says nothing. In a thread: where a
        # notebook calls us, a loop runs in this one.
        with ThreadPoolExecutor(1) as thread:
            greeting = _greet(address, security or Security(), "client")
            thread.submit(asyncio.run, greeting).result()
        return Client(address, security=security, timeout=_CONNECT_S)
    except TypeError:  # of Dask, for tls:// without certificates
        raise UserError(
            f"{address} needs certificates: give ca_file, cert_file and key_file in [cluster], or "
            "set them in Dask's configuration"
        ) from None
    except (OSError, RuntimeError, ValueError) as error:
        raise _unreachable(address, error) from None


def _unreachable(address: str, error: BaseException) -> ExecutorError:
    error = _origin(error)
    reason = str(error).partition("\n")[0] or f"no answer within {_ANSWER_S} s"
    remedy = "Is `dask scheduler` running there, and is tcp:// or tls:// as it says itself?"
    if isinstance(error, SSLError):
        remedy = (
            "Does the scheduler say tls:// itself, is the certificate of each in the other's CA "
            "file, and are their dates and the clocks of both machines right?"
        )
    return ExecutorError(f"no scheduler can be reached at {address}: {reason}. {remedy}")


def _origin(error: BaseException) -> BaseException:
    """The error under those of Dask, which say that it timed out or does not match."""
    while isinstance(error.__cause__, OSError) and str(error.__cause__):
        error = error.__cause__
    return error


def await_scheduler(address: str, options: Sequence[str]) -> None:
    """Return once a scheduler answers at the address, and takes the certificates that the options
    of `dask worker` name. Raises UserError and ExecutorError.
    """
    named = values_of(options)
    security = _security({to: named[word] for word, to in _TLS_OPTIONS.items() if word in named})
    give_up = time.monotonic() + _DEATH_S
    while True:
        try:
            asyncio.run(_greet(address, security or Security(), "worker"))
        except TypeError:  # as above
            raise UserError(
                f"{address} needs certificates: add --tls-ca-file, --tls-cert and --tls-key, or "
                "set them in Dask's configuration"
            ) from None
        except (OSError, RuntimeError, ValueError) as error:
            # RuntimeError: TLS is asked for, not tls://; ValueError: no machine can have the name
            at_once = isinstance(_origin(error), SSLError | RuntimeError | ValueError)
            if at_once or time.monotonic() > give_up:
                raise _unreachable(address, error) from None
            time.sleep(0.2)
        else:
            return


def values_of(options: Sequence[str]) -> dict[str, str]:
    """The value of each option of `dask worker`, given as one word or two."""
    return dict(pairwise(word for each in options for word in each.split("=", 1)))


async def _greet(address: str, security: Security, role: str) -> None:
    """Connect once, as a worker or client does. Raises OSError, TypeError for tls:// without
    certificates, and RuntimeError for tcp:// with some.
    """
    arguments = security.get_connection_args(role)
    async with asyncio.timeout(_ANSWER_S):
        comm = await connect(address, timeout=_CONNECT_S, **arguments)
    await comm.close()


def refuse_open(address: str, *, insecure: bool) -> None:
    """Raise UserError where it is no address, or anyone on the way could read and send."""
    match = re.fullmatch(r"(tcp|tls)://(.+):(\d+)/?", address)
    if not match:
        raise UserError(f"{address!r} is not a cluster; give {_FORMS}")
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
    except (OSError, UnicodeError):  # no machine has the name, or can have it
        return False


def _security(files: Mapping[str, str]) -> Security | None:
    """These certificates; without any, None leaves them to Dask's own settings."""
    for path in files.values():
        if not os.access(path, os.R_OK):
            raise UserError(f"{path} cannot be read; it is needed for TLS")
    return Security(require_encryption=True, **files) if files else None


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
        "--no-dashboard", "--dashboard-address", _PAGES, "--death-timeout", str(_DEATH_S),
        "--preload", "arena.tournament.executors.steady",
        "--preload-nanny", "arena.tournament.executors.hangup", *more,
    )  # fmt: skip


def _await_workers(client: Client, count: int) -> None:
    """Return once the workers of this machine have started. Dask's own function goes by the wall
    clock, which may be set meanwhile. Raises ExecutorError.
    """
    until = time.monotonic() + _START_S
    while (there := len(workers_of(client))) < count:
        if time.monotonic() > until:
            raise ExecutorError(
                f"local:{count}: {there} of {count} workers started within {_START_S / 60:.0f} "
                "minutes. End other programs that load this machine, or start fewer workers."
            )
        time.sleep(0.1)


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
        folder = stack.enter_context(TemporaryDirectory(prefix=leftovers.prefix()))
        # Dask's own is the same for all users, and modules are imported from there.
        with dask.config.set({"temporary-directory": folder}):
            try:
                cluster = LocalCluster(
                    n_workers=0, host="127.0.0.1", protocol="tls://", security=security,
                    dashboard_address=_PAGES, silence_logs=50,
                )  # fmt: skip
            except RuntimeError as error:
                raise ExecutorError(
                    f"local:{workers}: no scheduler can be started here: {_origin(error)}. It "
                    "needs the network 127.0.0.1 (`ip link set lo up`); without it leave `on` out."
                ) from None
        head = stack.enter_context(cluster)
        place = ("--local-directory", folder, "--host", "127.0.0.1")
        certificates = tls_options(security, folder)
        command = worker_command(
            head.scheduler_address, cores, *place, *certificates, shared=shared
        )
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


def tls_options(security: Security, folder: str) -> Iterator[str]:
    """Keep a worker's certificates in a folder of ours; the options that name them."""
    for option, name in _TLS_OPTIONS.items():
        file = Path(folder, f"{name}.pem")
        file.write_text(getattr(security, name))
        yield f"{option}={file}"


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
