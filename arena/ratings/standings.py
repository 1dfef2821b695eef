"""The standings of a tournament, put together from its games."""

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import groupby
from math import inf
from typing import NamedTuple

import numpy as np

import rules
from arena.errors import RateError
from arena.files.toml_tables import few_of
from arena.model.containment import Held
from arena.model.protocol import Termination
from arena.ratings import elo, tables
from arena.ratings.columns import Columns, Indices
from arena.ratings.conduct import Broken, Contained, Spoilt
from arena.ratings.matches import Match
from arena.ratings.model import (
    FITTED_PRIOR,
    MOST_COMPARED,
    PRIOR,
    Anchor,
    PlayerStanding,
    Share,
    Standings,
)
from arena.ratings.pentanomial import figures, head_to_head
from arena.ratings.results import GameDigest, Result, repeats, results_of
from arena.ratings.tie_breaks import shared_ranks


class _Tally(NamedTuple):
    """A player's results."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    score: float | None = None
    """Share of the points; None without a result."""
    as_first: Share | None = None
    """Share of the points when moving first; None without such results."""
    as_second: Share | None = None


def standings(
    games: Iterable[GameDigest],
    *,
    players: Sequence[str] = (),
    name: str = "",
    anchor: str | None = None,
    anchor_elo: float = 0.0,
    planned: int | None = None,
    matched: bool = False,
) -> Standings:
    """The standings after `games`, without what their schedule says of them.

    `players` are listed even before their first game; without it, those that played. `planned` is
    the length of the schedule; `matched` where results chose the opponents.
    """
    played, void = list[GameDigest](), list[GameDigest]()
    for game in games:
        (void if game.termination is Termination.VOID else played).append(game)
    by = Anchor(player=anchor, elo=anchor_elo)
    moves_first = not any(rules.default(game.rules).decided_by_seed for game in played)
    rated = _rated(
        results_of(played), played, name, players, by, moves_first=moves_first, matched=matched
    )
    return rated.model_copy(
        update={
            "planned": planned,
            "void": len(void),
            "spoilt": tuple(_spoilt(void, {game.game for game in played})),
            "repeats": repeats(played),
        }
    )


def standings_of_results(
    results: Sequence[Result],
    *,
    name: str = "",
    anchor: str | None = None,
    anchor_elo: float = 0.0,
    first_mover: bool = True,
    matched: bool = False,
) -> Standings:
    """The standings of a bare list of results; `first_mover=False` where the order of the two
    players means nothing, `matched` where results chose the opponents. RateError: an anchor without
    results.
    """
    names = {player for result in results for player in result[:2]}
    if anchor is not None and anchor not in names:
        there = few_of(sorted(names), anchor)
        raise RateError(f'anchor: no player "{anchor}" among the results; there are: {there}')
    by = Anchor(player=anchor, elo=anchor_elo)
    return _rated(results, (), name, (), by, moves_first=first_mover, matched=matched)


def _rated(
    results: Sequence[Result],
    games: Sequence[GameDigest],
    name: str,
    players: Sequence[str],
    anchor: Anchor,
    *,
    moves_first: bool,
    matched: bool,
) -> Standings:
    """The standings of results, with what the games behind them say where there are any."""
    columns = Columns.of(results)
    in_force = anchor.player is None or anchor.player in columns.players
    by = anchor.player if in_force else None
    fit = elo.fit(
        columns, anchor=by, anchor_elo=anchor.elo, first_mover=moves_first, matched=matched
    )
    appearing = (player for game in games for player in game.players)
    names = tuple(dict.fromkeys((*players, *appearing, *fit.players)))
    rows = _ranked(list(_rows(names, fit, _tallies(columns, moves_first), games)))
    ranked = [row.name for row in rows if row.elo is not None]
    few = len(names) <= MOST_COMPARED
    return Standings(
        name=name,
        rules=games[0].rules if games else None,
        games=len(games) if games else len(results),
        planned=None,
        void=0,
        results=len(results),
        matched=fit.matched,
        anchor=anchor.model_copy(update={"in_force": in_force}),
        prior=FITTED_PRIOR if fit.matched else PRIOR,
        first_mover=fit.first_mover,
        first_player=tables.share(columns.scores, columns.clusters) if moves_first else None,
        players=rows,
        neighbours=tuple(
            pair for pair in fit.neighbours(ranked) if fit.linked(pair.upper, pair.lower)
        ),
        groups=fit.groups,
        crosstable=tables.crosstable(results, names) if few else (),
        terminations=_by_word(game.termination for game in games),
        faults=_faults(games),
        sandboxes=tuple(_sandboxes(games)),
        covariance=_covariance(fit, ranked) if few else (),
        match=_match(results, *ranked) if len(ranked) == 2 else None,
    )


def _covariance(fit: elo.Fit, ranked: Sequence[str]) -> tuple[tuple[float, ...], ...]:
    """In the order of the table."""
    order = [fit.players.index(player) for player in ranked]
    return tuple(map(tuple, fit.covariance[np.ix_(order, order)].tolist()))


def _by_word(terminations: Iterable[Termination]) -> dict[str, int]:
    """How often each word came, the most frequent first."""
    return dict(Counter(map(str, terminations)).most_common())


def _rows(
    names: Iterable[str], fit: elo.Fit, counted: dict[str, _Tally], games: Sequence[GameDigest]
) -> Iterator[PlayerStanding]:
    """The players' lines, not ranked yet."""
    rated = dict(zip(fit.players, fit.elo.tolist(), strict=True))
    difference = tables.differences(
        game for game in games if game.points and not rules.default(game.rules).decided_by_seed
    )
    seats: dict[str, list[tuple[GameDigest, int]]] = defaultdict(list)
    for game in games:
        for seat, player in enumerate(game.players):
            seats[player].append((game, seat))
    for name in names:
        own, tally = seats[name], counted.get(name, _Tally())
        forfeits = (game.termination for game, seat in own if game.offender == seat)
        yield PlayerStanding(
            rank=0,
            name=name,
            elo=rated.get(name),
            elo_error=fit.error(name) if name in rated else None,
            games=len(own) if games else tally.wins + tally.draws + tally.losses,
            **tally._asdict(),
            points=2 * tally.wins + tally.draws,
            course_rank=None,
            difference=difference.get(name),
            forfeits=_by_word(forfeits),
            random_moves=sum(game.random_moves[seat] for game, seat in own),
            times=tables.times([game.used_ms[seat] for game, seat in own]),
            tiles=tables.tile_figures([game for game, seat in own if seat == 0]),
        )


