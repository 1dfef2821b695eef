"""A player as it travels, as one machine knows it, and as it is started there."""

from typing import Annotated, Any, Literal

from pydantic import Field

from arena.model import Frozen
from arena.model.containment import Held, Policy, SandboxChoice
from arena.model.protocol import Clock


class Module(Frozen):
    """A player that comes with the arena: any installation has it."""

    kind: Literal["builtin"] = "builtin"
    module: str
    """It runs as `python -P -m MODULE`."""
    caches: tuple[str, ...] = ()
    """Folders of the user's cache that it reads, by name: its compiled kernels."""


class Package(Frozen):
    """A script or a package: found, and verified, by what its files are."""

    kind: Literal["package"] = "package"
    digest: str
    """SHA-256, in hex, of the names and contents of its files; of a script, of that file alone."""
    opens: str = "."
    """What of its folder is the bot: the name of a script, or `.` where a bot.toml says it."""
    built: bool = False
    """Whether the files are there as its build command left them."""
    python: str | None = None
    """The Python that runs its scripts: found on the PATH, or with a slash relative to the
    contender's folder; null for the one that runs the arena."""


class CommandLine(Frozen):
    """A command line, taken at its word: its program must be wherever it is played."""

    kind: Literal["command"] = "command"
    words: tuple[str, ...] = Field(min_length=1)
    """As written: a program with a slash is relative to the contender's folder."""


Program = Annotated[Module | Package | CommandLine, Field(discriminator="kind")]
MEMORY_MB = 2048
"""The memory of all processes of a player together, by default."""


class Given(Frozen):
    """A player as configured, of any kind."""

    name: str
    """Its name in the tournament, unique there."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Sent as `options` in `start`. Files that they name must be wherever it is played."""
    threads: int = Field(default=1, ge=1)
    """Cores it may keep busy while it thinks."""
    memory_mb: int | None = Field(default=MEMORY_MB, gt=0)
    """Resident memory of all its processes together; null for no limit."""
    clock: Clock | None = None
    """Its own, in place of that of the terms; null for that one."""


class Contender(Given):
    """A player as it travels: nothing in it depends on a machine."""

    program: Program
    sandbox: SandboxChoice = "auto"
    """The sandbox asked for; the actual one is found out where it is played."""


class Home(Frozen):
    """The part of a contender that one machine knows; it never travels."""

    folder: str | None = None
    """Where its relative paths begin, absolute; null for the working directory."""
    package: str | None = None
    """The folder of its package; null for the machine's own store of packages."""
    held: Held | None = None
    """The guarantees of its sandbox; null where it was never tried."""


class Prepared(Given):
    """A program that can be started on this machine, and what it is given."""

    command: tuple[str, ...] = Field(min_length=1)
    """The program and its arguments."""
    builtin: bool = False
    """Whether it comes with the arena, and so forgets the last game as the next begins."""
    cwd: str | None = None
    """The folder it is started in; null for the referee's own."""
    policy: Policy = Policy()
    """Its sandbox."""
    held: Held = Held()
    """The guarantees of that on this machine; recorded with each game."""
