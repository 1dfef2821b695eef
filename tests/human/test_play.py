"""`arena play`: whole games over a pipe and on a terminal, commands, faults, and what is left."""

import io
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from rich.console import Console
from typer.testing import Result

import rules
from arena.bots.prepare import prepare
from arena.errors import PackageError, ProgramError, SandboxError, UserError
from arena.human.game import HumanGame
from arena.human.opponent import Opponent, choose_opponent, warm_for
from arena.human.play import TerminalGame
from arena.model.contender import Contender, Prepared
from arena.model.game_spec import first_position
from arena.model.protocol import Termination
from arena.model.record import PlayerFault
from arena.referee.judge import JudgedMove
from arena.referee.outcome import Outcome
from arena.referee.requests import TurnRequest
from arena.referee.session import Answered
from arena.sandbox.features import usable_cores
from rules.position import PASS
from rules.transcript import read_transcript
from tests.command import arena
from tests.rules.test_rehearsal import Sticks, WithPasses

BOTS = Path(__file__).parent.parent / "programs"
HOSTILE = f"{sys.executable} -I -S {BOTS}/hostile"


def play(*arguments: str, typed: Sequence[str] = ()) -> Result:
    return arena("play", *arguments, typed="".join(f"{line}\n" for line in typed))


def expected_game(game: rules.Game, seat: int) -> tuple[list[str], rules.Position, int]:
    """What a person who plays the last legal move types against the first legal move, the end of
    the game, and its passes.
    """
    position, typed, moves = game.start(), [], []
    while not position.is_over:
        legal = position.legal_moves()
        move = legal[-1] if position.to_move == seat else legal[0]
        if position.to_move == seat and move != PASS:
            typed.append(move)
        moves.append(move)
        position = position.play(move)
    return typed, position, moves.count(PASS)


@pytest.mark.parametrize(
    ("name", "settings", "seat"),
    [
        ("othello", {"size": 6}, 0),
        ("othello", {"preset": "cornerless", "size": 6}, 1),
        ("dots", {"rows": 2, "cols": 3}, 1),
        ("dots", {"rows": 2, "cols": 2, "stop_at_majority": True}, 0),
    ],
)
def test_a_whole_game_over_a_pipe(name: str, settings: dict[str, Any], seat: int) -> None:
    game = rules.load(name, **settings)
    typed, end, passes = expected_game(game, seat)
    pairs = [f"--set={key}={json.dumps(value)}" for key, value in settings.items()]
    shown = play(name, *pairs, "--against", f"{HOSTILE} none", "--seat", str(seat), typed=typed)
    assert shown.exit_code == 0, shown.output
    mine, other = end.scores()[seat], end.scores()[1 - seat]
    result = "You win." if mine > other else "You lose." if mine < other else "A draw."
    last = shown.output[shown.output.index("Game over") :]
    assert result in last
    assert re.search(rf"you {mine}\b", last)
    assert shown.output.count("a forced pass") == passes
    assert ("decided before the last move" in last) == end.is_adjudicated
    assert str(end) in shown.output
    written = last.split("The moves: ")[1]
    position = game.start()
    for move in read_transcript(position, written):
        position = position.play(move)
    assert position == end or position.scores() == end.scores()


def test_a_pass_that_is_a_choice_is_a_move_like_others() -> None:
    game = HumanGame(Sticks(WithPasses), 0, None, seed=1)
    assert game.describe(game.choose(PASS)) == "you: pass"


def test_an_undo_goes_back_to_the_move_before() -> None:
    """The board shows what that move changed."""
    game = HumanGame(rules.load("dots", rows=2, cols=2), 0, None, seed=1)
    first = game.position
    for move in first.legal_moves()[:2]:
        game.choose(move)
    game.undo()
    assert (game.before, game.position) == (first, first.play(first.legal_moves()[0]))
    game.undo()
    assert (game.before, game.position, game.moves) == (None, first, [])
    assert not game.can_undo


def test_giving_up_is_a_loss_where_there_is_an_opponent() -> None:
    ends: list[Outcome] = []
    other: Any = SimpleNamespace(name="ox", seat=1, end=lambda outcome, _: ends.append(outcome))
    game = HumanGame(rules.load("othello"), 0, other, seed=1)
    assert game.resign() == "You resigned. O ox wins."
    assert (ends[0].termination, ends[0].offender) == (Termination.ADJUDICATED, 0)
    assert game.leave() == "You left the game. X you 2, O ox 2."
    assert (ends[1].termination, ends[1].offender) == (Termination.VOID, None)
    alone = HumanGame(rules.load("2048"), 0, None, seed=1)
    assert alone.resign() == alone.leave()


