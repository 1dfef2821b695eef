"""What the filter refuses, that it leaves runtimes alone, and the bytes it is made of."""

import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from arena.sandbox import seccomp
from arena.sandbox.seccomp import MACHINES, numbers
from tests.sandbox.acts import TRIED, run
from tests.sandbox.ordinary import run_as_ordinary_user

STRICT = {"own_cores": False, "unix_sockets": False, "attributes": False}
LOOSE = dict.fromkeys(("own_cores", "unix_sockets", "attributes", "thaws", "memory_files"), True)
MACHINE = seccomp.here()
here = pytest.mark.skipif(MACHINE is None, reason="no filter is made for this machine")


def made(**may: bool) -> Callable[[], None]:
    """What puts such a filter on a process."""
    assert MACHINE is not None
    return partial(seccomp.install, seccomp.program(MACHINE, **may))


@here
def test_what_is_refused() -> None:
    code = (
        TRIED
        + """
import ctypes, fcntl
NEWUSER, NEWNS = 0x10000000, 0x20000
CLONE, MQ_UNLINK, IO_SETUP = map(int, sys.argv[1:])
print(
    tried(lambda: call("ptrace", 0, 0, 0, 0)),
    tried(lambda: call("unshare", NEWUSER)),
    tried(lambda: call("mount", b"none", b"/tmp", b"tmpfs", 0, None)),
    tried(lambda: os.chroot("/")),
    tried(lambda: call("syscall", 425, 1, None)),
    *(tried(lambda: call(name, 0, 0, 0, 0)) for name in ("shmget", "shmat", "shmctl", "shmdt",
        "semget", "semop", "semtimedop", "semctl", "msgget", "msgsnd", "msgrcv", "msgctl")),
    tried(lambda: call("syscall", MQ_UNLINK, b"arena-no-such-queue")),
    tried(lambda: call("prctl", 36, 0, 0, 0, 0)),
    tried(lambda: call("prctl", 1, 0, 0, 0, 0)),
    tried(lambda: call("syscall", CLONE, 0x8000 | 17, None, None, None, None)),
    tried(lambda: call("setpriority", 2, 0, 5)),
    tried(lambda: call("setpriority", 0, os.getppid(), 5)),
    tried(lambda: call("prlimit", os.getppid(), 7, None, None)),
    tried(lambda: os.sched_setscheduler(os.getppid(), os.SCHED_BATCH, os.sched_param(0))),
    tried(lambda: call("inotify_init1", 0)),
    tried(lambda: call("syscall", IO_SETUP, 8, ctypes.byref(ctypes.c_ulong()))),
    *(tried(lambda: fcntl.fcntl(os.open("/", 0), note, 1)) for note in (1024, 1026)),
)
print(
    tried(lambda: socket.socket(socket.AF_INET)),
    tried(lambda: socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)),
    tried(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)),
    tried(lambda: socket.socketpair(socket.AF_INET)),
)
"""
    )
    called = numbers(MACHINE or "")
    given = (str(called["clone"]), str(called["mq_unlink"]), str(called["io_setup"]))
    for may in (STRICT, LOOSE):
        first, second = run(code, made(**may), arguments=given).splitlines()
        assert first.split() == ["EPERM"] * 29
        assert second.split() == ["EACCES"] * 4


