"""The referee benchmark plays what it says with either player, and shows what it measured."""

import json
import shutil
import stat
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from arena.bench import compiling, fastchess, referee, web
from arena.bench.environments import REFERENCE, bench_environments
from arena.bench.environments import show as show_environments
from arena.bench.fastchess import Measured
from arena.bench.referee import RefereeBench, bench_referee, show
from arena.bench.sandbox import bench_sandbox
from arena.bench.sandbox import show as show_sandbox
from arena.errors import BenchError

EDGES = 60
"""Moves of a game of dots and boxes 5×5: each of its edges."""


def shown(result: RefereeBench) -> str:
    written = StringIO()
    show(result, Console(file=written, width=100))
    return written.getvalue()


def result(*, other: tuple[Measured, ...]) -> RefereeBench:
    return RefereeBench(
        player="C",
        compiler="cc -O2",
        games=30,
        measured=(Measured(1800, 100.0, 50.0),) * 3,
        fastchess=other,
        freezing_us={"none": 20.0, "limits": 50.0},
    )


@pytest.fixture
def no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(shutil, "which", lambda name: None)


@pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="no C compiler on this machine"
)
def test_plays_with_the_c_player(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CC", raising=False)
    measured = bench_referee(games=2, repeats=2)
    assert (measured.player, sum(run.moves for run in measured.measured)) == ("C", 4 * EDGES)
    assert all(run.cpu_us > 0 and run.wall_us > 0 for run in measured.measured)
    assert set(measured.freezing_us) == {"none", "limits"}
    assert "Instant player in C (" in shown(measured)


@pytest.mark.usefixtures("no_compiler")
def test_plays_with_the_python_player_where_nothing_compiles() -> None:
    measured = bench_referee(games=1, repeats=1)
    assert (measured.player, sum(run.moves for run in measured.measured)) == ("Python", EDGES)
    assert "Instant player in Python (no C compiler found ($CC, cc, gcc, clang))" in shown(measured)


def test_a_compiler_that_fails_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "broken-cc"
    broken.write_text("#!/bin/sh\necho 'stdio.h: no such file' >&2\nexit 1\n")
    broken.chmod(broken.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("CC", f"{broken} -m64")
    measured = bench_referee(games=1, repeats=1)
    assert measured.player == "Python"
    assert measured.compiler == f"{broken} -m64 failed: stdio.h: no such file"


def test_the_c_player_waits_for_the_end_of_a_line(tmp_path: Path) -> None:
    player, _, command = referee.instant_player(tmp_path)
    if player != "C":
        pytest.skip("no C compiler on this machine")
    long_line = '{"type":"start","moves":"' + "x" * 200_000 + '"}\n'
    pieces = (
        long_line,
        '{"type":"tu',
        'rn","ply":12,"legal":["b1c1","a1a2"]}\n{"type":"en',
        'd"}\n',
    )
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as bot:
        assert bot.stdin is not None
        for piece in pieces:
            bot.stdin.write(piece.encode())
            time.sleep(0.02)  # so that each piece is a read of its own
        output, _ = bot.communicate(b'{"type":"quit"}\n', timeout=10)
    assert bot.returncode == 0
    assert [json.loads(line) for line in output.splitlines()] == [
        {"type": "ready", "name": "instant"},
        {"type": "move", "ply": 12, "move": "b1c1", "info": {"score": 0, "depth": 1}},
    ]


@pytest.mark.usefixtures("no_compiler")
def test_a_game_that_does_not_end_well_is_no_measurement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "instant.py").write_text("raise SystemExit(3)\n")
    monkeypatch.setattr(referee, "HERE", tmp_path)
    with pytest.raises(BenchError, match=r"failed \(exited\).*code 3"):
        bench_referee(games=1, repeats=1)


def test_a_compiler_command_that_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "'cc")
    with pytest.raises(BenchError, match=r"\$CC is \"'cc\", which is not a command: No closing"):
        bench_referee(games=1, repeats=1)


