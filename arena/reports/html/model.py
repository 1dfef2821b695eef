"""The data of a run's pages, as JSON: written by Python, read by the scripts in `static`.

A page has a `RunData` at once and the `GameData` of a game when it is looked at. The one-file
report embeds both, the server sends each from an address of its own. In the file 250 games are one
block, a list a field, which takes a seventh less room; all are null for a game whose record is
damaged.
"""

from typing import Any, Literal

from arena.model import Frozen
from arena.model.protocol import Termination

Drawing = Literal["othello", "dots", "tiles", "text"]
"""How a board is drawn; `text` for a game without a drawing of its own."""


class GameColumns(Frozen):
    """The games that have a result, in the order they ended, a list a column."""

    id: list[str]
    players: list[tuple[int, ...]]
    """By seat: places in `RunData.players`."""
    scores: list[tuple[int, ...]]
    points: list[tuple[int, ...]]
    """Half points by seat: 2, 1 or 0; empty where one game alone decides nothing."""
    ending: list[int]
    """Places in `RunData.endings`."""
    offender: list[int]
    """The seat that forfeited; −1 where none did."""
    plies: list[int]
    slowest_ms: list[int]
    """The longest time of any move."""


class GameRunning(Frozen):
    id: str
    round: int
    players: tuple[int, ...]
    opening: int
    """How many moves of the opening come first."""
    start: dict[str, Any]
    """The first position, as on the wire."""
    moves: list[str]
    """Those known so far, the opening's, passes and chance included."""


class FaultData(Frozen):
    """One way in which a player broke the contract."""

    ending: Termination
    count: int
    """How often, random moves played for the player included."""
    game: str
    """The first game in which it happened."""
    detail: str
    """The referee's sentence there."""
    stderr: str
    """The most telling line of the player's stderr in that game; empty where there is none, the
    sentence has it, or the audience may not read it.
    """


class PlayerData(Frozen):
    """A player's figures, as the standings have them: those that the columns of games lack."""

    rank: int | None
    """By the rules of the format, or where it has none by Elo; null for a player that left the
    tournament, whose games are not counted."""
    rating: str
    """Elo and half of its 95% interval in words, as `+480 ± 257`, `too few games`."""
    interval: tuple[float, float, float] | None
    """Least, Elo and most; null with too few games."""
    games: int
    wins: int
    draws: int
    losses: int
    """Results; in 2048 and 2584 comparisons of two games."""
    as_first: str
    """Share of the points when moving first with its 95% interval, in words; empty without."""
    as_second: str
    mean_ms: float | None
    max_ms: float | None
    clock: str
    """Its own in words, as `0.5 s a move`; empty where it has the tournament's."""
    version: str
    """Of a submitted bot, as `version 2 (9c0c2c46)`; empty for others."""
    versions: list[int]
    """All versions of this bot, with this one, by places in `RunData.players`; empty for one."""
    status: Literal["playing", "replaced", "gone", "out"]
    """As in the configuration: all but `playing` have no more games."""
    random_moves: int
    faults: list[FaultData]


class RunData(Frozen):
    """A run, for its lists of games and players."""

    name: str
    variant: dict[str, Any]
    drawing: Drawing
    marks: list[str]
    """The mark of each seat."""
    seats: int
    move_gap: str
    """The text between two moves of a transcript."""
    players: list[str]
    """Names as they are shown."""
    limits_ms: list[int | None]
    """The longest time of a move of each of them, for the dashed line; null with a bank alone."""
    figures: list[PlayerData]
    """Of each of `players`, in their order."""
    endings: list[Termination]
    games: GameColumns
    running: list[GameRunning]


class SeatStderr(Frozen):
    """A player's stderr in a game."""

    head: str
    tail: str
    bytes: int
    """Of all it wrote, as it is shown: more than in head and tail where the middle is lost."""
    marks: list[int]
    """As in the record: characters of head and tail by each of its moves."""


class GameData(Frozen):
    """One game, for its page. Lists by ply have a value for each move, openings, passes and chance
    included; a list of which every value would be null is empty.
    """

    id: str
    round: int
    attempt: int
    players: list[int]
    seed: int
    opening: int
    """How many moves of the opening come first."""
    start: dict[str, Any]
    """The first position, as on the wire."""
    moves: list[str]
    seats: list[int]
    """The seats that moved; −1 is chance."""
    used_ms: list[float | None]
    score: list[float | None]
    depth: list[int | None]
    text: list[str | None]
    """The player's own words on a move; empty unless the audience may read them."""
    faults: list[tuple[int, int, str, str]]
    """Ply, seat, termination, sentence."""
    ending: Termination
    detail: str
    offender: int
    scores: list[int]
    points: list[int]
    """Half points."""
    started_at: str
    duration_ms: float
    machine: str
    stderr: list[SeatStderr | None]
    """By seat; null where the audience may not read it."""
    boards: list[str]
    """Text boards after 0, 1, 2 … plies, where the drawing is `text`; else empty."""
