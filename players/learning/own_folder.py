"""The folder of a training or a tuning, known by more than its name, which others may use again."""

import os
from contextlib import suppress
from pathlib import Path

from arena.errors import UserError


class OwnFolder:
    """A folder that is there, as it was found."""

    def __init__(self, path: Path) -> None:
        self._path, self._found = path, path.stat()

    @property
    def there(self) -> bool:
        """Whether the path still leads to it."""
        with suppress(OSError):
            return os.path.samestat(self._path.stat(), self._found)
        return False

    def check(self) -> None:
        """Raise UserError where it is not there: what is written would be lost, or take the place
        of another's work.
        """
        if not self.there:
            now = "is another folder now" if os.path.lexists(self._path) else "is gone"
            raise UserError(
                f"{self._path}: {now}: the folder was moved or deleted while it was written. What "
                "was saved went with it: to continue, put it back, or name its new place with --out"
            )
