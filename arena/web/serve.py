"""The process of the pages: its socket, its end, and the cores it leaves to those who play."""

import asyncio
import ctypes
import logging
import os
import re
import resource
import signal
import socket
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from errno import EACCES, EADDRINUSE
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

import httptools
import uvicorn
from fastapi import FastAPI
from starlette.middleware.trustedhost import TrustedHostMiddleware
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from arena.bots.course_file import CHALLENGES, RUNS, rules_to_serve
from arena.bots.programs import nearest_to
from arena.entering.remote import MAX_BYTES
from arena.errors import UserError
from arena.files.cache import CACHE_VARIABLE, cache_root
from arena.files.rights import is_read_only, user_name
from arena.files.stop_signals import handled
from arena.web.app import make_app
from arena.web.safe import ascii_address
from arena.web.sessions import FOLDER
from arena.web.state import CourseState, ServerSettings
from arena.web.tournament_process import cores

_M_TRIM_THRESHOLD, _M_ARENA_MAX = -1, -8  # of malloc.h
WAIT_S = 10.0
"""How long the head of a request may take to come, and then the next piece of its body."""
MOST_HEAD_BYTES, MOST_WAITING = 1 << 16, 1000
"""The most of a request's head, apart from one read of it, and the requests of a connection that
may wait for an answer.
"""
_SITE = re.compile(r"https?://([\w-]{1,63}(\.[\w-]{1,63})*|\[[0-9a-fA-F:]+\])(:\d{1,5})?/?")
_NICE = 10
"""Niceness of a server that starts no tournaments."""


class PromptProtocol(HttpToolsProtocol):
    """HTTP that ends a connection on which a request does not come in time, and all of its answers
    with it: uvicorn ends that of the last request alone. It keeps no head and no trailers of
    endless size, and no endless row of requests.
    """

    _head_bytes = 0
    """The bytes since the last head, piece of a body or end of a request."""
    _timer: asyncio.TimerHandle | None = None
    _earlier: deque[RequestResponseCycle]
    """Those before the last that may be answered still, in their order."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self._earlier = deque()
        self._wait()

    def data_received(self, data: bytes) -> None:
        self._head_bytes += len(data)
        super().data_received(data)
        if self._head_bytes > MOST_HEAD_BYTES:
            self.send_400_response("The head of this request is too large.")
        has_head = self.cycle is not None and not self.cycle.response_complete
        if has_head:
            self._stop_waiting()
        if not has_head or self.cycle.more_body:
            self._wait()

    def on_headers_complete(self) -> None:
        self._head_bytes = 0
        if len(self.pipeline) >= MOST_WAITING:
            raise httptools.HttpParserError("too many requests wait")
        if self.cycle is not None:
            self._earlier.append(self.cycle)
        while self._earlier and self._earlier[0].response_complete:
            self._earlier.popleft()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._head_bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._head_bytes = 0
        super().on_message_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        for one in self._earlier:
            one.disconnected = True
            one.message_event.set()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(WAIT_S, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class Server(uvicorn.Server):
    """A server that reports when it is ready, and ends at once."""

    def __init__(self, config: uvicorn.Config, app: FastAPI, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._app, self._ready = app, ready

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Have SIGHUP end it too, as SIGINT and SIGTERM do."""
        with handled(signal.SIGHUP, by=self.handle_exit), super().capture_signals():
            yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            with suppress(OSError):  # the disk of its output is full: the pages matter more
                self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._app.state.hubs.end()  # no page that listens keeps it
        self._app.state.tables.end()
        await super().shutdown(sockets)


def settings(course: Path | None, runs: Path | None, public_url: str | None) -> ServerSettings:
    """The settings of a server. Raises ArenaError."""
    if course is not None:
        rules_to_serve(course)
    if public_url is not None:
        _refuse_address(public_url)
    shown = runs or (course or Path()) / "runs"
    if shown.exists() and not shown.is_dir():
        raise UserError(f"--runs: {shown} is a file; name the folder of the runs")
    if runs is not None and not runs.exists():
        near = nearest_to(runs.absolute())
        raise UserError(f"--runs: there is no folder {runs}{near or '; make it, or name another'}")
    return ServerSettings(
        runs=shown.absolute(),
        course=course and course.absolute(),
        public_url=public_url and public_url.rstrip("/"),
        secure=bool(public_url) and urlsplit(public_url).scheme == "https",
    )


def _refuse_address(url: str) -> None:
    """Raise UserError where a public address is none, or has a path: links of pages have none."""
    if not url.startswith(("https://", "http://")):
        raise UserError(f"--public-url: must begin with https:// or http://, got {url}")
    try:
        is_name = bool(_SITE.fullmatch(url) and ascii_address(url))
    except UnicodeError:
        is_name = False
    if not is_name:
        raise UserError(
            f"--public-url: must be a name alone, as https://arena.example.org, got {url}; the "
            "pages cannot be in a folder of another site"
        )


