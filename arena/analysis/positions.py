"""A position as people write it: a transcript, a board with the side to move, or a state."""

import difflib
import json
import re
import sys
from functools import reduce
from pathlib import Path

import rules
from arena.errors import UserError
from rules.othello import Othello
from rules.position import Game, Position
from rules.transcript import read_transcript

_DISCS = {"X": "X", "x": "X", "*": "X", "O": "O", "o": "O", "-": ".", ".": ".", "#": "#"}
"""What a cell of a written board may be, and what the wire has for it."""
_BOARD = re.compile(r"\s*[-.#*XxOo](?![0-9])")
"""How a board begins. On a large board a column is called o, and its squares have a digit."""


def run_path(name: str) -> Path:
    """The file of a run. Raises UserError for what may be a rule set's name, misspelt."""
    path = Path(name)
    if not path.exists() and path.suffix != ".sqlite":
        near = difflib.get_close_matches(name, rules.names(), n=1)
        hint = f'; did you mean "{near[0]}"?' if near else ""
        known = ", ".join(rules.names())
        raise UserError(f"{name} is neither a rule set ({known}) nor a run's file{hint}")
    return path


def read_text(written: str) -> str:
    """What is written on the command line, in the file @NAME, or, for -, on stdin."""
    try:
        if written == "-":
            return sys.stdin.read()
        if written == "@":
            raise UserError("@ is followed by the name of a file, as @position.txt")
        if written.startswith("@"):
            return Path(written[1:]).read_text("utf-8")
    except OSError as error:
        raise UserError(f"{written[1:]}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UserError(f"{written[1:] or 'stdin'}: not UTF-8 text") from None
    return written


def read_position(game: Game, text: str) -> Position:
    """The position of `game` that `text` describes: JSON as the wire's `state`; for Othello a
    board and who moves, in the form of OBF (`-` or `.` empty, X or * black, O white, row after
    row, then X or O); else the transcript of a game from its start, nothing being the start.

    Raises UserError, naming the character that is wrong and what was expected.
    """
    if text.lstrip().startswith("{"):
        return _of_state(game, text)
    if isinstance(game, Othello) and _BOARD.match(text):
        return _of_board(game, text)
    start = game.start(seed=0)
    try:
        return reduce(lambda at, move: at.play(move), read_transcript(start, text), start)
    except ValueError as error:
        raise UserError(f"the position cannot be read: {error}") from None


def _of_state(game: Game, text: str) -> Position:
    try:
        state = json.loads(text)
    except json.JSONDecodeError as error:
        found = f"character {error.pos + 1}: {error.msg}"
        raise UserError(f"the position is read as JSON: {found}") from None
    except RecursionError:
        raise UserError("the position is read as JSON: it is nested too deeply") from None
    try:
        return game.position(state)
    except ValueError as error:
        raise UserError(f"the position is no state of {game.name}: {error}") from None


def _of_board(game: Othello, text: str) -> Position:
    """`game.size` rows of cells, blanks anywhere; then the side to move, and what OBF adds."""
    size, cells = game.size, ""
    at = 0
    while len(cells) < size * size:
        if at == len(text):
            raise UserError(
                f"the board has {len(cells)} cells; {size}×{size} are {size * size}, row after row"
            )
        if not text[at].isspace():
            if text[at] not in _DISCS:
                raise UserError(
                    f"character {at + 1} of the board is {text[at]!r}: expected X or * for black, "
                    f"O for white, - or . for an empty square (cell {len(cells) + 1})"
                )
            cells += _DISCS[text[at]]
        at += 1
    rest = text[at:].partition(";")[0].strip()
    if _DISCS.get(rest) not in ("X", "O"):
        raise UserError(
            f"after the {size * size} cells of the board comes who moves, X or O, "
            f"not {rest or 'nothing'}"
        )
    start = "".join(game.start().state()["board"])
    pairs = zip(cells, start, strict=True)
    board = "".join("#" if (cell, first) == (".", "#") else cell for cell, first in pairs)
    rows = [board[at : at + size] for at in range(0, size * size, size)]
    try:
        return game.position({"board": rows, "to_move": int(_DISCS[rest] == "O")})
    except ValueError as error:
        raise UserError(f"the board is no position of {game.name}: {error}") from None
