"""PGN, as archives of Othello write it; of other games its headers, for their results.

    [Event "…"] [Date "1977"] [Black "ann"] [White "bob"] [Result "34-30"]
    1. F5 D6 2. C3 F3 …

A result in discs is black's, who moves first in Othello. A result of chess, `1-0`, is White's, who
moves first there.

Source: the PGN standard (saremba.de/chessgml/standards/pgn), and the archive of WTHOR in PGN at
github.com/MartinMSPedersen/othello-games.
"""

import re
from collections.abc import Iterable, Iterator

from arena.model.record import GameRecord
from arena.ratings.results import Result
from arena.records.form import (
    Damaged,
    ParsedGame,
    day_of,
    game_or,
    read_each,
    record_of,
    scores_by_result,
    text_form,
    two_players,
)
from arena.records.ggf import standard
from rules import load
from rules.position import PASS, Game

_TAG = re.compile(r'\[(\w+)\s+"((?:[^"\\\n]|\\.)*)"\s*\]')
_GAME = re.compile(r"(?:^[ \t]*\[\w+[^\n]*\n)(?:(?!\n[ \t]*\n[ \t]*\[\w)[\s\S])*", re.MULTILINE)
_BETWEEN_MOVES = re.compile(r"\{[^}]*\}|;[^\n]*|\b\d+\.+|\b\d+-\d+\b|1/2-1/2|\*")
"""Text between moves: comments, numbers, results."""
_CHESS = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}


def tag(name: str, value: str) -> str:
    """A line of the heading."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'[{name} "{escaped}"]'


def tags(text: str) -> dict[str, str]:
    """The heading of a game."""
    return {name: re.sub(r"\\(.)", r"\1", value) for name, value in _TAG.findall(text)}


def without_tags(text: str) -> str:
    """The moves of a game."""
    return _TAG.sub(" ", text)


def split(text: str) -> Iterable[str]:
    """The texts of the games: each begins with a heading, after an empty line."""
    return _GAME.findall(text.replace("\r\n", "\n"))


def results(text: str) -> Iterator[Result | Damaged | None]:
    """The result of each game, of any kind, by its heading; None of a game that is not over."""
    return read_each(split(text), _result)


def _result(game: str, number: int) -> Result | None:
    """None of a game that is not over. ValueError where the heading lacks something."""
    heading = tags(game)
    for name in ("White", "Black", "Result"):
        if not heading.get(name):
            raise ValueError(f"its heading has no {name}")
    white, black, result = heading["White"], heading["Black"], heading["Result"]
    if result == "*":
        return None
    if white == black:
        raise ValueError(f"{white!r} plays against itself")
    if result in _CHESS:
        return Result(white, black, _CHESS[result])
    discs, others = _discs(result)
    return Result(black, white, 0.5 if discs == others else float(discs > others))


def _discs(result: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d+)-(\d+)", result)
    if match is None:
        raise ValueError(f"Result {result!r} is not 1-0, 0-1, 1/2-1/2 or discs such as 34-30")
    return int(match[1]), int(match[2])


def _one(record: GameRecord, event: str) -> str:
    game = standard(record, "PGN")
    black, white = two_players(record)
    discs = scores_by_result(record, game.size**2)
    heading = {
        "Event": event,
        "Date": day_of(record).replace("-", "."),
        "Black": black,
        "White": white,
        "Result": f"{discs[0]}-{discs[1]}",
    }
    moves = [move.move.upper() for move in record.moves if move.move != PASS]
    pairs = (f"{at // 2 + 1}. {' '.join(moves[at : at + 2])}" for at in range(0, len(moves), 2))
    lines = [*(tag(*each) for each in heading.items()), "", *pairs, heading["Result"]]
    return "\n".join(lines) + "\n\n"


def _parse(text: str, game: Game | None, number: int) -> GameRecord:
    heading = tags(text)
    result = heading.get("Result", "*")
    white = _CHESS.get(result)
    parsed = ParsedGame(
        moves=_BETWEEN_MOVES.sub(" ", without_tags(text)).lower().split(),
        players=(heading.get("Black", ""), heading.get("White", "")),
        scores=None if result == "*" or white is not None else _discs(result),
        points=None if white is None else (1 - white, white),
        date=heading.get("Date", "").replace(".", "-"),
        stated={"event": heading["Event"]} if "Event" in heading else {},
    )
    return record_of(parsed, game_or(game, load("othello"), "PGN"), number)


PGN = text_form("pgn", (".pgn",), _one, split, _parse)