def test_a_fault_of_the_host_is_no_win() -> None:
    other: Any = SimpleNamespace(name="ox", seat=1)
    game = HumanGame(rules.load("othello"), 0, other, seed=1)
    void = PlayerFault(Termination.VOID, "could not be started")
    assert game.faulted(void) == ("The game is void: O ox could not be started.", "")
    late = PlayerFault(Termination.TIMEOUT, "It was late.")
    assert game.faulted(late) == ("O ox forfeits (timeout): It was late.", "You win.")


def test_some_of_these_games_have_forced_passes() -> None:
    assert expected_game(rules.load("othello", size=6), 0)[2]


@pytest.mark.parametrize(
    ("name", "settings"),
    [("2048", {}), ("2584", {"spawn": "1/3"})],
)
def test_tiles_are_slid_alone(name: str, settings: dict[str, Any]) -> None:
    out = io.StringIO()
    rng, asked = Random(1), 0

    def ask(prompt: str, words: Sequence[str]) -> str:
        nonlocal asked
        asked += 1
        return "undo" if asked % 10 == 0 else rng.choice([w for w in words[:4] if len(w) > 1])

    game = rules.load(name, **settings)
    TerminalGame(HumanGame(game, 0, None, 7), ask, Console(file=out, width=200)).play()
    end = re.search(r"Game over\. Score (\d+), largest tile (\d+)\.", out.getvalue())
    assert end is not None
    assert int(end[1]) > int(end[2]) > 8
    assert "chance: " in out.getvalue()


@pytest.mark.parametrize("terminal", [True, False])
def test_a_line_on_a_terminal_ends_between_moves(terminal: bool) -> None:
    def leave(prompt: str, words: Sequence[str]) -> str:
        raise EOFError

    out = io.StringIO()
    console = Console(file=out, width=40, force_terminal=terminal, color_system=None)
    game = HumanGame(rules.load("dots", rows=2, cols=3), 0, None, 7)
    TerminalGame(game, leave, console).play()
    assert set(out.getvalue().split()) >= set(game.position.legal_moves())
    assert (max(map(len, out.getvalue().splitlines())) <= 40) is terminal


def test_the_same_seed_and_slides_give_the_same_tiles_also_after_an_undo() -> None:
    typed = ["left", "up", "right", "down"] * 3
    plain = play("2048", "--seed", "5", typed=[*typed, "quit"]).output
    again = play("2048", "--seed", "5", typed=["left", "undo", *typed, "quit"]).output
    assert plain.splitlines()[-1] == again.splitlines()[-1]
    assert "You left the game. Score" in plain


def test_alone_chance_is_drawn_from_the_seed_that_is_given() -> None:
    shown = play("2048", "--seed", "0", typed=["quit"]).output
    assert "seed 0\n" in shown and "You left the game." in shown
    assert "The moves:" not in play("2048", typed=["left", "up", "quit"]).output, "chance made some"
    for more in (("--seat", "1"), ("--option", "depth=1")):
        refused = play("2048", "--set", "placer=chance", *more)
        assert refused.exit_code == 2 and "is played alone" in refused.stderr


def test_up_to_twenty_four_legal_moves_are_listed() -> None:
    def shown(cols: int) -> str:
        size = "--set", "rows=3", "--set", f"cols={cols}"
        return play("dots", *size, "--against", "monkey", typed=["quit"]).output

    assert "Legal: a1b1 b1c1" in shown(3)
    assert "31 legal moves: type `moves`" in shown(4)


def test_a_person_can_place_the_tiles() -> None:
    shown = play(
        "2048", "--seat", "1", "--seed", "2", "--against", "greedy", typed=["help", "quit"]
    )
    assert shown.exit_code == 0
    assert "Type a move, or `help`." in shown.output, "no arrow key places a tile"
    assert "placer player" in shown.output
    assert "seat 0: greedy" in shown.output
    assert "placer to move" in shown.output


@pytest.mark.parametrize(
    ("name", "settings", "expected"),
    [
        ("othello", {}, "alphabeta"),
        ("othello", {"size": 10}, "greedy"),
        ("dots", {}, "uct"),
        ("2048", {"placer": "player"}, "expectimax"),
        ("2584", {"placer": "player"}, "expectimax"),
    ],
)
def test_unless_one_is_chosen_the_strongest_is_met(
    name: str, settings: dict[str, Any], expected: str
) -> None:
    assert choose_opponent(None, {}, rules.load(name, **settings))[1] == expected


def test_the_strongest_at_dots_has_options_and_takes_others_on_top() -> None:
    met, _ = choose_opponent(None, {"rave": 1000}, rules.load("dots"))
    assert met.options == {"playout": "guided", "rave": 1000, "c": 0.1}
    with pytest.raises(UserError, match="--option rave: ") as refused:
        choose_opponent(None, {"rave": -1}, rules.load("dots"))
    assert "default opponent" not in str(refused.value), "it is not what has it"


