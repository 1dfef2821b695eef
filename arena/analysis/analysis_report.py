"""What each move of a position is worth: on the terminal, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Protocol

from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.reports.replay import mark
from rules.position import Position


class MoveValue(Protocol):
    """One legal move, as an analysis found it."""

    @property
    def move(self) -> str:
        """As the rules write it."""

    @property
    def score(self) -> float:
        """The margin the mover will end with, in discs or boxes."""

    @property
    def exact(self) -> bool:
        """Whether the score is certain, not an estimate."""

    @property
    def depth(self) -> int:
        """Moves looked ahead, this one included."""

    @property
    def pv(self) -> list[str]:
        """The principal variation, this move first."""


class Analysis(Protocol):
    """What was found out about a position."""

    @property
    def moves(self) -> Sequence[MoveValue]:
        """Every legal move, best first."""

    @property
    def nodes(self) -> int:
        """Positions searched; those of an exact endgame are not counted."""

    @property
    def seconds(self) -> float:
        """The time it took."""


def show(position: Position, analysis: Analysis, console: Console) -> None:
    """A line for each move of `position`, best first."""
    seat = position.to_move
    mover = mark(position.game, seat).strip() if seat is not None else ""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("move", style="bold", no_wrap=True)
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("known", no_wrap=True)
    table.add_column("principal variation")
    for each in analysis.moves:
        value = f"{each.score:+.0f}" if each.exact else f"{each.score:+.2f}"
        known = "exact" if each.exact else f"depth {each.depth}"
        table.add_row(each.move, value, known, Text(" ".join(each.pv)))
    console.print(table)
    unit = position.game.unit
    searched = f", {analysis.nodes:,} positions searched" if analysis.nodes else ""
    console.print(
        Text(
            f"value: the margin in {unit} that {mover or f'seat {seat}'} ends with after the move, "
            f"by best play\n{analysis.seconds:.1f} s{searched}",
            style="dim",
        ),
        soft_wrap=True,
    )


def dumps(position: Position, analysis: Analysis) -> str:
    """The position and its moves, best first, as one JSON object."""
    moves = [
        {
            "move": each.move,
            "score": each.score,
            "exact": each.exact,
            "depth": each.depth,
            "pv": list(each.pv),
        }
        for each in analysis.moves
    ]
    document = {
        "rules": position.game.name,
        "variant": position.game.variant,
        "state": position.state(),
        "moves": moves,
        "nodes": analysis.nodes,
        "seconds": analysis.seconds,
    }
    return json.dumps(document, indent=2) + "\n"
