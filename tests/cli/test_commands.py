"""The command line as its users type it: what is printed, and the exit codes."""

import csv
import errno
import json
import os
import re
import resource
import signal
import sqlite3
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from unittest.mock import Mock

import pytest

from arena.files.stop_signals import handled
from arena.records.championship import read_record
from arena.sandbox.processes import tree
from arena.tournament.store_faults import unusable
from rules import load
from rules.transcript import read_transcript
from tests.cli.conftest import MONKEYS
from tests.command import arena
from tests.pages import ROOT
from tests.reports.conftest import play_record
from tests.reports.runs import begun


def test_help_names_every_command() -> None:
    shown = arena("--help").output
    for command in (
        "run",
        "report",
        "games",
        "replay",
        "rate",
        "players",
        "schema",
        "warm",
        "bench",
    ):
        assert re.search(rf"^  {command}\s", shown, re.MULTILINE)


def test_help_is_light() -> None:
    shown = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "arena", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {line.rpartition("|")[2].strip() for line in shown.stderr.splitlines()}
    assert "typer" in loaded
    assert {"numba", "numpy", "pydantic", "rich", "rules"}.isdisjoint(loaded)


def test_help_without_docstrings_names_the_commands() -> None:
    shown = subprocess.run(
        [sys.executable, "-OO", "-m", "arena", "--help"], capture_output=True, text=True
    )
    assert (shown.returncode, shown.stderr) == (0, "")
    assert re.search(r"^  replay$", shown.stdout, re.MULTILINE)


@pytest.mark.parametrize("group", [(), ("bench",)])
def test_without_a_command_the_help_is_shown(group: tuple[str, ...]) -> None:
    shown = arena(*group)
    assert (shown.exit_code, shown.stderr) == (0, "")
    assert shown.output == arena(*group, "--help").output


COMMANDS = """run report games replay rate schema warm doctor play analyse train tune sprt players
new check match submit bench"""


@pytest.mark.parametrize("command", ["", *COMMANDS.split(), "bench referee", "bench tiles"])
def test_help_shows_no_types_of_flags_and_plain_defaults(command: str) -> None:
    shown = arena(*command.split(), "--help").output
    assert "--help" in shown
    assert not re.search(r"<bool>|<list|<str|default: \(", shown)


@pytest.mark.parametrize(("command", "read"), [("run", True), ("sprt", False), ("tune", False)])
def test_only_the_file_of_a_run_names_a_cluster(command: str, *, read: bool) -> None:
    shown = " ".join(arena(command, "--help").output.split())
    assert ("here, or as the file says" in shown) is read


@pytest.mark.parametrize(
    ("typed", "completed"), [("arena re", "report"), ("arena play ot", "othello")]
)
def test_a_shell_completes_commands_and_rule_sets(typed: str, completed: str) -> None:
    asked = {
        "_ARENA_COMPLETE": "complete_bash",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split()) - 1),
    }
    command = [sys.executable, "-c", "from arena.cli import app; app(prog_name='arena')"]
    done = subprocess.run(
        command, env=os.environ | asked, capture_output=True, text=True, check=True
    )
    assert completed in done.stdout.split()


def test_completion_is_installed_for_a_shell(tmp_path: Path) -> None:
    code = "from arena.cli import app; app(['--install-completion', 'bash'], prog_name='arena')"
    environment = os.environ | {
        "HOME": str(tmp_path),
        "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1",
    }
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert "completion installed in" in done.stdout
    assert "_ARENA_COMPLETE=complete_bash" in (tmp_path / ".bash_completions/arena.sh").read_text()


