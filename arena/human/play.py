"""`arena play`: a person at the terminal against a player, or alone at 2048 and 2584."""

import secrets
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from rich.console import Console
from rich.text import Text

from arena.errors import UserError
from arena.files.console import PlainConsole
from arena.files.plain_text import printable
from arena.human.opponent import Opponent, choose_opponent
from arena.model.game_spec import derive, first_position
from arena.model.protocol import CHANCE, Info, Termination
from arena.model.record import PlayerFault
from arena.referee.outcome import Outcome, finished
from arena.referee.pool import SessionPool
from arena.referee.session import Moves
from arena.reports import words
from arena.reports.board import coloured
from arena.reports.replay import mark, thoughts
from arena.tournament.warming import warm_kernels
from players.catalogue import BUILTINS
from rules.position import PASS, Game, MoveError, Position, forced_move
from rules.tiles import TilesPosition
from rules.transcript import write_transcript

Ask = Callable[[str, Sequence[str]], str]
"""Asks for a line with a prompt and the words that may be typed; EOFError ends the input."""

COMMANDS = {
    "help": "this list",
    "moves": "every legal move",
    "undo": "take back your last move and what followed",
    "resign": "give the game up",
    "quit": "leave; so does the end of the input",
}
_LISTED = 24  # legal moves listed before each move; more of them only when asked for


@dataclass
class HumanGame:
    """A person's game while it is played."""

    game: Game
    seat: int  # the person's; an opponent that was begun has the other one
    opponent: Opponent | None
    seed: int
    ask: Ask
    console: Console

    def __post_init__(self) -> None:
        self._first = self._position = first_position(self.game, self.seed)
        self._before: Position | None = None  # the position before the last move
        self._moves: Moves = []
        self._mine: list[int] = []  # at which plies the person moved

    def play(self) -> None:
        """The game, until it ends or the person leaves."""
        self._introduce()
        try:
            word = self._rounds()
        except PlayerFault as fault:
            self._forfeit(fault)
        else:
            self._leave(word) if word else self._end()
        if self._moves and not self.game.decided_by_seed:
            moves = write_transcript(self._first, (move for _, move in self._moves))
            self._say(f"The moves: {moves}", "dim")

    def _rounds(self) -> str | None:
        while (mover := self._position.to_move) is not None:
            chance = Random(derive(self.seed, f"ply {len(self._moves)}"))  # the same after an undo
            forced = forced_move(self._position, chance)
            if forced == PASS:
                self._say(f"{self._name(mover)}: no legal move, a forced pass.", "yellow")
            if forced is not None:
                self._made(mover, forced)
            elif self.opponent is not None and mover == self.opponent.seat:
                answer = self.opponent.choose(self._position, self._moves)
                self._made(mover, answer.move.move, answer.used_ms, answer.move.info)
            else:
                if word := self._turn(self._position.legal_moves()):
                    return word
        return None

    def _turn(self, legal: tuple[str, ...]) -> str | None:
        self._show()
        few = len(legal) <= _LISTED
        told = f"Legal: {' '.join(legal)}" if few else f"{len(legal)} legal moves: type `moves`"
        self._say(told, "dim")
        before = len(self._moves)
        while len(self._moves) == before:
            try:
                line = self.ask(f"{self._name(self.seat)}: ", [*legal, *COMMANDS])
            except EOFError:
                self._say("")
                return "quit"
            word = " ".join(line.split()).lower()
            if word in ("quit", "resign"):
                return word
            self._obey(word, legal)
        return None

    def _obey(self, word: str, legal: tuple[str, ...]) -> None:
        if word == "undo":
            self._undo()
        elif word == "moves":
            self._say(f"Legal: {' '.join(legal)}")
        elif word == "help":
            for command, meaning in COMMANDS.items():
                self._say(f"  {command:<8}{meaning}")
            self._say(f"  {legal[0]:<8}a move; Tab completes it")
        elif word:
            try:
                self._position.play(word)
            except MoveError as error:
                self._say(f"{error}. Type a legal move, or `help`.", "red")
            else:
                self._mine.append(len(self._moves))
                self._made(self.seat, word)

    def _undo(self) -> None:
        if not self._mine:
            self._say("There is no move of yours to take back.", "yellow")
            return
        del self._moves[self._mine.pop() :]
        self._position, self._before = self._first, None
        for _, move in self._moves:
            self._position = self._position.play(move)
        if self.opponent is not None:
            self.opponent.take_back(self._position, self._moves)

    def _made(
        self, seat: int, move: str, used_ms: float | None = None, info: Info | None = None
    ) -> None:
        self._before, self._position = self._position, self._position.play(move)
        self._moves.append((seat, move))
        notes = [] if used_ms is None else [f"{used_ms:,.0f} ms"]
        notes += thoughts(info.model_dump(exclude_none=True) if info else {})
        text = Text(f"{len(self._moves)}. {self._name(seat)}: ", style="cyan")
        text.append(move, style="bold cyan")
        text.append("".join(f" · {note}" for note in notes), style="default")
        self.console.print(text, soft_wrap=True)

    def _end(self) -> None:
        early = ", decided before the last move" if self._position.is_adjudicated else ""
        if self.opponent is not None:
            self.opponent.end(finished(self._position), self._position)
        self._show()
        won = ""
        if not self.game.decided_by_seed:
            scores = self._position.scores()
            margin = scores[self.seat] - scores[1 - self.seat]
            won = " You win." if margin > 0 else " You lose." if margin < 0 else " A draw."
        self._say(f"Game over{early}. {self._scores()}.{won}", "bold")

    def _leave(self, word: str) -> None:
        told = f"You left the game. {self._scores()}."
        if self.opponent is not None:
            outcome = Outcome(Termination.VOID, "The person left the game.")
            if word == "resign":
                detail = f"{self._name(self.seat)} resigned."
                outcome = Outcome(Termination.ADJUDICATED, detail, self.seat)
                told = f"You resigned. {self._name(self.opponent.seat)} wins."
            self.opponent.end(outcome, self._position)
        self._say(told, "bold")

    def _forfeit(self, fault: PlayerFault) -> None:
        self._show()
        name = self._name(1 - self.seat)
        if fault.termination is Termination.VOID:
            self._say(f"The game is void: {name} {fault.detail}.", "red")
            return
        self._say(f"{name} forfeits ({fault.termination}): {fault.detail}", "red")
        self._say("You win.", "bold")

    def _introduce(self) -> None:
        settings = words.settings(self.game.variant)
        self._say(f"{self.game.name} ({settings}) · seed {self.seed}", "bold")
        for seat in range(self.game.seats):
            self._say(f"seat {seat}: {self._name(seat)}")
        arrows = " (or an arrow key)" if isinstance(self._first, TilesPosition) else ""
        self._say(f"Type a move{arrows}, or `help`.", "dim")

    def _show(self) -> None:
        self.console.print(Text("\n").append_text(coloured(self._position, self._before)))

    def _scores(self) -> str:
        scores = self._position.scores()
        if isinstance(self._position, TilesPosition):
            return f"Score {scores[0]}, largest tile {max(self._position.cells)}"
        return ", ".join(f"{self._name(seat)} {score}" for seat, score in enumerate(scores))

    def _name(self, seat: int) -> str:
        if seat == CHANCE:
            return "chance"
        other = self.opponent
        name = other.name if other is not None and seat == other.seat else "you"
        return f"{mark(self.game, seat)}{name}"

    def _say(self, text: str, style: str = "") -> None:
        self.console.print(Text(text, style=style), soft_wrap=True)


