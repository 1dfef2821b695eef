"""The resources of this machine set aside for one contained player, and released after it."""

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from arena.model.contender import Prepared
from arena.model.protocol import Termination
from arena.model.record import PlayerFault
from arena.sandbox import leftovers, users
from arena.sandbox.bwrap import HOME
from arena.sandbox.cgroups import Bounds, Group
from arena.sandbox.features import Features
from arena.sandbox.mounts import Mounts, PrivateFolders, closed_folders, mounts_possible
from arena.sandbox.spawn import find_program, interpreter
from arena.sandbox.stand_ins import past_stand_ins
from arena.sandbox.users import User
from arena.sandbox.visible_files import VisibleFiles, names_file, visible_to, within

_KEPT = ("PATH", "LANG", "LC_ALL", "TZ")
"""Variables every program needs; the rest of the environment stays outside."""


class Allocation:
    """A control group, a user, folders and an environment. Raises PlayerFault (`start_failed`);
    OSError: the host fails.
    """

    group: Group | None = None  # None where this process can make none
    user: User | None = None  # None where the player keeps ours: always, unless we are root
    user_kept: str | None = None
    """A file that keeps root from giving the player a user of its own; None where none does."""
    mounts: Mounts | None = None  # None where no mounts can be made, or none are needed
    home: str = HOME
    folder: str | None = None  # its private folder where that is on this machine's disk
    visible = VisibleFiles((), (), ())

    def __init__(self, spec: Prepared, cores: tuple[int, ...] | None, features: Features) -> None:
        self.spec = spec
        try:
            self._prepare(cores, features)
        except BaseException:
            self.close()
            raise

    def _prepare(self, cores: tuple[int, ...] | None, features: Features) -> None:
        policy = self.spec.policy
        environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
        environment |= policy.environment
        search = past_stand_ins(self.spec, environment.get("PATH"))
        environment |= {"PATH": search} if search is not None else {}
        self.program = find_program(self.spec, search)
        self.visible = visible_to(self.spec, self.program, search)
        if features.root and users.can_become():
            self._take_user()
        if features.cgroups:
            self.group = Group.create(Bounds(self.spec.memory_mb, policy.processes, cores))
        if policy.mode == "limits" and (self.mounts is None or self.mounts.private is None):
            self.home = self.folder = leftovers.private_folder()
            self._own([self.folder])
        self._own(self.visible.writable)
        self.environment = {"HOME": self.home, "TMPDIR": self.home} | environment

    def _take_user(self) -> None:
        """Take a user of its own, where that user can see the files the player needs."""
        viewable = mounts_possible()
        if not viewable:
            for path in (self.program, *self.visible.readable, *self.visible.writable):
                if closed_folders(path):
                    self.user_kept = path
                    return
        self.user = User()
        self._judge_readable()
        if viewable:
            policy, private = self.spec.policy, None
            if policy.mode == "limits":
                private = PrivateFolders(self.user.uid, policy.disk_mb)
            self.mounts = Mounts.of(self.visible, private, policy.masked, self.cwd)

    def _judge_readable(self) -> None:
        programs = [self.program]
        with suppress(OSError):  # may be run and not read
            programs += interpreter(self.program)[:1]
        environment = Path(self.program).parent.parent
        settings = str(environment / "pyvenv.cfg")  # which its Python reads before all else
        words = (str(Path(self.cwd, word)) for word in self.spec.command[1:])
        for word in (*programs, settings, *words):
            path, is_program = Path(word), word in programs
            if not names_file(word) or not within(str(path.resolve()), self.visible.readable):
                continue
            if not path.stat().st_mode & (stat.S_IXOTH if is_program else stat.S_IROTH):
                do = f"chmod o+r{'x' * is_program} {path}"
                if Path(settings).exists() and path.is_relative_to(environment):
                    do = f"chmod -R go+rX {environment}"  # installed by a umask that closes all
                raise PlayerFault(
                    Termination.START_FAILED,
                    f"{path} is closed to other users, and a contained player runs as a user "
                    f"that owns nothing: {do}.",
                )

    def _own(self, folders: Iterable[str]) -> None:
        if self.user is not None:
            users.hand_over(folders, self.user.uid, self.user.uid)

    def close(self) -> None:
        """Release everything; the player's processes are gone. Twice is fine."""
        if self.user is not None:
            users.hand_over(self.visible.writable, os.geteuid(), os.getegid())
        if self.folder is not None:
            with suppress(FileNotFoundError):
                leftovers.remove(self.folder)
        if self.group is not None:
            self.group.remove()
        if self.user is not None:
            self.user.close()
        self.folder = self.group = self.user = None

    @property
    def cwd(self) -> str:
        return str(Path(self.spec.cwd).resolve()) if self.spec.cwd is not None else self.home
