"""Starting a player's program: bare, in bubblewrap, or within the system's limits."""

import json
import os
import resource
import signal
import subprocess
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

from arena.files.parent import die_with_parent
from arena.model.containment import Guarantee, Policy
from arena.model.contender import Prepared
from arena.sandbox import bwrap, seccomp, visible_files
from arena.sandbox.allocation import Allocation
from arena.sandbox.bwrap import MOVED_STDIN, MOVED_STDOUT, move_streams, reserve_fds
from arena.sandbox.features import Features
from arena.sandbox.landlock import READ, WRITE, Access, Ruleset
from arena.sandbox.mounts import PRIVATE
from arena.sandbox.processes import (
    become_subreaper,
    no_new_privileges,
    owners,
    within_limit,
)
from arena.sandbox.spawn import not_started

Cores = tuple[int, ...] | None
_OPEN_FILES = 1024


class Step(NamedTuple):
    """A step of the child between fork and exec; `to` continues "could not …"."""

    to: str
    do: Callable[[], object]


_KEEP_ORPHANS = Step("become the parent of its orphans", become_subreaper)
"""So processes that it forks away stay in its tree."""


class Launched(NamedTuple):
    process: subprocess.Popen[bytes]
    status: int | None = None
    """A file in which bubblewrap reports that the program started, and its end."""


def bare(spec: Prepared) -> Launched:
    """Start it as it is. Raises PlayerFault (`start_failed`); OSError: the host fails."""
    return Launched(_popen(spec, spec.command, [_KEEP_ORPHANS, _end_with_us()], cwd=spec.cwd))


def in_bwrap(allocation: Allocation, cores: Cores, features: Features) -> Launched:
    """Start it in bubblewrap. Raises PlayerFault (`start_failed`); OSError: the host fails."""
    assert features.bwrap is not None, "the mode bwrap is only chosen where bubblewrap exists"
    spec = allocation.spec
    steps = _common_steps(allocation, cores)
    if allocation.user is not None:
        steps.append(Step("change its user", allocation.user.become))
    steps += [_end_with_us(), Step("move its streams", move_streams)]
    with ExitStack() as stack:
        stack.enter_context(reserve_fds())  # first: no file passed on may get these numbers
        status = os.memfd_create("status")
        try:
            filter_fd = None
            if features.seccomp is not None:
                filter_fd = seccomp.descriptor(_filter(allocation, features.seccomp))
                stack.callback(os.close, filter_fd)
            words = bwrap.command(
                features.bwrap,
                (allocation.program, *spec.command[1:]),
                allocation.cwd,
                spec.policy,
                allocation.visible,
                emptied=() if allocation.mounts is not None else spec.policy.masked,
                filter_fd=filter_fd,
                status_fd=status,
            )
            keep = {MOVED_STDIN, MOVED_STDOUT, status} | ({filter_fd} if filter_fd else set())
            return Launched(_popen(spec, words, steps, allocation.environment, keep=keep), status)
        except BaseException:
            os.close(status)
            raise


def in_limits(allocation: Allocation, cores: Cores, features: Features) -> Launched:
    """Start it within limits. Raises PlayerFault (`start_failed`); OSError: the host fails."""
    spec, user = allocation.spec, allocation.user
    steps = _common_steps(allocation, cores, _most_processes(allocation))
    with ExitStack() as stack:
        if allocation.group is None:
            steps.append(_KEEP_ORPHANS)
        if features.landlock:
            rules = Ruleset(features.landlock)
            stack.callback(rules.close)
            _allow(rules, allocation)
            steps.append(Step("close files to it (Landlock)", partial(_enter, rules, allocation)))
        if user is not None:
            steps.append(Step("change its user", user.become))
        steps.append(_end_with_us())
        steps.append(Step("enter its folder", partial(os.chdir, allocation.cwd)))
        steps.append(Step("give up new rights", no_new_privileges))
        if features.seccomp is not None:
            filter_ = _filter(allocation, features.seccomp)
            install = partial(seccomp.install, filter_)
            steps.append(Step("filter its system calls (seccomp)", install))
        program = allocation.program
        return Launched(_popen(spec, spec.command, steps, allocation.environment, program=program))


def saw_end(status: int) -> bool:
    """Whether bubblewrap says that it started the program and saw its end."""
    lines = os.pread(status, 4096, 0).decode().splitlines()
    return any("exit-code" in json.loads(line) for line in lines)