def _ranked(rows: Sequence[PlayerStanding]) -> tuple[PlayerStanding, ...]:
    """The players' lines, the strongest first; equal ratings share a rank."""
    strength = {row.name: (-inf if row.elo is None else round(row.elo, 6),) for row in rows}
    rank = shared_ranks(strength)
    course = shared_ranks({row.name: (row.points, row.wins, row.difference or 0) for row in rows})
    comparable = len({row.results for row in rows}) == 1
    ordered = sorted(rows, key=lambda row: (rank[row.name], course[row.name], row.name))
    return tuple(
        row.model_copy(
            update={
                "rank": rank[row.name],
                "course_rank": course[row.name] if comparable else None,
            }
        )
        for row in ordered
    )


def _faults(games: Iterable[GameDigest]) -> tuple[Broken, ...]:
    """Faults by player and word, each with the first game it happened in."""
    faults: dict[tuple[str, Termination], list[tuple[str, str]]] = {}
    for game in sorted(games, key=lambda game: (game.round, game.game)):
        for seat, word, detail in game.faults:
            faults.setdefault((game.players[seat], word), []).append((game.game, detail))
    return tuple(
        Broken(player=player, termination=word, count=len(cases), game=game, detail=detail)
        for (player, word), cases in sorted(faults.items(), key=lambda item: -len(item[1]))
        for game, detail in cases[:1]
    )


def _spoilt(void: Iterable[GameDigest], finished: Container[str]) -> Iterator[Spoilt]:
    """Void attempts, which are in the order they ended, game by game."""
    for name, group in groupby(sorted(void, key=lambda game: game.game), lambda game: game.game):
        *_, last = attempts = list(group)
        replayed = name in finished
        yield Spoilt(game=name, attempts=len(attempts), detail=last.detail, replayed=replayed)


def _sandboxes(games: Iterable[GameDigest]) -> Iterator[Contained]:
    """Sandboxes of each player, in the order of the games."""
    sandboxes: dict[str, Counter[Held]] = defaultdict(Counter)
    for game in games:
        for player, held in zip(game.players, game.held, strict=True):
            sandboxes[player][held] += 1
    for player, kinds in sandboxes.items():
        for held, count in kinds.items():
            yield Contained(player=player, games=count, held=held)


def _match(results: Sequence[Result], player: str, opponent: str) -> Match:
    counted = head_to_head(results, player, opponent)
    pairs, words = counted.pairs.by_half_points, ("wins", "draws", "losses")
    return Match(
        player=player,
        opponent=opponent,
        games=dict(zip(words, counted.games[::-1], strict=True)),
        pairs=counted.pairs._asdict(),
        unpaired=counted.unpaired,
        dependent=counted.dependent,
        trinomial=figures(counted.games),
        pentanomial=figures(pairs) if any(pairs) else None,
    )


def _tallies(results: Columns, moves_first: bool) -> dict[str, _Tally]:
    if not results.players:
        return {}
    scores, clusters = results.scores, results.clusters
    sides = zip(
        _by_player(results.first, results), _by_player(results.second, results), strict=True
    )
    tallies: dict[str, _Tally] = {}
    for name, (first, second) in zip(results.players, sides, strict=True):
        taken = np.append(scores[first], 1 - scores[second])
        wins, draws, losses = (int((taken == score).sum()) for score in (1.0, 0.5, 0.0))
        tallies[name] = _Tally(wins, draws, losses, float(taken.mean()))
        if moves_first:
            as_first = tables.share(scores[first], clusters[first])
            as_second = tables.share(1 - scores[second], clusters[second])
            tallies[name] = tallies[name]._replace(as_first=as_first, as_second=as_second)
    return tallies


def _by_player(side: Indices, results: Columns) -> Iterator[Indices]:
    """Which results have each player on that side."""
    ends = np.cumsum(np.bincount(side, minlength=len(results.players)))
    return iter(np.split(np.argsort(side, kind="stable"), ends[:-1]))
