"""`arena sprt`: two players named in words, and the tournament that decides which is stronger."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from pydantic import ValidationError

import rules
from arena.errors import FileError, Problem, UserError, sentence
from arena.files.plain_text import printable
from arena.files.toml import KeyLines, KeyPath, read_file, read_pairs
from arena.files.toml_tables import Finding, shown, written
from arena.tournament.config import TournamentConfig
from arena.tournament.config_file import Unusable, read_config
from arena.tournament.config_tables import PlayerTable
from arena.tournament.contenders import Reading, players_of, typed_player
from arena.tournament.ready import ready
from arena.tournament.site import HERE, Site
from players.catalogue import BUILTINS

RULES = "othello"
"""The rule set that is played where none is named."""
Tables = Mapping[str, Mapping[str, Any]]
"""Tables of a tournament file by name; a key that is None was not given."""


class Side(NamedTuple):
    """One of the two players as it was named."""

    letter: str
    """A or B."""
    words: str
    table: dict[str, Any]
    """The player as a `[[player]]` table of a tournament file."""
    folder: Path
    """The folder that its paths are relative to."""
    options: dict[str, Any]
    """The options typed, which win over those of a file."""
    text: str | None = None
    """The text of the file that the words name; None when they name no file of a player."""
    at: KeyPath = ()
    """Where in that file the player's keys are."""
    game: Mapping[str, Any] = MappingProxyType({})
    """The `[game]` table of the tournament that the words name a player of, as it is written."""


def read_side(letter: str, words: str, options: Iterable[str] | None = None) -> Side:
    """A built-in, a script, a bot's folder or archive, a command of several words, a FILE.toml
    with the keys of a `[[player]]` table or one such table, or TOURNAMENT.toml:NAME; with options
    as they are typed. Raises UserError.
    """
    typed = read_pairs(f"--{letter.lower()}-option", options)
    named = _FILE.fullmatch(words)
    if named and (" " not in named["file"] or os.path.lexists(named["file"])):
        return side_of_file(letter, named["file"], named["player"], typed)
    table = typed_player(letter, words)
    return Side(letter, words, table | {"options": typed}, Path.cwd(), typed)


_FILE = re.compile(r"(?P<file>.+?\.toml)(:(?P<player>.+))?")
"""FILE.toml, or TOURNAMENT.toml:NAME; a command has spaces, too."""


def side_of_file(letter: str, name: str, chosen: str | None, typed: dict[str, Any]) -> Side:
    """The player of a file, or the `chosen` one of a tournament's. Raises UserError."""
    file = Path(name)
    try:
        text, table = read_file(file)
    except FileError as error:
        raise UserError(f"{letter}: {error}") from None
    side = Side(letter, name, table, file.resolve().parent, typed, text)
    if "player" in table:
        game = table.get("game")
        of_tournament = side._replace(game=game) if isinstance(game, dict) else side
        return with_options(_player_of_tournament(of_tournament, chosen))
    if chosen is not None:
        raise UserError(f"{letter}: {file} is not a tournament: it has no player named {chosen}")
    if "from" in table:
        raise UserError(f"{name}: from: names several players; name one, with bot = or command =")
    table.setdefault("name", file.stem)
    return with_options(side)


def _player_of_tournament(file: Side, chosen: str | None) -> Side:
    """The `[[player]]` table of the name that is wanted, or the only one."""
    tables = file.table["player"]
    if not isinstance(tables, list):
        tables = []  # [player], which `arena run` explains
    players: dict[str, Side] = {}
    for index, table in enumerate(tables):
        player = file._replace(table=table, at=("player", index))
        name = _name(player)
        if name is not None and "from" not in table:
            players.setdefault(name, player._replace(table=table | {"name": name}))
    if chosen is None and len(players) == len(tables) == 1:
        (chosen,) = players  # as in the file that a tuning leaves
    if chosen in players:
        return players[chosen]
    missing = "name one of its players" if chosen is None else f"it has no player named {chosen}"
    raise UserError(
        f"{file.letter}: {file.words} is a tournament; {missing}: "
        + (", ".join(f"{file.words}:{name}" for name in players) or "none can be read")
    )


def with_options(side: Side) -> Side:
    """With the typed options in place of those of the file."""
    options = side.table.get("options", {})
    if not isinstance(options, dict):
        return side  # reported when everything is read
    return side._replace(table=side.table | {"options": options | side.options})


def pairs_in(max_games: int) -> int:
    """How many pairs a number of games makes. Raises UserError where one is left over."""
    if max_games % 2:
        raise UserError(
            f"--max-games: must be a multiple of 2, as games are played in pairs, got {max_games}"
        )
    return max_games // 2


