"""The games of a tuning on the machines of a cluster, each in the process of a worker."""

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple
from uuid import uuid4

from distributed import Client, Future, KilledWorker, wait

import rules
from arena.errors import ArenaError, ExecutorError
from arena.sandbox.features import this_host
from players.learning.tuning.config import TuneConfig
from players.learning.tuning.matches import Aborted, Contestant, MatchTask, PlayedGame
from players.learning.tuning.runner import InProcessRunner
from players.learning.tuning.space import Space

_PARTS = 4
"""Parts of a batch for each core: one that is slow, or joins, gets fewer of them."""
_POLL_S = 0.2
_CONTINUES = "The same command continues from the last checkpoint"
_LOST = (
    "the connection to the scheduler of the cluster is lost; the same command continues from the "
    "last checkpoint"
)


class SpreadMatchRunner:
    """A match runner that gives the games of a batch to all workers. Tasks alone decide what is
    played, so the result is that of one machine.
    """

    def __init__(self, client: Client, config: TuneConfig, space: Space) -> None:
        """Raises ValueError."""
        self._client = client
        sample = space.contestant(space.start)
        versions = this_host(config.rules).versions
        self._player = _Player(
            uuid4().hex, versions, config.rules, config.variant, config.bot, sample
        )
        self._stop = threading.Event()

    def load(self, plies: int) -> None:
        """Compile on one machine, which shows whether games can be played. Raises ValueError."""
        with self._reached():
            self._results([self._client.submit(_load, self._player, plies, pure=False)])

    def play(self, tasks: Sequence[MatchTask]) -> list[PlayedGame]:
        with self._reached():
            cores = sum(self._client.nthreads().values())
            size = max(2, len(tasks) // (_PARTS * max(1, cores)) // 2 * 2)  # pairs stay together
            parts = [tasks[first : first + size] for first in range(0, len(tasks), size)]
            futures = [self._client.submit(_play, self._player, part, pure=False) for part in parts]
            return [game for part in self._results(futures) for game in part]

    def _results(self, futures: list[Future]) -> list[Any]:
        while not all(future.done() for future in futures):
            if self._stop.is_set():
                self._client.cancel(futures)
                raise Aborted
            if self._client.status != "running":
                raise ExecutorError(_LOST)
            with suppress(TimeoutError):
                wait(futures, timeout=_POLL_S)
        return list(self._client.gather(futures))

    @contextmanager
    def _reached(self) -> Iterator[None]:
        """Any error of Dask becomes an ExecutorError."""
        try:
            yield
        except (ArenaError, Aborted, ValueError):
            raise
        except KilledWorker:  # else what a lost worker played is played by another
            raise ExecutorError(
                "one worker of the cluster after the other ended while it played the same games, "
                f"most likely for lack of memory; their output has the cause. {_CONTINUES}"
            ) from None
        except Exception as error:  # of Dask: no function of ours was begun
            # The games are cancelled when the connection is lost, also where it is back by now.
            if isinstance(error, CancelledError) or self._client.status != "running":
                raise ExecutorError(_LOST) from None
            raise ExecutorError(
                f"the cluster cannot play the games ({_line(error)}). Have the same version of the "
                "arena on all its machines, that of the scheduler too, and start both again; the "
                "same command continues from the last checkpoint"
            ) from None

    def abort(self) -> None:
        self._stop.set()

    def close(self) -> None:
        """Only the client holds resources."""


class _Player(NamedTuple):
    """The players, as they travel."""

    tuning: str
    """The id of this match runner: a worker keeps what it loaded for the last one."""
    versions: str
    """The head's: with others the same tasks may be other games."""
    rules: str
    variant: dict[str, Any]
    bot: str
    sample: Contestant


_own = threading.local()


@contextmanager
def _runner(player: _Player) -> Iterator[InProcessRunner]:
    """The runner of this thread of a worker. Raises ValueError, and ExecutorError with its name."""
    host = this_host(player.rules)
    if host.versions != player.versions:
        raise ExecutorError(
            f"{host.name} has {host.versions}, the head {player.versions}, and games of a tuning "
            "need the same everywhere; install the same version there, or end its worker. "
            f"{_CONTINUES}"
        )
    try:
        if getattr(_own, "tuning", None) != player.tuning:
            rule_set = rules.load(player.rules, **player.variant)
            _own.runner = InProcessRunner(rule_set, player.bot, player.sample, threads=1)
            _own.tuning = player.tuning
        yield _own.runner
    except (ArenaError, ValueError):
        raise
    except Exception as error:  # whatever fails there
        why = rules.blame(error) or _line(error)
        raise ExecutorError(f"{host.name} cannot play the games: {why}. {_CONTINUES}") from error


def _line(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".partition("\n")[0]


def _load(player: _Player, plies: int) -> None:
    with _runner(player) as runner:
        runner.load(plies)


def _play(player: _Player, tasks: Sequence[MatchTask]) -> list[PlayedGame]:
    with _runner(player) as runner:
        return runner.play(tasks)
