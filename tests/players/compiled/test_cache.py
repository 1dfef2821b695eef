"""The cache of compiled kernels: shared between processes, and never in the way."""

import errno
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from llvmlite import binding

import rules
from arena.files.cache import CACHE_VARIABLE
from players import warm
from players.compiled import folder as kernel_folder
from players.compiled.folder import cache_folder
from players.games.registry import load_board
from players.search.uct.search import iterate
from tests.players.lines_of_play import perft

HITS = """
import sys
from numba.core.event import install_recorder
from players import warm
from players.search.uct.search import iterate
sys.argv = ["warm", "--one", "dots:uct", "dots:alphabeta", "dots:analysis"]
with install_recorder("numba:compile") as compiled:
    warm.main()
assert iterate.stats.cache_hits
assert not compiled.buffer, compiled.buffer
"""

ANOTHER_GAME = """
import rules
from players.games.registry import load_board
from tests.players.lines_of_play import perft
game = rules.load("dots")
position = load_board("dots", game.variant).position(game.start().state())
print(perft(position, 2, True))
import sys
assert "scipy.linalg" not in sys.modules
assert "players.games.othello.board" not in sys.modules
"""
"""A kernel: the lines of two plies. What it does not need is not imported."""


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def files(folder: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in folder.rglob("*.nb?")}


@pytest.mark.slow
def test_warming_reports_each_step_and_the_next_process_compiles_nothing() -> None:
    done = run("-m", "players.warm", "--rules", "dots", "2584")
    assert (done.returncode, done.stderr) == (0, "")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    names = ["dots: uct, alphabeta, analysis", "2584: expectimax, heuristic"]
    assert [line.get("begun") for line in lines] == [names[0], None, names[1], None]
    ends = lines[1::2]
    assert [(line["step"], line["name"]) for line in ends] == [(1, names[0]), (2, names[1])]
    assert {line["steps"] for line in lines} == {2}
    assert all(line["seconds"] >= 0 for line in ends)
    before = files(cache_folder())
    assert before
    done = run("-c", HITS)
    assert (done.returncode, done.stderr) == (0, "")
    after = files(cache_folder())  # other tests compile their own meanwhile
    assert {path: after[path] for path in before} == before


def test_kernels_are_compiled_where_numba_is_asked_not_to() -> None:
    code = "from players.search.uct.search import iterate; print(len(iterate.nopython_signatures))"
    done = run("-c", code, NUMBA_DISABLE_JIT="1")
    assert (done.returncode, done.stdout, done.stderr) == (0, "0\n", "")


@pytest.mark.slow
def test_a_kernel_of_another_game_is_passed_over_without_loading_that_game() -> None:
    othello = rules.load("othello")
    position = load_board("othello", othello.variant).position(othello.start().state())
    assert perft(position, 2, True) == 12
    done = run("-c", ANOTHER_GAME)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ("subprocess.run", BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")),
        ("threading.Thread.start", RuntimeError("can't start new thread")),
    ],
)
def test_without_a_process_to_compile_in_it_says_so(
    monkeypatch: pytest.MonkeyPatch, call: str, error: Exception
) -> None:
    monkeypatch.setattr("sys.argv", ["warm", "--rules", "dots", "--noted-too"])
    monkeypatch.setattr(call, Mock(side_effect=error))
    with pytest.raises(SystemExit, match=re.escape(f"No kernels can be compiled: {error}")):
        warm.main()


def test_warming_takes_one_process_at_least(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["warm", "--rules", "dots", "--processes", "0"])
    with pytest.raises(SystemExit, match=r"^2$"):
        warm.main()
    assert capsys.readouterr().err.endswith("error: --processes: must be at least 1\n")


def test_without_names_all_is_warmed() -> None:
    searches = (*warm.BOARD_SEARCHES, *warm.TILE_SEARCHES)
    boards, tiles = warm._steps(rules.GAMES, searches, at_once=False)
    assert boards == [(game, each) for game in ("othello", "dots") for each in warm.BOARD_SEARCHES]
    assert tiles == [(game, each) for game in ("2048", "2584") for each in warm.TILE_SEARCHES]
    at_once = warm._steps(rules.GAMES, searches, at_once=True)
    assert [kernels for (kernels,) in at_once] == boards + tiles


