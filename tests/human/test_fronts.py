"""Both fronts before a player without a process: what each command answers, and what is asked."""

import io
import json
import re
from importlib.metadata import version
from typing import Any, cast

import pytest

import rules
from arena.human.engine import FRONTS, answers
from arena.human.engine_gtp import GtpFront
from arena.human.engine_player import FrontPlayer
from arena.model.contender import Prepared
from arena.model.protocol import Termination
from arena.model.record import PlayerFault
from arena.referee.judge import JudgedMove
from arena.referee.outcome import Outcome
from arena.referee.pool import SessionPool
from arena.referee.requests import StartRequest, TurnRequest
from arena.referee.session import Answered
from rules.position import Position

START = "BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]"
START_4 = "BO[4 ---- -O*- -*O- ---- *]"
BLACK_PASSES = "play b b1", "play w c1", "play b d3", "play w a1"
"""On 4×4: black must pass."""


class Scripted:
    """A pool of one player, and its session: it takes a legal move in 250 ms, and keeps
    what it is sent.
    """

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.takes = 0
        self.info: dict[str, Any] | None = None
        self.fault: PlayerFault | None = None

    def open(self, player: Prepared) -> "Scripted":
        self.sent.append({"type": "open"})
        return self

    def start(self, request: StartRequest, grace_ms: int) -> None:
        self.sent.append(json.loads(request.line))

    def turn(self, request: TurnRequest, grace_ms: int) -> Answered:
        self.sent.append(json.loads(request.line))
        if self.fault is not None:
            raise self.fault
        legal, info = tuple(request.legal), cast("Any", self.info)
        return Answered(JudgedMove("move", request.ply, legal[self.takes], info), 250.0)

    def end(self, game: str, outcome: Outcome, position: Position) -> None:
        self.sent.append({"type": "end"})

    def finish(self, players: list["Scripted"]) -> None:
        self.sent.append({"type": "quit"})

    @property
    def types(self) -> list[str]:
        return [each["type"] for each in self.sent]


@pytest.fixture
def bot() -> Scripted:
    return Scripted()


def player_of(bot: Scripted, size: int = 8) -> FrontPlayer:
    prepared = Prepared(name="first", command=("first",))
    pool = cast("SessionPool", bot)
    return FrontPlayer(prepared, rules.load("othello", size=size), pool, 1000, 1)


def said(bot: Scripted, protocol: str, *commands: str, size: int = 8) -> list[str]:
    """The lines that answer these commands."""
    front = FRONTS[protocol](player_of(bot, size))
    return list(answers(front, io.StringIO("\n".join(commands))))


def gtp(bot: Scripted, *commands: str) -> list[str]:
    """The responses, each without its empty line."""
    lines = said(bot, "gtp", *commands)
    return "".join(f"{line}\n" for line in lines).split("\n\n")[:-1]


def test_gtp_answers_each_command(bot: Scripted) -> None:
    """A number comes back, a remark is left out, and nothing is answered after `quit`."""
    dialogue = (
        ("1 protocol_version", "=1 2"),
        ("22name", "=22 first"),
        ("version", f"= {version('bot-arena')}"),
        ("known_command genmove", "= true"),
        ("known_command fly", "= false"),
        ("7 fly", "?7 unknown command"),
        ("set_game othello", "="),
        ("set_game go", "? this engine plays Othello"),
        ("boardsize 8", "="),
        ("boardsize 9", "? size must be even, from 4 to 16, not 9"),
        ("boardsize x", "? syntax error"),
        ("komi 6.5", "="),
        ("play black", "? syntax error"),
        ("play green c4", "? invalid color"),
        ("play w c4", "? it is not its turn"),
        ("play BLACK D3 # the first", "="),
        ("genmove w", "= C3"),
        ("genmove w", "? it is not its turn"),
        ("play b pass", "? 'pass' is illegal: a player who can move must not pass"),
        ("undo", "="),
        ("play w e3", "="),
        ("clear_board", "="),
        ("undo", "? cannot undo"),
        ("play b c4", "="),
        ("boardsize 6", "="),
        ("undo", "? cannot undo"),
        ("play b b3", "="),
        ("8 quit", "=8"),
    )
    ignored = ("", "# remark", "9 # numbered remark")
    answered = gtp(bot, *ignored, *(command for command, _ in dialogue), "name")
    assert answered == [answer for _, answer in dialogue]


def test_gtp_lists_the_commands_that_it_knows(bot: Scripted) -> None:
    listed = gtp(bot, "list_commands")[0].removeprefix("= ").splitlines()
    assert {"genmove", "play", "undo", "list_commands", "quit"} <= set(listed)
    assert gtp(bot, *(f"known_command {each}" for each in listed)) == ["= true"] * len(listed)


