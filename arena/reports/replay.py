"""A recorded game on the terminal, move by move: all at once, or stepped through by keys."""

import os
import sys
import termios
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.text import Text

from arena.errors import ReplayError
from arena.files.plain_text import printable
from arena.model.protocol import INFO_A_GAME, INFO_A_MOVE, INFO_A_RUN
from arena.model.record import GameRecord, SeatRecord
from arena.records.form import why_misfit
from arena.reports import words
from arena.reports.board import coloured
from rules.position import CHANCE, Game, Position

KEYS = "space or → next · ← back · home first · end last · q leave"
"""Help on the keys of `step`."""


def positions(record: GameRecord) -> list[Position]:
    """All positions, the first included. ReplayError when a move does not fit."""
    seen = [record.start()]
    for ply, move in enumerate(record.moves, start=1):
        try:
            seen.append(seen[-1].play(move.move))
        except ValueError as error:
            raise ReplayError(
                f"game {record.game}, ply {ply}: {error}; {why_misfit(record)}"
            ) from error
    if seen[-1].state() != record.final_state:
        raise ReplayError(
            f"game {record.game}: its {len(record.moves)} moves do not lead to its last position; "
            + why_misfit(record)
        )
    return seen


def dump(record: GameRecord, console: Console) -> None:
    """Print the whole game: players, every position with what was logged, how it ended."""
    replay = Replay(record)
    console.print(header(record))
    for ply in range(replay.plies + 1):
        console.print(replay.view(ply))
        if ply == replay.plies:
            console.print(ending(record))
        for line in replay.log(ply):
            console.print(line, soft_wrap=True)


def show(record: GameRecord, console: Console, *, whole: bool) -> None:
    """Step through the game by keys; print the `whole` of it if wanted, or without a terminal."""
    if whole or not (console.is_terminal and sys.stdin.isatty()):
        dump(record, console)
    else:
        with keys(sys.stdin.fileno()) as read_key:
            step(record, console, read_key)


def step(record: GameRecord, console: Console, read_key: Callable[[], str]) -> None:
    """Show one position at a time on a terminal, and leave the last one shown; `read_key` waits for
    the next key's name: next, back, home, end, quit; any other is ignored.
    """
    replay, at, key = Replay(record), 0, ""
    with console.screen(hide_cursor=True) as screen:
        while key != "quit":
            screen.update(replay.screen(at, console, KEYS))
            key = read_key()
            at = {"next": at + 1, "back": at - 1, "home": 0, "end": replay.plies}.get(key, at)
            at = min(max(at, 0), replay.plies)
    console.print(replay.screen(at, console))


class Replay:
    """A game by its plies: the moves, the positions, what the players logged."""

    def __init__(self, record: GameRecord) -> None:
        """Raises ReplayError."""
        self._record = record
        self._positions = positions(record)
        self.plies = len(record.moves)
        self._logs, self._rest = _logs(record)

    def view(self, ply: int) -> Text:
        """The position after that many moves, under the move that led to it."""
        text = Text()
        if ply == 0:
            text.append("Start\n", style="bold cyan")
        else:
            move = self._record.moves[ply - 1]
            text.append(f"{ply}. {self._mover(move.seat)}: ", style="cyan")
            text.append(move.move, style="bold cyan")
            text.append("".join(f" · {note}" for note in _notes(self._record, ply)) + "\n")
        before = self._positions[ply - 1] if ply else None
        return text.append_text(coloured(self._positions[ply], before)).append("\n")

    def log(self, ply: int) -> list[Text]:
        """The player's stderr with this move; after the last, also all later stderr."""
        lines = []
        if ply in self._logs:
            lines = _logged(self._mover(self._record.moves[ply - 1].seat), self._logs[ply])
        return lines + (self._rest if ply == self.plies else [])

    def screen(self, ply: int, console: Console, help: str = "") -> RenderableType:
        """A position on a terminal: of what was logged, the last lines that there is room for."""
        above = [_title(self._record), self.view(ply)]
        if ply == self.plies:
            above.append(ending(self._record))
        for part in above:
            part.rstrip()
        lines = [part for line in self.log(ply) for part in line.wrap(console, console.width)]
        room = console.height - len(console.render_lines(Group(*above))) - 1
        if len(lines) > room:
            lines = [Text("  …", style="dim"), *lines[len(lines) - max(0, room - 1) :]]
        return Group(*above, *lines, Text(help, style="dim"))

    def _mover(self, seat: int) -> str:
        if seat == CHANCE:
            return "chance"
        return mark(self._record.terms.game, seat) + self._record.seats[seat].player


