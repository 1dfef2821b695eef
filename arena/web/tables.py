"""The tables of /play: each is a process (`arena.web.table`), started when a person wants a game,
and ended when nobody moves.
"""

import asyncio
import os
import secrets
from contextlib import suppress

from fastapi import HTTPException

from arena.errors import UserError
from arena.files.imports import module_command
from arena.web.boards import TableWish
from arena.web.rates import Rate
from arena.web.table_lines import Command, Setup, TableState

MOST_TABLES = 4
"""Games at a time: each has a process and a player."""
KEPT_TABLES = 100
"""Tables that are remembered, those that are over included."""
IDLE_S = 15 * 60.0
"""How long a person may think about a move."""
_GAMES_BEGUN = (10, 300.0)
_LINE_BYTES = 2**20
_GOES_S = 5.0
"""How long a process that is ended may take to go."""


class RunningTable:
    """One table, as its process last described it."""

    def __init__(
        self, person: str, wish: TableWish, process: asyncio.subprocess.Process, idle_s: float
    ) -> None:
        self.person, self.wish = person, wish
        self.state = TableState(number=0, phase="preparing")
        assert process.stdin is not None and process.stdout is not None  # asked for
        self._process, self._idle_s = process, idle_s
        self._stdin, self._stdout = process.stdin, process.stdout
        self._changed = asyncio.Event()
        self._answered = -1
        """The number of the state in which a command came last."""
        self._why = "The process of this game ended"
        self._following = asyncio.create_task(self._follow())

    @property
    def is_over(self) -> bool:
        return self.state.phase == "over"

    async def newer(self, number: int, patience_s: float) -> TableState:
        """The state, once its number is higher; the one there is if none comes in time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(patience_s):
                while self.state.number <= number and not self.is_over:
                    await self._changed.wait()
        return self.state

    def send(self, command: Command) -> None:
        """Hand a command to the game. Refuses with 409 one that it does not wait for."""
        state = self.state
        if state.phase != "yours" or command.ply != state.ply or self._answered == state.number:
            raise HTTPException(409, "It is not your turn, or the board has changed since.")
        self._answered = state.number
        if not self._stdin.is_closing():
            self._stdin.write(command.model_dump_json().encode() + b"\n")

    def end(self, why: str | None = None) -> None:
        """End the process, and its player with it."""
        self._why = why or self._why
        with suppress(ProcessLookupError):
            self._process.terminate()

    async def ended(self) -> None:
        await self._following

    async def _follow(self) -> None:
        try:
            await self._read()
        finally:
            await self._go()
            if not self.is_over:
                ending = f"{self._why}. Begin another game."
                over = {"phase": "over", "ending": ending, "legal": (), "can_undo": False}
                self._become(self.state.model_copy(update=over | {"number": self.state.number + 1}))

    async def _read(self) -> None:
        """Take the states, until there are no more, one cannot be read or nobody moves."""
        try:
            while line := await asyncio.wait_for(self._stdout.readline(), self._idle_s):
                self._become(TableState.model_validate_json(line))
        except TimeoutError:
            self._why = "Nobody moved for a while"
        except ValueError:  # a line that is too long, or no state
            pass

    async def _go(self) -> None:
        """See the process end."""
        self.end()
        try:
            await asyncio.wait_for(self._drained(), _GOES_S)
        except TimeoutError:
            self._process.kill()
            await self._drained()

    async def _drained(self) -> None:
        """Wait for the end of a process, which may write still: else it could wait for us."""
        while await self._stdout.read(_LINE_BYTES):
            pass
        await self._process.wait()

    def _become(self, state: TableState) -> None:
        self.state = state
        self._changed.set()
        self._changed = asyncio.Event()


class Tables:
    def __init__(self, most: int = MOST_TABLES, idle_s: float = IDLE_S) -> None:
        self._most, self._idle_s = most, idle_s
        self._tables: dict[str, RunningTable] = {}
        self._opening = asyncio.Lock()
        self.begun = Rate(*_GAMES_BEGUN)
        """How often a person may begin a game."""

    async def open(self, person: str, wish: TableWish, setup: Setup) -> str:
        """Start a game, which ends the one before of this person; its id, which cannot be guessed.
        Raises UserError where all tables are taken.
        """
        async with self._opening:
            await self._end_those_of(person)
            if sum(not table.is_over for table in self._tables.values()) >= self._most:
                raise UserError(
                    f"All {self._most} tables are taken. Try again when one of these games is "
                    f"over; at the latest after {self._idle_s / 60:.0f} minutes in which nobody "
                    "moves."
                )
            process = await _process(setup)
            name = secrets.token_urlsafe(16)
            self._forget()
            self._tables[name] = RunningTable(person, wish, process, self._idle_s)
            return name

    async def _end_those_of(self, person: str) -> None:
        for table in tuple(self._tables.values()):
            if table.person == person and not table.is_over:
                table.end("Another game was begun")
                await table.ended()

    def find(self, name: str) -> RunningTable | None:
        return self._tables.get(name)

    def _forget(self) -> None:
        """Drop the oldest games that are over."""
        over = [name for name, table in self._tables.items() if table.is_over]
        for name in over[: max(0, len(self._tables) - KEPT_TABLES + 1)]:
            del self._tables[name]

    def end(self) -> None:
        """End all with the server; pages that wait are answered then."""
        for table in self._tables.values():
            table.end("The server was stopped")

    async def close(self) -> None:
        self.end()
        ended = (table.ended() for table in self._tables.values())
        await asyncio.gather(*ended, return_exceptions=True)


async def _process(setup: Setup) -> asyncio.subprocess.Process:
    """The process of a game, which knows what to play."""
    process = await asyncio.create_subprocess_exec(
        *module_command("arena.web.table", str(os.getpid())),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=_LINE_BYTES,
        start_new_session=True,  # Ctrl-C in the terminal reaches the server alone
    )
    assert process.stdin is not None  # asked for
    process.stdin.write(setup.model_dump_json().encode() + b"\n")
    return process