def game_and_clock(
    rules: str | None,
    settings: Iterable[str] | None,
    move_ms: int | None,
    bank_ms: int | None = None,
    increment_ms: int = 0,
) -> dict[str, dict[str, Any]]:
    """The two tables. Without a limit a move has 1000 ms. Raises UserError."""
    if move_ms is None and bank_ms is None:
        move_ms = 1000
    return {
        "game": {"rules": rules, **read_pairs("--set", settings)},
        "clock": {"move_ms": move_ms, "bank_ms": bank_ms, "increment_ms": increment_ms},
    }


def _refuse_other_game(sides: Sequence[Side], settings: Mapping[str, Any]) -> None:
    """Raise UserError where the default, with the settings typed, is not what the tournament of a
    player is of.
    """
    for side in sides:
        name = side.game.get("rules", RULES)
        if name != RULES:
            raise UserError(
                f"{side.letter}: {side.words} is a tournament of {shown(name)}, and the "
                f"default is {RULES}; add --rules, and --set where its board is another"
            )
        if settings:
            continue
        theirs = {key: value for key, value in side.game.items() if key != "rules"}
        try:
            is_default = rules.load(RULES, **theirs) == rules.load(RULES)
        except ValueError as error:
            wrong = printable(str(error))
            raise UserError(f"{side.letter}: [game] of {side.words}: {wrong}") from None
        if not is_default:
            them = " ".join(
                f"--set {key}={value if isinstance(value, str) else shown(value)}"
                for key, value in theirs.items()
            )
            raise UserError(
                f"{side.letter}: {side.words} is a tournament with settings of its own; add "
                f"{them}, or --rules {RULES} for the default"
            )


def make_config(
    sides: Sequence[Side], tables: Tables, command: str = "sprt", site: Site = HERE
) -> TournamentConfig:
    """The tournament of the two, ready to be played. Raises UserError, ConfigError."""
    names = _names(sides)
    settings = {
        name: {key: value for key, value in table.items() if value is not None}
        for name, table in tables.items()
    }
    if "rules" not in settings["game"]:
        _refuse_other_game(sides, settings["game"])
        settings["game"]["rules"] = RULES
    called = [name or side.words for side, name in zip(sides, names, strict=True)]
    players = [
        side.table | ({"name": name} if name is not None else {})
        for side, name in zip(sides, names, strict=True)
    ]
    try:
        config = read_config(
            {**settings, "player": players},
            BUILTINS,
            Path.cwd(),
            name="-".join((command, settings["game"]["rules"], *called)).replace("/", "-"),
            fit=site.fit,
            player_folders={index: side.folder for index, side in enumerate(sides)},
        )
    except Unusable as error:
        raise UserError("\n".join(_wrong(each, sides) for each in error.findings)) from None
    return ready(config, Path(f"arena {command}")) if site.here else config


def _names(sides: Sequence[Side]) -> tuple[str | None, ...]:
    """The names of the players, distinguished by the words typed; None where one is not known."""
    names = tuple(map(_name, sides))
    if len(set(names)) > 1 or names[0] is None:
        return names
    words = tuple(side.words.removeprefix("./").rstrip("/") for side in sides)
    if len(set(words)) > 1:
        return words
    return tuple(f"{name}-{side.letter.lower()}" for name, side in zip(names, sides, strict=True))


def _name(side: Side) -> str | None:
    try:
        table = PlayerTable.model_validate(side.table)
    except ValidationError:  # reported when everything is read
        return None
    reading = Reading(None, BUILTINS, side.folder, lambda at, message: None)
    found, _ = players_of((), table, reading)
    return table.name or next((player.name for player in found), None)


_OPTIONS = {
    ("game", "rules"): "--rules",
    ("tournament", "rounds"): "--max-games",
    ("openings", "file"): "--openings",
}
"""Options that are not called as their key is."""


def _wrong(finding: Finding, sides: Sequence[Side]) -> str:
    """A mistake, with the place where it was typed or written."""
    at = finding.path
    if len(at) > 1 and at[0] == "player" and isinstance(at[1], int):
        return wrong_player(at[2:], finding.message, sides[at[1]])
    if at[:2] in _OPTIONS:
        place = _OPTIONS[at[0], at[1]]  # type: ignore[index] # one of the keys above
    elif at[0] == "game":
        place = " ".join(("--set", *map(str, at[1:])))
    else:
        place = f"--{at[-1]}".replace("_", "-")
    return f"{place}: {finding.message}"


def wrong_player(at: KeyPath, message: str, side: Side) -> str:
    """A mistake in a player, with the place where it was typed or written."""
    if at[:1] == ("options",) and len(at) > 1 and at[1] in side.options:
        return f"--{side.letter.lower()}-option {written(at[1:])}: {message}"
    if side.text is not None:
        at = (*side.at, *at)
        line = KeyLines(side.text).line_of(at)
        return sentence(side.words, Problem(written(at), line, message))
    if at in (("bot",), ("command",)):
        return f"{side.letter}: {message}"
    hint = "; a FILE.toml of the player can say more" if at[:1] == ("resources",) else ""
    return f"{side.letter}, {side.words}: {written(at)}: {message}{hint}"
