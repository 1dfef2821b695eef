"""The tests of `arena tune --verify` of a learned evaluation: a player with it against the same
player with the default one.
"""

import os
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from rich.console import Console

from arena.errors import Exit, UserError
from arena.reports import words
from arena.training import verify
from arena.training.run_folder import EVIDENCE, NETWORK, stoppable, store_of_test
from arena.training.tune_view import LiveTuning, PlainTuning
from arena.training.verify_config import Asker, Verification
from players.learning.games.evidence import Evidence, NetworkMatch, NetworkPairs
from players.learning.games.trainer import GamesConfig
from players.ntuple.network import Network

SIDES = verify.Sides("learned", "default", "The learned evaluation against the default one")
_DIGEST, _LONGEST = 8, 120
"""How many signs of a network's digest name its test under the referee, and of the name at most."""


class NetworkTrial:
    """The tests of a network in a folder, as far as they were played."""

    def __init__(
        self,
        config: GamesConfig,
        verification: Verification,
        asker: Asker,
        folder: Path,
        network: Network,
        test: str,
    ) -> None:
        """`test` is the command that tests it. Raises UserError where what was kept is damaged."""
        self._config, self._verification, self._asker = config, verification, asker
        self._folder, self._test = folder, test
        try:
            self._evidence = Evidence(folder / EVIDENCE, network)
        except ValueError as error:
            raise UserError(str(error)) from None
        verify.refuse_damaged(folder / EVIDENCE, self._evidence.verdicts)
        self._new = asker.options | {"evaluation": str((folder / NETWORK).resolve())}
        self._by = asker.bot
        if asker.options:
            self._by += f" ({words.settings(asker.options)})"

    @property
    def known(self) -> dict[str, Any]:
        """The fields on tests in the header of the network's file."""
        verdicts = self._evidence.verdicts
        return {"tests": tuple(verify.tests_of(verdicts)), "gain": self.gain} if verdicts else {}

    @property
    def gain(self) -> str:
        """Whether the network is a gain, in a sentence."""
        evidence, over = self._evidence, "the default evaluation"
        return verify.gain(evidence.verdicts, self._test, over, evidence.earlier_tests)

    def play(self, file: Path, console: Console, say: Callable[[str], None]) -> Exit:
        """Play both tests, or what is left of them; `say` shows a line that stays.

        Raises UserError, ConfigError and OSError.
        """
        evidence, verification = self._evidence, self._verification
        budget = f"{verify.budget_of(self._asker.budget)}, in process, by {self._by}"
        if not self._play_budget(budget, console, say):
            say(f"Stopped. Continue with: {self._test}")
            return Exit.INTERRUPTED
        by = verify.slug(f"{verification.target.words} {self._by}")
        name = f"{evidence.weights[:_DIGEST]}-{by}"
        contest = verify.Contest(
            config=self._config,
            sides=SIDES,
            budget=budget,
            at=f"{verify.under_referee(verification.target)}, by {self._by}",
            plies=self._asker.plies,
            bot=self._asker.bot,
            options=(self._new, self._asker.options),
            store_path=store_of_test(self._folder, name[:_LONGEST]),
        )
        return verify.play_target(file, contest, verification, console, evidence)

    def _play_budget(self, at: str, console: Console, say: Callable[[str], None]) -> bool:
        """Play the test in process, or what is left of it; whether it is over."""
        config, asker = self._config, self._asker
        meeting = NetworkMatch(
            rules=config.rules,
            variant=config.variant,
            bot=asker.bot,
            options=(self._new | asker.budget, asker.options | asker.budget),
            plies=asker.plies,
            seed=f"{config.seed}:verify:{self._evidence.weights}",
            threads=len(os.sched_getaffinity(0)),
        )
        with closing(NetworkPairs(self._evidence, at, meeting)) as pairs:
            test = verify.BudgetTest(SIDES, at, pairs, self._verification)
            if test.over:
                return True
            make_view = LiveTuning if console.is_terminal else PlainTuning
            with (
                make_view(console, time.monotonic) as view,
                stoppable(pairs.load, pairs.interrupt, view.doing, say) as stop,
            ):
                verify.play_budget(test, view, stop, say)
            return test.over
