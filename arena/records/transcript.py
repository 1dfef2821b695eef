"""Plain transcripts: a game a line, `f5d6c3…` or `a1b1 b2b3 …`, as `rules.transcript` has them.

A game of 2048 or 2584 begins with its seed, which draws the start: `seed=7 up c2=4 …`. Blank lines
and lines that begin with `#` are left out: a game that ended before its first move is written as
such a line, unless it has a seed. The names of the players are not kept.
"""

import re
from collections.abc import Iterable

import rules
from arena.model.game_spec import first_position
from arena.model.record import GameRecord
from arena.records.form import SHORT, ParsedGame, record_of, refusing_misfits, text_form
from rules.position import Game
from rules.transcript import read_transcript, write_transcript

_SEED = re.compile(r"seed=(-?\d+)\b")


def _one(record: GameRecord, event: str) -> str:
    with refusing_misfits(record):
        written = write_transcript(record.start(), (move.move for move in record.moves))
    if record.terms.game.decided_by_seed:
        written = f"seed={record.seed} {written}".rstrip()
    return f"{written or f'# {record.game}: no moves'}\n"


def _split(text: str) -> Iterable[str]:
    lines = (line.strip() for line in text.splitlines())
    return (line for line in lines if line and not line.startswith("#"))


def _parse(text: str, game: Game | None, number: int) -> GameRecord:
    game = game or rules.load("othello")
    seed = 0
    if game.decided_by_seed:
        match = _SEED.match(text)
        if match is None:
            raise ValueError(
                f"{text[:SHORT]!r} does not begin with the seed that drew the start of the game, "
                "as in 'seed=7 up c2=4'; JSON lines and Parquet have it too"
            )
        seed, text = int(match[1]), text[match.end() :]
    moves = read_transcript(first_position(game, seed), text)
    return record_of(ParsedGame(moves, seed=seed), game, number)


TRANSCRIPT = text_form("transcript", (".txt",), _one, _split, _parse)
