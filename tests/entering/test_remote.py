"""A bot's way into a course by its server: what is sent, and what any answer of it means."""

import io
import tarfile
import time
from collections.abc import Iterator
from contextlib import nullcontext
from http.client import IncompleteRead
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import NamedTuple

import pytest

from arena.checks.events import Entered, Event, Judging, Refused
from arena.entering import remote
from arena.errors import PackageError, SubmissionError

ACCEPTED = Entered(name="ada", rules=None, version="ada@1 (9c0c2c46)", before=None)


class Asked(NamedTuple):
    """A request."""

    path: str
    token: str | None
    last: str | None
    kind: str | None
    body: bytes


class Answer(NamedTuple):
    """The answer to one."""

    body: bytes
    status: int = 200
    location: str | None = None


class Server:
    """It gives these answers, in order, and keeps what is asked and the pauses between."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.answers = [Answer(b'{"id": "c7"}')]
        self.pauses: list[float] = []
        self.url = ""

    def says(self, *events: Event | bytes, status: int = 200) -> None:
        """The events of a check by one connection, each with its number."""
        lines = [
            b"id: %d\r\ndata: %b\r\n\r\n"
            % (number, each if isinstance(each, bytes) else each.model_dump_json().encode())
            for number, each in enumerate(events, 1)
        ]
        self.answers.append(Answer(b": alive\n\n" + b"".join(lines), status))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Server]:
    monkeypatch.setattr(remote, "_TRIES", 5)
    monkeypatch.chdir(tmp_path)
    Path("bot.py").write_text("print()\n")
    made = Server()
    monkeypatch.setattr(time, "sleep", made.pauses.append)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            headers = self.headers
            body = self.rfile.read(int(headers.get("Content-Length") or 0))
            names = ("Authorization", "Last-Event-ID", "Content-Type")
            made.asked.append(Asked(self.path, *map(headers.get, names), body))
            answer = made.answers.pop(0)
            self.send_response(answer.status)
            self.send_header("Content-Length", str(len(answer.body)))
            if answer.location is not None:
                self.send_header("Location", answer.location)
            self.end_headers()
            self.wfile.write(answer.body)

        do_POST = do_GET  # noqa: N815 (named by http.server)

        def log_message(self, *_: object) -> None:
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        thread = Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        made.url = f"http://127.0.0.1:{listening.server_port}"
        yield made
        listening.shutdown()
        thread.join()


def send(server: Server, at: str = "", token: str | None = "t0ken") -> tuple[Entered, list[Event]]:
    events: list[Event] = []
    return remote.send(Path("bot.py"), f"{server.url}{at}", token, events.append), events


def refusal(server: Server, at: str = "", token: str | None = "t0ken") -> str:
    with pytest.raises(SubmissionError) as refused:
        send(server, at, token)
    return str(refused.value)


@pytest.mark.parametrize("at", ["", "/course/"])
def test_a_bot_is_sent_and_its_check_followed(server: Server, at: str) -> None:
    server.says(Judging(what="1"), Judging(what="2"), ACCEPTED)
    assert send(server, at, " t0ken\r\n") == (ACCEPTED, [Judging(what="1"), Judging(what="2")])
    place = f"{at.rstrip('/')}/api/submissions"
    whose, kind = "Bearer t0ken", "application/octet-stream"
    assert server.asked == [
        Asked(f"{place}?name=bot.py", whose, "0", kind, b"print()\n"),
        Asked(f"{place}/c7/live", whose, "0", None, b""),
    ]


def test_a_check_is_followed_on_where_the_connection_ended(server: Server) -> None:
    """Also while the server is started again behind its proxy."""
    server.says(Judging(what="1"))
    server.says(status=502)
    server.says()
    server.says(Judging(what="2"), ACCEPTED)
    assert send(server) == (ACCEPTED, [Judging(what="1"), Judging(what="2")])
    assert [each.last for each in server.asked] == ["0", "0", "1", "1", "1"]
    assert server.pauses == [1, 1, 1]


@pytest.mark.parametrize("error", [ConnectionResetError(), IncompleteRead(b"")])
def test_a_check_is_followed_past_a_connection_that_breaks(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def broken() -> Iterator[bytes]:
        yield b"id: 1\n"
        yield b"data: one\n"
        raise error

    answers = [broken(), iter([b"data: two\n"])]
    monkeypatch.setattr(time, "sleep", lambda _: None)
    monkeypatch.setattr(remote._Server, "ask", lambda *_, last: nullcontext(answers.pop(0)))
    events = remote._Server("http://head", "t0ken").events("c7")
    assert [next(events), next(events)] == [b"one", b"two"]


def test_a_check_that_cannot_be_followed_goes_on_there(server: Server) -> None:
    for _ in range(5):
        server.says(Judging(what="1"))
    lost = f"the connection to {server.url}/ is lost; the check continues there, on {server.url}/me"
    assert refusal(server, "/") == lost
    assert server.pauses == [1] * 5


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (Answer(b'{"detail": "no owner"}', 401), "{host}: no owner"),
        (Answer(b'{"detail": "busy"}', 503), "{host}: busy"),
        (
            Answer(b"", 302, "http://127.0.0.1:1/x"),
            "{url}/api/submissions is now http://127.0.0.1:1/x; use that address",
        ),
        (Answer(b"oh", 500), "{url}/api/submissions answers 500, and is not a course of `arena"),
        (Answer(b"{}", 404), "{url}/api/submissions answers 404, and is not a course of `arena"),
        (Answer(b"[]", 404), "{url}/api/submissions answers 404, and is not a course of `arena"),
        (Answer(b"oh"), "{url} is not a course of `arena serve`; check the address"),
        (Answer(b"{}"), "{url} is not a course of `arena serve`; check the address"),
        (Answer(b"[]"), "{url} is not a course of `arena serve`; check the address"),
    ],
)
def test_answers_to_a_bot_that_are_no_check(server: Server, answer: Answer, expected: str) -> None:
    server.answers = [answer]
    host = server.url.removeprefix("http://")
    assert refusal(server).startswith(expected.format(url=server.url, host=host))


@pytest.mark.parametrize(
    ("to", "why"),
    [
        ("http://127.0.0.1:1", "Connection refused"),
        ("http://", "no host given"),
        ("http://[::1", "Invalid IPv6 URL"),
        ("http://127.0.0.1:x", "nonnumeric port: 'x'"),
        ("https:{there}", "the server there speaks http, not https"),
    ],
)
def test_a_server_that_cannot_be_reached(server: Server, to: str, why: str) -> None:
    to = to.format(there=server.url.removeprefix("http:"))
    with pytest.raises(SubmissionError) as refused:
        remote.send(Path("bot.py"), to, "t0ken", lambda _: None)
    assert str(refused.value) == f"{to.rstrip('/')}/api/submissions cannot be reached: {why}"


def test_answers_in_a_check_that_end_it(server: Server) -> None:
    whole = server.answers[0]
    server.says(Judging(what="1"), Refused(sentence="too late"))
    assert refusal(server) == "too late"
    server.answers.append(whole)
    server.says(b'{"event": "danced"}')
    assert refusal(server) == f"{server.url} speaks a newer protocol; update this arena"
    server.answers.append(whole)
    server.says(status=404)
    assert "answers 404" in refusal(server)


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        (None, "is a server: say whose bot it is, with --token TOKEN or in ARENA_TOKEN"),
        (" \r\n", "is a server: say whose bot it is"),
        ("a b", "the token has a space or another character that no token has; copy it again"),
        ("a\u00e4", "the token has a space or another character"),
    ],
)
def test_a_token_that_cannot_be_one_is_not_sent(
    server: Server, token: str | None, expected: str
) -> None:
    assert expected in refusal(server, token=token)
    assert not server.asked


@pytest.mark.parametrize(
    ("to", "server"),
    [
        ("https://arena.example", True),
        ("HTTP://127.0.0.1:8123/x", True),
        ("submissions", False),
        ("../a:b", False),
        ("./head:8123", False),
        ("cup:2026-spring", False),
    ],
)
def test_servers_are_named_by_their_scheme(to: str, server: bool) -> None:
    assert remote.is_url(to) is server


@pytest.mark.parametrize(
    ("to", "why"),
    [
        ("ftp://arena.example", "bots are sent by http:// or https://"),
        ("arena.example:8123/x", "write http://arena.example:8123/x for a server, or ./arena"),
        ("[::1]:80", "write http://[::1]:80 for a server"),
    ],
)
def test_other_addresses_are_refused(to: str, why: str) -> None:
    with pytest.raises(SubmissionError) as refused:
        remote.is_url(to)
    assert why in str(refused.value)


def test_options_that_a_server_decides_are_refused_even_where_they_are_empty() -> None:
    remote.refuse_given({"--as": None, "--sandbox": None})
    with pytest.raises(SubmissionError, match="--as: the server decides this itself"):
        remote.refuse_given({"--sandbox": None, "--as": ""})


def test_a_folder_is_sent_as_an_archive_of_its_files(tmp_path: Path) -> None:
    fox = tmp_path / "fox"
    (fox / "lib").mkdir(parents=True)
    for file in ("bot.toml", "lib/deep.py"):
        (fox / file).write_text(file)
    name, contents = remote.packed(fox)
    with tarfile.open(fileobj=io.BytesIO(contents)) as archive:
        assert (name, sorted(archive.getnames())) == ("fox.tar.gz", ["bot.toml", "lib/deep.py"])


def test_here_is_named_by_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fox").mkdir()
    monkeypatch.chdir(tmp_path / "fox")
    assert remote.packed(Path())[0] == "fox.tar.gz"


def test_a_file_that_is_too_large_is_not_sent(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "MAX_BYTES", 8)
    server.says(ACCEPTED)
    assert send(server) == (ACCEPTED, []), "it has 8 bytes"
    monkeypatch.setattr(remote, "MAX_BYTES", 7)
    with pytest.raises(PackageError, match="has more than 10 MB packed"):
        send(server)
    monkeypatch.setattr(remote, "MAX_BYTES", 2)
    assert remote.packed(Path("bot.py")) == ("bot.py", b"pri"), "no more is read of it"


def test_what_cannot_be_read_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").symlink_to("b.py")
    with pytest.raises(PackageError, match=r"a\.py: cannot be read: No such file or directory"):
        remote.packed(Path("a.py"))
    with pytest.raises(PackageError, match=r"b\.py: no such file"):
        remote.packed(Path("b.py"))
