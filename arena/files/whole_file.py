"""Files that are there whole, or as they were."""

import os
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there whole or as it was, even when the power fails."""
    part = path.with_suffix(path.suffix + ".part")
    with part.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
