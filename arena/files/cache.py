"""Where a user's cache is: compiled kernels, unpacked and built bots."""

import os
from pathlib import Path

from platformdirs import user_cache_path

CACHE_VARIABLE = "ARENA_CACHE_DIR"
"""The environment variable that moves the cache."""


def cache_root() -> Path:
    """The folder of all that can be made again; it may not exist yet."""
    base = os.environ.get(CACHE_VARIABLE)
    return (Path(base) if base else user_cache_path("arena")).absolute()
