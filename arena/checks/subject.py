"""The bot under check, with the findings that items share."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from arena.bots.package import Bot
from arena.bots.prepare import prepare
from arena.checks.advice import advise
from arena.checks.conditions import Conditions, GameNames
from arena.checks.dialogue import Dialogue, Offence
from arena.checks.languages import Phrases, language_of
from arena.checks.positions import (
    PracticeGame,
    PracticePosition,
    boards_of,
    name_of,
    practice_positions,
)
from arena.checks.result import CheckFinding
from arena.model.containment import Held
from arena.model.contender import Contender, Home, Prepared
from arena.model.game_spec import first_position
from arena.model.protocol import Termination, excerpt
from arena.referee import SessionPool
from arena.referee.game import IN_STEP
from arena.sandbox.features import usable_cores
from rules import names
from rules.position import Game

ANSWERED = {*IN_STEP, Termination.UNSOLICITED, Termination.FLOOD, Termination.LINE_TOO_LONG}
"""Faults of a program that did answer in time."""
UNCLEAN = ANSWERED - {Termination.WRONG_PLY, Termination.ILLEGAL_MOVE}
"""Faults in the form of its output."""

FRESH_TRIES = 3
"""Fresh processes that must do it right before a failure is blamed on a game before it."""


@dataclass
class Subject:
    """The bot, the conditions of its check, and the findings of earlier items."""

    path: Path
    """The script, folder or archive."""
    opponent: Prepared
    held: Held
    """The sandbox of this machine and its guarantees."""
    conditions: Conditions
    report: Callable[[str], None]
    """Takes the progress of an item, in words."""
    opened: Bot | None = None
    """The bot once its package is opened; `spec` is it built."""
    rules: tuple[str, ...] = ()
    """The rule sets it is judged in, those that started; known after the item about starts."""
    hang: Offence | None = None
    """A `turn` without an answer: one such wait is enough."""
    wrong: frozenset[Termination] = frozenset()
    """The faults in the item about legal moves."""
    again: Offence | None = None
    """The first failure in a later game of a process that a fresh process did not have."""
    out_of_memory: Offence | None = None
    """The first time it went beyond the memory limit."""
    fixes: dict[Termination, str] = field(default_factory=dict)
    """The advice on the first fault of each kind."""
    slowest_ms: float = 0.0
    """The longest time of a move at the clock `hurry`."""
    peak_memory_bytes: int = 0
    """The most memory of a process so far."""

    @property
    def bot(self) -> Bot:
        """The bot, opened by an earlier item."""
        assert self.opened is not None, "nothing is judged after a package that cannot be opened"
        return self.opened

    @property
    def claims(self) -> tuple[str, ...] | None:
        """The rule sets it must play; None for a script that names none."""
        terms = self.conditions.terms
        return (terms.rules,) if terms else self.conditions.rules or self.bot.rules

    @cached_property
    def names(self) -> GameNames:
        return GameNames(self.conditions.seed)

    @cached_property
    def spec(self) -> Prepared:
        """How it is started, built before. Raises PackageError, ProgramError."""
        contender = Contender(
            name=self.bot.name,
            program=self.conditions.package(self.bot),
            options=dict(self.conditions.options),
            threads=self.conditions.threads,
            memory_mb=self.conditions.memory_mb,
        )
        home = Home(package=self.bot.cwd, held=self.held)
        return prepare(contender, (self.claims or names())[0], home)

    @cached_property
    def language(self) -> Phrases:
        script = self.bot.rules is None  # other files of its folder are not its own
        words = (*self.bot.command, self.bot.opens)  # of a source file its suffix
        return language_of(words, None if script else Path(self.bot.cwd))

    @property
    def boards(self) -> dict[str, Game]:
        """The games it is asked about, by name; known once it has started."""
        return {name: game for each in self.rules for name, game in self.games(each).items()}

    @property
    def first_boards(self) -> dict[str, Game]:
        return {rule_set: self.first_board(rule_set) for rule_set in self.rules}

    def games(self, rule_set: str) -> dict[str, Game]:
        """The boards it is asked about in a rule set: that of the tournament, else several."""
        terms = self.conditions.terms
        return {name_of(terms.game): terms.game} if terms else boards_of(rule_set)

    def first_board(self, rule_set: str) -> Game:
        return next(iter(self.games(rule_set).values()))

    def positions(self, game: Game) -> tuple[PracticePosition, ...]:
        return practice_positions(game, self.conditions.seed)

    def opening(self, game: Game, seat: int = 0) -> PracticeGame:
        seed = self.conditions.seed
        return PracticeGame(first_position(game, seed), seat=seat, seed=seed)

    def at(self, position: PracticePosition) -> PracticeGame:
        """A practice game from a position on, at the seat to move there."""
        seed = self.names.seed(f"{position.seat} {len(position.moves)}")
        return PracticeGame(position.position, position.moves, seat=position.seat, seed=seed)

    @contextmanager
    def process(self) -> Iterator[Dialogue]:
        """A fresh process of it, killed afterwards. Raises Offence."""
        with SessionPool(cores=usable_cores()) as pool:
            dialogue = Dialogue(pool, self.spec, self.conditions.clocks, self.names)
            try:
                yield dialogue
            finally:
                dialogue.kill()
                peak = dialogue.process.peak_memory_bytes
                self.peak_memory_bytes = max(self.peak_memory_bytes, peak)

    def note_later(self, offence: Offence) -> None:
        """Keep a failure in a later game of a process that a fresh process did not have."""
        if offence.termination is not Termination.OUT_OF_MEMORY:
            self.again = self.again or offence

    def failed(self, offence: Offence, where: str = "", fix: str | None = None) -> CheckFinding:
        """The finding of an offence; `where` it happened comes first."""
        if offence.termination is Termination.OUT_OF_MEMORY:
            self.out_of_memory = self.out_of_memory or offence
        if offence.termination in ANSWERED and offence.heard is None:
            # A game of the referee shows no line: use the fix found with the line at hand.
            fix = fix or self.fixes.get(offence.termination)
        advice = advise(offence, self.language)
        self.fixes.setdefault(offence.termination, advice)
        return CheckFinding(
            passed=False,
            detail=f"{where}: {offence.message}" if where else offence.message,
            verdict=offence.termination,
            line=excerpt(offence.heard.text) if offence.heard else None,
            line_number=offence.heard.number if offence.heard else None,
            fix=fix or advice,
        )