@contextmanager
def keys(descriptor: int) -> Iterator[Callable[[], str]]:
    """Reads keys of a terminal without Enter or echo, and restores it. Raises termios.error."""
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
    limits = record.terms.clock.words
    if not record.host.arena:  # another program kept it: its clock is not known
        stated = record.stated.items()
        limits = ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in stated)
    rules = words.with_settings(record.terms.rules, record.terms.variant)
    text = Text.assemble((f"Game {record.game}", "bold"))
    parts = filter(None, [rules, limits])
    text.append("".join(f" · {each}" for each in parts) + "\n")
    for seat, player in enumerate(record.seats):
        text.append(f"{mark(record.terms.game, seat)}{player.player}", style="bold")
        reported = " ".join(filter(None, (player.reported_name, player.reported_version)))
        text.append(f" ({reported})" if reported else "")
        text.append(f" · {player.clock.words}\n" if player.clock else "\n")
    return text


def _notes(record: GameRecord, ply: int) -> Iterator[str]:
    move = record.moves[ply - 1]
    if ply <= len(record.opening):
        yield "opening"
    if move.used_ms is not None:
        yield f"{move.used_ms:,.1f} ms"
    if move.cpu_ms is not None:
        yield f"{move.cpu_ms:,.1f} ms CPU"
    if move.fault is not None:
        yield f"random, after {move.fault.termination}: {move.fault.detail}"
    yield from thoughts(move.info or {})


def thoughts(info: dict[str, Any]) -> Iterator[str]:
    """The parts of a player's report on its thinking."""
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


def _title(record: GameRecord) -> Text:
    """The game and its players, in a line."""
    game = record.terms.game
    names = (mark(game, seat) + player.player for seat, player in enumerate(record.seats))
    return Text.assemble((f"Game {record.game}", "bold"), f" · {' – '.join(names)}\n")


_CUT = (
    f"its `info` was cut {{:,}} times, at no cost to it: {INFO_A_MOVE:,} characters of `pv` and "
    f"`text` are kept a move, {INFO_A_GAME:,} a game, {INFO_A_RUN:,} a run."
)


def ending(record: GameRecord) -> Text:
    by = "" if record.offender is None else f" by {record.seats[record.offender].player}"
    text = Text.assemble(("End: ", "bold"), f"{record.termination}{by} · {record.detail}\n")
    for seat, (player, score) in enumerate(zip(record.seats, record.scores, strict=False)):
        points = f", {_points(record.points[seat])}" if record.points else ""
        text.append(f"{player.player}: {score}{points}\n")
    for player in record.seats:
        if player.info_cut:
            text.append(f"{player.player}: {_CUT.format(player.info_cut)}\n")
    return text


def _logs(record: GameRecord) -> tuple[dict[int, str], list[Text]]:
    """The players' stderr: by the ply it came with, and the lines that came with none."""
    by_ply: dict[int, str] = {}
    rest: list[Text] = []
    for seat, player in enumerate(record.seats):
        length, at = len(player.stderr), 0
        plies = [
            ply
            for ply, move in enumerate(record.moves, 1)
            if move.seat == seat and move.used_ms is not None
        ]
        for ply, end in zip(plies, player.stderr_marks, strict=False):
            if log := _stderr(player, at, end):
                by_ply[ply] = log
            at = max(at, end)
        if log := _stderr(player, at, length):
            when = ", after its last move" if player.stderr_marks else ""
            rest += _logged(f"{player.player}{when} ({player.stderr_bytes:,} bytes)", log)
    return by_ply, rest


def _stderr(player: SeatRecord, low: int, high: int) -> str:
    """Its stderr from one place to another; empty where that is blank."""
    first, all_ = len(player.stderr_head), player.stderr
    if player.stderr_bytes > len(all_.encode()) and low <= first < high:
        return f"{all_[low:first]}\n… (not all of it is kept)\n{all_[first:high]}"
    return all_[low:high] if all_[low:high].strip() else ""


def _logged(whose: str, log: str) -> list[Text]:
    lines = log.strip("\n").split("\n")
    return [
        Text(f"stderr of {whose}", style="bold"),
        *(Text(f"  {printable(line.expandtabs())}", style="dim") for line in lines),
    ]


def _points(points: float) -> str:
    return "1 point" if points == 1 else f"{points:g} points"


def mark(game: Game, seat: int) -> str:
    """The pieces of a seat, as the board draws them."""
    return f"{game.marks[seat]} " if game.marks else ""