@pytest.mark.parametrize(
    ("other", "ratios", "reached"),
    [
        (Measured(6000, 200.0, 50.0), ["1.00", "2.00"], ["yes", "yes"]),
        (Measured(6000, 199.0, 49.0), ["1.02", "1.99"], ["no", "no"]),
    ],
)
def test_shows_figures_next_to_those_of_fastchess(
    other: Measured, ratios: list[str], reached: list[str]
) -> None:
    text = shown(result(other=(other,)))
    rows = [line for line in text.splitlines() if "≤ 1" in line or "≥ 2" in line]
    assert [row.split("│")[-2].strip() for row in rows] == reached
    assert [row.split("│")[-4].strip() for row in rows] == ratios
    assert "10,000" in rows[1] and "5,400 moves, one game at a time, median of 3 × 30" in text


def test_nothing_is_compared_without_fastchess() -> None:
    text = shown(result(other=()))
    assert "nothing to compare" in text and "≤" not in text and "50.0" in text


def test_plays_fastchess_where_it_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in that plays as many moves as it is asked for."""
    script = tmp_path / "fastchess"
    script.write_text(
        "#!/usr/bin/env -S python3 -I -S\nimport sys\n"
        "games = 2 * int(sys.argv[sys.argv.index('-rounds') + 1])\n"
        "for game in range(games):\n"
        "    print('Started game', flush=True)\n"
        "    sum(range(400_000))\n"
        "    print('Finished game', flush=True)\n"
    )
    script.chmod(0o755)
    measured = fastchess.measure(str(script), tmp_path / "engine", 8)
    assert measured.moves == 8 * fastchess.PLIES
    assert 0 < measured.cpu_us < measured.wall_us * 2
    script.write_text("#!/bin/sh\nexit 3\n")
    with pytest.raises(BenchError, match="exit code 3"):
        fastchess.measure(str(script), tmp_path / "engine", 2)


def test_the_engine_plays_the_game_it_knows(tmp_path: Path) -> None:
    engine = compiling.compile_c("instant_uci.c", tmp_path).program
    if engine is None:
        pytest.skip("no C compiler on this machine")
    asked = "uci\nisready\nposition startpos\ngo\nposition startpos moves a2a3\ngo\nquit\n"
    said = subprocess.run(engine, input=asked, capture_output=True, text=True, check=True).stdout
    assert [line for line in said.splitlines() if line.startswith("best")] == [
        "bestmove a2a3",
        "bestmove h7h6",
    ]
    assert "uciok" in said and "readyok" in said


def test_each_sandbox_is_measured_next_to_none() -> None:
    results = bench_sandbox(starts=1, games=1, repeats=1)
    modes = [result.mode for result in results]
    assert modes[:2] == ["none", "limits"]
    assert all(result.start_ms > 0 and result.cpu_us > 0 for result in results)
    written = StringIO()
    show_sandbox(results, Console(file=written, width=120))
    lines = written.getvalue().splitlines()
    assert [line.split()[1] for line in lines if " ms " in line] == modes


def test_environments_are_measured_next_to_connect_four() -> None:
    pytest.importorskip("pygame")
    speeds = bench_environments(steps=100, repeats=1)
    assert (speeds[0].name, speeds[0].ratio) == (REFERENCE, 1)
    assert all(each.steps_per_s > 0 for each in speeds)
    written = StringIO()
    show_environments(speeds, Console(file=written, width=100))
    assert "2048, two players" in written.getvalue()


def test_without_connect_four_there_is_no_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pettingzoo.classic.connect_four", None)
    with pytest.raises(BenchError, match=r"pettingzoo\[classic\]"):
        bench_environments(steps=100, repeats=1)


def test_tournaments_with_too_few_games_to_measure_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web, "_play", lambda *_: web.PlayedRuns((), 0, (), 0.1, 0.1))
    with pytest.raises(BenchError, match=r"had too few games to measure; raise --rounds"):
        web.watched_and_not(tmp_path, 1, 1)
