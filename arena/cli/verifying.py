"""`arena tune --verify`: whether what was tuned is stronger than its start, by sequential tests.

One is played as the tuning was. The other is a tournament of two players under the referee, at the
thinking time that counts, kept in a store like any tournament.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from arena.cli.exits import Exit, UserError
from arena.cli.reporting import standings_of
from arena.cli.running import play_config
from arena.cli.tuned import half_points
from arena.cli.verify_table import Target, Verification
from arena.ratings.model import Verdict
from arena.ratings.sprt import Sprt
from arena.ratings.trial import Tally
from arena.toml.tables import written
from arena.tournament.config import Unusable, read_config
from arena.tournament.ready import ready
from arena.tournament.settings import TournamentConfig
from arena.tournament.store import Store
from players.catalogue import BUILTINS
from players.learning.tuning.config import BUDGETS, TuneConfig
from players.learning.tuning.result import START, player_options
from players.learning.tuning.tuner import VERIFY, Tuner

TUNED, START_NAME = "tuned", "start"
"""The players of the tests."""


def at_budget(config: TuneConfig) -> str:
    """The thinking time of the tuning, as results name it."""
    budget = ", ".join(f"{key} {config.options[key]}" for key in BUDGETS if config.options.get(key))
    return f"{budget}, as tuned"


def under_referee(target: Target) -> str:
    """The thinking time of the target, as results name it."""
    return f"{target.words}, under the referee"


class BudgetTest:
    """The test that is played as the tuning was, as far as the tuner has its games."""

    def __init__(self, tuner: Tuner, verification: Verification) -> None:
        """Raises UserError where it was begun with other hypotheses."""
        self.at = at_budget(tuner.config)
        self._tuner, self._most = tuner, verification.most_pairs
        self._tally = Tally(verification.test, TUNED, START_NAME, paired=True)
        self._refuse_other(tuner.verdicts.get(self.at), verification.test)
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
        pairs = len(self._tuner.matches[VERIFY])
        return self._tally.decision is not None or pairs >= self._most

    @property
    def verdict(self) -> Verdict:
        """Where it stands."""
        return self._tally.verdict

    def play(self) -> None:
        """Play some more pairs. Raises Aborted."""
        done = len(self._tuner.matches[VERIFY])
        self._tuner.extend(VERIFY, self._most)
        self._count(done)

    def _count(self, since: int) -> None:
        """Count the pairs from there on, and have the tuner keep the verdict."""
        self._tally.add(half_points(self._tuner.matches[VERIFY][since:]))
        if self._tuner.matches[VERIFY]:
            self._tuner.verdicts[self.at] = self.verdict.model_dump(mode="json")


def play_target(
    file: Path, tuner: Tuner, folder: Path, tuned: dict[str, Any], verification: Verification
) -> Exit:
    """Play the test at the target, or what is left of it, and have the tuner keep its verdict.

    `tuned` are the options of the tuned player. Raises UserError and ConfigError.
    """
    target = verification.target
    about = {"about": "The weights that the tuning began with."}
    start = player_options(tuner.space, tuner.space.start, folder / START, about)
    config = ready(_tournament(tuner.config, (tuned, start), folder, verification), file)
    slug = "".join(sign if sign.isalnum() else "-" for sign in target.words)
    store_path = folder / f"verify-{tuner.counts['games']}-{slug}.sqlite"
    typer.echo(f"\nThe tuned player against the start at {under_referee(target)}:")
    code = Exit(play_config(config, store_path, more="max_games in [verify]"))
    with Store.open(store_path) as store:
        verdict = standings_of(store).sprt
    assert verdict is not None  # as the tournament asks for a test
    tuner.verdicts[under_referee(target)] = verdict.model_dump(mode="json")
    tuner.save()
    return code


def _tournament(
    config: TuneConfig,
    players: tuple[dict[str, Any], dict[str, Any]],
    folder: Path,
    verification: Verification,
) -> TournamentConfig:
    """The tournament of the tuned player and the start. Raises UserError."""
    tables = []
    for name, options in zip((TUNED, START_NAME), players, strict=True):
        resources = resources_for(options)
        rethought = _rethought(options, verification.target)
        tables.append(
            {"bot": config.bot, "name": name, "options": rethought, "resources": resources}
        )
    try:
        return read_config(
            {
                "tournament": {
                    "rounds": verification.most_pairs,
                    "seed": config.seed,
                    "keep_alive": True,
                },
                "game": {"rules": config.rules, **config.variant},
                "clock": verification.target.clock,
                "openings": {"plies": config.plies},
                "sprt": verification.test.model_dump(),
                "player": tables,
            },
            BUILTINS,
            folder,
            name=f"{config.name}-verify",
        )
    except Unusable as error:
        told = (f"--verify: {written(each.path)}: {each.message}" for each in error.findings)
        raise UserError("\n".join(told)) from None


def resources_for(options: Mapping[str, Any]) -> dict[str, int]:
    """What a built-in with these options is given: room for its tables beside the default."""
    room = sum(value for key, value in options.items() if key.endswith("_mb"))
    return {"threads": options.get("threads", 1), "memory_mb": 2048 + room}


def _rethought(options: Mapping[str, Any], target: Target) -> dict[str, Any]:
    """Options with the thinking time of the target in place of their own."""
    kept = {key: value for key, value in options.items() if key not in BUDGETS}
    return kept | target.budget
