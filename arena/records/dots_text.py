"""The text of games of dots as players and programs write it on Little Golem.

    [First "ann"] [Second "bob"] [Boxes "5x5"] [Result "13-12"]
    1. b5-c5 2. c4-c5 3. b4-c4 4. b4-b5, d3-e3 5. f1-f2

Columns of dots are letters from the left, rows are numbers from the bottom. A turn has a number;
the moves of one turn are separated by commas. The heading is ours, and may be left out.

Source: the notation proposed by the author of the program Knox (littlegolem.net, forum of dots and
boxes, "Move notation", 2004).
"""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from arena.errors import RecordError
from arena.model.record import GameRecord
from arena.records.form import (
    ParsedGame,
    game_or,
    move_in,
    record_of,
    scores_by_result,
    text_form,
    two_players,
)
from arena.records.pgn import tag, tags, without_tags
from rules import load
from rules.dots import Dots
from rules.position import Game

_DOT = re.compile(r"([a-z])(\d+)")
_TOKEN = re.compile(r"[\s,]*(?:\d+\.\s*)?([a-z]\d+)\s*[-–]\s*([a-z]\d+)[\s,]*")


def _one(record: GameRecord, event: str) -> str:
    game = record.terms.game
    if not isinstance(game, Dots):
        raise RecordError(f"game {record.game} is {game.name}; this text is only for dots")
    first, second = two_players(record)
    boxes = scores_by_result(record, game.rows * game.cols)
    heading = {
        "First": first,
        "Second": second,
        "Boxes": f"{game.rows}x{game.cols}",
        "Result": f"{boxes[0]}-{boxes[1]}",
    }
    head = " ".join(tag(*each) for each in heading.items())
    return f"{head}\n{' '.join(_turns(record, game))}\n\n"


def _turns(record: GameRecord, game: Dots) -> Iterator[str]:
    edges = {edge: _turned(edge, game) for edge in game.names}
    turns = groupby(record.moves, key=lambda move: move.seat)
    for number, (_, moves) in enumerate(turns, 1):
        yield f"{number}. {', '.join(move_in(edges, move, record) for move in moves)}"


def _turned(edge: str, game: Dots) -> str:
    """An edge with its rows counted from the bottom."""
    dots = (f"{letter}{game.rows + 2 - int(row)}" for letter, row in _DOT.findall(edge))
    return "-".join(sorted(dots, key=lambda dot: (dot[0], int(dot[1:]))))


def _split(text: str) -> Iterable[str]:
    return filter(str.strip, re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n")))


def _parse(text: str, game: Game | None, number: int) -> GameRecord:
    heading = tags(text)
    size = re.fullmatch(r"(\d+)x(\d+)", heading.get("Boxes", ""))
    stated = load("dots", rows=int(size[1]), cols=int(size[2])) if size else load("dots")
    played = game_or(game, stated, "this text")
    assert isinstance(played, Dots)  # no other is of that name
    edges = {_turned(name, played): name for name in played.names}
    result = re.fullmatch(r"(\d+)-(\d+)", heading.get("Result", ""))
    parsed = ParsedGame(
        moves=[_edge(dots, edges) for dots in _tokens(without_tags(text).lower())],
        players=(heading.get("First", "first"), heading.get("Second", "second")),
        scores=(int(result[1]), int(result[2])) if result else None,
    )
    return record_of(parsed, played, number)


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    at = 0
    while text[at:].strip(" \n\t,"):
        match = _TOKEN.match(text, at)
        if match is None:
            raise ValueError(f"{text[at : at + 12].strip()!r} is not a move such as b4-b5")
        yield match[1], match[2]
        at = match.end()


def _edge(dots: tuple[str, str], edges: dict[str, str]) -> str:
    for name in ("-".join(dots), "-".join(dots[::-1])):
        if name in edges:
            return edges[name]
    raise ValueError(f"{'-'.join(dots)} joins no two neighbours of this board")


DOTS_TEXT = text_form("dots", (".dots",), _one, _split, _parse)
