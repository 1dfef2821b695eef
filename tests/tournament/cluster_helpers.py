"""A cluster in the process of a test, runs on it, and a network that can be cut."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

from distributed import Client, LocalCluster

from arena.bench import sleeping
from arena.tournament.config import TournamentConfig
from arena.tournament.executors.base import Report
from arena.tournament.executors.dask import DaskExecutor
from arena.tournament.played_store import PlayedStore
from arena.tournament.run import run


def machines_of_one_core(number: int, folder: Path, **more: Any) -> LocalCluster:
    """A cluster of so many workers."""
    return LocalCluster(
        n_workers=number, threads_per_worker=1, processes=False, dashboard_address=":0",
        memory_limit=0, local_directory=folder, **more,
    )  # fmt: skip


FAST = "[clock]\nmove_ms = 5\n[game]\nrules = 'dots'\n"
"""Games of dots that are soon over."""


def machines_that(**changed: Callable[..., Any]) -> SimpleNamespace:
    """Sleeping machines that run other functions for some."""
    return SimpleNamespace(**{**vars(sleeping), **changed})


class ClusterRun:
    """A run on a cluster, and what came of it."""

    def __init__(self, client: Client, folder: Path, runs: Any = sleeping, **more: Any) -> None:
        self.path, self._client, self._runs, self._more = folder / "r.sqlite", client, runs, more

    def play(
        self,
        config: TournamentConfig,
        meanwhile: Callable[[int], None] = lambda submitted: None,
        watch: Callable[[Report], None] = lambda report: None,
    ) -> None:
        """Play it; `meanwhile` is called with how many tasks were submitted, `watch` with each
        report.
        """

        def opened(config: TournamentConfig, masked: tuple[str, ...]) -> DaskExecutor:
            executor = DaskExecutor(self._client, config, masked, runs=self._runs, **self._more)
            submit, wait, count = executor.submit, executor.wait, 0

            def counted(task: Any) -> None:
                nonlocal count
                count += 1
                meanwhile(count)
                submit(task)

            def watched(timeout_s: float) -> Sequence[Report]:
                reports = wait(timeout_s)
                for report in reports:
                    watch(report)
                return reports

            executor.submit = counted  # type: ignore[method-assign]  # watched here alone
            executor.wait = watched  # type: ignore[method-assign]  # watched too
            return executor

        with PlayedStore.open_run(self.path, config) as store:
            outcome = run(config, store, open_executor=opened)
            self.records = list(store.records())
        assert (outcome.done, outcome.void) == (outcome.total, ())
        assert len({record.game for record in self.records}) == len(self.records) == outcome.total

    def by_pair(self) -> dict[str, set[str]]:
        """The machines of each pair."""
        found = defaultdict[str, set[str]](set)
        for record in self.records:
            found[record.pair].add(record.host.name)
        return found


class Wire:
    """Takes bytes from one side to the other. While it is cut it keeps them, as a network that
    loses packets for a while makes TCP do.
    """

    _server: asyncio.Server

    def __init__(self, client: Client) -> None:
        self._client, self._whole = client, asyncio.Event()
        self._whole.set()

    @classmethod
    async def to_scheduler(cls, client: Client) -> tuple[Self, str]:
        """A wire in the loop of the client, and the address of its other end."""
        wire = cls(client)
        wire._server = await asyncio.start_server(wire._connected, "127.0.0.1", 0)
        host, port = wire._server.sockets[0].getsockname()
        return wire, f"tcp://{host}:{port}"

    async def close(self) -> None:
        """Take no more connections."""
        self._server.close()

    def cut(self) -> None:
        """Let nothing through."""
        self._client.loop.add_callback(self._whole.clear)

    def join(self) -> None:
        """Let through what was kept, and what comes."""
        self._client.loop.add_callback(self._whole.set)

    async def _connected(self, near: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        host, port = self._client.scheduler.address.removeprefix("tcp://").split(":")
        far, there = await asyncio.open_connection(host, int(port))
        await asyncio.gather(self._carry(near, there), self._carry(far, back))

    async def _carry(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        try:
            while data := await source.read(65_536):
                await self._whole.wait()
                sink.write(data)
                await sink.drain()
        except ConnectionError:
            pass
        finally:
            sink.close()
