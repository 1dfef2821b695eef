"""The machines of a Dask cluster as the head knows them: joined, playing, lost."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from concurrent.futures import Future as Answer
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from secrets import token_hex
from typing import Any

from distributed import Client, Future, fire_and_forget, wait
from pydantic import ValidationError

from arena.bots import parcel
from arena.errors import ArenaError, ExecutorError
from arena.model.contender import Package
from arena.tournament.config import TournamentConfig
from arena.tournament.executors.machine import OTHER_VERSION, Admission, AdmissionRequest
from arena.tournament.machines import SAME_KIND, SLOWER

LOOK_S = 1.0
LEAVE_S = 5.0
BUSY_S = 5.0
"""A machine that plays another tournament is asked again that often."""
_ANSWER_S = 1.0
"""How long a look waits for the scheduler: where the line is cut, Ctrl-C does not wait for it."""
SILENT_S = 15.0
"""A machine that sent nothing for that long is taken for lost, until it sends again."""
SENDINGS = 3
"""How often a package is sent to a machine that does not take it in time."""
_LOST = (
    "the connection to the scheduler of the cluster is lost; the games that ended are kept, and "
    "the same command continues once the scheduler is back"
)
_Workers = dict[str, dict[str, Any]]
_LINES = 8
"""Packages are sent to that many machines at a time; the scheduler has each in memory."""


@dataclass(eq=False)
class MachinePlace:
    """A Dask worker that was found."""

    address: str
    cores: int
    shared: bool
    """Whether other workers may have the same cores."""
    admission: Admission | None = None
    """None until it has answered, and has all packages."""
    name: str = ""
    """Its host's, once it has answered."""
    runs: int = 0
    """Games it has, played or waiting there."""
    seen: float = 0.0
    """The time of its last message to the scheduler, by the scheduler's clock."""
    seen_at: float = 0.0
    """When that changed, by ours."""
    gone: bool = False
    """Whether it is silent."""
    unsent: int = 0
    """How often a package was sent that it did not take in time."""
    left: bool = False
    """Whether the scheduler does not know it any more."""
    refused: bool = False
    """Whether it gets no game."""
    busy: str = ""
    """The other tournament that it plays, and its head, by its last answer."""
    busy_at: float | None = None
    """When it answered so, by our clock; None while it is asked again."""

    def __str__(self) -> str:
        return f"{self.name} ({self.address})" if self.name else self.address

    @property
    def plays(self) -> bool:
        return self.admission is not None and not self.gone and not self.refused

    @property
    def games(self) -> int:
        """How many it plays at a time."""
        return self.admission.games if self.admission else 0

    @property
    def kind(self) -> str:
        """Its processor."""
        return self.admission.host.cpu if self.admission else ""

    @property
    def speed(self) -> float:
        """Plies a second of random Othello; 0 where it was not measured."""
        return (self.admission and self.admission.host.speed) or 0.0


async def _ask_for_workers(client: Client) -> _Workers:
    identity = await client.scheduler.identity(n_workers=-1)
    return dict(identity["workers"])


def workers_of(client: Client) -> _Workers:
    """The scheduler's facts on each worker, by address: the client's own (`Client.scheduler_info`)
    sometimes lack workers. Raises OSError.
    """
    workers: _Workers = client.sync(_ask_for_workers, client)
    return workers


def cores_of(worker: Mapping[str, Any]) -> int:
    """The cores it plays on: those it names, else its threads."""
    return int(worker["resources"].get("cores", worker["nthreads"]))