def _popen(
    spec: Prepared,
    words: Sequence[str],
    steps: Sequence[Step],
    environment: Mapping[str, str] | None = None,
    *,
    cwd: str | None = None,
    program: str | None = None,
    keep: Collection[int] = (),
) -> subprocess.Popen[bytes]:
    report = os.memfd_create("sandbox")

    def take_steps() -> None:
        for step in steps:
            try:
                step.do()
            except Exception as error:  # any error: without this step it must not start
                why = error.strerror if isinstance(error, OSError) else repr(error)
                if isinstance(error, OSError) and error.filename:
                    why = f"{why} at {error.filename}"
                os.write(report, f"The sandbox could not {step.to}: {why}".encode())
                raise

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
            # It costs the player's start 1 ms. A referee's process has one thread. A notebook,
            # which tries sandboxes and builds bots, has more: no step may import, log or wait.
            preexec_fn=take_steps,
        )
    except subprocess.SubprocessError as error:
        raise OSError(os.pread(report, 4096, 0).decode() or str(error)) from None
    except (OSError, ValueError) as error:
        raise not_started(spec, error) from None
    finally:
        os.close(report)


def _common_steps(allocation: Allocation, cores: Cores, processes: int | None = None) -> list[Step]:
    steps = []
    if allocation.group is not None:
        steps.append(Step("join its control group", allocation.group.join))
    if cores:
        steps.append(Step("keep it on its cores", partial(os.sched_setaffinity, 0, cores)))
    if allocation.mounts is not None:
        steps.append(Step("mount its files", allocation.mounts.enter))
    bound = partial(bound_resources, allocation.spec.policy, processes)
    return [*steps, Step("limit its resources", bound)]


def bound_resources(policy: Policy, processes: int | None) -> None:
    """Allow no core files, no file beyond the disk's limit, few open ones, as they take memory of
    the system, and at most `processes` of this user. When the machine runs out of memory, the
    system kills this process first.
    """
    bounds = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: _OPEN_FILES,
        resource.RLIMIT_FSIZE: policy.disk_mb * 2**20,
    }
    if processes is not None:
        bounds[resource.RLIMIT_NPROC] = processes
    for kind, wanted in bounds.items():
        allowed = within_limit(kind, wanted)
        resource.setrlimit(kind, (allowed, allowed))
    Path("/proc/self/oom_score_adj").write_text("1000")


def _end_with_us() -> Step:
    return Step("end with the referee", partial(die_with_parent, os.getpid(), signal.SIGKILL))


def _filter(allocation: Allocation, machine: str) -> bytes:
    """The filter of system calls. Only in a namespace is every process and socket in sight the
    player's. A process may choose cores for all processes of its user: ours too, unless the player
    has one. A linker makes its output executable: a build under our own user may change modes, and
    so those of our files too, though not their contents.
    """
    alone = allocation.spec.policy.mode == "bwrap"
    own = alone or allocation.user is not None
    group = allocation.group
    bounds = group.bounds if group else frozenset()
    return seccomp.program(
        machine,
        own_cores=own and Guarantee.CPU in bounds,
        unix_sockets=alone,
        attributes=own or bool(allocation.spec.policy.writable),
        thaws=group is not None and group.freezes,
        memory_files=Guarantee.MEMORY in bounds,
    )


def _allow(rules: Ruleset, allocation: Allocation) -> None:
    visible, folder = allocation.visible, allocation.folder
    for path in visible_files.kernel():
        rules.allow(path, READ)
    for path in visible.writable if folder is None else (*visible.writable, folder):
        rules.allow(path, WRITE)
    for path in (*visible_files.programs(), *visible_files.settings(), *visible.readable):
        for part, access in _without(path, allocation.spec.policy.masked):
            rules.allow(part, access)
    for device in visible_files.DEVICES:
        rules.allow(device, Access.READ_FILE | Access.WRITE_FILE)


def _without(path: str, masked: Collection[str]) -> Iterator[tuple[str, Access]]:
    """The parts of a path to allow so that masked files stay closed: a folder with one in it is
    listed, and what it has now is opened one by one, but for links, which may lead anywhere.
    """
    if not any(visible_files.within(each, (path,)) for each in masked):
        yield path, READ
    elif path not in masked and Path(path).is_dir():
        yield path, Access.READ_DIR
        for entry in Path(path).iterdir():
            if not entry.is_symlink():
                yield from _without(str(entry), masked)


def _enter(rules: Ruleset, allocation: Allocation) -> None:
    """Allow also the paths that only the child sees, and enter."""
    if allocation.mounts is not None and allocation.mounts.private is not None:
        rules.allow("/proc", READ)
        for folder in PRIVATE:
            rules.allow(folder, READ | WRITE)
    else:
        rules.allow("/proc/self", READ)
    for folder in allocation.spec.policy.listable:
        rules.allow(folder, Access.READ_DIR)
    rules.restrict()


def _most_processes(allocation: Allocation) -> int | None:
    """The bound for all processes of the player's user; None where its group bounds its own, and
    the user has others.
    """
    most, group = allocation.spec.policy.processes, allocation.group
    if allocation.user is not None:
        return most
    if group is not None and Guarantee.PROCESSES in group.bounds:
        return None
    for pid, uid in owners():
        with suppress(OSError):  # it ended meanwhile
            most += Path(f"/proc/{pid}/task").stat().st_nlink - 2 if uid == os.getuid() else 0
    return most
