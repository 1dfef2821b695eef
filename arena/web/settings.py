"""The settings of a server."""

from pathlib import Path

from arena.model import Frozen


class ServerSettings(Frozen):
    """The folders that a server shows, and how browsers reach it."""

    runs: Path = Path("runs")
    """The folder of the runs; of a course, `COURSE/runs`. Both folders are absolute: sentences lose
    them, and name the course."""
    course: Path | None = None
    """The course with its people; None shows runs read-only."""
    secure: bool = False
    """Whether browsers reach it by TLS: cookies are sent over nothing else then."""
    public_url: str | None = None
    """The address that browsers know it by, as `https://arena.example.org`; None for its own."""
