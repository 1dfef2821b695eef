"""Commands as processes: what they write to pipes and terminals, and Ctrl-C."""

import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from enum import Enum
from pathlib import Path

import pytest
from pydantic import BaseModel

from tests.cli.conftest import MONKEYS
from tests.command import arena

VALUES = """
[tuning]
method = "spsa"
games = 32
threads = 1

[game]
rules = "dots"
rows = 3
cols = 3

[player]
bot = "uct"
options = { iterations = 2 }

[parameters.c]
"""


@pytest.fixture
def closed_pipe() -> Iterator[int]:
    """The end to write to of a pipe that nobody reads."""
    read, write = os.pipe()
    os.close(read)
    yield write
    os.close(write)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "expected"),
    [
        (("play", "2048"), 0, b""),
        (("schema",), 0, b""),
        (("--help",), 0, b""),
        (
            ("run", "more.toml"),
            130,
            b"Stopped: nothing reads the output any more. The same command",
        ),
    ],
)
def test_a_pipe_without_a_reader_is_no_mistake(
    folder: Path, closed_pipe: int, arguments: tuple[str, ...], code: int, expected: bytes
) -> None:
    (folder / "more.toml").write_text(MONKEYS.format(rounds=1))
    ended = subprocess.run(
        [sys.executable, "-m", "arena", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=closed_pipe,
        stderr=subprocess.PIPE,
        check=False,
    )
    assert ended.returncode == code
    assert ended.stderr.startswith(expected) if expected else ended.stderr == b""


@pytest.mark.slow
def test_nor_is_one_for_stdout_and_stderr(folder: Path, closed_pipe: int) -> None:
    (folder / "more.toml").write_text(MONKEYS.format(rounds=1))
    command = (sys.executable, "-m", "arena", "run", "more.toml")
    ended = subprocess.run(command, stdout=closed_pipe, stderr=closed_pipe, check=False)
    assert ended.returncode == 130


def test_a_closed_stdin_has_nothing_to_read(folder: Path) -> None:
    command = f"exec {sys.executable} -m arena engine --protocol gtp --bot monkey <&-"
    assert subprocess.run(command, shell=True, check=False).returncode == 0


@pytest.mark.slow
def test_a_server_needs_no_stream(folder: Path) -> None:
    command = f"exec {sys.executable} -m arena serve --port 0 >&- 2>&-"
    with subprocess.Popen(command, shell=True) as process:
        try:
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(5)
        finally:
            process.terminate()


@pytest.mark.slow
@pytest.mark.parametrize("command", [("run", "more.toml"), ("tune", "values.toml")])
def test_a_closed_terminal_interrupts_what_continues(
    folder: Path, command: tuple[str, ...]
) -> None:
    (folder / "more.toml").write_text(MONKEYS.format(rounds=1))
    (folder / "values.toml").write_text(VALUES)
    master, slave = pty.openpty()
    os.close(master)
    try:
        ended = subprocess.run(
            [sys.executable, "-m", "arena", *command],
            stdout=slave,
            stderr=subprocess.PIPE,
            env=os.environ | {"TERM": "xterm"},
            check=False,
        )
    finally:
        os.close(slave)
    assert (ended.returncode, ended.stderr.splitlines()[-1:]) == (
        130,
        [b"Stopped: nothing reads the output any more. The same command continues."],
    )


@pytest.mark.slow
def test_a_terminal_without_unicode_shows_what_it_can(finished: Path) -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "arena", "report", str(finished)],
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=True,
    )
    assert b"Player" in shown.stdout


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_without_unicode_tells_passed_from_failed(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "bot.toml").write_text("")
    shown = subprocess.run(
        [sys.executable, "-m", "arena", "check", str(tmp_path)],
        env=os.environ | {"PYTHONIOENCODING": encoding},
        capture_output=True,
        check=False,
    )
    lines = shown.stdout.decode(encoding).splitlines()
    assert lines[1].startswith(" 1 x package safety")
    assert "2-14: skipped until item 1 is fixed" in lines
    assert "✓ –".encode(encoding, "arena.plain") == b"+ -"  # passed, not tried


@pytest.mark.parametrize("form", ["--json", "--csv=players"])
def test_names_reach_a_program_as_they_are_in_any_locale(tmp_path: Path, form: str) -> None:
    games = tmp_path / "games.pgn"
    games.write_text('[Black "Müller"]\n[White "Möller"]\n[Result "34-30"]\n1. F5 D6 2. C3 D3\n')
    made = tmp_path / "games.sqlite"
    assert arena("import", games, "--to", made).exit_code == 0
    shown = subprocess.run(
        [sys.executable, "-m", "arena", "report", str(made), form],
        env=os.environ | {"PYTHONIOENCODING": "latin-1"},
        capture_output=True,
        check=True,
    )
    assert {"Müller", "Möller"} <= set(re.findall(r"\w+", shown.stdout.decode()))


def test_the_equations_of_ratings_are_solved_without_other_threads(tmp_path: Path) -> None:
    results = tmp_path / "results.csv"
    results.write_text("first,second,score\na,b,1\nb,a,0.5\n")
    code = (
        "import arena.__main__ as entry, atexit, os\n"
        "atexit.register(lambda: print('threads', len(os.listdir('/proc/self/task'))))\n"
        "entry.main()\n"
    )
    command = [sys.executable, "-c", code, "rate", str(results)]
    environment = dict(os.environ)
    environment.pop("OPENBLAS_NUM_THREADS", None)
    shown = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert shown.stdout.splitlines()[-1] == "threads 1"


