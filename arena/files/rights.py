"""Words on the rights to files: whose a file is, and which right is missing."""

import errno
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from grp import getgrgid
from pathlib import Path
from pwd import getpwuid

_RIGHTS = {"enter": "x", "read": "r", "write": "w", "change": "w"}


def missing(error: BaseException) -> str | None:
    """The right that an error is about, whose it is to give, in a sentence; None for another."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, PermissionError):
        cause = cause.__context__
    if cause is None or not isinstance(cause.filename, str | bytes):
        return None
    if cause.errno == errno.EPERM and os.geteuid() == 0:
        return None  # no mode is in the way of root
    path = Path(os.fsdecode(cause.filename)).absolute()
    closed = [folder for folder in path.parents if _lacks(folder, os.X_OK)]
    if closed:
        return _sentence("enter", closed[-1])  # the outermost: what is in it cannot be asked
    if not os.path.lexists(path) or not _lacks(path, os.R_OK | os.W_OK):
        changes = cause.errno == errno.EPERM or _lacks(path.parent, os.W_OK)
        return _sentence("change", path.parent) if changes else None
    return _sentence("read" if _lacks(path, os.R_OK) else "write", path)


def _lacks(path: Path, right: int) -> bool:
    return not os.access(path, right, effective_ids=True)


def _sentence(what: str, path: Path) -> str | None:
    with suppress(OSError):
        found = path.stat()
        owner = user_name(found.st_uid)
        group = _name(lambda: getgrgid(found.st_gid)[0], found.st_gid)
        own = found.st_uid == os.geteuid()
        if own and found.st_mode & getattr(stat, f"S_I{_RIGHTS[what].upper()}USR"):
            return None  # it is there, and the reason another: a file that cannot be changed
        return (
            f"{user_name(os.geteuid())} may not {what} {path} of the user {owner} and the group "
            f"{group} ({stat.filemode(found.st_mode)}): "
            + (f"chmod u+{_RIGHTS[what]} {path}" if own else f"ask {owner}")
        )
    return None


def unwritable(folder: Path) -> str | None:
    """Why this user can make nothing in a folder, and what to do; None where it can."""
    if os.access(folder, os.W_OK | os.X_OK, effective_ids=True):
        return None
    if is_read_only(folder):
        return f"{folder} cannot be written: its file system is read-only"
    owner = folder.stat().st_uid
    do = f"chmod u+wx {folder}" if owner == os.geteuid() else f"ask {user_name(owner)}, whose it is"
    return f"{folder} cannot be written by you; {do}"


def unreadable(path: Path, error: PermissionError) -> str:
    """Why this user cannot read a file or folder, and what to do where that is known."""
    return missing(error) or f"{path} cannot be read: {error.strerror}"


def is_read_only(path: Path) -> bool:
    """Whether its file system is, in which no right helps."""
    return bool(os.statvfs(path).f_flag & os.ST_RDONLY)


def user_name(uid: int) -> str:
    return _name(lambda: getpwuid(uid)[0], uid)


def _name(find: Callable[[], str], number: int) -> str:
    with suppress(KeyError):
        return find()
    return f"number {number}"
