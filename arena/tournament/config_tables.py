"""The tables of a tournament file as they are written."""

from collections.abc import Iterator
from functools import cache
from typing import Annotated, Any, ClassVar

from pydantic import Field, create_model

from arena.files.toml_tables import TomlTable
from arena.model.containment import Guarantee, SandboxChoice
from arena.model.contender import MEMORY_MB
from arena.model.game_spec import GRACE_MS, STARTUP_MS, OnFault, Seed
from arena.model.protocol import Clock, Text
from arena.tournament.formats import FORMATS
from arena.tournament.formats.stopped import StopTable

LONGEST_MS = 1_000_000_000
"""Eleven days: times fit the 32-bit integers of any player's language."""
MOST_ROUNDS = 1_000_000


class TournamentTable(TomlTable):
    name: Text | None = None
    format: str | None = None
    """None takes the one whose table is there, else the round-robin."""
    rounds: int | None = Field(default=None, ge=1, le=MOST_ROUNDS)
    """None plays as many as the format does."""
    seed: Seed = 1
    concurrency: int | None = Field(default=None, ge=1)
    on_fault: OnFault = "forfeit"
    max_plies: int | None = Field(default=None, ge=1)
    keep_alive: bool | None = None
    """None keeps the processes of built-ins alone."""
    ponder: bool = False
    sandbox: SandboxChoice = "auto"
    python: Text | None = None
    """The Python of scripts; None for the one that runs the arena."""
    require: list[Annotated[Guarantee, Field(strict=False)]] = Field(default_factory=list)


class LimitsTable(TomlTable):
    """`clock` of a player, and what `[clock]` has of it."""

    move_ms: int | None = Field(default=None, gt=0, le=LONGEST_MS)
    bank_ms: int | None = Field(default=None, gt=0, le=LONGEST_MS)
    increment_ms: int = Field(default=0, ge=0, le=LONGEST_MS)

    @property
    def clock(self) -> Clock:
        """With defaults where there are problems."""
        default = Clock().move_ms if self.bank_ms is None else None
        move = default if self.move_ms is None else self.move_ms
        return Clock(move_ms=move, bank_ms=self.bank_ms, increment_ms=self.increment_ms)

    def problems(self) -> Iterator[tuple[str, str]]:
        """Keys, and what is wrong with them."""
        bank, increment = self.bank_ms, self.increment_ms
        if increment and bank is None:
            yield (
                "increment_ms",
                "needs bank_ms: an increment is added to a bank; give bank_ms too, or leave it out",
            )
        if bank and self.move_ms and bank < self.move_ms and not increment:
            yield (
                "bank_ms",
                f"the bank of the whole game, {bank} ms, is less than one move may take, "
                f"move_ms = {self.move_ms}; give more, or leave out move_ms",
            )


class ClockTable(LimitsTable):
    grace_ms: int = Field(default=GRACE_MS, ge=0, le=LONGEST_MS)
    startup_ms: int = Field(default=STARTUP_MS, gt=0, le=LONGEST_MS)


class OpeningsTable(TomlTable):
    plies: int | None = Field(default=None, ge=0)
    file: str | None = None


class RatingTable(TomlTable):
    """`[rating]`: what the Elo scale is tied to."""

    anchor: str | None = None
    """The player whose Elo is `anchor_elo`; null ties the mean of all players to it."""
    anchor_elo: float = Field(default=0.0, ge=-10_000, le=10_000)


class ClusterTable(TomlTable):
    """`[cluster]`: the machines that play, where it is not this one."""

    on: Text | None = None
    """The scheduler's address, or `local:N`."""
    same_kind: bool = False
    """Whether only machines with the same processor play."""
    insecure: bool = False
    """Whether a scheduler elsewhere may be reached without TLS."""
    ca_file: Text | None = None
    cert_file: Text | None = None
    key_file: Text | None = None


class ResourcesTable(TomlTable):
    """`resources` of a player."""

    threads: int = Field(default=1, ge=1)
    memory_mb: int = Field(default=MEMORY_MB, gt=0, le=2**30)


class PlayerTable(TomlTable):
    synonyms: ClassVar = (
        dict.fromkeys(("path", "file", "script", "program", "player"), "bot")
        | dict.fromkeys(("cmd", "exec", "run"), "command")
        | {"submissions": "from"}
    )

    bot: str | None = None
    command: list[str] | None = Field(default=None, min_length=1)
    from_: str | None = Field(default=None, alias="from")
    """A folder of submissions: each that plays the game is a player."""
    name: Text | None = None
    options: dict[str, Any] = Field(default_factory=dict)
    clock: LimitsTable | None = None
    """None takes the tournament's."""
    resources: ResourcesTable = ResourcesTable()
    sandbox: SandboxChoice | None = None
    """None takes the tournament's."""
    python: Text | None = None
    """None takes that of bot.toml, else the tournament's."""


class TournamentFile(TomlTable):
    """The whole file. Required keys are asked for later, so that all problems come at once."""

    tournament: TournamentTable = TournamentTable()
    game: dict[str, Any] = Field(default_factory=dict)
    clock: ClockTable = ClockTable()
    openings: OpeningsTable = OpeningsTable()
    rating: RatingTable = RatingTable()
    stop: StopTable = StopTable()
    cluster: ClusterTable = ClusterTable()
    player: list[PlayerTable] = Field(default_factory=list)

    def format_tables(self) -> dict[str, TomlTable]:
        """The tables of formats that are there, by the formats' names."""
        tables = {name: getattr(self, name.replace("-", "_")) for name in FORMATS}
        return {name: table for name, table in tables.items() if table is not None}


@cache
def with_formats() -> type[TournamentFile]:
    """The tables of a tournament file with those of all formats. Made once: it takes longer than
    to read a file, and the pages of a course read its tournaments again at each view.
    """
    fields: dict[str, Any] = {
        name.replace("-", "_"): (format_.keys | None, Field(default=None, alias=name))
        for name, format_ in FORMATS.items()
    }
    return create_model("TournamentFile", __base__=TournamentFile, **fields)
