"""Standings, the value that every report prints. The line under a field documents its JSON key."""

from datetime import datetime
from typing import Any, Literal

from arena.model import Frozen
from arena.model.protocol import Clock
from arena.ratings.conduct import Broken, Contained, Spoilt
from arena.ratings.matches import Match, Verdict
from arena.ratings.rankings import Ranking

ORDERED = (
    "points (2 a win, 1 a draw), then games won, then the sum of differences;"
    " players equal in all three share the rank"
)
"""How the course's order is decided, as reports state it."""
MOST_COMPARED = 200
"""Players of a crosstable, and of a covariance: beyond that, standings are a list of players."""
PRIOR = "to keep ratings finite, each player is given one extra draw against an average opponent"
"""The prior, as reports state it, …"""
FITTED_PRIOR = (
    "strengths lie normally around their mean, as far apart as the results say, which chose the"
    " opponents"
)
"""… and the one of a Swiss tournament or a ladder."""


class Cell(Frozen):
    """One cell of the crosstable: a player's results against one opponent."""

    player: str
    """The player with these results."""
    opponent: str
    """The player they were against."""
    wins: int
    """Results won by `player`."""
    draws: int
    """Results drawn."""
    losses: int
    """Results lost by `player`."""


class Share(Frozen):
    """A share of the points."""

    results: int
    """How many results it is a share of."""
    score: float
    """Points by results, 0 to 1."""
    low: float
    """The least it is at 95%, by Wilson's interval with pairs as the units; never below 0."""
    high: float
    """The most it is at 95%; never above 1."""
    error: float
    """Half of the width of that interval, which is not centred at `score`."""


class Times(Frozen):
    """Wall time of the moves a player was asked for, openings and passes left out."""

    moves: int
    """How many moves."""
    mean_ms: float
    """Mean time of a move, in ms."""
    p99_ms: float
    """The time that 99% of the moves did not pass, in ms."""
    max_ms: float
    """The longest move, in ms."""


class TileReach(Frozen):
    """How often a tile of 2048 or 2584 was reached."""

    tile: int
    """The tile."""
    reached: float
    """Share of the games with this tile or a larger one, 0 to 1."""
    ended: float
    """Share of the games in which this was the largest tile, 0 to 1."""


class TileFigures(Frozen):
    """Figures of a slider of 2048 or 2584, or of a player of another game that one plays alone.
    Forfeited games count as far as they went.
    """

    games: int
    """Games played as slider, or alone."""
    mean_score: float
    """Mean score."""
    mean_error: float | None
    """Half of the 95% interval of the mean (Student's t); null for a single game."""
    best_score: int
    """The highest score."""
    mean_moves: float
    """Slides, or other moves, a game."""
    mean_seconds: float
    """Time used for a game's slides, or moves, in seconds."""
    reach: tuple[TileReach, ...]
    """Tiles that ended a game, and all larger ones seen; the largest first. Empty elsewhere."""

    def shares_at(self, tile: int) -> tuple[float, float]:
        """Shares of the games that reached a tile and that ended there. One at which none ended was
        reached as often as the next larger.
        """
        last = next((each for each in reversed(self.reach) if each.tile >= tile), None)
        if last is None:
            return 0.0, 0.0
        return last.reached, last.ended if last.tile == tile else 0.0


class PlayerStanding(Frozen):
    """One player's line."""

    rank: int
    """Place by Elo, from 1; equals share it, and players without a result come last."""
    name: str
    """The name in the tournament."""
    elo: float | None
    """Rating by one fit of all results, with the `prior`; null without a result."""
    elo_error: float | None
    """Half of its 95% interval, relative to the anchor; 0 for the anchor itself."""
    games: int
    """Games played to an end, void ones not counted."""
    wins: int
    """Results won. In 2048 and 2584 a result is a comparison of two games."""
    draws: int
    """Results drawn."""
    losses: int
    """Results lost."""
    score: float | None
    """Share of the points, 0 to 1; null without a result."""
    points: int
    """Course points: 2 a win, 1 a draw."""
    course_rank: int | None
    """Place by course points, then games won, then difference; equals share it. Null unless all
    players have as many results: else points do not compare them."""
    difference: int | None
    """Sum of disc or box differences; null where games have none. A forfeited game counts at most
    0 for the player who forfeited it."""
    as_first: Share | None
    """Share of the points when moving first; null without such results."""
    as_second: Share | None
    """Share of the points when moving second; null without such results."""
    forfeits: dict[str, int]
    """Games forfeited, by termination word."""
    random_moves: int
    """Moves the referee played for it after faults."""
    times: Times | None
    """Time used; null when it was never asked for a move."""
    tiles: TileFigures | None
    """Scores in games that one plays alone, with tiles in 2048 and 2584; null in other games."""
    clock: Clock | None = None
    """Its own, in place of the tournament's; null for that one."""

    @property
    def results(self) -> int:
        """Results rated."""
        return self.wins + self.draws + self.losses


