"""What a form of game records is, and what all forms share: from a file's game to our record.

A form is one file of this folder and one line in `arena.records`. Reading goes on after a damaged
game: each gives a record, or a sentence with its number in the file.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from arena.errors import RecordError
from arena.files.plain_text import printable
from arena.model.game_spec import Terms, first_position
from arena.model.protocol import Termination
from arena.model.record import GameRecord, Host, PlayedMove, SeatRecord
from arena.referee.outcome import Outcome, finished, points, points_by
from rules.position import CHANCE, PASS, Game, MoveError, Position

_UNNAMED = ("first", "second")
"""Players by seat, where the form has no names."""
SHORT = 60
"""Characters of a file that a sentence shows."""


def names_players(record: GameRecord) -> bool:
    """Whether a game of a file says who played."""
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
    """What `--as` takes."""
    endings: tuple[str, ...]
    """Of names of its files, in lower case."""
    write: Callable[[Iterable[GameRecord], str, Path], None]
    """Writes the games of an event, which may be read one by one. Raises RecordError where one has
    no such form.
    """
    read: Callable[[Path, Game | None], Iterator[GameRecord | Damaged]]
    """The games of a file. The game is the one that was asked for; without it the file says it, or
    the form's most usual one is meant. Raises RecordError where the file has none.
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

    def write(records: Iterable[GameRecord], event: str, path: Path) -> None:
        path.write_text("".join(one(record, event) for record in records), encoding="utf-8")

    def read(path: Path, game: Game | None) -> Iterator[GameRecord | Damaged]:
        for number, text in enumerate(split(text_of(path)), 1):
            try:
                yield parse(text, game, number)
            except ValueError as error:
                yield Damaged(number, str(error))

    return Form(name, endings, write, read, one)


def text_of(path: Path) -> str:
    """The text of a file; of an old one that is not UTF-8, as Latin-1."""
    data = path.read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


class Told(NamedTuple):
    """A game as a file tells it. Passes may be left out."""

    moves: Sequence[str]
    players: tuple[str, ...] = ()
    """By seat; empty where the form has no names."""
    seed: int = 0
    """What drew the start, where a game draws it."""
    seconds: Sequence[float | None] = ()
    """What each move took, as far as it is known."""
    evaluations: Sequence[float | None] = ()
    """Of each move, by its mover, as far as they are known."""
    scores: tuple[int, int] | None = None
    """What the file says that the players had in the end."""
    points: tuple[float, float] | None = None
    """What it says that they got, where that does not follow from the scores."""
    flag: str = ""
    """How the game ended, where not by its last move: a few words."""
    date: str = ""
    """ISO 8601, as far as it is known."""
    stated: Mapping[str, Any] = MappingProxyType({})
    """What else the file says of the game."""


def record_of(told: Told, game: Game, number: int) -> GameRecord:
    """The record of a game that another program kept. Raises ValueError where its moves are not
    legal in turn, or lead to another winner than the file says.
    """
    position, moves = _played(told, game)
    outcome, scores, won = _ending(told, position)
    players = told.players or _UNNAMED[: game.seats]
    if players[1:] == players[:1]:
        players = players[0], f"{players[1]} (2)"
    return GameRecord(
        game=f"g{number:04}",
        terms=Terms(rules=game.name, variant=game.variant),
        seed=told.seed,
        seats=tuple(SeatRecord(player=_name(name)) for name in players),
        moves=tuple(moves),
        final_state=position.state(),
        termination=outcome.termination,
        detail=outcome.detail,
        offender=None,
        scores=scores,
        points=won,
        started_at=told.date,
        duration_ms=sum(move.used_ms or 0.0 for move in moves),
        host=Host(name="", system="", cpu="", cores=0, python="", arena=""),
        stated=dict(told.stated),
    )


def game_or(game: Game | None, default: Game, form: str) -> Game:
    """The game that was asked for, where the form has it. Raises RecordError."""
    if game is not None and game.name != default.name:
        raise RecordError(f"{form} has games of {default.name}, not of {game.name}")
    return game or default


def two_players(record: GameRecord) -> tuple[str, str]:
    """The names by seat."""
    first, second = record.seats
    return first.player, second.player


def seconds_of(move: PlayedMove) -> float | None:
    """What a move took; None where it is not known."""
    return move.used_ms / 1000 if move.used_ms else None


def evaluation_of(move: PlayedMove) -> float | None:
    """What its player stated of a move; None without a finite number."""
    score = (move.info or {}).get("score")
    return float(score) if isinstance(score, int | float) and abs(score) < 1e9 else None


def _played(told: Told, game: Game) -> tuple[Position, list[PlayedMove]]:
    position, moves = first_position(game, told.seed), list[PlayedMove]()
    rows = zip_longest(told.moves, told.seconds, told.evaluations)
    for number, (move, seconds, said) in enumerate(rows, 1):
        try:
            if position.must_pass and move != PASS:
                position = _play(position, PASS, moves)
            position = _play(position, move, moves, seconds, said)
        except MoveError as error:
            raise ValueError(f"move {number}: {error}") from None
    return position, moves


def _play(
    position: Position,
    move: str,
    moves: list[PlayedMove],
    seconds: float | None = None,
    said: float | None = None,
) -> Position:
    """The position after a move, which is kept. A time that is not known is 0: it was chosen."""
    after = position.play(move)
    assert position.to_move is not None  # it could move
    is_chosen = move != PASS and position.to_move != CHANCE
    used_ms = 1000 * (seconds or 0.0) if is_chosen else None
    info = None if said is None else {"score": said}
    moves.append(PlayedMove(seat=position.to_move, move=move, used_ms=used_ms, info=info))
    return after


def _ending(told: Told, position: Position) -> tuple[Outcome, tuple[int, ...], tuple[float, ...]]:
    """How a game ended: by its rules, or as the file says."""
    scores, game = position.scores(), position.game
    if position.is_over and not told.flag:
        outcome = finished(position)
        won = points(outcome, position)
        if told.scores is not None and points_by(told.scores, game) != won:
            stated, made = ("-".join(map(str, each)) for each in (told.scores, scores))
            raise ValueError(f"the file says {stated}, but its moves give {made}")
        return outcome, scores, won
    scores = told.scores or scores
    no_result = "" if told.scores or told.points else " and has no result"
    why = told.flag or f"the file ends before move {len(told.moves) + 1}{no_result}"
    detail = f"{'-'.join(map(str, scores))}, {why}"
    return Outcome(Termination.ADJUDICATED, detail), scores, told.points or points_by(scores, game)


def scores_that_tell(record: GameRecord, most: int) -> tuple[int, int]:
    """Scores for a form that has no word for a forfeit: as they are, or where they do not say who
    won, as after a forfeit by the one ahead, all `most` of them the winner's.
    """
    first, second = record.scores
    if record.points == points_by(record.scores, record.terms.game):
        return first, second
    won, lost = (int(most * points) for points in record.points)
    return won, lost


def _name(name: str) -> str:
    return printable(name.strip()) or "unknown"
