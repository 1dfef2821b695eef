"""Sessions: a signed cookie that names its owner, so that sessions outlive the server, and the
tokens of forms, which prove that a page of ours sent them.

    COURSE/.web/secret      signs both; all sessions end when it is removed
"""

import hmac
import os
import secrets
from contextlib import suppress
from pathlib import Path

from pydantic import ValidationError

from arena.model import Frozen

FOLDER = ".web"
"""What the server keeps in a course next to the bots, whose names begin with no dot."""


class SignedSession(Frozen):
    """What a cookie says."""

    owner: str | None
    """A name on the roster; null for the staff."""
    fingerprint: str
    """Of the token that it was begun with: another token ends it."""
    ends_at: float
    """In seconds since the epoch."""


class Signer:
    """Signs the cookies of a course, and reads those it signed."""

    def __init__(self, course: Path) -> None:
        self._secret = _secret(course / FOLDER / "secret")

    def cookie(self, session: SignedSession) -> str:
        """The text of a cookie."""
        words = session.model_dump_json().encode().hex()
        return f"{words}.{self._signature('session', words)}"

    def session(self, cookie: str, now: float) -> SignedSession | None:
        """The session of a cookie; None where it was not signed here, or is over."""
        words, _, signature = cookie.partition(".")
        if not _same(signature, self._signature("session", words)):
            return None
        with suppress(ValidationError):
            session = SignedSession.model_validate_json(bytes.fromhex(words))
            return session if now < session.ends_at else None
        return None

    def form_token(self, cookie: str) -> str:
        """The token of the forms that a session's pages have."""
        return self._signature("form", cookie)

    def is_form_token(self, token: str, cookie: str) -> bool:
        """Whether a form comes from a page of this session."""
        return _same(token, self.form_token(cookie))

    def _signature(self, use: str, words: str) -> str:
        said = f"{use}:{words}".encode("utf-8", "surrogateescape")
        return hmac.digest(self._secret, said, "sha256").hex()


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode("utf-8", "surrogateescape"), other.encode())


def _secret(file: Path) -> bytes:
    """The secret that a file keeps for its owner alone, made where it is missing."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not file.exists():
        part = file.with_name(f"secret.{secrets.token_hex(4)}")
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as made:
            made.write(secrets.token_bytes(32))
        with suppress(FileExistsError):  # another server was quicker
            os.link(part, file)
        part.unlink()
    return file.read_bytes()
