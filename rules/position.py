"""The interface of every game, the errors of its moves, and what the games share.

A `Game` is a rule set with its settings; a `Position` is a frozen value in it. Moves are
strings. Seats count from 0; chance is seat −1.

Errors:

    ValueError
    ├── MoveError            a move that cannot be played; the message names it
    │   ├── MalformedMove    the text names no move of this game
    │   └── IllegalMove      a move of this game, but not allowed in this position
    └── (plain)              an unknown game, setting or value; a state that is no position
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import compress, product
from random import Random
from string import ascii_lowercase
from typing import Any, ClassVar, TypeVar

CHANCE = -1
"""The seat of chance."""

PASS = "pass"
"""The move of a player who has no other."""

PASSES = (PASS, "ps", "pa", "--")
"""How records of Othello write it."""

Cells = TypeVar("Cells", str, list[int])
_SET_BITS = bytes.maketrans(b"01", b"\x00\x01")


class MoveError(ValueError):
    """A move that cannot be played. The message names the move and the reason."""


class MalformedMove(MoveError):
    """The text names no move of this game, in any position."""


class IllegalMove(MoveError):
    """A move of this game that the position does not allow."""


class Position(ABC):
    """A position: frozen, equal and hashed by value. `str` draws it for a terminal."""

    game: Game
    """The rule set it belongs to."""
    to_move: int | None
    """The seat that moves; −1 when chance does, None when the game is over."""

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.to_move is None

    @property
    def must_pass(self) -> bool:
        """Whether a pass is the only legal move."""
        return self.legal_moves() == (PASS,)

    @property
    def is_adjudicated(self) -> bool:
        """Whether a tournament option ended the game although moves remain."""
        return False

    @abstractmethod
    def legal_moves(self) -> tuple[str, ...]:
        """Every legal move, also of chance, in a fixed order; `("pass",)` when a pass is forced,
        `()` only when the game is over. A move is a word in lower case.
        """

    @abstractmethod
    def play(self, move: str) -> Position:
        """The position after `move`, by the seat to move. Raises MalformedMove or IllegalMove."""

    def chance(self) -> tuple[tuple[str, float], ...]:
        """`(move, probability)` of each move of chance; `()` when chance is not to move."""
        return ()

    @abstractmethod
    def scores(self) -> tuple[int, ...]:
        """The score of each seat so far: discs, boxes, the slider's score."""

    def scoring_moves(self) -> tuple[str, ...]:
        """The legal moves that change a score at once."""
        scores = self.scores()
        return tuple(move for move in self.legal_moves() if self.play(move).scores() != scores)

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """The position as players receive it, ready for JSON; a new dict at each call."""

    def state_json(self) -> bytes | None:
        """`state` as compact JSON, where a game has a quicker way to it; None elsewhere."""
        return None


Landmark = Callable[[Position, str | None, bool], bool]
"""A question about a position, the move that led to it (None at the start), and whether the seat to
move made that move."""


class Game(ABC):
    """A rule set with all its settings: frozen, equal and hashed by value.

    The class attributes and the last properties are its traits, each with a default.
    """

    decided_by_seed: ClassVar[bool] = False
    """Whether one game decides nothing between players, who are compared on the same seeds."""
    is_endless: ClassVar[bool] = False
    """Whether a game goes on as long as it is played well: `typical_plies` is no bound then."""
    quiet_openings: ClassVar[bool] = False
    """Whether no position of a random opening may leave a move that scores."""
    unit: ClassVar[str] = "points"
    """The unit of scores: discs, boxes."""
    marks: ClassVar[Sequence[str]] = ()
    """The mark of each seat's pieces in a drawing; empty where seats have none."""
    move_pattern: ClassVar[str] = r"[^\s,]+"
    """The regular expression of one move of a transcript, in lower case."""
    move_gap: ClassVar[str] = " "
    """The text between two moves of a transcript."""
    landmarks: ClassVar[Mapping[str, Landmark]] = {}
    """Kinds of positions of this game that programs stumble over: `arena check` asks for a move in
    the first ones of each kind."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The rule set, such as othello."""

    @property
    @abstractmethod
    def seats(self) -> int:
        """How many players it takes; chance is not counted."""

    @property
    @abstractmethod
    def variant(self) -> dict[str, Any]:
        """The complete settings; `load(game.name, **game.variant)` gives an equal game."""

    @abstractmethod
    def start(self, seed: int | None = None) -> Position:
        """The first position, the same for every `seed` unless games are `decided_by_seed`: then
        the seed draws what chance places before the game, None at random.
        """

    @abstractmethod
    def position(self, state: Mapping[str, Any]) -> Position:
        """The position that `state` describes, the inverse of `Position.state`. Further keys are
        ignored. `to_move` may be null only when the game is over, and is taken as null when it is.

        Raises ValueError naming the key, what was found and what is expected.
        """

    @property
    def title(self) -> str:
        """The game in words, as `cornerless Othello 6×6`."""
        settings = settings_text(self.variant)
        return f"{self.name} ({settings})" if settings else self.name

    @property
    def typical_plies(self) -> int:
        """How many plies a game has, about."""
        return 60

    @property
    def opening_plies(self) -> int:
        """How many plies of a random opening suit the game; 0 for none."""
        return share_of_plies(self.typical_plies, 7)

    @property
    def symmetries(self) -> Sequence[Mapping[str, str]]:
        """How moves are renamed by each turn and reflection of the board that keeps the start as it
        is, without the identity; moves that stay are left out. () where none is known.
        """
        return ()

    @property
    def check_boards(self) -> Mapping[str, Mapping[str, Any]]:
        """The settings that any program for this rule set must play, by a name for each."""
        return {self.name: {}}


