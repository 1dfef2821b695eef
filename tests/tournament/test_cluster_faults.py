"""A cluster of processes: a scheduler, and workers in folders, caches and, for root, users of their
own. Workers are killed and frozen, the head is killed, a worker joins: each game counts once.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path

import pytest

import rules
from arena.errors import StoreError
from arena.model.protocol import Termination
from arena.sandbox import mounts
from arena.tournament.config_file import load_config
from arena.tournament.executors.local import fit
from arena.tournament.store import Store
from players.catalogue import BUILTINS
from tests.command import arena
from tests.sandbox.ordinary import becoming
from tests.tournament.helpers import schedule

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
ARENA = (sys.executable, "-P", "-c", "from arena.cli import app; app()")
PATIENCE_S = 400.0

PYTHON = """\
import json, sys, time
for line in sys.stdin:
    said = json.loads(line)
    if said["type"] == "start":
        print(json.dumps({"type": "ready", "name": "py"}), flush=True)
    elif said["type"] == "turn":
        time.sleep(0.02)
        move = {"type": "move", "ply": said["ply"], "move": said["legal"][0]}
        print(json.dumps(move), flush=True)
"""
NODE = """\
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const said = JSON.parse(line);
  if (said.type == "start") console.log(JSON.stringify({ type: "ready", name: "js" }));
  if (said.type == "turn")
    console.log(JSON.stringify({ type: "move", ply: said.ply, move: said.legal.at(-1) }));
});
"""
C = """\
#include <stdio.h>
#include <string.h>
// What follows a key in a line.
static const char *after(const char *line, const char *key) {
    return strstr(line, key) + strlen(key);
}
int main(void) {
    static char line[1 << 16];
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        if (strstr(line, "\\"type\\":\\"start\\""))
            puts("{\\"type\\":\\"ready\\",\\"name\\":\\"c\\"}");
        if (strstr(line, "\\"type\\":\\"turn\\"")) {
            const char *ply = after(line, "\\"ply\\":"), *move = after(line, "\\"legal\\":[\\"");
            printf("{\\"type\\":\\"move\\",\\"ply\\":%.*s,\\"move\\":\\"%.*s\\"}\\n",
                   (int)strcspn(ply, ",}"), ply, (int)strcspn(move, "\\""), move);
        }
    }
}
"""
BOTS = {
    "py": ("bot.py", PYTHON, 'command = ["python3", "bot.py"]'),
    "js": ("bot.js", NODE, 'command = ["node", "bot.js"]'),
    "c": ("bot.c", C, 'build = ["cc", "-o", "bot", "bot.c"]\ncommand = ["./bot"]'),
}
TOURNAMENT = """
[tournament]
rounds = 2
sandbox = "none"
[game]
rules = "dots"
rows = 3
cols = 3
"""


def write_class(folder: Path) -> Path:
    """The tournament of three bots."""
    text = TOURNAMENT
    for name, (file, code, how) in BOTS.items():
        (folder / name).mkdir()
        (folder / name / file).write_text(code)
        (folder / name / "bot.toml").write_text(f'name = "{name}"\nrules = ["dots"]\n{how}\n')
        text += f'[[player]]\nbot = "{name}"\n'
    (folder / "class.toml").write_text(text)
    return folder / "class.toml"


class Cluster:
    """Processes that are started here, each the leader of a group that is signalled as one."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder, self._stack = folder, stack
        told = folder / "scheduler.json"
        self.scheduler = self.start(
            "scheduler", (sys.executable, "-P", "-m", "distributed.cli.dask_scheduler", "--host",
            "127.0.0.1", "--port", "0", "--dashboard-address", ":0", "--scheduler-file", str(told)),
        )  # fmt: skip
        wait_until(lambda: told.exists() and bool(told.read_text()))
        self.address = str(json.loads(told.read_text())["address"])

    def start(self, name: str, command: tuple[str, ...], uid: int = 0) -> subprocess.Popen[bytes]:
        """Start a process in a folder and with a cache of its own; with `uid` as that user."""
        home = self.folder / name
        home.mkdir(exist_ok=True)
        environment = {
            **os.environ, "ARENA_CACHE_DIR": str(home / "cache"), "PYTHONPATH": str(ROOT),
            "HOME": str(home), "DASK_TEMPORARY_DIRECTORY": str(home),
        }  # fmt: skip
        with (home / "log").open("ab") as log:
            process = subprocess.Popen(
                command, cwd=home, env=environment, stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, start_new_session=True, preexec_fn=self._user(home, uid),
            )  # fmt: skip
        self._stack.callback(ended, process)
        return process

    def _user(self, home: Path, uid: int) -> Callable[[], None] | None:
        if not uid or os.geteuid() != 0 or not mounts.mounts_possible():
            return None
        os.chown(home, uid, uid)
        return becoming(uid, home)

    def worker(self, number: int) -> subprocess.Popen[bytes]:
        """A worker of one core, as a user of its own."""
        command = (*ARENA, "worker", self.address, "--cores", "1", "--shared")
        return self.start(f"worker{number}", command, 64_000 + number)

    def head(self, file: Path, store: Path) -> subprocess.Popen[bytes]:
        """What runs the tournament."""
        return self.start(
            "head", (*ARENA, "run", str(file), "--on", self.address, "--store", str(store))
        )


def ended(process: subprocess.Popen[bytes]) -> None:
    send(process, signal.SIGCONT)
    send(process, signal.SIGKILL)
    process.wait()


def send(process: subprocess.Popen[bytes], number: int) -> None:
    """To its group: a machine is lost or frozen with all that runs on it."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline, "it took too long"
        time.sleep(0.2)


def played(store: Path) -> int:
    with suppress(StoreError), Store.open(store) as opened:  # it is just being made
        return len(opened.finished())
    return 0


def moves(store: Path) -> dict[str, list[str]]:
    with Store.open(store) as opened:
        records = list(opened.records())
    assert len({record.game for record in records}) == len(records)
    return {record.game: [move.move for move in record.moves] for record in records}


def by_the_rules(file: Path) -> dict[str, list[str]]:
    """The moves of all games: of those that are legal js plays the last, the others the first."""
    config, games = load_config(file, BUILTINS, fit=partial(fit, cores=1)), {}
    for spec in schedule(config):
        position = rules.load(spec.terms.rules, **spec.terms.variant).start()
        games[spec.game] = moves = list(spec.opening)
        for move in moves:
            position = position.play(move)
        while position.to_move is not None:
            player = spec.players[position.to_move].name
            moves.append(position.legal_moves()[-1 if player == "js" else 0])
            position = position.play(moves[-1])
    return games


def processes_in(folder: Path) -> list[str]:
    """The command lines of processes that have something to do with the folder."""
    found = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            if entry.name.isdecimal() and str(folder).encode() in (entry / "environ").read_bytes():
                found.append((entry / "cmdline").read_text())
    return found


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    for folder in (tmp_path, *tmp_path.parents):
        if os.geteuid() == 0 and folder.is_relative_to("/tmp/pytest-of-root"):
            folder.chmod(0o755)
    with ExitStack() as stack:
        yield Cluster(tmp_path, stack)


def test_a_run_whose_scheduler_is_lost_ends_with_a_sentence_alone(cluster: Cluster) -> None:
    file, store = write_class(cluster.folder), cluster.folder / "cluster.sqlite"
    cluster.worker(1)
    head = cluster.head(file, store)
    wait_until(lambda: played(store) >= 1)
    send(cluster.scheduler, signal.SIGKILL)
    assert head.wait(PATIENCE_S) == 2
    said = (cluster.folder / "head/log").read_text()
    assert "the same command continues" in said
    assert "Traceback" not in said


def test_machines_of_this_one_find_what_players_name_next_to_the_tournament(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bot.py").write_text(PYTHON)
    player = '[[player]]\nname = "{}"\ncommand = ["python3", "bot.py"]\n'
    players = player.format("ant") + player.format("bee")
    (tmp_path / "cup.toml").write_text(TOURNAMENT.replace("rounds = 2", "") + players)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    played = arena("run", "../cup.toml", "--on", "local:1", "--store", "cup.sqlite")
    assert played.exit_code == 0, played.output
    with Store.open(Path("cup.sqlite")) as store:
        endings = {record.termination for record in store.records()}
    assert endings == {Termination.NATURAL}


def test_whatever_is_lost_each_game_counts_once(cluster: Cluster) -> None:
    file, store = write_class(cluster.folder), cluster.folder / "cluster.sqlite"
    first, second = map(cluster.worker, (1, 2))
    head = cluster.head(file, store)
    wait_until(lambda: played(store) >= 3)
    send(first, signal.SIGKILL)
    send(second, signal.SIGSTOP)
    before, third = played(store), cluster.worker(3)
    wait_until(lambda: played(store) >= before + 3)
    send(head, signal.SIGKILL)
    head.wait()
    head = cluster.head(file, store)
    assert head.wait(PATIENCE_S) == 0, (cluster.folder / "head/log").read_text()
    send(second, signal.SIGCONT)
    assert moves(store) == by_the_rules(file)
    for worker in (second, third):
        worker.terminate()
        worker.wait(PATIENCE_S)
    for process in (first, second, third, head):
        ended(process)
    wait_until(lambda: all("dask_scheduler" in one for one in processes_in(cluster.folder)))
