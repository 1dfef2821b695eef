"""Standings, crosstables, games and boards for a cell of a notebook, drawn as on the pages.

Each is a document of its own in a frame that shares nothing with the notebook: what bots are called
and write is text in it, and its only script is ours.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from markupsafe import Markup
from pydantic_core import to_json

from arena.files.plain_text import printable
from arena.reports.html.assets import inlined, script
from arena.reports.html.audience import STAFF, Seen
from arena.reports.html.data import columns, drawing, game_data, run_data
from arena.reports.html.overview import Look
from arena.reports.html.pages import environment, sections
from arena.tournament.run_view import RunView
from rules.position import Position

_ROW_PX, _AROUND_PX = 37, 300
"""The height of a row of a table, and of all else with it."""
_GAME_PX, _BOARD_PX = 760, 380

_DRAWS_BOARD = """
const data = JSON.parse(document.getElementById("data").textContent);
document.getElementById("cell").append(isDrawn(data)
  ? drawingOf(data).draw(replayed(data, data)(data.moves.length), data.moves.at(-1))
  : textBoard(data.text));
"""
_DRAWS_GAME = """
const data = JSON.parse(document.getElementById("data").textContent);
const shown = gamePage(data.run, data.game);
document.getElementById("cell").append(...shown.nodes);
shown.go(data.ply ?? Infinity);
"""


class DrawnTable(dict[str, list[Any]]):
    """A table that a notebook shows as the pages do."""

    def __init__(self, columns: dict[str, list[Any]], html: Callable[[], str]) -> None:
        super().__init__(columns)
        self._repr_html_ = html


class Drawn:
    """A value that a notebook shows as the pages do, and others as text."""

    def __init__(self, text: str, html: Callable[[], str]) -> None:
        self._text = printable(text, keep="\n")
        self._repr_html_ = html

    def __repr__(self) -> str:
        return self._text


def board(start: Position, moves: Sequence[str] = ()) -> Drawn:
    """The board after moves from a position; the last is marked. Raises rules.MoveError."""
    position, seats = start, []
    for move in moves:
        seats.append(position.to_move)
        position = position.play(move)
    data = {
        "drawing": drawing(start.game.name),
        "variant": start.game.variant,
        "start": start.state(),
        "moves": moves,
        "seats": seats,
        "text": str(position),
    }
    code = script("drawings.js") + _DRAWS_BOARD
    return Drawn(str(position), partial(_frame, _BOARD_PX, str(_BOARD_PX), code=code, data=data))


def section(view: RunView, name: str) -> str:
    """The standings or the crosstable, by the name of the pages' section."""
    height = _AROUND_PX + _ROW_PX * len(view.standings.players)
    return _frame(height, main=sections(Look.at(view, STAFF), (name,))[name])


def game(view: RunView, id_: str, ply: int | None) -> str:
    """A game, to be stepped through; first after `ply` moves, by default after all."""
    seen, record = Seen(view.config, STAFF), view.record(id_)
    assert record is not None  # as the caller has found it
    digests = [each for each in view.games if each.game == id_]
    run = run_data(view, STAFF).model_copy(update={"games": columns(digests, seen)})
    data = {"run": run, "game": game_data(record, seen), "ply": ply}
    return _frame(_GAME_PX, code=script("game.js") + _DRAWS_GAME, data=data)


def _frame(
    height: int, width: str = "100%", *, main: str = "", code: str = "", data: Any = None
) -> str:
    """A frame of that height, in pixels, with an element, or with what the code draws of data."""
    document = environment().get_template("cell.html")
    escaped = Markup(to_json(data).decode().replace("<", "\\u003c"))
    page = document.render(main=main, data=escaped, **inlined(code))
    return Markup(
        '<iframe srcdoc="{}" sandbox="allow-scripts" width="{}" height="{}" '
        'style="border: 0" title="arena"></iframe>'
    ).format(page, width, height)