@here
def test_what_each_allowance_changes(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    code = (
        TRIED
        + """
print(
    tried(lambda: os.sched_setaffinity(0, os.sched_getaffinity(0))),
    tried(lambda: socket.socket(socket.AF_UNIX)),
    tried(lambda: os.chmod(sys.argv[1], 0o600)),
    tried(lambda: os.utime(sys.argv[1])),
    tried(lambda: socket.socketpair()),
    tried(lambda: os.nice(1)),
    tried(lambda: os.kill(os.getpid(), 18)),
    tried(lambda: call("timer_create", 1, None, bytes(8))),
    tried(lambda: __import__("fcntl").fcntl(0, 10, 18)),
    tried(lambda: os.memfd_create("file")),
)
"""
    )
    path = (str(tmp_path / "file"),)
    assert run(code, made(**LOOSE), arguments=path).split() == ["done"] * 10
    strict = run(code, made(**STRICT), arguments=path).split()
    assert strict == ["EPERM", "EACCES", "EPERM", "EPERM", "done", "done", *["EPERM"] * 4]
    own_cores = {**STRICT, "own_cores": True}
    assert run(code, made(**own_cores), arguments=path).startswith("done EACCES")


@here
def test_it_cannot_be_taken_off_nor_outlived() -> None:
    code = (
        TRIED
        + """
import subprocess
again = "import socket\\ntry: socket.socket()\\nexcept PermissionError: print('closed')"
print(subprocess.run([sys.executable, "-I", "-S", "-c", again],
    capture_output=True, text=True).stdout.strip())
print([line for line in open("/proc/self/status") if line.startswith("NoNewPrivs")][0].split()[1])
"""
    )
    assert run(code, made(**STRICT)).split() == ["closed", "1"]


JAVA = """
public class Threads {
    public static void main(String[] given) throws Exception {
        Thread thread = new Thread(() -> System.out.println("ran"));
        thread.start();
        thread.join();
    }
}
"""


@pytest.mark.slow
@here
def test_python_starts_threads_and_processes() -> None:
    code = """
import subprocess, sys, threading
thread = threading.Thread(target=lambda: print("thread", flush=True))
thread.start(); thread.join()
print(subprocess.run([sys.executable, "-I", "-S", "-c", "print('child')"],
    capture_output=True, text=True).stdout.strip())
"""
    assert run(code, made(**STRICT)).split() == ["thread", "child"]


@pytest.mark.slow
@here
def test_node_starts_workers_and_processes() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    code = """
const { Worker } = require("worker_threads");
const inside = "require('worker_threads').parentPort.postMessage('ran')";
const worker = new Worker(inside, { eval: true });
worker.on("message", (text) => {
    console.log(text, String(require("child_process").execFileSync("echo", ["child"])).trim());
});
"""
    done = subprocess.run(
        [node, "-e", code], preexec_fn=made(**STRICT), capture_output=True, text=True
    )
    assert done.stdout.split() == ["ran", "child"], done.stderr


@pytest.mark.slow
@here
def test_java_starts_threads(tmp_path: Path) -> None:
    if shutil.which("javac") is None or shutil.which("java") is None:
        pytest.skip("no Java compiler is installed")
    (tmp_path / "Threads.java").write_text(JAVA)
    subprocess.run(["javac", "Threads.java"], cwd=tmp_path, check=True)
    done = subprocess.run(
        ["java", "-Xshare:auto", "Threads"],
        cwd=tmp_path, preexec_fn=made(**STRICT), capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout.split() == ["ran"], done.stderr


@pytest.mark.slow
@here
def test_a_compiler_builds_a_program_that_runs(tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler (cc)")
    (tmp_path / "hello.c").write_text('#include <stdio.h>\nint main(void) { puts("hello"); }\n')
    building = made(own_cores=False, unix_sockets=False, attributes=True)
    subprocess.run(
        [compiler, "-o", "hello", "hello.c"], cwd=tmp_path, check=True, preexec_fn=building
    )
    done = subprocess.run(
        [tmp_path / "hello"], preexec_fn=made(**STRICT), capture_output=True, text=True
    )
    assert done.stdout == "hello\n"


BUILD = """
import json, os, sys
from arena.sandbox.container import Container
from arena.model.containment import Policy
from arena.model.contender import Prepared
folder = sys.argv[1]
policy = Policy(mode="limits", writable=(folder,))
spec = Prepared(name="b", command=("cc", "-o", "hi", "hi.c"), cwd=folder, policy=policy)
container = Container(spec)
process = container.start()
process.stdin.close()
said = process.stderr.read().decode()
process.wait()
container.kill()
for pipe in (process.stdout, process.stderr):
    pipe.close()
print(said, os.access(os.path.join(folder, "hi"), os.X_OK))
"""


@pytest.mark.slow
@here
def test_an_ordinary_user_builds_what_can_be_run(tmp_path: Path) -> None:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler (cc)")
    (tmp_path / "hi.c").write_text("int main(void) { return 0; }\n")
    assert run_as_ordinary_user(BUILD, tmp_path, str(tmp_path)).strip() == "True"


@here
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="only x86_64 has calls of 32 bits")
def test_calls_of_32_bits_end_the_process(tmp_path: Path) -> None:
    """Another architecture's numbers would get around the filter."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler (cc)")
    source = 'int main(void) { int pid; __asm__("int $0x80" : "=a"(pid) : "a"(20)); return 0; }'
    (tmp_path / "old.c").write_text(source)
    subprocess.run([compiler, "-o", "old", "old.c"], cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "old"], preexec_fn=made(**STRICT)).returncode == -31


@here
def test_bubblewrap_takes_it() -> None:
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        pytest.skip("bubblewrap is not installed")
    fd = seccomp.descriptor(seccomp.program(MACHINE, **LOOSE))
    code = TRIED + "print(tried(lambda: socket.socket(socket.AF_INET)))"
    try:
        done = subprocess.run(
            [bwrap, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--seccomp", str(fd),
             sys.executable, "-I", "-S", "-c", code],
            pass_fds=(fd,), capture_output=True, text=True,
        )  # fmt: skip
    finally:
        os.close(fd)
    if "bwrap:" in done.stderr:
        pytest.skip(f"bubblewrap may not run here: {done.stderr.strip()}")
    assert done.stdout.strip() == "EACCES", done.stderr


def verdict(program: bytes, arch: int, number: int, *arguments: int) -> int:
    """What the program returns for a call: the few instructions it uses, run by hand."""
    data = struct.pack("=iIQ6Q", number, arch, 0, *arguments, *[0] * (6 - len(arguments)))
    value, at = 0, 0
    while True:
        code, yes, no, operand = struct.unpack_from("=HBBI", program, at * 8)
        at += 1
        if code == 0x20:
            (value,) = struct.unpack_from("=I", data, operand)
        elif code == 0x06:
            return int(operand)
        else:
            test = {0x15: value == operand, 0x35: value >= operand, 0x45: bool(value & operand)}
            at += yes if test[code] else no


ARCHES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
ALLOW, EPERM, EACCES, ENOSYS, KILL = 0x7FFF0000, 0x50001, 0x5000D, 0x50026, 0x80000000
ANSWERED = 0x50000  # with 0, and not made


@pytest.mark.parametrize("machine", MACHINES)
def test_the_verdicts_of_the_program(machine: str) -> None:
    """The same for both machines, of which this is at most one."""
    program = seccomp.program(machine, **STRICT)
    arch, number = ARCHES[machine], numbers(machine)
    assert len(program) % 8 == 0
    assert len(program) // 8 <= 4096  # BPF_MAXINSNS

    def says(name: str, *arguments: int) -> int:
        return verdict(program, arch, number[name], *arguments)

    assert says("ptrace") == says("sched_setaffinity") == says("fchmod") == EPERM
    assert says("clone3") == ENOSYS
    assert says("clone", 0x3D0F00) == ALLOW  # a thread
    assert says("clone", 0x10000011) == EPERM  # with a user namespace
    assert says("clone", 0x4111) == says("clone", 0x11) == ALLOW  # vfork, fork
    assert says("clone", 0x8011) == EPERM  # a child of its parent
    assert says("clone", signal.SIGCONT) == EPERM  # sent at the child's end
    assert says("prctl", 36) == says("prctl", 1) == EPERM
    assert says("prctl", 15) == ALLOW  # its name
    assert says("kill", 7, signal.SIGCONT) == says("tgkill", 7, 7, signal.SIGCONT) == EPERM
    assert says("kill", 7, signal.SIGTERM) == says("tgkill", 7, 18, signal.SIGTERM) == ALLOW
    assert says("fcntl", 3, 10, 18) == EPERM
    assert says("fcntl", 10, 4) == ALLOW
    assert says("socket", 2) == says("socket", 1) == EACCES
    assert says("socketpair", 1, socket.SOCK_STREAM | socket.SOCK_CLOEXEC) == ALLOW
    # A datagram goes to whatever name it is sent to, whatever it was paired with.
    assert says("socketpair", 1, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) == EACCES
    assert says("socketpair", 1, socket.SOCK_RAW) == says("bind") == EACCES
    assert says("socketpair", 2) == EACCES
    assert says("prlimit64", 0) == ALLOW
    assert says("prlimit64", 7) == EPERM
    assert says("sched_setscheduler", 0, os.SCHED_BATCH) == ALLOW
    assert says("sched_setscheduler", 7, os.SCHED_BATCH) == EPERM
    # Mono sets it for each thread by its number, and complains on stdout where it may not.
    assert says("sched_setscheduler", 7, os.SCHED_OTHER) == ANSWERED
    assert says("setpriority", 0, 0, 5) == ALLOW
    assert says("setpriority", 0, 7, 5) == says("setpriority", 2, 0, 5) == EPERM
    assert says("ioprio_set", 1, 0) == EPERM
    read = {"x86_64": 0, "aarch64": 63}[machine]
    assert verdict(program, arch, read) == ALLOW
    assert verdict(program, ARCHES["x86_64"] ^ 1, read) == KILL
    if machine == "x86_64":
        assert verdict(program, arch, read | 0x40000000) == ENOSYS
    loose = seccomp.program(machine, **LOOSE)
    assert verdict(loose, arch, number["socket"], 1) == ALLOW
    assert verdict(loose, arch, number["socket"], 16) == EACCES
    assert verdict(loose, arch, number["socketpair"], 1, socket.SOCK_DGRAM) == ALLOW
    assert verdict(loose, arch, number["bind"]) == ALLOW
    assert verdict(loose, arch, number["fchmod"]) == ALLOW
    assert verdict(loose, arch, number["sched_setaffinity"]) == ALLOW
    assert verdict(loose, arch, number["kill"], 7, signal.SIGCONT) == ALLOW


def test_machines_without_a_filter_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    there = os.uname_result(("Linux", "host", "6.1", "", "riscv64"))
    monkeypatch.setattr(os, "uname", lambda: there)
    assert seccomp.here() is None