@pytest.mark.slow
def test_ctrl_c_while_the_program_loads_is_no_traceback() -> None:
    code = (
        "import arena.__main__ as entry, sys\n"
        "class Pressed:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'arena.cli': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Pressed())\n"
        "entry.main()\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (130, b"Interrupted.\n")


@pytest.mark.slow
def test_ctrl_c_before_the_program_loads_waits_until_it_can_end_well() -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # inherited
    try:
        command = [sys.executable, "-m", "arena", "doctor"]
        process = subprocess.Popen(command, stderr=subprocess.PIPE)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60) == (None, b"Interrupted.\n")
    assert process.returncode == 130


@pytest.mark.slow
def test_ctrl_c_while_the_interpreter_waits_for_threads_is_no_traceback() -> None:
    code = (
        "import arena.__main__ as entry, sys, threading, time\n"
        "threading.Thread(target=time.sleep, args=(60,)).start()\n"
        "sys.argv = ['arena', '--version']\n"
        "entry.main()\n"
    )
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith(b"arena ")
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=30)[1] == b"Interrupted.\n"
        assert process.returncode == 130


@pytest.mark.parametrize("number", ["SIGTERM", "SIGHUP"])
def test_other_signals_end_a_command_as_ctrl_c_does(number: str) -> None:
    code = (
        "import arena.__main__ as entry, arena.doctor.facts as room, os, signal, sys\n"
        f"room.facts = lambda: os.kill(os.getpid(), signal.{number})\n"
        "sys.argv = ['arena', 'doctor']\n"
        "entry.main()\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (130, b"Interrupted.\n")


def test_a_parent_that_ignored_its_children_takes_no_end_of_ours() -> None:
    code = (
        "import os, signal\n"
        "from arena.__main__ import interruptible\n"
        "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
        "run = lambda: print(os.waitstatus_to_exitcode(os.system('exit 3')))\n"
        "interruptible(lambda: run)\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (ended.stdout, ended.stderr) == (b"3\n", b"")


@pytest.mark.parametrize("kind", [RuntimeError, SystemError])
def test_ctrl_c_inside_an_import_of_a_command_is_no_traceback(
    monkeypatch: pytest.MonkeyPatch, kind: type[Exception]
) -> None:
    def pressed() -> None:
        raise kind("Error calling __set_name__") from KeyboardInterrupt()

    monkeypatch.setattr("arena.doctor.facts.facts", pressed)
    ended = arena("doctor")
    assert (ended.exit_code, ended.stderr) == (130, "Interrupted.\n")


@pytest.mark.parametrize("during", ["the model is made", "its JSON is written"])
def test_ctrl_c_inside_pydantic_is_no_traceback(
    monkeypatch: pytest.MonkeyPatch, during: str
) -> None:
    pressed = during == "the model is made"

    class Colour(Enum):
        RED = "red"

        @property
        def value(self) -> str:
            if pressed:
                raise KeyboardInterrupt
            return "red"

    def write() -> None:
        nonlocal pressed

        class Written(BaseModel):
            colour: Colour = Colour.RED

        pressed = True
        Written().model_dump_json()

    monkeypatch.setattr("arena.doctor.facts.facts", write)
    ended = arena("doctor")
    assert (ended.exit_code, ended.stderr) == (130, "Interrupted.\n")


@pytest.mark.parametrize(
    ("begins", "drops"),
    [
        ("pass", "raise KeyboardInterrupt"),
        # As in the background of a script.
        ("signal.signal(signal.SIGINT, signal.SIG_IGN)", "signal.raise_signal(signal.SIGTERM)"),
    ],
)
def test_ctrl_c_where_python_drops_errors_ends_the_command(begins: str, drops: str) -> None:
    code = (
        "import signal, time\n"
        "from arena.__main__ import interruptible\n"
        "class Dropped:\n"
        f"    def __del__(self): {drops}\n"
        "def run():\n"
        "    Dropped()\n"
        "    time.sleep(120)\n"
        f"{begins}\n"
        "interruptible(lambda: run)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=False, timeout=60
    )
    assert (ended.returncode, ended.stderr) == (130, b"Interrupted.\n")


@pytest.mark.slow
def test_ctrl_c_stops_soon_and_the_same_command_goes_on(folder: Path) -> None:
    (folder / "t.toml").write_text(MONKEYS.format(rounds=20))
    command = [sys.executable, "-m", "arena", "run", "t.toml"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith(" 2/40"):
                break
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
        assert process.wait(60) == 130
    assert "Continue with: arena run t.toml" in rest
    resumed = arena("run", "t.toml")
    assert resumed.exit_code == 0
    left = re.search(r"(\d+) of 40 games to play", resumed.output)
    assert left is not None
    assert 0 < int(left[1]) <= 38
    assert "40/40" in resumed.output


@pytest.mark.parametrize("command", [["worker", "tls://host:1"], ["bench", "cluster"]])
def test_without_the_extra_a_cluster_says_what_to_install(command: list[str]) -> None:
    code = (
        "import arena.__main__ as entry, sys\n"
        "class Missing:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name in ('dask', 'distributed'): raise ModuleNotFoundError(name=name)\n"
        "sys.meta_path.insert(0, Missing())\n"
        f"sys.argv[1:] = {command}\n"
        "entry.main()\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert ended.returncode == 2
    assert b"pip install 'bot-arena[cluster]'" in ended.stderr
