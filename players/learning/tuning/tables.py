"""The tables of a tuning file as they are written."""

from typing import Any, Literal

from pydantic import Field

from arena.files.toml_tables import TomlTable
from players.learning.training_file import GameTable
from players.learning.tuning.space import FLAT, Symmetry

MethodName = Literal["selfplay", "spsa", "cma"]


class TuningTable(TomlTable):
    """`[tuning]`."""

    name: str | None = None
    method: MethodName | None = None
    games: int = Field(default=10_000, ge=1, le=10**9)
    """Games to learn from; comparisons come on top."""
    seed: int = Field(default=1, ge=0, lt=2**63)
    threads: int | None = Field(default=None, ge=1, le=256)
    """Games at once; left out, as many as there are cores. The result does not depend on it."""
    compare_every: int = Field(default=2000, ge=1)
    """Games between two comparisons with the start."""
    compare_games: int = Field(default=200, ge=2, multiple_of=2)
    """Games of a comparison."""
    measure_games: int = Field(default=1000, ge=2, multiple_of=2)
    """Games of the last one, which the result is given with."""
    referee: bool = False
    """Play all games between player processes under the referee, not in this process."""


class TunedGameTable(GameTable):
    """`[game]`."""

    rules: Literal["othello", "dots", "2048", "2584"] | None = None


class TuningOpeningsTable(TomlTable):
    """`[openings]`."""

    plies: int | None = Field(default=None, ge=0, le=40)
    """Random moves at the start of all games but those that `selfplay` learns from, which begin at
    the start; left out, 6. Games of 2048 and 2584 have none: chance draws their boards."""


class TunedPlayerTable(TomlTable):
    """`[player]`."""

    bot: str | None = None
    options: dict[str, Any] = Field(default_factory=dict)


class WeightsTable(TomlTable):
    """`[weights]`: the table of weights is tuned."""

    start: str = FLAT
    """Where to begin: "flat" for 1 everywhere, a table that comes along by its name, or a file."""
    range: list[float] | None = Field(default=None, min_length=2, max_length=2)
    step: float | None = Field(default=None, gt=0)
    colours: Literal["apart", "together"] = "apart"
    symmetry: Symmetry = "all"


class ParameterTable(TomlTable):
    """`[parameters.NAME]`: an option is tuned. What is left out is as the player declares it."""

    low: float | None = None
    high: float | None = None
    step: float | None = Field(default=None, gt=0)


class SelfplayTable(TomlTable):
    """`[selfplay]`."""

    constant: float = Field(default=0.001, gt=0)
    """What a weight gains for each move of the winner to its square, and loses for the loser's."""
    batch: int = Field(default=16, ge=1, le=10_000)
    """Games played with the same weights; their results are then taken one after the other. 1
    for the rule to the letter, on one core."""


class SpsaTable(TomlTable):
    """`[spsa]`: gains a/(A + k + 1)^alpha and perturbations c/(k + 1)^gamma at step k, in units of
    the parameters' steps.
    """

    a: float = Field(default=10.0, gt=0)
    A: float = Field(default=100.0, ge=0)
    c: float = Field(default=1.0, gt=0)
    alpha: float = Field(default=0.602, gt=0, le=2)
    gamma: float = Field(default=0.101, ge=0, le=1)
    pairs: int = Field(default=8, ge=1, le=10_000)
    """Pairs of games a step."""


class CmaTable(TomlTable):
    """`[cma]`."""

    population: int | None = Field(default=None, ge=4, le=1000)
    """Candidates a generation; left out, 4 + 3·ln(parameters)."""
    sigma: float = Field(default=1.0, gt=0)
    """The first standard deviation, in units of the parameters' steps."""
    pairs: int = Field(default=16, ge=1, le=10_000)
    """Pairs of games that a candidate plays against the mean at first."""
    most_pairs: int = Field(default=256, ge=1, le=100_000)
    """… and at most."""
    resample: float = Field(default=0.25, ge=0, le=1)
    """The share of a generation that plays again on other openings, at least 2: where that changes
    their ranks too much, candidates play more pairs from then on. 0 for never."""


class TuneFile(TomlTable):
    """The whole file. What is required is asked for later, so that all problems come at once."""

    tuning: TuningTable = TuningTable()
    game: TunedGameTable = TunedGameTable()
    openings: TuningOpeningsTable = TuningOpeningsTable()
    player: TunedPlayerTable = TunedPlayerTable()
    weights: WeightsTable | None = None
    parameters: dict[str, ParameterTable] = Field(default_factory=dict)
    selfplay: SelfplayTable = SelfplayTable()
    spsa: SpsaTable = SpsaTable()
    cma: CmaTable = CmaTable()
    verify: dict[str, Any] = Field(default_factory=dict)
    """Read by who verifies."""
