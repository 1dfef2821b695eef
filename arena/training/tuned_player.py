"""What is known about a tuned player: for its files, and in sentences."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from arena.errors import UserError
from arena.ratings.model import Verdict
from arena.ratings.pentanomial import figures, spread
from arena.ratings.tables import mean_score
from arena.reports import words
from players.learning.tuning.config import TuneConfig
from players.learning.tuning.result import entry_of


def tests_of(verdicts: Mapping[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """What tests said, for the files: where each was played, in a sentence, and in figures."""
    return [
        {"at": at, "said": words.decision(Verdict.model_validate(each)), **each}
        for at, each in verdicts.items()
    ]


def refuse_damaged(path: Path, verdicts: Mapping[str, Any]) -> None:
    """Raise UserError where one of the verdicts that a file keeps is none."""
    for at, each in verdicts.items():
        try:
            Verdict.model_validate(each)
        except ValidationError:
            raise UserError(
                f"{path}: is damaged: what it has of the test at {at} is no verdict; move it away "
                "to begin again"
            ) from None


def gain(verdicts: Mapping[str, dict[str, Any]], test: str, over: str = "the start") -> str:
    """Whether there is one, in a sentence: nothing is called a gain but an accepted H1. `test` is
    how to have it tested, `over` what it is a gain over.
    """
    if not verdicts:
        return f"Not tested: no gain is claimed. To test it: {test}"
    said = {
        "H1": f"A gain over {over} is shown at {{}}.",
        "H0": "No gain is shown at {}.",
        None: "Not decided at {}: no gain is shown.",
    }
    return " ".join(said[each["decision"]].format(at) for at, each in verdicts.items())


Slid = Sequence[tuple[int, int]]
"""The scores of the tuned player and of the start as sliders of 2048 or 2584."""


def measured(scores: Sequence[float], slid: Slid) -> dict[str, Any]:
    """What the match of fixed length against the start brought, as the files have it."""
    if not scores:
        return {"games": 0, "note": "not measured yet"}
    counts = _counts(scores)
    found = figures(counts)
    brought: dict[str, Any] = {
        "against": "the start, as tuned",
        "games": 2 * len(scores),
        "score": round(spread(counts).mean, 4),
        "elo": round(found.elo, 1),
        "elo_error_95": round(found.elo_error, 1),
    }
    for name, (mean, error) in _means(slid).items():
        brought[f"mean_score_of_{name}"] = {"mean": round(mean), "error_95": round(error)}
    return brought


def measured_line(scores: Sequence[float], slid: Slid) -> str:
    """The same in a sentence or two."""
    counts = _counts(scores)
    found = figures(counts)
    line = (
        f"In {2 * len(scores):,} fresh games against the start: {100 * spread(counts).mean:.1f} %, "
        f"Elo {found.elo:+.0f} ± {found.elo_error:.0f} (95 %)."
    )
    means = (f"{name} {mean:,.0f} ± {error:,.0f}" for name, (mean, error) in _means(slid).items())
    return f"{line} Mean scores: {', '.join(means)}." if slid else line


def _means(slid: Slid) -> dict[str, tuple[float, float]]:
    """By player, the mean score with half of its 95 % interval."""
    means = {}
    for name, scores in zip(("tuned", "start"), zip(*slid, strict=True), strict=False):
        mean, error = mean_score(scores)
        assert error is not None  # games come in pairs
        means[name] = mean, error
    return means


def _counts(scores: Sequence[float]) -> list[int]:
    """Pairs by the half points taken in them, 0 to 4."""
    counts = Counter(half_points(scores))
    return [counts[result] for result in range(5)]


def half_points(scores: Sequence[float]) -> list[int]:
    """What each pair brought, counted as the tests do: 0 to 4."""
    return [round(2 * score) for score in scores]


def player_lines(config: TuneConfig, options: dict[str, Any]) -> list[str]:
    """The tuned player as a tournament file has it."""
    values = ", ".join(entry_of(options))
    return ["[[player]]", f'bot = "{config.bot}"', f"options = {{ {values} }}"]


def about(config: TuneConfig) -> str:
    """What is tuned, and how, in a line."""
    return " · ".join(
        (
            f"{config.rules} ({words.settings(config.variant)})",
            f"{config.bot} ({words.settings(config.options)})",
            f"{config.method} ({words.settings(config.method_settings)})",
            f"seed {config.seed}",
        )
    )
