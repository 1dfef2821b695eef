"""`arena serve`: its address, what it refuses to do, and its end."""

import asyncio
import os
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import psutil
import pytest
import uvicorn
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle
from uvicorn.server import ServerState

from arena.bots import course
from arena.errors import ConfigError, UserError
from arena.web.checks import HandedIn
from arena.web.jobs import ABOUT
from arena.web.serve import MOST_WAITING, PromptProtocol, serve, settings
from arena.web.tournament_process import cores
from tests.right_bot import RIGHT
from tests.web.conftest import wait_for
from tests.web.test_upload import process_of

ARENA = (sys.executable, "-m", "arena", "serve", "--port", "0")


@contextmanager
def served(*arguments: str, cwd: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server of its own process, and its address."""
    with subprocess.Popen(
        (*ARENA, *arguments), cwd=cwd, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as server:
        assert server.stdout is not None
        try:
            yield server, server.stdout.readline().strip()
        finally:
            server.kill()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_ctrl_c_and_its_like_end_it_at_once(number: signal.Signals, cup: Path) -> None:
    with served(cwd=cup.parents[1]) as (server, address):
        assert "cup" in httpx.get(address).text
        with httpx.stream("GET", f"{address}t/cup/live", timeout=30) as live:
            assert next(live.iter_raw())
            server.send_signal(number)
            output, _ = server.communicate(timeout=30)
    assert (server.returncode, output) == (0, "")


@pytest.mark.slow
def test_it_serves_where_its_output_is_on_a_full_disk(cup: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    with Path("/dev/full").open("w") as full:
        server = subprocess.Popen((*ARENA[:-1], port), cwd=cup.parents[1], stdout=full, stderr=full)

    def answers() -> bool:
        with suppress(httpx.ConnectError):
            return "cup" in httpx.get(f"http://127.0.0.1:{port}").text
        assert server.poll() is None
        return False

    try:
        wait_for(answers)
    finally:
        server.kill()
        server.wait()


def test_a_damaged_form_is_not_in_the_log_and_other_names_do_not_lead_here(runs: Path) -> None:
    multipart = {"Content-Type": "multipart/form-data; boundary=b"}
    with served(cwd=runs.parent) as (server, address):
        assert httpx.get(address, headers={"Host": "evil.example"}).status_code == 400
        answer = httpx.post(f"{address}play", content="%", headers=multipart)
        server.send_signal(signal.SIGINT)
        output, _ = server.communicate(timeout=30)
    assert (answer.status_code, output) == (400, "")


@pytest.mark.slow
def test_the_address_for_other_machines_leads_to_this_one(cup: Path) -> None:
    with served("--host", "0.0.0.0", "--insecure", cwd=cup.parents[1]) as (_, address):
        assert urlsplit(address).hostname == socket.gethostname().lower()


@pytest.mark.slow
def test_live_pages_have_half_of_the_files_that_the_server_may_open(
    cup: Path, request: pytest.FixtureRequest
) -> None:
    """Of those that it asks for at its start: a terminal has a tenth of them at first, or less."""
    first, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    request.addfinalizer(partial(resource.setrlimit, resource.RLIMIT_NOFILE, (first, most)))
    resource.setrlimit(resource.RLIMIT_NOFILE, (100, most))
    with served(cwd=cup.parents[1]) as (_, address), httpx.Client() as browser, ExitStack() as all_:
        resource.setrlimit(resource.RLIMIT_NOFILE, (first, most))
        for _ in range(51):
            live = all_.enter_context(browser.stream("GET", f"{address}t/cup/live"))
            assert live.status_code == 200


def test_a_port_in_use(runs: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(UserError, match=f"--port {port}: another program has it; choose"):
            serve(settings(None, runs, None), "127.0.0.1", port, insecure=False, say=print)


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "::"])
def test_other_machines_are_let_in_on_purpose_alone(runs: Path, host: str) -> None:
    with pytest.raises(UserError, match="over plain HTTP"):
        serve(settings(None, runs, None), host, 0, insecure=False, say=print)


def test_a_host_that_is_not_ours(runs: Path) -> None:
    with pytest.raises(UserError, match=r"^--host 192\.0\.2\.1: Cannot assign"):
        serve(settings(None, runs, None), "192.0.2.1", 0, insecure=True, say=print)


def test_an_address_behind_tls_is_secure(runs: Path) -> None:
    found = settings(None, runs, "https://arena.example.org/")
    assert (found.secure, found.public_url) == (True, "https://arena.example.org")
    with pytest.raises(UserError, match="must begin with https://"):
        settings(None, runs, "arena.example.org")
    settings(None, runs, "http://[::1]:8000")
    for no_site in (
        "https://",
        "https://example.org/arena",
        "https://x.org?a",
        "https://a@x.org",
        "https://x..org",
        f"https://{'ü' * 60}.org",
    ):
        with pytest.raises(UserError, match=r"must be a name alone, .* in a folder of another"):
            settings(None, runs, no_site)


def test_a_course_that_cannot_be_kept_is_not_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one that was restored for another user, and a server whose user has no home."""
    course.init(tmp_path / "course")
    of_root = tmp_path / "course" / "runs"
    found = settings(tmp_path / "course", None, None)
    with monkeypatch.context() as patch:
        patch.setattr(os, "access", lambda path, _: path != of_root)
        with pytest.raises(
            UserError, match=r"course/runs belongs to .*cannot be .*: chown -R \d+ /"
        ):
            serve(found, "127.0.0.1", 0, insecure=False, say=print)
    (tmp_path / "file").touch()
    monkeypatch.setenv("ARENA_CACHE_DIR", str(tmp_path / "file" / "cache"))
    with pytest.raises(UserError, match=r"file/cache cannot be written, .* in ARENA_CACHE_DIR"):
        serve(found, "127.0.0.1", 0, insecure=False, say=print)


def test_a_course_that_is_the_current_folder_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    course.init(tmp_path / "othello")
    monkeypatch.chdir(tmp_path / "othello")
    found = settings(Path(), None, None)
    assert (found.course, found.runs) == (Path.cwd(), Path.cwd() / "runs")


def test_a_standing_tournament_that_is_not_there_is_named(tmp_path: Path) -> None:
    course.init(tmp_path / "course")
    rules = tmp_path / "course/course.toml"
    rules.write_text('standing = ["laddr"]\n')
    with pytest.raises(ConfigError, match=r'toml:1: standing: no tournament "laddr" .*"ladder"'):
        settings(tmp_path / "course", None, None)
    rules.write_text("deadline = \n")
    with pytest.raises(ConfigError, match=r"course/course\.toml:1: not"):
        settings(tmp_path / "course", None, None)
    rules.write_text('standing = ["ladder"]\n')
    settings(tmp_path / "course", None, None)


@pytest.mark.slow
def test_a_quota_beyond_what_a_server_takes_is_reported(tmp_path: Path) -> None:
    course.init(tmp_path / "course")
    (tmp_path / "course/course.toml").write_text("[quota]\nsize_mb = 25\n")
    with served("course", cwd=tmp_path) as (server, _):
        assert server.stdout is not None
        _, told = server.stdout.readline(), server.stdout.readline()
    assert told == "size_mb = 25 in course.toml: a server takes 10 MB at most, packed.\n"


@pytest.mark.slow
def test_a_course_with_a_damaged_file_is_not_served(tmp_path: Path) -> None:
    course.init(tmp_path / "course")
    (tmp_path / "course" / "roster.json").write_text("deadline = \n")
    run = subprocess.run(
        [*ARENA, "course"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stdout) == (2, "")
    assert "course/roster.json: not a" in run.stderr


def test_without_the_extra_it_says_what_to_install() -> None:
    code = "import sys; sys.modules['uvicorn'] = None; from arena.cli import app; app()"
    run = subprocess.run(
        [sys.executable, "-c", code, "serve"], capture_output=True, text=True, check=False
    )
    assert run.returncode == 2
    assert "pip install 'bot-arena[web]'" in run.stderr


def test_a_server_that_cannot_start_fails(tmp_path: Path) -> None:
    course.init(tmp_path / "course")
    begin = "from arena.web.jobs import Jobs; Jobs.resume = None; from arena.cli import app; app()"
    run = subprocess.run(
        [sys.executable, "-c", begin, "serve", "course", "--port", "0"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.endswith("The server could not start; the reason is above.\n")


def test_a_check_that_waited_keeps_off_the_cores_that_play(tmp_path: Path) -> None:
    folder, found = tmp_path / "course", list[psutil.Process]()
    course.init(folder)
    job = folder / ".web" / "checks" / "ada" / "20261101-120000-0123456a"
    (job / "upload").mkdir(parents=True)
    (job / "upload" / "bot.py").write_text(RIGHT)
    about = HandedIn(owner="ada", file="bot.py", sent_at=datetime.now(UTC))
    (job / ABOUT).write_text(about.model_dump_json())

    def begun() -> bool:
        found.extend(filter(None, [process_of(job)]))
        return bool(found)

    with served(str(folder), cwd=folder):
        wait_for(begun)
        assert tuple(found[0].cpu_affinity()) == cores().rest
        found[0].kill()


@asynccontextmanager
async def answering(app: Any) -> AsyncIterator[tuple[str, int]]:
    """The address of an application in this loop."""
    config = uvicorn.Config(app, http=PromptProtocol, lifespan="off", log_level="error")
    state = ServerState()
    made = partial(PromptProtocol, config=config, server_state=state, app_state={})
    server = await asyncio.get_running_loop().create_server(made, "127.0.0.1", 0)
    async with server, asyncio.timeout(20):
        yield server.sockets[0].getsockname()


def test_a_connection_without_a_request_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each takes one of the server's files: a thousand of them would keep all others out."""
    monkeypatch.setattr("arena.web.serve.WAIT_S", 0.5)

    async def hello(scope: Any, receive: Any, send: Any) -> None:
        while (await receive()).get("more_body"):
            pass
        await asyncio.sleep(0.7)  # an answer may take longer
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"hello"})

    async def play() -> None:
        async with answering(hello) as address:
            reader, writer = await asyncio.open_connection(*address)
            writer.write(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            assert b"hello" in await reader.readuntil(b"\r\n0\r\n\r\n")
            writer.write(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n")
            for _ in range(4):
                await asyncio.sleep(0.15)
                writer.write(b"x")
            assert b"hello" in await reader.readuntil(b"\r\n0\r\n\r\n")
            head = b"GET / HTTP/1.1\r\nHost: a\r\n"
            for half in (b"GET / HT", b"", head, head + b"Content-Length: 9\r\n\r\nhalf"):
                writer.write(half)
                assert await reader.read() == b""
                writer.close()
                reader, writer = await asyncio.open_connection(*address)
            assert await reader.read() == b""
            writer.close()

    asyncio.run(play())


def test_no_head_is_of_endless_size() -> None:
    """The server kept all of it: in ten seconds half a gigabyte, of trailers without end."""

    async def hello(scope: Any, receive: Any, send: Any) -> None:
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"hello"})

    line, last = b"X: " + b"a" * 60 + b"\r\n", b"\r\n"
    chunked = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"

    async def answer(begin: bytes, piece: bytes, end: bytes, kilobytes: int) -> bytes:
        async with answering(hello) as address:
            reader, writer = await asyncio.open_connection(*address)
            writer.write(begin)
            with suppress(ConnectionError):
                for _ in range(kilobytes * 1000 // len(piece)):
                    writer.write(piece)
                    await writer.drain()
            writer.write(end)
            found = b""
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                found = await reader.readuntil(b"\r\n")
            writer.close()
            return found

    get, body = b"GET / HTTP/1.1\r\n", b"1" + last + b"x" + last
    for each in (
        (get, line, last), (get + b"X:", b"a" * 60, last * 2),
        (b"GET /", b"a" * 60, b" HTTP/1.1\r\n\r\n"),
        (chunked + b"0\r\n", line, last), (chunked + body + b"0\r\n", line, last),
    ):  # fmt: skip
        assert b"200" in asyncio.run(answer(*each, kilobytes=50))
        assert b"200" not in asyncio.run(answer(*each, kilobytes=800))
    assert b"200" in asyncio.run(answer(chunked, body, b"0\r\n\r\n", kilobytes=800))


def test_a_connection_has_no_endless_row_of_requests() -> None:
    """Ten megabytes of them took a gigabyte of memory."""

    async def wait(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        assert (await receive())["type"] == "http.disconnect"

    async def play() -> None:
        async with answering(wait) as address:
            reader, writer = await asyncio.open_connection(*address)
            writer.write(b"GET / HTTP/1.1\r\n\r\n" * (MOST_WAITING + 2))
            assert b" 400 " in await reader.readline()
            writer.close()

    asyncio.run(play())


def test_an_answer_before_others_ends_with_its_connection() -> None:
    async def play() -> None:
        ended = asyncio.Event()

        async def live(scope: Any, receive: Any, send: Any) -> None:
            await receive()
            await send({"type": "http.response.start", "status": 200, "headers": []})

            async def go_on() -> None:
                while True:
                    await send({"type": "http.response.body", "body": b"x", "more_body": True})
                    await asyncio.sleep(0.01)

            going_on = asyncio.create_task(go_on())
            assert (await receive())["type"] == "http.disconnect"
            going_on.cancel()
            ended.set()

        async with answering(live) as address:
            reader, writer = await asyncio.open_connection(*address)
            writer.write(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n" * 2)
            assert await reader.readline()
            writer.close()
            await ended.wait()

    asyncio.run(play())


def test_many_requests_at_once_do_not_keep_the_others_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A quarter of a megabyte of them took four seconds, in which nobody was answered."""
    many, looks = 1000, 0

    def is_complete(cycle: Any) -> bool:
        nonlocal looks
        looks += 1
        return bool(vars(cycle)["complete"])

    watched = property(is_complete, lambda cycle, value: vars(cycle).update(complete=value))
    monkeypatch.setattr(RequestResponseCycle, "response_complete", watched, raising=False)

    async def hello(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"hello"})

    async def play() -> None:
        async with answering(hello) as address:
            reader, writer = await asyncio.open_connection(*address)
            writer.write(b"GET / HTTP/1.1\r\n\r\n" * many)
            for _ in range(many):
                await reader.readuntil(b"hello\r\n0\r\n\r\n")
            writer.close()

    asyncio.run(play())
    assert looks < 20 * many
