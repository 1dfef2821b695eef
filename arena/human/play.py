"""`arena play`: a person at the terminal against a player, or alone at 2048 and 2584."""

import secrets
import sys
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from arena.errors import UserError
from arena.human.human_game import HumanGame
from arena.human.opponent import Opponent, choose_opponent
from arena.model.game_spec import first_position
from arena.model.record import PlayerFault
from arena.referee.pool import SessionPool
from arena.reports.words import sandbox_lines
from arena.tournament.warming import warm_kernels
from players.catalogue import BUILTINS
from rules.position import Game


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
    console, ask = Console(highlight=False), _ask_on_terminal if sys.stdin.isatty() else _ask_pipe
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
        for line, warns in sandbox_lines([(player.name, player.held)]):
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
    sys.stdout.write(f"{line}\n")
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
            readline.parse_and_bind(rf'"\e[{key}": "\C-a\C-k{word}\C-m"')
    return _line(prompt)


def _line(prompt: str) -> str:
    try:
        return input(prompt)
    except UnicodeDecodeError:
        raise UserError("what was typed is not UTF-8 text") from None
