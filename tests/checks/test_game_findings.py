"""What the items about whole games say of games that a test makes up."""

from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

import rules
from arena.checks import games
from arena.checks.dialogue import Offence, Overloaded
from arena.checks.positions import PracticeGame
from arena.checks.subject import Subject
from arena.model.contender import Prepared
from arena.model.game_spec import Terms
from arena.model.protocol import Clock, Termination
from rules.position import Game

from .scripted import offence, scripted

DOTS = rules.load("dots")
TERMS = Terms(rules="dots", variant=DOTS.variant, clock=Clock(move_ms=100), grace_ms=50)


class Played(NamedTuple):
    game: Game
    players: tuple[str, ...]
    number: int


def record(players: tuple[str, ...], **more: Any) -> Any:
    """A game in which the bot has 5 and the other 3, unless more is said."""
    fields = {
        "seats": [SimpleNamespace(player=name, stderr=f"of {name}") for name in players],
        "scores": tuple(5 if name == "bot" else 3 for name in players),
        "termination": Termination.NATURAL, "detail": "…", "offender": None,
        "moves": "moves", "terms": TERMS, "final_state": DOTS.start().state(),
    }  # fmt: skip
    return SimpleNamespace(**fields | more)


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> list[Played]:
    """The games that are asked for."""
    asked = list[Played]()

    def play(_: object, game: Game, players: tuple[Prepared, ...], number: int, __: object) -> Any:
        asked.append(Played(game, tuple(player.name for player in players), number))
        return record(asked[-1].players)

    monkeypatch.setattr(games, "_play", play)
    return asked


def test_the_seats_change_and_the_bots_score_is_the_first(played: list[Played]) -> None:
    found = games.against_opponent(scripted(object, "dots"))
    both = [("bot", "other"), ("other", "bot")] * 2
    assert [each.players for each in played] == both
    assert found.detail == "other is the other: " + ", ".join(["dots 5×5 5–3", "dots 3×3 5–3"] * 2)


def test_alone_both_slide_the_same_tiles(played: list[Played]) -> None:
    found = games.against_opponent(scripted(object, "2048"))
    assert [each.players for each in played] == [("bot",), ("other",)] * 4
    assert [each.number for each in played] == [0, 0, 1, 1, 2, 2, 3, 3]
    assert "2048 5–3, " in found.detail


