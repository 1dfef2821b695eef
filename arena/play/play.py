"""`arena play`: a person at the terminal against a player, or alone at 2048 and 2584."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.text import Text

from arena.errors import UserError
from arena.model.game_spec import first_position
from arena.model.record import PlayerFault
from arena.model.settings import load_game, read_pairs
from arena.play.human_game import Sitting
from arena.play.opponent import Opponent, choose_opponent
from arena.referee.pool import SessionPool
from arena.reports import containment
from arena.tournament.warming import warm_kernels
from players.catalogue import BUILTINS
from rules import tiles


def play(
    rules: str,
    settings: Iterable[str],
    against: str | None,
    options: Iterable[str],
    seat: int,
    move_ms: int,
    seed: int | None,
) -> None:
    """Play one game. Raises UserError."""
    table = read_pairs("--option", options)
    opposed = against is not None or bool(table) or seat != 0
    if rules in tiles.NAMES and opposed:
        settings = ("placer=player", *settings)  # who asks for an opponent need not ask twice
    game = load_game(rules, settings)
    seed = secrets.randbelow(2**31) if seed is None else seed
    console, ask = Console(highlight=False), _ask_on_terminal if sys.stdin.isatty() else _ask_pipe
    if game.seats == 1:
        if opposed:
            raise UserError(
                f"{rules} is played alone where chance places the tiles: leave out --set "
                "placer=chance, or --against, --option and --seat. To watch a player, use "
                "`arena run` and `arena replay`"
            )
        Sitting(game, 0, None, seed, ask, console).play()
        return
    player, builtin = choose_opponent(against, table, game)
    if builtin is None:
        for line in containment.lines([(player.name, player.held)]):
            console.print(Text(line.text, style="yellow" if line.warns else "dim"), soft_wrap=True)
    elif BUILTINS[builtin].kernels:
        warm_kernels([rules])
    with SessionPool() as pool:
        try:
            opponent = Opponent(player, 1 - seat, pool, move_ms, seed)
            opponent.begin(first_position(game, seed), [])
        except PlayerFault as fault:
            raise UserError(f"{player.name} could not start a game: {fault.detail}") from None
        Sitting(game, seat, opponent, seed, ask, console).play()
        opponent.quit()


def _ask_pipe(prompt: str, words: Sequence[str]) -> str:
    """A line from no terminal, shown as if it had been typed."""
    line = _line(prompt)
    sys.stdout.write(f"{line}\n")
    return line


def _ask_on_terminal(prompt: str, words: Sequence[str]) -> str:
    """A line with editing, history, and completion of `words` by tab."""
    import readline  # takes hold of the terminal

    def complete(begun: str, number: int) -> str | None:
        fitting = [word for word in words if word.startswith(begun.lower())]
        return fitting[number] if number < len(fitting) else None

    readline.set_completer(complete)
    readline.parse_and_bind("tab: complete")
    return _line(prompt)


def _line(prompt: str) -> str:
    try:
        return input(prompt)
    except UnicodeDecodeError:
        raise UserError("what was typed is not UTF-8 text") from None
