"""Standings, the value that every report prints. The line under a field documents its JSON key."""

from typing import Any, Literal

from arena.model import Frozen
from arena.model.containment import Held

Model = Literal["normalized", "logistic"]
Decision = Literal["H0", "H1"]

ORDERED = (
    "points (2 a win, 1 a draw), then games won, then the sum of differences;"
    " players equal in all three share the rank"
)
"""How the course's order is decided, as reports state it."""
PRIOR = "to keep ratings finite, each player is given two extra draws against an average opponent"
"""The prior, as reports state it."""


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
    """The least it is at 95 %, by Wilson's interval with pairs as the units; never below 0."""
    high: float
    """The most it is at 95 %; never above 1."""
    error: float
    """Half of the width of that interval."""


class Times(Frozen):
    """Wall time of the moves a player was asked for, openings and passes left out."""

    moves: int
    """How many moves."""
    mean_ms: float
    """Mean time of a move, in ms."""
    p99_ms: float
    """The time that 99 % of the moves did not pass, in ms."""
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
    """Figures of a slider of 2048 or 2584. Forfeited games count as far as they went."""

    games: int
    """Games played as slider."""
    mean_score: float
    """Mean score."""
    mean_error: float | None
    """Half of the 95 % interval of the mean (Student's t); null for a single game."""
    best_score: int
    """The highest score."""
    mean_moves: float
    """Slides a game."""
    mean_seconds: float
    """Time used for a game's slides, in seconds."""
    reach: tuple[TileReach, ...]
    """Tiles that ended a game, and all larger ones seen; the largest first."""


class PlayerStanding(Frozen):
    """One player's line."""

    rank: int
    """Place by Elo, from 1; players without a result come last."""
    name: str
    """The name in the tournament."""
    elo: float | None
    """Joint maximum-likelihood rating; null without a result."""
    elo_error: float | None
    """Half of its 95 % interval, relative to the anchor; 0 for the anchor itself."""
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
    course_rank: int
    """Place by course points, then games won, then difference; equals share it."""
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
    """Scores and tiles in 2048 and 2584; null in other games."""


class Neighbours(Frozen):
    """Two players next to each other in the table."""

    upper: str
    """The one above."""
    lower: str
    """The one below."""
    difference: float
    """Elo between them."""
    error: float
    """Half of the 95 % interval of `difference`, the covariance taken into account."""
    los: float
    """Probability that the upper one is the stronger, 0 to 1."""
    separated: bool
    """Whether results link the two and the 95 % interval of `difference` leaves out 0."""


class Anchor(Frozen):
    """The rating that fixes the Elo scale."""

    player: str | None
    """The player whose rating is given; null for the mean of the pool."""
    elo: float
    """The rating of the player, or the mean of the pool."""
    in_force: bool = True
    """False while the player has no result: then the mean of the pool is at `elo` instead."""


class Advantage(Frozen):
    """Worth of the first move."""

    elo: float
    """Fitted together with the ratings."""
    error: float
    """Half of its 95 % interval."""


class Count(Frozen):
    """Two players head to head, counted by games or by pairs; all errors are 95 %."""

    elo: float
    """Elo of the player over the opponent, each game alike and no prior but `with_prior`."""
    elo_error: float
    """Half of its interval."""
    normalized_elo: float
    """Elo in units of a game's spread: comparable across drawish and decisive games."""
    normalized_elo_error: float
    """Half of its interval."""
    los: float
    """Probability that the player is the stronger, 0 to 1."""
    with_prior: bool
    """Whether all games or pairs ended alike, so that half a lost and half a won one were added."""


class Match(Frozen):
    """Two players head to head."""

    player: str
    """The player seen from."""
    opponent: str
    """The other."""
    games: dict[str, int]
    """Games by result: wins, draws, losses."""
    pairs: dict[str, int]
    """Colour-swapped pairs by their two results: ll, ld, wl, dd, wd, ww."""
    unpaired: int
    """Games that are not part of a complete pair; they count in `trinomial` alone."""
    trinomial: Count
    """Counted by games."""
    pentanomial: Count | None
    """Counted by complete pairs; null without any."""


