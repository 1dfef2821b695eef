"""What a check found, as values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from pydantic import Field

from arena.model.containment import Held
from arena.model.frozen import Frozen
from arena.model.protocol import Termination


class Finding(Frozen):
    """What came out of one item of the list."""

    passed: bool | None
    """Null when it could not be judged; `detail` says why."""
    detail: str
    """What was seen, a sentence or a figure; of a fault the referee's own sentence."""
    verdict: Termination | None = None
    """The word with which the referee would end a game for it; null where it would not."""
    line: str | None = None
    """The offending line the program wrote to stdout: shortened, what is unprintable escaped."""
    line_number: int | None = None
    """Which line of its process that was, counted from 1."""
    fix: str | None = None
    """What to change in the program; null unless it failed."""


class Result(Finding):
    """One item of the list, judged."""

    number: int = Field(ge=1)
    """Its place in the list."""
    title: str
    """What it looks at, in a few words."""
    seconds: float
    """What judging it took."""


class Checklist(Frozen):
    """A whole check, as `arena check --json` prints it."""

    bot: str
    """The script, folder or archive, as it was named."""
    passed: bool
    """Whether no item failed and every one was judged."""
    sandbox: Held
    """What contained the program while it was checked."""
    seconds: float
    """What the check took."""
    results: tuple[Result, ...]
    """The items, in order."""

    @classmethod
    def of(cls, bot: str, sandbox: Held, results: Iterable[Result]) -> Self:
        """The results of one check, taken together."""
        found = tuple(results)
        return cls(
            bot=bot,
            passed=all(result.passed for result in found),
            sandbox=sandbox,
            seconds=sum(result.seconds for result in found),
            results=found,
        )


def schema() -> dict[str, Any]:
    """The JSON Schema of a checklist: each key with its description."""
    return Checklist.model_json_schema(mode="serialization")


def passed(detail: str) -> Finding:
    """The program does it right."""
    return Finding(passed=True, detail=detail)


def failed(detail: str, fix: str) -> Finding:
    """It does not, and this is to be changed."""
    return Finding(passed=False, detail=detail, fix=fix)


def not_judged(why: str) -> Finding:
    """Nothing could be found out."""
    return Finding(passed=None, detail=why)
