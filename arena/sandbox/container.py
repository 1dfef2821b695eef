"""A player's container: its start, its use of the machine, its freezing, its end."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from arena.model.containment import Guarantee
from arena.model.contender import Prepared
from arena.sandbox import launch, processes
from arena.sandbox.allocation import Allocation
from arena.sandbox.cgroups import Group
from arena.sandbox.features import Features, detect, oom_kills, refused_processes
from arena.sandbox.overload import Load, cpu_ms, sample
from arena.sandbox.users import User

_DEATH_S = 2.0  # for a killed process to be gone, on a host that is busy freeing its memory
_POLL_S = 0.0005
_PASSES = 100  # of a signal to all processes, while new ones are found
_STARTED: set[int] = set()
"""The first process of each container that this process has started and not ended."""


class Container:
    """One player's processes, contained as its `sandbox` says. `cores`: those it may run on in a
    sandbox; None for the caller's. `features`: those of this machine that may be used, by default
    all. Call `start` before any other method.
    """

    def __init__(
        self, spec: Prepared, cores: tuple[int, ...] | None = None, features: Features | None = None
    ) -> None:
        self.spec = spec
        self._cores = cores
        self._features = detect() if features is None else features
        self.allocation: Allocation | None = None
        """The resources set aside for it; None in mode `none`."""
        self._player: int | None = None
        self._killed = False

    @property
    def group(self) -> Group | None:
        return self.allocation.group if self.allocation is not None else None

    @property
    def user(self) -> User | None:
        return self.allocation.user if self.allocation is not None else None

    @property
    def freezer(self) -> Group | None:
        """Its group, where that can stop its processes; else signals do."""
        return self.group if self.group is not None and self.group.freezes else None

    def start(self) -> subprocess.Popen[bytes]:
        """Start the program, once. Raises PlayerFault (`start_failed`); OSError: the host fails."""
        mode = self.spec.policy.mode
        processes.become_subreaper()  # its orphans come to us once its first process is dead
        self._before = processes.children()
        self._refused = refused_processes()
        if mode == "none":
            self._oom_kills = self._kills_around()
            self._launched = launch.bare(self.spec)
        else:
            self.allocation = Allocation(self.spec, self._cores, self._features)
            begin = launch.in_bwrap if mode == "bwrap" else launch.in_limits
            try:
                self._oom_kills = self._kills_around()
                self._launched = begin(self.allocation, self._cores, self._features)
            except BaseException:
                self.allocation.close()
                raise
        self.pid = self._launched.process.pid
        """The process we started: the player's, or bubblewrap's outer one."""
        _STARTED.add(self.pid)
        return self._launched.process

    @contextmanager
    def running(self) -> Iterator[subprocess.Popen[bytes]]:
        """Start the program as `start` does; at the end all is ended, and its pipes are closed."""
        process = self.start()
        try:
            yield process
        finally:
            self.kill()
            for pipe in (process.stdin, process.stdout, process.stderr):
                if pipe is not None:
                    pipe.close()

    def memory_bytes(self) -> int:
        """Memory of all its processes now that cannot be dropped. Where no control group counts it,
        pages that several of them share count for each, unless that goes beyond the limit:
        distinguishing them takes long.
        """
        used = self.group.memory_bytes() if self.group is not None else None
        if used is not None:
            return used
        own, limit_mb = set(self.processes()), self.spec.memory_mb
        used = sum(map(processes.held_bytes, own))
        beyond = limit_mb is not None and used > limit_mb * 2**20
        return sum(map(processes.proportional_bytes, own)) if beyond else used

    def file_bytes(self) -> int:
        """The part of its memory that is files, as in `/tmp`; 0 where they do not count."""
        return self.group.file_bytes() if self.group is not None else 0

    def peak_bytes(self) -> int:
        """The most memory of all together, where the system says; else of its first process."""
        peak = self.group.peak_bytes() if self.group is not None else None
        return processes.peak_resident_bytes(self.player_pid()) if peak is None else peak

    def out_of_memory(self) -> bool:
        """Whether the system killed one of its processes for their memory limit."""
        return self.group is not None and self.group.oom_kills() > 0 and self.group.was_full()

    def cpu_ms(self) -> float | None:
        """CPU time of its first process; None when it is gone. Source: clock_getcpuclockid(3)."""
        pid = self._player or self.player_pid()
        try:
            return time.clock_gettime((~pid << 3) | 2) * 1000
        except OSError:
            return None

    def player_pid(self) -> int:
        """Its first process, which in bubblewrap has two others above it."""
        if self.spec.policy.mode != "bwrap":
            self._player = self.pid
            return self.pid
        if self._player is None:
            inside = [
                pid for init in processes.children(self.pid) for pid in processes.children(init)
            ]
            if len(inside) != 1:
                return self.pid  # not there yet, or gone
            self._player = inside[0]
        return self._player

    def end(self) -> os.waitid_result | None:
        """How the player ended, once it has; it is left to be reaped. bubblewrap reports a signal
        as shells do, by a code above 128, and so may a player itself.
        """
        end = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
        if end is None or self.spec.policy.mode != "bwrap":
            return end
        number = end.si_status - 128
        if number not in signal.valid_signals():
            return end
        return os.waitid_result((end.si_pid, end.si_uid, end.si_signo, number, os.CLD_KILLED))

    def host_failure(self) -> str | None:
        """Once it is dead: why that was not the player's fault, or None."""
        inside = self.group is not None and self.group.oom_kills() > 0 and not self.group.was_full()
        if inside or self._kills_around() > self._oom_kills:
            return (
                "the system ended a process of a player, as this machine, or the control group "
                "that the arena is in, had no memory left: lower concurrency or memory_mb"
            )
        around = self.group is not None and self.group.was_refused_processes()
        if around or refused_processes() > self._refused:
            return (
                "the control group that the arena is in let no further process or thread start, "
                "and then a player ended: raise its pids.max, or lower concurrency"
            )
        status = self._launched.status
        if status is None or launch.saw_end(status):
            return None
        return "bubblewrap ended before the player's program did"

    def _kills_around(self) -> int:
        """Those for memory in the groups that the arena is in; 0 where its own counts its own."""
        counts = self.group is not None and Guarantee.MEMORY in self.group.bounds
        return 0 if counts else oom_kills()

    def load(self) -> Load:
        own = set(self.processes())
        used = self.group.cpu_ms() if self.group is not None else None
        bare = self._cores is None or self.spec.policy.mode == "none"
        cores = os.sched_getaffinity(0) if bare else self._cores
        return sample(own, cpu_ms(own) if used is None else used, cores or ())

    def processes(self) -> Iterator[int]:
        """All known to be its own; some may come twice."""
        if self.group is not None:
            yield from self.group.processes()
            return
        yield from processes.tree(self.pid)
        if self.user is not None:
            yield from self.user.processes()
        elif self._dead():
            for stray in self._strays():
                yield from processes.tree(stray)

    def _dead(self) -> bool:
        try:
            options = os.WEXITED | os.WNOHANG | os.WNOWAIT
            return os.waitid(os.P_PID, self.pid, options) is not None
        except ChildProcessError:  # reaped
            return True

    def _strays(self) -> Iterator[int]:
        """The processes it left to us by its death, the dead ones reaped: a living player's orphans
        stay in its tree.
        """
        if self.spec.policy.mode == "bwrap":  # they die with their namespace
            return
        for pid in self._new_children():
            if processes.is_foreign(pid) and os.waitpid(pid, os.WNOHANG) == (0, 0):
                yield pid

    def _new_children(self) -> frozenset[int]:
        """Our children since its start, but for what other containers started."""
        return processes.children() - self._before - _STARTED

    def freeze(self) -> None:
        """Stop all its processes where they are. Without a freezer by signals, which miss a process
        that is just being forked: freezing again stops that one too.
        """
        if group := self.freezer:
            group.freeze()
        else:
            self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        if group := self.freezer:
            group.thaw()
        else:
            self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        """To each, before its children are looked for; again while there are new ones."""
        sent: set[int] = set()
        for _ in range(_PASSES):
            known = len(sent)
            for process in self.processes():
                if process not in sent:
                    sent.add(process)
                    with suppress(ProcessLookupError, PermissionError):
                        os.kill(process, number)
            if len(sent) == known:
                return

    def stop(self) -> None:
        """Kill its processes; `kill` reaps them."""
        self._signal(signal.SIGKILL)

    def kill(self) -> None:
        """End every process in it, reap ours, and release its resources. Twice is fine."""
        if self._killed:
            return
        self._killed = True
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        processes.kill_tree(self.pid)
        if self.group is not None:
            self.group.kill()
        elif self.user is not None:
            self.user.kill_all()
        else:
            processes.kill_all(self._strays)
        with suppress(subprocess.TimeoutExpired):
            self._launched.process.wait(_DEATH_S)
        _STARTED.discard(self.pid)
        # Processes become our children when their parent dies, as bubblewrap's init.
        deadline = time.monotonic() + _DEATH_S
        while adopted := [pid for pid in self._new_children() if self._is_its(pid)]:
            for pid in adopted:
                os.waitpid(pid, os.WNOHANG)
            if time.monotonic() > deadline:
                break
            time.sleep(_POLL_S)
        if self._launched.status is not None:
            os.close(self._launched.status)
        if self.allocation is not None:
            self.allocation.close()

    def _is_its(self, pid: int) -> bool:
        """Whether a new child belongs to this container, by its user, else by its session."""
        if self.user is not None:
            return Path(f"/proc/{pid}").stat().st_uid == self.user.uid
        init = pid if self.spec.policy.mode == "bwrap" else self.pid  # which has its own session
        return self.allocation is not None and os.getsid(pid) in (self.pid, init)