@pytest.mark.parametrize(("failing", "passed"), [("other", None), ("bot", False)])
def test_a_fault_alone_is_of_the_one_who_slides(
    failing: str, passed: bool | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def play(_: object, __: object, players: tuple[Prepared, ...], *more: object) -> Any:
        (player,) = players
        fault = {"offender": 0, "termination": Termination.EXITED}
        return record((player.name,), **fault if player.name == failing else {})

    monkeypatch.setattr(games, "_play", play)
    assert games.against_opponent(scripted(object, "2048")).passed is passed


@pytest.mark.parametrize("seat", [0, 1])
def test_a_fault_against_itself_is_its_own_in_either_seat(
    seat: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault = record(("bot", "bot"), offender=seat, termination=Termination.EXITED)
    monkeypatch.setattr(games, "_play", lambda *_: fault)
    found = games.against_itself(scripted(object, "dots"))
    assert found.passed is False and f"seat {seat}" in found.detail


def test_every_rule_set_has_its_turn_before_a_second_board(played: list[Played]) -> None:
    subject = scripted(object, "dots", "2048", "othello")
    assert [name for name, _ in games._boards(subject, 6)] == [
        *("dots 5×5", "2048", "othello", "dots 3×3", "othello cornerless", "dots 5×5")
    ]
    tournament = scripted(object, "dots", terms=TERMS)
    assert [name for name, _ in games._boards(tournament, 4)] == ["dots 5×5"] * 2


def test_a_game_against_itself_is_none_of_those_against_the_other(played: list[Played]) -> None:
    subject = scripted(object, "dots")
    games.against_opponent(subject)
    before = {each.number for each in played}
    found = games.against_itself(subject)
    own = played[4:]
    assert found.detail == "dots 5×5 5–5, dots 3×3 5–5"
    assert [each.players for each in own] == [("bot", "bot")] * 2
    assert before.isdisjoint(each.number for each in own)


@pytest.mark.parametrize(
    ("bank_ms", "slowest_ms", "max_plies", "plies"),
    [
        (None, 0.0, None, 600),
        (None, 1000.0, None, 120),
        (None, 60_000.0, None, 10),
        (None, 1000.0, 40, 40),
        (9000, 1000.0, None, 600),  # which the bank ends
        (9000, 1000.0, 700, 700),
    ],
)
def test_a_slow_game_of_a_tournament_is_cut_short(
    bank_ms: int | None, slowest_ms: float, max_plies: int | None, plies: int
) -> None:
    clock = Clock(move_ms=None if bank_ms else 5000, bank_ms=bank_ms)
    given = {"clock": clock, "max_plies": max_plies, "on_fault": "random_move"}
    subject = scripted(object, "dots", terms=TERMS.model_copy(update=given))
    subject.slowest_ms = slowest_ms
    terms = games._terms(subject, DOTS)
    assert terms.max_plies == plies
    assert terms.on_fault == "forfeit", "a move at random would hide the fault"


@pytest.mark.parametrize(("slowest_ms", "plies"), [(0.0, 600), (200.0, 100), (9000.0, 10)])
def test_a_slow_game_without_a_tournament_is_cut_short_too(slowest_ms: float, plies: int) -> None:
    subject = scripted(object, "dots")
    subject.slowest_ms = slowest_ms
    assert games._terms(subject, DOTS).max_plies == plies


@pytest.mark.parametrize(
    ("plies", "termination", "cut"),
    [
        (9, Termination.ADJUDICATED, True),
        (7, Termination.ADJUDICATED, False),  # decided before
        (9, Termination.NATURAL, False),
    ],
)
def test_a_score_is_said_to_be_none_where_the_game_was_cut_short(
    plies: int, termination: Termination, cut: bool
) -> None:
    terms = TERMS.model_copy(update={"max_plies": 9})
    ended = record(("bot", "other"), moves="m" * plies, termination=termination, terms=terms)
    assert ("cut short" in games._score("dots", (1, 0), [ended])) is cut


def trouble(subject: Subject, ours: tuple[int, ...], *ended: Any, **more: Any) -> Any:
    pool: Any = SimpleNamespace(ended=ended)
    return games._trouble(subject, "dots", record(("other", "bot"), **more), ours, pool)


def test_the_fault_of_the_other_is_not_the_bots() -> None:
    subject = scripted(object, "dots")
    assert trouble(subject, (1,)) is None
    found = trouble(subject, (1,), offender=0, termination=Termination.EXITED)
    assert found.passed is None and found.detail.startswith("dots: other failed")
    with pytest.raises(Overloaded):
        trouble(subject, (1,), termination=Termination.VOID)


@pytest.mark.parametrize(
    ("clock", "limit"),
    [(Clock(move_ms=100), "within 150 ms"), (Clock(move_ms=None, bank_ms=900), "in time")],
)
def test_a_fault_of_the_bot_has_its_stderr_its_limit_and_its_line(
    clock: Clock, limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = list[Offence]()
    monkeypatch.setattr(Subject, "failed", lambda _, fault, where: seen.append(fault) or where)
    subject = scripted(object, "dots")

    def ended(number: int, spec: Prepared) -> Any:
        process = SimpleNamespace(spec=spec, lines_read=number, last_line=b"%d" % number)
        return SimpleNamespace(process=process)

    first, second = ended(7, subject.spec), ended(8, subject.spec)
    processes = ended(1, subject.spec), ended(2, subject.opponent), first, second
    terms = TERMS.model_copy(update={"clock": clock})
    for termination in (Termination.ILLEGAL_MOVE, Termination.TIMEOUT):
        more = {"termination": termination, "offender": 1, "terms": terms}
        assert trouble(subject, (0, 1), *processes, **more) == "dots, ply 5, seat 1"
    illegal, late = seen
    assert illegal.heard is not None and illegal.heard.number == 7, (
        "the first of the two that ended"
    )
    assert illegal.position == DOTS.start() and illegal.stderr == "of bot"
    assert (late.heard, late.position, late.limit) == (None, None, limit)


def test_the_processes_of_a_game_end_the_one_to_blame_first() -> None:
    with games._Pool() as pool:
        for name in "ab":
            pool.kill(pool.open(Prepared(name=name, command=("cat",))))
        assert [each.process.spec.name for each in pool.ended] == ["a", "b"]


class Again:
    """A process that commits offences in its games, in this order; None for a game without one."""

    def __init__(self, *wrong: Offence | None) -> None:
        self.wrong, self.games = wrong, 0

    def start(self, practice: PracticeGame) -> None:
        self.games += 1

    def play_on(self, practice: PracticeGame, moves: int, seconds: float) -> None:
        self.ask(practice)

    def ask(self, practice: PracticeGame) -> None:
        fault = self.wrong[self.games - 1]
        if fault is not None:
            raise fault

    def listen(self) -> None: ...

    def end(self, practice: PracticeGame) -> None: ...


EXITED = offence(Termination.EXITED, "It exited.")
FORGET = "forget the last game"


@pytest.mark.parametrize(
    ("fault", "fix"),
    [
        (EXITED, "Stay alive after `end`"),
        (
            offence(Termination.EXITED, "It was ended by signal 11."),
            f"only in later games, {FORGET}",
        ),
        (
            offence(Termination.EXITED, stderr='  File "bot.py", line 9, in f\nKeyError: 1\n'),
            f"If it fails only in later games, {FORGET}",
        ),
        (offence(Termination.TIMEOUT), "Answer every `start` with `ready`"),
        (offence(Termination.ILLEGAL_MOVE), "Forget the last game"),
        (offence(Termination.BAD_JSON), f"If it fails only in later games, {FORGET}"),
    ],
)
def test_what_fails_in_a_second_game_alone_is_blamed_on_the_first(fault: Offence, fix: str) -> None:
    processes = iter([Again(None, fault), Again(None), Again(None), Again(None)])
    subject = scripted(processes.__next__, "dots")
    found = games.second_game(subject)
    assert found.passed is False and "in a later game of the same process" in found.detail
    assert fix in str(found.fix)
    assert subject.again is fault


def test_what_fails_in_each_game_is_not_blamed_on_the_game_before() -> None:
    for processes in ([Again(EXITED)], [Again(None, EXITED), Again(None), Again(EXITED)]):
        subject = scripted(iter(processes).__next__, "dots")
        assert "later game" not in games.second_game(subject).detail
        assert subject.again is None


def test_a_second_game_is_judged_by_what_earlier_items_saw() -> None:
    subject = scripted(lambda: Again(None), "dots")
    subject.again = EXITED
    assert "in a later game of the same process" in games.second_game(subject).detail
    subject.wrong = frozenset({Termination.EXITED})
    assert games.second_game(subject).passed is None


def test_a_second_game_is_on_another_board_in_another_seat_after_an_opening() -> None:
    began = list[PracticeGame]()

    class Telling(Again):
        def start(self, practice: PracticeGame) -> None:
            super().start(practice)
            began.append(practice)

    subject = scripted(lambda: Telling(None, None), "dots")
    assert games.second_game(subject).passed
    first, second = began
    assert first.position.game != second.position.game
    assert (first.seat, second.seat) == (0, 1) and len(second.moves) > 1
