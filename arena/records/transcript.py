"""Plain transcripts: a game a line, `f5d6c3…` or `a1b1 b2b3 …`, as `rules.transcript` has them.

Blank lines and lines that begin with `#` are left out. The names of the players are not kept.
"""

from collections.abc import Iterable

import rules
from arena.model.record import GameRecord
from arena.records.form import TextForm, Told, record_of
from rules.position import Game
from rules.transcript import read_transcript, write_transcript


def _one(record: GameRecord, event: str) -> str:
    return write_transcript(record.start(), (move.move for move in record.moves)) + "\n"


def _split(text: str) -> Iterable[str]:
    lines = (line.strip() for line in text.splitlines())
    return (line for line in lines if line and not line.startswith("#"))


def _parse(text: str, game: Game | None, number: int) -> GameRecord:
    game = game or rules.load("othello")
    return record_of(Told(read_transcript(game.start(), text)), game, number)


TRANSCRIPT = TextForm("transcript", (".txt",), _one, _split, _parse)
