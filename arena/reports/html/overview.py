"""The sections of a run: facts, standings, crosstable, tiles, openings, faults, machine, method."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup

from arena.model.protocol import Termination
from arena.ratings.model import Cell, PlayerStanding, Standings
from arena.ratings.results import GameDigest
from arena.reports import machines, words
from arena.reports.html.audience import Audience, Seen
from arena.reports.html.charts import Scale, spread, whisker
from arena.reports.html.data import machine as machine_of
from arena.reports.html.figures import anchor_of, fault_data, interval
from arena.reports.html.wording import FEW_GAMES, ending_word, minus, rating
from arena.reports.pairs import pairs_of
from arena.reports.rankings import figure
from arena.tournament.run_view import RunView

_CLOSE = 12
"""Neighbours that a sentence names where they are not separated."""
_LISTED = 200
"""Openings in the table."""
_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


class Look(NamedTuple):
    """A run as an audience sees it now."""

    view: RunView
    seen: Seen
    standings: Standings

    @classmethod
    def at(cls, view: RunView, audience: Audience) -> "Look":
        seen = Seen(view.config, audience)
        standings = view.standings
        if len(standings.players) > words.MOST_CROSSED:
            standings = standings.model_copy(update={"crosstable": ()})
        return cls(view, seen, seen.standings(standings))


def facts(look: Look) -> dict[str, Any]:
    standings, view = look.standings, look.view
    forfeits = sum(n for word, n in standings.terminations.items() if Termination(word).is_forfeit)
    left = view.left_s if view.is_played else None
    return {
        "games": standings.games,
        "planned": standings.planned,
        "at_most": not view.config.is_fixed and standings.games != standings.planned,
        "forfeits": forfeits,
        "void": standings.void,
        "damaged": len(standings.damaged),
        "live": view.is_played,
        "left": None if left is None else words.duration(left),
    }


def standings(look: Look) -> dict[str, Any]:
    """The players by rank, each rating with its interval on one scale."""
    standings = look.standings
    shown = {row.name: each for row in standings.players if (each := interval(row)) is not None}
    intervals = shown.values()
    pairs = [pair for pair in standings.neighbours if {pair.upper, pair.lower} <= shown.keys()]
    # whether each is not separated from the one above; one more for the end
    above = {pair.lower: not pair.separated for pair in pairs}
    joined = [*(above.get(row.name, False) for row in standings.players), False]
    scale = Scale.over([figure for low, _, high in intervals for figure in (low, high)])
    los = {pair.upper: words.probability(pair.los) for pair in pairs}
    rows = [
        _row(row, standings, scale, joined[place : place + 2]) | {"los": los.get(row.name, "")}
        for place, row in enumerate(standings.players)
    ]
    notes = words.about_separation(standings)
    close = sum(not pair.separated for pair in pairs)
    if len(pairs) < len(standings.neighbours):
        compared = standings.model_copy(update={"neighbours": tuple(pairs)})
        notes[:1] = words.about_separation(compared)[:1] if close else []
    if close > _CLOSE:
        notes[0] = f"{close} pairs of neighbours are not separated at 95%: brackets join them."
    notes += [*words.about_rating(standings)[2:], *words.about_those_out(standings)]
    return {
        "rows": rows,
        "notes": [*map(minus, notes)],
        "faults": any(row.forfeits for row in standings.players),
        "difference": any(row.difference is not None for row in standings.players),
        "few": any(row.games < FEW_GAMES and row.name not in shown for row in standings.players),
        "few_games": FEW_GAMES,
    }


def _row(
    row: PlayerStanding, standings: Standings, scale: Scale, joined: list[bool]
) -> dict[str, Any]:
    shown, anchor = interval(row), anchor_of(standings)
    label = rating(row, anchor)
    drawn: Markup | str = label
    if shown is not None:
        drawn = whisker(*shown, scale, standings.anchor.elo, label)
    return {
        "row": row,
        "shown": shown is not None,
        "anchor": row.name == anchor,
        "drawn": drawn,
        "above": joined[0],
        "below": joined[1],
        "forfeits": [(ending_word(Termination(word)), n) for word, n in row.forfeits.items()],
    }


def crosstable(look: Look) -> dict[str, Any] | None:
    """Points of each player against each other; who plays alone has scores instead."""
    standings = look.standings
    if any(row.tiles for row in standings.players):
        return None
    if not standings.crosstable and len(standings.players) <= words.MOST_CROSSED:
        return None
    cells = {(cell.player, cell.opponent): cell for cell in standings.crosstable}
    names = [row.name for row in standings.players] if standings.crosstable else []
    rows = [(name, [_cell(name, other, cells) for other in names]) for name in names]
    return {
        "names": names,
        "rows": rows,
        "many": len(standings.players),
        "most": words.MOST_CROSSED,
    }


def _cell(player: str, opponent: str, cells: dict[tuple[str, str], Cell]) -> dict[str, Any]:
    cell = cells.get((player, opponent))
    if cell is None:
        return {"kind": "self" if player == opponent else "none"}
    games = cell.wins + cell.draws + cell.losses
    points = cell.wins + cell.draws / 2
    return {
        "kind": heat(points / games),
        "points": figure(points),
        "games": games,
        "opponent": opponent,
        "label": f"{cell.wins} won, {cell.draws} drawn, {cell.losses} lost",
    }


def heat(share: float) -> str:
    """The classes of a share of the points: blue above one half, orange below, in 17 steps."""
    if share == 0.5:
        return "even"
    return f"{'up' if share > 0.5 else 'down'} k{5 * max(1, round(abs(share - 0.5) * 2 * 17))}"


def reach(look: Look) -> dict[str, Any] | None:
    """None for games that nobody plays alone."""
    sliders = [row for row in look.standings.players if row.tiles is not None]
    if not sliders:
        return None
    scores = defaultdict[str, list[int]](list)
    for game in look.view.rated:
        scores[look.seen.names[game.players[0]]].append(game.scores[0])
    quantiles = {name: np.quantile(found, _QUANTILES).tolist() for name, found in scores.items()}
    scale = Scale.over([0, *(figure for found in quantiles.values() for figure in found)])
    tiles = sorted({each.tile for row in sliders if row.tiles for each in row.tiles.reach})
    rows = [
        {
            "name": row.name,
            "tiles": row.tiles,
            "quantiles": quantiles[row.name],
            "drawn": spread(quantiles[row.name], scale, _spread_label(quantiles[row.name])),
            "reach": [_percent_and_step(row.tiles.shares_at(tile)[0]) for tile in tiles],
        }
        for row in sliders
        if row.tiles is not None and row.name in quantiles
    ]
    return {"rows": rows, "tiles": tiles}


def _spread_label(quantiles: Sequence[float]) -> str:
    low, first, median, third, high = (f"{figure:,.0f}" for figure in quantiles)
    return f"median {median}; half of the games {first} to {third}, nine tenths {low} to {high}"


def _percent_and_step(share: float) -> tuple[int, int]:
    """A share of the games in percent, and its step of colour."""
    return round(100 * share), 5 * round(17 * share)


def openings(look: Look) -> dict[str, Any] | None:
    """None for games that one plays alone, where each seed is a beginning of its own."""
    config = look.view.config
    rated = [game for game in look.view.rated if len(game.points) == 2]
    if config.terms.game.decided_by_seed or not rated:
        return None
    vary = bool(config.openings.plies or config.openings.lines)
    began = look.view.openings if vary else ()
    taken = defaultdict[tuple[str, ...], list[GameDigest]](list)
    for game in rated:
        if 0 < game.round <= len(began):
            taken[began[game.round - 1]].append(game)
    rows = [_opening(moves, games, config.terms.game.move_gap) for moves, games in taken.items()]
    return {
        "vary": vary,
        "count": len(taken),
        "plies": {len(moves) for moves in taken},
        "one_sided": sum(row["games"] >= 4 and row["share"] in (0, 1) for row in rows),
        "pairs": pairs_of(rated),
        "rows": rows[:_LISTED],
        "listed": _LISTED,
    }


def _opening(moves: Sequence[str], games: Sequence[GameDigest], gap: str) -> dict[str, Any]:
    share = sum(game.points[0] for game in games) / len(games)
    return {"moves": gap.join(moves) or "none", "games": len(games), "share": share}


def faults(look: Look) -> dict[str, Any] | None:
    """Forfeits, void and damaged games, and the faults of each player; None before any game."""
    standings, seen, view = look.standings, look.seen, look.view
    notes = [*words.about_endings(standings), *words.about_damage(standings.damaged)]
    if not notes:
        return None
    return {
        "notes": notes,
        "faults": [
            (seen.names[fault.player], ending_word(data.ending), data)
            for fault in view.standings.faults
            if fault.player in seen.names
            for data in [fault_data(view, fault, seen)]
        ],
    }


def machine(look: Look) -> dict[str, Any] | None:
    """The machine, the time, and the sandbox of the players."""
    standings, reads_all = look.standings, look.seen.audience.reads_all
    if not look.view.games:
        return None
    record = look.view.intact_record(look.view.games[-1].game)
    return {
        "machine": machine_of(record, look.seen) if record else None,
        "notes": [
            *words.about_time(standings),
            *words.about_sandbox(standings, gaps=reads_all),
            *(machines.about(look.view.played_at) if reads_all else ()),
        ],
    }


def method(look: Look) -> dict[str, Any]:
    """How to read the figures, in 120 words at most."""
    paired = not look.view.config.terms.game.decided_by_seed
    notes = [*map(minus, words.about_rating(look.standings)[:2])]
    return {"notes": notes, "paired": paired, "few": FEW_GAMES}
