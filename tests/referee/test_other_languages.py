"""Bots in C and for node, written from the protocol page alone, play whole games of every kind."""

import shutil
import subprocess

import pytest

import rules
from arena.model.containment import Mode, Policy
from arena.model.contender import Prepared
from arena.model.protocol import Clock, Termination
from arena.referee import SessionPool, play_game
from rules.position import PASS
from tests.conftest import BOTS, match

pytestmark = pytest.mark.slow

GAMES = [
    ("othello", {}),
    ("othello", {"preset": "cornerless"}),
    ("dots", {"rows": 3, "cols": 4}),
    ("2048", {}),
    ("2584", {}),
    ("2048", {"placer": "player"}),
    ("2584", {"placer": "player", "placer_chooses": "cell"}),
]


@pytest.fixture(scope="module")
def legal_first(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler (cc) to build the bot with")
    program = tmp_path_factory.mktemp("c") / "legal_first"
    source = BOTS / "legal_first.c"
    flags = ("-std=c11", "-O1", "-Wall", "-Wextra", "-Werror")
    subprocess.run([compiler, *flags, "-o", str(program), str(source)], check=True)
    return Prepared(name="legal-first", command=(str(program),))


@pytest.fixture(scope="module")
def legal_last() -> Prepared:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    return Prepared(name="legal-last", command=(node, str(BOTS / "legal_last.js")))


@pytest.mark.parametrize(("name", "settings"), GAMES, ids=str)
@pytest.mark.parametrize("bot", ["legal_first", "legal_last"])
def test_a_whole_game(
    bot: str, name: str, settings: dict[str, str | int], request: pytest.FixtureRequest
) -> None:
    player: Prepared = request.getfixturevalue(bot)
    seats = rules.load(name, **settings).seats
    spec = match(
        *(player,) * seats, rules=name, variant=settings,
        seed=3, clock=Clock(move_ms=3000), startup_ms=10_000,
    )  # fmt: skip
    with SessionPool() as pool:
        record = play_game(*spec, pool)
    assert record.termination is Termination.NATURAL, record.detail
    assert {seat.reported_name for seat in record.seats} == {player.name}
    if name in ("othello", "dots"):
        position = rules.load(name, **settings).start()
        for played in record.moves:
            wanted = position.legal_moves()[0 if bot == "legal_first" else -1]
            assert played.move == wanted
            assert (played.used_ms is None) == (wanted == PASS)
            position = position.play(wanted)
        assert position.is_over


@pytest.mark.parametrize("mode", ["none", "limits"])
@pytest.mark.parametrize("ponder", [True, False])
def test_they_meet(mode: Mode, ponder: bool, legal_first: Prepared, legal_last: Prepared) -> None:
    policy = Policy(mode=mode, readable=(str(BOTS),))
    players = tuple(
        player.model_copy(update={"policy": policy}) for player in (legal_first, legal_last)
    )
    spec = match(
        *players, rules="dots", variant={}, ponder=ponder,
        clock=Clock(move_ms=3000), startup_ms=10_000,
    )  # fmt: skip
    with SessionPool() as pool:
        record = play_game(*spec, pool)
    assert record.termination is Termination.NATURAL, record.detail
