"""Starting a player's program: bare, in bubblewrap, or within the system's limits."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import NamedTuple

from arena.model.containment import Guarantee
from arena.model.contender import Prepared
from arena.sandbox import bwrap, system
from arena.sandbox.allocation import Place
from arena.sandbox.child import (
    MOVED_STDIN,
    MOVED_STDOUT,
    Child,
    Step,
    bound_resources,
    move_streams,
    moved_held,
)
from arena.sandbox.features import Means
from arena.sandbox.landlock import READ, WRITE, Access, Ruleset
from arena.sandbox.linux import no_new_privileges
from arena.sandbox.mounts import PRIVATE
from arena.sandbox.processes import become_subreaper, die_with_parent
from arena.sandbox.seccomp import Filter
from arena.sandbox.seccomp import program as filter_program
from arena.sandbox.spawn import not_started

_DEVICE = Access.READ_FILE | Access.WRITE_FILE


class Launched(NamedTuple):
    """A process that was started."""

    process: subprocess.Popen[bytes]
    status: int | None = None
    """A file in which bubblewrap reports that the program started, and its end."""


def bare(spec: Prepared) -> Launched:
    """Start it as it is. Raises PlayerFault (`start_failed`); OSError: the host fails."""
    with_us = partial(die_with_parent, os.getpid(), signal.SIGKILL)
    return Launched(_popen(spec, spec.command, with_us, cwd=spec.cwd))


def in_bwrap(place: Place, cores: tuple[int, ...] | None, means: Means) -> Launched:
    """Start it in bubblewrap. Raises PlayerFault (`start_failed`); OSError: the host fails."""
    assert means.bwrap is not None, "who asks for bubblewrap has seen that it is there"
    spec = place.spec
    steps = _common_steps(place, cores)
    steps += [
        Step("change its user", place.user.become) if place.user else None,
        _end_with_us(),
        Step("move its streams", move_streams),
    ]
    with ExitStack() as stack:
        stack.enter_context(moved_held())  # first: nothing that is handed over may lie there
        child = stack.enter_context(Child([step for step in steps if step]))
        status = os.memfd_create("status")
        filter_fd = None
        if means.seccomp is not None:
            filter_fd = _filter(place, means.seccomp).descriptor()
            stack.callback(os.close, filter_fd)
        words = bwrap.command(
            means.bwrap,
            (place.program, *spec.command[1:]),
            place.cwd,
            spec.policy,
            place.shown,
            filter_fd=filter_fd,
            status_fd=status,
        )
        keep = {MOVED_STDIN, MOVED_STDOUT, status} | ({filter_fd} if filter_fd else set())
        try:
            process = _popen(spec, words, child, environment=place.environment, keep=keep)
        except BaseException:
            os.close(status)
            raise
        return Launched(process, status)


def in_limits(place: Place, cores: tuple[int, ...] | None, means: Means) -> Launched:
    """Start it within limits. Raises PlayerFault (`start_failed`); OSError: the host fails."""
    spec = place.spec
    processes = spec.policy.processes + (0 if place.user else _tasks_of_user())
    steps = _common_steps(place, cores, processes)
    with ExitStack() as stack:
        if place.group is None:  # what it forks away stays in its tree
            steps.append(Step("gather what it forks away", become_subreaper))
        if means.landlock:
            rules = _rules(place, means.landlock)
            stack.callback(rules.close)
            steps.append(Step("close files to it (Landlock)", partial(_enter, rules, place)))
        if place.user is not None:
            steps.append(Step("change its user", place.user.become))
        steps.append(_end_with_us())
        steps.append(Step("enter its folder", partial(os.chdir, place.cwd)))
        steps.append(Step("give up new rights", no_new_privileges))
        if means.seccomp is not None:
            filter_ = _filter(place, means.seccomp)
            steps.append(Step("filter its system calls (seccomp)", filter_.install))
        child = stack.enter_context(Child([step for step in steps if step]))
        environment = place.environment
        return Launched(
            _popen(spec, spec.command, child, environment=environment, program=place.program)
        )


def report_of(status: int) -> bool:
    """Whether bubblewrap says that it started the program and saw its end."""
    lines = os.pread(status, 4096, 0).decode().splitlines()
    return any("exit-code" in json.loads(line) for line in lines)


def _popen(
    spec: Prepared,
    words: Sequence[str],
    child: Child | Callable[[], None],
    *,
    cwd: str | None = None,
    environment: Mapping[str, str] | None = None,
    program: str | None = None,
    keep: frozenset[int] | set[int] = frozenset(),
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            words,
            executable=program,
            cwd=cwd,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
            pass_fds=tuple(sorted(keep)),
            # Sound here: a referee's process has one thread. It costs the player's start 1 ms.
            preexec_fn=child,
        )
    except subprocess.SubprocessError as error:
        why = child.failure() if isinstance(child, Child) else None
        raise OSError(why or str(error)) from None
    except (OSError, ValueError) as error:
        raise not_started(spec, error) from None


def _common_steps(
    place: Place, cores: tuple[int, ...] | None, processes: int | None = None
) -> list[Step | None]:
    policy = place.spec.policy
    return [
        Step("join its control group", place.group.join) if place.group else None,
        Step("keep it on its cores", partial(os.sched_setaffinity, 0, cores)) if cores else None,
        Step("show it its files", place.view.enter) if place.view else None,
        Step("bound what it may use", partial(bound_resources, policy, processes)),
    ]


def _end_with_us() -> Step:
    return Step("end with the referee", partial(die_with_parent, os.getpid(), signal.SIGKILL))


def _filter(place: Place, machine: str) -> Filter:
    """Of a name space of its own all in sight belongs to the player; in limits others' is too.

    Cores it may choose for any process of its user, whose others are ours where it has none.

    A linker makes what it writes executable: who builds under our own user may change modes, and
    so those of our files too, though not what is in them.
    """
    alone = place.spec.policy.mode == "bwrap"
    own = alone or place.user is not None
    holds = place.group.holds if place.group else frozenset()
    return Filter(
        filter_program(
            machine,
            own_cores=own and Guarantee.CPU in holds,
            unix_sockets=alone,
            attributes=own or bool(place.spec.policy.writable),
        )
    )


def _rules(place: Place, version: int) -> Ruleset:
    given = place.shown
    readable = (*system.programs(), *system.settings(), *system.kernel(), *given.readable)
    writable = given.writable if place.folder is None else (*given.writable, place.folder)
    rules = Ruleset(readable, writable, version=version)
    for device in system.DEVICES:
        rules.allow(device, _DEVICE)
    return rules


def _enter(rules: Ruleset, place: Place) -> None:
    """Allow besides what only the child sees, and enter."""
    if place.view is not None and place.view.private is not None:
        rules.allow("/proc", READ)
        for folder in PRIVATE:
            rules.allow(folder, READ | WRITE)
    else:
        rules.allow("/proc/self", READ)
    for folder in place.spec.policy.listable:
        rules.allow(folder, Access.READ_DIR)
    rules.restrict()


def _tasks_of_user() -> int:
    """Processes and threads that this user has now: the system counts them all together."""
    count = 0
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdecimal() and process.stat().st_uid == os.getuid():
                count += (process / "task").stat().st_nlink - 2
        except OSError:  # ended meanwhile
            continue
    return count
