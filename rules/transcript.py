"""Games as one line of text.

Othello is written the way its players do, `f5d6c3…`, with forced passes left out: they follow
from the position. Dots and boxes is a list of edges, `a1b1 b2b3 …`; 2048 and 2584 a list of
slides and placements, `up c2=4 left …`. A pass that is a choice is written. Reading takes upper
case, spaces, commas and line breaks anywhere between moves, and forced passes also where they are
spelled out.
"""

import re
from collections.abc import Iterable

from rules.position import PASS, PASSES, Game, MoveError, Position


def write_transcript(start: Position, moves: Iterable[str]) -> str:
    """The transcript of `moves` from `start`. Raises MoveError when they are not legal in turn."""
    position, written = start, []
    for move in moves:
        if move != PASS or not position.must_pass:
            written.append(move)
        position = position.play(move)
    return start.game.move_gap.join(written)


def read_transcript(start: Position, text: str) -> tuple[str, ...]:
    """The moves of a transcript of a game from `start`, forced passes included, except one
    after the last move.

    Raises ValueError naming the place of text that is no move, or the number of a move that
    cannot be played and why.
    """
    position, moves = start, list[str]()
    for number, move in enumerate(_tokens(start.game, text.lower()), start=1):
        if move in PASSES and move not in position.legal_moves():
            move = PASS
        try:
            if position.must_pass and move != PASS:
                position = position.play(PASS)
                moves.append(PASS)
            position = position.play(move)
        except MoveError as error:
            raise ValueError(f"move {number} of the transcript: {error}") from error
        moves.append(move)
    return tuple(moves)


def _tokens(game: Game, text: str) -> list[str]:
    tokens = []
    token = re.compile(rf"[\s,]*({game.move_pattern}|{PASS})[\s,]*")
    at = 0
    while text[at:].strip(" \t\r\n,"):
        found = token.match(text, at)
        if not found:
            place, near = f"character {at + 1} of the transcript", text[at : at + 12]
            raise ValueError(f"{place}: {near!r} is not a move")
        tokens.append(found[1])
        at = found.end()
    return tokens
