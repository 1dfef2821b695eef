"""Connect four: seven columns; four in a row, in any direction, win."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rules import Game, IllegalMove, MalformedMove, Position, Registration
from rules.position import draw_grid
from rules.settings import required, seat_or_null, text_rows, whole

COLUMNS = "abcdefg"
LINES = ((0, 1), (1, 0), (1, 1), (1, -1))


def load(rows: int = 6) -> Connect4:
    """Connect four with 4 to 6 rows."""
    return Connect4(whole("rows", rows, 4, 6))


@dataclass(frozen=True)
class Connect4(Game):
    """The rule set with its settings."""

    unit = "wins"
    marks = "XO"
    move_pattern = "[a-g]"
    move_gap = ""

    rows: int

    @property
    def name(self) -> str:
        return "connect4"

    @property
    def seats(self) -> int:
        return 2

    @property
    def variant(self) -> dict[str, Any]:
        return {"rows": self.rows}

    @property
    def typical_plies(self) -> int:
        return 4 * self.rows

    def start(self, seed: int | None = None) -> Connect4Position:
        return Connect4Position(self, ("." * len(COLUMNS),) * self.rows, 0)

    def position(self, state: Mapping[str, Any]) -> Connect4Position:
        columns = len(COLUMNS)
        cells = text_rows("board", required(state, "board"), self.rows, columns, ".XO")
        board = tuple(cells[at : at + columns] for at in range(0, len(cells), columns))
        seat = seat_or_null(state, (0, 1))
        position = settled(self, board, seat or 0)
        if seat is None and not position.is_over:
            raise ValueError("to_move is null, but the game is not over: it must be 0 or 1")
        return position


@dataclass(frozen=True)
class Connect4Position(Position):
    """The board, top row first, and who moves."""

    game: Connect4
    board: tuple[str, ...]
    to_move: int | None

    def legal_moves(self) -> tuple[str, ...]:
        if self.to_move is None:
            return ()
        return tuple(name for name, cell in zip(COLUMNS, self.board[0], strict=True) if cell == ".")

    def play(self, move: str) -> Connect4Position:
        if len(move) != 1 or move not in COLUMNS:
            raise MalformedMove(f"{move!r} is not a column from a to g")
        if self.to_move is None or move not in self.legal_moves():
            raise IllegalMove(f"{move!r} is illegal: the game is over or the column is full")
        column = COLUMNS.index(move)
        row = max(row for row, cells in enumerate(self.board) if cells[column] == ".")
        cells = self.board[row]
        dropped = cells[:column] + "XO"[self.to_move] + cells[column + 1 :]
        board = (*self.board[:row], dropped, *self.board[row + 1 :])
        return settled(self.game, board, 1 - self.to_move)

    def scores(self) -> tuple[int, ...]:
        return int(wins(self.board, "X")), int(wins(self.board, "O"))

    def state(self) -> dict[str, Any]:
        return {"board": list(self.board), "to_move": self.to_move}

    def __str__(self) -> str:
        turn = "game over" if self.to_move is None else f"{'XO'[self.to_move]} to move"
        return f"{draw_grid(self.board)}\n{turn}"


def settled(game: Connect4, board: tuple[str, ...], seat: int) -> Connect4Position:
    """The position of a board with `seat` to move, or the end of the game."""
    over = wins(board, "X") or wins(board, "O") or "." not in board[0]
    return Connect4Position(game, board, None if over else seat)


def wins(board: tuple[str, ...], mark: str) -> bool:
    """Whether a player has four in a row."""
    cells = {(r, c) for r, row in enumerate(board) for c, cell in enumerate(row) if cell == mark}
    return any(
        all((row + down * step, column + right * step) in cells for step in range(4))
        for row, column in cells
        for down, right in LINES
    )


REGISTRATION = Registration(load, "connect4.kernels")
