"""Schedules, runs and refusals, for the tests of this room."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

import pytest

import rules
from arena.errors import ConfigError
from arena.model.game_spec import GameSpec
from arena.model.record import GameRecord
from arena.tournament.config import TournamentConfig
from arena.tournament.events import EVENT, Event, RunOutcome, events_file
from arena.tournament.executors.base import Moved, Played, Report, Task
from arena.tournament.formats.base import Format, Pairing, Plan
from arena.tournament.played_store import PlayedStore
from arena.tournament.run import GameSpecs, run

Load = Callable[..., TournamentConfig]


def pairings(config: TournamentConfig) -> list[Pairing]:
    """All pairings of a schedule that can be foreseen."""
    return list(iter(config.schedule().next, None))


def schedule(config: TournamentConfig) -> tuple[GameSpec, ...]:
    """Their games."""
    specs = GameSpecs(config)
    return tuple(specs.of(pairing) for pairing in pairings(config))


def refusal(load: Load, text: str, **settings: int) -> str:
    """What is said of a tournament file that is wrong."""
    with pytest.raises(ConfigError) as caught:
        load(text, **settings)
    return str(caught.value)


class ScriptedExecutor:
    """Answers every task by `answer`, two at a time, the later one first."""

    capacity = 2

    def __init__(self, answer: Callable[[Task], Report]) -> None:
        self.answer = answer
        self.tasks: list[Task] = []
        self.all: list[Task] = []
        self.most = 0
        self.masked: tuple[str, ...] = ()
        self.closed: list[bool] = []

    def open(self, config: TournamentConfig, masked: tuple[str, ...]) -> Self:
        self.masked = masked
        return self

    def warning(self) -> None:
        """Nothing makes games void here."""

    def submit(self, task: Task) -> None:
        self.tasks.append(task)
        self.all.append(task)
        self.most = max(self.most, len(self.tasks))

    def wait(self, timeout_s: float) -> Sequence[Report]:
        task = self.tasks.pop()
        return [Moved(task, 0, ("d3", "c3")), self.answer(task)]

    def close(self, *, now: bool) -> None:
        self.closed.append(now)


def answering(played: Callable[..., GameRecord]) -> ScriptedExecutor:
    """An executor that plays every game at once."""
    return ScriptedExecutor(lambda task: Played(task, played(task.spec, attempt=task.attempt)))


def play(
    config: TournamentConfig, path: Path, executor: ScriptedExecutor
) -> tuple[RunOutcome, list[Event]]:
    """Play the run; what came of it, and its events."""
    with PlayedStore.open_run(path, config) as store:
        outcome = run(config, store, open_executor=executor.open)
    return outcome, events_of(path)


def events_of(store: Path) -> list[Event]:
    """All events of the last run."""
    return [EVENT.validate_json(line) for line in events_file(store).read_bytes().splitlines()]


def opened(
    format_: Format,
    players: int,
    rounds: int = 1,
    rules_: str = "dots",
    left: Mapping[str, int] = MappingProxyType({}),
    **keys: Any,
) -> Any:
    """The schedule of a format for players `m0`, `m1`, …, of whom some `left` in a round."""
    names = tuple(f"m{number}" for number in range(players))
    all_keys = format_.keys(**keys).model_dump()
    return format_.open(Plan(names, rounds, rules.default(rules_), all_keys, left=left))


def stronger_first(game: Pairing) -> float:
    """The player of the lower number wins; where one plays alone, it has the higher score."""
    own, *other = (int(name[1:]) for name in game.players)
    return float(own < other[0]) if other else 1 - own / 100
