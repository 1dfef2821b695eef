"""The findings of a check, as values."""

from collections.abc import Iterable
from typing import Any, Self

from pydantic import Field

from arena.model import Frozen
from arena.model.containment import Held
from arena.model.protocol import Termination


class CheckFinding(Frozen):
    """The finding of one item of the list."""

    passed: bool | None
    """Null when it could not be judged; `detail` has the reason."""
    detail: str
    """The observation, a sentence or a figure; of a fault the referee's own sentence."""
    verdict: Termination | None = None
    """The word with which the referee would end a game for it; null where it would not."""
    line: str | None = None
    """The offending line on stdout: shortened, unprintable characters escaped."""
    line_number: int | None = None
    """The number of that line in its process, from 1."""
    fix: str | None = None
    """Advice on the program; null unless it failed."""
    needs: int | None = None
    """The item that failed and left nothing to judge here; null for one that was tried."""


class CheckResult(CheckFinding):
    """One item of the list, judged."""

    number: int = Field(ge=1)
    """Its place in the list."""
    title: str
    """Its name, a few words."""
    seconds: float
    """How long judging it took."""


class Checklist(Frozen):
    """A whole check, as `arena check --json` prints it."""

    bot: str
    """The script, folder or archive, as given."""
    passed: bool
    """Whether every item was judged and none failed."""
    sandbox: Held
    """The containment of the program while it was checked."""
    seed: int
    """Draws the positions and games of this check: `--seed` takes it."""
    seconds: float
    """How long the check took."""
    results: tuple[CheckResult, ...]
    """The items, in order."""

    @classmethod
    def of(cls, bot: str, sandbox: Held, results: Iterable[CheckResult], seed: int) -> Self:
        listed = tuple(results)
        return cls(
            bot=bot,
            passed=all(result.passed for result in listed),
            sandbox=sandbox,
            seed=seed,
            seconds=sum(result.seconds for result in listed),
            results=listed,
        )


def schema() -> dict[str, Any]:
    """The JSON Schema of a checklist: each key with its description."""
    return Checklist.model_json_schema(mode="serialization")


def passed(detail: str) -> CheckFinding:
    """A finding: the program does it right."""
    return CheckFinding(passed=True, detail=detail)


def failed(detail: str, fix: str) -> CheckFinding:
    """A finding: the program does it wrong, and `fix` is the change."""
    return CheckFinding(passed=False, detail=detail, fix=fix)


def not_judged(why: str) -> CheckFinding:
    """A finding: nothing could be found out."""
    return CheckFinding(passed=None, detail=why)


def did_not_play_on(fault: Termination) -> CheckFinding:
    """A finding: nothing could be found out, for a fault that other items judge."""
    return not_judged(f"it did not play on ({fault})")
