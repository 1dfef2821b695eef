"""The rules for every request and answer: headers that bind the browser, no orders from other
sites, nothing of endless size.
"""

from contextlib import suppress
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
MOST_BYTES = 64_000
"""The most of a request's body, which is read before anyone's rights are known."""
UPLOAD_BYTES = 10_100_000
"""The most of a request's body where bots are submitted, which refuses archives itself."""
UPLOADS = ("/api/submissions", "/me/upload")
TOO_LARGE = "This is more than 10 MB. Leave out what the bot does not need."
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    # The log of a proxy has it, and a link has a token in its path. With no-referrer Chromium sends
    # forms from "null".
    "Referrer-Policy": "strict-origin",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
"""Set where an answer does not set them itself."""


class SafeAnswers:
    def __init__(self, app: ASGIApp, public_url: str | None = None) -> None:
        self._app = app
        self._public = urlsplit(ascii_address(public_url)) if public_url else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        if scope["type"] == "http" and self._is_foreign(scope):
            refusal = PlainTextResponse("Another site sent this request; it was refused.\n", 403)
            await refusal(scope, receive, send_safely)
            return
        asked = dict(scope)
        if scope.get("method") == "HEAD":
            asked["method"] = "GET"
        if scope["type"] == "http" and self._public is not None:  # redirects lead to the host
            host = (b"host", self._public.netloc.encode())
            asked["headers"] = [host, *(each for each in scope["headers"] if each[0] != b"host")]
            asked["scheme"] = self._public.scheme
        await self._app(asked, _limited(scope, receive), send_safely)

    def _is_foreign(self, scope: Scope) -> bool:
        """Whether a page of another site asks for a change. A program sends neither header."""
        if scope["method"] in SAFE_METHODS:
            return False
        headers = Headers(scope=scope)
        origin = headers.get("origin")
        if origin is not None:
            with suppress(ValueError):
                public = self._public and self._public.netloc
                return urlsplit(origin).netloc not in {headers.get("host"), public}
            return True
        return headers.get("sec-fetch-site", "none") not in ("same-origin", "none")


def ascii_address(url: str) -> str:
    """A public address as browsers write it, without the port that its scheme has by default.
    Raises UnicodeError where no host has such a name.
    """
    scheme, _, name = url.partition("://")
    name = name.removesuffix(":443" if scheme == "https" else ":80")
    return f"{scheme}://{name.lower().encode('idna').decode()}"


def _limited(scope: Scope, receive: Receive) -> Receive:
    """Reads a body of at most the bytes that its address takes. One whose head says that it has
    more is not read at all.
    """
    if scope["type"] != "http":
        return receive
    is_upload = scope["method"] == "POST" and scope["path"] in UPLOADS
    most = UPLOAD_BYTES if is_upload else MOST_BYTES
    length = Headers(scope=scope).get("content-length", "")
    taken = int(length) if length.isdecimal() and int(length) > most else 0

    async def receive_some() -> Message:
        nonlocal taken
        message: Message = await receive() if taken <= most else {}
        taken += len(message.get("body", b""))
        if taken <= most:
            return message
        if scope["method"] in SAFE_METHODS:  # no route reads it
            return {"type": "http.disconnect"}
        small = f"This is more than {MOST_BYTES / 1e3:g} kB. Send less at once."
        raise HTTPException(413, TOO_LARGE if is_upload else small)

    return receive_some
