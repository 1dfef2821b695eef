"""A bot's way into a course by its server: the same events as here, from the other end."""

import http.client
import io
import re
import tarfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from email.message import Message
from pathlib import Path
from typing import IO, Any

from pydantic import ValidationError

from arena.bots.entries import files_in
from arena.bots.package import refuse_missing
from arena.checks.events import Entered, Refused, read_event
from arena.entering.enter import OnEvent
from arena.errors import PackageError, SubmissionError
from arena.files import json_text

MAX_BYTES = 10_000_000
"""The files that a server takes."""
_TIMEOUT_S = 60
"""The server says something at least each 15 s."""
_PLAIN_HTTP = ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE")
"""OpenSSL's words for an answer that is not TLS; the second since 3.4."""
_TRIES, _PAUSE_S = 60, 1.0
"""How often the events are asked for: a check goes on while a server is started again."""
_LATER = (429, 502, 503, 504)
"""The status of a busy server, or of a proxy while its server is started again."""
_HOST_AND_PORT = re.compile(r"([\w.-]+|\[[\da-fA-F:]+\]):\d+(/.*)?")


def is_url(to: str) -> bool:
    """Whether bots are sent to a server. Raises SubmissionError for other addresses."""
    kind, is_address, _ = to.partition("://")
    if is_address and kind.lower() not in ("http", "https"):
        raise SubmissionError(
            f"--to {to}: bots are sent by http:// or https://, or kept in a folder; give either"
        )
    if _HOST_AND_PORT.fullmatch(to):
        raise SubmissionError(
            f"--to {to}: write http://{to} for a server, or ./{to} for a folder of that name"
        )
    return bool(is_address)


def refuse_given(options: Mapping[str, object]) -> None:
    """Raise SubmissionError for an option that a server decides itself."""
    for name, value in options.items():
        if value is not None:
            raise SubmissionError(f"{name}: the server decides this itself; leave it out")


def send(path: Path, to: str, token: str | None, on_event: OnEvent) -> Entered:
    """Have a server check the bot at `path`, and accept it if it passes. Raises ArenaError."""
    token = (token or "").strip()  # a file of Windows ends its line by two characters
    if not token:
        raise SubmissionError(
            f"{to} is a server: say whose bot it is, with --token TOKEN or in ARENA_TOKEN"
        )
    if not re.fullmatch("[!-~]+", token):  # a header takes no other characters
        raise SubmissionError(
            "the token has a space or another character that no token has; copy it again"
        )
    name, contents = packed(path)
    if len(contents) > MAX_BYTES:
        raise PackageError(path, ["has more than 10 MB packed; leave out what it does not need"])
    server = _Server(to, token)
    with server.ask(f"?{urllib.parse.urlencode({'name': name})}", contents) as answer:
        id = _id_in(answer.read(), to)
    for line in server.events(id):
        try:
            event = read_event(line)
        except ValidationError:
            raise SubmissionError(f"{to} speaks a newer protocol; update this arena") from None
        if isinstance(event, Refused):
            raise SubmissionError(event.sentence)
        if isinstance(event, Entered):
            return event
        on_event(event)
    raise SubmissionError(
        f"the connection to {to} is lost; the check continues there, on {to.rstrip('/')}/me"
    )


def packed(path: Path) -> tuple[str, bytes]:
    """A bot as it is sent: a folder as an archive, any other file as it is. Raises PackageError."""
    refuse_missing(path)
    name = path.absolute().name
    if not path.is_dir():
        try:
            with path.open("rb") as opened:
                return name, opened.read(MAX_BYTES + 1)
        except OSError as error:
            raise PackageError(path, [f"cannot be read: {error.strerror}"]) from None
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for file in files_in(path):
            archive.add(path / file, file, recursive=False)
    return f"{name}.tar.gz", packed.getvalue()


class _Unreachable(SubmissionError):
    """The server does not answer, or has no place now."""


class _Server:
    """The submissions of a course, with the token of an owner."""

    def __init__(self, address: str, token: str) -> None:
        self._address = f"{address.rstrip('/')}/api/submissions"
        self._token = token
        self._opener = urllib.request.build_opener(_NoRedirect)

    def ask(self, more: str, body: bytes | None = None, last: str = "0") -> IO[bytes]:
        """The answer to a request. Raises SubmissionError."""
        headers = {"Authorization": f"Bearer {self._token}", "Last-Event-ID": last}
        if body is not None:
            headers["Content-Type"] = "application/octet-stream"
        try:
            request = urllib.request.Request(self._address + more, body, headers)
            answer: IO[bytes] = self._opener.open(request, timeout=_TIMEOUT_S)
        except urllib.error.HTTPError as error:
            with error:
                kind = _Unreachable if error.code in _LATER else SubmissionError
                raise kind(_refusal(error, self._address)) from None
        except (OSError, ValueError, http.client.HTTPException) as error:
            why = getattr(error, "reason", None) or error
            if getattr(why, "reason", None) in _PLAIN_HTTP:
                why = "the server there speaks http, not https"
            why = getattr(why, "strerror", None) or why
            raise _Unreachable(f"{self._address} cannot be reached: {why}") from None
        return answer

    def events(self, id: str) -> Iterator[bytes]:
        """The events of a check, requested again where the connection ends."""
        last = "0"
        for _ in range(_TRIES):
            try:
                with self.ask(f"/{id}/live", last=last) as answer:
                    for line in answer:
                        key, _, value = line.rstrip(b"\r\n").partition(b": ")
                        if key == b"id":
                            last = value.decode()
                        elif key == b"data":
                            yield value
            except (_Unreachable, OSError, http.client.HTTPException):
                pass
            time.sleep(_PAUSE_S)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """The token goes to no other address than the one given."""

    def redirect_request(
        self, req: Any, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> None:
        """None: not followed."""


def _refusal(error: urllib.error.HTTPError, address: str) -> str:
    """The server's message, or the meaning of its answer."""
    if 300 <= error.code < 400:
        return f"{address} is now {error.headers.get('Location')}; use that address"
    try:
        detail = json_text.parse(error.read(10_000))["detail"]
        return f"{urllib.parse.urlsplit(address).netloc}: {detail}"
    except (ValueError, LookupError, TypeError):
        return (
            f"{address} answers {error.code}, and is not a course of `arena serve`; give the "
            "address of its first page"
        )


def _id_in(answer: bytes, to: str) -> str:
    try:
        return str(json_text.parse(answer)["id"])
    except (ValueError, LookupError, TypeError):
        raise SubmissionError(f"{to} is not a course of `arena serve`; check the address") from None
