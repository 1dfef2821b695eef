"""Files that are there whole, or as they were."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there whole or as it was, even when the power fails."""
    with replacing(path) as file:
        file.write(text)


@contextmanager
def replacing(path: Path) -> Iterator[IO[str]]:
    """The same for text that is written piece by piece; after an error all is as it was."""
    part = path.with_suffix(path.suffix + ".part")
    try:
        with part.open("w", encoding="utf-8") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
