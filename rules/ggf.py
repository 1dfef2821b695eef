"""GGF, the generic game format of the servers of Othello: its text, and how it writes Othello.

A game is `(;GM[Othello]PC[GGS/os]DT[…]PB[ann]PW[bob]RE[+4]TI[15:00]TY[8]BO[8 … *]B[d3//0.01]…;)`:
properties in order, of which B and W are moves with an optional evaluation and time. The board has
`*` for black, `O` for white, `-` for an empty square, and ends with the colour to move.

Source: Michael Buro's description (skatgame.net/mburo/ggsa/ggf) and the games of its server.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rules.othello import Othello
from rules.position import PASS, PASSES, Position

BLACK_WHITE = "BW"
"""The properties of moves, by seat."""
_GAME = re.compile(r"\(;(.*?);\)", re.DOTALL)
_PROPERTY = re.compile(r"\s*([A-Z][A-Za-z]?)\[([^\]]*)\]\s*")
_DISCS = str.maketrans("XO.", "*O-")
_CELLS = str.maketrans("*XxO0o-._", "XXXOOO...")
_CONTROL = re.compile(r"[];\s]")


def write_properties(properties: Iterable[tuple[str, str]]) -> str:
    """A game in one line. What would end a value or a line is written as a blank."""
    clean = (f"{name}[{_CONTROL.sub(' ', value)}]" for name, value in properties)
    return f"(;{''.join(clean)};)"


def split_games(text: str) -> Iterator[str]:
    """The text of each game, from `(;` to before the next one begins."""
    yield from re.findall(r"\(;.*?(?=\(;|\Z)", text, re.DOTALL)


def read_properties(text: str) -> list[tuple[str, str]]:
    """The names and values of the properties of the game that `text` begins with. ValueError where
    it has no end or something else is between them.
    """
    found = _GAME.match(text.strip())
    if found is None:
        raise ValueError("a game of GGF begins with `(;` and ends with `;)`")
    properties, at, inside = [], 0, found[1]
    while at < len(inside):
        one = _PROPERTY.match(inside, at)
        if one is None:
            raise ValueError(f"{inside[at : at + 20]!r} is not a property such as TY[8]")
        properties.append((one[1], one[2].strip()))
        at = one.end()
    return properties


def write_board(position: Position) -> str:
    """The value of BO: the size, the rows and the colour to move."""
    rows = [row.translate(_DISCS) for row in position.state()["board"]]
    return " ".join([str(len(rows)), *rows, "*O"[position.to_move or 0]])


def read_board(value: str) -> Position:
    """The position that the value of BO shows. ValueError where it shows none."""
    size, _, rest = value.strip().partition(" ")
    cells = "".join(rest.split())
    if not size.isdecimal() or not 4 <= int(size) <= 16 or len(cells) != int(size) ** 2 + 1:
        raise ValueError(f"BO[{value}] is not a board: a size, its squares, and the colour to move")
    side = int(size)
    text = cells.translate(_CELLS)
    rows = [text[at : at + side] for at in range(0, side * side, side)]
    game = Othello(side, "centre", corners=True, free_centre=False)
    return game.position({"board": rows, "to_move": "XO".find(text[-1])})


def write_move(move: str, score: float | None = None, seconds: float | None = None) -> str:
    """`F5`, `F5/1.20`, `F5//0.01` or `F5/1.20/0.01`; a pass is `PA`."""
    parts = [
        "PA" if move == PASS else move.upper(),
        "" if score is None else f"{score:.2f}",
        "" if seconds is None else f"{seconds:.2f}",
    ]
    return "/".join(parts).rstrip("/")


class GgfMove(NamedTuple):
    """A move, the mover's evaluation of it, and the seconds that it took."""

    move: str
    score: float | None = None
    seconds: float | None = None


def read_move(value: str) -> GgfMove:
    """A move of `B[…]`, of an NBoard engine or a GUI. ValueError where a figure is none."""
    move, *figures = (part.strip() for part in re.split(r"[/\s]", value.strip()))
    score, seconds = (float(figure) if figure else None for figure in (*figures, "", "")[:2])
    return GgfMove(PASS if move.lower() in PASSES else move.lower(), score, seconds)
