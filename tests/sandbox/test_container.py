"""A player's containment as a whole: the same ends in every mode, and nothing left after it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from arena.model.containment import Mode, Policy
from arena.model.contender import Prepared
from arena.model.protocol import Termination
from arena.model.record import PlayerFault
from arena.referee.transport import PlayerProcess
from arena.sandbox import processes
from arena.sandbox.container import Container
from arena.sandbox.features import Features, detect
from arena.sandbox.processes import gathering

T = Termination
PATIENT_NS = 20_000_000_000


WEAK = replace(detect(), cgroups=False, root=False)
"""What an ordinary user has."""


def modes() -> list[str]:
    return ["none", "limits", *(["bwrap"] if detect().bwrap else [])]


@pytest.fixture(params=modes())
def mode(request: pytest.FixtureRequest) -> Mode:
    value: Mode = request.param
    return value


@pytest.fixture(params=modes()[1:])
def contained(request: pytest.FixtureRequest) -> Mode:
    value: Mode = request.param
    return value


def python(code: str, mode: Mode, **more: object) -> Prepared:
    """A player that runs this code."""
    policy = Policy(mode=mode, disk_mb=16, processes=64)
    command = (sys.executable, "-I", "-S", "-c", code)
    return Prepared.model_validate(
        {"name": "p", "command": command, "policy": policy, "memory_mb": 256} | more
    )


Open = Callable[[Prepared], PlayerProcess]


@pytest.fixture
def started() -> Iterator[Open]:
    """Starts players, and ends them after the test."""
    processes: list[PlayerProcess] = []

    def open_(spec: Prepared) -> PlayerProcess:
        processes.append(PlayerProcess(spec))
        return processes[-1]

    with gathering():
        yield open_
        for process in processes:
            process.kill()


def line(process: PlayerProcess) -> str:
    return process.read_line(time.monotonic_ns() + PATIENT_NS).text.decode()


def fault(process: PlayerProcess, wait_ns: int = PATIENT_NS) -> PlayerFault:
    with pytest.raises(PlayerFault) as raised:
        process.read_line(time.monotonic_ns() + wait_ns)
    return raised.value


@pytest.mark.parametrize(
    ("code", "word", "told"),
    [
        ("import os, time; os.close(1); time.sleep(60)", T.STDOUT_CLOSED, "closed its stdout"),
        ("import os; os.kill(os.getpid(), 11)", T.EXITED, "ended by SIGSEGV"),
        ("import sys; sys.exit('bye')", T.EXITED, "with code 1 before `quit` was sent. The end of"),
        ("raise SystemExit(0)", T.EXITED, "with code 0"),
    ],
)
def test_ends_are_told_alike(
    started: Open, mode: Mode, code: str, word: Termination, told: str
) -> None:
    found_ = fault(started(python(code, mode)))
    assert found_.termination is word
    assert told in found_.detail


def test_an_end_right_after_the_answer_is_no_closed_stdout(
    started: Open, contained: Mode, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though the program is stopped at that moment, and bubblewrap with it."""
    monkeypatch.setattr("arena.sandbox.container.detect", lambda: WEAK)
    for _ in range(20):
        spec = python("", contained, command=("/bin/sh", "-c", "echo 1; echo bye >&2; exit 3"))
        process = started(spec)
        assert line(process) == "1"
        process.freeze()
        with pytest.raises(PlayerFault) as raised:
            while True:
                process.expect_silence()
                process._thaw()
                process.freeze()
        assert raised.value.termination is T.EXITED
        assert "exited with code 3" in raised.value.detail
        assert "bye" in raised.value.detail


def test_a_closed_stdin_is_seen(started: Open, mode: Mode) -> None:
    process = started(
        python("import os, time; os.close(0); print(1, flush=1); time.sleep(60)", mode)
    )
    assert line(process) == "1"
    with pytest.raises(PlayerFault) as raised:
        process.write(b"\n", time.monotonic_ns() + PATIENT_NS)
    assert raised.value.termination is T.STDIN_CLOSED


