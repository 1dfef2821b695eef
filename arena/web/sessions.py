"""Sessions: a signed cookie that names its owner, so that sessions outlive the server, and the
tokens of forms, which prove that a page of ours sent them.

    COURSE/.web/secret      signs both; all sessions end when it is removed
    COURSE/.web/ended.json  sessions that were ended before their time
"""

import hmac
import os
import secrets
import threading
from contextlib import suppress
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from arena.errors import UserError
from arena.files.whole_file import make_private, make_private_file, write_whole
from arena.model import Frozen

FOLDER = ".web"
"""The server's folder in a course next to the bots, whose names begin with no dot."""
_REMEMBERED = 10_000
"""Sessions that were ended before their time; beyond, those are forgotten that end first."""
_ENDED = TypeAdapter(dict[str, float])
_SECRET_BYTES = 32


class SignedSession(Frozen):
    owner: str | None
    """A name on the roster; null for the staff."""
    fingerprint: str
    """Of the token that it was begun with: another token ends it."""
    ends_at: float
    """In seconds since the epoch."""


class Signer:
    """Signs and reads the cookies of a course. Raises UserError where a file of it is damaged."""

    def __init__(self, course: Path) -> None:
        self._secret = _secret(course / FOLDER / "secret")
        self._ending = threading.Lock()
        self._file = course / FOLDER / "ended.json"
        self._ended = _ended(self._file)
        """By their words, when each would be over by itself."""

    def cookie(self, session: SignedSession) -> str:
        words = session.model_dump_json().encode().hex()
        return f"{words}.{self._signature('session', words)}"

    def session(self, cookie: str, now: float) -> SignedSession | None:
        """The session of a cookie; None where it was not signed here, or is over."""
        words, _, signature = cookie.partition(".")
        theirs = signature.encode("utf-8", "surrogateescape")
        ours = self._signature("session", words).encode()
        if words in self._ended or not hmac.compare_digest(theirs, ours):
            return None
        with suppress(ValidationError):
            session = SignedSession.model_validate_json(bytes.fromhex(words))
            return session if now < session.ends_at else None
        return None

    def end(self, cookie: str, now: float) -> None:
        """Have a cookie open nothing any more, even where a copy was kept."""
        with self._ending:
            session = self.session(cookie, now)
            if session is None:
                return
            ended = self._ended | {cookie.partition(".")[0]: session.ends_at}
            last = sorted((at, words) for words, at in ended.items())  # the clock may be set back
            self._ended = {words: at for at, words in last[-_REMEMBERED:]}
            write_whole(self._file, _ENDED.dump_json(self._ended).decode())

    def form_token(self, cookie: str) -> str:
        return self._signature("form", cookie)

    def _signature(self, use: str, words: str) -> str:
        message = f"{use}:{words}".encode("utf-8", "surrogateescape")
        return hmac.digest(self._secret, message, "sha256").hex()


def _secret(file: Path) -> bytes:
    """The secret of a file, made where it is missing. Raises UserError where it is too short."""
    make_private(file.parent)
    if not file.exists():
        part = file.with_name(f"secret.{secrets.token_hex(4)}")
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            make_private_file(out.fileno(), file.parent.stat())
            out.write(secrets.token_bytes(_SECRET_BYTES))
        with suppress(FileExistsError):  # another server was quicker
            os.link(part, file)
        part.unlink()
    secret = file.read_bytes()
    if len(secret) < _SECRET_BYTES:  # an empty one would sign as anyone can
        raise UserError(
            f"{file} is damaged: it has {len(secret)} bytes of {_SECRET_BYTES}; remove it: a "
            "new one is made, and all sessions end"
        )
    return secret


def _ended(file: Path) -> dict[str, float]:
    """The ended sessions of a file. Raises UserError."""
    try:
        return _ENDED.validate_json(file.read_bytes()) if file.exists() else {}
    except ValidationError:
        raise UserError(
            f"{file} is damaged: restore it, or remove it together with {file.parent}/secret, "
            "which ends all sessions"
        ) from None
