"""A player's containment as a whole: the same ends in every mode, and nothing left after it."""

import os
import select
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from unittest.mock import Mock

import pytest

from arena.model.containment import Mode, Policy
from arena.model.contender import Prepared
from arena.model.protocol import Termination
from arena.model.record import PlayerFault
from arena.sandbox import processes
from arena.sandbox.container import Container
from arena.sandbox.processes import gathering
from arena.sandbox.spawn import find_program

from .conftest import PATIENT_NS, WEAK, Open, fault, line, python

pytestmark = pytest.mark.slow

T = Termination


@pytest.mark.parametrize(
    ("code", "word", "told"),
    [
        ("import os, time; os.close(1); time.sleep(60)", T.STDOUT_CLOSED, "closed its stdout"),
        ("import os; os.kill(os.getpid(), 11)", T.EXITED, "ended by SIGSEGV"),
        ("import sys; sys.exit('bye')", T.EXITED, "with code 1 before `quit` was sent. The end of"),
        ("raise SystemExit(0)", T.EXITED, "with code 0"),
        ("raise SystemExit(200)", T.EXITED, "with code 200"),
    ],
)
def test_ends_are_reported_alike(
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
        (("{}/script",), "The interpreter in the #! line of script does not exist."),
        (("{}/windows",), "The interpreter in the #! line of windows does not exist."),
        (("{}/text",), "text is not a program for this machine"),
        (("echo", "a\0b"), "has a NUL character in it"),
    ],
)
def test_what_cannot_start_is_reported_alike(
    tmp_path: Path, mode: Mode, command: tuple[str, ...], told: str
) -> None:
    texts = {"script": "#!/no/such/interpreter\n", "windows": "#!/bin/sh\r\n", "text": "hello"}
    for name, text in texts.items():
        (tmp_path / name).write_bytes(text.encode())
        (tmp_path / name).chmod(0o755)
    words = tuple(word.replace("{}", str(tmp_path)) for word in command)
    spec = Prepared(name="p", command=words, cwd=str(tmp_path), policy=Policy(mode=mode))
    with pytest.raises(PlayerFault) as raised:
        Container(spec).start()
    assert raised.value.termination is T.START_FAILED
    assert told.replace("{}", str(tmp_path)) in raised.value.detail


def test_a_program_named_by_way_of_another_folder_is_found(tmp_path: Path, mode: Mode) -> None:
    (tmp_path / "elsewhere").mkdir()
    at = Path(sys.executable)
    roundabout = f"{tmp_path}/elsewhere/{'../' * len(tmp_path.parts)}{at.relative_to('/')}"
    spec = Prepared(name="p", command=(roundabout, "-c", ""), policy=Policy(mode=mode))
    with Container(spec).running() as process:
        assert process.wait(10) == 0


def test_a_program_keeps_the_links_by_which_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "venv").symlink_to(Path(sys.executable).parent)
    program = f"{tmp_path}/venv/{Path(sys.executable).name}"
    assert find_program(Prepared(name="p", command=(program,)), None) == program


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


def test_all_of_it_is_reaped(mode: Mode) -> None:
    with gathering():
        before = processes.children()
        code = "print('here', flush=True); input()"
        with Container(python(code, mode), None, WEAK).running() as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"here\n"
        assert processes.children() == before


def test_its_orphans_are_reaped_by_the_process_that_started_it(mode: Mode) -> None:
    """Not left to the parent of all: in a container that may be a program that reaps none."""
    starts = f"""
import sys
from arena.model.containment import Policy
from arena.model.contender import Prepared
from arena.sandbox.container import Container
command = (sys.executable, "-I", "-S", "-c", "print(1, flush=True); input()")
container = Container(Prepared(name="p", command=command, policy=Policy(mode="{mode}")))
with container.running() as process:
    process.stdout.readline()
"""
    with gathering():
        before = processes.children()
        subprocess.run((sys.executable, "-c", starts), check=True)
        assert processes.children() == before


def test_the_end_of_one_leaves_others_to_their_containers(mode: Mode) -> None:
    ended, waiting = python("raise SystemExit(3)", mode), python("input()", mode)
    three = [Container(spec, None, WEAK) for spec in (ended, waiting, ended)]
    with ExitStack() as stack:
        for each in three:
            stack.enter_context(each.running())
        earlier, container, later = three
        for other in (earlier, later):
            os.waitid(os.P_PID, other.pid, os.WEXITED | os.WNOWAIT)
        container.kill()
        assert [end.si_status for end in (earlier.end(), later.end()) if end] == [3, 3]


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