def test_a_built_in_has_this_machine_to_itself_and_is_not_contained() -> None:
    met, name = choose_opponent("uct", {}, rules.load("dots"))
    assert name == "uct"
    assert met.held.mode == "none"
    assert met.threads == len(usable_cores())


def test_an_opponent_is_asked_by_its_time_limit_of_now_for_what_it_does_not_know() -> None:
    asked, answered = list[dict[str, Any]](), Answered(JudgedMove("move", 0, "left"), 7.0)

    def turn(request: TurnRequest, grace_ms: int) -> Answered:
        asked.append(json.loads(request.line))
        return answered

    session = SimpleNamespace(
        start=lambda request, grace_ms: asked.append(json.loads(request.line)), turn=turn
    )
    pool: Any = SimpleNamespace(open=lambda player: session)
    game, met = rules.load("2048", placer="player"), Prepared(name="met", command=("met",))
    opponent = Opponent.in_game(met, 0, pool, 1000, 2, game)
    position = first_position(game, 2)
    opponent.choose(position, [])
    opponent.move_ms = 50
    opponent.choose(position, [(0, "left"), (1, "a1=2")])
    start, first, second = asked
    assert start["state"] == position.state() != first_position(game, 1).state()
    assert (first["time_ms"], first["moves"], first["used_ms"]) == (1000, [], 0)
    assert (second["time_ms"], second["used_ms"]) == (50, 7)
    assert second["moves"] == [[0, "left"], [1, "a1=2"]]


@pytest.mark.parametrize("kind", [PackageError, ProgramError, SandboxError])
def test_an_opponent_that_cannot_be_started_is_named_by_its_option(
    monkeypatch: pytest.MonkeyPatch, kind: type[Exception]
) -> None:
    error = kind(Path("bot.toml"), ("is gone",)) if kind is PackageError else kind("is gone")
    monkeypatch.setattr("arena.human.opponent.prepare", Mock(side_effect=error))
    with pytest.raises(UserError, match=r"^--against: .*is gone"):
        choose_opponent("uct", {}, rules.load("dots"))


