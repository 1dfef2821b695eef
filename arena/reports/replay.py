"""A recorded game on the terminal, move by move: all at once, or stepped through by keys."""

import os
import termios
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.text import Text

from arena.errors import ReplayError
from arena.files.plain_text import printable
from arena.model.protocol import CHANCE
from arena.model.record import GameRecord
from arena.reports import words
from rules.position import Game

KEYS = "space or → next · ← back · home first · end last · q leave"
"""Help on the keys of `step`."""


def boards(record: GameRecord) -> list[str]:
    """Drawings of all positions, the first included. ReplayError when a move does not fit."""
    position = record.start()
    seen = [str(position)]
    for ply, move in enumerate(record.moves, start=1):
        try:
            position = position.play(move.move)
        except ValueError as error:
            raise ReplayError(f"game {record.game}, ply {ply}: {error}") from error
        seen.append(str(position))
    if position.state() != record.final_state:
        raise ReplayError(
            f"game {record.game}: its {len(record.moves)} moves do not lead to its last position;"
            " the record is damaged or was made by other rules"
        )
    return seen


def dump(record: GameRecord, console: Console) -> None:
    """Print the whole game: players, every position, how it ended."""
    seen = boards(record)
    console.print(header(record))
    for ply, board in enumerate(seen):
        console.print(view(record, ply, board))
    console.print(ending(record))


def step(record: GameRecord, console: Console, read_key: Callable[[], str]) -> None:
    """Show one position at a time on a terminal; `read_key` waits for the next key's name: next,
    back, home, end, quit; any other is ignored.
    """
    seen = boards(record)
    at, last = 0, len(seen) - 1
    with console.screen(hide_cursor=True) as screen:
        while True:
            parts: list[RenderableType] = [header(record), view(record, at, seen[at])]
            if at == last:
                parts.append(ending(record))
            screen.update(Group(*parts, Text(KEYS, style="dim")))
            key = read_key()
            if key == "quit":
                return
            at = {"next": at + 1, "back": at - 1, "home": 0, "end": last}.get(key, at)
            at = min(max(at, 0), last)


@contextmanager
def keys(descriptor: int) -> Iterator[Callable[[], str]]:
    """Reads keys of the terminal `descriptor` for `step`, without Enter and without echo; restores
    the terminal. termios.error when it is none.
    """
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor)
        yield lambda: key_name(os.read(descriptor, 8))  # an arrow key is an escape sequence
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def key_name(pressed: bytes) -> str:
    """The name of a key, from what one read of a terminal gave; nothing is the end of the input."""
    return _KEY_NAMES.get(pressed, "other")


_KEY_NAMES = {
    **dict.fromkeys((b" ", b"\n", b"\r", b"n", b"l", b"\x1b[C", b"\x1bOC"), "next"),
    **dict.fromkeys((b"p", b"h", b"\x7f", b"\x1b[D", b"\x1bOD"), "back"),
    **dict.fromkeys((b"g", b"\x1b[H", b"\x1bOH", b"\x1b[1~"), "home"),
    **dict.fromkeys((b"G", b"\x1b[F", b"\x1bOF", b"\x1b[4~"), "end"),
    **dict.fromkeys((b"q", b"\x03", b"\x04", b"\x1b", b""), "quit"),
}


def header(record: GameRecord) -> Text:
    """Game, rules and players."""
    clock = record.terms.clock
    limits = [
        f"{clock.move_ms} ms a move" if clock.move_ms is not None else "",
        f"bank {clock.bank_ms} ms" if clock.bank_ms is not None else "",
        f"+{clock.increment_ms} ms a move" if clock.increment_ms else "",
    ]
    rules = f"{record.terms.rules} ({words.settings(record.terms.variant)})"
    text = Text.assemble((f"Game {record.game}", "bold"))
    text.append(f" · {rules} · {', '.join(filter(None, limits))}\n")
    for seat, player in enumerate(record.seats):
        text.append(f"{mark(record.terms.game, seat)}{player.player}", style="bold")
        reported = " ".join(filter(None, (player.reported_name, player.reported_version)))
        text.append(f" ({reported})\n" if reported else "\n")
    return text


def view(record: GameRecord, ply: int, board: str) -> Text:
    """The position after `ply` moves, under the move that led to it."""
    text = Text()
    if ply == 0:
        text.append("Start\n", style="bold cyan")
    else:
        move = record.moves[ply - 1]
        name = "chance"
        if move.seat != CHANCE:
            name = mark(record.terms.game, move.seat) + record.seats[move.seat].player
        text.append(f"{ply}. {name}: ", style="cyan").append(move.move, style="bold cyan")
        text.append("".join(f" · {note}" for note in _notes(record, ply)) + "\n")
    return text.append(board.rstrip("\n") + "\n")


def _notes(record: GameRecord, ply: int) -> Iterator[str]:
    move = record.moves[ply - 1]
    if ply <= len(record.opening):
        yield "opening"
    if move.used_ms is not None:
        yield f"{move.used_ms:,.1f} ms"
    if move.fault is not None:
        yield f"random, after {move.fault.termination}: {move.fault.detail}"
    yield from thoughts(move.info or {})


def thoughts(info: dict[str, Any]) -> Iterator[str]:
    """Parts of what the player said of its thinking."""
    if (score := info.get("score")) is not None:
        yield f"evaluation {score:+,.0f}" if abs(score) >= 1000 else f"evaluation {score:+.4g}"
    if info.get("depth") is not None:
        yield f"depth {info['depth']}"
    if info.get("nodes") is not None:
        yield f"{info['nodes']:,} nodes"
    if info.get("pv"):
        yield f"expects {' '.join(info['pv'])}"
    if info.get("text"):
        yield str(info["text"])


def ending(record: GameRecord) -> Text:
    """How the game ended, and the last lines each player logged."""
    by = "" if record.offender is None else f" by {record.seats[record.offender].player}"
    text = Text.assemble(("End: ", "bold"), f"{record.termination}{by} · {record.detail}\n")
    for seat, (player, score) in enumerate(zip(record.seats, record.scores, strict=False)):
        points = f", {record.points[seat]:g} points" if record.points else ""
        text.append(f"{player.player}: {score}{points}\n")
    for player in record.seats:
        log = (player.stderr_tail or player.stderr_head).rstrip()
        if log:
            title = f"stderr of {player.player} ({player.stderr_bytes:,} bytes)\n"
            text.append(title, style="bold")
            for line in log.split("\n")[-10:]:
                text.append(f"  {printable(line.expandtabs())}\n", style="dim")
    return text


def mark(game: Game, seat: int) -> str:
    """The pieces of a seat, as the board draws them."""
    return f"{game.marks[seat]} " if game.marks else ""
