"""`arena analyse`: the value of each move of a position."""

from __future__ import annotations

import json
import re
import sys
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

import rules
from arena.errors import UserError
from arena.files import json_text
from arena.files.stop_signals import apart
from arena.files.toml_tables import nearest, shown
from arena.reports.replay import mark, positions
from arena.tournament.run_view import recorded_game
from arena.tournament.store import nearest_run
from arena.tournament.warming import warm_kernels
from players.catalogue import BUILTINS
from rules.othello import Othello
from rules.position import PASS, Game, Position
from rules.transcript import read_transcript

if TYPE_CHECKING:
    from players.search.analysis import Analysis


_DISCS = {"X": "X", "x": "X", "*": "X", "O": "O", "o": "O", "-": ".", ".": ".", "#": "#"}
"""Cells of a written board, and the wire's signs for them."""
_BOARD = re.compile(r"\s*[-.#*XxOo](?![0-9])")
"""How a board begins. On a large board a column is called o, and its squares have a digit."""


class Written(NamedTuple):
    """The text typed or read as a position."""

    text: str
    file: str | None = None
    """Where it is from; None for what was typed."""


def find_position(
    of: Game | Path, written: Written, game: str | None, ply: int | None
) -> tuple[Position, tuple[str, ...]]:
    """The position that is `written`, or the one after `ply` moves of a run's game, with a move to
    choose, and notes on its origin and a forced pass. Raises UserError.
    """
    notes: tuple[str, ...] = ()
    if isinstance(of, Path):
        if game is None:
            raise UserError("--ply is for one game of the run: give --game too, such as g0001")
        position, note = _of_run(of, game, ply)
        notes = (note,)
    elif game is not None or ply is not None:
        raise UserError("--game and --ply belong to a run's file, not to a rule set")
    else:
        try:
            position = read_position(of, written.text)
        except UserError as error:
            raise UserError(f"{written.file}: {error}" if written.file else str(error)) from None
    if position.must_pass:
        position = position.play(PASS)
        notes += ("The mover has no legal move and passes.",)
    if position.is_over:
        scores = " to ".join(map(str, position.scores()))
        raise UserError(f"the game is over in this position, {scores}: no move is left to analyse")
    if reason := BUILTINS["alphabeta"].refusal(position.game.name, position.game.variant):
        raise UserError(f"the analysis searches with alphabeta, and {reason}")
    return position, notes


def _of_run(path: Path, game: str, ply: int | None) -> tuple[Position, str]:
    """The position after `ply` moves of a recorded game; without, the last with a choice."""
    record = recorded_game(path, game)[1]
    seen = positions(record)
    if ply is None:
        ply = max((at for at, each in enumerate(seen) if len(each.legal_moves()) > 1), default=0)
    if ply >= len(seen):
        raise UserError(f"--ply {ply}: game {record.game} has {len(record.moves)} moves")
    names = ", ".join(seat.player for seat in record.seats)
    note = f"{path} {record.game} ({names}), after {ply} of {len(record.moves)} moves"
    return seen[ply], note


def run_path(name: str) -> Path:
    """The file of a run. Raises UserError for what may be a rule set's name, misspelt."""
    path = Path(name)
    if not path.exists() and path.suffix != ".sqlite":
        known, hint = ", ".join(rules.names()), nearest(name, rules.names()) or nearest_run(path)
        raise UserError(f"{name} is neither a rule set ({known}) nor a run's file{hint}")
    return path


def read_text(typed: str) -> Written:
    """The text as given, or that of the file @NAME, or of stdin for -."""
    file = typed.removeprefix("@")
    try:
        if typed == "-":
            return Written(sys.stdin.read())
        if typed == "@":
            raise UserError("@ must be followed by the name of a file, such as @position.txt")
        if typed.startswith("@"):
            return Written(Path(file).read_text("utf-8"), file)
    except OSError as error:
        raise UserError(f"{file}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UserError(f"{'stdin' if typed == '-' else file}: not UTF-8 text") from None
    return Written(typed)


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
        state = json_text.parse(text)
    except json.JSONDecodeError as error:
        found = f"character {error.pos + 1}: {error.msg}"
        raise UserError(f"the position is read as JSON: {found}") from None
    except ValueError as error:
        raise UserError(f"the position is read as JSON: {error}") from None
    try:
        return game.position(state)
    except ValueError as error:
        raise UserError(f"the position is not a state of {game.name}: {error}") from None


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
            f"not {shown(rest) if rest else 'nothing'}"
        )
    start = "".join(game.start().state()["board"])
    pairs = zip(cells, start, strict=True)
    board = "".join("#" if (cell, first) == (".", "#") else cell for cell, first in pairs)
    rows = [board[at : at + size] for at in range(0, size * size, size)]
    try:
        return game.position({"board": rows, "to_move": int(_DISCS[rest] == "O")})
    except ValueError as error:
        raise UserError(f"the board is not a position of {game.name}: {error}") from None


def analyse(position: Position, seconds: float) -> Analysis:
    """The value of each move, found in about `seconds`."""
    from players.search.analysis import analyse

    game = position.game
    warm_kernels([game.name], ["analysis"])
    return apart(lambda: analyse(game.name, game.variant, position.state(), seconds))


def show(position: Position, analysis: Analysis, console: Console) -> None:
    """A line for each move of `position`, best first."""
    seat = position.to_move or 0  # as the game is not over
    mover = mark(position.game, seat).strip() or f"seat {seat}"
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("move", style="bold", no_wrap=True)
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("known", no_wrap=True)
    table.add_column("principal variation")
    for each in analysis.moves:
        value, known = f"{each.score:+.2f}", f"depth {each.depth}"
        if each.exact:
            value, known = f"{each.score:+.0f}", "exact"
        table.add_row(each.move, value, known, Text(" ".join(each.pv)))
    console.print(table)
    searched = f", {analysis.nodes:,} positions searched" if analysis.nodes else ""
    legend = (
        f"value: the margin in {position.game.unit} that {mover} ends with after the move, by best "
        f"play\n{analysis.seconds:.1f} s{searched}"
    )
    console.print(Text(legend, style="dim"), soft_wrap=True)


def dumps(position: Position, analysis: Analysis) -> str:
    """The position and its moves, best first, as one JSON object."""
    document = {
        "rules": position.game.name,
        "variant": position.game.variant,
        "state": position.state(),
        "moves": [each._asdict() for each in analysis.moves],
        "nodes": analysis.nodes,
        "seconds": analysis.seconds,
    }
    return json.dumps(document, indent=2) + "\n"
