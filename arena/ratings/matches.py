"""Two players head to head, and the sequential test of them."""

from typing import Literal

from arena.model import Frozen

Model = Literal["normalized", "logistic"]
Decision = Literal["H0", "H1"]


class Count(Frozen):
    """Two players head to head, counted by games or by pairs; all errors are 95%."""

    elo: float
    """Elo of the player over the opponent, each game alike and no prior but `with_prior`."""
    elo_error: float
    """Half of its interval; with fewer than 30 games or pairs by Student's t."""
    normalized_elo: float
    """Elo in units of a game's spread: comparable across drawish and decisive games."""
    normalized_elo_error: float
    """Half of its interval."""
    los: float
    """Probability that the player is the stronger, 0 to 1. A count by games takes the first move
    for strength where one of the two had it more often; `neighbours` of the standings does not.
    By a normal distribution, which is too sure of fewer than 30 games or pairs.
    """
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
    dependent: int = 0
    """Of those, games whose label another of them has too; `trinomial` takes them as independent.
    """
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
    """False where more than 5% of the attempts were forfeited or void: then it says nothing of the
    players, whatever was accepted."""
    estimate: Count | None
    """The lead in these units; null without any. Biased once the test has stopped: a test stops
    when luck has run one way."""

    @property
    def units(self) -> int:
        """How many were counted."""
        return sum(self.counts.values())

    @property
    def decisive(self) -> float:
        """The share of them that one side won, 0 to 1; there must be some."""
        even = list(self.counts.values())[len(self.counts) // 2]
        return 1 - even / self.units