def test_a_mapped_file_does_not_count(mode: Mode, tmp_path: Path) -> None:
    (tmp_path / "model").write_bytes(b"x" * (100 << 20))
    code = """
import mmap, time
with open("model", "rb") as file:
    model = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
print(model.find(b"y"), flush=True)  # reads all
time.sleep(60)
"""
    (tmp_path / "bot.py").write_text(code)
    command = (sys.executable, str(tmp_path / "bot.py"))
    spec = python("", mode, command=command, cwd=str(tmp_path), memory_mb=64)
    container = Container(spec, None, WEAK)
    with container.running() as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"-1\n"
        assert 1 << 20 < container.memory_bytes() < 64 << 20
        assert processes.proportional_bytes(container.player_pid()) < 64 << 20


def test_memory_forked_away_counts(started: Open, contained: Mode) -> None:
    code = DAEMON.format(act="held = bytearray(b'x') * (600 << 20)")
    process = started(python(code, contained))
    assert line(process) == "away"
    assert fault(process).termination is T.OUT_OF_MEMORY


def test_memory_is_judged_though_the_answer_came_before_a_look(started: Open) -> None:
    code = "held = bytearray(600 << 20); print(1, flush=True); input()"
    process = started(python(code, "none"))
    select.select([process._stdout], [], [])
    assert fault(process).termination is T.OUT_OF_MEMORY


def test_memory_that_the_host_lacks_is_no_fault_of_the_player(
    started: Open, contained: Mode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.sandbox.cgroups.Group.oom_kills", lambda _: 1)
    monkeypatch.setattr("arena.sandbox.cgroups.Group.was_full", lambda _: False)
    process = started(python("import os; os.kill(os.getpid(), 9)", contained))
    if process.container.group is None:
        pytest.skip("no control group can be made here")
    with pytest.raises(OSError, match=r"had no memory left: lower concurrency or memory_mb$"):
        line(process)


def test_memory_that_the_arena_s_own_group_lacks_is_no_fault_of_the_player(
    started: Open, mode: Mode, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a container, where players have no groups of their own; those count their own kills."""
    process = started(python("import os; os.kill(os.getpid(), 9)", mode))
    monkeypatch.setattr("arena.sandbox.container.oom_kills", lambda: 10**9)
    if process.container.group is not None:
        assert fault(process).termination is T.EXITED
        return
    with pytest.raises(OSError, match=r"had no memory left: lower concurrency or memory_mb$"):
        line(process)


def test_processes_that_the_host_refuses_are_no_fault_of_the_player(
    started: Open, mode: Mode, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = started(python("raise SystemExit('cannot start a thread')", mode))
    monkeypatch.setattr("arena.sandbox.container.refused_processes", lambda: 10**9)
    with pytest.raises(OSError, match=r"no further process .* raise its pids\.max.*a thread"):
        line(process)


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


def test_nothing_is_left_of_a_start_that_the_host_fails(
    contained: Mode, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where too many files are open to see what was killed around it."""
    container = Container(python("", contained), features=WEAK)
    monkeypatch.setattr("arena.sandbox.container.oom_kills", Mock(side_effect=OSError))
    with pytest.raises(OSError):
        container.start()
    assert container.allocation is not None
    assert container.allocation.folder is None and container.allocation.user is None


def alive(process: Path) -> bool:
    return process.name.isdecimal() and process.exists()


def left() -> tuple[int, list[str]]:
    """Mounts in our view, and private folders of ours."""
    mounts = len(Path("/proc/self/mountinfo").read_text().splitlines())
    return mounts, sorted(str(path) for path in Path("/tmp").glob(f"arena-{os.getpid()}-*"))


def test_files_that_count_as_memory_are_reported(started: Open) -> None:
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
    while process._stdout in process._events() and process._read_stdout():
        pass
    process._buffer.clear()
    assert fault(process, 200_000_000).termination is T.TIMEOUT
    process.container.thaw()
    assert line(process) == ""
    process.container.freeze()  # and frozen it can be ended
    process.kill()


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
