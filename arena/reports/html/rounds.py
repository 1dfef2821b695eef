"""How a format's own order stands: its table, groups, bracket, rounds, test, ratings over time."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import accumulate
from typing import Any
from weakref import WeakKeyDictionary

from markupsafe import Markup

from arena.ratings import elo
from arena.ratings.columns import Columns
from arena.ratings.matches import Verdict
from arena.ratings.results import GameDigest, results_of
from arena.reports import words
from arena.reports.html.charts import Curve, curves, gauge
from arena.reports.html.overview import Look
from arena.reports.html.wording import FEW_GAMES, minus, signed
from arena.reports.rankings import figure
from arena.tournament.formats import FORMATS
from arena.tournament.run_view import RunView

_MEETINGS = 400
"""Meetings that are listed, those of the last rounds."""
_TIMES, _LINES, _FITTED = 16, 8, 100
"""Ratings over time: at that many rounds, of that many players, in fields up to that many."""
_RATINGS: WeakKeyDictionary[RunView, dict[tuple[int, int], dict[str, float]]] = WeakKeyDictionary()
"""Ratings by how many games and players they are of, as they were found before."""


def rounds(look: Look) -> dict[str, Any] | None:
    """None for a format that ranks by Elo alone."""
    standings, played_in = look.standings, FORMATS[look.view.config.format].matched
    if standings.ranking is None and standings.sprt is None and not played_in:
        return None
    return {
        "ranking": standings.ranking,
        "test": standings.sprt and _test(standings.sprt),
        "rounds": _meetings(look) if played_in else [],
        "over_time": _over_time(look) if played_in else None,
        "figure": figure,
    }


def _test(verdict: Verdict) -> dict[str, Any]:
    return {
        "drawn": gauge(verdict.llr, verdict.lower, verdict.upper),
        "notes": [*map(minus, words.about_sprt(verdict))],
        "where": minus(words.where_it_stands(verdict)),
    }


def _meetings(look: Look) -> list[tuple[int, list[Markup]]]:
    """The last rounds, the newest first: a line for each meeting."""
    by_round = _by_round(look.view.rated)
    shown, count = list[tuple[int, list[Markup]]](), 0
    for number in sorted(by_round, reverse=True):
        met = defaultdict[frozenset[str], list[GameDigest]](list)
        for game in by_round[number]:
            met[frozenset(game.players)].append(game)
        count += len(met)
        if count > _MEETINGS and shown:
            break
        shown.append((number, [_meeting(games, look) for games in met.values()]))
    return shown


def _meeting(games: Sequence[GameDigest], look: Look) -> Markup:
    """`ant 1½ – ½ bee`; a name from right to left leaves the points where they are."""
    one, other = games[0].players[0], games[0].players[-1]
    results = results_of(games)
    points = sum(each.score if each.first == one else 1 - each.score for each in results)
    left, right = look.seen.names[one], look.seen.names[other]
    return Markup("<bdi>{}</bdi> {} – {} <bdi>{}</bdi>").format(
        left, figure(points), figure(len(results) - points), right
    )


def _over_time(look: Look) -> dict[str, Any] | None:
    """Ratings after some of the rounds, of the players who are first now."""
    view, by_round = look.view, _by_round(look.view.rated)
    numbers, secret = sorted(by_round), {shown: name for name, shown in look.seen.names.items()}
    rated = [row.name for row in look.standings.players if row.games >= FEW_GAMES]
    first = [name for name in rated if name in secret][:_LINES]
    if len(numbers) < 3 or len(look.standings.players) > _FITTED or not first:
        return None
    step = -(-len(numbers) // _TIMES)
    times = sorted({*numbers[step - 1 :: step], numbers[-1]})
    ends = dict(zip(numbers, accumulate(len(by_round[n]) for n in numbers), strict=True))
    ordered = [game for number in numbers for game in by_round[number]]
    ratings = [_ratings(view, ordered[: ends[time]]) for time in times]
    drawn, rows = list[Curve](), []
    for name in first:
        found = [at.get(secret[name]) for at in ratings]
        known = [(at, each) for at, each in zip(times, found, strict=True) if each is not None]
        drawn.append(Curve(name, known))
        rows.append((name, ["–" if each is None else signed(each) for each in found]))
    who = f"{len(drawn)} players with {FEW_GAMES} games or more"
    label = f"Elo of {who}, after rounds {times[0]} to {times[-1]}"
    return {"drawn": curves(drawn, label, named=True), "times": times, "rows": rows}


def _ratings(view: RunView, games: Sequence[GameDigest]) -> dict[str, float]:
    """The fit after these games, which are always the same where there are as many."""
    known = _RATINGS.setdefault(view, {})
    key = len(games), len(view.config.unrated)
    if key not in known:
        paired = not view.config.terms.game.decided_by_seed
        matched = FORMATS[view.config.format].matched
        columns, by = Columns.of(results_of(games)), view.config.rating
        fit = elo.fit(
            columns,
            anchor=by.anchor if by.anchor in columns.players else None,
            anchor_elo=by.anchor_elo,
            first_mover=paired,
            matched=matched,
        )
        known[key] = dict(zip(fit.players, map(float, fit.elo), strict=True))
    return known[key]


def _by_round(games: Sequence[GameDigest]) -> dict[int, list[GameDigest]]:
    by_round = defaultdict[int, list[GameDigest]](list)
    for game in games:
        by_round[game.round].append(game)
    return by_round
