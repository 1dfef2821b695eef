"""The process of one match: `python -m arena.web.challenger FOLDER`, with a folder of
`arena.web.challenge`. It outlives the server.
"""

import os
import sys
from pathlib import Path
from typing import Any

from arena.bots import course
from arena.bots.course_file import TOURNAMENTS, rules_to_serve
from arena.errors import ConfigError, UserError
from arena.matches.match import of_games
from arena.matches.play import play_config
from arena.matches.sprt import Side, make_config
from arena.web.challenge import About, game_offers
from arena.web.jobs import about_of, mistake_of_staff, working
from players.catalogue import BUILTINS

_GAMES = 2


def main(folder: Path) -> None:
    home = folder.parents[2]
    with working(folder, home, failed="The machine failed; tell the staff.") as write:
        os.chdir(home)
        try:
            rules_to_serve(home)
            python = course.python_of(home)
        except ConfigError as error:
            write(mistake_of_staff(error))
            return
        about = about_of(folder, About)
        offer = game_offers(home).get(about.rules)
        if offer is None:
            raise UserError(f"{about.rules} cannot be played any more; choose another game")
        players = (_side(home, "A", about.bot), _side(home, "B", about.against))
        tables: dict[str, dict[str, Any]] = {
            "tournament": {"python": python},
            "game": {"rules": offer.game.name} | offer.game.variant,
            "clock": {"move_ms": about.move_ms},
        }
        config = of_games(make_config(players, tables, "challenge"), _GAMES, watch=True)
        play_config(config, folder.with_name(f"{folder.name}.sqlite"))


def _side(home: Path, letter: str, named: str) -> Side:
    """A player by its name; a bot of the course comes before a player of the same name."""
    name, _, which = named.partition("@")
    playing = (entry for entry in course.bots(home) if entry.state == "plays")
    version = next((entry.plays for entry in playing if entry.name == name), None)
    if version is not None:
        bot = f"{name}@{which or version.number}"
        return Side(letter, named, {"bot": bot, "name": named}, home, {})
    if named not in BUILTINS:
        raise UserError(f"{named} does not play any more; choose another")
    # a built-in sees its folder, and no player's user may enter that of all matches
    return Side(letter, named, {"bot": named, "name": named}, home / TOURNAMENTS, {})


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute())
