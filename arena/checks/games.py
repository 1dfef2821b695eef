"""Whole games: a second one in a process, then against another player and against itself."""

from collections.abc import Iterable
from itertools import chain, cycle, islice, zip_longest

from arena.checks.advice import advise
from arena.checks.conditions import limit_ms
from arena.checks.dialogue import STDERR_KEPT, Dialogue, Heard, Offence, Overloaded
from arena.checks.positions import PracticeGame
from arena.checks.result import CheckFinding, not_judged, passed
from arena.checks.subject import FRESH_TRIES, Subject
from arena.model.contender import Prepared
from arena.model.game_spec import GameSetup, Terms
from arena.model.protocol import Termination
from arena.model.record import GameRecord, PlayerFault
from arena.referee import SessionPool, play_game
from arena.referee.failures import failure_in
from arena.referee.game import IN_STEP
from arena.referee.session import Session
from arena.sandbox.features import usable_cores
from rules.position import Game

_FIRST_MOVES, _FIRST_S = 40, 10.0
"""The most of a first game before a second one: moves of the program, and time."""
_AGAINST_OTHER, _AGAINST_ITSELF = 4, 2
"""Games; half of them at the clock of a tournament."""
_GAME_MS, _TOURNAMENT_GAME_MS = 20_000, 120_000
"""The longest game if every move takes as long as the slowest so far."""
_MAX_PLIES = 600
"""Plies of a game: those of tiles last as long as the player is good."""


def second_game(subject: Subject) -> CheckFinding:
    """Judge whether a process that has played a game plays others, on other boards and seats."""
    boards = list(subject.boards.values())
    at = subject.positions(boards[-1])[-1]  # of the last seat, late in a game
    with subject.process() as dialogue:
        try:
            first = subject.opening(boards[0])
            dialogue.start(first)
            dialogue.play_on(first, _FIRST_MOVES, _FIRST_S)
            dialogue.end(first)
        except Offence as offence:
            return _failed(subject, offence, f"in its first game, at ply {len(first.moves)}")
        if subject.again is not None:
            return _failed_later(subject, subject.again)
        try:
            _one_move(dialogue, subject.at(at))
        except Offence as offence:
            later = offence
        else:
            return passed(f"{dialogue.games} games in one process")
    try:
        for _ in range(FRESH_TRIES):
            with subject.process() as dialogue:
                _one_move(dialogue, subject.at(at))
    except Offence as offence:
        return _failed(subject, offence, f"in a first game too, at ply {len(at.moves)}")
    subject.note_later(later)
    return _failed_later(subject, later)


def _one_move(dialogue: Dialogue, practice: PracticeGame) -> None:
    dialogue.listen()
    dialogue.start(practice)
    dialogue.ask(practice)
    dialogue.end(practice)


def _failed(subject: Subject, offence: Offence, where: str, fix: str | None = None) -> CheckFinding:
    if offence.termination in subject.wrong:
        return not_judged("same failure as in item 6")
    return subject.failed(offence, where, fix)


def _failed_later(subject: Subject, offence: Offence) -> CheckFinding:
    where = "in a later game of the same process, not in a new process"
    forget = (
        "forget the last game when `start` comes: set up board, seat, size and tables again from "
        "what it says."
    )
    names_error = failure_in(offence.stderr) is not None or "was ended by" in offence.detail
    if offence.termination is Termination.EXITED and not names_error:
        fix = "Stay alive after `end`: another `start` may come, and only `quit` ends the program."
    elif offence.termination is Termination.TIMEOUT:
        fix = "Answer every `start` with `ready` and every `turn` with `move`, not only the first."
    elif offence.termination is Termination.ILLEGAL_MOVE:
        fix = forget.capitalize()
    else:  # one that comes by chance looks alike
        fix = f"{advise(offence, subject.language)} If it fails only in later games, {forget}"
    return _failed(subject, offence, where, fix)


class _Pool(SessionPool):
    """Remembers the processes it ended: in each game first the one to blame for a fault."""

    ended: tuple[Session, ...] = ()

    def kill(self, player: Session) -> None:
        self.ended += (player,)
        super().kill(player)