def settings_text(variant: Mapping[str, Any]) -> str:
    """Settings with the values as a file has them: `size 8, corners false`."""
    values = (str(each).lower() if isinstance(each, bool) else each for each in variant.values())
    return ", ".join(f"{key} {value}" for key, value in zip(variant, values, strict=True))


def share_of_plies(plies: int, parts: int) -> int:
    """One of that many `parts` of a game's plies: even, from 2 to 8; 0 of 8 plies and fewer."""
    return min(8, max(2, plies // parts // 2 * 2)) if plies > 8 else 0


def draw_chance(position: Position, rng: Random) -> str:
    """One move of chance, drawn with its probability by a single `rng` draw."""
    moves, weights = zip(*position.chance(), strict=True)
    return str(rng.choices(moves, weights)[0])


def random_move(position: Position, rng: Random) -> str:
    """A legal move: of chance with its probability, of a player each as likely as the others."""
    by_chance = position.to_move == CHANCE
    return draw_chance(position, rng) if by_chance else rng.choice(position.legal_moves())


def forced_move(position: Position, rng: Random) -> str | None:
    """The move of chance, or the only one, a pass; None where a player chooses."""
    if position.to_move == CHANCE:
        return draw_chance(position, rng)
    return PASS if position.must_pass else None


# Squares and bit masks


def square_name(row: int, column: int) -> str:
    """`a1` for row 0, column 0: the letter is the column, the number the row from the top."""
    return f"{ascii_lowercase[column]}{row + 1}"


def square_symmetries(rows: int, columns: int) -> Iterator[dict[str, str]]:
    """Where each square goes by each turn and reflection of a board, without the identity; first
    the three that leave rows rows.
    """
    places = list(product(range(rows), range(columns)))
    names = [square_name(*place) for place in places]
    for turned, upside_down, mirrored in product((False, True), repeat=3):
        if (turned and rows != columns) or not (turned or upside_down or mirrored):
            continue
        ends = (
            (rows - 1 - row if upside_down else row, columns - 1 - column if mirrored else column)
            for row, column in (place[::-1] if turned else place for place in places)
        )
        yield dict(zip(names, (square_name(*end) for end in ends), strict=True))


def bits_of(mask: int) -> bytes:
    """The bits of `mask` as bytes 0 and 1, lowest first, up to its highest set bit."""
    return f"{mask:b}"[::-1].encode().translate(_SET_BITS)


def rows_of(cells: Cells, width: int) -> list[Cells]:
    """Cells row by row, cut into rows of that width."""
    return [cells[at : at + width] for at in range(0, len(cells), width)]


def select(names: Sequence[str], mask: int) -> tuple[str, ...]:
    """The names whose index is a set bit of `mask`, in order."""
    return tuple(compress(names, bits_of(mask)))


def symbols(first: int, second: int, length: int, alphabet: Mapping[int, int]) -> str:
    """One character for each of `length` bits, lowest first. `alphabet` (made by `str.maketrans`)
    translates "0" (in neither mask), "1" (in `first`), "2" (in `second`) and "3" (in both).
    """
    # binary digits read as hexadecimal ones give each bit a digit: one addition merges the masks
    merged = int(f"{first:b}", 16) + 2 * int(f"{second:b}", 16)
    return f"{merged:0{length}x}"[::-1].translate(alphabet)


# Drawing


def draw_grid(rows: Sequence[Sequence[str]]) -> str:
    """Cells under column letters and next to row numbers, all columns equally wide."""
    width = max(len(cell) for row in rows for cell in row)
    margin = len(str(len(rows)))
    lines = []
    for number, row in enumerate((ascii_lowercase[: len(rows[0])], *rows)):
        cells = (str(number or "").rjust(margin), *(cell.rjust(width) for cell in row))
        lines.append(" ".join(cells).rstrip())
    return "\n".join(lines)
