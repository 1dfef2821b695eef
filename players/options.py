"""Options that several players share. Loads pydantic, and no compiled code."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
)

from arena.files.described import Described
from players.sdk import Start
from rules.position import Game

EVALUATIONS = ("default", "classic", "learned")
"""The evaluations that come with the package: that of each game; one made of the classical features
alone; networks that learned the two presets of Othello from games with themselves."""

WEIGHT_TABLES = ("tuned", "hand", "league")
"""The weights of moves that come with the package."""

Backup = Literal["win", "zero-sum", "score"]
Final = Literal["visits", "value", "bound", "ucb"]
Opponent = Literal["own", "least"]
"""What UCT backs up, which move it plays, and what it takes its opponent to choose."""

AlphaBetaMethod = Literal["minimax", "alphabeta", "pvs", "mtdf"]
TileMethod = Literal["expectimax", "minimax"]

LARGEST = 10**9
"""Of the numbers that kernels multiply: products then have room."""

DEEPEST_NETWORK, DEEPEST_HEURISTIC = 64, 50
"""Searches of 2048 and 2584 look no more slides ahead, by a network and by the heuristic."""


def named_or_file(*known: str, judge: Callable[[Path, Game], object]) -> AfterValidator:
    """An option is one of the `known` names or a file, there in the context's `folder`, if any,
    where `judge` refuses what the context's `game` has no use for. The context's `files` get it.
    """

    def check(value: str, info: ValidationInfo) -> str:
        if info.context and value not in known:
            path, game = Path(info.context["folder"]) / value, info.context["game"]
            if not path.is_file():
                raise ValueError(f"no such file: {path}; included are: {', '.join(known)}")
            try:
                if game is not None:
                    judge(path, game)
            except OSError as error:
                raise ValueError(f"{path}: cannot be read: {error.strerror}") from None
            except ValueError as error:
                raise ValueError(f"{path}: {error}") from None
            info.context["files"].append(path)
        return value

    return AfterValidator(check)


class Options(Described):
    """A player's options: fixed once made, no unknown keys."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    @field_validator("*", mode="before")
    @classmethod
    def _has_room(cls, value: Any) -> Any:
        """Kernels have 64 bits for a whole number, as TOML has; it may be written as 1e4."""
        if isinstance(value, float) and value.is_integer() and abs(value) < 2**63:
            return int(value)
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise ValueError("must be a number within 64 bits")
        return value


class NoOptions(Options):
    """The options of a player that takes none."""


class SearchOptions(Options):
    """The options of every searching player."""

    margin_ms: int = Field(default=10, ge=0)
    """Kept unused at the end of the time for a move, for the pipe and the scheduler. A move of
    less than twice this keeps half of its time."""
    think_ms: int | None = Field(default=None, gt=0)
    """Think at most that long for a move, even where the clock allows more."""


Model = TypeVar("Model", bound=Options)


def read_options(model: type[Model], start: Start) -> Model:
    """The options of a game. A mistake in them ends the process with a sentence on stderr."""
    try:
        return model.model_validate(start.options)
    except ValidationError as error:
        known = ", ".join(model.model_fields) or "none"
        sys.exit(f"{'; '.join(_sentences(error))}. Known options: {known}.")


@contextmanager
def or_exit() -> Iterator[None]:
    """End the process with the sentence of a ValueError, on stderr."""
    try:
        yield
    except ValueError as error:
        sys.exit(str(error))


def _sentences(error: ValidationError) -> Iterator[str]:
    """A sentence on each wrong option; where it may be of several kinds, the requirement of
    each.
    """
    wrong: dict[object, list[str]] = {}
    for problem in error.errors():
        if problem["type"] == "extra_forbidden":
            message = "there is no such option"
        else:
            message = problem["msg"].removeprefix("Value error, ")
            message = message.replace("Input should be", "must be", 1)
        wrong.setdefault(problem["loc"][0], []).append(message)
    for option, sayings in wrong.items():
        yield f"options.{option}: {' or '.join(dict.fromkeys(sayings))}"


@dataclass(frozen=True)
class Tunable:
    """Annotates a numeric option that may be tuned."""

    low: float
    high: float
    """The least and the greatest value worth trying."""
    step: float
    """A change that may be felt: tuners measure by it, so that all options are alike to them."""


class TunableTable(Tunable):
    """Annotates an option that names a table of weights for moves: each weight may be tuned, those
    of moves that the board's symmetries take into each other together.
    """


def tunables(options: type[BaseModel]) -> dict[str, Tunable]:
    """The numeric options of a player that may be tuned, by name."""
    return {
        name: mark
        for name, field in options.model_fields.items()
        for mark in field.metadata
        if isinstance(mark, Tunable) and not isinstance(mark, TunableTable)
    }


def tunable_table(options: type[BaseModel]) -> tuple[str, TunableTable] | None:
    """The option of a player that names a table to be tuned, and within which bounds; or None."""
    for name, field in options.model_fields.items():
        for mark in field.metadata:
            if isinstance(mark, TunableTable):
                return name, mark
    return None
