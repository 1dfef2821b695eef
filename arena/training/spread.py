"""The games of a tuning on the machines of a cluster, each in the process of a worker."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence, Set
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
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
_SLOW, _PATIENCE_S = 3.0, 15.0
"""A part that takes that many times as long as half of a batch, and that much more, begins again on
another machine."""
_CONTINUES = "The same command continues from the last checkpoint"
_LOST = (
    "the connection to the scheduler of the cluster is lost; the same command continues from the "
    "last checkpoint"
)


@dataclass(eq=False)
class _Part:
    """A part of a batch."""

    work: Any
    tries: list[Future] = field(default_factory=list)
    """On one machine, and on another where that one is late."""
    result: Any = None
    is_over: bool = False

    @property
    def ended(self) -> Future | None:
        return next((future for future in self.tries if future.done()), None)


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
        self._late: dict[str, Future] = {}
        """By the address of a machine that is frozen or slow, a part that it has still to end; it
        gets no other before."""

    def load(self, plies: int) -> None:
        """Compile on one machine, which shows whether games can be played. Raises ValueError."""
        with self._reached():
            self._results(_load, [plies])

    def play(self, tasks: Sequence[MatchTask]) -> list[PlayedGame]:
        with self._reached():
            cores = sum(self._client.nthreads().values())
            size = max(2, len(tasks) // (_PARTS * max(1, cores)) // 2 * 2)  # pairs stay together
            parts = [tasks[first : first + size] for first in range(0, len(tasks), size)]
            return [game for part in self._results(_play, parts) for game in part]

    def _results(self, what: Callable[..., Any], works: Sequence[Any]) -> list[Any]:
        """What each part gives. Those that take far longer than half of them begin once more on
        other machines, as theirs may be frozen; the first result counts.
        """
        parts = [_Part(work) for work in works]
        began, took = time.monotonic(), None
        among = self._begin(what, parts)
        while left := self._take(parts):
            if self._stop.is_set():
                self._client.cancel([future for part in parts for future in part.tries])
                raise Aborted
            if self._client.status != "running":
                raise ExecutorError(_LOST)
            waited = time.monotonic() - began
            if took is None and 2 * len(left) <= len(parts):
                took = waited
            is_slow = took is not None and waited > _SLOW * took + _PATIENCE_S
            if among and among.isdisjoint(self._client.nthreads()):  # no other would get them
                for part in left:
                    part.tries.pop()
                among = self._begin(what, left)
            elif again := [part for part in left if is_slow and len(part.tries) == 1]:
                self._note_late([part.tries[0] for part in again])
                among = self._begin(what, again)
            with suppress(TimeoutError):
                wait([part.tries[-1] for part in left], timeout=_POLL_S)
        needless = (future for part in parts for future in part.tries if not future.done())
        self._client.cancel([future for future in needless if future not in self._late.values()])
        return [part.result for part in parts]

    def _begin(self, what: Callable[..., Any], parts: Sequence[_Part]) -> Set[str]:
        """Begin them on machines that are not late; those, or none where any will do."""
        self._late = {at: future for at, future in self._late.items() if not future.done()}
        among = self._client.nthreads().keys() - self._late.keys() if self._late else set[str]()
        for part in parts:
            begun = self._client.submit(what, self._player, part.work, pure=False, workers=[*among])
            part.tries.append(begun)
        return among

    def _take(self, parts: Sequence[_Part]) -> list[_Part]:
        """Take the results that are there, as their machines may freeze; the other parts."""
        out = [part for part in parts if not part.is_over]
        over = [part for part in out if part.ended is not None]
        for part, result in zip(
            over, self._client.gather([part.ended for part in over]), strict=True
        ):
            part.result, part.is_over = result, True
        return [part for part in out if not part.is_over]

    def _note_late(self, parts: Sequence[Future]) -> None:
        for at, keys in self._client.processing().items():
            self._late.update((at, part) for part in parts if part.key in keys)

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
