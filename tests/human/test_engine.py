"""Our players in other people's programs: both fronts, and the way through them and back."""

import io
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import rules
from arena.human.engine import FRONTS, answers
from arena.human.engine_player import FrontPlayer
from arena.model.contender import Prepared
from arena.model.protocol import Clock
from arena.referee import SessionPool, play_game
from tests.conftest import match

pytestmark = pytest.mark.slow

FIRST_LEGAL = (
    "from players.sdk import play\nplay(lambda turn: (turn.legal[0], {info}), name='first')\n"
)
MODULE = (sys.executable, "-P", "-m")
PATIENCE_MS = 60_000
START = "BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]"
INFO = {"score": 1.5, "depth": 7, "nodes": 4711, "pv": ["c4", "e3"]}
Ask = Callable[..., list[str]]


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Ask]:
    """`ask("gtp", command, …)`: what a player that takes the first legal move answers."""
    with SessionPool() as pool:
        players = []

        def ask(protocol: str, *commands: str, body: str | None = None) -> list[str]:
            bot = tmp_path / "bot.py"
            bot.write_text(body or FIRST_LEGAL.format(info=INFO))
            prepared = Prepared(name="first", command=(sys.executable, str(bot)))
            players.append(FrontPlayer(prepared, rules.load("othello"), pool, 2000, 1))
            said = answers(FRONTS[protocol](players[-1]), io.StringIO("\n".join(commands)))
            return list(said)

        yield ask
        for player in players:
            player.close()


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))


def test_a_game_by_gtp(ask: Ask) -> None:
    said = ask(
        "gtp",
        *("1 protocol_version", "name", "boardsize 8", "clear_board", "genmove black"),
        *("play white C3", "genmove b", "undo", "play white a1", "play black pass", "genmove w"),
        *("known_command genmove", "known_command fly", "fly", "boardsize 9", "play black"),
        *(
            "time_settings 0 3 1",
            "time_left black 2 1",
            "final_score",
            "boardsize x",
            "# remark",
            "",
            "quit",
        ),
    )
    assert [line for line in said if line] == [
        *("=1 2", "= first", "=", "=", "= D3"),
        *("=", "= B3", "=", "? it is not its turn", "? 'pass' is illegal: a player who can move "
          "must not pass", "? it is not its turn"),
        *("= true", "= false", "? unknown command", "? size must be even, from 4 to 16, not 9"),
        *("? syntax error", "=", "=", "= 0", "? syntax error", "="),
    ]  # fmt: skip


def test_another_board_by_gtp(ask: Ask) -> None:
    said = ask("gtp", "boardsize 10", "genmove black", "play white j1", "play white E4", "quit")
    assert [line for line in said if line][1:3] == ["= E4", "? 'i1' is illegal: it turns no disc"]


def test_a_game_by_nboard(ask: Ask) -> None:
    said = ask(
        "nboard",
        *("nboard 2", "set depth 6", "set contempt 0", "ping 1", "nonsense", "learn"),
        f"set game (;GM[Othello]PC[x]{START}B[F5/1.2/3]W[F6];)",
        *("go", "move E6//1.5", "ping 2", "hint 1", "move a1", "quit", "ping 3"),
    )
    first, second = (at for at, line in enumerate(said) if line.startswith("search"))
    assert said[:3] == ["set myname first", "pong 1", "learned"]
    assert said[first - 1 : first + 2] == [
        "status first is thinking",
        "search C4E3 1.50 0 7",
        f"nodestats 4711 {said[first + 1].split()[-1]}",
    ]
    assert said[first + 2].startswith("=== ")
    assert said[second - 2] == "pong 2"
    assert said[second + 2 :] == ["status", "status Error: 'a1' is illegal: it turns no disc"]


def test_a_player_that_fails_is_begun_again(ask: Ask) -> None:
    body = "import sys\nfrom players.sdk import play\nplay(lambda turn: sys.exit('no idea'))\n"
    said = ask("gtp", "genmove black", "genmove black", body=body)
    assert [line.partition(" The end")[0] for line in said if line] == [
        "? first failed: The player exited with code 1 before `quit` was sent."
    ] * 2


@pytest.mark.parametrize(("adapter", "size"), [("nboard", 8), ("gtp", 10)])
def test_through_our_front_a_player_plays_the_same_moves(
    adapter: str, size: int, tmp_path: Path
) -> None:
    """A budget of nodes on the usual board, a script on one with the columns i and j."""
    bot = tmp_path / "bot.py"
    bot.write_text(FIRST_LEGAL.format(info=INFO).replace("[0]", "[-1]"))
    direct = Prepared(name="a", command=(sys.executable, str(bot)))
    given = [str(bot)]
    if size == 8:
        direct = Prepared(name="a", command=(*MODULE, "players.alphabeta"), options={"depth": 2})
        given = ["alphabeta", "--option", "depth=2"]
    front = [*MODULE, "arena", "engine", "--protocol", adapter, "--bot", *given]
    front += ["--move-ms", str(PATIENCE_MS)]  # of a machine that is busy
    through = Prepared(
        name="a", command=(*MODULE, f"players.{adapter}"), options={"command": front}
    )
    variant = rules.load("othello", size=size).variant
    other = Prepared(name="b", command=(*MODULE, "players.monkey"))
    terms = {"clock": Clock(move_ms=PATIENCE_MS), "startup_ms": 300_000}
    with SessionPool() as pool:
        one, same = (
            play_game(*match(player, other, rules="othello", variant=variant, **terms), pool)
            for player in (direct, through)
        )
    assert [move.move for move in same.moves] == [move.move for move in one.moves], same
