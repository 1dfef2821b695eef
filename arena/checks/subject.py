"""The bot under check, as all items see it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from arena.bots.package import Bot
from arena.checks.advice import advise
from arena.checks.dialogue import Dialogue, Limits, Offence
from arena.checks.languages import Language, language_of
from arena.checks.positions import games
from arena.checks.result import Finding
from arena.model.containment import Held, Policy
from arena.model.fault import excerpt
from arena.model.game_spec import PlayerSpec
from arena.model.protocol import Termination
from arena.referee import SessionPool
from rules.position import Game

UNCLEAN = frozenset(
    {
        Termination.BAD_UTF8,
        Termination.BAD_JSON,
        Termination.BAD_SCHEMA,
        Termination.UNSOLICITED,
        Termination.FLOOD,
        Termination.LINE_TOO_LONG,
    }
)
"""Faults in what it writes, whatever it means."""
ANSWERED = UNCLEAN | {Termination.WRONG_PLY, Termination.ILLEGAL_MOVE}
"""Faults of a program that did answer in time."""


@dataclass
class Subject:
    """What is to be checked and how, and what earlier items found out about it."""

    path: Path
    """The script, folder or archive."""
    opponent: PlayerSpec
    held: Held
    """What its sandbox holds on this machine."""
    asked: tuple[str, ...] | None
    """The rule sets to check; None for those it claims."""
    limits: Limits
    memory_mb: int
    """What its processes may hold."""
    opened: Bot | None = None
    """The bot there, once it is opened; the one that can be started, once it is built."""
    rules: tuple[str, ...] = ()
    """The rule sets it is judged in: those asked for or claimed, or those it started."""
    hangs: bool = False
    """Whether a `turn` was left without an answer already: one such wait is enough."""
    again: Offence | None = None
    """What went wrong in a game that was not the first of its process, and not in a fresh one."""
    out_of_memory: Offence | None = None
    """Its first trespass of the memory limit."""
    fixes: dict[Termination, str] = field(default_factory=dict)
    """What to change, by the first fault of each kind."""
    slowest_ms: float = 0.0
    """The longest a move took when it was told to hurry."""
    peak_memory_bytes: int = 0
    """The most a process of it held so far."""

    @property
    def bot(self) -> Bot:
        """The bot, which an earlier item has opened."""
        assert self.opened is not None, "nothing is judged after a package that cannot be opened"
        return self.opened

    @property
    def claims(self) -> tuple[str, ...] | None:
        """The rule sets it must play; None for a script of which nobody said any."""
        return self.asked or self.bot.rules

    @cached_property
    def spec(self) -> PlayerSpec:
        """How it is started."""
        return PlayerSpec(
            name=self.bot.name,
            command=self.bot.command,
            cwd=self.bot.cwd,
            memory_mb=self.memory_mb,
            sandbox=Policy(mode=self.held.mode),
            held=self.held,
        )

    @cached_property
    def language(self) -> Language:
        """What it is written in."""
        script = self.bot.rules is None  # whatever else lies in its folder is none of it
        return language_of(self.bot.command, None if script else Path(self.bot.cwd))

    @property
    def boards(self) -> dict[str, Game]:
        """What it is asked about, by name; known once it has started."""
        return {name: game for rule_set in self.rules for name, game in games(rule_set).items()}

    @property
    def first_boards(self) -> dict[str, Game]:
        """The first board of each rule set."""
        return {rule_set: next(iter(games(rule_set).values())) for rule_set in self.rules}

    def open(self, pool: SessionPool) -> Dialogue:
        """A fresh process of it. Raises Offence."""
        return Dialogue(pool, self.spec, self.limits)

    @contextmanager
    def process(self) -> Iterator[Dialogue]:
        """A fresh process for the length of a `with` statement, after which nothing is left of it.

        Raises Offence.
        """
        with SessionPool() as pool:
            dialogue = self.open(pool)
            try:
                yield dialogue
            finally:
                self.close(dialogue)

    def close(self, dialogue: Dialogue) -> None:
        """End a process, and note what it held."""
        dialogue.kill()
        self.peak_memory_bytes = max(self.peak_memory_bytes, dialogue.process.peak_memory_bytes)

    def note_later(self, offence: Offence) -> None:
        """Keep what went wrong in a later game of a process and not in a fresh one."""
        if offence.termination is not Termination.OUT_OF_MEMORY:
            self.again = self.again or offence

    def failed(self, offence: Offence, where: str = "", fix: str | None = None) -> Finding:
        """What to say of an offence; `where` it happened comes first."""
        if offence.termination is Termination.OUT_OF_MEMORY:
            self.out_of_memory = self.out_of_memory or offence
        if offence.termination in ANSWERED and offence.heard is None:
            # The referee's games tell no lines: say again what was said with the line at hand.
            fix = fix or self.fixes.get(offence.termination)
        fix = fix or advise(offence, self.language)
        self.fixes.setdefault(offence.termination, fix)
        return Finding(
            passed=False,
            detail=f"{where}: {offence.detail}" if where else offence.detail,
            verdict=offence.termination,
            line=excerpt(offence.heard.text) if offence.heard else None,
            line_number=offence.heard.number if offence.heard else None,
            fix=fix,
        )
