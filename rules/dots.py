"""Dots and boxes on 1×1 to 15×15 boxes.

Players draw one edge a move. The player that draws the last side of a box owns it and moves again,
also when one edge closes two. The game ends when every edge is drawn; scores are boxes.

Edges are numbered row by row, all horizontal ones first, and so are boxes; the edges drawn
are one integer, bit i for edge i, and the boxes of each seat another.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

from rules.position import (
    Game,
    IllegalMove,
    MalformedMove,
    Position,
    bits_of,
    rows_of,
    select,
    share_of_plies,
    square_name,
    square_symmetries,
    symbols,
)
from rules.settings import flag, int_rows, only_known, required, seat_or_null, text_rows, whole

OPTIONS = ("rows", "cols", "stop_at_majority")

_OWNERS = str.maketrans("012", ".01")


def load(**settings: Any) -> Dots:
    """The game with settings as `rules.load` lists them. ValueError: an unknown option or value."""
    only_known("dots", settings, OPTIONS)
    return Dots(
        whole("rows", settings.get("rows", 5), 1, 15),
        whole("cols", settings.get("cols", 5), 1, 15),
        flag("stop_at_majority", settings.get("stop_at_majority", False)),
    )


class _StateJson:
    """Writes the edges and owners of states as JSON. The text of the last position is kept: a move
    changes the digit of an edge, and the letters of the boxes that it closes.
    """

    def __init__(self, game: Dots) -> None:
        start, size = game.start().state(), f'{{"rows":{game.rows},"cols":{game.cols},'
        known = {key: start[key] for key in ("horizontal", "vertical", "owners")}
        text = size + json.dumps(known, separators=(",", ":"))[1:-1]
        edges, boxes = (
            [at for at in range(len(size), len(text)) if text[at] == sign] for sign in "0."
        )
        self._empty = text.encode()
        marks = [(at, b"1") for at in edges] + [(at, seat) for seat in (b"0", b"1") for at in boxes]
        self._marks = [(0, 0, b""), *((1 << bit, *mark) for bit, mark in enumerate(marks))]
        self._first, self._second = len(edges), len(edges) + len(boxes)
        self._last = 0, self._empty

    def of(self, edges: int, owners: tuple[int, int]) -> bytes:
        """The beginning of the state with these edges and boxes."""
        marked = edges | owners[0] << self._first | owners[1] << self._second
        before, text = self._last
        if before & ~marked:
            before, text = 0, self._empty
        new = marked ^ before
        while new:
            bit, at, sign = self._marks[new.bit_length()]
            text = text[:at] + sign + text[at + 1 :]
            new ^= bit
        self._last = marked, text
        return text


class _OpenEdges:
    """Names the edges that can be drawn. Those of the last position are kept: the next has one
    less.
    """

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names
        self._last: tuple[int, tuple[str, ...]] = 0, ()

    def of(self, mask: int) -> tuple[str, ...]:
        """The names of these edges, in order."""
        before, names = self._last
        gone = before & ~mask
        if mask | gone != before or gone & gone - 1:
            names = select(self._names, mask)
        elif gone:
            at = (before & gone - 1).bit_count()
            names = names[:at] + names[at + 1 :]
        self._last = mask, names
        return names


@dataclass(frozen=True)
class Dots(Game):
    """The rule set and the tables of its board."""

    name = "dots"
    seats = 2
    quiet_openings = True
    unit = "boxes"
    move_pattern = r"[a-z]\d+[a-z]\d+"
    check_boards = MappingProxyType({"dots 5×5": {}, "dots 3×3": {"rows": 3, "cols": 3}})
    landmarks: ClassVar = {
        "boxes to take": lambda at, before, again: len(at.scoring_moves()) > 1,
        "a second move in a row": lambda at, before, again: again,
    }

    rows: int
    """Rows of boxes; there is one more row of dots."""
    cols: int
    """Columns of boxes; there is one more column of dots."""
    stop_at_majority: bool
    """Whether the game ends as soon as a seat owns more than half of the boxes."""

    @property
    def variant(self) -> dict[str, Any]:
        return {"rows": self.rows, "cols": self.cols, "stop_at_majority": self.stop_at_majority}

    @property
    def title(self) -> str:
        """As `dots and boxes 5×5`."""
        return f"dots and boxes {self.rows}×{self.cols}"

    @property
    def typical_plies(self) -> int:
        """Every edge."""
        return len(self.names)

    @property
    def opening_plies(self) -> int:
        """A tenth of the game: safe moves are few."""
        return share_of_plies(self.typical_plies, 10)

    def start(self, seed: int | None = None) -> DotsPosition:
        return DotsPosition(self, 0, (0, 0), 0)

    def position(self, state: Mapping[str, Any]) -> DotsPosition:
        """The position of `{"rows", "cols", "horizontal", "vertical", "owners", "score",
        "to_move"}`: edges as 0 and 1, owners as strings of `.`, `0` and `1` a row of boxes.
        """
        for key, value in (("rows", self.rows), ("cols", self.cols)):
            if whole(key, required(state, key), 1, 15) != value:
                raise ValueError(f"{key} is {state[key]}, but this game has {value}")
        edges = self._edges(state)
        owners = self._owners(state, edges)
        score = required(state, "score")
        boxes = [owner.bit_count() for owner in owners]
        if not isinstance(score, list | tuple) or list(score) != boxes:
            raise ValueError(f"score must be {boxes}, the boxes in owners, not {score!r}")
        seat = seat_or_null(state, (0, 1))
        if self.is_final(edges, owners):
            seat = None
        elif seat is None:
            raise ValueError("to_move is null, but the game is not over: it must be 0 or 1")
        return DotsPosition(self, edges, owners, seat)

    def is_final(self, edges: int, owners: tuple[int, int]) -> bool:
        """Whether the game is over with these edges drawn and these boxes owned."""
        if edges == self.all_edges:
            return True
        most = max(owners[0].bit_count(), owners[1].bit_count())
        return self.stop_at_majority and 2 * most > self.rows * self.cols

    @cached_property
    def symmetries(self) -> tuple[Mapping[str, str], ...]:
        """Seven of a square board, three of others."""
        return tuple(map(self._edges_by, square_symmetries(self.rows + 1, self.cols + 1)))

    def _edges_by(self, goes_to: Mapping[str, str]) -> dict[str, str]:
        """Where each edge goes, by where each dot does."""
        dots = {name: re.findall(r"[a-z]\d+", name) for name in self.names}
        pairs = ((name, *map(goes_to.__getitem__, ends)) for name, ends in dots.items())
        return {
            name: one + two if one + two in self.edges else two + one for name, one, two in pairs
        }

    @cached_property
    def horizontals(self) -> int:
        """How many edges are horizontal."""
        return (self.rows + 1) * self.cols

    @cached_property
    def all_edges(self) -> int:
        """The mask of every edge."""
        return (1 << (self.horizontals + self.rows * (self.cols + 1))) - 1

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The move that draws each edge: its two dots, the left or upper one first."""
        across = (
            square_name(row, column) + square_name(row, column + 1)
            for row in range(self.rows + 1)
            for column in range(self.cols)
        )
        down = (
            square_name(row, column) + square_name(row + 1, column)
            for row in range(self.rows)
            for column in range(self.cols + 1)
        )
        return (*across, *down)

    @cached_property
    def sides(self) -> tuple[int, ...]:
        """The mask of the four edges around each box."""
        return tuple(
            1 << row * self.cols + column
            | 1 << (row + 1) * self.cols + column
            | 0b11 << self.horizontals + row * (self.cols + 1) + column
            for row in range(self.rows)
            for column in range(self.cols)
        )

    @cached_property
    def edges(self) -> dict[str, tuple[int, tuple[tuple[int, int], ...]]]:
        """For each move the bit of its edge and, for the one or two boxes next to it, the mask
        of the box's sides and the bit of the box.
        """
        return {
            name: (
                1 << edge,
                tuple((side, 1 << box) for box, side in enumerate(self.sides) if side >> edge & 1),
            )
            for edge, name in enumerate(self.names)
        }

    @cached_property
    def open_edges(self) -> _OpenEdges:
        """Names the edges that are not drawn."""
        return _OpenEdges(self.names)

    @cached_property
    def json_writer(self) -> _StateJson:
        return _StateJson(self)

    def _edges(self, state: Mapping[str, Any]) -> int:
        across = int_rows("horizontal", required(state, "horizontal"), self.rows + 1, self.cols)
        every = across + int_rows("vertical", required(state, "vertical"), self.rows, self.cols + 1)
        for name, drawn in zip(self.names, every, strict=True):
            if drawn not in (0, 1):
                raise ValueError(f"edge {name} is {drawn}, but must be 0 (open) or 1 (drawn)")
        return sum(drawn << edge for edge, drawn in enumerate(every))

    def _owners(self, state: Mapping[str, Any], edges: int) -> tuple[int, int]:
        owners = text_rows("owners", required(state, "owners"), self.rows, self.cols, ".01")
        for box, (owner, sides) in enumerate(zip(owners, self.sides, strict=True)):
            if (owner != ".") != (edges & sides == sides):
                found = "without an owner, but all" if owner == "." else "owned, but not all"
                dot = square_name(*divmod(box, self.cols))
                raise ValueError(
                    f"owners: the box below and right of dot {dot} is {found} its sides are drawn"
                )
        first, second = (
            sum(1 << box for box, owner in enumerate(owners) if owner == seat) for seat in "01"
        )
        return first, second


