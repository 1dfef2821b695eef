"""The events of a run, for every process that watches it.

The process that plays appends each event as a line of JSON to `NAME.events.jsonl`, next to the
store. A file, not a table of the store: each move would be a transaction that games wait for. Each
event is one `write`, so a kill leaves at most a torn last line, which no reader takes for an event.

Results are in the store before their event is appended, and the store alone is the state of a run:
each run begins the file again, and it may be deleted at any time.
"""

import re
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Annotated, Literal

from pydantic import Field, TypeAdapter

from arena.errors import Exit
from arena.files.whole_file import fresh
from arena.model import Frozen
from arena.ratings.matches import Verdict
from arena.tournament.estimate import Estimate


class _Happened(Frozen):
    at: float = Field(default_factory=time.time)
    """When, in seconds since 1970 (UTC)."""
    clock: float = Field(default_factory=time.monotonic)
    """The same on a clock that is never set: the seconds from one event to another."""


class RunStarted(_Happened):
    """Before the first game."""

    kind: Literal["run_started"] = "run_started"
    total: int
    """Games of the tournament, at most where results decide."""
    done: int
    """Games that earlier runs have finished."""
    estimate: Estimate
    """For the games that are left, as far as they can be foreseen."""
    delay: str | None = None
    """A sentence where this machine is too busy for fair clocks; null where it is not."""
    verdict: Verdict | None = None
    """Where the tournament's sequential test stands; null without one."""


class GameStarted(_Happened):
    """A game was given to a worker."""

    kind: Literal["game_started"] = "game_started"
    game: str
    attempt: int
    round: int
    pair: str
    players: tuple[str, ...]
    """Names by seat."""
    opening: tuple[str, ...]
    """Moves played before a player is asked; they are sent as moves too."""
    seed: int


class MovesPlayed(_Happened):
    """A game goes on; a few times a second at most."""

    kind: Literal["moves_played"] = "moves_played"
    game: str
    ply: int
    """How many moves were played before these."""
    moves: tuple[str, ...]
    """The moves since then; openings, passes and chance included."""


class GameFinished(_Happened):
    """A game has its result, and the store has it for good."""

    kind: Literal["game_finished"] = "game_finished"
    game: str
    attempt: int
    done: int
    total: int
    verdict: Verdict | None = None
    """Where the sequential test stands now; null without one."""


class GameVoid(_Happened):
    """An attempt was void; the store keeps it."""

    kind: Literal["game_void"] = "game_void"
    game: str
    attempt: int
    detail: str
    """Why, a sentence."""
    replayed: bool
    """Whether the game is tried again now."""


class Noted(_Happened):
    """Something about the machines that play."""

    kind: Literal["noted"] = "noted"
    text: str
    """A sentence."""


class RunOutcome(Frozen):
    """How a run ended."""

    total: int
    done: int
    void: tuple[GameVoid, ...] = ()
    """The last attempt of each game that stayed void in this run."""
    interrupted: bool = False
    verdict: Verdict | None = None
    """Of the sequential test; null without one."""

    @property
    def exit_code(self) -> Exit:
        """Done, interrupted, or failed: games void, or a test not decided or not usable."""
        if self.interrupted:
            return Exit.INTERRUPTED
        test = self.verdict
        failed = bool(self.void) if test is None else test.decision is None or not test.usable
        return Exit.FAILED if failed else Exit.DONE


class RunFinished(_Happened):
    """Nothing is left to play, or the run was stopped by a signal and goes on by its command."""

    kind: Literal["run_finished"] = "run_finished"
    outcome: RunOutcome


Event = RunStarted | GameStarted | MovesPlayed | GameFinished | GameVoid | Noted | RunFinished
EVENT: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="kind")])


def events_file(store: Path) -> Path:
    """The events of the run that this store keeps."""
    return store.with_name(f"{store.name.removesuffix('.sqlite')}.events.jsonl")


def begin_events(path: Path) -> IO[bytes]:
    """An empty file to append events to. Readers recognize a new one by its first line."""
    new = path.with_name(f"{path.name}.new")
    file = fresh(new, "wb", buffering=0)
    new.replace(path)
    return file


def append_event(file: IO[bytes], event: Event) -> None:
    """Write an event as a line. Raises OSError."""
    line = event.model_dump_json().encode() + b"\n"
    while line:  # of a full disk's last bytes, a part is written without an error
        line = line[file.write(line) :]


class EventReader:
    """Reads the events that came since it looked last."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._first = b""
        self._offset = 0

    def read(self) -> list[Event]:
        """New events, those of a new run from its beginning; no moves of games ended since."""
        with suppress(FileNotFoundError), self._path.open("rb") as file:
            first = file.readline()  # its inode may be that of the run before the last again
            if first != self._first:
                self._first, self._offset = first, 0
            file.seek(self._offset)
            whole, newline, _ = file.read().rpartition(b"\n")
            self._offset += len(whole + newline)
            return _events(whole.splitlines())
        return []


_MOVES = re.compile(rb'"kind":"moves_played","game":"([^"]*)"')


def _events(lines: list[bytes]) -> list[Event]:
    """The events of these lines, but the moves of games that end in them: most of a long file."""
    events: list[Event] = []
    over: set[str] = set()
    for line in reversed(lines):
        moves = _MOVES.search(line)
        with suppress(ValueError):  # of a newer arena, which has other events; or damaged
            if moves is not None and moves[1].decode() in over:
                continue
            event = EVENT.validate_json(line)
            events.append(event)
            if isinstance(event, GameFinished | GameVoid):
                over.add(event.game)
    return events[::-1]
