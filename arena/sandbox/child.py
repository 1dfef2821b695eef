"""What a forked child does before it becomes the player, and how we learn what failed there."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from arena.model.containment import Policy

MOVED_STDIN, MOVED_STDOUT = 3, 4
"""Where bubblewrap is handed the player's streams: beyond its own, within a shell's reach."""


class Step(NamedTuple):
    """One thing the child does to itself."""

    to: str
    """What for, as in "could not …"."""
    do: Callable[[], object]


class Child:
    """The steps, in order, as `subprocess` wants them for its `preexec_fn`.

    Sound only where the process that forks has one thread, as a referee's has. Use it in a `with`
    statement.
    """

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = tuple(steps)
        self._report = os.memfd_create("sandbox")

    def __call__(self) -> None:
        """Take the steps; the first that fails is reported and ends the child."""
        for step in self._steps:
            try:
                step.do()
            except Exception as error:  # whatever it is: without this step it may not start
                why = error.strerror if isinstance(error, OSError) else repr(error)
                os.write(self._report, f"The sandbox could not {step.to}: {why}".encode())
                raise

    def failure(self) -> str | None:
        """A sentence on the step that failed in the child, without a full stop."""
        return os.pread(self._report, 4096, 0).decode() or None

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *error: object) -> None:
        os.close(self._report)


def bound_resources(policy: Policy, processes: int | None) -> None:
    """No core files, no file beyond the disk's limit; so many processes of this user, if given.

    And when the machine runs out of memory, the system looks here first for what to kill.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    bytes_ = policy.disk_mb * 2**20
    resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_, bytes_))
    if processes is not None:
        _, most = resource.getrlimit(resource.RLIMIT_NPROC)
        allowed = processes if most == resource.RLIM_INFINITY else min(processes, most)
        resource.setrlimit(resource.RLIMIT_NPROC, (allowed, allowed))
    Path("/proc/self/oom_score_adj").write_text("1000")


def move_streams() -> None:
    """Put the player's pipes beside the standard streams, and nothing in their place."""
    os.dup2(0, MOVED_STDIN)
    os.dup2(1, MOVED_STDOUT)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)


@contextmanager
def moved_held() -> Iterator[None]:
    """Hold files where the streams are moved to, unless others lie there already.

    So no pipe lies there that the parent makes as it forks; and held from early on, no file of a
    library that closes it in every forked child, as matplotlib does with fonts.
    """
    files = [os.open(os.devnull, os.O_RDONLY)]
    while files[-1] < MOVED_STDOUT:
        files.append(os.open(os.devnull, os.O_RDONLY))
    try:
        yield
    finally:
        for file in files:
            os.close(file)