class Neighbours(Frozen):
    """Two players next to each other in the table."""

    upper: str
    """The one above."""
    lower: str
    """The one below."""
    difference: float
    """Elo between them."""
    error: float
    """Half of the 95% interval of `difference`, the covariance taken into account."""
    los: float
    """Probability that the upper one is the stronger, 0 to 1."""
    separated: bool
    """Whether results link the two and their order is no luck at 95%: the interval of `difference`
    leaves out 0, or one of them won or lost all its results and a score test distinguishes them.
    """


class Anchor(Frozen):
    """The rating that fixes the Elo scale."""

    player: str | None
    """The player whose rating is given; null for the mean of the pool."""
    elo: float
    """The rating of the player, or the mean of the pool."""
    in_force: bool = True
    """False while the player has no result: then the mean of the pool is at `elo` instead."""


class Advantage(Frozen):
    """Worth of the first move, on the openings played."""

    elo: float
    """Fitted together with the ratings."""
    error: float
    """Half of the 95% interval of what more games on the same openings give; on others it may be
    worth more or less."""


class Standings(Frozen):
    """The standings of a tournament, or of a list of results."""

    format: Literal[1] = 1
    """Version of these keys."""
    name: str
    """The tournament, or the list of results."""
    rules: str | None
    """The rule set; null for a list of results."""
    games: int
    """Games played to an end, void ones not counted."""
    planned: int | None
    """Games in the whole schedule; null where there is none."""
    void: int
    """Attempts spoilt by the host or the referee: not scored."""
    spoilt: tuple[Spoilt, ...] = ()
    """The games they were at, as they are numbered."""
    damaged: tuple[str, ...] = ()
    """Games whose results cannot be read any more, by their ids: not counted."""
    left_out: tuple[str, ...] = ()
    """Players that left the tournament: their games stay in the record and are not counted."""
    replaced: tuple[str, ...] = ()
    """Versions that play no more, as a newer one of their bot does: their games count."""
    matched: bool = False
    """Whether the prior is fitted, as results chose the opponents; not beyond 2,000 players."""
    began: datetime | None = None
    """When the first of its games to end began; null for a list of results."""
    ended: datetime | None = None
    """When the last of them ended."""
    results: int
    """Results rated; in 2048 and 2584, comparisons of two games."""
    repeats: int = 0
    """Games that went move for move like an earlier one of the same players, forfeits left out:
    the intervals count them as new evidence."""
    anchor: Anchor
    """Which rating is given, so that the others follow."""
    prior: str = PRIOR
    """The prior on the strengths, in words."""
    first_mover: Advantage | None
    """Advantage of moving first; null where neither player does, or nothing was played."""
    first_player: Share | None
    """Share of the points taken by the first player; null as above."""
    players: tuple[PlayerStanding, ...]
    """By rank."""
    neighbours: tuple[Neighbours, ...]
    """Rated players next to each other, from the top, where results link them; empty in a
    sequential test, as its stop makes figures for a fixed number of games too sure."""
    groups: tuple[tuple[str, ...], ...]
    """Players linked by results; the ratings of two groups cannot be compared."""
    crosstable: tuple[Cell, ...]
    """Results of each player against each opponent met, both ways round; empty beyond 200
    players."""
    terminations: dict[str, int]
    """Games by how they ended, the most frequent first."""
    faults: tuple[Broken, ...]
    """Faults of each player, the most frequent first."""
    sandboxes: tuple[Contained, ...] = ()
    """Sandboxes of each player; empty for a list of results."""
    covariance: tuple[tuple[float, ...], ...]
    """Of the ratings in Elo², rows and columns as the rated players stand in `players`; empty
    beyond 200 players."""
    match: Match | None
    """Head to head; null unless exactly two players have results."""
    sprt: Verdict | None = None
    """The sequential test; null where the tournament asks for none."""
    ranking: Ranking | None = None
    """The order by the rules of the format; null where players are ranked by Elo alone."""
    ending: str | None = None
    """How far the ends are that the file asks for, a sentence; null where it asks for none."""


def schema() -> dict[str, Any]:
    """The JSON Schema of the report: each key with its description."""
    return Standings.model_json_schema(mode="serialization")
