"""The standings of a tournament, put together from its games."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import groupby, pairwise

import numpy as np
from numpy.typing import NDArray

import rules
from arena.model.containment import Held
from arena.model.protocol import Termination
from arena.model.record import GameRecord
from arena.ratings import elo, pentanomial, tables
from arena.ratings.model import (
    Advantage,
    Anchor,
    Broken,
    Contained,
    Count,
    Match,
    Neighbours,
    PlayerStanding,
    Spoilt,
    Standings,
    Verdict,
)
from arena.ratings.results import GameDigest, Result, digests, results_of
from arena.ratings.tables import Meeting


def standings(
    games: Iterable[GameRecord | GameDigest],
    *,
    players: Sequence[str] = (),
    name: str = "",
    anchor: str | None = None,
    anchor_elo: float = 0.0,
    planned: int | None = None,
    sprt: Verdict | None = None,
) -> Standings:
    """The standings after `games`.

    `players` are listed even before their first game; without it, those that played. `planned` is
    the length of the schedule. `sprt` is what a `Trial` of these games says. For a live table
    keep digests instead of records.
    """
    games = digests(games)
    played = tuple(game for game in games if game.termination is not Termination.VOID)
    return _assemble(
        results_of(played),
        played,
        players=players,
        name=name,
        anchor=anchor,
        anchor_elo=anchor_elo,
        planned=planned,
        void=tuple(game for game in games if game.termination is Termination.VOID),
        sprt=sprt,
    )


def standings_of_results(
    results: Sequence[Result],
    *,
    name: str = "",
    anchor: str | None = None,
    anchor_elo: float = 0.0,
) -> Standings:
    """The standings of a bare list of results. ValueError: an anchor without results."""
    names = {player for result in results for player in result[:2]}
    if anchor is not None and anchor not in names:
        raise ValueError(
            f"the anchor {anchor!r} is none of the players: {', '.join(sorted(names))}"
        )
    return _assemble(
        results,
        (),
        players=(),
        name=name,
        anchor=anchor,
        anchor_elo=anchor_elo,
        planned=None,
        void=(),
        sprt=None,
    )


def _assemble(
    results: Sequence[Result],
    games: Sequence[GameDigest],
    *,
    players: Sequence[str],
    name: str,
    anchor: str | None,
    anchor_elo: float,
    planned: int | None,
    void: Sequence[GameDigest],
    sprt: Verdict | None,
) -> Standings:
    moves_first = not any(rules.default(game.rules).decided_by_seed for game in games)
    rated = {player for result in results for player in result[:2]}
    in_force = anchor is None or anchor in rated
    fit = elo.fit(
        results,
        anchor=anchor if in_force else None,
        anchor_elo=anchor_elo,
        first_mover=moves_first,
    )
    appearing = (player for game in games for player in game.players)
    names = tuple(dict.fromkeys((*players, *appearing, *fit.players)))
    meetings = tables.crosstable(results)
    rows = _rows(names, fit, results, games, meetings, moves_first)
    ranked = [row.name for row in rows if row.elo is not None]
    order = [fit.players.index(player) for player in ranked]
    scores, clusters = _arrays(results)
    return Standings(
        name=name,
        rules=games[0].rules if games else None,
        games=len(games) if games else len(results),
        planned=planned,
        void=len(void),
        spoilt=tuple(_spoilt(void, {game.game for game in games})),
        results=len(results),
        anchor=Anchor(player=anchor, elo=anchor_elo, in_force=in_force),
        first_mover=_advantage(fit),
        first_player=tables.share(scores, clusters) if moves_first else None,
        players=rows,
        neighbours=tuple(
            Neighbours(upper=upper, lower=lower, **fit.compare(upper, lower)._asdict())
            for upper, lower in pairwise(ranked)
        ),
        groups=fit.groups,
        crosstable=tuple(
            Meeting(player=one, opponent=other, wins=count[0], draws=count[1], losses=count[2])
            for one in names
            for other in names
            if (count := meetings.get((one, other))) is not None
        ),
        terminations=dict(Counter(str(game.termination) for game in games).most_common()),
        faults=_faults(games),
        sandboxes=tuple(_sandboxes(games)),
        covariance=tuple(tuple(row) for row in fit.covariance[np.ix_(order, order)].tolist()),
        match=_match(results, *ranked) if len(ranked) == 2 else None,
        sprt=sprt,
    )


def _arrays(results: Sequence[Result]) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    scores = np.array([result.score for result in results], dtype=np.float64)
    return scores, elo.cluster_numbers(results)


def _rows(
    names: Sequence[str],
    fit: elo.Fit,
    results: Sequence[Result],
    games: Sequence[GameDigest],
    meetings: dict[tuple[str, str], tuple[int, int, int]],
    moves_first: bool,
) -> tuple[PlayerStanding, ...]:
    """The players' lines, the strongest first."""
    index = {name: position for position, name in enumerate(names)}
    first = np.array([index[result.first] for result in results], dtype=np.intp)
    second = np.array([index[result.second] for result in results], dtype=np.intp)
    scores, clusters = _arrays(results)
    difference = tables.differences(game for game in games if game.points)
    seats: dict[str, list[tuple[GameDigest, int]]] = defaultdict(list)
    for game in games:
        for seat, player in enumerate(game.players):
            seats[player].append((game, seat))

    counts = {
        name: tuple(
            sum(count[kind] for (player, _), count in meetings.items() if player == name)
            for kind in range(3)
        )
        for name in names
    }
    keys = {
        name: (2 * wins + draws, wins, difference.get(name, 0))
        for name, (wins, draws, _) in counts.items()
    }
    course = tables.course_ranks(keys)

    def place(name: str) -> tuple[float, ...]:
        if name not in fit.players:
            return (1.0,)
        return (0.0, -round(float(fit.elo[fit.players.index(name)]), 6), course[name])

    rows = []
    for rank, name in enumerate(sorted(names, key=lambda name: (place(name), name)), start=1):
        wins, draws, losses = counts[name]
        met = wins + draws + losses
        leads, follows = first == index[name], second == index[name]
        own = seats[name]
        rows.append(
            PlayerStanding(
                rank=rank,
                name=name,
                elo=float(fit.elo[fit.players.index(name)]) if met else None,
                elo_error=fit.error(name) if met else None,
                games=len(own) if games else met,
                wins=wins,
                draws=draws,
                losses=losses,
                score=(wins + draws / 2) / met if met else None,
                points=2 * wins + draws,
                course_rank=course[name],
                difference=difference.get(name),
                as_first=tables.share(scores[leads], clusters[leads]) if moves_first else None,
                as_second=(
                    tables.share(1 - scores[follows], clusters[follows]) if moves_first else None
                ),
                forfeits=dict(
                    Counter(
                        str(game.termination) for game, seat in own if game.offender == seat
                    ).most_common()
                ),
                random_moves=sum(game.random_moves[seat] for game, seat in own),
                times=tables.times([game.used_ms[seat] for game, seat in own]),
                tiles=tables.tile_figures([game for game, seat in own if seat == 0]),
            )
        )
    return tuple(rows)


