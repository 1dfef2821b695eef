"""`arena submit --to URL`: the same as into a folder, by a server."""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from fastapi import FastAPI, HTTPException, Request
from starlette.responses import RedirectResponse, Response
from typer.testing import Result

from arena.bots import course
from arena.bots.package import open_bot
from arena.entering import enter, remote
from arena.web import upload
from tests.command import arena
from tests.right_bot import RIGHT

from . import quick_checker
from .conftest import course_app, serving

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)
BROKEN = RIGHT.replace("        reply =", '        print("thinking")\n        reply =')
Arena = Callable[..., Result]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ARENA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("ARENA_TOKEN", "")
    monkeypatch.setattr(enter, "conditions_of", quick_checker.quick)
    monkeypatch.chdir(tmp_path)
    course.init(tmp_path / "course")
    return tmp_path / "course"


@pytest.fixture
def token(folder: Path) -> str:
    return course.add_owners(folder, ["ada", "bob"], NOW)["ada"]


@pytest.fixture
def app(folder: Path) -> FastAPI:
    return course_app(folder)


@pytest.fixture
def url(app: FastAPI, token: str) -> Iterator[str]:
    with serving(app) as url:
        yield url


def submit(*words: str, code: int = 0) -> Result:
    result = arena("submit", *words)
    assert result.exit_code == code, result.output
    return result


def without_times(expected: str) -> str:
    return re.sub(r"\d[\d.,]* (s|ms|MB)\b", "…", expected)


@pytest.mark.slow
def test_what_is_shown_is_the_same_as_here(url: str, token: str, folder: Path) -> None:
    """Of a folder, which is sent packed, and of a script."""
    course.init(Path("here"))
    course.add_owners(Path("here"), ["ada"], NOW)
    Path("fox").mkdir()
    Path("fox/bot.py").write_text(RIGHT)
    Path("fox/bot.toml").write_text(
        'name = "fox"\nrules = ["dots"]\ncommand = ["python3", "bot.py"]\n'
    )
    Path("bot.py").write_text(BROKEN)
    for bot, code, said in (("fox", 0, "Accepted fox@1 ("), ("bot.py", 1, "4 ✗ clean stdout")):
        sent = submit(bot, "--to", f"{url}/", "--token", f"{token}\r\n", code=code)
        here = submit(bot, "--to", "here", "--as", "ada", code=code)
        assert said in sent.stdout
        assert here.stdout.startswith(sent.stdout) or (
            without_times(here.stdout).startswith(without_times(sent.stdout))
        )
        assert sent.stderr == here.stderr
    (there,), (kept,) = course.bots(folder), course.bots(Path("here"))
    assert there.plays is not None and kept.plays is not None
    assert (there.owner, there.plays.digest) == ("ada", kept.plays.digest)
    assert there.plays.digest == open_bot(Path("fox")).digest


@pytest.mark.slow
def test_refusals_are_sentences(url: str, token: str, folder: Path) -> None:
    Path("bot.py").write_text(RIGHT)
    for words, said in (
        (f"bot.py --to {url}", "say whose bot it is, with --token TOKEN or in ARENA_TOKEN"),
        (f"bot.py --to {url} --token 123", "no owner has this token; ask the staff"),
        (f"bot.py --to {url} --token {token} --as ada", "--as: the server decides this itself"),
        (f"bot.py --to {url} --token {token} --sandbox none", "--sandbox: the server decides"),
        (f"bto.py --to {url} --token {token}", 'no such file; did you mean "bot.py"'),
        (f"bot.py --to {url}/t/cup --token {token}", "is not a course of `arena serve`"),
        (
            f"bot.py --to http://127.0.0.1:1 --token {token}",
            "cannot be reached: Connection refused",
        ),
        (f"bot.py --to http:// --token {token}", "cannot be reached: no host given"),
        (
            "bot.py --to ftp://127.0.0.1",
            "bots are sent by http:// or https://, or kept",
        ),
        (f"bot.py --to https://127.0.0.1:x/ --token {token}", "cannot be reached"),
    ):
        shown = submit(*words.split(), code=2)
        assert said in shown.stderr and shown.stdout == "", shown.output
    shown = submit("bot.py", "--to", url, "--token", "ab\rcd", code=2)
    assert "another character that no token has" in shown.stderr and "ab" not in shown.stderr
    Path("large.zip").write_bytes(b"\0" * 10_000_001)
    shown = submit("large.zip", "--to", url, "--token", token, code=2)
    assert "more than 10 MB" in shown.stderr
    (folder / "course.toml").write_text("deadline = 2026-01-01T00:00:00Z\n")
    shown = submit("bot.py", "--to", url, "--token", token, code=2)
    late = "the deadline was 2026-01-01 00:00 UTC; nothing is accepted after it"
    assert shown.stderr == f"{urlsplit(url).netloc}: {late}\n"


@pytest.mark.parametrize("token", ["", " --token 123"])
@pytest.mark.parametrize(
    "to", ["127.0.0.1:8123", "localhost:80/", "a-b.example.org:443/x", "[::1]:8123"]
)
def test_a_server_without_its_http_is_no_folder(folder: Path, to: str, token: str) -> None:
    Path("bot.py").write_text(RIGHT)
    shown = submit(*f"bot.py --to {to}{token}".split(), code=2)
    assert f"write http://{to} for a server, or ./{to} for a folder" in shown.stderr
    assert {each.name for each in Path().iterdir()} == {"bot.py", "course"}


def test_a_token_is_sent_nowhere_else(app: FastAPI, url: str, token: str) -> None:
    @app.post("/moved/api/submissions")
    async def moved() -> RedirectResponse:
        return RedirectResponse("https://evil.example/api")

    Path("bot.py").write_text(RIGHT)
    shown = submit("bot.py", "--to", f"{url}/moved", "--token", token, code=2)
    assert "is now https://evil.example/api; use that address" in shown.stderr


@pytest.mark.parametrize("code", [200, 400])
def test_any_answer_of_another_server_is_no_course(
    app: FastAPI, url: str, token: str, code: int
) -> None:
    @app.post("/other/api/submissions")
    async def other() -> Response:
        return Response("[" * 9000, code)

    Path("bot.py").write_text(RIGHT)
    shown = submit("bot.py", "--to", f"{url}/other", "--token", token, code=2)
    assert "is not a course of `arena serve`" in shown.stderr


def test_a_check_is_followed_past_answers_of_a_busy_proxy(
    url: str, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes = [429, 502, 503, 504]

    def refuse(request: Request) -> None:
        if codes:
            raise HTTPException(codes.pop())

    monkeypatch.setattr(upload, "refuse_beyond", refuse)
    monkeypatch.setattr(remote, "_PAUSE_S", 0.0)
    Path("fox.zip").write_bytes(b"no archive")
    shown = submit("fox.zip", "--to", url, "--token", token, code=2)
    assert "is not a zip archive" in shown.stderr and not codes


def test_an_interrupt_says_that_the_check_goes_on_there(
    url: str, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: bytes) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(remote, "read_event", interrupt)
    Path("bot.py").write_text(RIGHT)
    said = submit("bot.py", "--to", f"{url}/", "--token", token, code=130).stderr
    assert f"A check that has begun continues there; cancel it on {url}/me" in said
    assert "Interrupted." in said


def test_a_server_without_tls_says_so(url: str, token: str) -> None:
    Path("bot.py").write_text(RIGHT)
    https = url.replace("http:", "https:")
    shown = submit("bot.py", "--to", https, "--token", token, code=2)
    assert "cannot be reached: the server there speaks http, not https" in shown.stderr
