"""A player's container: its start, its use of the machine, its freezing, its end."""

import os
import signal
import subprocess
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

from arena.model.contender import Prepared
from arena.sandbox import launch, processes
from arena.sandbox.allocation import Allocation
from arena.sandbox.cgroups import Group
from arena.sandbox.features import Features, detect
from arena.sandbox.overload import Load, cpu_ms, sample
from arena.sandbox.users import User

_DEATH_S = 2.0  # for a killed process to be gone, on a host that is busy freeing its memory
_POLL_S = 0.0005


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
        self._means = detect() if features is None else features
        self.allocation: Allocation | None = None
        """The resources set aside for it; None in mode `none`."""
        self._player: int | None = None
        self._killed = False

    @property
    def group(self) -> Group | None:
        """Its control group; None without one."""
        return self.allocation.group if self.allocation is not None else None

    @property
    def _user(self) -> User | None:
        return self.allocation.user if self.allocation is not None else None

    def start(self) -> subprocess.Popen[bytes]:
        """Start the program, once. Raises PlayerFault (`start_failed`); OSError: the host fails."""
        mode = self.spec.policy.mode
        if mode == "none":
            self._launched = launch.bare(self.spec)
        else:
            self.allocation = Allocation(self.spec, self._cores, self._means)
            begin = launch.in_bwrap if mode == "bwrap" else launch.in_limits
            try:
                self._launched = begin(self.allocation, self._cores, self._means)
            except BaseException:
                self.allocation.close()
                raise
        self.pid = self._launched.process.pid
        """The process we started: the player's, or bubblewrap's outer one."""
        return self._launched.process

    def memory_bytes(self) -> int:
        """Memory of all its processes now."""
        used = self.group.memory_bytes() if self.group is not None else None
        return processes.resident_bytes(self.pid) if used is None else used

    def peak_bytes(self) -> int:
        """The most memory of all together, where the system says; else of its first process."""
        peak = self.group.peak_bytes() if self.group is not None else None
        return processes.peak_resident_bytes(self.player_pid()) if peak is None else peak

    def out_of_memory(self) -> bool:
        """Whether the system killed one of its processes for their memory limit."""
        return self.group is not None and self.group.oom_kills() > 0

    def cpu_ms(self) -> float | None:
        """CPU time of its first process; None when it is gone. Source: clock_getcpuclockid(3)."""
        try:
            return time.clock_gettime((~self.player_pid() << 3) | 2) * 1000
        except OSError:
            return None

    def player_pid(self) -> int:
        """Its first process, which in bubblewrap has two others above it."""
        if self.spec.policy.mode != "bwrap":
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
        if end is None or self.spec.policy.mode != "bwrap" or end.si_status <= 128:
            return end
        number = end.si_status - 128
        return os.waitid_result((end.si_pid, end.si_uid, end.si_signo, number, os.CLD_KILLED))

    def host_failure(self) -> str | None:
        """Once it is dead: why that was not the player's fault, or None."""
        status = self._launched.status
        if status is None or launch.report_of(status):
            return None
        return "bubblewrap ended before the player's program did"

    def load(self, others: Collection[int]) -> Load:
        """The load of its processes and its cores; `others` are pids of other players. Where
        neither group nor user shows whose a process is, processes that any player forked away count
        as this one's: no player can be excused by its own strays.
        """
        own = set(self._processes())
        used = self.group.cpu_ms() if self.group is not None else None
        if used is None:
            away = processes.strays({self.pid, *others}) if self._user is None else ()
            used = cpu_ms(own.union(*map(processes.tree, away)))
        bare = self._cores is None or self.spec.policy.mode == "none"
        cores = os.sched_getaffinity(0) if bare else self._cores
        return sample(own, used, cores or ())

    def _processes(self) -> Iterator[int]:
        """All known to be its own; some may come twice."""
        if self.group is not None:
            yield from self.group.processes()
        else:
            yield from processes.tree(self.pid)
            if self._user is not None:
                yield from self._user.processes()

    def freeze(self) -> None:
        """Stop all its processes where they are. Without a freezer by signals, which miss a process
        that is just being forked: freezing again stops that one too.
        """
        if self.group is not None and self.group.freezes:
            self.group.freeze()
        else:
            self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Continue its processes."""
        if self.group is not None and self.group.freezes:
            self.group.thaw()
        else:
            self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        for process in self._processes():  # each, before its children are looked for
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, number)

    def stop(self) -> None:
        """Kill its processes; `kill` reaps them."""
        processes.signal_tree(self.pid)

    def kill(self) -> None:
        """End every process in it, reap ours, and release its resources. Twice is fine. In mode
        `none`, or with our own user, processes that were forked away are not known here: a caller
        that is a subreaper gets them.
        """
        if self._killed:
            return
        self._killed = True
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        processes.kill_tree(self.pid)
        if self.group is not None:
            self.group.kill()
        elif self._user is not None:
            self._user.kill_all()
        with suppress(subprocess.TimeoutExpired):
            self._launched.process.wait(_DEATH_S)
        # Processes become our children when their parent dies, as bubblewrap's init.
        deadline = time.monotonic() + _DEATH_S
        while adopted := [pid for pid in processes.children() if self._is_its(pid)]:
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
        """Whether a child of ours belongs to this container, by its user, else by its session."""
        if self._user is not None:
            return Path(f"/proc/{pid}").stat().st_uid == self._user.uid
        return self.allocation is not None and os.getsid(pid) == self.pid