def test_gtp_skips_the_column_i(bot: Scripted) -> None:
    """In what is played, and in what is answered: the last legal move is i9."""
    bot.takes = -1
    moves = ("play b G6", "play w g7", "play b g8", "play w h8", "play b J8")
    assert gtp(bot, "boardsize 10", *moves, "genmove w") == [*(["="] * 6), "= J9"]
    assert bot.sent[1]["moves"][-1] == [0, "i8"]
    refused = "? 'I8' is not a square of the board, a1 to j10"
    assert gtp(bot, "boardsize 10", *moves[:-1], "play b i8")[-1] == refused


def test_gtp_keeps_the_rules_on_a_board_of_another_size(bot: Scripted) -> None:
    player = player_of(bot)
    player.resize(rules.load("othello", corners=False))
    list(answers(GtpFront(player), io.StringIO("boardsize 6")))
    assert player.game == rules.load("othello", size=6, corners=False)


@pytest.mark.parametrize(
    ("command", "move_ms"),
    [
        ("time_settings 60 3 1", 3000),  # byo-yomi, whatever the main time
        ("time_settings 0 30 20", 1500),
        ("time_settings 0 1 2000", 1),
        ("time_settings 60 0 0", 3000),  # kept for 20 moves
        ("time_settings 0 0 0", 1000),  # no limit: as given
        ("time_settings 0 3 0", 1000),  # byo-yomi of no stones: no limit either
        ("time_left b 9 3", 3000),
        ("time_left w 60 0", 3000),
        ("time_left b 0 1", 1),
    ],
)
def test_gtp_tells_the_time_of_a_move(bot: Scripted, command: str, move_ms: int) -> None:
    assert gtp(bot, "genmove b", command, "genmove w") == ["= D3", "=", "= C3"]
    assert bot.sent[-1]["time_ms"] == move_ms


def test_gtp_has_the_time_it_was_given_where_a_limit_ends(bot: Scripted) -> None:
    for ends in ("time_settings 0 1 0", "time_settings 0 0 0"):
        gtp(bot, "time_settings 0 3 1", "time_left b 9 1", ends, "genmove b")
        assert bot.sent[-1]["time_ms"] == 1000


def test_gtp_makes_a_forced_pass_with_the_move_after_it(bot: Scripted) -> None:
    undone = ("genmove b", "undo", "play b pass", "play w b4", "undo", "undo", "play w b4", "undo")
    answered = gtp(bot, "boardsize 4", *BLACK_PASSES, *undone, "genmove w")
    assert bot.types == ["open", "start", "turn"], "the player is not asked for a pass"
    assert answered[5:] == ["= pass", "=", "=", "=", "=", "=", "=", "=", "= A3"]
    assert bot.sent[-1]["ply"] == 5


def test_gtp_says_who_leads_by_how_much(bot: Scripted) -> None:
    moves = ("play b d3", "play w c3", "play b c4", "play w e3")
    scores = [word for move in moves for word in (move, "final_score")]
    assert gtp(bot, "final_score", *scores)[::2] == ["= 0", "= B+3", "= 0", "= B+3", "= W+2"]


def test_gtp_takes_back_a_pass_after_the_end(bot: Scripted) -> None:
    whole = [f"genmove {colour}" for _ in range(6) for colour in "bw"]
    taken = ("genmove w", "play w pass", "undo", "undo", "play b a1")
    *_, last, before, one, two, three, four, wrong, after, undone, again = gtp(
        bot, "boardsize 4", *whole, "showboard", *taken, "showboard", "undo", "genmove w"
    )
    assert "game over" in before and after == before
    assert [one, two, three, four] == ["= pass", "=", "=", "="]
    assert wrong == "? 'a1' is illegal: the game is over"
    assert (undone, again) == ("=", last), "the last move was made again"


def test_gtp_shows_the_board(bot: Scripted) -> None:
    start = rules.load("othello").start()
    assert gtp(bot, "showboard", "play b d3", "showboard") == [
        f"= \n{start}",
        "=",
        f"= \n{start.play('d3')}",
    ]


def test_nboard_answers_each_command(bot: Scripted) -> None:
    """What has no answer here is ignored."""
    game = f"set game (;GM[Othello]PC[x]{START}B[F5/1.2/3]W[F6];)"
    bot.info = {"score": 1.5, "depth": 7, "nodes": 4711, "pv": ["c4", "e3"]}
    thinking = "status first is thinking", "search C4E3 1.50 0 7", "nodestats 4711 0.25"
    for commands, answered in (
        (["nboard 2"], ["set myname first"]),
        (["ping 12"], ["pong 12"]),
        (["learn"], ["learned"]),
        (["set depth 6", "set contempt 0", "nonsense", ""], []),
        ([game, "hint 1"], [*thinking, "status"]),
        ([game, "move e6", "go"], [*thinking, "=== F4/1.50/0.25", "status"]),
        ([game, "move E6//1.5", "move a1"], ["status Error: 'a1' is illegal: it turns no disc"]),
        (["quit", "ping 3"], []),
    ):
        assert said(bot, "nboard", *commands) == answered, commands