class Machines:
    """Finds machines, admits them, sends them packages, and notices lost ones."""

    def __init__(
        self,
        client: Client,
        request: AdmissionRequest,
        config: TournamentConfig,
        put: Callable[[Any], object],
        runs: Any,
    ) -> None:
        """`put` takes each future that is done, and answers; `runs` has the functions that
        machines run.
        """
        self._client, self._request, self._put, self._runs = client, request, put, runs
        self._config = config
        self._places: dict[str, MachinePlace] = {}
        self._questions: dict[str, tuple[MachinePlace, Callable[[Any], None]]] = {}
        """By the key of a question, its machine and the function for the answer."""
        self._sending: dict[tuple[str, str], list[MachinePlace]] = {}
        """By machine and package, the workers that wait until it is there."""
        self._kind: str | None = None
        self._lines = asyncio.Semaphore(_LINES)
        self._looked = 0.0
        """When the scheduler was last asked."""
        self._asked: Answer[_Workers] | None = None
        """Its answer, until that is there."""
        self.notes: list[str] = []
        """Events of machines, a sentence each, until they are taken."""

    def take_notes(self) -> list[str]:
        """The notes since the last call."""
        notes, self.notes = self.notes, []
        return notes

    @property
    def pending(self) -> bool:
        """Whether machines are still to answer."""
        return not all(
            each.admission or each.gone or each.refused or each.busy_at is not None
            for each in self._places.values()
        )

    @property
    def busy(self) -> bool:
        """Whether some play another tournament, and join once that has ended."""
        return any(each.busy_at is not None and not each.gone for each in self._places.values())

    def choose_kind(self) -> None:
        """Keep those with the processor that plays the most games, now and later."""
        games = Counter[str]()
        for place in self:
            games[place.kind] += place.games
        self._kind = games.most_common(1)[0][0]
        for place in list(self):
            self._judge_kind(place)

    def _judge_kind(self, place: MachinePlace) -> None:
        if self._kind is not None and place.kind != self._kind:
            self.drop(place, f"its processor is {place.kind}, and same_kind asks for {self._kind}")

    def __iter__(self) -> Iterator[MachinePlace]:
        """Those that play."""
        return (place for place in self._places.values() if place.plays)

    def get(self, address: str | None) -> MachinePlace | None:
        """The machine of that address, where it plays."""
        place = self._places.get(address or "")
        return place if place is not None and place.plays else None

    @contextmanager
    def reached(self) -> Iterator[None]:
        """Any error of Dask becomes an ExecutorError where the scheduler is lost meanwhile."""
        try:
            yield
        except Exception:  # of its own classes, by version
            if self._client.status == "running":
                raise
            raise ExecutorError(_LOST) from None

    def look(self) -> Sequence[MachinePlace]:
        """Find new machines; those lost since the last look. Raises ExecutorError: no scheduler."""
        if self._client.status != "running":
            raise ExecutorError(_LOST)
        if self._asked is None:
            if time.monotonic() - self._looked < LOOK_S:
                return ()
            self._looked = time.monotonic()
            asking, loop = _ask_for_workers(self._client), self._client.loop.asyncio_loop
            self._asked = asyncio.run_coroutine_threadsafe(asking, loop)
        try:
            workers = self._asked.result(_ANSWER_S)
        except OSError:  # it comes later, or its loss is reported at the next look
            if self._asked.done():
                self._asked = None
            return ()
        self._asked = None
        lost = [place for address, place in self._places.items() if address not in workers]
        for place in lost:
            del self._places[place.address]
            place.left = True
            if not place.gone:
                self._note_lost(place)
        for address, about in workers.items():
            place = self._places.get(address) or self._met(address, about)
            if about["last_seen"] != place.seen:
                place.seen, place.seen_at = about["last_seen"], time.monotonic()
            if place.busy_at is not None and time.monotonic() - place.busy_at > BUSY_S:
                place.busy_at = None
                self._admit(place)
            silent = self._looked - place.seen_at > SILENT_S
            if silent and not place.gone:
                lost.append(place)
                self._note_lost(place)
            place.gone = silent
        return lost

    def _met(self, address: str, about: dict[str, Any]) -> MachinePlace:
        place = MachinePlace(address, cores_of(about), shared="shared" in about["resources"])
        self._places[address] = place
        self._admit(place)
        return place

    def _note_lost(self, place: MachinePlace) -> None:
        if place.admission is not None and not place.refused:
            waiting = f"; its games ({place.runs}) are played elsewhere" if place.runs else ""
            self.notes.append(f"{place} is lost{waiting}.")

    def drop(self, place: MachinePlace, why: str) -> None:
        """Give it no game from now on."""
        place.refused = True
        self.notes.append(f"{place} gets no game: {why}.")

    def ask_again(self, place: MachinePlace) -> None:
        """Give it no game until it has answered anew."""
        place.admission = None
        self._admit(place)

    def hear(self, key: str, answer: Any) -> None:
        """Take an answer; the future that is done comes next."""
        if key in self._questions:
            place, then = self._questions.pop(key)
            then(None if place.left else answer)

    def take(self, future: Future) -> None:
        """A machine is done with a question. If it sent no answer before, it failed."""
        if future.key in self._questions:
            place, _ = self._questions[future.key]
            if future.status == "error" and not place.left:  # whatever the machine raised
                self.drop(place, f"it cannot run the arena ({future.exception(timeout=SILENT_S)})")
            self.hear(future.key, None)

    def _ask(
        self, place: MachinePlace, then: Callable[[Any], None], what: Any, *arguments: object
    ) -> None:
        key = f"ask-{token_hex(8)}"
        future = self._client.submit(
            self._runs.answer, what, self._request.label, key, *arguments,
            workers=[place.address], key=key, priority=10,
        )  # fmt: skip
        self._questions[key] = place, then
        future.add_done_callback(self._put)

    def _admit(self, place: MachinePlace) -> None:
        request = self._request.model_copy(update={"cores": place.cores, "shared": place.shared})
        self._ask(
            place, partial(self._admitted, place), self._runs.admit, request.model_dump_json()
        )

    def _admitted(self, place: MachinePlace, answer: str | None) -> None:
        if answer is None:
            return
        try:
            admission = Admission.model_validate_json(answer)
        except ValidationError:
            self.drop(place, OTHER_VERSION)
            return
        place.name, before, place.busy = admission.host.name, place.busy, admission.busy
        if place.busy:
            place.busy_at = time.monotonic()
            if place.busy != before:
                self.notes.append(
                    f"{place} plays another tournament, {place.busy}; it joins once that has ended."
                )
        elif admission.lacking:
            self._send(place, admission, admission.lacking[0])
        elif admission.refused is not None:
            self.drop(place, admission.refused.removesuffix("."))
        else:
            place.admission = admission
            self._judge(place, admission)

    def _judge(self, place: MachinePlace, admission: Admission) -> None:
        """Compare it with the others."""
        there, here = admission.host.versions, self._request.host.versions
        if there != here:
            self.drop(place, f"it has {there}, the head {here}")
        else:
            self._judge_kind(place)
        fastest = max((each.speed for each in self), default=0.0)
        if place.plays and place.speed * SLOWER < fastest:
            slower = 100 - 100 * place.speed / fastest
            self.notes.append(
                f"{place} is {slower:.0f}% slower than the fastest machine: players "
                f"think less there. {SAME_KIND}"
            )
        if admission.delay is not None and place.plays:
            self.notes.append(f"{place}: {admission.delay}")

    def _send(self, place: MachinePlace, admission: Admission, digest: str) -> None:
        """Send it a package that it lacks, once a machine; it asks again for the others."""
        key = admission.host.name, digest
        if key in self._sending:
            self._sending[key].append(place)
            return
        self._sending[key] = [place]
        question = f"send-{token_hex(8)}"
        self._questions[question] = place, partial(self._scattered, key)
        # Not waited for: one machine with a slow line would hold up the games of all others.
        sending = self._scatter(digest, place.address)
        scattered = asyncio.run_coroutine_threadsafe(sending, self._client.loop.asyncio_loop)
        scattered.add_done_callback(lambda done: self._put({"asked": question, "said": done}))

    async def _scatter(self, digest: str, address: str) -> Any:
        async with self._lines:
            packed = await asyncio.to_thread(self._packed, digest)
            return await self._client.scatter(
                packed, workers=[address], hash=False, timeout=SILENT_S, asynchronous=True
            )

    def _scattered(self, key: tuple[str, str], done: Any) -> None:
        """The package has reached a machine, or not: then `done` fails, or is None."""
        place, *others = self._sending[key]
        error = OSError() if done is None or done.cancelled() else done.exception()
        if isinstance(error, ArenaError):
            raise ExecutorError(str(error)) from None
        if error is None:
            self._ask(place, partial(self._sent, key), self._runs.keep, key[1], done.result())
            return
        del self._sending[key]
        place.unsent += 1
        if place.unsent == SENDINGS:
            self.drop(
                place,
                f"it did not take a bot that was sent {SENDINGS} times; let the scheduler reach it "
                "at that address, through any firewall",
            )
        for each in (place, *others):
            if not (each.left or each.refused):
                self._admit(each)

    def _packed(self, digest: str) -> bytes:
        return next(
            parcel.pack(player.contender, player.home)
            for player in self._config.players
            if isinstance(player.contender.program, Package)
            and player.contender.program.digest == digest
        )

    def _sent(self, key: tuple[str, str], refused: str | None) -> None:
        first, *others = self._sending.pop(key)
        if refused is not None:
            self.drop(first, refused)
        for place in others if first.refused else (first, *others):
            self._admit(place)

    def leave(self, label: str) -> None:
        """Have all end their games, and be free for others: those too that got none. One that is
        getting ready leaves after that, though the head is gone by then.
        """
        leaving = [
            self._client.submit(
                self._runs.leave, label, workers=[place.address], pure=False, priority=10
            )
            for place in self._places.values()
            if not place.gone and place.busy_at is None
        ]
        fire_and_forget(leaving)
        with suppress(TimeoutError, OSError, CancelledError):  # it is frozen, or all is gone
            wait(leaving, timeout=LEAVE_S)
