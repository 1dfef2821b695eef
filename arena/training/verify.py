"""`arena tune --verify`: whether a player is stronger by what it learned, by sequential tests.

One is played in process, with the players thinking as they learned. The other is a tournament of
two players under the referee, at the thinking time that counts, kept in a store like any
tournament.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.console import Console

import rules
from arena.errors import ConfigChangedError, Exit, UserError
from arena.files.background import apart
from arena.files.stop_signals import Stop
from arena.files.toml_tables import written
from arena.ratings.model import Verdict
from arena.ratings.sprt import Sprt
from arena.ratings.trial import Tally
from arena.reports.playing import play_config
from arena.reports.screen import Lines
from arena.reports.words import about_sprt
from arena.tournament.config import TournamentConfig, differences
from arena.tournament.config_file import Unusable, read_config
from arena.tournament.ready import ready
from arena.tournament.run_view import RunView
from arena.tournament.store import Store
from arena.training.tune_view import LiveTest, PlainTest
from arena.training.tuned_player import half_points
from arena.training.verify_config import Target, Verification
from players.catalogue import BUILTINS
from players.learning.tuning.config import BUDGETS, unhurried
from players.learning.tuning.matches import Aborted

if TYPE_CHECKING:
    from arena.training.verify_tuned import TunedPairs
    from players.learning.games.config import GamesConfig
    from players.learning.games.evidence import NetworkPairs
    from players.learning.tuning.config import TuneConfig

_SAVE_S = 2.0
"""What was played is saved at the end, and before that at most this often."""


class Sides(NamedTuple):
    """The two players of a test."""

    new: str
    """The name of the player that learned something."""
    old: str
    """The name of the other."""
    title: str
    """As `The tuned player against the start`."""


@dataclass(frozen=True)
class Contest:
    """A test under the referee."""

    config: TuneConfig | GamesConfig
    """Of what was learned: its name, rules, settings and seed count."""
    sides: Sides
    at: str
    """How results name the thinking time."""
    plies: int
    """Of the random openings."""
    bot: str
    options: tuple[dict[str, Any], dict[str, Any]]
    """The new player's, and the old one's; budgets of their own among them do not count."""


def budget_of(options: Mapping[str, Any]) -> str:
    """The thinking time that options have, as results name it."""
    return ", ".join(f"{key} {options[key]}" for key in BUDGETS if options.get(key))


def under_referee(target: Target) -> str:
    """The thinking time of the target, as results name it."""
    return f"{target.words}, under the referee"


class BudgetTest:
    """The test in process, as far as its games are there."""

    def __init__(
        self, sides: Sides, at: str, pairs: TunedPairs | NetworkPairs, verification: Verification
    ) -> None:
        """`at` is how results name the thinking time. Raises UserError where the test was begun
        with other hypotheses.
        """
        self.at = at
        self.title = f"{sides.title} at {at}"
        self._pairs, self._most = pairs, verification.most_pairs
        self._tally = Tally(verification.test, sides.new, sides.old, paired=True)
        self._refuse_other(pairs.verdicts.get(at), verification.test)
        self._count(0)

    def _refuse_other(self, before: dict[str, Any] | None, test: Sprt) -> None:
        """Hypotheses may not be chosen by what the games say."""
        if before is None:
            return
        changed = [
            f"{key} {before[key]} → {value}"
            for key, value in test.model_dump().items()
            if before[key] != value
        ]
        if changed:
            raise UserError(
                f"The test at {self.at} was begun with other settings in [verify], and goes on "
                f"with the same alone. Changed: {', '.join(changed)}. Give the old ones back, or "
                "tune in another folder with --out"
            )

    @property
    def over(self) -> bool:
        """Whether it is decided, or given up."""
        return self._tally.decision is not None or len(self._pairs.scores) >= self._most

    @property
    def verdict(self) -> Verdict:
        """Where it stands."""
        repeats = self._pairs.repeats(self._tally.units)
        return self._tally.verdict.model_copy(update={"repeats": repeats})

    def play(self) -> None:
        """Play some more pairs. Raises Aborted."""
        done = len(self._pairs.scores)
        self._pairs.extend(self._most)
        self._count(done)

    def save(self) -> None:
        """Keep what was played. Raises OSError."""
        self._pairs.save()

    def _count(self, since: int) -> None:
        """Count the pairs from there on, and have the verdict kept."""
        self._tally.add(half_points(self._pairs.scores[since:]))
        if self._pairs.scores:
            self._pairs.verdicts[self.at] = self.verdict.model_dump(mode="json")


def play_budget(
    test: BudgetTest, view: LiveTest | PlainTest, stop: Stop, say: Callable[[str], None]
) -> None:
    """Play the test in process until it is over, or a signal stops it; it is kept either way. `say`
    shows a line that stays.
    """
    say(f"{test.title}:")
    saved_at = time.monotonic()
    while not stop.asked and not test.over:
        view.doing("testing")
        try:
            apart(test.play)
        except Aborted:
            break
        view.show_test(test.verdict)
        if time.monotonic() - saved_at > _SAVE_S:
            test.save()
            saved_at = time.monotonic()
    test.save()
    for line in about_sprt(test.verdict):
        say(line)


def play_target(
    file: Path, contest: Contest, store_path: Path, verification: Verification, console: Console
) -> tuple[Exit, dict[str, Any]]:
    """Play the test at the target, or what is left of it; its verdict. Raises UserError and
    ConfigError.
    """
    config = ready(_tournament(contest, store_path.parent, verification), file)
    say, more = Lines(console).say, "max_games in [verify]"
    say(f"\n{contest.sides.title} at {contest.at}:")
    try:
        code = play_config(config, BUILTINS, store_path, more=more)
    except ConfigChangedError:
        config = _as_begun(config, contest, store_path, verification.target)
        say("It goes on with the higher max_games that it was begun with.")
        code = play_config(config, BUILTINS, store_path, more=more)
    with RunView(store_path) as view:
        verdict = view.verdict
    assert verdict is not None  # as the tournament asks for a test
    return Exit(code), verdict.model_dump(mode="json")


def _as_begun(
    config: TournamentConfig, contest: Contest, store_path: Path, target: Target
) -> TournamentConfig:
    """The test with the rounds that it was begun with. Raises UserError where other settings
    changed too.
    """
    with Store.open(store_path) as store:
        before = store.config
    config = config.model_copy(update={"rounds": max(before.rounds, config.rounds)})
    changed = differences(before, config)
    if not changed:
        return config
    listed = "\n".join(f"  {_as_written(line, contest.sides, target)}" for line in changed)
    raise UserError(
        f"The test at {contest.at} was begun with other settings, and goes on with the same "
        f"alone. Changed:\n{listed}\nGive the old ones back, or move {store_path} away to begin "
        "that test again."
    )


def _as_written(change: str, sides: Sides, target: Target) -> str:
    """A change of the tournament, `key: old → new`, in words of the file that asks for the test."""
    for key, words in (
        ("clock", f"[verify] {target.words}"),
        ("sprt", "[verify]"),
        ("player[1]", f"{sides.new} player"),
        ("player[2]", f"{sides.old} player"),
    ):
        if change.startswith((f"{key}.", f"{key}:")):
            return f"{words}, {change[len(key) + 1 :].strip()}"
    return change


def slug(words: str) -> str:
    """Words as a part of a file's name."""
    return "-".join("".join(sign if sign.isalnum() else " " for sign in words).split())