class Verdict(Frozen):
    """A sequential test of the two players, where it stands; see arena.ratings.sprt."""

    player: str
    """The first player of the tournament, with the lead that is tested."""
    opponent: str
    """The other."""
    model: Model
    """Scale of `elo0` and `elo1`: normalized or logistic Elo."""
    elo0: float
    """The lead under H0."""
    elo1: float
    """The lead under H1."""
    alpha: float
    """Probability of accepting H1 where H0 is true, at most."""
    beta: float
    """Probability of accepting H0 where H1 is true, at most."""
    unit: Literal["pair", "comparison"]
    """Unit of the counts: colour-swapped pairs; in 2048 and 2584, comparisons of two games."""
    counts: dict[str, int]
    """Units by their result: ll, ld, wl_dd, wd, ww, or lost, drawn, won."""
    llr: float
    """Log-likelihood ratio of H1 to H0 after these units."""
    lower: float
    """The ratio at which H0 is accepted."""
    upper: float
    """The ratio at which H1 is accepted."""
    decision: Decision | None
    """The accepted hypothesis; null while the test goes on."""
    forfeits: int = 0
    """Games of these units that were forfeited."""
    repeats: int = 0
    """Units that went move for move like an earlier one: no new evidence, unless by chance."""
    void: int = 0
    """Void attempts at games of the test."""
    usable: bool = True
    """False where more than 5 % of the attempts were forfeited or void: then it says nothing of the
    players, whatever was accepted."""
    estimate: Count | None
    """The lead in these units; null without any. Biased once the test has stopped: a test stops
    when luck has run one way."""

    @property
    def units(self) -> int:
        """How many were counted."""
        return sum(self.counts.values())


class Placing(Frozen):
    """A player's place by the rules of the format."""

    rank: int
    """From 1; equals share it."""
    player: str
    """The player's name."""
    figures: tuple[float, ...]
    """Points and tie-breaks, in the order of the ranking's columns."""


class BracketMatch(Frozen):
    """A match of a knockout."""

    players: tuple[str, str | None]
    """The two, in the order of the bracket; the second is null where the first has a bye."""
    points: tuple[float, ...]
    """What they took so far, in that order."""
    winner: str | None
    """The one who goes on; null while the match is open."""


class BracketRound(Frozen):
    """A round of a knockout."""

    name: str
    """As `Semi-finals`."""
    matches: tuple[BracketMatch, ...]
    """In the order of the bracket: the winners of the first two meet in the next round."""


class Ranking(Frozen):
    """The order of the players by the rules of a format that does not rank them by Elo."""

    title: str = "Ranking"
    """What is ranked."""
    columns: tuple[str, ...]
    """Names of each player's figures: points, then tie-breaks."""
    players: tuple[Placing, ...]
    """The best first."""
    notes: tuple[str, ...] = ()
    """Sentences on what figures do not say, as byes."""
    bracket: tuple[BracketRound, ...] = ()
    """The rounds of a knockout so far; a match for the third place comes last."""
    groups: tuple["Ranking", ...] = ()
    """The tables of the groups that were played before a knockout."""


class Broken(Frozen):
    """One way in which a player broke the contract."""

    player: str
    """The player's name."""
    termination: str
    """The word of the fault."""
    count: int
    """How often, random moves played for the player included."""
    game: str
    """The first game in which it happened."""
    detail: str
    """The referee's sentence there."""


class Spoilt(Frozen):
    """A game with attempts that were void: the host's or the referee's fault, and not scored."""

    game: str
    """Its id."""
    attempts: int
    """How many of its attempts were void."""
    detail: str
    """Why the last of them was void."""
    replayed: bool
    """Whether a later attempt has a result."""


class Contained(Frozen):
    """A sandbox of a player, of which there may be more than one in its games."""

    player: str
    """The player's name."""
    games: int
    """In how many games."""
    held: Held
    """The guarantees that its sandbox was found to hold."""


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
    results: int
    """Results rated; in 2048 and 2584, comparisons of two games."""
    anchor: Anchor
    """Which rating is given, so that the others follow."""
    prior: str = PRIOR
    """The addition to the results that keeps ratings finite, in words."""
    first_mover: Advantage | None
    """Advantage of moving first; null where neither player does, or nothing was played."""
    first_player: Share | None
    """Share of the points taken by the first player; null as above."""
    players: tuple[PlayerStanding, ...]
    """By rank."""
    neighbours: tuple[Neighbours, ...]
    """Rated players next to each other, from the top."""
    groups: tuple[tuple[str, ...], ...]
    """Players linked by results; the ratings of two groups cannot be compared."""
    crosstable: tuple[Cell, ...]
    """Results of each player against each opponent met, both ways round."""
    terminations: dict[str, int]
    """Games by how they ended, the most frequent first."""
    faults: tuple[Broken, ...]
    """Faults of each player, the most frequent first."""
    sandboxes: tuple[Contained, ...] = ()
    """Sandboxes of each player; empty for a list of results."""
    covariance: tuple[tuple[float, ...], ...]
    """Of the ratings in Elo², rows and columns as the rated players stand in `players`."""
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
