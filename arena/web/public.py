"""The runs as a visitor may see them: the staff all, the others a frozen table as it stood then."""

from collections.abc import Callable
from pathlib import Path

from fastapi import Request

from arena.web.rights import Role, visitor_of
from arena.web.runs import Runs, ShownRun
from arena.web.state import state_of


class PublicRuns(Runs):
    """Runs, of which some are shown by a copy."""

    def __init__(self, runs: Runs, frozen: Callable[[str], Path | None]) -> None:
        super().__init__(runs.folder)
        self._runs, self._frozen = runs, frozen

    def __getitem__(self, name: str) -> ShownRun:
        """A run by its name, or the copy that stands for it. Raises HTTPException, StoreError."""
        run = self._runs[name]
        copy = self._frozen(name)
        return run if copy is None else self._show(copy)


def runs_of(request: Request) -> Runs:
    """The runs that a visitor sees."""
    state = state_of(request)
    return state.runs if visitor_of(request).may(Role.STAFF) else state.public_runs
