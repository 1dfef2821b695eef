"""The interface of executors, which play games for a run, and their reports."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from arena.files.toml_tables import Finding
from arena.model import Frozen
from arena.model.game_spec import GameSpec
from arena.model.record import GameRecord

if TYPE_CHECKING:  # a worker, started for every few games, needs none of what it loads
    from arena.tournament.config import TournamentConfig

_POLL_S = 0.2


class Task(Frozen):
    """A game to be played."""

    spec: GameSpec
    attempt: int = 1


class Moved(NamedTuple):
    """A game goes on. Sent now and then, not for every move."""

    task: Task
    ply: int
    """How many moves were played before these."""
    moves: tuple[str, ...]


class Played(NamedTuple):
    """A game has ended, perhaps as void."""

    task: Task
    record: GameRecord
    text: str | None = None
    """The record as the referee wrote it (JSON); None where there is only the value."""


class Lost(NamedTuple):
    """A game without a record: its worker failed or was killed."""

    task: Task
    reason: str


class Remark(NamedTuple):
    """A sentence on the machines, for watchers."""

    text: str


GameReport = Moved | Played | Lost
Report = GameReport | Remark


class Demand(NamedTuple):
    """The demand of a tournament file on the machines that play it."""

    threads: tuple[int, ...]
    """Cores that the player of each `[[player]]` table keeps busy."""
    a_game: int
    """Cores that any of its games needs."""
    concurrency: int | None
    """Games at a time; None for as many as fit."""
    ponder: bool


Capacity = Callable[[Demand], tuple[int, Sequence[Finding]]]
"""How many games are played at a time, and what cannot be met, under the keys of the file."""


class Executor(Protocol):
    """Plays up to `capacity` games at a time, wherever it likes."""

    @property
    def capacity(self) -> int:
        """How many games it takes at once."""

    def warning(self) -> str | None:
        """A likely cause of void games here, a sentence; asked once, before the first game."""

    def submit(self, task: Task) -> None:
        """Begin a game; called only when fewer than `capacity` are being played."""

    def wait(self, timeout_s: float) -> Sequence[Report]:
        """The reports since the last call, as soon as there is one; none after `timeout_s`. Every
        task ends in one Played or Lost. Raises ExecutorError.
        """

    def close(self, *, now: bool) -> None:
        """Let go of everything; with `now`, games being played are cut off and not reported."""


OpenExecutor = Callable[["TournamentConfig", tuple[str, ...]], Executor]
"""Makes the executor of a tournament; its players, which may see their folder, cannot read the
files.
"""


def play_through(
    executor: Executor,
    following: Callable[[], Task | None],
    take: Callable[[Report], None],
    stopped: Callable[[], bool],
) -> int:
    """Play the tasks of `following`, which has None while nothing may begin, and give each report
    to `take`, until all are played or it is `stopped`; the games still in play then. Raises
    ExecutorError.
    """
    playing = 0
    while not stopped():
        while playing < executor.capacity and (task := following()) is not None:
            executor.submit(task)
            playing += 1
        if not playing:
            break
        for report in executor.wait(_POLL_S):
            take(report)
            playing -= isinstance(report, Played | Lost)
    return playing
