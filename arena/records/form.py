"""The interface of a form of game records, and the step all forms share: from a parsed game to a
record.

A form is one file of this folder and one line in `arena.records`. Reading goes on after a damaged
game: each gives a record, or a sentence with its number in the file.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

import rules
from arena.errors import RecordError
from arena.files.plain_text import printable
from arena.files.whole_file import writing
from arena.model.game_spec import Terms, first_position
from arena.model.protocol import Termination
from arena.model.record import GameRecord, Host, PlayedMove, SeatRecord
from arena.referee.outcome import Outcome, finished, points, points_by
from rules.position import CHANCE, PASS, Game, MoveError, Position

_Written = TypeVar("_Written")
_Game = TypeVar("_Game")
_Named = TypeVar("_Named")

_UNNAMED = ("first", "second")
"""Players by seat, where the form has no names."""
SHORT = 60
"""Characters of a file that a sentence shows."""
_MOST = 2**53
"""Numbers of a game are smaller: a run keeps them, and JSON has them exactly."""


def names_players(record: GameRecord) -> bool:
    """Whether a game of a file names its players."""
    return any(seat.player not in _UNNAMED for seat in record.seats)


@dataclass(frozen=True)
class Damaged:
    """A game of a file that cannot be read."""

    number: int
    """Among the games of the file, from 1."""
    why: str

    def __str__(self) -> str:
        return f"game {self.number}: {self.why}"


class Form(NamedTuple):
    """A way in which programs write games."""

    name: str
    """The value of `--as`."""
    endings: tuple[str, ...]
    """Of names of its files, in lower case; of no other form, nor .csv, which are results."""
    write: Callable[[Iterable[GameRecord], str, Path], None]
    """Writes the games of an event, read one by one: all together take far more memory than the
    file. Raises RecordError where one has no such form.
    """
    read: Callable[[Path, Game | None], Iterator[GameRecord | Damaged]]
    """The games of a file, read by the rules of the game; None for the one that the file names, or
    else the form's most usual one. Raises RecordError where the file has none.
    """
    one: Callable[[GameRecord, str], str] | None = None
    """A game of an event as text. Raises RecordError. None where a file is more than its games, one
    after the other.
    """


def text_form(
    name: str,
    endings: tuple[str, ...],
    one: Callable[[GameRecord, str], str],
    split: Callable[[str], Iterable[str]],
    parse: Callable[[str, Game | None, int], GameRecord],
) -> Form:
    """A form that is text, a game after the other: `split` has the texts of the games in that of a
    file, `parse` the record of one, given its number. It raises ValueError.
    """

    def read(path: Path, game: Game | None) -> Iterator[GameRecord | Damaged]:
        return read_each(split(text_of(path)), lambda text, number: parse(text, game, number))

    return Form(name, endings, partial(write_each, one), read, one)


def write_each(
    one: Callable[[GameRecord, str], str], records: Iterable[GameRecord], event: str, path: Path
) -> None:
    """Write a file that is the text of each game, one after the other."""
    with writing(path) as file:
        file.writelines(one(record, event) for record in records)


def read_each(
    written: Iterable[_Written], read: Callable[[_Written, int], _Game]
) -> Iterator[_Game | Damaged]:
    """The games of a file, by what `read` makes of each and its number from 1; it raises ValueError
    where a game is damaged.
    """
    for number, one in enumerate(written, 1):
        try:
            yield read(one, number)
        except ValueError as error:
            yield Damaged(number, str(error))


def text_of(path: Path) -> str:
    """The text of a file; of an old one that is not UTF-8, as Latin-1."""
    data = path.read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


class ParsedGame(NamedTuple):
    """A game as read from a file, not yet checked by the rules. Passes may be left out."""

    moves: Sequence[str]
    players: tuple[str, ...] = ()
    """By seat; empty where the form has no names."""
    seed: int = 0
    """The seed of the start, where a game draws it."""
    seconds: Sequence[float | None] = ()
    """The time of each move, as far as it is known."""
    evaluations: Sequence[float | None] = ()
    """Of each move, by its mover, as far as they are known."""
    scores: tuple[int, int] | None = None
    """The final scores that the file states."""
    points: tuple[float, float] | None = None
    """The points that it states, where they do not follow from the scores."""
    flag: str = ""
    """A few words on the end of the game, where it is not by its last move."""
    date: str = ""
    """ISO 8601, as far as it is known."""
    stated: Mapping[str, Any] = MappingProxyType({})
    """Other facts of the game in the file."""


def record_of(parsed: ParsedGame, game: Game, number: int) -> GameRecord:
    """The record of a game of another program. Raises ValueError where its moves are not
    legal in turn, or lead to another winner than the file says.
    """
    position, moves = _played(parsed, game)
    outcome, scores, won = _ending(parsed, position)
    players = parsed.players or _UNNAMED[: game.seats]
    if players[1:] == players[:1]:
        players = players[0], f"{players[1]} (2)"
    record = GameRecord(
        game=f"g{number:04}",
        terms=Terms(rules=game.name, variant=game.variant),
        seed=parsed.seed,
        seats=tuple(SeatRecord(player=_name(name)) for name in players),
        moves=tuple(moves),
        final_state=position.state(),
        termination=outcome.termination,
        detail=outcome.detail,
        offender=None,
        scores=scores,
        points=won,
        started_at=parsed.date,
        duration_ms=sum(move.used_ms or 0.0 for move in moves),
        host=Host(name="", system="", cpu="", cores=0, python="", arena=""),
        stated=dict(parsed.stated),
    )
    refuse_numbers(record)
    return record


def refuse_numbers(record: GameRecord) -> None:
    """Raise ValueError for a number that no run can keep, such as a time without an end."""
    times = (move.used_ms or 0.0 for move in record.moves)
    numbers = (record.round, *record.scores, *record.points, record.duration_ms)
    for number in (*numbers, *times):
        if not abs(number) < _MOST:  # nan is not either
            raise ValueError(f"{str(number)[:SHORT]} is not a number that a game can have")


def game_or(game: Game | None, default: Game, form: str) -> Game:
    """The requested game, or the form's default. Raises RecordError where the form has no such."""
    if game is not None and game.name != default.name:
        raise RecordError(f"{form} has games of {default.name}, not of {game.name}")
    return game or default


