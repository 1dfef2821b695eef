"""What a player is shown, and how root shows it to a user that owns nothing."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.model.containment import Policy
from arena.model.contender import Prepared
from arena.sandbox import mounts
from arena.sandbox.mounts import Mounts, PrivateFolders
from arena.sandbox.visible_files import Link, VisibleFiles, trail, visible_to

needs_views = pytest.mark.skipif(
    not mounts.mounts_possible(), reason="only root with CAP_SYS_ADMIN can mount here"
)
NOBODY = 65530


@pytest.fixture
def closed(tmp_path: Path) -> Path:
    """A folder nobody else may enter, with an open one inside and a secret next to that."""
    folder = tmp_path / "closed"
    (folder / "bot").mkdir(parents=True)
    (folder / "bot" / "file").write_text("bot")
    (folder / "secret").write_text("secret")
    for path, mode in ((folder, 0o700), (folder / "bot", 0o755), (folder / "bot" / "file", 0o644)):
        path.chmod(mode)
    return folder


def test_a_trail_names_every_link(tmp_path: Path) -> None:
    (tmp_path / "real" / "inner").mkdir(parents=True)
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to(tmp_path / "real")
    real, links = trail(f"{tmp_path}/one/./inner/../inner/file")
    assert real == f"{tmp_path}/real/inner/file"
    assert links == [
        Link(f"{tmp_path}/one", "two"),
        Link(f"{tmp_path}/two", f"{tmp_path}/real"),
    ]


def test_a_loop_of_links_has_an_end(tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to("one")
    assert trail(f"{tmp_path}/one")[0] == f"{tmp_path}/one"


def test_a_player_is_shown_what_it_needs(tmp_path: Path) -> None:
    for name in ("home/bin", "home/lib", "home/secrets", "data", "out", "bot"):
        (tmp_path / name).mkdir(parents=True)
    program = tmp_path / "home" / "bin" / "run"
    program.write_text("#!/usr/bin/env nothing\n")
    for name in ("script", "relative"):
        (tmp_path / name).touch()
    (tmp_path / "link").symlink_to("home")
    words = (str(tmp_path / "script"), "../relative", "../home", "/usr/bin/env", "/tmp")
    spec = Prepared(
        name="p",
        command=(str(tmp_path / "link" / "bin" / "run"), *words),
        cwd=str(tmp_path / "bot"),
        policy=Policy(
            shows_named=True,
            readable=(str(tmp_path / "data"), "/no/such/path", "/"),
            writable=(str(tmp_path / "out"),),
        ),
    )
    seen = visible_to(spec, spec.command[0], None)
    wanted = {"home/bin", "home/bin/run", "home/lib", "script", "relative", "bot", "data"}
    assert set(seen.readable) == {str(tmp_path / name) for name in wanted}
    assert seen.writable == (str(tmp_path / "out"),)
    assert seen.links == (Link(str(tmp_path / "link"), "home"),)


def test_a_virtual_environment_brings_its_python() -> None:
    spec = Prepared(name="p", command=(sys.executable,))
    seen = visible_to(spec, sys.executable, None)
    for prefix in {sys.prefix, sys.base_prefix} - {"/usr"}:
        assert os.path.realpath(Path(prefix, "lib")) in seen.readable


def test_only_closed_folders_are_covered(closed: Path) -> None:
    shown_ = VisibleFiles((str(closed / "bot"), "/etc/passwd"), (), ())
    plan = Mounts.of(shown_, None)
    assert any(str(closed).startswith(folder) for folder in plan.hidden)
    assert plan.readable == (str(closed / "bot"),)
    assert plan.private is None


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def in_view(plan: Mounts, act: Callable[[], bool]) -> bool:
    """What a child finds who entered the view and then owns nothing."""
    pid = os.fork()
    if pid == 0:
        try:
            plan.enter()
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
            os._exit(0 if act() else 1)
        finally:
            os._exit(2)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert code in (0, 1)
    return code == 0


@needs_views
def test_a_user_that_owns_nothing_sees_what_is_shown_alone(closed: Path) -> None:
    mounts = Path("/proc/self/mountinfo").read_text()
    link = Link(str(closed / "other"), "bot")
    plan = Mounts.of(VisibleFiles((str(closed / "bot"),), (), (link,)), None)

    def reads() -> bool:
        through = closed / "other" / "file"
        return through.read_text() == "bot" and names(closed) == ["bot", "other"]

    assert in_view(plan, reads)
    assert Path("/proc/self/mountinfo").read_text() == mounts
    assert names(closed) == ["bot", "secret"]


@needs_views
def test_private_folders_are_bounded_in_sum(closed: Path) -> None:
    plan = Mounts.of(VisibleFiles((str(closed / "bot"),), (), ()), PrivateFolders(NOBODY, 2))

    def fills() -> bool:
        written = 0
        try:
            for place in ("/tmp", "/dev/shm", "/var/tmp"):
                with Path(place, "mine").open("wb", buffering=0) as file:
                    while True:
                        written += file.write(bytes(4096))
        except OSError:
            seen = {int(name) for name in names(Path("/proc")) if name.isdecimal()}
            return written <= 2 << 20 and seen == {os.getpid()} and (closed / "bot").is_dir()
        return False

    assert in_view(plan, fills)
    assert not Path("/tmp/mine").exists()