def serve(
    settings: ServerSettings, host: str, port: int, *, insecure: bool, say: Callable[[str], None]
) -> None:
    """Serve until Ctrl-C. Raises UserError."""
    _refuse_unsafe(settings, host, insecure=insecure)
    if settings.course is not None:
        _refuse_unusable(settings.course)
    listening = _bound(host, port)
    address = settings.public_url or f"http://{_in_url(host)}:{listening.getsockname()[1]}"
    os.sched_setaffinity(0, cores().rest)  # threads that are there already would not follow
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # each connection takes a file
    app = make_app(settings)  # which gives half of the files to live pages
    course: CourseState | None = app.state.course
    if course is not None:
        course.scheduler.hold()
    if _is_loopback(host) and settings.public_url is None:  # no other name leads here by chance
        app.add_middleware(TrustedHostMiddleware, allowed_hosts=["localhost", _in_url(host)])

    def ready() -> None:
        say(f"{address}/")
        if course is not None:
            token = course.people.staff_token
            say(f"For the staff, until this server ends: {address}/in/{token}")
            mb, most = course.rules.now().quota.size_mb, MAX_BYTES / 1e6
            if mb > most:
                say(f"size_mb = {mb:g} in course.toml: a server takes {most:g} MB at most, packed.")

    _spare_memory()
    logging.getLogger("python_multipart").setLevel(logging.ERROR)  # else a line a damaged form
    if course is None:
        os.nice(_NICE)
    config = uvicorn.Config(
        app,
        http=PromptProtocol,
        log_level="error",
        access_log=False,
        proxy_headers=settings.public_url is not None,
        server_header=False,
        timeout_graceful_shutdown=1,
    )
    server = Server(config, app, ready)
    with suppress(KeyboardInterrupt):
        with suppress(SystemExit):  # how uvicorn ends a start that failed, in later versions
            server.run([listening])
        if not server.started:
            raise UserError("The server could not start; the reason is above.")


def _spare_memory() -> None:
    """Let glibc's threads share a heap and give back its spare: each would keep a large run's."""
    with suppress(AttributeError):  # another C library
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_M_ARENA_MAX, 1)
        mallopt(_M_TRIM_THRESHOLD, 1 << 16)


def _refuse_unsafe(settings: ServerSettings, host: str, *, insecure: bool) -> None:
    if not _is_loopback(host) and not settings.secure and not insecure:
        raise UserError(
            f"--host {host}: browsers of other machines would send what they know, and get what "
            "they see, over plain HTTP. Put Caddy or nginx in front of this server, leave --host "
            "out and give --public-url https://NAME. Or give --insecure, in a network that you "
            "trust."
        )


def _refuse_unusable(course: Path) -> None:
    """Raise UserError where this user cannot keep what a server of the course does: it would show
    in pages that fail, and in bots that are refused.
    """
    for folder in (course, *(course / each for each in (FOLDER, RUNS, CHALLENGES))):
        if folder.exists() and not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
            if is_read_only(folder):
                raise UserError(f"{folder} cannot be written: its file system is read-only")
            user = os.geteuid()
            raise UserError(
                f"{folder} belongs to {user_name(folder.stat().st_uid)}, and cannot be written by "
                f"the user of this server, {user_name(user)}. If the course is this user's: chown "
                f"-R {user} {course}. If it is of a group: chmod -R g+rwX {folder}"
            )
    cache = cache_root()
    try:
        cache.mkdir(parents=True, exist_ok=True)
        is_usable = os.access(cache, os.W_OK | os.X_OK)
    except OSError:
        is_usable = False
    if not is_usable:
        raise UserError(
            f"The cache {cache} cannot be written, and bots are unpacked there: name another "
            f"folder in {CACHE_VARIABLE}."
        )


def _is_loopback(host: str) -> bool:
    with suppress(ValueError):
        return ip_address(host).is_loopback
    return host == "localhost"


def _in_url(host: str) -> str:
    """The host of an address; the name of this machine where it stands for all of its addresses."""
    if host in ("0.0.0.0", "::"):
        return socket.gethostname()
    return f"[{host}]" if ":" in host else host


def _bound(host: str, port: int) -> socket.socket:
    """A socket that waits for browsers. Raises UserError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        if error.errno == EADDRINUSE:
            raise UserError(
                f"--port {port}: another program has it; choose another, or 0 for any that is free"
            ) from None
        what = f"--port {port}" if error.errno == EACCES else f"--host {host}"
        raise UserError(f"{what}: {str(error.strerror).partition(' (')[0]}") from None
