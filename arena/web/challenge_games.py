"""The games that owners may ask for: those of the course's tournaments on their boards, and all
others of two players on their own.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import rules
from arena.bots.course_file import TOURNAMENTS, tournament_files
from arena.errors import ArenaError
from arena.files.toml import read_file
from arena.tournament.conditions import load_conditions
from arena.web.boards import TIMES_MS
from rules.position import Game

MOST_MS = 3000
"""For a move: matches of all owners wait for one another."""
OFFERED_MS = tuple(each for each in TIMES_MS if each <= MOST_MS)


class GameOffer(NamedTuple):
    title: str
    table: dict[str, Any]
    """As `[game]` of a tournament file."""
    game: Game
    move_ms: int = 1000
    """The time of a move that is chosen at first: the tournament's own, where it is offered."""


def game_offers(course: Path) -> dict[str, GameOffer]:
    """Each by what a match calls it: `tournaments/NAME`, or the name of its rules."""
    all_rules = {name: rules.load(name) for name in rules.usable()}
    return dict(_of_tournaments(course)) | {
        name: GameOffer(name, {"rules": name}, game)
        for name, game in all_rules.items()
        if game.seats == 2
    }


def _of_tournaments(course: Path) -> Iterator[tuple[str, GameOffer]]:
    for file in tournament_files(course):
        with suppress(ArenaError):  # the staff sees what is wrong with the file
            terms = load_conditions(file).terms
            if terms is not None and terms.game.seats == 2:
                title = f"{terms.game.title}, as in {file.stem}"
                table = {"rules": terms.rules} | read_file(file)[1].get("game", {})
                ms = next((each for each in OFFERED_MS if each == terms.clock.move_ms), 1000)
                yield f"{TOURNAMENTS}/{file.stem}", GameOffer(title, table, terms.game, ms)
