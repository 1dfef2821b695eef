"""`arena analyse`: what each move of a position is worth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.analysis.positions import read_position, read_text
from arena.errors import UserError
from arena.files.background import apart
from arena.reports.replay import mark
from arena.tournament.run_view import recorded_game
from arena.tournament.warming import warm_kernels
from players.catalogue import BUILTINS
from rules.position import PASS, Game, Position

if TYPE_CHECKING:
    from players.search.analysis import Analysis


class Found(NamedTuple):
    """A position to analyse."""

    position: Position
    """With a move to choose."""
    notes: tuple[str, ...]
    """Where it comes from, and whether the mover had to pass."""


def find_position(of: Game | Path, written: str | None, game: str | None, ply: int | None) -> Found:
    """The position that is `written` by the rules of a game, or the one after `ply` moves of a game
    in a run. Raises UserError.
    """
    if isinstance(of, Path):
        if game is None:
            raise UserError("--ply belongs to a game of the run: give --game too, as --game g0001")
        position, note = _of_run(of, game, ply)
        return _with_choice(position, (note,))
    if game is not None or ply is not None:
        raise UserError("--game and --ply belong to a run's file, not to a rule set")
    return _with_choice(read_position(of, read_text(written or "")), ())


def _of_run(path: Path, game: str, ply: int | None) -> tuple[Position, str]:
    """The position after `ply` moves of a recorded game; without, the last with a choice."""
    record = recorded_game(path, game)[1]
    positions = [record.start()]
    for played in record.moves:
        positions.append(positions[-1].play(played.move))
    if ply is None:
        choices = (at for at, each in enumerate(positions) if len(each.legal_moves()) > 1)
        ply = max(choices, default=0)
    if ply >= len(positions):
        raise UserError(f"--ply {ply}: game {record.game} has {len(record.moves)} moves")
    names = ", ".join(seat.player for seat in record.seats)
    note = f"{path} {record.game} ({names}), after {ply} of {len(record.moves)} moves"
    return positions[ply], note


def _with_choice(position: Position, notes: tuple[str, ...]) -> Found:
    """The position, or the one after a forced pass. Raises UserError where nothing can be found."""
    game = position.game
    if position.legal_moves() == (PASS,):
        position = position.play(PASS)
        notes += ("The mover has no legal move and passes.",)
    if position.is_over:
        scores = " to ".join(map(str, position.scores()))
        raise UserError(f"the game is over in this position, {scores}: no move is left to analyse")
    reason = BUILTINS["alphabeta"].refusal(game.name, game.variant)
    if reason is not None:
        raise UserError(f"the analysis searches with alphabeta, and {reason}")
    return Found(position, notes)


def analyse(position: Position, seconds: float) -> Analysis:
    """The value of each move, found in about `seconds`."""
    from players.search.analysis import analyse

    game = position.game
    warm_kernels([game.name])
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
    told = (
        f"value: the margin in {position.game.unit} that {mover} ends with after the move, by best "
        f"play\n{analysis.seconds:.1f} s{searched}"
    )
    console.print(Text(told, style="dim"), soft_wrap=True)


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
