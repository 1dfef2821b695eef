"""Our players as engines for other people's programs: `arena engine`.

A front reads the commands of a protocol and answers them; the player behind it is started and asked
as in a game of the arena.
"""

import secrets
import sys
from collections.abc import Iterator
from typing import Any, TextIO

from arena.human.engine_gtp import GtpFront
from arena.human.engine_nboard import NBoardFront
from arena.human.engine_player import FrontPlayer
from arena.human.opponent import choose_opponent, warm_for
from arena.referee.pool import SessionPool
from rules.position import Game

FRONTS: dict[str, type[GtpFront] | type[NBoardFront]] = {"gtp": GtpFront, "nboard": NBoardFront}


def serve(
    protocol: str, bot: str, options: dict[str, Any], game: Game, move_ms: int, seed: int | None
) -> None:
    """Answer commands from stdin until it ends, or says so. Raises UserError."""
    prepared, builtin = choose_opponent(bot, options, game, "--bot")
    warm_for(builtin, game)
    drawn = secrets.randbits(31) if seed is None else seed
    with SessionPool() as pool:
        player = FrontPlayer(prepared, game, pool, move_ms, drawn)
        player.load()
        for line in answers(FRONTS[protocol](player), sys.stdin):
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()
        player.close()


def answers(front: GtpFront | NBoardFront, commands: TextIO) -> Iterator[str]:
    """The lines that answer all commands, until the front raises EOFError."""
    for command in commands:
        try:
            yield from front.answer(command.strip())
        except EOFError:
            return
