"""Tournament files and configurations for the tests of this room."""

import signal
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import BaseModel, ConfigDict, Field

from arena.files.stop_signals import SIGNALS
from arena.model.game_spec import GameSpec
from arena.model.protocol import Termination
from arena.model.record import GameRecord, Host, PlayedMove, SeatRecord
from arena.tournament.config import TournamentConfig
from arena.tournament.config_file import load_config
from arena.tournament.executors.local import fit

if TYPE_CHECKING:  # what needs no cluster starts sooner without
    from distributed import Client, LocalCluster


class MonkeyOptions(BaseModel):
    """No options."""

    model_config = ConfigDict(extra="forbid")


class ThinkerOptions(BaseModel):
    """What a searching player might take."""

    model_config = ConfigDict(extra="forbid", strict=True)

    c: float = Field(default=1.0, ge=0)
    memory_mb: int = 64
    endgame_mb: int = 64
    threads: int = 1
    think_ms: int | None = None
    iterations: int | None = None


@dataclass(frozen=True)
class FakeBuiltin:
    """A built-in player as the configuration sees it."""

    name: str
    module: str
    uses_clock: bool
    options: type[BaseModel]
    only: tuple[str, ...] = ("othello", "dots", "2048", "2584")
    caches: tuple[str, ...] = ()
    summary: str = "for tests"

    def readable(self) -> tuple[str, ...]:
        return self.caches

    def unsupported(self, rules: str, variant: Mapping[str, Any]) -> str | None:
        return None if rules in self.only else f"{self.name} does not know {rules}"


BUILTINS = {
    "monkey": FakeBuiltin("monkey", "players.monkey", False, MonkeyOptions),
    "thinker": FakeBuiltin(
        "thinker", "players.uct", True, ThinkerOptions, ("othello", "dots"), caches=("kernels",)
    ),
}

Load = Callable[..., TournamentConfig]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Writes a tournament file `t.toml` of two monkeys, or of the given text, and loads it."""

    def load(text: str, *, players: int = 2, cores: int = 2, **more: Any) -> TournamentConfig:
        text += "".join(f'[[player]]\nbot = "monkey"\nname = "m{i}"\n' for i in range(players))
        path = tmp_path / "t.toml"
        path.write_text(text)
        return load_config(path, BUILTINS, fit=partial(fit, cores=cores), **more)

    return load


def played(spec: GameSpec, *, attempt: int = 1, void: bool = False) -> GameRecord:
    """A record as a referee might give it for `spec`."""
    return GameRecord(
        game=spec.game,
        attempt=attempt,
        round=spec.round,
        pair=spec.pair,
        terms=spec.terms,
        seats=tuple(SeatRecord(player=p.name) for p in spec.players),
        opening=spec.opening,
        seed=spec.seed,
        moves=(PlayedMove(seat=0, move="d3", used_ms=1.5, info={"text": "ä"}),),
        final_state={"board": [[2]]},
        termination=Termination.VOID if void else Termination.NATURAL,
        detail="host overloaded" if void else "40-24",
        offender=None,
        scores=(40, 24)[: len(spec.players)],
        points=() if void or len(spec.players) == 1 else (1.0, 0.0),
        started_at="2026-01-01T00:00:00+00:00",
        duration_ms=12.5,
        host=Host(name="h", system="s", cpu="c", cores=2, python="3.11", arena="0"),
    )


@pytest.fixture(name="played")
def _played() -> Callable[..., GameRecord]:
    return played


@pytest.fixture
def heeded() -> Iterator[None]:
    """Signals that ask for a stop are obeyed, though some may be ignored when tests start."""
    before = {number: signal.signal(number, signal.default_int_handler) for number in SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> "Iterator[LocalCluster]":
    """Three machines of one core."""
    from .cluster_helpers import machines_of_one_core

    monkeypatch.setattr("arena.tournament.executors.places.LOOK_S", 0.01)
    with machines_of_one_core(3, tmp_path) as made:
        yield made


@pytest.fixture
def client(cluster: "LocalCluster") -> "Iterator[Client]":
    from distributed import Client

    with Client(cluster) as made:
        yield made
