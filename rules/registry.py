"""The games there are: those of this room, and those that other packages register.

A package adds a game by an entry point of the group `arena.games`, whose name is that of the rule
set and whose value is a `Registration`:

    [project.entry-points."arena.games"]
    connect4 = "connect4.rules:REGISTRATION"
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from inspect import signature
from typing import TYPE_CHECKING, Any

from rules import dots, othello, tiles
from rules.package_errors import BrokenPromise, describe, lines_of
from rules.position import Game
from rules.rehearsal import rehearse
from rules.settings import one_of, only_known

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint
    from pathlib import Path

GROUP = "arena.games"
_NAME = "[a-z0-9][a-z0-9_-]*"
"""A name is part of those of files and addresses."""


@dataclass(frozen=True)
class Registration:
    """The registration of a game: its rules and, for players that search, its compiled code."""

    load: Callable[..., Game]
    """Makes the game of its settings, which are keyword arguments; each has a default. Raises
    ValueError for a value that is none of its setting's: the first word is the setting."""
    kernels: str = ""
    """The package whose `GAME` is the `players.games.registry.CompiledGame`, in the same top-level
    package as the value; "" where there is none."""
    unsupported: Callable[[Mapping[str, Any]], str | None] = lambda _: None
    """A sentence on why the kernels cannot play these settings, such as `it plays on boards up to
    8×8, not 10×10`; None when they can, which the default settings must be."""

    def __post_init__(self) -> None:
        for name in ("load", "unsupported"):
            if not callable(found := getattr(self, name)):
                raise TypeError(f"`{name}` of a Registration must be a function, not {found!r}")
        if not isinstance(self.kernels, str):
            raise TypeError(
                f"`kernels` of a Registration must be the name of a package, not {self.kernels!r}"
            )


_OWN: Mapping[str, Registration] = {
    "othello": Registration(othello.load),
    "dots": Registration(dots.load),
    **{name: Registration(partial(tiles.load, name)) for name in tiles.NAMES},
}

GAMES = tuple(_OWN)
"""The rule sets of this room."""


@cache
def _registered() -> Mapping[str, Sequence[EntryPoint]]:
    """The entry points by the names of their rule sets; one for a game that can be loaded."""
    from importlib.metadata import entry_points  # long to import and seldom needed, as the next

    found: dict[str, dict[str, EntryPoint]] = {}
    for point in entry_points(group=GROUP):
        found.setdefault(point.name, {})[point.value] = point
    return {name: tuple(points.values()) for name, points in found.items()}


def _foreign() -> Iterator[str]:
    return (name for name in sorted(_registered()) if name not in _OWN)


def names() -> tuple[str, ...]:
    """The names `load` knows: GAMES, then registered ones."""
    return (*GAMES, *_foreign())


@cache
def registration(name: str) -> Registration:
    """The registration of the rule set `name`. ValueError: unknown, or cannot be imported."""
    if name in _OWN:
        return _OWN[name]
    points = _registered()[one_of("the game", name, names())]
    if len(points) > 1:
        both = " and ".join(
            sorted(f"{point.value} of the package {_package(point)}" for point in points)
        )
        raise ValueError(f"the game {name!r} is registered twice, by {both}: uninstall one of them")
    (point,) = points
    try:
        found = point.load()
    except (Exception, SystemExit) as error:  # its module may do anything
        why = f"the game {name!r} cannot be loaded from {point.value}: {describe(error)}"
        raise ValueError(why) from error
    if not isinstance(found, Registration):
        kind = type(found).__name__
        raise ValueError(f"the game {name!r}: {point.value} is a {kind}, no rules.Registration")
    return found