def conclusion(code: Exit, verdicts: Mapping[str, Mapping[str, Any]]) -> Exit:
    """The exit code once the last test ended with `code`: FAILED where one is undecided."""
    undecided = any(each["decision"] is None for each in verdicts.values())
    return Exit.FAILED if code is Exit.DONE and undecided else code


def _tournament(contest: Contest, folder: Path, verification: Verification) -> TournamentConfig:
    """The tournament of the two. Raises UserError."""
    on_one_seed = rules.default(contest.config.rules).decided_by_seed  # the games of a round
    comparisons_a_pair = 2 if on_one_seed else 1
    tables = []
    for name, options in zip(contest.sides[:2], contest.options, strict=True):
        resources = resources_for(options)
        rethought = rethink(contest.bot, options, verification.target)
        tables.append(
            {"bot": contest.bot, "name": name, "options": rethought, "resources": resources}
        )
    try:
        return read_config(
            {
                "tournament": {
                    "rounds": verification.most_pairs * comparisons_a_pair,
                    "seed": contest.config.seed,
                    "keep_alive": True,
                },
                "game": {"rules": contest.config.rules, **contest.config.variant},
                "clock": verification.target.clock,
                "openings": {"plies": contest.plies},
                "sprt": verification.test.model_dump(),
                "player": tables,
            },
            BUILTINS,
            folder,
            name=f"{contest.config.name}-verify",
        )
    except Unusable as error:
        told = (f"--verify: {written(each.path)}: {each.message}" for each in error.findings)
        raise UserError("\n".join(told)) from None


def resources_for(options: Mapping[str, Any]) -> dict[str, int]:
    """What a built-in with these options is given: room for its tables on top of the default."""
    room = sum(value for key, value in options.items() if key.endswith("_mb"))
    return {"threads": options.get("threads", 1), "memory_mb": 2048 + room}


def rethink(bot: str, options: Mapping[str, Any], target: Target) -> dict[str, Any]:
    """Options with the thinking time of the target in place of their own. At a clock the player
    thinks as it does by default in any tournament.
    """
    kept = {key: value for key, value in options.items() if key not in BUDGETS}
    return unhurried(bot, kept | target.budget) if target.budget else kept
