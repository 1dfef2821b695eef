"""What holds for every request and answer: headers that bind the browser, no orders from other
sites, nothing of endless size.
"""

from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
MOST_BYTES = 12_000_000
"""Of a request: an archive of 10 MB, and what is around it."""
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "Referrer-Policy": "same-origin",  # with no-referrer Chromium sends forms from "null"
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
"""Set where an answer does not set them itself."""


class SafeAnswers:
    """The layer around the application."""

    def __init__(self, app: ASGIApp, public_url: str | None = None) -> None:
        self._app = app
        self._host = urlsplit(public_url).netloc if public_url else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            elif scope.get("method") == "HEAD":
                message["body"] = b""
            await send(message)

        taken = 0

        async def receive_some() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > MOST_BYTES:
                raise HTTPException(
                    413, f"More than {MOST_BYTES / 1e6:g} MB are not taken at once."
                )
            return message

        if scope["type"] == "http" and self._is_foreign(scope):
            refusal = PlainTextResponse("Another site sent this request; it was refused.\n", 403)
            await refusal(scope, receive, send_safely)
            return
        as_get = {**scope, "method": "GET"} if scope.get("method") == "HEAD" else scope
        await self._app(as_get, receive_some, send_safely)

    def _is_foreign(self, scope: Scope) -> bool:
        """Whether a page of another site asks for a change. A program sends neither header."""
        if scope["method"] in SAFE_METHODS:
            return False
        headers = Headers(scope=scope)
        origin = headers.get("origin")
        if origin is not None:
            return urlsplit(origin).netloc not in {headers.get("host"), self._host}
        return headers.get("sec-fetch-site", "none") not in ("same-origin", "none")