def test_completion_needs_a_home() -> None:
    code = (
        "import pwd; pwd.getpwuid = {}.__getitem__\n"  # as with `docker run --user 12345`
        "from arena.cli import app; app(['--install-completion', 'bash'], prog_name='arena')"
    )
    environment = os.environ | {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    del environment["HOME"]
    refused = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert refused.returncode == 2
    assert refused.stderr == "The home of this user is not known: name a folder in HOME.\n"


def test_version() -> None:
    assert re.fullmatch(r"arena \d+\.\d+\.\d+\n", arena("--version").output)


def test_an_archive_is_refused(tmp_path: Path) -> None:
    packed = tmp_path / "packed.pyz"
    with zipfile.ZipFile(packed, "w") as archive:
        for file in (ROOT / "arena" / "__init__.py", ROOT / "arena" / "__main__.py"):
            archive.write(file, file.relative_to(ROOT))
        archive.writestr("__main__.py", "from arena.__main__ import main; main()")
    refused = subprocess.run(
        [sys.executable, packed, "examples"], capture_output=True, text=True, check=False
    )
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith(f"{packed}/arena/__main__.py is inside an archive")


@pytest.mark.parametrize("name", ["rules.py", "players.py", "rules/__init__.py"])
@pytest.mark.parametrize(
    "program", [("-m", "arena", "players"), ("-c", "import arena; arena.run({})")]
)
def test_a_file_that_hides_a_room_is_named(
    tmp_path: Path, name: str, program: tuple[str, str]
) -> None:
    hider = tmp_path / name
    hider.parent.mkdir(exist_ok=True)
    hider.write_text("BOARD = 8; print(BOARD); input()\n")  # it is not run
    refused = subprocess.run(
        [sys.executable, *program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (refused.returncode, refused.stdout) == (2 if "-m" in program else 1, "")
    last = refused.stderr.splitlines()[-1].removeprefix("ImportError: ")
    assert last.startswith(f"{hider} hides the arena's own {re.split('[./]', name)[0]!r}: rename")
    assert ("Traceback" in refused.stderr) == ("-c" in program)


def test_a_file_that_hides_a_room_is_a_wrong_call_also_without_stderr(tmp_path: Path) -> None:
    (tmp_path / "rules.py").touch()
    command = f"exec {sys.executable} -m arena players 2>&-"
    assert subprocess.run(command, shell=True, cwd=tmp_path, check=False).returncode == 2


def test_commands_that_need_no_players_work_next_to_others(tmp_path: Path) -> None:
    (tmp_path / "players.py").write_text("raise AssertionError")
    (tmp_path / "results.csv").write_text("first,second,score\nant,bee,1\n")
    command = (sys.executable, "-m", "arena", "rate", "results.csv")
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_script_next_to_players_of_its_own_may_rate_and_slide(tmp_path: Path) -> None:
    (tmp_path / "players.py").write_text("raise AssertionError")
    program = "import arena; arena.rate([('ant', 'bee', 1)]); arena.env('2048'); arena.load_run"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_the_folder_of_the_arena_by_another_name_hides_nothing(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(ROOT)
    program = f"import arena, sys; sys.path.insert(0, {str(link)!r}); arena.run"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_dry_run_tells_the_plan_and_leaves_nothing(folder: Path) -> None:
    shown = arena("run", "t.toml", "--dry-run")
    assert shown.exit_code == 0
    assert "2 players: monkey, greedy" in shown.output
    assert "4 games" in shown.output
    assert "A few seconds" in shown.output
    assert not (folder / "runs").exists()


def test_a_dry_run_begins_where_a_run_would_begin(folder: Path) -> None:
    Path("cut-short.sqlite").touch()
    shown = arena("run", "t.toml", "--dry-run", "--store", "cut-short.sqlite")
    assert shown.exit_code == 0 and "would be kept in cut-short.sqlite" in shown.stdout
    shown = arena("run", "t.toml", "--dry-run", "--store", ".")
    assert shown.exit_code == 2 and "not a file; name one" in shown.stderr


def test_a_dry_run_refuses_what_a_run_would(folder: Path, finished: Path) -> None:
    text = (folder / "t.toml").read_text()
    shown = arena("run", "t.toml", "--dry-run")
    assert shown.exit_code == 0
    assert f"would be kept in {finished.relative_to(folder)}" in shown.output
    (folder / "t.toml").write_text(text.replace('"greedy"', '"monkey"\nname = "other"'))
    shown = arena("run", "t.toml", "--dry-run")
    assert shown.exit_code == 2
    assert "was begun with another configuration" in shown.stderr
    shown = arena("run", "t.toml", "--dry-run", "--store", "else.sqlite")
    assert (shown.exit_code, "would be kept in else.sqlite" in shown.output) == (0, True)


def test_a_run_ends_with_its_table_and_again_plays_nothing(folder: Path) -> None:
    (folder / "t.toml").write_text(MONKEYS.format(rounds=1))
    first = arena("run", "t.toml")
    assert first.exit_code == 0
    assert "2/2" in first.output
    assert "Kept in runs/t.sqlite" in first.output
    again = arena("run", "t.toml")
    assert again.exit_code == 0
    assert "All 2 games are played already." in again.output
    assert "1/2" not in again.output


def test_a_stop_below_what_was_played_is_reported_in_one_sentence(folder: Path) -> None:
    text = MONKEYS.format(rounds=3)
    (folder / "t.toml").write_text(f"{text}\n[stop]\ngames = 4\n")
    first = arena("run", "t.toml")
    assert "4 games to play" in first.output and "Ends early after 4 games." in first.output
    (folder / "t.toml").write_text(f"{text}\n[stop]\ngames = 2\n")
    for more in ([], ["--dry-run"]):
        again = arena("run", "t.toml", *more).output
        assert "Ended by [stop]: 4 games, more than the 2 it asks for." in again
        assert "are played already" not in again and "Ends early" not in again


def test_a_full_disk_interrupts_a_run(folder: Path) -> None:
    (folder / "t.toml").write_text(MONKEYS.format(rounds=100))
    full = subprocess.run(
        [sys.executable, "-m", "arena", "run", "t.toml"],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert full.returncode == 130, full.stderr
    assert "cannot be kept: disk I/O error; those before it are, and the same" in full.stderr
    (folder / "t.toml").write_text(MONKEYS.format(rounds=101))
    assert arena("run", "t.toml", "--dry-run").output.count(" of 202 games to play") == 1


def test_a_store_on_a_full_disk_is_not_begun(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    no_page = sqlite3.OperationalError("disk I/O error")
    no_page.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMSIZE
    no_room = OSError(errno.ENOSPC, "No space left on device")
    beyond_ulimit = OSError(errno.EFBIG, "File too large")
    for error in (no_room, beyond_ulimit, no_page):
        monkeypatch.setattr("arena.files.lock.acquire", Mock(side_effect=error))
        result = arena("run", "t.toml")
        assert result.exit_code == 130
        assert f"{error.args[-1]}; the same command continues once there is" in result.stderr


@pytest.mark.slow
def test_a_full_disk_below_the_output_interrupts_a_run(folder: Path) -> None:
    run = [sys.executable, "-m", "arena", "run", "t.toml"]
    with Path("/dev/full").open("w") as full:
        shown = subprocess.run(run, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        assert (shown.returncode, shown.stderr) == (130, "No space left on device\n")
        (folder / "t.toml").unlink()
        assert subprocess.run(run, stderr=full, check=False).returncode == 2


@pytest.mark.parametrize("what", ["Unable to allocate 122. MiB", ""])
def test_memory_that_is_lacking_is_told(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("threading.Thread.start", Mock(side_effect=MemoryError(what)))
    result = arena("analyse", "othello")
    assert result.exit_code == 2
    assert result.stderr.startswith(
        f"{what or 'Out of memory'}. More memory is needed than is free: end other"
    )


@pytest.mark.parametrize(
    "error", [RuntimeError("can't start new thread"), BlockingIOError(errno.EAGAIN, "unavailable")]
)
def test_a_thread_or_process_that_cannot_start_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    monkeypatch.setattr("threading.Thread.start", Mock(side_effect=error))
    result = arena("run", "t.toml")
    assert result.exit_code == 2
    assert result.stderr.startswith("No further process or thread can be started: end other")


def test_a_full_stdout_that_does_not_block_is_no_limit_of_processes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = BlockingIOError(errno.EAGAIN, "write could not complete without blocking", 4096)
    monkeypatch.setattr("threading.Thread.start", Mock(side_effect=full))
    result = arena("run", "t.toml")
    assert (result.exit_code, result.stderr) == (2, f"{full.strerror}\n")


def test_a_folder_that_is_gone_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = folder / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    result = arena("run", "../t.toml")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"the folder you are in, {gone} (deleted): No such file")


def test_kernels_that_cannot_be_kept_are_not_reported_ready(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    step = {"step": 1, "steps": 1, "name": "dots", "seconds": 1.0}
    for kept, code in ((True, 0), (False, 2)):
        steps = f"print({json.dumps({**step, 'kept': kept})!r})"
        monkeypatch.setattr(
            "arena.tournament.warming.module_command",
            Mock(return_value=(sys.executable, "-c", steps)),
        )
        result = arena("warm", "dots")
        assert result.exit_code == code
        assert ("could not be kept" in result.stderr) is not kept
        assert ("are ready" in result.stdout) is kept


def test_no_game_begins_where_its_kernels_cannot_be_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each player would compile them in its time: game after game was void."""
    steps = f"print({json.dumps({'step': 1, 'steps': 1, 'name': 'dots', 'kept': False})!r})"
    compiling = (sys.executable, "-c", steps)
    monkeypatch.setattr("arena.tournament.warming.module_command", lambda *_: compiling)
    result = arena("match", "uct", "greedy", "--rules", "dots", "--games", "2")
    assert result.exit_code == 2
    assert "Built-in players need kernels that " in result.stderr


def test_no_compilation_is_begun_for_a_cache_that_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.chmod(0o777)
    monkeypatch.setenv("ARENA_CACHE_DIR", str(folder))
    result = arena("warm", "dots")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "Every user of this machine may write" in result.stderr


def test_a_command_that_is_ended_leaves_no_compilation(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiling = ("sh", "-c", "echo $$ > pid; sleep 0.2; kill $PPID; exec sleep 5")
    monkeypatch.setattr("arena.tournament.warming.module_command", Mock(return_value=compiling))
    with handled(signal.SIGTERM, by=signal.default_int_handler):  # as each command begins
        result = arena("warm", "dots")
    assert (result.exit_code, result.stderr) == (130, "Interrupted.\n")
    assert not Path("/proc", (folder / "pid").read_text().strip()).exists()


def test_a_command_that_is_killed_leaves_no_compilation(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "arena", "warm", "dots"],
        env={**os.environ, "ARENA_CACHE_DIR": str(tmp_path)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        while len(list(tree(process.pid))) < 3:  # one that has one for each step
            time.sleep(0.05)
        process.kill()
        process.communicate(timeout=10)  # all that it started have it too


def test_a_file_system_without_shared_memory_is_not_called_full(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMMAP
    monkeypatch.setattr("arena.files.lock.acquire", Mock(side_effect=error))
    result = arena("run", "t.toml")
    assert result.exit_code == 2
    assert "cannot share memory, which runs need: use a folder on a local disk" in result.stderr
    assert "use a folder on a local disk" in str(unusable(folder / "t.sqlite", error))


def test_every_mistake_in_a_file_is_reported_at_once(folder: Path) -> None:
    text = MONKEYS.format(rounds='"three"').replace('"greedy"', '"gredy"')
    (folder / "bad.toml").write_text(text)
    result = arena("run", "bad.toml")
    assert result.exit_code == 2
    assert "bad.toml:3: tournament.rounds" in result.stderr
    assert 'did you mean "greedy"?' in result.stderr


@pytest.mark.parametrize(("bot", "key"), [("weighted-uct", "weights"), ("alphabeta", "evaluation")])
def test_files_that_are_not_there_are_noticed_before_the_start(
    bot: str, key: str, folder: Path
) -> None:
    players = f"""
[[player]]
bot = "{bot}"
options = {{ {key} = "mine.json" }}
[[player]]
bot = "monkey"
"""
    (folder / "w.toml").write_text(f'[game]\nrules = "othello"\n{players}')
    result = arena("run", "w.toml", "--dry-run")
    assert result.exit_code == 2
    assert f"player[1].options.{key}: no such file: {folder}/mine.json" in result.stderr
    (folder / "mine.json").write_text("{}")
    for command in (["run", "w.toml", "--dry-run"], ["run", "w.toml"]):
        result = arena(*command)
        assert result.exit_code == 2
        assert f"player[1].options.{key}: {folder}/mine.json: " in result.stderr
    (folder / "mine.json").write_text('{"features": {}, "black": [], "white": []}')
    assert arena("run", "w.toml", "--dry-run").exit_code == 0


def test_a_dry_run_opens_no_file_that_options_of_strangers_name(folder: Path) -> None:
    opened = list[str]()
    (folder / "mine.json").write_text('{"features": {}}')
    (folder / "model.bin").touch()
    (folder / "mine.py").touch()
    (folder / "w.toml").write_text(
        '[tournament]\nsandbox = "none"\n[game]\nrules = "othello"\n'
        '[[player]]\nbot = "alphabeta"\noptions = { evaluation = "mine.json" }\n'
        '[[player]]\nbot = "mine.py"\noptions = { model = "./model.bin" }\n'
    )
    watching = True

    def watch(event: str, given: tuple[object, ...]) -> None:
        if watching and event == "open":
            opened.append(Path(str(given[0])).name)

    sys.addaudithook(watch)
    shown = arena("run", "w.toml", "--dry-run")
    watching = False
    assert (shown.exit_code, "w.toml" in opened) == (0, True), shown.output
    assert "mine.json" in opened and "model.bin" not in opened


TRAINING = '[training]\n[game]\nrules = "2048"\n[network]\ntuples = ["a1 b1"]\n'
TUNING = '[tuning]\nmethod = "spsa"\n[game]\nrules = "dots"\n[player]\nbot = "uct"\n'


@pytest.mark.parametrize(
    ("command", "text", "expected"),
    [
        ("run", TRAINING, "a training, not a tournament; use: arena train x.toml"),
        ("run", TUNING, "a tuning, not a tournament; use: arena tune x.toml"),
        ("train", TUNING, "a tuning, not a training; use: arena tune x.toml"),
        ("train", MONKEYS, "a tournament, not a training; use: arena run x.toml"),
        ("tune", TRAINING, "a training, not a tuning; use: arena train x.toml"),
        ("tune", MONKEYS, "a tournament, not a tuning; use: arena run x.toml"),
    ],
)
def test_a_file_of_another_kind_names_its_command(
    folder: Path, command: str, text: str, expected: str
) -> None:
    (folder / "x.toml").write_text(text.format(rounds=1))
    refused = arena(command, "x.toml")
    assert refused.exit_code == 2
    assert refused.stderr == f"x.toml: is {expected}\n"


def test_a_training_is_verified_as_a_tuning(folder: Path) -> None:
    (folder / "x.toml").write_text(TRAINING.replace("2048", "othello"))
    refused = arena("tune", "x.toml", "--verify")
    assert refused.exit_code == 2
    assert refused.stderr == (
        "x.toml: is a training, not a tuning; for --verify write [tuning] with method = "
        '"td" for [training]\n'
    )
    (folder / "x.toml").write_text(TRAINING)
    assert "use: arena train x.toml" in arena("tune", "x.toml", "--verify").stderr


def test_a_missing_file_names_the_nearest(folder: Path) -> None:
    result = arena("run", "tt.toml")
    assert result.exit_code == 2
    assert 'did you mean "t.toml"?' in result.stderr


def test_a_changed_file_is_refused_with_the_difference(finished: Path, folder: Path) -> None:
    text = MONKEYS.format(rounds=2).replace("1000", "900")
    (folder / "t.toml").write_text(text)
    result = arena("run", "t.toml")
    assert result.exit_code == 2
    assert "clock.move_ms: 1000 → 900" in result.stderr


def test_reports_agree_with_each_other(finished: Path) -> None:
    data = json.loads(arena("report", str(finished), "--json").output)
    assert data["games"] == 4
    assert {player["name"] for player in data["players"]} == {"monkey", "greedy"}
    rows = arena("report", str(finished), "--csv", "players").output.splitlines()
    assert len(rows) == 3
    assert "4 of 4 games" in arena("report", str(finished)).output


def test_a_table_of_few_games_needs_no_templates_and_no_scipy(finished: Path) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "arena", "report", str(finished)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())
    assert "arena.reports.terminal" in loaded
    assert loaded.isdisjoint({"jinja2", "scipy", "numba", "asyncio"})


def test_the_results_of_a_run_are_what_rate_reads(finished: Path, folder: Path) -> None:
    (folder / "r.csv").write_text(arena("report", str(finished), "--csv", "results").output)
    rated = json.loads(arena("rate", "r.csv", "--json").output)
    report = json.loads(arena("report", str(finished), "--json").output)
    assert [p["elo"] for p in rated["players"]] == [p["elo"] for p in report["players"]]
    rows = csv.DictReader(arena("rate", "r.csv", "--csv").output.splitlines())
    assert [float(row["elo"]) for row in rows] == [round(p["elo"], 4) for p in rated["players"]]


def test_a_replay_ends_as_the_game_did(finished: Path) -> None:
    shown = arena("replay", str(finished), "g0001")
    assert shown.exit_code == 0
    assert "End: natural" in shown.output
    assert arena("replay", str(finished), "1").output == shown.output


@pytest.mark.slow
@pytest.mark.parametrize("rules", ['"2048"', '"2584"\nplacer = "player"'])
def test_tile_games_replay_from_their_seed(folder: Path, rules: str) -> None:
    players = '[[player]]\nbot = "monkey"\n[[player]]\nbot = "greedy"\n'
    quick = '[tournament]\nconcurrency = 1\nsandbox = "none"\n'
    (folder / "tiles.toml").write_text(f"{quick}[game]\nrules = {rules}\n{players}")
    assert arena("run", "tiles.toml").exit_code == 0
    for game in ("g0001", "g0002"):
        shown = arena("replay", "runs/tiles.sqlite", game)
        assert shown.exit_code == 0, shown.stderr
        assert "End: natural" in shown.output


@pytest.mark.parametrize("sort", ["transcript", "record"])
def test_a_replay_can_be_a_line_for_other_programs(finished: Path, sort: str) -> None:
    written = arena("replay", str(finished), "g0001", "--as", sort).output
    game = load("dots", rows=2, cols=2)
    if sort == "transcript":
        moves = read_transcript(game.start(), written)
    else:
        moves = tuple(read_record(game, written).moves)
    position = game.start()
    for move in moves:
        position = position.play(move)
    assert position.is_over


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("play", "otello"), 'rules: must be one of othello, dots, 2048, 2584, got "otello"; did'),
        (("warm", "othelo"), 'got "othelo"; did you mean "othello"?'),
        (("sprt", "a", "b", "--model", "logistc"), 'got "logistc"; did you mean "logistic"?'),
        (("sprt", "a", "b", "--sandbox", "x"), "--sandbox: must be one of auto, bwrap, limits"),
        (("sprt", "a", "b", "--rules", "dot"), 'got "dot"; did you mean "dots"?'),
        (("play", "dots", "--move-ms", "0"), "--move-ms: must be greater than or equal to 1, got"),
        (("play", "dots", "--seed", "x"), '--seed: must be a valid integer, got "x"'),
    ],
)
def test_a_wrong_value_is_a_line_of_ours(arguments: tuple[str, ...], expected: str) -> None:
    result = arena(*arguments)
    assert result.exit_code == 2
    assert expected in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("report", "runs/u.sqlite"), "no such run"),
        (("report", "runs"), "runs: is a folder; a run is a file"),
        (
            ("report", "w.tune"),
            "w.tune: is the folder of a tuning, not a run: its result is in",
        ),
        (("report", "w.tune"), "; its tests are runs: arena report w.tune/verify-1.sqlite"),
        (("analyse", "w.train"), "is the folder of a training, not a run: look at w.train/curve"),
        (("replay", "runs/t.sqlite", "g0009"), "g0001 to g0004"),
        (("report", "t.toml"), "not a run"),
        (("run", "t.toml", "--store", ""), ".: not a file; name one for the run"),
        (("import", ".", "--to", "q.sqlite"), ".: is a folder; name a file in it"),
        (("serve", "--runs", "t.toml"), "--runs: t.toml is a file; name the folder of the runs"),
        (("serve", "--runs", "run"), '--runs: there is no folder run; did you mean "runs"?'),
        (("serve", "--runs", "no/dir"), "--runs: there is no folder no/dir; make it, or name"),
        (("run", "cluster.toml"), "cluster.toml:19: cluster.on: 'tcp://nowhere' is not a cluster"),
        (("replay", "runs/o.sqlite", "g0001", "--as", "record"), "only dots"),
        (("rate", "none.csv"), "cannot be read"),
        (("rate", "bad.csv"), "line 2"),
        (("rate", "good.csv", "--anchor", "c"), "there are: a, b"),
    ],
)
def test_what_a_user_can_fix_is_a_sentence(
    finished: Path, folder: Path, arguments: tuple[str, ...], expected: str
) -> None:
    (folder / "bad.csv").write_text("a,b,1\na,b,7\n")
    (folder / "good.csv").write_text("a,b,1\n")
    cluster = '[cluster]\non = "tcp://nowhere"\n'
    (folder / "cluster.toml").write_text(MONKEYS.format(rounds=1) + cluster)
    for kept in ("w.tune/player.toml", "w.tune/verify-1.sqlite", "w.train/curve.png"):
        (folder / kept).parent.mkdir(exist_ok=True)
        (folder / kept).touch()
    if "runs/o.sqlite" in arguments:
        games = [play_record("othello", "a", "b", size=4).model_copy(update={"game": "g0001"})]
        with begun(folder / "runs/o.sqlite", games) as store:
            store.add(games[0])
    result = arena(*arguments)
    assert result.exit_code == 2
    assert expected in result.stderr


def test_players_lists_every_option_and_tells_one_player_in_full() -> None:
    from players.catalogue import BUILTINS

    listed = arena("players").output
    for name, builtin in BUILTINS.items():
        shown = arena("players", name).output
        assert f"{name} {builtin.summary}" in " ".join(shown.split())
        assert name in listed
        for option, schema in builtin.options.model_json_schema().get("properties", {}).items():
            assert option in listed
            assert f"\n  {option} = " in shown
            assert " ".join(schema["description"].split()) in " ".join(shown.split())
    assert "options: those of uct, and weights\n" in listed
    uct = arena("players", "uct").output
    assert '\n  c = 1.0  a number or "auto"\n' in uct
    assert '\n  backup = "win"  "win" or "zero-sum" or "score"\n' in uct
    assert "\n  mix = 0.5  a number above 0 and below 1\n" in uct
    assert "\n  leaf_plies = none  a whole number above 0\n" in uct
    assert "\n  threads = 1  a whole number, 1 to 64\n" in uct
    unknown = arena("players", "utc")
    assert unknown.exit_code == 2
    assert 'no built-in player "utc"; did you mean "uct"?' in unknown.stderr


def test_a_file_may_begin_with_a_byte_order_mark(folder: Path) -> None:
    (folder / "t.toml").write_bytes(b"\xef\xbb\xbf" + (folder / "t.toml").read_bytes())
    assert arena("run", "t.toml", "--dry-run").exit_code == 0


def test_schemas_are_json() -> None:
    assert "$defs" in json.loads(arena("schema").output)
    assert "properties" in json.loads(arena("schema", "--report").output)