@dataclass(frozen=True)
class DotsPosition(Position):
    """The edges drawn, the boxes of each seat, and who moves."""

    game: Dots
    edges: int
    """The mask of drawn edges."""
    owners: tuple[int, int]
    """The mask of each seat's boxes."""
    to_move: int | None

    @property
    def is_adjudicated(self) -> bool:
        return self.to_move is None and self.edges != self.game.all_edges

    must_pass = False

    def legal_moves(self) -> tuple[str, ...]:
        if self.to_move is None:
            return ()
        return self.game.open_edges.of(self.game.all_edges ^ self.edges)

    def play(self, move: str) -> DotsPosition:
        edge, boxes = self.game.edges.get(move, (0, ()))
        seat = self.to_move
        if seat is None or not edge or edge & self.edges:
            raise self._refusal(move)
        edges = self.edges | edge
        closed = 0
        for sides, box in boxes:
            if edges & sides == sides:
                closed |= box
        if not closed:
            return DotsPosition(self.game, edges, self.owners, 1 - seat)
        first, second = self.owners
        owners = (first | closed, second) if seat == 0 else (first, second | closed)
        over = self.game.is_final(edges, owners)
        return DotsPosition(self.game, edges, owners, None if over else seat)

    def scores(self) -> tuple[int, ...]:
        return self.owners[0].bit_count(), self.owners[1].bit_count()

    def state(self) -> dict[str, Any]:
        game = self.game
        # The extra top bit makes the string of bits complete when high edges are open.
        drawn = list(bits_of(self.edges | game.all_edges + 1))
        return {
            "rows": game.rows,
            "cols": game.cols,
            "horizontal": rows_of(drawn[: game.horizontals], game.cols),
            "vertical": rows_of(drawn[game.horizontals : -1], game.cols + 1),
            "owners": rows_of(symbols(*self.owners, len(game.sides), _OWNERS), game.cols),
            "score": list(self.scores()),
            "to_move": self.to_move,
        }

    def state_json(self) -> bytes:
        known = self.game.json_writer.of(self.edges, self.owners)
        mover = b"null" if self.to_move is None else b"%d" % self.to_move
        first, second = self.owners
        score = b"%d,%d" % (first.bit_count(), second.bit_count())
        return b'%b,"score":[%b],"to_move":%b}' % (known, score, mover)

    def __str__(self) -> str:
        state = self.state()
        margin = len(str(self.game.rows + 1))
        letters = (square_name(0, column)[0] for column in range(self.game.cols + 1))
        lines = [" " * (margin + 1) + "   ".join(letters)]
        for row, across in enumerate(state["horizontal"]):
            edges = "".join(("---" if drawn else "   ") + "+" for drawn in across)
            lines.append(f"{str(row + 1).rjust(margin)} +{edges}")
            if row < self.game.rows:
                owners = f"{state['owners'][row]} ".replace(".", " ")
                cells = zip(state["vertical"][row], owners, strict=True)
                inside = "".join(f"{'|' if drawn else ' '} {owner} " for drawn, owner in cells)
                lines.append(" " * (margin + 1) + inside)
        turn = "game over" if self.to_move is None else f"seat {self.to_move} to move"
        lines.append(f"{turn}, boxes {state['score'][0]}-{state['score'][1]}")
        return "\n".join(line.rstrip() for line in lines)

    def _refusal(self, move: str) -> MalformedMove | IllegalMove:
        if move in self.game.edges:
            reason = "the game is over" if self.is_over else "the edge is already drawn"
            return IllegalMove(f"{move!r} is illegal: {reason}")
        reverse = re.sub(r"^([a-z]\d+)([a-z]\d+)$", r"\2\1", move)
        if reverse in self.game.edges:
            return MalformedMove(f"{move!r} names its dots in the wrong order: it is {reverse!r}")
        last = square_name(self.game.rows, self.game.cols)
        return MalformedMove(
            f"{move!r} is not an edge: expected two neighbouring dots between a1 and {last}, "
            "the left or upper one first, such as 'a1b1'"
        )
