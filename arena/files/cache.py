"""Where a user's cache is: compiled kernels, unpacked and built bots."""

import os
import stat
from contextlib import suppress
from pathlib import Path

from platformdirs import user_cache_path

from arena.errors import UserError

CACHE_VARIABLE = "ARENA_CACHE_DIR"


def cache_root() -> Path:
    """The folder of all that can be made again; it may not exist yet."""
    base = os.environ.get(CACHE_VARIABLE)
    try:
        root = (Path(base) if base else user_cache_path("arena").expanduser()).absolute()
    except RuntimeError:
        raise UserError(
            "There is no place for the cache, as the home of this user is not known: name a folder "
            f"in {CACHE_VARIABLE}."
        ) from None
    _refuse_of_all(root)
    return root


def _refuse_of_all(root: Path) -> None:
    """Raise UserError where any user may have put code there, which we would run: kernels are."""
    with suppress(OSError):  # there is none yet
        found, above = root.stat(), root.parent.stat()
        ours = found.st_uid in (0, os.geteuid()) or not above.st_mode & stat.S_IWOTH
        if found.st_mode & stat.S_IWOTH or not ours:
            raise UserError(
                f"The cache {root} is one that every user of this machine may write, and what is "
                f"in it is run: name a folder of your own in {CACHE_VARIABLE}, or, where nobody "
                f"else did write it, chmod o-w {root}"
            )
