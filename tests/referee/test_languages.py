"""Bots in C and JavaScript, written from the protocol page alone, play every rule set."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import rules
from arena.protocol import Clock, Termination
from arena.referee import SessionPool, play_game
from arena.referee.record import GameRecord
from arena.referee.seeds import derive
from arena.referee.spec import GameSpec, PlayerSpec

BOTS = Path(__file__).parent.parent / "bots"

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("othello", {"preset": "standard"}),
    ("othello", {"preset": "cornerless", "size": 6}),
    ("othello", {"size": 4}),
    ("dots", {"rows": 3, "cols": 4}),
    ("dots", {"rows": 3, "cols": 3, "stop_at_majority": True}),
    ("2048", {}),
    ("2584", {"spawn": "1/3"}),
    ("2048", {"placer": "player"}),
    ("2584", {"placer": "player", "placer_chooses": "cell"}),
]


@pytest.fixture(scope="module")
def c_bot(tmp_path_factory: pytest.TempPathFactory) -> PlayerSpec:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler: no `cc` on the path")
    program = tmp_path_factory.mktemp("bots") / "random_bot"
    source = BOTS / "random_bot.c"
    subprocess.run([compiler, "-O2", "-Wall", "-Werror", "-o", program, source], check=True)
    return PlayerSpec(name="random-c", command=(str(program),))


@pytest.fixture(scope="module")
def js_bot() -> PlayerSpec:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no JavaScript: no `node` on the path")
    return PlayerSpec(name="last-move", command=(node, str(BOTS / "last_move.js")))


def play(rule_set: str, variant: dict[str, Any], *players: PlayerSpec) -> GameRecord:
    game = rules.load(rule_set, **variant)
    spec = GameSpec(
        game="g1",
        rules=rule_set,
        variant=variant,
        players=players[: game.seats],
        clock=Clock(move_ms=5000),
        seed=11,
    )
    with SessionPool() as pool:
        return play_game(spec, pool)


def replayed(record: GameRecord) -> rules.Position:
    """The position after all of the record's moves, each played by whose turn it is."""
    game = rules.load(record.rules, **record.variant)
    position = game.start(derive(record.seed, "start"))
    for move in record.moves:
        assert position.to_move == move.seat
        position = position.play(move.move)
    return position


@pytest.mark.parametrize(("rule_set", "variant"), GAMES, ids=str)
@pytest.mark.parametrize("order", [1, -1], ids=["c-js", "js-c"])
def test_whole_games(
    rule_set: str, variant: dict[str, Any], order: int, c_bot: PlayerSpec, js_bot: PlayerSpec
) -> None:
    record = play(rule_set, variant, *[c_bot, js_bot][::order])
    assert record.termination in (Termination.NATURAL, Termination.ADJUDICATED), record.detail
    assert (record.termination is Termination.ADJUDICATED) == ("stop_at_majority" in variant)
    end = replayed(record)
    assert end.is_over
    assert end.state() == record.final_state
    assert end.scores() == record.scores
    for seat in record.seats:
        assert seat.reported_name == seat.player
        if seat.player == "last-move":
            assert seat.reported_author == "Zoë"
            assert f"in {rule_set}" in seat.stderr_head
            assert f"{record.termination}: {record.detail}" in seat.stderr_head
