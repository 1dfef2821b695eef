"""The conditions of a check: the games, the clocks, the resources of the bot."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple, Self

from arena.bots import programs
from arena.bots.package import Bot
from arena.bots.prepare import as_package
from arena.model.containment import SandboxChoice
from arena.model.contender import MEMORY_MB, Package
from arena.model.game_spec import GRACE_MS, STARTUP_MS, Terms, derive
from arena.model.protocol import Clock

_PATIENCE_MS = 5_000
_MOST_PATIENCE_MS = 30_000
_HURRIED_MS = 250
"""A clock as short as this is sent everywhere."""
HURRY = Clock(move_ms=100)


class CheckClocks(NamedTuple):
    """The clocks of a check, by default those of a tournament by default, and a short one."""

    startup_ms: int = STARTUP_MS
    grace_ms: int = GRACE_MS
    """Added to every limit."""
    judged: tuple[Clock, ...] = (Clock(move_ms=5_000), Clock(move_ms=500))
    """Those of the item about the clock: the last for every rule set, the others for the first."""
    hurry: Clock = HURRY
    """Sent where the item is not about the clock; the answer is judged by `patience_ms`."""
    patience_ms: int = _PATIENCE_MS

    @property
    def lenient_ms(self) -> int:
        """The grace of a move where the item is not about the clock."""
        return self.grace_ms + self.patience_ms - limit_ms(self.hurry)


def limit_ms(clock: Clock) -> int:
    """The longest that a first move may take."""
    return clock.limit_ms(clock.bank_ms)


def clocks_of(terms: Terms) -> CheckClocks:
    limit = limit_ms(terms.clock)
    return CheckClocks(
        startup_ms=terms.startup_ms,
        grace_ms=terms.grace_ms,
        judged=(terms.clock,),
        hurry=terms.clock if limit <= _HURRIED_MS else HURRY,
        patience_ms=min(max(_PATIENCE_MS, limit), _MOST_PATIENCE_MS),
    )


def draw_seed() -> int:
    return secrets.randbits(31)


_CLOCKS = CheckClocks()


@dataclass(frozen=True)
class Conditions:
    rules: tuple[str, ...] | None = None
    """The rule sets to check it in; None for those it claims."""
    terms: Terms | None = None
    """Those of the tournament it is to play in; None without one."""
    clocks: CheckClocks = _CLOCKS
    options: Mapping[str, Any] = field(default_factory=dict)
    threads: int = 1
    memory_mb: int = MEMORY_MB
    sandbox: SandboxChoice = "auto"
    python: str | None = None
    """The Python of its player's table; None for that of bot.toml."""
    default_python: str | None = None
    """The Python for all; None for the one that runs the arena."""
    in_place: bool = False
    """Whether the tournament names the bot by its path: a script then has the files next to it."""
    seed: int = field(default_factory=draw_seed)
    """Draws the positions it is asked about, and the ids and seeds of its games."""

    def with_python(self, name: str | None) -> Self:
        """The same, where a Python is named that is taken if no other is."""
        return replace(self, default_python=self.default_python or name)

    def package(self, bot: Bot) -> Package:
        return as_package(bot, self.python, self.default_python)

    def python_for(self, bot: Bot) -> str:
        """The program that runs its scripts. Raises ProgramError."""
        return programs.python(self.package(bot).python, Path.cwd())


class GameNames:
    """Ids and seeds of games as in a tournament: a program cannot see that it is checked."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._numbers = count(1 + derive(seed, "first game") % 200)

    def next(self) -> str:
        return f"g{next(self._numbers):04d}"

    def seed(self, label: str) -> int:
        """The seed of the game, or the games, of that label."""
        return derive(self._seed, label)