def test_kernels_of_players_are_made_without_a_users_settings_of_numba(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Players in sandboxes have none of them, and would find no kernels."""
    made = Mock(return_value=Mock(returncode=0, stderr=""))
    monkeypatch.setattr("players.warm.subprocess.run", made)
    monkeypatch.setattr(warm, "_notes", lambda: tmp_path)
    monkeypatch.setenv("NUMBA_OPT", "0")
    assert warm._run([("dots", "uct")])
    given = made.call_args.kwargs["env"]
    assert not any(name.startswith("NUMBA_") for name in given)
    assert given["PATH"] == os.environ["PATH"]


def test_ctrl_c_ends_warming_in_a_word(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A process of a step gets it as well; the advice was to free memory."""
    made = Mock(return_value=Mock(returncode=-signal.SIGINT, stderr="Traceback\n"))
    monkeypatch.setattr("players.warm.subprocess.run", made)
    monkeypatch.setattr(warm, "_notes", lambda: tmp_path)
    monkeypatch.setattr("sys.argv", ["warm", "--rules", "dots", "--searches", "uct"])
    with pytest.raises(SystemExit, match=r"^130$"):
        warm.main()
    assert capsys.readouterr().err == "Interrupted.\n"


def test_players_tell_their_searches(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = Mock(return_value=True)
    monkeypatch.setattr(warm, "_run", ran)
    asked = ("warm", "--rules", "dots", "--searches", "analysis", "--players")
    monkeypatch.setattr("sys.argv", [*asked, "weighted-uct", "uct"])
    warm.main()
    assert ran.call_args.args == ([("dots", "uct"), ("dots", "analysis")],)
    for other in ("monkey", "ucb"):
        monkeypatch.setattr("sys.argv", [*asked, other])
        with pytest.raises(SystemExit, match=r"^2$"):
            warm.main()
        assert f"{other!r} is no built-in player with kernels" in capsys.readouterr().err


@pytest.mark.slow
def test_warming_ends_quietly_without_a_listener() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "players.warm", "--rules", "dots", "--searches", "uct"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 1


def test_what_is_in_the_cache_is_noted_and_not_loaded_again(
    tmp_path: Path, monkeypatch: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    loaded: list[Sequence[str]] = []
    codes = {"dots:alphabeta": 1, "2048:heuristic": warm._UNKEPT}

    def load(command: Sequence[str], **_options: object) -> subprocess.CompletedProcess[str]:
        loaded.append(command[command.index("--one") + 1 :])
        cache_folder().mkdir(exist_ok=True)
        code = codes.get(command[-1], 0)
        stderr = "It cannot be written.\n" if code == warm._UNKEPT else ""
        return subprocess.CompletedProcess(command, code, stderr=stderr)

    def run_step(rules: str, *searches: str) -> list[Sequence[str]]:
        loaded.clear()
        warm._run([(rules, search) for search in searches])
        return [*loaded]

    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    monkeypatch.setattr(subprocess, "run", load)
    monkeypatch.setattr(warm, "_notes", warm._notes.__wrapped__)
    monkeypatch.setattr(warm, "_said", set())
    assert run_step("dots", "uct") == [("dots:uct",)]
    assert run_step("dots", "uct") == []
    assert run_step("othello", "uct") == [("othello:uct",)]
    assert run_step("dots", "uct", "analysis") == [("dots:analysis",)]
    for _ in range(2):  # what failed is tried again
        with pytest.raises(SystemExit):
            run_step("dots", "alphabeta")
        assert loaded == [("dots:alphabeta",)]
    loaded.clear()
    assert warm._run([("dots", "uct")], noted_too=True)
    assert loaded == [("dots:uct",)]
    for _ in range(2):  # and what could not be kept
        loaded.clear()
        assert not warm._run([("2048", "heuristic")])
        assert loaded == [("2048:heuristic",)]
    assert capsys.readouterr().err == "It cannot be written.\n", "said once"
    monkeypatch.setattr(binding, "get_host_cpu_name", lambda: "another")
    assert run_step("dots", "uct") == [("dots:uct",)]


def test_a_process_that_was_killed_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It could not say so: where the memory is full, the system kills it."""
    killed = subprocess.CompletedProcess([], -9, stderr="")
    monkeypatch.setattr(subprocess, "run", Mock(return_value=killed))
    with pytest.raises(SystemExit):
        warm._run([("dots", "uct")], noted_too=True)
    said = "The process that compiled dots: uct was killed by signal 9. Where the memory was full"
    assert capsys.readouterr().err.startswith(said)


def test_the_folder_belongs_to_the_sources_and_to_the_compiler(
    tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    folder = cache_folder()
    assert folder.parent == tmp_path
    assert folder == cache_folder()
    monkeypatch.setattr(kernel_folder, "version", lambda package: "0.0")
    assert cache_folder() != folder
    monkeypatch.undo()
    room = tmp_path / "players" / "games"
    room.mkdir(parents=True)
    monkeypatch.setattr(
        kernel_folder, "__file__", str(tmp_path / "players" / "compiled" / "folder.py")
    )
    names = set()
    for source in ("a = 1", "a = 2"):
        (room / "othello.py").write_text(source)
        names.add(cache_folder().name)
    assert len(names) == 2


def test_installations_of_the_same_sources_share_kernels() -> None:
    """A note says that they are there, whichever of them compiled them."""
    place = cache_folder() / "players.search.uct.search"
    assert Path(iterate._cache.cache_path) == place


def test_a_step_that_fails_costs_the_others_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []

    def fail_first(step: Sequence[tuple[str, str]], *, noted_too: bool) -> bool:
        done.append(step[0][0])
        return len(done) > 1 or sys.exit(1)

    monkeypatch.setattr(warm, "_run", fail_first)
    monkeypatch.setattr(sys, "argv", ["warm", "--rules", "dots", "2048"])
    with pytest.raises(SystemExit):
        warm.main()
    assert done == ["dots", "2048"]


SMALL = """
from players.compiled.cache import kernel
@kernel
def twice(number):
    return 2 * number
@kernel
def half(number):
    return number // 2
print(twice(6) + half(0))
"""
"""Two kernels that are soon compiled."""

UNWRITABLE = """
import errno, os, runpy, sys, tempfile
def refuse(*arguments, **settings):
    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
tempfile.TemporaryFile = refuse
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
"""Runs a program for which no folder can be written: root may write to any."""


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, next to a cache that it filled."""
    program = tmp_path_factory.mktemp("small") / "compiles.py"
    program.write_text(SMALL)
    filled = run(str(program), ARENA_CACHE_DIR=str(program.with_name("cache")))
    assert (filled.returncode, filled.stdout, filled.stderr) == (0, "12\n", "")
    return program


@pytest.mark.slow
def test_kernels_are_not_shared_with_processes_that_compile_otherwise(
    small: Path, tmp_path: Path
) -> None:
    """As a number, `max` is 3, which is what others ask for."""
    folder = tmp_path / "cache"
    shutil.copytree(small.with_name("cache"), folder)
    before = len(files(folder))
    for setting, more in (("3", 0), ("max", 2), ("max", 2)):
        done = run(str(small), ARENA_CACHE_DIR=str(folder), NUMBA_OPT=setting)
        assert (done.returncode, done.stdout, done.stderr) == (0, "12\n", "")
        assert len(files(folder)) == before + more


@pytest.mark.slow
def test_a_cache_that_cannot_be_written_is_read_where_it_lies(small: Path) -> None:
    folder = small.with_name("cache")
    kept = files(folder)
    assert kept
    found = run("-c", UNWRITABLE, str(small), ARENA_CACHE_DIR=str(folder))
    assert (found.returncode, found.stdout, found.stderr) == (0, "12\n", "")
    assert files(folder) == kept


@pytest.mark.slow
def test_a_cache_that_cannot_be_there_is_reported_once_and_does_not_matter(tmp_path: Path) -> None:
    """A file where the folder should be cannot be written by anyone, root included."""
    (tmp_path / "file").write_text("")
    program = tmp_path / "compiles.py"
    program.write_text(SMALL)
    done = run(str(program), ARENA_CACHE_DIR=str(tmp_path / "file" / "below"))
    assert (done.returncode, done.stdout) == (0, "12\n")
    assert done.stderr.count("\n") == 1
    assert "cannot be written (Not a directory) and lacks kernels" in done.stderr
    assert "`arena warm` fills it" in done.stderr


@pytest.mark.slow
def test_warming_ends_at_the_first_kernel_that_cannot_be_kept(tmp_path: Path) -> None:
    """All were compiled first, for minutes, and none was kept."""
    (tmp_path / "file").write_text("")
    warm = ("-m", "players.warm", "--rules", "dots", "--searches", "uct")
    done = run(*warm, ARENA_CACHE_DIR=str(tmp_path / "file" / "below"))
    assert [json.loads(line).get("kept") for line in done.stdout.splitlines()] == [None, False]
    assert done.stderr.count("\n") == 1
    assert "cannot be written (Not a directory); ARENA_CACHE_DIR names another" in done.stderr


FULL = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
"""No file may grow past this, as on a full disk."""


@pytest.mark.slow
def test_a_cache_that_is_full_is_reported_once_and_does_not_matter(tmp_path: Path) -> None:
    program = tmp_path / "compiles.py"
    program.write_text(FULL + SMALL)
    done = run(str(program), ARENA_CACHE_DIR=str(tmp_path / "cache"))
    assert (done.returncode, done.stdout) == (0, "12\n")
    assert "cannot be written (File too large) and lacks kernels" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_damaged_kernels_are_compiled_again(small: Path, tmp_path: Path) -> None:
    """Of one kernel the index is cut off, of the other the code is empty."""
    folder = tmp_path / "cache"
    shutil.copytree(small.with_name("cache"), folder)
    (index,), (code,) = folder.rglob("*.twice-*.nbi"), folder.rglob("*.half-*.nbc")
    whole = {path: path.stat().st_size for path in (index, code)}
    index.write_bytes(index.read_bytes()[:40])
    code.write_bytes(b"")
    done = run(str(small), ARENA_CACHE_DIR=str(folder))
    assert (done.returncode, done.stdout, done.stderr) == (0, "12\n", "")
    assert {path: path.stat().st_size for path in whole} == whole