def day_of(record: GameRecord) -> str:
    """The day of a game, as far as it is known and as it was written."""
    return printable(re.split(r"[T ]\d\d:", record.started_at)[0])


def two_players(record: GameRecord) -> tuple[str, str]:
    """The names by seat."""
    first, second = record.seats
    return first.player, second.player


def move_in(names: Mapping[str, _Named], move: PlayedMove, record: GameRecord) -> _Named:
    """A move as another program names it. Raises RecordError: a record of an earlier version has no
    checksum, and a damaged letter may be found here alone.
    """
    if move.move not in names:
        raise RecordError(
            f"game {record.game} is damaged: {printable(move.move)} is no move on its board"
        )
    return names[move.move]


@contextmanager
def refusing_misfits(record: GameRecord) -> Iterator[None]:
    """Raise RecordError where a move of a game that is played again does not fit."""
    try:
        yield
    except MoveError as error:
        raise RecordError(f"game {record.game}: {error}; {why_misfit(record)}") from None


def why_misfit(record: GameRecord) -> str:
    """What may be the reason that a move does not fit, in words."""
    name = record.terms.rules
    damaged = "the record is damaged or was made by other rules"
    if name in rules.GAMES:
        return damaged
    here, then = rules.package(name), record.host.package
    played = f"; it was played by {then}" if then not in (None, here) else ""
    return f"{damaged} than those of the package {here}{played}"


def seconds_of(move: PlayedMove) -> float | None:
    """The time of a move; None where it is not known."""
    return move.used_ms / 1000 if move.used_ms else None


def evaluation_of(move: PlayedMove) -> float | None:
    """The score that a player stated with its move; None without a finite number."""
    score = (move.info or {}).get("score")
    return float(score) if isinstance(score, int | float) and abs(score) < 1e9 else None


def _played(parsed: ParsedGame, game: Game) -> tuple[Position, list[PlayedMove]]:
    position, moves = first_position(game, parsed.seed), list[PlayedMove]()
    rows = zip_longest(parsed.moves, parsed.seconds, parsed.evaluations)
    for number, (move, seconds, evaluation) in enumerate(rows, 1):
        try:
            if position.must_pass and move != PASS:
                position = _play(position, PASS, moves)
            position = _play(position, move, moves, seconds, evaluation)
        except MoveError as error:
            raise ValueError(f"move {number}: {error}") from None
    return position, moves


def _play(
    position: Position,
    move: str,
    moves: list[PlayedMove],
    seconds: float | None = None,
    evaluation: float | None = None,
) -> Position:
    """The position after a move, which is added to `moves`. A time that is not known is 0, as for
    any move that a player chose.
    """
    after = position.play(move)
    assert position.to_move is not None  # it could move
    is_chosen = move != PASS and position.to_move != CHANCE
    used_ms = 1000 * (seconds or 0.0) if is_chosen else None
    info = None if evaluation is None else {"score": evaluation}
    moves.append(PlayedMove(seat=position.to_move, move=move, used_ms=used_ms, info=info))
    return after


def _ending(
    parsed: ParsedGame, position: Position
) -> tuple[Outcome, tuple[int, ...], tuple[float, ...]]:
    """How a game ended: by its rules, or as the file says."""
    scores, game = position.scores(), position.game
    if position.is_over and not parsed.flag:
        outcome = finished(position)
        won = points(outcome, position)
        if parsed.scores is not None and points_by(parsed.scores, game) != won:
            stated, played = ("-".join(map(str, each)) for each in (parsed.scores, scores))
            raise ValueError(f"the file says {stated}, but its moves give {played}")
        return outcome, scores, won
    scores = parsed.scores or scores
    no_result = "" if parsed.scores or parsed.points else " and has no result"
    why = parsed.flag or f"the file ends before move {len(parsed.moves) + 1}{no_result}"
    detail = f"{'-'.join(map(str, scores))}, {why}"
    won = parsed.points or points_by(scores, game)
    return Outcome(Termination.ADJUDICATED, detail), scores, won


def scores_by_result(record: GameRecord, most: int) -> tuple[int, int]:
    """Scores for a form that cannot state a forfeit: as they are, or where they do not show the
    winner, as after a forfeit by the one ahead, all `most` of them the winner's.
    """
    first, second = record.scores
    if record.points == points_by(record.scores, record.terms.game):
        return first, second
    won, lost = (int(most * points) for points in record.points)
    return won, lost


def _name(name: str) -> str:
    return printable(name.strip()) or "unknown"