def test_a_line_goes_in_and_out(started: Open, mode: Mode) -> None:
    process = started(python("print(input()[::-1], flush=True); input()", mode))
    process.write(b"abc\n", time.monotonic_ns() + PATIENT_NS)
    assert line(process) == "cba"


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (("no-such-program",), "There is no program no-such-program."),
        (("/no/such/program",), "There is no program /no/such/program."),
        (("/etc/passwd",), "may not be run"),
        (("{}/script",), "The interpreter in the #! line of {}/script does not exist."),
        (("{}/text",), "{}/text is no program for this machine"),
        (("echo", "a\0b"), "has a NUL character in it"),
    ],
)
def test_what_cannot_start_is_told_alike(
    tmp_path: Path, mode: Mode, command: tuple[str, ...], told: str
) -> None:
    for name, text in (("script", "#!/no/such/interpreter\n"), ("text", "hello")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    words = tuple(word.replace("{}", str(tmp_path)) for word in command)
    spec = Prepared(name="p", command=words, policy=Policy(mode=mode))
    with pytest.raises(PlayerFault) as raised:
        Container(spec).start()
    assert raised.value.termination is T.START_FAILED
    assert told.replace("{}", str(tmp_path)) in raised.value.detail


DAEMON = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        {act}
        time.sleep(60)
    os._exit(0)
os.wait()
print("away", flush=True)
time.sleep(60)
"""


def stands_still(container: Container) -> bool:
    """Whether all its processes are stopped or dead, once their signal has reached them."""
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        states = set()
        for pid in container.processes():
            with suppress(OSError):
                states.add(processes.stat_fields(Path(f"/proc/{pid}"))[0])
        if states <= set("TtZX"):
            return True
        time.sleep(0.005)
    return False


ORPHAN = """
import os, time
if os.fork() == 0:
    os.setsid()
    print("away", flush=True)
    until = time.monotonic() + 60
    while time.monotonic() < until:
        pass
time.sleep(0.2)
"""


def test_what_outlives_the_program_is_its_own(mode: Mode) -> None:
    """Without a control group or a user to know it by: it is counted, stopped and ended."""
    container = Container(python(ORPHAN, mode), None, WEAK)
    other = Container(python("input()", mode), None, WEAK)
    begun, waiting = container.start(), other.start()
    try:
        assert begun.stdout is not None
        assert begun.stdout.readline() == b"away\n"
        os.waitid(os.P_PID, begun.pid, os.WEXITED | os.WNOWAIT)
        if mode == "bwrap":
            return  # ended with its namespace
        (stray,) = set(container.processes()) - {begun.pid}
        assert set(other.processes()) == {waiting.pid}
        container.freeze()
        assert stands_still(container)
        assert container.memory_bytes() > 1 << 20
        container.kill()
        assert not Path(f"/proc/{stray}").exists()
        assert Path(f"/proc/{waiting.pid}").exists()
    finally:
        for each, its in ((container, begun), (other, waiting)):
            each.kill()
            its.communicate()


def test_pages_that_forks_share_count_once(mode: Mode) -> None:
    code = """
import os, time
held = bytearray(b"x") * (100 << 20)
for _ in range(4):
    if os.fork() == 0:
        time.sleep(60)
print("forked", flush=True)
time.sleep(60)
"""
    container = Container(python(code, mode), None, WEAK)
    begun = container.start()
    try:
        assert begun.stdout is not None
        assert begun.stdout.readline() == b"forked\n"
        assert 100 << 20 < container.memory_bytes() < 256 << 20
    finally:
        container.kill()
        begun.communicate()


def test_memory_forked_away_counts(started: Open, contained: Mode) -> None:
    code = DAEMON.format(act="held = bytearray(b'x') * (600 << 20)")
    process = started(python(code, contained))
    assert line(process) == "away"
    assert fault(process).termination is T.OUT_OF_MEMORY


def test_nothing_is_left(started: Open, contained: Mode) -> None:
    before = left()
    process = started(
        python(DAEMON.format(act="open(os.environ['HOME'] + '/mark', 'w')"), contained)
    )
    assert line(process) == "away"
    user = process.container.allocation.user if process.container.allocation else None
    folder = process.container.allocation.folder if process.container.allocation else None
    process.kill()
    process.container.kill()
    assert left() == before
    assert folder is None or not Path(folder).exists()
    if user is not None:
        owners = [entry.stat().st_uid for entry in Path("/proc").iterdir() if alive(entry)]
        assert user.uid not in owners


def alive(process: Path) -> bool:
    return process.name.isdecimal() and process.exists()


def left() -> tuple[int, list[str]]:
    """Mounts in our view, and private folders of ours."""
    mounts = len(Path("/proc/self/mountinfo").read_text().splitlines())
    return mounts, sorted(str(path) for path in Path("/tmp").glob(f"arena-{os.getpid()}-*"))


def test_files_that_count_as_memory_are_said_to(started: Open) -> None:
    code = "import os; open(os.environ['HOME'] + '/file', 'wb').write(bytes(500 << 20)); input()"
    process = started(python(code, "limits", policy=Policy(mode="limits", disk_mb=1000)))
    if process.container.file_bytes() == 0 and process.container.group is None:
        pytest.skip("no control group counts files in memory")
    if process.container.allocation and process.container.allocation.folder:
        pytest.skip("its files are on a disk")
    said = fault(process)
    assert said.termination is T.OUT_OF_MEMORY
    assert "Files in /tmp and /dev/shm are kept in memory and count" in said.detail


RUNAWAY = """
import os, signal, time
print("running", flush=True)
while True:
    if os.fork():
        os._exit(0)
"""


def test_no_chain_of_processes_outruns_a_stop(mode: Mode) -> None:
    container = Container(python(RUNAWAY, mode), None, WEAK)
    begun = container.start()
    try:
        assert begun.stdout is not None
        begun.stdout.readline()
        for _ in range(10):
            container.freeze()
            assert stands_still(container)
            container.thaw()
    finally:
        container.kill()
        begun.communicate()


def test_frozen_it_stands_still(started: Open, mode: Mode) -> None:
    code = "import time\nwhile True: print(flush=True); time.sleep(0.01)"
    process = started(python(code, mode))
    line(process)
    process.container.freeze()
    time.sleep(0.1)  # what was on its way
    while process._stdout in process._events(0) and process._read_stdout():
        pass
    process._buffer.clear()
    assert fault(process, 200_000_000).termination is T.TIMEOUT
    process.container.thaw()
    assert line(process) == ""
    process.container.freeze()  # and frozen it can be ended
    process.kill()


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
    spec = Prepared(name="p", command=(sys.executable, str(bot)), policy=Policy(mode=contained))
    with pytest.raises(PlayerFault, match=r"bot\.py is closed to other users.*chmod -R o\+rX"):
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
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("arena.sandbox.launch.die_with_parent", fail)
    with pytest.raises(OSError, match="could not end with the referee: No space left on device"):
        Container(python("pass", contained)).start()


def test_it_dies_with_the_referee(contained: Mode, tmp_path: Path) -> None:
    referee = f"""
import sys, time
from arena.sandbox.container import Container
from arena.model.contender import Prepared
from arena.model.containment import Policy
command = (sys.executable, "-I", "-S", "-c", "print(1, flush=True); import time; time.sleep(60)")
container = Container(Prepared(name="p", command=command, policy=Policy(mode="{contained}")))
process = container.start()
process.stdout.readline()
print(container.player_pid(), flush=True)
time.sleep(60)
"""
    with gathering():
        with subprocess.Popen((sys.executable, "-c", referee), stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            player = os.pidfd_open(int(process.stdout.readline()))
            process.send_signal(signal.SIGKILL)
            process.wait(10)
            end = os.waitid(os.P_PIDFD, player, os.WEXITED) if is_child(player) else None
        assert end is None or end.si_status == signal.SIGKILL
        os.close(player)


def is_child(pidfd: int) -> bool:
    try:
        os.waitid(os.P_PIDFD, pidfd, os.WEXITED | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True
