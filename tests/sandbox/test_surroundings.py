"""What a contained player has of the machine: its environment, names, files and rights."""

import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from arena.model.containment import Mode, Policy
from arena.model.contender import Prepared
from arena.model.record import PlayerFault
from arena.sandbox.container import Container
from arena.sandbox.features import Features, detect
from arena.sandbox.processes import gathering

from .conftest import WEAK, Open, line, python

pytestmark = pytest.mark.slow


def test_its_surroundings_are_its_own(started: Open, contained: Mode) -> None:
    code = """
import os, resource
files = sorted(map(int, os.listdir("/proc/self/fd")))[:-1]
at_home = os.getcwd() == os.environ["HOME"] == os.environ["TMPDIR"]
assert resource.getrlimit(resource.RLIMIT_NOFILE)[1] <= 1024
print(sorted(os.environ), resource.getrlimit(resource.RLIMIT_CORE), at_home, files)
"""
    spec = python(code, contained)
    with Path("/etc/passwd").open() as inherited:
        os.set_inheritable(inherited.fileno(), True)
        told = line(
            started(
                spec.model_copy(
                    update={"policy": spec.policy.model_copy(update={"environment": {"OWN": "1"}})}
                )
            )
        )
    environment, _, rest = told.partition("]")
    known = {"HOME", "TMPDIR", "PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "PWD", "OWN"}
    assert set(environment.strip("[").replace("'", "").split(", ")) <= known
    assert "'OWN'" in environment
    assert rest == " (0, 0) True [0, 1, 2]"


def test_programs_of_others_give_it_no_rights() -> None:
    """On a machine too that has neither Landlock nor filters, which ask for it themselves."""
    bare = replace(detect(), landlock=0, seccomp=None)
    code = "print([line for line in open('/proc/self/status') if 'NoNewPrivs' in line], flush=True)"
    container = Container(python(f"{code}; input()", "limits"), None, bare)
    with container.start() as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"['NoNewPrivs:\\t1\\n']\n"
        container.kill()


@pytest.mark.skipif(detect().seccomp is None, reason="no filter is made for this machine")
def test_no_name_is_taken_from_other_referees(started: Open) -> None:
    """In limits the names of sockets are the machine's, and those of players' users among them."""
    code = """
import socket
for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
    try:
        socket.socketpair(socket.AF_UNIX, kind)[0].bind("\\0arena-uid-61184")
        print("taken", flush=True)
    except PermissionError:
        print("refused", flush=True)
input()
"""
    process = started(python(code, "limits"))
    assert [line(process), line(process)] == ["refused", "refused"]


@pytest.mark.parametrize("means", [detect(), WEAK], ids=["all", "weak"])
def test_masked_files_are_kept_from_it(
    started: Open,
    contained: Mode,
    means: Features,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By mounts, and by Landlock where an ordinary user has nothing else."""
    monkeypatch.setattr("arena.sandbox.container.detect", lambda: means)
    (tmp_path / "link").symlink_to("/etc")
    (tmp_path / "near").symlink_to("own")
    for name in ("own", "store"):
        (tmp_path / name).write_text(name)
    code = """
for name in ("own", "store", "store-wal", "link/hosts", "near"):
    try:
        print(open(name).read() or "nothing", flush=True)
    except OSError:
        print("closed", flush=True)
input()
"""
    masked = tuple(str(tmp_path / name) for name in ("store", "store-wal", "/etc/hostname"))
    policy = Policy(mode=contained, masked=masked)
    process = started(python(code, contained, cwd=str(tmp_path), policy=policy))
    assert line(process) == "own"
    assert line(process) in ("nothing", "closed")
    assert line(process) == "closed"  # and nothing was made where there was none
    assert line(process) == "closed"  # nor is what a link leads to its own
    assert line(process) == "own"
    assert (tmp_path / "store").read_text() == "store"


@pytest.mark.parametrize("place", ["", "/opt"])
def test_a_masked_file_in_a_private_folder_stays_masked(
    started: Open, contained: Mode, tmp_path: Path, place: str
) -> None:
    """Also where all players see the folder, and once it is opened to others."""
    if place and not os.access(place, os.W_OK):
        pytest.skip(f"{place} may not be written")
    with TemporaryDirectory(dir=place or tmp_path) as name:
        Path(name).chmod(0o755)
        runs = Path(name, "runs")
        runs.mkdir(mode=0o700)
        (runs / "store").write_text("store")
        code = f"""
input()
try:
    print(open("{runs}/store").read() or "nothing", flush=True)
except OSError:
    print("closed", flush=True)
input()
"""
        policy = Policy(mode=contained, masked=(str(runs / "store"),))
        process = started(python(code, contained, cwd=name, policy=policy))
        runs.chmod(0o755)
        process.write(b"\n", time.monotonic_ns() + 10**10)
        assert line(process) in ("nothing", "closed")


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_it_plays_in_a_home_of_which_it_sees_nothing(
    started: Open, contained: Mode, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mask: int
) -> None:
    """Nor do the rights of what is made for it depend on the umask of the referee."""
    (tmp_path / "secret").write_text("secret")
    monkeypatch.setenv("HOME", str(tmp_path))
    code = """
import os
try:
    print(os.getcwd(), len(open("secret").read()), flush=True)
except OSError:
    print(os.getcwd(), "closed", flush=True)
input()
"""
    before = os.umask(mask)
    try:
        process = started(python(code, contained, cwd=str(tmp_path)))
    finally:
        os.umask(before)
    assert line(process) == f"{tmp_path} closed"


def test_files_are_bounded(started: Open, contained: Mode) -> None:
    code = """
import os
home = os.environ["HOME"]
try:
    with open(home + "/big", "wb") as file:
        while True:
            file.write(bytes(1 << 20))
except OSError:
    print(os.path.getsize(home + "/big") <= 16 << 20, flush=True)
try:
    open("/etc/arena-test", "w")
except OSError as error:
    print("refused", flush=True)
input()
"""
    process = started(python(code, contained))
    assert (line(process), line(process)) == ("True", "refused")


def test_what_it_builds_outlives_it_and_is_ours(contained: Mode, tmp_path: Path) -> None:
    folder = tmp_path / "closed" / "work"
    folder.mkdir(parents=True)
    (folder / "source").write_text("text")
    folder.parent.chmod(0o700)
    code = "import os; os.mkdir('sub'); open('sub/made', 'w').write(open('source').read())"
    policy = Policy(mode=contained, writable=(str(folder),))
    container = Container(python(code, contained, cwd=str(folder), policy=policy))
    with gathering():
        process = container.start()
        out, err = process.communicate(timeout=30)
        container.kill()
    assert (process.returncode, out, err) == (0, b"", b"")
    made = folder / "sub" / "made"
    assert made.read_text() == "text"
    assert {path.stat().st_uid for path in (folder, made, made.parent)} == {os.geteuid()}


def test_a_file_closed_to_its_user_is_named(contained: Mode, tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("an ordinary user's players run as that user")
    bot = tmp_path / "bot.py"
    bot.write_text("")
    bot.chmod(0o600)
    policy = Policy(mode=contained, readable=(str(bot),))
    spec = Prepared(name="p", command=(sys.executable, str(bot)), policy=policy)
    with pytest.raises(PlayerFault, match=r"bot\.py is closed to other users.*chmod o\+r /"):
        Container(spec).start()


def test_an_environment_that_was_installed_closed_is_opened_whole(
    contained: Mode, tmp_path: Path
) -> None:
    if os.geteuid() != 0:
        pytest.skip("an ordinary user's players run as that user")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").symlink_to(sys.executable)
    (tmp_path / "pyvenv.cfg").touch(mode=0o600)
    spec = Prepared(
        name="p", command=(str(tmp_path / "bin" / "python"),), policy=Policy(mode=contained)
    )
    with pytest.raises(PlayerFault, match=rf"pyvenv\.cfg is closed.*chmod -R go\+rX {tmp_path}\."):
        Container(spec).start()


def test_a_folder_closed_to_its_user_is_opened_to_it(contained: Mode, tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o700)
    (folder / "bot.py").write_text("import part; print(part.TEXT)")
    (folder / "part.py").write_text("TEXT = 'whole'")
    (folder / "bot.py").chmod(0o644)
    command = (sys.executable, "-S", "bot.py")
    policy = Policy(mode=contained)
    container = Container(Prepared(name="p", command=command, cwd=str(folder), policy=policy))
    with gathering():
        out, err = container.start().communicate(timeout=30)
        container.kill()
    assert (out, err) == (b"whole\n", b"")


def test_a_step_that_fails_in_the_child_is_the_hosts_fault(
    contained: Mode, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device", "/dev/null")

    monkeypatch.setattr("arena.sandbox.launch.die_with_parent", fail)
    with pytest.raises(
        OSError, match="could not end with the referee: No space left on device at /dev/null"
    ):
        Container(python("pass", contained)).start()
