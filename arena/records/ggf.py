"""GGF, the games of Othello servers and of NBoard, NTest and Edax: see `rules.ggf`."""

import re

from arena.errors import RecordError
from arena.model.protocol import Clock, Termination
from arena.model.record import GameRecord
from arena.records.form import (
    ParsedGame,
    evaluation_of,
    game_or,
    record_of,
    scores_by_result,
    seconds_of,
    text_form,
    two_players,
)
from rules import load
from rules.ggf import (
    BLACK_WHITE,
    read_board,
    read_move,
    read_properties,
    split_games,
    write_board,
    write_move,
    write_properties,
)
from rules.othello import Othello
from rules.position import Game

_DATE = re.compile(
    r"(\d{4})(?!\d)(?:[.-](\d\d)[.-](\d\d)(?:[ _T](\d\d:\d\d:\d\d)(?:[. ](GMT|UTC)\b)?)?)?"
)
"""A date as far as it is known; another zone, as MST, is taken for none."""
_RESULT = re.compile(r"([+-]?\d+(?:\.\d+)?)(?::([rlts]))?")
_FLAGS = {"r": "resigned", "l": "left", "t": "out of time", "s": "agreed"}
_STATED = {
    "PC": "place", "RB": "black_rating", "RW": "white_rating", "TI": "clock", "TB": "black_clock",
    "TW": "white_clock", "TY": "type",
}  # fmt: skip


def standard(record: GameRecord, form: str) -> Othello:
    """The game of a record, Othello by the usual rules. Raises RecordError."""
    game = record.terms.game
    if not isinstance(game, Othello) or game != load("othello", size=game.size):
        raise RecordError(f"game {record.game} is not standard Othello, which {form} needs")
    return game


def _one(record: GameRecord, event: str) -> str:
    game = standard(record, "GGF")
    black, white = two_players(record)
    heading = {
        "GM": "Othello",
        "PC": event,
        "DT": _written(record.started_at),
        "PB": black,
        "PW": white,
        "RE": _result(record),
        **_clocks(record),
        "TY": str(game.size),
        "BO": write_board(record.start()),
    }
    moves = [
        (BLACK_WHITE[move.seat], write_move(move.move, evaluation_of(move), seconds_of(move)))
        for move in record.moves
    ]
    return write_properties([*heading.items(), *moves]) + "\n"


def _written(started_at: str) -> str:
    zone = ".GMT" if re.fullmatch(r".*T\d.*(Z|\+00:00)", started_at) else ""
    return started_at[:19].replace("-", ".").replace("T", "_") + zone


def _date(written: str) -> str:
    """As ISO 8601 has it; empty where there is none."""
    match = _DATE.match(written)
    if match is None:
        return ""
    year, month, day, time, zone = match.groups()
    date = f"{year}-{month}-{day}" if month else year
    return date + (f"T{time}" if time else "") + ("+00:00" if zone else "")


def _result(record: GameRecord) -> str:
    """Black's margin; after a forfeit, the whole board with a flag."""
    most = len(record.final_state["board"]) ** 2
    black, white = scores_by_result(record, most)
    if record.offender is None:
        return f"{black - white:+}" + ("" if (black, white) == record.scores else ":r")
    flag = "t" if record.termination is Termination.TIMEOUT else "r"
    return f"{-most if record.offender == 0 else most:+}:{flag}"


def _clocks(record: GameRecord) -> dict[str, str]:
    """One for both players, or where they differ one for each."""
    black, white = (_clock(seat.clock or record.terms.clock) for seat in record.seats)
    return {"TI": black} if black == white else {"TB": black, "TW": white}


def _clock(clock: Clock) -> str:
    """Minutes and seconds, and the increment of a move."""
    seconds = (clock.bank_ms or clock.move_ms or 0) // 1000
    more = clock.increment_ms // 1000
    return f"{seconds // 60:02}:{seconds % 60:02}/{more // 60:02}:{more % 60:02}"


def _parse(text: str, game: Game | None, number: int) -> GameRecord:
    properties = read_properties(text)
    values = {name: value for name, value in properties if name not in BLACK_WHITE}
    if values.get("GM", "Othello") != "Othello":
        raise ValueError(f"GM[{values['GM']}] is not Othello")
    start = read_board(values.get("BO", ""))
    played = game_or(game, start.game, "GGF")
    if start != played.start():
        raise ValueError("BO is not the usual start, from which all games of a run begin")
    moves = [read_move(value) for name, value in properties if name in BLACK_WHITE]
    margin, flag = _margin(values.get("RE", "?"))
    scores, points = _stated(margin, flag, len(start.state()["board"]) ** 2)
    parsed = ParsedGame(
        moves=[move.move for move in moves],
        players=(values.get("PB", ""), values.get("PW", "")),
        seconds=[move.seconds for move in moves],
        evaluations=[move.score for move in moves],
        scores=scores,
        points=points,
        flag=_FLAGS.get(flag, ""),
        date=_date(values.get("DT", "")),
        stated={key: values[name] for name, key in _STATED.items() if name in values},
    )
    return record_of(parsed, played, number)


def _margin(value: str) -> tuple[float | None, str]:
    """Of black, where it is known, and the flag."""
    match = _RESULT.fullmatch(value.strip())
    if match is None and value.strip() not in ("", "?"):
        raise ValueError(f"RE[{value}] is not a result such as +4 or -64.00:t")
    return (float(match[1]), match[2] or "") if match else (None, "")


def _stated(
    margin: float | None, flag: str, squares: int
) -> tuple[tuple[int, int] | None, tuple[float, float] | None]:
    """Scores and points. After a flag the margin names the winner, and the board has the scores."""
    if margin is None:
        return None, None
    if flag:
        black = 0.5 if margin == 0 else float(margin > 0)
        return None, (black, 1 - black)
    white_discs = (squares - int(margin)) // 2  # an odd margin leaves a square empty
    return (white_discs + int(margin), white_discs), None


GGF = text_form("ggf", (".ggf",), _one, split_games, _parse)
