"""Answers that are made once and sent often: with an ETag, and packed once."""

import gzip
from hashlib import blake2b
from typing import NamedTuple

from fastapi import Request
from fastapi.responses import Response

PRIVATE = "private, no-cache"
_LEVEL = 6
_SMALL = 500
"""Shorter answers are not packed."""


class CachedAnswer(NamedTuple):
    body: bytes
    packed: bytes | None
    etag: str
    media_type: str


def cached(text: str | bytes, media_type: str) -> CachedAnswer:
    body = text.encode() if isinstance(text, str) else text
    packed = gzip.compress(body, _LEVEL, mtime=0) if len(body) > _SMALL else None
    return CachedAnswer(
        body, packed, f'W/"{blake2b(body, digest_size=12).hexdigest()}"', media_type
    )


def headers_of(etag: str, cache: str) -> dict[str, str]:
    return {"ETag": etag, "Cache-Control": cache, "Vary": "Accept-Encoding, Cookie"}


def is_known(request: Request, etag: str) -> bool:
    """Whether the browser has this answer."""
    known = request.headers.get("If-None-Match", "")
    return etag in (each.strip() for each in known.split(",")) or known == "*"


def answer(request: Request, entry: CachedAnswer, cache: str = PRIVATE) -> Response:
    """The response of an answer, or 304 where the browser has it."""
    headers = headers_of(entry.etag, cache)
    if is_known(request, entry.etag):
        return Response(status_code=304, headers=headers)
    if entry.packed is None or "gzip" not in request.headers.get("Accept-Encoding", ""):
        return Response(entry.body, media_type=entry.media_type, headers=headers)
    headers["Content-Encoding"] = "gzip"
    return Response(entry.packed, media_type=entry.media_type, headers=headers)
