"""`arena play`: a person at the terminal against a player, or alone at 2048 and 2584."""

import secrets
import sys
from collections.abc import Callable, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from arena.errors import UserError
from arena.files.console import PlainConsole
from arena.files.plain_text import printable
from arena.human.game import HumanGame, MoveMade
from arena.human.opponent import Opponent, choose_opponent, warm_for
from arena.model.record import PlayerFault
from arena.referee.pool import SessionPool
from arena.reports import words
from arena.reports.board import coloured
from arena.reports.playing import print_line
from arena.reports.replay import thoughts
from rules.position import Game, MoveError
from rules.tiles import TilesPosition

Ask = Callable[[str, Sequence[str]], str]
"""Asks for a line with a prompt and the words that may be typed; EOFError ends the input."""

COMMANDS = {  # a legal move of the same name comes first
    "help": "this list",
    "moves": "every legal move",
    "undo": "take back your last move and what followed",
    "resign": "resign the game",
    "quit": "leave; so does the end of the input",
}
_LISTED = 24  # legal moves listed before each move; more of them only when asked for


class TerminalGame:
    def __init__(self, game: HumanGame, ask: Ask, console: Console) -> None:
        self.game, self.ask, self.console = game, ask, console

    def play(self) -> None:
        """The game, until it ends or the person leaves."""
        self._introduce()
        try:
            word = self._rounds()
        except PlayerFault as fault:
            self._show()
            happened, wins = self.game.faulted(fault)
            self._say(happened, "red")
            if wins:
                self._say(wins, "bold")
        else:
            self._over(word)
        if self.game.moves and not self.game.game.decided_by_seed:
            self.console.print(f"The moves: {self.game.transcript}", style="dim", soft_wrap=True)

    def _over(self, word: str | None) -> None:
        if word is None:
            ending = self.game.end()
            self._show()
        else:
            ending = self.game.resign() if word == "resign" else self.game.leave()
        self._say(ending, "bold")

    def _rounds(self) -> str | None:
        """Moves until the game is over, or the word by which the person leaves it."""
        while True:
            for made in self.game.advance():
                self._made(made)
            if self.game.position.is_over:
                return None
            if word := self._turn(self.game.position.legal_moves()):
                return word

    def _turn(self, legal: tuple[str, ...]) -> str | None:
        self._show()
        few = len(legal) <= _LISTED
        hint = f"Legal: {' '.join(legal)}" if few else f"{len(legal)} legal moves: type `moves`"
        self._say(hint, "dim")
        before = len(self.game.moves)
        while len(self.game.moves) == before:
            try:
                line = self.ask(f"{self.game.name(self.game.seat)}: ", [*legal, *COMMANDS])
            except EOFError:
                self._say("")
                return "quit"
            word = " ".join(line.split()).lower()
            if word in ("quit", "resign") and word not in legal:
                return word
            self._obey(word, legal)
        return None

    def _obey(self, word: str, legal: tuple[str, ...]) -> None:
        if word in legal or (word and word not in COMMANDS):
            try:
                self._made(self.game.choose(word))
            except MoveError as error:
                self._say(f"{error}. Type a legal move, or `help`.", "red")
        elif word == "undo":
            if self.game.can_undo:
                self.game.undo()
            else:
                self._say("There is no move of yours to take back.", "yellow")
        elif word == "moves":
            self._say(f"Legal: {' '.join(legal)}")
        elif word == "help":
            for command, meaning in COMMANDS.items():
                if command not in legal:
                    self._say(f"  {command:<8}{meaning}")
            self._say(f"  {legal[0]:<8}a move; Tab completes it")

    def _made(self, made: MoveMade) -> None:
        name = self.game.name(made.seat)
        if self.game.was_forced:
            self._say(self.game.describe(made), "yellow")
        notes = []
        if made.answer is not None:
            notes = [f"{made.answer.used_ms:,.0f} ms", *thoughts({**(made.answer.move.info or {})})]
        text = Text(f"{len(self.game.moves)}. {name}: ", style="cyan")
        text.append(made.move, style="bold cyan")
        text.append("".join(f" · {note}" for note in notes), style="default")
        print_line(text, self.console)

    def _introduce(self) -> None:
        game = self.game.game
        rules = words.with_settings(game.name, game.variant)
        self._say(f"{rules} · seed {self.game.seed}", "bold")
        for seat in range(game.seats):
            self._say(f"seat {seat}: {self.game.name(seat)}")
        slides = isinstance(self.game.first, TilesPosition) and self.game.seat == 0
        arrows = " (or an arrow key)" if slides else ""
        self._say(f"Type a move{arrows}, or `help`.", "dim")

    def _show(self) -> None:
        board = coloured(self.game.position, self.game.before)
        self.console.print(Text("\n").append_text(board))

    def _say(self, text: str, style: str = "") -> None:
        print_line(Text(text, style=style), self.console)


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
    console = PlainConsole(highlight=False)
    ask = _ask_on_terminal if sys.stdin.isatty() else _ask_pipe
    if game.seats == 1:
        if against is not None or options or seat != 0:
            places = " where chance places the tiles: leave out --set placer=chance, or"
            why = places if "placer" in game.variant else ": leave out"
            raise UserError(
                f"{game.name} is played alone{why} --against, --option and --seat. To watch a "
                "player, use `arena run` and `arena replay`"
            )
        TerminalGame(HumanGame(game, 0, None, seed), ask, console).play()
        return
    player, builtin = choose_opponent(against, options, game)
    if builtin is None:
        for line, warns in words.sandbox_lines([(player.name, player.held)]):
            console.print(Text(line, style="yellow" if warns else "dim"), soft_wrap=True)
    warm_for(builtin, game)
    with SessionPool() as pool:
        opponent = Opponent.in_game(player, 1 - seat, pool, move_ms, seed, game)
        TerminalGame(HumanGame(game, seat, opponent, seed), ask, console).play()
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
