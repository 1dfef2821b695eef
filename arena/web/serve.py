"""The process of the pages: its socket, its end, and the cores it leaves to those who play."""

import asyncio
import os
import socket
from collections.abc import Callable
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

import uvicorn
from fastapi import FastAPI
from starlette.middleware.trustedhost import TrustedHostMiddleware

from arena.bots.course_file import rules_of
from arena.errors import ArenaError, UserError
from arena.sandbox.features import usable_cores
from arena.web.app import make_app
from arena.web.runs import Runs
from arena.web.settings import Settings

_NICE = 10
_LOOK_S = 2.0
"""How soon the cores of a run that begins are left."""


class _Server(uvicorn.Server):
    """A server that says when it is ready, gives way to players, and ends at once."""

    def __init__(self, config: uvicorn.Config, app: FastAPI, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._app, self._ready = app, ready
        self._way: asyncio.Task[None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._way = asyncio.create_task(_give_way(self._app.state.runs))
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._way is not None:
            self._way.cancel()
        self._app.state.hubs.end()
        await super().shutdown(sockets)


def settings(course: Path | None, runs: Path | None, public_url: str | None) -> Settings:
    """What a server shows. Raises ArenaError."""
    if course is not None:
        rules_of(course)
    if public_url is not None and urlsplit(public_url).scheme not in ("http", "https"):
        raise UserError(f"--public-url: must begin with https:// or http://, got {public_url}")
    return Settings(
        runs=runs or (course or Path()) / "runs",
        course=course,
        public_url=public_url and public_url.rstrip("/"),
        secure=bool(public_url) and urlsplit(public_url).scheme == "https",
    )


def serve(
    settings: Settings, host: str, port: int, *, insecure: bool, say: Callable[[str], None]
) -> None:
    """Serve until Ctrl-C. Raises UserError."""
    _refuse_unsafe(settings, host, insecure=insecure)
    listening = _bound(host, port)
    address = settings.public_url or f"http://{_in_url(host)}:{listening.getsockname()[1]}"
    app = make_app(settings)
    if _is_loopback(host) and settings.public_url is None:  # no other name leads here by chance
        app.add_middleware(TrustedHostMiddleware, allowed_hosts=["localhost", _in_url(host)])

    def ready() -> None:
        say(f"{address}/")
        if settings.course is not None:
            token = app.state.people.staff_token
            say(f"For the staff, until this server ends: {address}/in/{token}")

    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        proxy_headers=settings.public_url is not None,
        server_header=False,
        timeout_graceful_shutdown=1,
    )
    with suppress(KeyboardInterrupt):
        _Server(config, app, ready).run([listening])


def _refuse_unsafe(settings: Settings, host: str, *, insecure: bool) -> None:
    if not _is_loopback(host) and not settings.secure and not insecure:
        raise UserError(
            f"--host {host}: browsers of other machines would send what they know, and get what "
            "they see, over plain HTTP. Put Caddy or nginx in front of this server, leave --host "
            "out and give --public-url https://NAME. Or give --insecure, in a network that you "
            "trust."
        )


def _is_loopback(host: str) -> bool:
    with suppress(ValueError):
        return ip_address(host).is_loopback
    return host == "localhost"


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _bound(host: str, port: int) -> socket.socket:
    """A socket that waits for browsers. Raises UserError."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
    except OSError as error:
        what = f"--port {port}" if isinstance(error, PermissionError) else f"--host {host}"
        hint = "; choose another, or 0 for any that is free"
        if error.errno == 98:
            raise UserError(f"--port {port}: another program has it{hint}") from None
        raise UserError(f"{what}: {error.strerror}") from None
    return listening


async def _give_way(runs: Runs) -> None:
    """Be nice to the players, and keep off their cores while there are others. Threads that are
    there already stay as they are: tournaments are started by them.
    """
    spared = _threads() - {os.getpid()}
    os.setpriority(os.PRIO_PROCESS, 0, _NICE)
    cores, kept = usable_cores(), set[int]()
    while True:
        free = set(cores[await _cores_played_on(runs) :]) or set(cores)
        if free != kept:
            for thread in _threads() - spared:
                with suppress(ProcessLookupError):
                    os.sched_setaffinity(thread, free)
            kept = free
        await asyncio.sleep(_LOOK_S)


def _threads() -> set[int]:
    return {int(task.name) for task in Path("/proc/self/task").iterdir()}


async def _cores_played_on(runs: Runs) -> int:
    """How many of the first cores have games: each run takes them from the first one on."""
    most = 0
    for name in runs.names():
        run = runs[name]
        if run.is_played:
            with suppress(ArenaError):
                config = await run.look(lambda view: view.config)
                most = max(most, config.concurrency * config.threads)
    return most
