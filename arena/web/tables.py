"""The tables of /play: each is a process (`arena.web.table`), started when a person wants a game,
and ended when nobody moves.
"""

import asyncio
import os
import secrets
import sys
import time
from contextlib import suppress

from arena.errors import UserError
from arena.web.boards import TableWish
from arena.web.rates import Rate
from arena.web.table import Command, Setup, TableState

MOST_TABLES = 4
"""Games at a time: each has a process and a player."""
KEPT_TABLES = 100
"""Tables that are remembered, those that are over included."""
IDLE_S = 15 * 60.0
"""How long a person may think about a move."""
_GAMES_BEGUN = (10, 300.0)
_LINE_BYTES = 2**20


class RunningTable:
    """One table, as its process last described it."""

    def __init__(self, wish: TableWish, process: asyncio.subprocess.Process, idle_s: float) -> None:
        self.wish = wish
        self.state = TableState(number=0, phase="preparing")
        self._process, self._idle_s = process, idle_s
        self._changed = asyncio.Event()
        self._touched = time.monotonic()
        self._following = asyncio.create_task(self._follow())

    @property
    def is_over(self) -> bool:
        """Whether its game has ended."""
        return self.state.phase == "over"

    async def newer(self, number: int, patience_s: float) -> TableState:
        """The state, once its number is higher; the one there is if none comes in time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(patience_s):
                while self.state.number <= number and not self.is_over:
                    await self._changed.wait()
        return self.state

    def send(self, command: Command) -> None:
        """Hand a command to the game."""
        self._touched = time.monotonic()
        stdin = self._process.stdin
        assert stdin is not None  # asked for
        if not self.is_over and not stdin.is_closing():
            stdin.write(command.model_dump_json().encode() + b"\n")

    def end(self) -> None:
        """End the process, and its player with it."""
        with suppress(ProcessLookupError):
            self._process.terminate()

    async def ended(self) -> None:
        """Wait until it has ended."""
        await self._following

    async def _follow(self) -> None:
        stdout = self._process.stdout
        assert stdout is not None  # asked for
        expiring = asyncio.create_task(self._expire())
        async for line in stdout:
            self._become(TableState.model_validate_json(line))
        expiring.cancel()
        await self._process.wait()
        if not self.is_over:
            idle = time.monotonic() - self._touched > self._idle_s
            why = "Nobody moved for a while" if idle else "The process of this game ended"
            ending = f"{why}. Begin another game."
            over = {"number": self.state.number + 1, "phase": "over", "ending": ending, "legal": ()}
            self._become(self.state.model_copy(update=over))

    def _become(self, state: TableState) -> None:
        self.state = state
        self._changed.set()
        self._changed = asyncio.Event()

    async def _expire(self) -> None:
        """End the process when nobody has moved for long."""
        while (left := self._touched + self._idle_s - time.monotonic()) > 0:
            await asyncio.sleep(left)
        self.end()


class Tables:
    """All tables of a server."""

    def __init__(self, most: int = MOST_TABLES, idle_s: float = IDLE_S) -> None:
        self._most, self._idle_s = most, idle_s
        self._tables: dict[str, RunningTable] = {}
        self.begun = Rate(*_GAMES_BEGUN)
        """How often an address may begin a game."""

    async def open(self, wish: TableWish, setup: Setup) -> str:
        """Start a game; its id, which cannot be guessed. Raises UserError where all tables are
        taken.
        """
        if sum(not table.is_over for table in self._tables.values()) >= self._most:
            raise UserError(
                f"All {self._most} tables are taken. Try again when one of these games is over; "
                f"at the latest after {self._idle_s / 60:.0f} minutes in which nobody moves."
            )
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "arena.web.table", str(os.getpid())),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=_LINE_BYTES,
            start_new_session=True,  # Ctrl-C in the terminal reaches the server alone
        )
        assert process.stdin is not None  # asked for
        process.stdin.write(setup.model_dump_json().encode() + b"\n")
        name = secrets.token_urlsafe(16)
        self._forget()
        self._tables[name] = RunningTable(wish, process, self._idle_s)
        return name

    def find(self, name: str) -> RunningTable | None:
        """The table of that id, if there is one."""
        return self._tables.get(name)

    def _forget(self) -> None:
        """Drop the oldest games that are over."""
        over = [name for name, table in self._tables.items() if table.is_over]
        for name in over[: max(0, len(self._tables) - KEPT_TABLES + 1)]:
            del self._tables[name]

    def end(self) -> None:
        """End all; pages that wait are answered then."""
        for table in self._tables.values():
            table.end()

    async def close(self) -> None:
        """End all, and wait until they have ended."""
        self.end()
        await asyncio.gather(*(table.ended() for table in self._tables.values()))
