"""What experiments gave, in `results.json`: each pair of players with its interval, the games, the
machine, the version, the day.
"""

import json
from datetime import date, datetime
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from arena.errors import UserError
from arena.files.whole_file import write_whole
from arena.model import Frozen
from arena.ratings.elo import fit
from arena.ratings.model import Advantage
from arena.ratings.results import results_of
from arena.tournament.run_view import RunView, recorded_game

FILE = Path(__file__).with_name("results.json")

TILES = {"2048": (2048, 8192, 16384, 32768), "2584": (2584, 17711)}
"""Those whose reach is kept."""

Clock = Literal["cpu", "referee"]
"""CPU time in one process, or the referee's clock."""


class Gap(Frozen):
    """One player against another, as the joint fit has them."""

    player: str
    opponent: str
    elo: float
    error: float
    """Half of the 95% interval."""


class Scores(Frozen):
    """A player of 2048 or 2584."""

    player: str
    mean: float
    error: float | None
    """Half of the 95% interval."""
    seconds: float
    """A game."""
    reach: dict[int, float] = Field(default_factory=dict)
    """The share of the games that reached each of TILES; empty where it was not kept."""


class Experiment(Frozen):
    """The results of one file."""

    games: int
    clock: Clock
    machine: str
    version: str
    day: date
    """Of the last game; of results kept before this was, the day of their commit."""
    gaps: tuple[Gap, ...]
    second: Gap | None = None
    """The second seat against the first; None in games without a first move."""
    scores: tuple[Scores, ...] = ()

    def gap(self, player: str, opponent: str) -> Gap | None:
        """That of two players, seen from the first."""
        for gap in self.gaps:
            if (gap.player, gap.opponent) == (player, opponent):
                return gap
            if (gap.player, gap.opponent) == (opponent, player):
                return gap.model_copy(
                    update={"player": player, "opponent": opponent, "elo": -gap.elo}
                )
        return None


def load() -> dict[str, Experiment]:
    """All, by the name of their file. Raises UserError where they are damaged, and OSError."""
    if not FILE.exists():
        return {}
    found: dict[str, Experiment] = {}
    try:
        for name, each in json.loads(FILE.read_text(encoding="utf-8")).items():
            found[name] = Experiment(**each)
    except ValidationError as error:  # as of results that were kept before a key was
        wrong = error.errors()[0]
        why = f"{name}: {'.'.join(map(str, wrong['loc']))}: {wrong['msg']}"
    except (ValueError, TypeError, AttributeError) as error:
        why = str(error)
    else:
        return found
    raise UserError(f"{FILE}: is damaged ({why}); correct it, or take the one of the last commit")


def keep(name: str, store: Path) -> Experiment:
    """Take over what a run of the experiment has. Raises UserError where it is another's, or more
    games are kept; and StoreError.
    """
    found, known = _read(name, store), load()
    if name in known and found.games < known[name].games:
        raise UserError(
            f"{store}: has {found.games:,} games; the {known[name].games:,} kept of {name} stay. "
            f"See its results by `arena report {store}`, or play more; to replace those kept "
            f"nevertheless, take {name} out of {FILE} first"
        )
    every = {key: each.model_dump(mode="json") for key, each in (known | {name: found}).items()}
    write_whole(FILE, json.dumps(dict(sorted(every.items())), indent=1, ensure_ascii=False) + "\n")
    return found


def _read(name: str, store: Path) -> Experiment:
    with RunView(store) as view:
        if view.config.name != name:
            raise UserError(f"{store}: is a run of {view.config.name}, not of {name}")
        table, games = view.standings, view.rated
        if not games:
            raise UserError(f"{store}: has no games yet")
        rated = fit(results_of(games), first_mover=table.first_mover is not None)
        record = recorded_game(store, games[-1].game)[1]
        ahead = table.first_mover
        return Experiment(
            games=len(games),
            clock="referee" if record.seats[0].command else "cpu",
            machine=f"{record.host.cpu}, {record.host.cores} cores",
            version=record.host.arena,
            day=datetime.fromisoformat(record.started_at).date(),
            gaps=tuple(_gap(rated.compare(*pair)) for pair in combinations(rated.players, 2)),
            second=None if ahead is None else _second(ahead),
            scores=tuple(
                Scores(
                    player=row.name,
                    mean=round(row.tiles.mean_score),
                    error=row.tiles.mean_error and round(row.tiles.mean_error),
                    seconds=round(row.tiles.mean_seconds, 2),
                    reach={
                        tile: round(row.tiles.shares_at(tile)[0], 4)
                        for tile in TILES[games[0].rules]
                    },
                )
                for row in table.players
                if row.tiles
            ),
        )


def _gap(found: Any) -> Gap:
    return Gap(
        player=found.upper, opponent=found.lower,
        elo=round(found.difference, 1), error=round(found.error, 1),
    )  # fmt: skip


def _second(ahead: Advantage) -> Gap:
    elo, error = round(-ahead.elo, 1), round(ahead.error, 1)
    return Gap(player="second", opponent="first", elo=elo, error=error)
