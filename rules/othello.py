"""Othello, standard and cornerless, on even boards of 4×4 to 16×16.

Black (X, seat 0) moves first. A move puts a disc on an empty square and turns every line of the
opponent's discs it brackets. A player without a move passes; the game ends when neither can move;
scores are discs. The cornerless variant has an empty start, corners out of play, and every empty
square of the central (n−2)×(n−2) playable whether or not it brackets anything.

A board of size n is one integer a colour. Square (row, column) is bit row·(n+1) + column: no line
of discs runs around an edge, as the spare column between rows is never occupied.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

from rules.position import (
    PASS,
    PASSES,
    Game,
    IllegalMove,
    MalformedMove,
    Position,
    draw_grid,
    rows_of,
    select,
    settings_text,
    square_name,
    square_symmetries,
    symbols,
)
from rules.settings import flag, one_of, only_known, required, seat_or_null, text_rows, whole

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "standard": {"start": "centre", "corners": True, "free_centre": False},
    "cornerless": {"start": "empty", "corners": False, "free_centre": True},
}
OPTIONS = ("preset", "size", "start", "corners", "free_centre")

_SYMBOLS = str.maketrans("0123", ".XO#")


def load(**settings: Any) -> Othello:
    """The game with settings as `rules.load` lists them. ValueError: an unknown option or value, or
    rules under which no player could ever move.
    """
    only_known("othello", settings, OPTIONS)
    preset = one_of("preset", settings.get("preset", "standard"), PRESETS)
    chosen = {**PRESETS[preset], **settings}
    size = whole("size", chosen.get("size", 8), 4, 16)
    if size % 2:
        raise ValueError(f"size must be even, from 4 to 16, not {size}")
    setup = one_of("start", chosen["start"], ("centre", "empty"))
    corners = flag("corners", chosen["corners"])
    free_centre = flag("free_centre", chosen["free_centre"])
    if setup == "empty" and not free_centre:
        raise ValueError('start = "empty" needs free_centre = true, or no player could ever move')
    return Othello(size, setup, corners, free_centre)


@dataclass(frozen=True)
class Othello(Game):
    """The rule set and the masks of its board."""

    name = "othello"
    seats = 2
    unit = "discs"
    marks = "XO"
    move_pattern = rf"{'|'.join(PASSES)}|[a-z]\d+"
    move_gap = ""
    check_boards = MappingProxyType({"othello": {}, "othello cornerless": {"preset": "cornerless"}})
    landmarks: ClassVar = {
        "after the other's forced pass": lambda at, before, again: before == PASS
    }

    size: int
    """Rows, and columns."""
    setup: str
    """"centre": four discs at the start; "empty": none."""
    corners: bool
    """Whether corners may be played. If not, they stop a line like an edge."""
    free_centre: bool
    """Whether every empty square of the central (n−2)×(n−2) is playable."""

    @property
    def variant(self) -> dict[str, Any]:
        return {
            "size": self.size,
            "start": self.setup,
            "corners": self.corners,
            "free_centre": self.free_centre,
        }

    @property
    def title(self) -> str:
        """As `Othello`, `cornerless Othello 6×6`; with its settings where no preset has them."""
        board = "" if self.size == 8 else f" {self.size}×{self.size}"
        for preset in PRESETS:
            if self == load(preset=preset, size=self.size):
                return f"{'' if preset == 'standard' else f'{preset} '}Othello{board}"
        return f"Othello ({settings_text(self.variant)})"

    @property
    def typical_plies(self) -> int:
        """A square each; a game has at most a few plies less or, with passes, more."""
        corners = 0 if self.corners else 4
        return self.size**2 - corners - (4 if self.setup == "centre" else 0)

    def start(self, seed: int | None = None) -> OthelloPosition:
        """Empty, or with four discs in the centre: white on its main diagonal (d4, e5)."""
        if self.setup == "empty":
            return settle(self, 0, 0, 0)
        low, high = self.size // 2 - 1, self.size // 2
        black = self.squares[square_name(low, high)] | self.squares[square_name(high, low)]
        white = self.squares[square_name(low, low)] | self.squares[square_name(high, high)]
        return settle(self, black, white, 0)

    def position(self, state: Mapping[str, Any]) -> OthelloPosition:
        """The position of `{"board": [rows of X O . #], "to_move": 0, 1 or null}`."""
        cells = text_rows("board", required(state, "board"), self.size, self.size, "XO.#")
        discs = {"X": 0, "O": 0}
        for cell, (name, bit) in zip(cells, self.squares.items(), strict=True):
            if (cell == "#") == bool(bit & self.playable):
                expected = "one of X O ." if cell == "#" else "'#': it is not playable"
                raise ValueError(f"board: {name} is {cell!r}, but must be {expected}")
            if cell in discs:
                discs[cell] |= bit
        seat = seat_or_null(state, (0, 1))
        position = settle(self, discs["X"], discs["O"], seat or 0)
        if seat is None and not position.is_over:
            raise ValueError("to_move is null, but the game is not over: it must be 0 or 1")
        return position

    @cached_property
    def symmetries(self) -> tuple[Mapping[str, str], ...]:
        """All seven of an empty start, three of the four discs in the centre."""
        start = self.start()
        centre = [name for name, bit in self.squares.items() if bit & (start.black | start.white)]
        black = {name for name in centre if self.squares[name] & start.black}
        return tuple(
            goes_to
            for goes_to in square_symmetries(self.size, self.size)
            if {goes_to[name] for name in black} == black
        )

    @property
    def stride(self) -> int:
        """The distance between a square's bit and that of the square below."""
        return self.size + 1

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The square of each bit; "" for the bits of the spare column."""
        return tuple(
            square_name(row, column) if column < self.size else ""
            for row in range(self.size)
            for column in range(self.stride)
        )

    @cached_property
    def squares(self) -> dict[str, int]:
        """The mask of each square of the board, corners included."""
        return {name: 1 << index for index, name in enumerate(self.names) if name}

    @cached_property
    def blocked(self) -> int:
        """The squares of the board that are out of play."""
        ends = () if self.corners else (0, self.size - 1)
        return sum(self.squares[square_name(row, column)] for row in ends for column in ends)

    @cached_property
    def playable(self) -> int:
        """The squares that are in play."""
        return sum(self.squares.values()) - self.blocked

    @cached_property
    def free(self) -> int:
        """The squares that are legal whenever they are empty."""
        if not self.free_centre:
            return 0
        inner = range(1, self.size - 1)
        return sum(self.squares[square_name(row, column)] for row in inner for column in inner)

    @cached_property
    def shifts(self) -> tuple[int, ...]:
        """How far a bit moves for one step east, south-west, south and south-east."""
        return (1, self.stride - 1, self.stride, self.stride + 1)

    def mobility(self, own: int, opponent: int) -> int:
        """The mask of squares where the owner of `own` may place a disc."""
        bracketing = 0
        for shift in self.shifts:
            line = (own << shift) & opponent
            while line:
                line <<= shift
                bracketing |= line
                line &= opponent
            line = (own >> shift) & opponent
            while line:
                line >>= shift
                bracketing |= line
                line &= opponent
        return (bracketing | self.free) & self.playable & ~(own | opponent)

    def flips(self, placed: int, own: int, opponent: int) -> int:
        """The mask of discs turned by a disc on the single bit `placed`."""
        turned = 0
        for shift in self.shifts:
            line, step = 0, (placed << shift) & opponent
            while step:
                line |= step
                step <<= shift
                if step & own:
                    turned |= line
                step &= opponent
            line, step = 0, (placed >> shift) & opponent
            while step:
                line |= step
                step >>= shift
                if step & own:
                    turned |= line
                step &= opponent
        return turned


@dataclass(frozen=True)
class OthelloPosition(Position):
    """The discs of both colours and who moves. Build it by `settle`."""

    game: Othello
    black: int
    white: int
    to_move: int | None
    mobility: int = field(compare=False, repr=False)
    """The squares `to_move` may play; 0 when it must pass or the game is over."""

    @property
    def must_pass(self) -> bool:
        return not self.mobility and self.to_move is not None

    def legal_moves(self) -> tuple[str, ...]:
        if self.mobility:
            return select(self.game.names, self.mobility)
        return () if self.to_move is None else (PASS,)

    def play(self, move: str) -> OthelloPosition:
        placed = self.game.squares.get(move, 0)
        if not placed & self.mobility:
            if move == PASS and not self.mobility and self.to_move is not None:
                return settle(self.game, self.black, self.white, 1 - self.to_move)
            raise self._refusal(move)
        if self.to_move == 0:
            turned = self.game.flips(placed, self.black, self.white)
            return settle(self.game, self.black | placed | turned, self.white ^ turned, 1)
        turned = self.game.flips(placed, self.white, self.black)
        return settle(self.game, self.black ^ turned, self.white | placed | turned, 0)

    def scores(self) -> tuple[int, ...]:
        return self.black.bit_count(), self.white.bit_count()

    def state(self) -> dict[str, Any]:
        return {"board": self._rows(), "to_move": self.to_move}

    def __str__(self) -> str:
        black, white = self.scores()
        turn = "game over" if self.to_move is None else f"{'XO'[self.to_move]} to move"
        return f"{draw_grid(self._rows())}\n{turn}, X {black} O {white}"

    def _rows(self) -> list[str]:
        size, stride, blocked = self.game.size, self.game.stride, self.game.blocked
        text = symbols(self.black | blocked, self.white | blocked, size * stride, _SYMBOLS)
        return [row[:size] for row in rows_of(text, stride)]

    def _refusal(self, move: str) -> MalformedMove | IllegalMove:
        last = square_name(self.game.size - 1, self.game.size - 1)
        if move == PASS:
            reason = "the game is over" if self.is_over else "a player who can move must not pass"
        elif move not in self.game.squares:
            due = ", and the player must pass" if not (self.mobility or self.is_over) else ""
            return MalformedMove(f"{move!r} is not a square of the board, a1 to {last}{due}")
        elif self.is_over:
            reason = "the game is over"
        elif self.game.squares[move] & ~self.game.playable:
            reason = "corners are not playable in this variant"
        elif self.game.squares[move] & (self.black | self.white):
            reason = "the square is taken"
        elif not self.mobility:
            reason = "the player has no move and must pass"
        else:
            reason = "it turns no disc"
        return IllegalMove(f"{move!r} is illegal: {reason}")


def settle(game: Othello, black: int, white: int, seat: int) -> OthelloPosition:
    """The position of these discs with `seat` to move, or over when neither seat can."""
    discs = (black, white)
    mobility = game.mobility(discs[seat], discs[1 - seat])
    over = not mobility and not game.mobility(discs[1 - seat], discs[seat])
    return OthelloPosition(game, black, white, None if over else seat, mobility)
