"""`arena analyse`: what each move of a position is worth."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console

import rules
from arena.analysis import analysis_report as analysis
from arena.analysis.positions import read_position
from arena.errors import UserError
from arena.files.background import apart
from arena.model.settings import load_game
from arena.tournament.run_view import recorded_game
from arena.tournament.warming import warm_kernels
from players.catalogue import BUILTINS
from rules.position import PASS, Position

if TYPE_CHECKING:
    from players.search.analysis import Analysis


def find_position(
    what: str,
    written: str | None,
    settings: Iterable[str],
    game: str | None,
    ply: int | None,
) -> Position:
    """The position the command line names: `written` by the rules `what` with its settings, or
    after `ply` moves of a game in the run `what`. Raises UserError.
    """
    settings = list(settings)
    if what in rules.names():
        if game is not None or ply is not None:
            raise UserError("--game and --ply belong to a run's file, not to a rule set")
        return read_position(load_game(what, settings), _text(written or ""))
    path = run_path(what, written, settings)
    if game is None:
        raise UserError("--ply belongs to a game of the run: give --game too, as --game g0001")
    return _of_run(path, game, ply)


def run_path(what: str, written: str | None, settings: Iterable[str]) -> Path:
    """The run's file `what`, which needs no position and no settings. Raises UserError."""
    path = Path(what)
    if not path.exists() and path.suffix != ".sqlite":
        near = difflib.get_close_matches(what, rules.names(), n=1)
        hint = f'; did you mean "{near[0]}"?' if near else ""
        known = ", ".join(rules.names())
        raise UserError(f"{what} is neither a rule set ({known}) nor a run's file{hint}")
    if written is not None or list(settings):
        raise UserError("a run's file knows its settings and positions: give --game and --ply")
    return path


def show(position: Position, seconds: float, *, as_json: bool) -> None:
    """Analyse the position, for people or as JSON. Raises UserError."""
    if position.legal_moves() == (PASS,):
        typer.echo("The mover has no legal move and passes.", err=True)
        position = position.play(PASS)
    game = position.game
    if position.is_over:
        scores = " to ".join(map(str, position.scores()))
        raise UserError(f"the game is over in this position, {scores}: no move is left to analyse")
    reason = BUILTINS["alphabeta"].refusal(game.name, game.variant)
    if reason is not None:
        raise UserError(f"the analysis searches with alphabeta, and {reason}")
    warm_kernels([game.name])
    if as_json:
        typer.echo(analysis.dumps(position, _analyse(position, seconds)), nl=False)
    else:
        typer.echo(f"{position}\n")  # something to look at meanwhile
        analysis.show(position, _analyse(position, seconds), Console())


def _analyse(position: Position, seconds: float) -> Analysis:
    from players.search.analysis import analyse

    game = position.game
    return apart(lambda: analyse(game.name, game.variant, position.state(), seconds))


def _text(written: str) -> str:
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


def _of_run(path: Path, game: str, ply: int | None) -> Position:
    """The position after `ply` moves of a recorded game; without, the last with a choice."""
    record = recorded_game(path, game)[1]
    position = record.start()
    positions = [position]
    for played in record.moves:
        position = position.play(played.move)
        positions.append(position)
    if ply is None:
        open_ = [at for at, each in enumerate(positions) if _has_choice(each)]
        ply = open_[-1] if open_ else 0
    if ply >= len(positions):
        raise UserError(f"--ply {ply}: game {game} has {len(record.moves)} moves")
    names = ", ".join(seat.player for seat in record.seats)
    typer.echo(f"{path} {game} ({names}), after {ply} of {len(record.moves)} moves", err=True)
    return positions[ply]


def _has_choice(position: Position) -> bool:
    return not position.is_over and len(position.legal_moves()) > 1
