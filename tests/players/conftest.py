"""What the players' tests share: dialogues with real processes, games and their true values."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import rules
from arena.referee import SessionPool
from players.builtin import Builtin
from players.sdk import Clock, Start
from players.weights.network_file import save_network
from players.weights.network_header import Header, network_of
from rules.position import CHANCE, PASS, Position, draw_chance

REPOSITORY = Path(__file__).resolve().parents[2]
FILE = "small.ntuple"


class Player:
    """A player's process, asked line by line."""

    def __init__(self, command: list[str], cwd: Path, **environment: str) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._answers_due = 0
        path = os.pathsep.join(filter(None, (str(REPOSITORY), os.environ.get("PYTHONPATH"))))
        self._process = subprocess.Popen(
            command,
            cwd=cwd,
            env={**os.environ, "PYTHONPATH": path, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
        )

    def tell(self, message: dict[str, Any]) -> None:
        """Write a request that needs no answer."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        """Write a request; its answer."""
        assert self._process.stdout is not None
        self._answers_due += 1
        self.tell(message)
        line = self._process.stdout.readline()
        assert line, f"no answer; stderr:\n{self.stderr()}"
        self._answers_due -= 1
        answer = json.loads(line)
        assert isinstance(answer, dict)
        return answer

    @property
    def waits(self) -> bool:
        """Whether it is there, and has answered all that it was asked."""
        return self._process.poll() is None and not self._answers_due

    def close(self) -> tuple[int, bytes]:
        """Close its stdin: its exit code and what it wrote beyond the answers."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        if not self._process.stdin.closed:
            self._process.stdin.close()
        rest = self._process.stdout.read()
        self._process.stdout.close()
        return self._process.wait(timeout=60), rest

    def stderr(self) -> str:
        """What it has written there so far."""
        self._errors.seek(0)
        return self._errors.read().decode()

    def end(self) -> None:
        """Leave nothing behind."""
        if self._process.poll() is None:
            self._process.kill()
        if self._process.stdout is not None and not self._process.stdout.closed:
            self.close()
        self._errors.close()


@pytest.fixture
def start_player(tmp_path: Path) -> Iterator[Callable[..., Player]]:
    """`start_player("players.uct")` or `start_player(path)`: a process, ended with the test."""
    players = []

    def start(what: str | Path, **environment: str) -> Player:
        source = ["-m", what] if isinstance(what, str) else [str(what)]
        player = Player([sys.executable, *source], tmp_path, **environment)
        players.append(player)
        return player

    yield start
    for player in players:
        player.end()


@pytest.fixture(scope="module")
def running_player(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Player]]:
    """`running_player("players.uct")`: a process that the tests of a file share, as most of what a
    test costs is its start; each begins a game of its own. A test that wants two numbers them.
    """
    players: dict[tuple[str, int], Player] = {}
    folder = tmp_path_factory.mktemp("players")

    def running(module: str, number: int = 0) -> Player:
        player = players.get((module, number))
        if player is None or not player.waits:
            if player is not None:
                player.end()
            player = Player([sys.executable, "-m", module], folder)
            players[module, number] = player
        return player

    yield running
    for player in players.values():
        player.end()


@pytest.fixture
def networks(tmp_path: Path) -> Path:
    """A player's folder, with a network for each game."""
    for name in ("2048", "2584"):
        spawn = rules.load(name).variant["spawn"]
        tuples = (("a1", "b1", "c1"), ("b2", "c2"))
        header = Header.model_validate({"rules": name, "spawn": spawn, "tuples": tuples})
        network = network_of(header)
        random = np.random.default_rng(2)
        weights = random.uniform(0, 9, len(network.weights)).astype(np.float32)
        save_network(tmp_path / f"{name}-{FILE}", header, network._replace(weights=weights))
    return tmp_path


def start_message(position: Position, seat: int = 0, **fields: Any) -> dict[str, Any]:
    """A `start` request for a game from `position`."""
    return {
        "type": "start",
        "protocol": 1,
        "game": "g1",
        "rules": position.game.name,
        "variant": position.game.variant,
        "seat": seat,
        "seats": position.game.seats,
        "clock": {"move_ms": 1000, "bank_ms": None, "increment_ms": 0},
        "startup_ms": 30_000,
        "seed": 1,
        "options": {},
        "state": position.state(),
        "moves": [],
        **fields,
    }


def refusal(
    player: type[Builtin], position: Position, monkeypatch: pytest.MonkeyPatch, **fields: Any
) -> str:
    """The sentence with which it ends its process before a game, asked in this one."""
    message = start_message(position, **fields)
    values = {name: message[name] for name in Start._fields}
    request = Start(**values | {"clock": Clock(**message["clock"])})
    monkeypatch.setattr("players.builtin.play", lambda _, *, start, **__: start(request))
    with pytest.raises(SystemExit) as ended:
        player.run()
    assert isinstance(ended.value.code, str)  # Python shows it, and exits with 1
    return ended.value.code


def turn_message(position: Position, ply: int, moves: Any = (), **fields: Any) -> dict[str, Any]:
    """A `turn` request at `position`."""
    return {
        "type": "turn",
        "game": "g1",
        "ply": ply,
        "time_ms": 1000,
        "bank_ms": None,
        "state": position.state(),
        "moves": list(moves),
        "legal": list(position.legal_moves()),
        "used_ms": 0,
        **fields,
    }


END = {
    "type": "end",
    "game": "g1",
    "termination": "natural",
    "detail": "it is over",
    "scores": [1, 0],
    "points": [1, 0],
}


def play_with(
    player: Player, begin: rules.Game | Position, seat: int, rng: Random, **fields: Any
) -> list[dict[str, Any]]:
    """One game of `player`, at 10 ms a move, against random moves, judged by the rules; its
    answers. It begins at the game's start, or at that position.
    """
    position = begin if isinstance(begin, Position) else begin.start(seed=rng.getrandbits(31))
    start = start_message(position, seat, game=f"g{rng.getrandbits(16)}", **fields)
    assert player.ask(start)["type"] == "ready"
    answers, since, ply = [], [], 0
    while not position.is_over:
        legal = position.legal_moves()
        if position.to_move == CHANCE:
            move = draw_chance(position, rng)
        elif position.to_move == seat and legal != (PASS,):
            answer = player.ask(turn_message(position, ply, since, time_ms=10))
            assert answer["ply"] == ply
            answers.append(answer)
            move, since = answer["move"], []
        else:
            move = rng.choice(legal)
        since.append([position.to_move, move])
        position = position.play(move)
        ply += 1
    player.tell({**END, "game": start["game"], "scores": list(position.scores())})
    return answers


def random_position(game: rules.Game, plies: int, rng: Random) -> Position:
    """A position after `plies` random moves, one before the end at most; never waiting for a
    forced pass.
    """
    position = game.start(seed=rng.getrandbits(31))
    last = position
    while plies and not position.is_over:
        position = position.play(rng.choice(position.legal_moves()))
        plies -= 1
        if not position.is_over and position.legal_moves() != (PASS,):
            last = position
    return last


@cache
def true_net(position: Position) -> int:
    """Seat 0's margin under best play by both, from the rules alone."""
    if position.is_over:
        first, second = position.scores()
        return first - second
    values = [true_net(position.play(move)) for move in position.legal_moves()]
    return max(values) if position.to_move == 0 else min(values)


@pytest.fixture
def pool() -> Iterator[SessionPool]:
    with SessionPool(keep_alive=True) as pool:
        yield pool


@pytest.fixture
def importable_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scripted engines play by our rules, wherever they are started."""
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