def _faults(games: Iterable[GameDigest]) -> tuple[Broken, ...]:
    """Faults by player and word, each with the first game it happened in."""
    found: dict[tuple[str, Termination], list[tuple[str, str]]] = {}
    for game in sorted(games, key=lambda game: game.game):
        for seat, word, detail in game.faults:
            found.setdefault((game.players[seat], word), []).append((game.game, detail))
    most_first = sorted(found.items(), key=lambda item: -len(item[1]))
    return tuple(
        Broken(
            player=player, termination=word, count=len(cases), game=cases[0][0], detail=cases[0][1]
        )
        for (player, word), cases in most_first
    )


def _spoilt(void: Iterable[GameDigest], finished: Container[str]) -> Iterator[Spoilt]:
    """Void attempts, which are in the order they ended, game by game."""
    attempts = sorted(void, key=lambda game: game.game)
    for name, group in groupby(attempts, key=lambda game: game.game):
        tries = tuple(group)
        yield Spoilt(
            game=name, attempts=len(tries), detail=tries[-1].detail, replayed=name in finished
        )


def _sandboxes(games: Iterable[GameDigest]) -> Iterator[Contained]:
    """What contained each player, in the order of the games."""
    found: dict[str, list[tuple[Held, int]]] = defaultdict(list)
    for game in games:
        for player, held in zip(game.players, game.held, strict=True):
            known = found[player]
            place = next((at for at, (other, _) in enumerate(known) if other == held), None)
            if place is None:
                known.append((held, 1))
            else:
                known[place] = (held, known[place][1] + 1)
    for player, kinds in found.items():
        for held, count in kinds:
            yield Contained(player=player, games=count, held=held)


def _advantage(fit: elo.Fit) -> Advantage | None:
    if fit.first_mover is None or fit.first_mover_error is None:
        return None
    return Advantage(elo=fit.first_mover, error=fit.first_mover_error)


def _match(results: Sequence[Result], player: str, opponent: str) -> Match:
    counted = pentanomial.head_to_head(results, player, opponent)
    pairs = counted.pentanomial
    return Match(
        player=player,
        opponent=opponent,
        games=counted.games._asdict(),
        pairs=counted.pairs._asdict(),
        unpaired=counted.unpaired,
        trinomial=Count.of(counted.trinomial),
        pentanomial=None if pairs is None else Count.of(pairs),
    )
