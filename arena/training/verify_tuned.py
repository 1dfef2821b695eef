"""What `arena tune --verify` tests of tuned values: the tuned player against its start."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from arena.errors import Exit
from arena.training.verify import (
    BudgetTest,
    Contest,
    Sides,
    budget_of,
    conclusion,
    play_target,
    slug,
    under_referee,
)
from arena.training.verify_config import Verification
from players.learning.tuning.result import START, player_options
from players.learning.tuning.tuner import VERIFY, Tuner

_DIGEST = 8
"""How many signs of a digest of the values name the test under the referee."""
SIDES = Sides("tuned", "start", "The tuned player against the start")


class TunedPairs:
    """The pairs that a tuning plays against its start, kept in its checkpoint."""

    def __init__(self, tuner: Tuner) -> None:
        self._tuner = tuner
        self.save, self.verdicts = tuner.save, tuner.verdicts

    @property
    def scores(self) -> Sequence[float]:
        """What each pair brought so far: 0 to 2."""
        return self._tuner.matches[VERIFY]

    def repeats(self, first: int) -> int:
        """None is known: their moves are not kept."""
        return 0

    def extend(self, most: int) -> None:
        """Play some more pairs, up to `most` in all. Raises Aborted."""
        self._tuner.extend(VERIFY, most)


def budget_test(tuner: Tuner, verification: Verification) -> BudgetTest:
    """The test that is played as the tuning was. Raises UserError."""
    return BudgetTest(SIDES, _at_budget(tuner), TunedPairs(tuner), verification)


def _at_budget(tuner: Tuner) -> str:
    """The thinking time of the tuning, as results name it."""
    return f"{budget_of(tuner.config.options)}, as tuned"


def play_tuned(
    file: Path,
    tuner: Tuner,
    folder: Path,
    tuned: dict[str, Any],
    verification: Verification,
    console: Console,
) -> Exit:
    """Play the test at the target, or what is left of it, and have the tuner keep its verdict; the
    result of both tests.

    `tuned` are the options of the tuned player. Raises UserError, ConfigError and OSError.
    """
    about = {"about": "The weights that the tuning began with."}
    start = player_options(tuner.space, tuner.space.start, folder / START, about)
    config, target = tuner.config, verification.target
    contest = Contest(
        config=config,
        sides=SIDES,
        at=under_referee(target),
        plies=config.plies,
        bot=config.bot,
        options=(tuned, start),
    )
    store_path = folder / f"verify-{_digest(tuner)}-{slug(target.words)}.sqlite"
    code, verdict = play_target(file, contest, store_path, verification, console)
    tuner.verdicts[contest.at] = verdict
    tuner.save()
    return conclusion(code, {at: tuner.verdicts[at] for at in (_at_budget(tuner), contest.at)})


def _digest(tuner: Tuner) -> str:
    """Tells the values tuned, and those begun with, from others: a test is of these alone."""
    values = json.dumps((tuner.space.start, tuner.vector))
    return hashlib.sha256(values.encode()).hexdigest()[:_DIGEST]