def play(
    game: Game,
    against: str | None,
    options: dict[str, Any],
    seat: int,
    move_ms: int,
    seed: int | None,
) -> None:
    """Play one game on this terminal. Raises UserError."""
    seed = secrets.randbelow(2**31) if seed is None else seed
    console, ask = (
        PlainConsole(highlight=False),
        _ask_on_terminal if sys.stdin.isatty() else _ask_pipe,
    )
    if game.seats == 1:
        if against is not None or options or seat != 0:
            raise UserError(
                f"{game.name} is played alone where chance places the tiles: leave out --set "
                "placer=chance, or --against, --option and --seat. To watch a player, use "
                "`arena run` and `arena replay`"
            )
        HumanGame(game, 0, None, seed, ask, console).play()
        return
    player, builtin = choose_opponent(against, options, game)
    if builtin is None:
        for line, warns in words.sandbox_lines([(player.name, player.held)]):
            console.print(Text(line, style="yellow" if warns else "dim"), soft_wrap=True)
    elif BUILTINS[builtin].kernels:
        warm_kernels([game.name])
    with SessionPool() as pool:
        try:
            opponent = Opponent(player, 1 - seat, pool, move_ms, seed)
            opponent.begin(first_position(game, seed), [])
        except PlayerFault as fault:
            raise UserError(f"{player.name} could not start a game: {fault.detail}") from None
        HumanGame(game, seat, opponent, seed, ask, console).play()
        opponent.quit()


_ARROWS = {"A": "up", "B": "down", "C": "right", "D": "left"}
"""The letters that end an arrow key's escape sequence, and the slides of 2048."""


def _ask_pipe(prompt: str, words: Sequence[str]) -> str:
    line = _line(prompt)
    sys.stdout.write(f"{printable(line)}\n")
    return line


def _ask_on_terminal(prompt: str, words: Sequence[str]) -> str:
    """A line with editing, history, and completion of `words` by tab; the arrow keys slide."""
    import readline  # takes hold of the terminal

    def complete(begun: str, number: int) -> str | None:
        fitting = [word for word in words if word.startswith(begun.lower())]
        return fitting[number] if number < len(fitting) else None

    readline.set_completer(complete)
    readline.parse_and_bind("tab: complete")
    if not set(words).isdisjoint(_ARROWS.values()):
        for key, word in _ARROWS.items():
            for keypad in "[O":
                readline.parse_and_bind(rf'"\e{keypad}{key}": "\C-a\C-k{word}\C-m"')
    return _line(prompt)


def _line(prompt: str) -> str:
    try:
        return input(printable(prompt))
    except UnicodeDecodeError:
        raise UserError("what was typed is not UTF-8 text") from None
