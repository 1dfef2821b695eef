"""The guarantees asked of a player's sandbox, and those that it holds."""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from arena.model import Frozen

Mode = Literal["bwrap", "limits", "none"]
"""How a player is contained: bubblewrap; the system's limits without it; not at all."""
SandboxChoice = Literal["auto", "bwrap", "limits", "none"]
"""The sandbox of a tournament: `auto` is the strongest that holds on this machine, never `none`."""


class Guarantee(StrEnum):
    """A limit that a sandbox can hold a player to."""

    MEMORY = "memory"
    """Its processes together take no more than their limit."""
    PROCESSES = "processes"
    """It cannot start processes or threads without end, nor any that does not count as its own."""
    CPU = "cpu"
    """It runs on its own cores only, and does not continue itself when it is stopped."""
    NETWORK = "network"
    """It reaches no network, this machine's own included."""
    FILES = "files"
    """It reads its own program and the system's, and writes nothing that outlives it."""
    DISK = "disk"
    """It writes a bounded amount, in sum."""
    PIDS = "pids"
    """It sees and signals no process but its own."""
    UID = "uid"
    """It runs as a user that owns nothing."""


class Policy(Frozen):
    """A player's sandbox, as it is asked for."""

    mode: Mode = "none"
    readable: tuple[str, ...] = ()
    """Absolute files and folders it may read, besides the system, its interpreter and its `cwd`."""
    listable: tuple[str, ...] = ()
    """Folders below which it may see names, not contents: where it finds what is readable."""
    masked: tuple[str, ...] = ()
    """Files, absolute, that it finds closed or empty though it may read their folder: a
    file that can be read can be locked."""
    shows_named: bool = False
    """Whether it may read what its command and a #! line name: where those who run the arena wrote
    the command. Strangers write a package and a script: theirs name only the system's programs."""
    writable: tuple[str, ...] = ()
    """Folders it may write that outlive it: only what builds a program has one."""
    environment: dict[str, str] = Field(default_factory=dict)
    """Variables it gets besides the few that every program needs; in mode `none` it gets all."""
    processes: int = Field(default=256, gt=0)
    """Processes and threads together."""
    disk_mb: int = Field(default=256, gt=0)
    """What it may write to its private folders, in sum where the system allows, else a file."""


class Held(Frozen):
    """The guarantees of a sandbox on this machine, found by trying to break it."""

    mode: Mode = "none"
    """How the player is contained."""
    by: dict[Guarantee, str | None] = Field(default_factory=dict)
    """How each guarantee is held, such as `cgroup`; null for one that is not."""
    notes: tuple[str, ...] = ()
    """Sentences on what is missing, and what would bring it."""

    def __hash__(self) -> int:
        return hash((self.mode, frozenset(self.by.items()), self.notes))
