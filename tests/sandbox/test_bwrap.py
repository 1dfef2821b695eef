"""The command line of bubblewrap, and what a program sees inside."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.model.containment import Policy
from arena.model.contender import Prepared
from arena.sandbox.bwrap import command
from arena.sandbox.container import Container
from arena.sandbox.features import detect
from arena.sandbox.processes import gathering
from arena.sandbox.visible_files import Link, VisibleFiles

BWRAP = detect().bwrap
pytestmark = pytest.mark.skipif(BWRAP is None, reason="bubblewrap is not installed")


def run(code: str, **policy: object) -> list[str]:
    """The lines that this code prints inside."""
    asked = Policy.model_validate({"mode": "bwrap", "disk_mb": 8} | policy)
    words = (sys.executable, "-I", "-S", "-c", code)
    container = Container(Prepared(name="p", command=words, policy=asked))
    with gathering():
        out, err = container.start().communicate(timeout=30)
        container.kill()
    assert err == b""
    return out.decode().splitlines()


HOLDING = """
import os
from arena.sandbox.bwrap import MOVED_STDOUT, reserve_fds
from tests.sandbox.test_bwrap import run

with reserve_fds():
    fonts = [open("/etc/passwd") for _ in range(4)]
    assert fonts[0].fileno() > MOVED_STDOUT
    os.register_at_fork(after_in_child=lambda: [font.close() for font in fonts])
    print(*run("print('inside')"))
"""


def test_it_starts_next_to_a_library_that_closes_its_files_in_forked_children() -> None:
    root = Path(__file__).parents[2]
    words = [sys.executable, "-c", HOLDING]
    done = subprocess.run(words, cwd=root, check=False, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("inside\n", "")


def test_outer_folders_come_first_and_what_may_be_written_is_marked() -> None:
    seen = VisibleFiles(("/a", "/a/b/c"), ("/a/b",), (Link("/a/l", "b"), Link("/m", "a")))
    assert BWRAP is not None
    words = command(BWRAP, ("/a/p",), "/a", Policy(), seen, emptied=(), filter_fd=7, status_fd=8)
    text = " ".join(words)
    assert "--ro-bind /a /a --bind /a/b /a/b --ro-bind /a/b/c /a/b/c --symlink a /m" in text
    assert "/a/l" not in text  # it is inside what is shown
    assert words[-1] == "/a/p"
    assert text.index("--remount-ro /") > text.index("--symlink a /m")


def test_the_system_is_there_and_nothing_can_be_written_but_the_private_folders() -> None:
    code = """
import os
for place in ("/", "/usr", "/etc", "/dev", "/proc", "/tmp", "/var/tmp", "/dev/shm"):
    try:
        open(os.path.join(place, "made"), "w").close()
        print(place)
    except OSError:
        pass
"""
    assert run(code) == ["/tmp", "/var/tmp", "/dev/shm"]
    assert not Path("/tmp/made").exists()


def test_it_is_alone() -> None:
    code = """
import os
print(len([name for name in os.listdir("/proc") if name.isdecimal()]), os.getppid())
print(os.path.exists("/home"), os.path.exists("/etc/shadow"), os.getcwd())
print(os.listdir("/tmp") + os.listdir("/dev/shm"))
"""
    where = Path(sys.executable).parts  # of a folder for all only what the player needs is there
    shown_here = [where[2]] if where[1] == "tmp" else []
    processes, homes, private = run(code)
    assert processes == "2 1"
    assert homes == "False False /tmp"
    assert private == str(shown_here)


def test_its_processes_are_counted_inside() -> None:
    code = "import resource; print(resource.getrlimit(resource.RLIMIT_NPROC))"
    assert run(code, processes=17) == ["(17, 17)"]


LIMITED = """
import resource
from tests.sandbox.test_bwrap import run

resource.setrlimit(resource.RLIMIT_NPROC, (9000, 9000))
print(*run("import resource; print(resource.getrlimit(resource.RLIMIT_NPROC))", processes=9999))
"""


def test_it_has_no_more_processes_than_the_system_allows_us() -> None:
    words, root = [sys.executable, "-c", LIMITED], Path(__file__).parents[2]
    done = subprocess.run(words, cwd=root, check=False, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("(9000, 9000)\n", "")


@pytest.mark.skipif(not Path("/etc/alternatives/awk").is_symlink(), reason="no alternatives here")
def test_a_program_behind_the_systems_links_starts() -> None:
    container = Container(Prepared(name="p", command=("awk", "1"), policy=Policy(mode="bwrap")))
    with gathering():
        out, err = container.start().communicate(b"line\n", timeout=30)
        container.kill()
    assert (out, err) == (b"line\n", b"")


def test_the_status_tells_whose_fault_an_end_is(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = Prepared(name="p", command=("true",), policy=Policy(mode="bwrap"))
    container = Container(spec)
    with gathering():
        container.start().communicate(timeout=30)
        assert container.host_failure() is None
        container.kill()
    broken = Container(spec.model_copy(update={"cwd": os.devnull}))
    monkeypatch.setattr("arena.sandbox.allocation.find_program", lambda *_: "/usr/bin/true")
    with gathering():
        process = broken.start()
        _, err = process.communicate(timeout=30)
        assert b"bwrap" in err
        assert broken.host_failure() == "bubblewrap ended before the player's program did"
        broken.kill()


def test_right_in_a_home_a_player_sees_its_own_file_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    tmp_path.chmod(0o755)
    bot, secret = tmp_path / "bot.py", tmp_path / "id_ed25519"
    bot.write_text("import os; print(os.listdir(os.path.dirname(__file__)))")
    secret.write_text("secret")
    words = (sys.executable, "-I", "-S", str(bot))
    policy = Policy(mode="bwrap", readable=(str(bot),))
    container = Container(Prepared(name="p", command=words, cwd=str(tmp_path), policy=policy))
    with gathering():
        out, _ = container.start().communicate(timeout=30)
        container.kill()
    assert out.decode().strip() == "['bot.py']"