def _package(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist else point.module


def folders(name: str) -> tuple[Path, ...]:
    """What a program must read to find a registered game: the folder of its package, or the file
    of its module, and the descriptions of packages next to its own; () for GAMES.
    """
    if name in _OWN:
        return ()
    from importlib.util import find_spec
    from pathlib import Path

    point = _registered()[one_of("the game", name, names())][0]
    package = find_spec(point.module.partition(".")[0])
    found = [Path(each) for each in (package and package.submodule_search_locations) or ()]
    if package and not found and package.has_location:  # a single module
        found = [Path(str(package.origin))]
    if point.dist is not None:
        found += sorted(Path(str(point.dist.locate_file(""))).glob("*.dist-info"))
    return tuple(found)


def package(name: str) -> str:
    """The package that has a registered game, as `connect4 1.0`."""
    return _package(_registered()[name][0])


def load(name: str, /, **settings: Any) -> Game:
    """The rule set `name` with its settings; what is not given has a default.

    othello: preset ("standard" or "cornerless"), size (even, 4 to 16; 8), and what overrides the
        preset: start ("centre" or "empty"), corners (whether they may be played), free_centre
        (whether an empty central square is always playable).
    dots: rows, cols (of boxes, 1 to 15; 5), stop_at_majority (whether the game ends once a seat
        owns more than half of the boxes; false).
    2048, 2584: spawn ("2/4"; "1/2" or "1/3"), placer ("chance" or "player"), placer_chooses
        ("tile", or "cell" alone, whose tile is drawn).

    Raises ValueError for an unknown name, option or value, naming the known ones.
    """
    # One that cannot be hashed is not looked for.
    loader = registration(name if name in GAMES else one_of("the game", name, names())).load
    taken = _settings_of(loader)
    if taken is not None:
        only_known(name, settings, taken)
    return loader(**settings)


@cache
def _settings_of(loader: Callable[..., Game]) -> tuple[str, ...] | None:
    """The settings that it takes; None where it judges them itself."""
    taken = signature(loader).parameters.values()
    judges = any(each.kind is each.VAR_KEYWORD for each in taken)
    return None if judges else tuple(each.name for each in taken)


@cache
def default(name: str) -> Game:
    """The rule set `name` with default settings, for traits that no setting changes. ValueError."""
    return load(name)


def usable() -> tuple[str, ...]:
    """The names of games that can begin: one package's mistake costs the other games nothing."""
    return tuple(name for name in names() if not unusable(name))


@cache
def unusable(name: str) -> str:
    """Why the game of one of `names()` cannot begin, with default settings; "" where it can."""
    if name in _OWN:
        return ""
    try:
        _, wrong = judge(name, {})
    except ValueError as error:
        return str(error)
    return wrong.get("", "")


def misnamed() -> Iterator[str]:
    """A sentence for each game of a package that is called as one of GAMES, which is played."""
    for name in _OWN:
        for point in _registered().get(name, ()):
            yield (
                f"the game {name!r} of the package {_package(point)} needs another name: the arena "
                "has one of that name, which is played"
            )


def slow() -> Iterator[str]:
    """A sentence for each game of a package whose rules take long."""
    for name in _foreign():
        if not unusable(name) and (why := rehearse(default(name))):
            yield f"the game {name!r} of the package {package(name)} will take long: {why}"


def blame(error: BaseException) -> str:
    """A sentence on the package of games that an error comes from; "" where it comes from none."""
    for line in reversed(lines_of(error)):
        for name in _foreign():
            if line.package in (each.module.partition(".")[0] for each in _registered()[name]):
                return f"the package {package(name)} failed in `{line.function}`: {describe(error)}"
    return ""


def judge(name: str, settings: Mapping[str, Any]) -> tuple[Game | None, dict[str, str]]:
    """The rule set as far as its settings can be used, and what is wrong with the others: by key,
    under "" what is wrong with them together, where there is no game. ValueError: an unknown name.
    """
    left, wrong = dict(settings), dict[str, str]()
    registration(name)
    while True:
        try:
            return load(name, **left) if name in _OWN else _load_foreign(name, left), wrong
        except ValueError as error:
            reason, first = str(error), _first_word(error)
            key = next((key for key in left if key == first or f"option {key!r}" in reason), "")
            wrong[key] = reason
            if not key:
                return None, wrong
            del left[key]  # the rest may be wrong too


def _load_foreign(name: str, settings: Mapping[str, Any]) -> Game:
    """A package's game. ValueError: it refuses a setting, cannot begin or contradicts itself."""
    try:
        game = load(name, **settings)
    except ValueError as error:
        if _first_word(error) in (*settings, name):
            raise
        raise ValueError(f"the game {name!r} refuses its settings: {error}") from error
    except (Exception, SystemExit) as error:  # its code may do anything
        raise ValueError(f"the game {name!r} cannot begin: {describe(error)}") from error
    try:
        _refuse_contradictions(name, game)
        rehearse(game)
    except BrokenPromise as error:
        raise ValueError(f"the game {name!r} contradicts itself: {error}") from error
    except (Exception, SystemExit) as error:
        raise ValueError(f"the game {name!r} cannot begin: {describe(error)}") from error
    return game


def _first_word(error: ValueError) -> str:
    return re.split(r"\W", str(error), maxsplit=1)[0]


def _refuse_contradictions(name: str, game: Game) -> None:
    """BrokenPromise: a package's game says of itself what cannot be."""
    if not isinstance(game, Game):
        raise BrokenPromise(f"its `load` gives {game!r}, no rules.Game")
    if game.name != name:
        raise BrokenPromise(f"its `name` is {game.name!r}, and must be that of its entry point")
    if not re.fullmatch(_NAME, name):
        raise BrokenPromise("its name must be of small letters a to z, digits, - and _")
    if not isinstance(game.variant, dict):
        raise BrokenPromise(f"its `variant` is {game.variant!r}, no dict of its settings")
    if load(name, **json.loads(json.dumps(game.variant))) != game:
        raise BrokenPromise(
            f"its `variant` {game.variant} makes another game: it must have every setting, of the "
            "types of JSON, and games must be equal by value, as those of a frozen dataclass are"
        )
    for board, settings in game.check_boards.items():
        try:
            load(name, **settings)
        except ValueError as error:
            raise BrokenPromise(f"its board {board!r} of `check_boards`: {error}") from error
    if game.seats not in (1, 2):
        raise BrokenPromise(f"its `seats` are {game.seats}, and must be 1 or 2")
    if game.seats == 1 and not game.decided_by_seed:
        raise BrokenPromise("one plays it alone, so `decided_by_seed` must be True")
    why = registration(name).unsupported(game.variant)
    if not (why is None or (isinstance(why, str) and why)):
        raise BrokenPromise(f"its `unsupported` gives {why!r}, neither a sentence nor None")
