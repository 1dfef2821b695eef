"""The lines between the server and the process of a table: see `arena.web.table`."""

from typing import Any, Literal

from pydantic import Field

from arena.model import Frozen

Phase = Literal["preparing", "thinking", "yours", "over"]


class Setup(Frozen):
    rules: str
    settings: dict[str, Any] = Field(default_factory=dict)
    opponent: str | None = None
    """A built-in's name, or the path of a submitted bot; None where a person plays alone."""
    options: dict[str, Any] = Field(default_factory=dict)
    """The opponent's."""
    course: str | None = None
    """The folder of a submitted bot's course."""
    reads_stderr: bool = True
    """Whether the person may read what the opponent wrote to stderr."""
    seat: int = 0
    """The person's."""
    move_ms: int = 1000
    """The opponent's limit for one move."""
    seed: int


class Command(Frozen):
    do: Literal["move", "undo", "resign"]
    ply: int
    """How many moves the person saw: a move meant for another board is not made."""
    move: str = Field("", max_length=200)


class TableState(Frozen):
    number: int
    """Higher in each state."""
    phase: Phase
    said: tuple[str, ...] = ()
    """Messages since the person's last command."""
    ending: str = ""
    """How it ended, or why it could not be played; empty before."""
    names: tuple[str, ...] = ()
    """By seat, with their marks."""
    score: str = ""
    ply: int = 0
    variant: dict[str, Any] = Field(default_factory=dict)
    state: dict[str, Any] | None = None
    """The position, as on the wire."""
    board: str = ""
    """The position as text."""
    last: str | None = None
    """The last move."""
    legal: tuple[str, ...] = ()
    """The person's moves; empty while another moves."""
    can_undo: bool = False
    transcript: str = ""
