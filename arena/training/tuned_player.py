"""The evidence for a tuned player: tests of it against its start."""

import hashlib
import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

import rules
from arena.errors import Exit
from arena.ratings.pentanomial import figures, spread
from arena.ratings.tables import mean_score
from arena.reports import words
from arena.training import verify
from arena.training.run_folder import store_of_test
from arena.training.verify_config import AMPLE_MS, Target, Verification
from players.catalogue import BUILTINS
from players.learning.tuning.config import TuneConfig, unhurried
from players.learning.tuning.methods import decisive
from players.learning.tuning.result import START, player_options
from players.learning.tuning.tuner import TunedPairs, Tuner

_DIGEST = 8
"""How many signs of a digest of the values name the test under the referee."""
SIDES = verify.Sides("tuned", "start", "The tuned player against the start")

Slid = Sequence[tuple[int, int]]
"""The scores of the tuned player and of the start as sliders of 2048 or 2584."""


def measured(scores: Sequence[float], slid: Slid) -> dict[str, Any]:
    """The result of the match of fixed length against the start, as the files have it."""
    if not scores:
        return {"games": 0, "note": "not measured yet"}
    counts = _counts(scores)
    found = figures(counts)
    brought: dict[str, Any] = {
        "against": "the start, as tuned",
        "games": 2 * len(scores),
        "score": round(spread(counts).mean, 4),
        "decisive_pairs": round(decisive(scores), 4),
        "elo": round(found.elo, 1),
        "elo_error_95": round(found.elo_error, 1),
    }
    for name, (mean, error) in _means(slid).items():
        brought[f"mean_score_of_{name}"] = {"mean": round(mean), "error_95": round(error)}
    return brought


def measured_line(scores: Sequence[float], slid: Slid) -> str:
    """The match against the start, in a sentence or two."""
    counts = _counts(scores)
    found = figures(counts)
    line = (
        f"In {2 * len(scores):,} fresh games against the start: {100 * spread(counts).mean:.1f}%, "
        f"Elo {found.elo:+z.0f} ± {found.elo_error:.0f} (95%), pairs "
        f"{words.decisive(decisive(scores))}."
    )
    means = (f"{name} {mean:,.0f} ± {error:,.0f}" for name, (mean, error) in _means(slid).items())
    return f"{line} Mean scores: {', '.join(means)}." if slid else line


def _means(slid: Slid) -> dict[str, tuple[float, float]]:
    """By player, the mean score with half of its 95% interval."""
    means = {}
    for name, scores in zip(("tuned", "start"), zip(*slid, strict=True), strict=False):
        mean, error = mean_score(scores)
        assert error is not None  # games come in pairs
        means[name] = mean, error
    return means


def _counts(scores: Sequence[float]) -> list[int]:
    """Pairs by the half points taken in them, 0 to 4."""
    taken = verify.half_points(scores)
    return [taken.count(result) for result in range(5)]


def about(config: TuneConfig) -> str:
    """The tuned parameters and the method, in a line."""
    settings = words.settings
    return (
        f"{config.rules} ({settings(config.variant)}) · {config.bot} ({settings(config.options)}) "
        f"· {config.method} ({settings(config.method_settings)}) · seed {config.seed}"
    )


def gain_words(
    config: TuneConfig,
    player: Path,
    target: Target,
    test: str,
    verdicts: Mapping[str, dict[str, Any]],
    earlier_tests: int = 0,
) -> str:
    """The sentence of `verify.gain` on a tuning, with its start. Where a gain is shown over another
    than the default player, also how to test that one against the `player` file of the tuning.
    """
    start: dict[str, Any] = {each.name: each.start for each in config.ranges}
    if config.weights is not None:
        start[config.weights.option] = config.weights.start
    over = f"the start ({words.settings(start)})"
    sentence = verify.gain(verdicts, test, over, earlier_tests)
    fields = BUILTINS[config.bot].options.model_fields
    default = {name: fields[name].default for name in start}
    gained = (each["decision"] == "H1" and each.get("usable", True) for each in verdicts.values())
    if start == default or not any(gained):
        return sentence
    usual = rules.default(config.rules).variant
    variant = {key: value for key, value in config.variant.items() if value != usual[key]}
    written = {
        key: each if isinstance(each, str) else json.dumps(each) for key, each in variant.items()
    }
    settings = (("--set", f"{key}={each}") for key, each in written.items())
    clock = {key: target.clock.get(key) for key in ("move_ms", "bank_ms", "increment_ms")}
    times = ((f"--{key.replace('_', '-')}", str(ms)) for key, ms in clock.items() if ms)
    counted = unhurried(config.bot, target.budget) if target.budget else {}
    thinking = (f"{key}={each or AMPLE_MS}" for key, each in counted.items())
    budget = ((f"--{side}-option", each) for each in thinking for side in "ab")
    typed = ["arena", "sprt", str(player), config.bot, "--rules", config.rules]
    typed += [word for pair in (*settings, *times, *budget) for word in pair]
    return f"{sentence} Against the default ({words.settings(default)}): {shlex.join(typed)}"


def changed(tuner: Tuner) -> bool:
    """Whether the tuned player is another than the start, as both are written."""
    space = tuner.space
    tuned, start = (
        (space.contestant(values).options, space.plan and space.table(values))
        for values in (tuner.vector, space.start)
    )
    return tuned != start


def budget_test(tuner: Tuner, verification: Verification) -> verify.BudgetTest:
    """The test that is played as the tuning was. Raises UserError."""
    return verify.BudgetTest(SIDES, _at_budget(tuner), TunedPairs(tuner), verification)


def _at_budget(tuner: Tuner) -> str:
    """The thinking time of the tuning, as results name it."""
    return f"{verify.budget_of(tuner.config.options)}, as tuned"


def play_tuned(
    file: Path,
    tuner: Tuner,
    folder: Path,
    tuned: dict[str, Any],
    verification: Verification,
    console: Console,
) -> Exit:
    """Play the test at the target, or what is left of it, and have the tuner keep its verdict; the
    result of both tests. `tuned` are the options of the tuned player. Raises UserError, ConfigError
    and OSError.
    """
    about = {"about": "The weights that the tuning began with."}
    start = player_options(tuner.space, tuner.space.start, folder / START, about)
    config, target = tuner.config, verification.target
    values = json.dumps((tuner.space.start, tuner.vector))
    digest = hashlib.sha256(values.encode()).hexdigest()[:_DIGEST]  # a test is of these alone
    contest = verify.Contest(
        config=config,
        sides=SIDES,
        budget=_at_budget(tuner),
        at=verify.under_referee(target),
        plies=config.plies,
        bot=config.bot,
        options=(tuned, start),
        store_path=store_of_test(folder, f"{digest}-{verify.slug(target.words)}"),
    )
    return verify.play_target(file, contest, verification, console, tuner)