def against_opponent(subject: Subject) -> CheckFinding:
    """Games over its boards, in changing seats; in the sliding games both play the same."""
    scores: list[str] = []
    us, other = (subject.spec,), (subject.opponent,)
    boards = _boards(subject, _AGAINST_OTHER)
    with _Pool(keep_alive=None, cores=usable_cores()) as pool:  # the bot is begun afresh
        for number, (board, game) in enumerate(boards):
            subject.report(f"game {number + 1} of {len(boards)}, {board}")
            seat = number % game.seats
            lineups = [us, other] if game.seats == 1 else [other + us if seat else us + other]
            records = [_play(subject, game, lineup, number, pool) for lineup in lineups]
            for record, ours in zip(records, ((seat,), ()), strict=False):
                if trouble := _trouble(subject, board, record, ours, pool):
                    return trouble
            other_seat = 0 if game.seats == 1 else 1 - seat
            both = records[0].scores[seat], records[-1].scores[other_seat]
            scores.append(_score(board, both, records))
    return passed(f"{subject.opponent.name} is the other: {', '.join(scores)}")


def against_itself(subject: Subject) -> CheckFinding:
    """Games on its first boards, two of its processes at a time; alone in the sliding games."""
    scores: list[str] = []
    boards = _boards(subject, _AGAINST_ITSELF)
    for number, (board, game) in enumerate(boards, _AGAINST_OTHER):
        subject.report(f"game {number - _AGAINST_OTHER + 1} of {len(boards)}, {board}")
        with _Pool(cores=usable_cores()) as pool:
            record = _play(subject, game, (subject.spec,) * game.seats, number, pool)
        if trouble := _trouble(subject, board, record, tuple(range(game.seats)), pool):
            return trouble
        scores.append(_score(board, record.scores, [record]))
    return passed(", ".join(scores))


def _score(board: str, scores: Iterable[int], records: Iterable[GameRecord]) -> str:
    """The score on a board; that of a game that was cut short is no result."""
    score = f"{board} {'–'.join(map(str, scores))}"
    for record in records:
        plies = len(record.moves)
        if record.termination is Termination.ADJUDICATED and plies == record.terms.max_plies:
            return f"{score} (cut short after {plies} plies)"
    return score


def _boards(subject: Subject, count: int) -> list[tuple[str, Game]]:
    count = count // 2 if subject.conditions.terms else count
    columns = zip_longest(*(subject.games(rule_set).items() for rule_set in subject.rules))
    return list(islice(cycle([board for board in chain(*columns) if board]), count))


def _play(
    subject: Subject, game: Game, players: tuple[Prepared, ...], number: int, pool: SessionPool
) -> GameRecord:
    setup = GameSetup(
        game=subject.names.next(),
        terms=_terms(subject, game),
        seed=subject.names.seed(f"board {number}"),
    )
    return play_game(setup, players, pool)


def _terms(subject: Subject, game: Game) -> Terms:
    """Those of the tournament, else a hurried clock; a slow game without a bank is cut short."""
    clocks, slowest = subject.conditions.clocks, max(1.0, subject.slowest_ms)
    terms = subject.conditions.terms
    if terms is None:
        return Terms(
            rules=game.name,
            variant=game.variant,
            clock=clocks.hurry,
            grace_ms=clocks.lenient_ms,
            startup_ms=clocks.startup_ms,
            ponder=False,
            max_plies=min(_MAX_PLIES, max(10, int(_GAME_MS / slowest))),
        )
    bounds = [terms.max_plies or _MAX_PLIES]
    if terms.clock.bank_ms is None:
        bounds.append(max(10, int(_TOURNAMENT_GAME_MS / slowest)))
    return terms.model_copy(update={"on_fault": "forfeit", "max_plies": min(bounds)})


def _trouble(
    subject: Subject, board: str, record: GameRecord, ours: tuple[int, ...], pool: _Pool
) -> CheckFinding | None:
    """The finding of a game that stopped; `ours` are the bot's seats. Raises Overloaded."""
    seat = record.offender
    if record.termination is Termination.VOID:
        raise Overloaded(f"{board}: {record.detail}")
    if seat is None:
        return None
    if seat not in ours:
        return not_judged(f"{board}: {record.seats[seat].player} failed: {record.detail}")
    clock = record.terms.clock
    fixed = clock.bank_ms is None
    limit = f"within {limit_ms(clock) + record.terms.grace_ms} ms" if fixed else "in time"
    fault = PlayerFault(record.termination, record.detail)
    offence = Offence(fault, stderr=record.seats[seat].stderr[-STDERR_KEPT:], limit=limit)
    if record.termination in IN_STEP:
        own = [each.process for each in pool.ended if each.process.spec is subject.spec]
        process = own[-len(ours)]  # the first that ended in this game
        offence.heard = Heard(process.lines_read, process.last_line)
        offence.position = record.terms.game.position(record.final_state)
    where = f"{board}, ply {len(record.moves)}, seat {seat}"
    return subject.failed(offence, where)
