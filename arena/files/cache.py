"""Where a user's cache is: compiled kernels, unpacked and built bots."""

import os
from pathlib import Path

from platformdirs import user_cache_path

from arena.errors import UserError

CACHE_VARIABLE = "ARENA_CACHE_DIR"


def cache_root() -> Path:
    """The folder of all that can be made again; it may not exist yet."""
    base = os.environ.get(CACHE_VARIABLE)
    try:
        return (Path(base) if base else user_cache_path("arena").expanduser()).absolute()
    except RuntimeError:
        raise UserError(
            "There is no place for the cache, as the home of this user is not known: name a folder "
            f"in {CACHE_VARIABLE}."
        ) from None
