"""What a process can no longer touch inside a ruleset, version by version."""

import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena.sandbox import landlock, visible_files
from arena.sandbox.landlock import Ruleset
from tests.sandbox.acts import TRIED, run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(landlock.abi() == 0, reason="this kernel has no Landlock"),
]
INTERPRETER = (sys.prefix, sys.base_prefix)
Make = Callable[..., Ruleset]


@pytest.fixture
def make() -> Iterator[Make]:
    """Rulesets that let an interpreter start."""
    made: list[Ruleset] = []

    def ruleset(
        readable: tuple[str, ...] = (),
        writable: tuple[str, ...] = (),
        version: int = landlock.abi(),
    ) -> Ruleset:
        base = (
            *visible_files.programs(),
            *visible_files.settings(),
            *visible_files.kernel(),
            *INTERPRETER,
        )
        rules = Ruleset(min(version, landlock.abi()))
        made.append(rules)
        for path in (*base, *readable):
            rules.allow(path, landlock.READ)
        for path in (*visible_files.DEVICES, *writable):
            rules.allow(path, landlock.WRITE)
        return rules

    yield ruleset
    for one in made:
        one.close()
        one.close()


def test_files(make: Make, tmp_path: Path) -> None:
    for name in ("own", "shown", "secret"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "file").write_text("text")
    rules = make((str(tmp_path / "shown"),), (str(tmp_path / "own"),))
    code = (
        TRIED
        + """
from pathlib import Path
base = Path(sys.argv[1])
for name in ("own", "shown", "secret"):
    print(
        tried(lambda: (base / name / "file").read_text()),
        tried(lambda: (base / name / "file").open("r+")),
        tried(lambda: os.truncate(base / name / "file", 1)),
        tried(lambda: (base / name / "new").write_text("")),
        tried(lambda: os.listdir(base / name)),
        tried(lambda: os.rename(base / name / "file", base / name / "other")),
    )
print(tried(lambda: Path("/dev/null").write_text("x")), tried(lambda: os.listdir("/etc")))
print(tried(lambda: os.listdir("/proc")), Path("/proc/meminfo").read_text() != "")
"""
    )
    said = run(code, rules.restrict, arguments=(str(tmp_path),)).splitlines()
    assert said == [
        " ".join(["done"] * 6),
        "done EACCES EACCES EACCES done EACCES",
        " ".join(["EACCES"] * 6),
        "done EACCES",
        "EACCES True",
    ]
    assert (tmp_path / "secret" / "file").read_text() == "text"
    assert not (tmp_path / "shown" / "new").exists()


def test_a_single_file_and_one_that_is_missing(make: Make, tmp_path: Path) -> None:
    (tmp_path / "one").write_text("text")
    (tmp_path / "two").write_text("text")
    rules = make((str(tmp_path / "one"), str(tmp_path / "nowhere"), str(tmp_path / "one" / "in")))
    code = TRIED + "print(tried(lambda: open(sys.argv[1])), tried(lambda: open(sys.argv[2])))"
    said = run(code, rules.restrict, arguments=(str(tmp_path / "one"), str(tmp_path / "two")))
    assert said == "done EACCES"


def test_the_child_may_allow_what_only_it_sees(make: Make) -> None:
    rules = make()
    code = TRIED + "print(tried(lambda: open('/proc/self/status')))"
    assert run(code, rules.restrict) == "EACCES"
    shown = (lambda: rules.allow("/proc/self", landlock.READ), rules.restrict)
    assert run(code, *shown) == "done"
    code = TRIED + "print(tried(lambda: open(f'/proc/{os.getppid()}/status')))"
    assert run(code, *shown) == "EACCES"


@pytest.mark.parametrize("version", range(1, landlock.abi() + 1))
def test_each_version_takes_what_it_can(make: Make, version: int, tmp_path: Path) -> None:
    """Files always; truncation, TCP, abstract sockets and signals since their versions."""
    (tmp_path / "file").write_text("text")
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as unix:
        unix.bind("")  # the kernel gives it an abstract name
        unix.listen()
        code = (
            TRIED
            + """
path, port, name = sys.argv[1], int(sys.argv[2]), b"\\0" + bytes.fromhex(sys.argv[3])
print(
    tried(lambda: open(path)),
    tried(lambda: os.truncate(path, 1)),
    tried(lambda: socket.create_connection(("127.0.0.1", port))),
    tried(lambda: socket.create_server(("127.0.0.1", 0))),
    tried(lambda: socket.socket(socket.AF_UNIX).connect(name)),
    tried(lambda: os.kill(os.getppid(), 0)),
    tried(lambda: os.kill(os.getpid(), 0)),
)
"""
        )
        arguments = (str(tmp_path / "file"), str(server.getsockname()[1]))
        name = unix.getsockname()[1:].hex()
        said = run(code, make(version=version).restrict, arguments=(*arguments, name)).split()
    tcp = "EACCES" if version >= landlock.TCP_SINCE else "done"
    scopes = "EPERM" if version >= landlock.SCOPES_SINCE else "done"
    truncate = "EACCES" if version >= 3 else "done"
    assert said == ["EACCES", truncate, tcp, tcp, scopes, scopes, "done"]


def test_it_holds_for_grandchildren(make: Make, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    code = (
        TRIED
        + """
import subprocess
again = "try: open(__import__('sys').argv[1])\\nexcept PermissionError: print('closed')"
print(subprocess.run([sys.executable, "-I", "-S", "-c", again, sys.argv[1]],
    capture_output=True, text=True).stdout.strip())
"""
    )
    assert run(code, make().restrict, arguments=(str(tmp_path / "file"),)) == "closed"


def test_nothing_is_left_open(make: Make) -> None:
    before = sorted(Path("/proc/self/fd").iterdir())
    rules = make()
    rules.close()
    assert sorted(Path("/proc/self/fd").iterdir()) == before
