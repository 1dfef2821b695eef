"""Where a user's cache is: compiled kernels, unpacked and built bots."""

import os
import stat
from contextlib import suppress
from pathlib import Path

from platformdirs import user_cache_path

from arena.errors import UserError
from arena.files.rights import user_name

CACHE_VARIABLE = "ARENA_CACHE_DIR"
_MODE = 0o775
"""Also where the umask closes nothing, as in some containers: such a cache is refused."""


def cache_root() -> Path:
    """The folder of all that can be made again; it does not exist where it cannot be made."""
    base = os.environ.get(CACHE_VARIABLE)
    try:
        root = (Path(base) if base else user_cache_path("arena").expanduser()).absolute()
    except RuntimeError:
        raise UserError(
            "There is no place for the cache, as the home of this user is not known: name a folder "
            f"in {CACHE_VARIABLE}."
        ) from None
    with suppress(OSError):
        Path(os.path.realpath(root)).mkdir(_MODE, parents=True)  # also where a link leads
    _refuse_of_all(root)
    return root


def _refuse_of_all(root: Path) -> None:
    """Raise UserError where any user may have put code there, which we would run: kernels are."""
    with suppress(OSError):  # there is none
        found, above = root.stat(), root.parent.stat()
        if not stat.S_ISDIR(found.st_mode):
            return  # the error of its use says so, also of /dev/null
        do = f"and what is in it is run: name a folder of your own in {CACHE_VARIABLE}"
        if found.st_mode & stat.S_IWOTH:
            raise UserError(
                f"Every user of this machine may write the cache {root}, {do}, or, if nobody else "
                f"has written to it, chmod o-w {root}"
            )
        if found.st_uid not in (0, os.geteuid()) and above.st_mode & stat.S_IWOTH:
            raise UserError(
                f"The cache {root} belongs to {user_name(found.st_uid)}, in a folder where every "
                f"user of this machine may make one, {do}."
            )