def test_the_kernels_of_a_built_in_that_has_some_are_compiled_ahead(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    warmed = Mock()
    monkeypatch.setattr("arena.tournament.warming.warm_kernels", warmed)
    for name in ("uct", "monkey", None):
        warm_for(name, rules.load("dots"))
    warmed.assert_called_once_with(["dots"], players=["uct"], processes=1)
    warmed.return_value = False  # it would be late, and blamed for that
    with pytest.raises(UserError, match="cannot keep: `arena warm` says why"):
        warm_for("uct", rules.load("dots"))


@pytest.mark.slow
def test_a_strong_placer_is_met_at_2048() -> None:
    shown = play("2048", "--set", "placer=player", "--seed", "1", typed=["up", "left", "quit"])
    assert shown.exit_code == 0
    assert re.search(
        r"expectimax: [a-d][1-4]=[24] · .* · evaluation -[\d,]+ · depth 3", shown.output
    )
    assert play("2048", "--seed", "1", typed=["quit"]).output.count("seat") == 1


def test_every_command_does_what_help_says() -> None:
    shown = play(
        *("othello", "--against", "monkey", "--seed", "1"),
        typed=["help", "moves", "", "a1", "pass", "zz", "F5", "undo", "undo", "e6", "resign"],
    ).output
    for said in (
        "undo    take back",
        "Legal: d3 c4 f5 e6",
        "'a1' is illegal: it turns no disc. Type a legal move, or `help`.",
        "'pass' is illegal: a player who can move must not pass.",
        "'zz' is not a square of the board, a1 to h8",
        "1. X you: f5",
        "There is no move of yours to take back.",
        "1. X you: e6",
        "You resigned. O monkey wins.",
        "The moves: e6",
    ):
        assert said in shown
    shown = play("dots", "--against", "monkey", typed=["moves", "quit"]).output
    assert "60 legal moves: type `moves`" in shown
    assert shown.count("a1b1 b1c1") == 1
    assert "You left the game. you 0, monkey 0." in shown


def test_an_undo_starts_the_opponents_game_again_at_that_ply(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def uncontained(contender: Contender, *more: Any) -> Prepared:  # it writes a file
        return prepare(contender.model_copy(update={"sandbox": "none"}), *more)

    monkeypatch.setattr("arena.human.opponent.prepare", uncontained)
    bot = tmp_path / "bot.py"
    bot.write_text(RECORDER)
    shown = play(
        *("othello", "--against", str(bot), "--option", "depth=3", "--move-ms", "1234"),
        *("--set", "size=4", "--option", 'words=["a", 1]', "--seed", "9"),
        typed=["b1", "undo", "a2", "quit"],
    )
    assert shown.exit_code == 0, shown.output
    log = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert [each["type"] for each in log] == [
        *("start", "turn", "end", "start", "turn", "end", "quit"),
    ]
    first, turn, end, second, again = log[:5]
    assert first["options"] == {"depth": 3, "words": ["a", 1]}
    assert (first["seat"], first["clock"]["move_ms"]) == (1, 1234)
    assert turn["moves"] == [[0, "b1"]]
    assert (end["termination"], end["detail"]) == ("void", "Moves were taken back.")
    assert second == first
    assert (again["ply"], again["moves"]) == (1, [[0, "a2"]])
    assert again["used_ms"] == 0, "nothing in this game"
    assert "evaluation +1.5 · depth 7 · 1,000 nodes · expects a1 b2 · thinking" in shown.output


RECORDER = """
import json, sys, time
log = open("log", "w")
for line in sys.stdin:
    log.write(line)
    log.flush()
    asked = json.loads(line)
    if asked["type"] == "start":
        print(json.dumps({"type": "ready"}), flush=True)
    elif asked["type"] == "turn":
        info = {"score": 1.5, "depth": 7, "nodes": 1000, "pv": ["a1", "b2"], "text": "thinking"}
        answer = {"type": "move", "ply": asked["ply"], "move": asked["legal"][0], "info": info}
        time.sleep(0.01)
        print(json.dumps(answer), flush=True)
    elif asked["type"] == "quit":
        break
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        ("illegal", "forfeits (illegal_move): "),
        ("exit_3", "forfeits (exited): "),
        ("hangs", "forfeits (timeout): No complete reply by the deadline"),
        ("nan", "forfeits (bad_json): "),
    ],
)
def test_a_fault_of_the_opponent_is_reported_and_wins(fault: str, expected: str) -> None:
    shown = play(
        *("dots", "--set", "rows=1", "--set", "cols=1", "--move-ms", "200"),
        *("--against", f"{HOSTILE} {fault}"),
        typed=["a1b1"],
    )
    assert shown.exit_code == 0
    assert expected in shown.output
    assert "You win." in shown.output


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("othello", "--set", "size=7"), "--set: size must be even, from 4 to 16, not 7"),
        (("othello", "--set", "size"), "--set takes key=value, not 'size'"),
        (("dots", "--set", "row=3"), "did you mean 'rows'?"),
        (("dots", "--against", "gredy"), 'did you mean "greedy"?'),
        (("dots", "--against", "./bot.py"), "no such file"),
        (("dots", "--against", "no-such-program x"), '"no-such-program" is not on the PATH'),
        (("dots", "--against", "a 'b"), "--against: No closing quotation"),
        (("dots", "--against", ""), "--against names no player"),
        (("dots", "--against", "gtp"), "gtp cannot play this: it plays othello, not dots"),
        (("dots", "--against", "uct", "--option", "c=much"), "--option c: must be a valid number"),
        (("dots", "--against", "uct", "--option", "cc=1"), "--option cc: unknown key"),
        (("dots", "--against", "uct", "--option", "threads=64"), "--option threads: this machine"),
        (
            ("dots", "--option", "leaf=evaluation"),
            'got "guided"; the default opponent has it, --against uct leaves it out',
        ),
        (
            ("2048", "--set", "placer=chance", "--against", "greedy"),
            "2048 is played alone where chance places the tiles: leave out --set placer=chance",
        ),
        (("2048", "--against", "uct"), "uct cannot play this: it plays othello and dots, not 2048"),
        (("2584", "--against", "expectimax", "--option", "dept=2"), 'did you mean "depth"?'),
        (
            ("2584", "--against", "expectimax", "--option", "weights=no.ntuple"),
            "--option weights: no such file: ",
        ),
        (("2048", "--against", "heuristic", "--option", "depth=99"), "--option depth: must be "),
        (("dots", "--against", f"{HOSTILE} exits_at_start"), "hostile could not start a game: "),
    ],
)
def test_what_a_person_can_fix_is_a_sentence(arguments: tuple[str, ...], expected: str) -> None:
    result = play(*arguments)
    assert result.exit_code == 2
    # the terminal may be narrower than the sentence
    assert expected.replace("hostile", Path(sys.executable).stem) in result.stderr


def test_what_is_no_text_is_refused() -> None:
    result = arena("play", "2048", typed=b"up\n\xff\n")
    assert result.exit_code == 2
    assert "what was typed is not UTF-8 text" in result.stderr