def test_nboard_says_what_it_can_of_a_player_that_says_nothing(bot: Scripted) -> None:
    assert said(bot, "nboard", "go") == [
        "status first is thinking",
        "search D3 0.00 0 1",
        "=== D3//0.25",
        "status",
    ]


def test_nboard_begins_with_the_moves_of_the_last_game_it_is_given(bot: Scripted) -> None:
    first = f"set game (;{START}B[f5]W[f6];)"
    said(bot, "nboard", first, "move e6", f"set game (;{START}B[d3]W[c3];)", "go")
    assert bot.sent[-2]["moves"] == [[0, "d3"], [1, "c3"]]
    wrong = f"set game (;{START}B[d3]W[a1];)"
    answered = said(bot, "nboard", first, wrong, "hint 1")
    assert answered[0] == "status Error: 'a1' is illegal: it turns no disc"
    assert bot.sent[-1]["ply"] == 0, "of the game before, nothing is left"


def test_nboard_passes_where_no_move_is_legal(bot: Scripted) -> None:
    passes = f"set game (;{START_4}B[b1]W[c1]B[d3]W[a1];)"
    assert said(bot, "nboard", passes, "go", "hint 1", size=4) == ["=== PA"] * 2
    last = (f"move {move}" for move in re.findall("..", "b1a1a2c1d1a3a4d2d3b4c4d4"))
    assert said(bot, "nboard", *last, "go", size=4) == ["=== PA"], "the game is over"
    assert bot.sent == []


def test_nboard_names_the_board_that_it_plays(bot: Scripted) -> None:
    title = "the game does not begin at the start of Othello 6×6"
    for game, why in (
        (f"(;{START};)", title),
        ("(;GM[Othello];)", "BO[] is not a board: a size, its squares, and the colour to move"),
        ("(;", "a game of GGF begins with `(;` and ends with `;)`"),
    ):
        assert said(bot, "nboard", f"set game {game}", size=6) == [f"status Error: {why}"]


def test_a_player_is_asked_on_in_the_game_that_it_knows(bot: Scripted) -> None:
    """It begins again at the other seat, and where moves were taken back, in the same process."""
    player = player_of(bot)
    for moves in (
        [(0, "d3")],
        [(0, "d3"), (1, "c3"), (0, "c4")],  # goes on
        [(0, "d3"), (1, "c3"), (0, "c4"), (1, "c5")],  # goes on, at the other seat
        [(0, "d3"), (1, "c3"), (0, "c4"), (1, "e3")],  # another game
        [],
    ):
        player.choose(moves)
    assert bot.types == [
        *("open", "start", "turn", "turn"),
        *("end", "start", "turn", "end", "start", "turn", "end", "start", "turn"),
    ]
    starts = [each for each in bot.sent if each["type"] == "start"]
    assert [(each["seat"], len(each["moves"])) for each in starts] == [
        (1, 1),
        (0, 4),
        (0, 4),
        (0, 0),
    ]


@pytest.mark.parametrize(("protocol", "mark"), [("gtp", "?"), ("nboard", "status")])
def test_a_player_that_fails_is_opened_again(bot: Scripted, protocol: str, mark: str) -> None:
    asks = {"gtp": "genmove b", "nboard": "go"}[protocol]
    bot.fault = PlayerFault(Termination.EXITED, "It exited.\nThe end of its stderr:\n oh")
    failed = f"{mark} first failed: It exited. The end of its stderr: oh"
    answered = said(bot, protocol, asks, asks)
    assert [line for line in answered if "failed" in line] == [failed] * 2
    assert bot.types == ["open", "start", "turn", "quit"] * 2


def test_a_player_is_opened_again_for_a_board_of_another_size(bot: Scripted) -> None:
    player = player_of(bot)
    player.load()
    player.resize(rules.load("othello"))
    player.choose([])
    assert bot.types == ["open", "start", "turn"], "the same size, at seat 0"
    player.resize(rules.load("othello", size=6))
    player.choose([])
    player.close()
    player.close()
    assert bot.types == [*("open", "start", "turn", "quit"), *("open", "start", "turn", "quit")]
    assert [each["variant"]["size"] for each in bot.sent if each["type"] == "start"] == [8, 6]
