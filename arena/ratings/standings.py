"""The standings of a tournament, put together from its games."""

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import groupby, pairwise

import numpy as np
from numpy.typing import NDArray

import rules
from arena.model.containment import Held
from arena.model.protocol import Termination
from arena.model.record import GameRecord
from arena.ratings import elo, tables
from arena.ratings.model import (
    Anchor,
    Broken,
    Cell,
    Contained,
    Match,
    PlayerStanding,
    Ranking,
    Share,
    Spoilt,
    Standings,
    Verdict,
)
from arena.ratings.pentanomial import figures, head_to_head
from arena.ratings.results import GameDigest, Result, digests, results_of


def standings(
    games: Iterable[GameRecord | GameDigest],
    *,
    players: Sequence[str] = (),
    name: str = "",
    anchor: str | None = None,
    anchor_elo: float = 0.0,
    planned: int | None = None,
    sprt: Verdict | None = None,
    ranking: Ranking | None = None,
) -> Standings:
    """The standings after `games`.

    `players` are listed even before their first game; without it, those that played. `planned` is
    the length of the schedule, `sprt` and `ranking` are what it says of these games. For a live
    table keep digests instead of records.
    """
    every = digests(games)
    played = tuple(game for game in every if game.termination is not Termination.VOID)
    void = tuple(game for game in every if game.termination is Termination.VOID)
    by = Anchor(player=anchor, elo=anchor_elo)
    return _rated(results_of(played), played, name, players, by).model_copy(
        update={
            "planned": planned,
            "void": len(void),
            "spoilt": tuple(_spoilt(void, {game.game for game in played})),
            "sprt": sprt,
            "ranking": ranking,
        }
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
    return _rated(results, (), name, (), Anchor(player=anchor, elo=anchor_elo))


def _rated(
    results: Sequence[Result],
    games: Sequence[GameDigest],
    name: str,
    players: Sequence[str],
    anchor: Anchor,
) -> Standings:
    """The standings of results, with what the games behind them tell where there are any."""
    moves_first = not any(rules.default(game.rules).decided_by_seed for game in games)
    with_results = {player for result in results for player in result[:2]}
    in_force = anchor.player is None or anchor.player in with_results
    fit = elo.fit(
        results,
        anchor=anchor.player if in_force else None,
        anchor_elo=anchor.elo,
        first_mover=moves_first,
    )
    appearing = (player for game in games for player in game.players)
    names = tuple(dict.fromkeys((*players, *appearing, *fit.players)))
    crosstable = tables.crosstable(results)
    rows = _Rows(fit, results, games, crosstable.values(), moves_first).of(names)
    ranked = [row.name for row in rows if row.elo is not None]
    order = [fit.players.index(player) for player in ranked]
    return Standings(
        name=name,
        rules=games[0].rules if games else None,
        games=len(games) if games else len(results),
        planned=None,
        void=0,
        results=len(results),
        anchor=anchor.model_copy(update={"in_force": in_force}),
        first_mover=fit.first_mover,
        first_player=tables.share(*_arrays(results)) if moves_first else None,
        players=rows,
        neighbours=tuple(fit.compare(upper, lower) for upper, lower in pairwise(ranked)),
        groups=fit.groups,
        crosstable=tuple(
            crosstable[one, other] for one in names for other in names if (one, other) in crosstable
        ),
        terminations=_by_word(game.termination for game in games),
        faults=_faults(games),
        sandboxes=tuple(_sandboxes(games)),
        covariance=tuple(tuple(row) for row in fit.covariance[np.ix_(order, order)].tolist()),
        match=_match(results, *ranked) if len(ranked) == 2 else None,
    )


def _arrays(results: Sequence[Result]) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    scores = np.array([result.score for result in results], dtype=np.float64)
    return scores, elo.cluster_numbers(results)


def _by_word(terminations: Iterable[Termination]) -> dict[str, int]:
    """How often each word came, the most frequent first."""
    return dict(Counter(map(str, terminations)).most_common())


class _Rows:
    """Makes the players' lines."""

    def __init__(
        self,
        fit: elo.Fit,
        results: Sequence[Result],
        games: Sequence[GameDigest],
        crosstable: Iterable[Cell],
        moves_first: bool,
    ) -> None:
        self._fit = fit
        self._any_games = bool(games)
        self._moves_first = moves_first
        self._sides = np.array([result[:2] for result in results], dtype=np.str_).reshape(-1, 2)
        self._scores, self._clusters = _arrays(results)
        self._difference = tables.differences(game for game in games if game.points)
        self._seats: dict[str, list[tuple[GameDigest, int]]] = defaultdict(list)
        for game in games:
            for seat, player in enumerate(game.players):
                self._seats[player].append((game, seat))
        self._counts: dict[str, tuple[int, int, int]] = defaultdict(lambda: (0, 0, 0))
        for cell in crosstable:
            wins, draws, losses = self._counts[cell.player]
            self._counts[cell.player] = (
                wins + cell.wins, draws + cell.draws, losses + cell.losses
            )  # fmt: skip

    def of(self, names: Sequence[str]) -> tuple[PlayerStanding, ...]:
        """The lines of these players, the strongest first."""
        course = tables.course_ranks({name: self._course_key(name) for name in names})
        rated = dict(zip(self._fit.players, self._fit.elo.tolist(), strict=True))

        def strength(name: str) -> tuple[float | str, ...]:
            if name not in rated:
                return (1.0, name)
            return (0.0, -round(rated[name], 6), course[name], name)

        ranked = enumerate(sorted(names, key=strength), start=1)
        return tuple(self._row(rank, name, course[name], rated.get(name)) for rank, name in ranked)

    def _course_key(self, name: str) -> tuple[int, int, int]:
        wins, draws, _ = self._counts[name]
        return 2 * wins + draws, wins, self._difference.get(name, 0)

    def _row(self, rank: int, name: str, course_rank: int, rating: float | None) -> PlayerStanding:
        wins, draws, losses = self._counts[name]
        met, own = wins + draws + losses, self._seats[name]
        forfeits = (game.termination for game, seat in own if game.offender == seat)
        return PlayerStanding(
            rank=rank,
            name=name,
            elo=rating,
            elo_error=None if rating is None else self._fit.error(name),
            games=len(own) if self._any_games else met,
            wins=wins,
            draws=draws,
            losses=losses,
            score=(wins + draws / 2) / met if met else None,
            points=2 * wins + draws,
            course_rank=course_rank,
            difference=self._difference.get(name),
            as_first=self._share(name, 0, self._scores),
            as_second=self._share(name, 1, 1 - self._scores),
            forfeits=_by_word(forfeits),
            random_moves=sum(game.random_moves[seat] for game, seat in own),
            times=tables.times([game.used_ms[seat] for game, seat in own]),
            tiles=tables.tile_figures([game for game, seat in own if seat == 0]),
        )

    def _share(self, name: str, side: int, scores: NDArray[np.float64]) -> Share | None:
        if not self._moves_first:
            return None
        own = self._sides[:, side] == name
        return tables.share(scores[own], self._clusters[own])


def _faults(games: Iterable[GameDigest]) -> tuple[Broken, ...]:
    """Faults by player and word, each with the first game it happened in."""
    found: dict[tuple[str, Termination], list[tuple[str, str]]] = {}
    for game in sorted(games, key=lambda game: game.game):
        for seat, word, detail in game.faults:
            found.setdefault((game.players[seat], word), []).append((game.game, detail))
    return tuple(
        Broken(player=player, termination=word, count=len(cases), game=game, detail=detail)
        for (player, word), cases in sorted(found.items(), key=lambda item: -len(item[1]))
        for game, detail in cases[:1]
    )


def _spoilt(void: Iterable[GameDigest], finished: Container[str]) -> Iterator[Spoilt]:
    """Void attempts, which are in the order they ended, game by game."""
    for name, group in groupby(sorted(void, key=lambda game: game.game), lambda game: game.game):
        *_, last = attempts = list(group)
        replayed = name in finished
        yield Spoilt(game=name, attempts=len(attempts), detail=last.detail, replayed=replayed)


def _sandboxes(games: Iterable[GameDigest]) -> Iterator[Contained]:
    """What contained each player, in the order of the games."""
    found: dict[str, Counter[Held]] = defaultdict(Counter)
    for game in games:
        for player, held in zip(game.players, game.held, strict=True):
            found[player][held] += 1
    for player, kinds in found.items():
        for held, count in kinds.items():
            yield Contained(player=player, games=count, held=held)


def _match(results: Sequence[Result], player: str, opponent: str) -> Match:
    counted = head_to_head(results, player, opponent)
    pairs = counted.pairs.by_half_points
    return Match(
        player=player,
        opponent=opponent,
        games=counted.games._asdict(),
        pairs=counted.pairs._asdict(),
        unpaired=counted.unpaired,
        trinomial=figures(counted.games[::-1]),
        pentanomial=figures(pairs) if any(pairs) else None,
    )
